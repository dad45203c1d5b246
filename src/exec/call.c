// call.c: a call makes the current split a node that waits for its callee, a leaf with a frame of its own. A frame
// holds the registers of a function, its .param variables and its part of the thread's local memory.
#include "exec/unit.h"

#include <string.h>

// --- frames ----------------------------------------------------------------------------------------------------------
// Where a callee's frame lies: behind its caller's, and apart from the frames of other functions that lanes of this
// warp are in, since their rows hold other things. In the same function lanes share the rows.
static uint64_t frame_base(const Warp *w, const Split *caller, const Code *callee)
{
    uint64_t base = (uint64_t)caller->base + caller->code->frame_bytes;
    if (caller->mask == w->live) return base;  // all others are frames that it was called from
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *o = &w->splits.v[k];
        if (o->state == SPLIT_FREE || (o->base == base && o->code == callee) || o->base >= base + callee->frame_bytes ||
            base >= o->base + o->code->frame_bytes)
            continue;
        base = (uint64_t)o->base + o->code->frame_bytes;
        k = (size_t)-1;  // once more from the first
    }
    return base;
}

static bool frame_room(Env *env, Warp *w, uint32_t mask, uint64_t stack, uint64_t bytes, uint64_t local)
{
    if (stack / LANES + local > env->launch->local_limit || bytes > MAX_STACK) return false;
    if (bytes <= w->rows_cap) return true;
    split_save(w);
    uint32_t cap = (uint32_t)MAX(MIN(w->rows_cap * 2ull, MAX_STACK), bytes);
    if (cap > w->rows_room) {
        uint8_t *grown = exec_rows(cap);
        if (!grown) {
            exec_fault(env, w, FAULT_HOST, (uint32_t)__builtin_ctz(mask), cap, 0, false);
            return false;
        }
        memcpy(grown, w->rows, w->rows_cap);
        exec_rows_free(w->rows);
        w->rows = grown;
        w->rows_room = cap;
    }
    memset(w->rows + w->rows_cap, 0, cap - w->rows_cap);
    w->rows_cap = cap;
    split_load(w);
    return true;
}

// Does a callee have the frame that the call site's prototype says? Types may differ, the words of each parameter not.
static bool same_shape(const CallSite *site, const Code *callee)
{
    const Symbols *rets = &callee->f->rets, *params = &callee->f->params;
    bool same = params->n == site->args.n && rets->n == site->rets.n;
    for (size_t k = 0; same && k < rets->n; k++) same = param_words(rets->v[k]) == site->rets.v[k].words;
    for (size_t k = 0; same && k < params->n; k++) same = param_words(params->v[k]) == site->args.v[k].words;
    return same;
}

// --- who is called ---------------------------------------------------------------------------------------------------
// By address: lanes with the first lane's function go now, the others stay at the call. Null, with a fault: there is no
// such function.
static Code *callee_at(Env *env, Warp *w, const Dinst *d, uint32_t *mask)
{
    const Kernel *k = env->launch->kernel;
    const Module *m = k->f->module;
    const uint64_t *a = row(&w->l, d->a);
    uint64_t first = a[__builtin_ctz(*mask)], index = first - CODE_BASE;
    uint32_t same = 0;
    for (int n = 0; n < LANES; n++)
        if (*mask >> n & 1 && a[n] == first) same |= 1u << n;
    Code *callee = NULL;
    for (size_t c = 0; c < k->codes.n && index < m->symbols.n; c++)
        if (k->codes.v[c]->parsed->symbol == m->symbols.v[index]) callee = k->codes.v[c];
    if (!callee || callee->f->entry || !same_shape(d->call, callee)) {
        exec_fault(env, w, FAULT_CALL, (uint32_t)__builtin_ctz(*mask), first, 0, false);
        return NULL;
    }
    *mask = same;
    return callee;
}

// --- what is passed --------------------------------------------------------------------------------------------------
static void pass_arguments(const Warp *w, const CallSite *site, uint8_t *to, uint32_t mask)
{
    for (size_t a = 0; a < site->args.n; a++) {
        const CallArg *arg = &site->args.v[a];
        for (uint32_t word = 0; word < arg->words; word++) {
            uint32_t *dst = (uint32_t *)(to + (size_t)(arg->there + word) * ROW_BYTES);
            const uint8_t *src =
                arg->is_param ? w->l.bank[0] + (size_t)(arg->here + word) * ROW_BYTES : row(&w->l, arg->value);
            for (int n = 0; n < LANES; n++)
                if (mask >> n & 1)
                    memcpy(&dst[n], arg->is_param ? src + 4 * n : src + (size_t)n * 4 * arg->words + 4 * word, 4);
        }
    }
}

// Parameters whose address is taken lie in local memory.
static void place_parameters(Env *env, Warp *w, uint32_t local, uint32_t mask)
{
    const Code *callee = w->code;
    for (size_t p = 0; p < callee->local_params.n; p++) {
        const LocalParam *lp = &callee->local_params.v[p];
        if (!exec_local_room(env, w, local + lp->at + lp->words * 4, mask)) return;
        for (uint32_t word = 0; word < lp->words; word++)
            for (int n = 0; n < LANES; n++)
                if (mask >> n & 1)
                    memcpy(w->local + (((local + lp->at) / 4 + word) * LANES + (unsigned)n) * 4,
                           w->l.bank[0] + (size_t)(lp->row + word) * ROW_BYTES + 4 * n, 4);
    }
}

void exec_call(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Code *callee = d->call->callee;
    uint32_t now = mask;
    if (!callee && !(callee = callee_at(env, w, d, &now))) return;
    if (now != w->mask) split_part(w, mask, now);
    mask = now;
    Split s = w->splits.v[w->cur];
    s.mask = w->mask;
    uint64_t above = frame_base(w, &s, callee);
    uint32_t base = (uint32_t)above, local = stack_end(w, mask), stack = s.stack + callee->frame_bytes;
    if (!frame_room(env, w, mask, (uint64_t)s.stack + callee->frame_bytes, above + callee->frame_bytes,
                    (uint64_t)local + callee->local_bytes)) {
        exec_fault(env, w, FAULT_STACK, (uint32_t)__builtin_ctz(mask), local, 0, false);
        return;
    }
    pass_arguments(w, d->call, w->rows + base + (size_t)((callee->reg_rows + 1) & ~1u) * ROW_BYTES, mask);
    split_save(w);
    Split *node = &w->splits.v[w->cur];
    node->state = SPLIT_KIDS;
    node->pc = w->pc + 1;
    node->kids = 1;
    node->arrived = 0;
    Split leaf = {.mask = mask,
                  .pc = 0,
                  .rpc = callee->n,
                  .parent = w->cur,
                  .state = SPLIT_READY,
                  .is_call = true,
                  .base = base,
                  .local_base = local,
                  .stack = stack,
                  .code = callee};
    int at = split_new(w);
    w->splits.v[at] = leaf;
    w->cur = at;
    split_load(w);
    w->l.pred[PRED_TRUE] = FULL;
    stack_open(w, mask);
    if (env->check) check_call(env, w, mask);
    place_parameters(env, w, local, mask);
}
