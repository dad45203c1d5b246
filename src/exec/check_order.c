// check_order.c: which accesses of a launch are ordered. A thread's own are, and what a barrier, a .sync instruction,
// or a flag with fences orders is; all else isn't.
//
// Within a block each warp has a clock, which ticks where something orders it. A warp knows up to which clock each
// other warp's accesses come before its own (a vector clock). A barrier joins what its warps know. So do a fence, a
// strong write behind it, a strong read, and a fence behind that or an acquire: what the block's fences have covered,
// and strong writes have told, is known to who reads strongly and fences afterwards (PTX ISA §8.9.2). Without that
// fence it orders strong accesses alone. Lanes of a warp are ordered by the bar.warp.sync that both take part in; no
// other .sync instruction orders memory. Before sm_70 each instruction orders them.
//
// Blocks are ordered by flags: one block has fenced and then written strongly since its access, and the other one has
// read that flag since. Blocks of a cluster are ordered by its barrier, too, and by arrivals at each other's mbarriers.
// This leaves out which thread of the block did so, and the scopes: where it is in doubt, accesses count as ordered.
// In a launch with clusters shared memory is looked at as global memory is, since other blocks may see it.
#include "exec/check.h"
#include "ptx/ops.h"

#include <string.h>

enum { OLD_CLOCK = 1u << 30, MAX_FLAGS = 1u << 22 };

// --- tables ----------------------------------------------------------------------------------------------------------
static uint32_t *flag_find(const Flags *f, uint64_t key)
{
    if (!f->size) return NULL;
    uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 32) & (f->size - 1);
    for (; f->v[at].key; at = (at + 1) & (f->size - 1))
        if (f->v[at].key == key) return &f->v[at].value;
    return NULL;
}

// False: it is full.
static bool flag_put(Flags *f, uint64_t key, uint32_t value)
{
    uint32_t *there = flag_find(f, key);
    if (there) return *there = value, true;
    if (f->n >= MAX_FLAGS) return false;
    if (2 * f->n >= f->size) {
        Flags old = *f;
        f->size = old.size ? old.size * 2 : 256;
        f->n = 0;
        f->v = mem_alloc(f->size * sizeof *f->v);
        for (uint32_t k = 0; k < old.size; k++)
            if (old.v[k].key) flag_put(f, old.v[k].key, old.v[k].value);
        mem_free(old.v);
    }
    uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 32) & (f->size - 1);
    while (f->v[at].key) at = (at + 1) & (f->size - 1);
    f->v[at] = (Flag){key, value};
    f->n++;
    return true;
}

static void flags_empty(Flags *f)
{
    mem_free(f->v);
    *f = (Flags){0};
}

// --- launches and blocks ---------------------------------------------------------------------------------------------
Check *check_open(void)
{
    Check *c = mem_alloc(sizeof *c);
    c->first = c->next = 1;
    return c;
}

void check_close(Check *c)
{
    if (!c) return;
    for (size_t k = 0; k < c->pages.n; k++) mem_free(c->pages.v[k].written);
    check_free_cells(c);
    vec_free(&c->pages), vec_free(&c->segments), vec_free(&c->locals);
    flaws_free(&c->flaws);
    flags_empty(&c->flags), flags_empty(&c->released);
    mem_free(c);
}

void check_begin(Check *c, const LaunchInfo *l, const Gmem *g)
{
    c->launch = l;
    c->gmem = g;
    c->limit = NULL;
    c->fences = 0;
    c->first = c->next;
    c->segments.n = 0;
    memset(c->table, 0, sizeof c->table);
    flaws_free(&c->flaws);
    flags_empty(&c->flags), flags_empty(&c->released);
    if (l->kernel->insts >= 1u << TOUCH_INSTS) c->limit = "races: the kernel has more than 131071 instructions";
    check_begin_memory(c);
    check_locals(c, l->kernel);
}

void check_end(Check *c, Flaws *flaws, const char **limit)
{
    for (size_t k = 0; k < c->flaws.n; k++) flaws_add(flaws, &c->flaws.v[k]);
    *limit = c->limit;
}

static void cta_room(CheckCta *c, uint32_t warps)
{
    if (warps <= c->room) return;
    for (uint32_t k = 0; k < c->room; k++) mem_free(c->warp[k].local), mem_free(c->warp[k].sums);
    mem_free(c->warp), mem_free(c->clocks);
    c->room = warps;
    c->warp = mem_alloc(sizeof *c->warp * warps);
    c->clocks = mem_alloc(sizeof *c->clocks * 2 * warps * (warps + 18));
}

// The clock goes on from block to block, so that what earlier ones did in the same shared memory is ordered before.
void check_cta_start(Env *env, Cta *cta)
{
    CheckCta *c = cta->check ? cta->check : (cta->check = mem_alloc(sizeof *c));
    uint32_t warps = cta->warp_count;
    const bool clusters = env->launch->cluster[0] != 0;
    if (c->clock >= OLD_CLOCK || clusters || c->segmented) {
        for (uint32_t k = 0; k < 3 && c->shared.write; k++)
            memset((Touch *[]){c->shared.write, c->shared.read, c->shared.other}[k], 0,
                   sizeof(Touch) * c->shared_room / 4);
        c->clock = 0;
        c->segmented = clusters;
    }
    cta_room(c, warps);
    const uint32_t vector = 2 * warps;
    memset(c->clocks, 0, sizeof *c->clocks * vector * (warps + 18));
    c->warps = warps;
    c->fenced = c->clocks + (size_t)warps * vector, c->released = c->fenced + vector, c->arrived = c->released + vector;
    c->releases = c->fence = c->heard = c->acquired = 0;
    c->fresh = false;
    uint32_t safe = c->born = c->clock++;
    for (uint32_t k = 0; k < warps; k++) {
        CheckWarp *w = &c->warp[k];
        cta->warps[k].products = false;
        w->known = c->clocks + (size_t)k * vector;
        for (uint32_t u = 0; u < vector; u++) w->known[u] = safe;
        w->clock = c->clock, w->safe = safe, w->segment = w->released = 0;
        w->left = NULL;
        w->heard = false;
        w->products = w->latest = w->settled = w->sum_count = w->resized = 0;
        memset(w->copies, 0, sizeof w->copies), memset(w->stores, 0, sizeof w->stores);
        memset(w->open, 0, sizeof w->open);
        memset(w->synced, 0, sizeof w->synced);
        if (w->local_words) memset(w->local, 0, sizeof *w->local * w->local_words);
    }
    if (!check_shared_room(c, cta->shared_bytes)) env->check->limit = "shared memory: the host has no memory for it";
    async_start(c);
}

void check_cta_free(Cta *cta)
{
    CheckCta *c = cta->check;
    if (!c) return;
    for (uint32_t k = 0; k < c->room; k++) mem_free(c->warp[k].local), mem_free(c->warp[k].sums);
    mem_free(c->warp), mem_free(c->clocks), mem_free(c->shared.write), mem_free(c->shared.value), mem_free(c->written);
    async_free(c);
    mem_free(c);
    cta->check = NULL;
}

uint32_t check_new_segment(Check *c, const Cta *cta, uint32_t clock)
{
    enum { MOST = 1u << 24 };
    if (c->segments.n == MOST) {
        c->limit = "races on global memory: the launch has too many barriers";
        return 0;
    }
    const Segment s = {cta->number, clock, clock == UNDER_WAY ? UINT32_MAX : c->fences};
    vec_push(&c->segments, s);
    return c->next++;
}

uint32_t check_segment(Check *c, const Cta *cta, CheckWarp *w)
{
    if (w->segment) return w->segment;
    return w->segment = check_new_segment(c, cta, w->clock);
}

// --- order -----------------------------------------------------------------------------------------------------------
void check_tick(CheckCta *c, CheckWarp *w) { w->clock = ++c->clock, w->segment = 0; }

void check_join(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) to[k] = MAX(to[k], from[k]);
}

bool check_in_cta(const Check *c, const CheckCta *cta, uint32_t warp, uint32_t thread, uint32_t by, uint32_t clock)
{
    const CheckWarp *w = &cta->warp[warp];
    if (clock <= w->safe || thread == by) return true;
    if (by / LANES != warp) return w->known[by / LANES] >= clock;
    return !c->launch->kernel->its || (w->synced[thread % LANES] > clock && w->synced[by % LANES] > clock);
}

static bool ordered_in_cta(const Check *c, const CheckCta *cta, uint32_t warp, uint32_t thread, uint32_t by,
                           uint32_t clock, bool strong)
{
    if (check_in_cta(c, cta, warp, thread, by, clock)) return true;
    return strong && cta->warp[warp].heard && (by / LANES == warp || cta->released[by / LANES] >= clock);
}

const Segment *check_when(const Check *c, Touch t) { return &c->segments.v[touch_when(t) - c->first]; }

bool check_ordered(const Access *x, uint32_t lane, Touch before)
{
    const Check *c = x->c;
    const CheckCta *cta = x->cta;
    const uint32_t warp = x->w->in_cta, thread = x->w->tid0 + lane, by = touch_thread(before);
    const bool strong = x->strong;
    if (!x->segments) return ordered_in_cta(c, cta, warp, thread, by, touch_when(before), strong);
    const Segment *s = check_when(c, before);
    if (s->clock == UNDER_WAY) return false;
    if (s->cta == x->w->cta->number) return ordered_in_cta(c, cta, warp, thread, by, s->clock, strong);
    if ((strong ? MAX(cta->acquired, cta->heard) : cta->acquired) <= s->fences) return false;
    const uint32_t *told = flag_find(&c->released, s->cta + 1);
    return told ? *told > s->fences : c->released.n >= MAX_FLAGS;
}

static void lanes_at(CheckWarp *x, uint32_t lanes)
{
    for (uint32_t m = lanes; m; m &= m - 1) x->synced[__builtin_ctz(m)] = x->clock;
}

static void fence(Check *c, Warp *w, uint32_t lanes)
{
    CheckCta *cta = w->cta->check;
    CheckWarp *x = &cta->warp[w->in_cta];
    if (x->heard) check_join(x->known, cta->released, 2 * cta->warps);
    x->heard = false;
    cta->acquired = MAX(cta->acquired, cta->heard);
    check_join(cta->fenced, x->known, 2 * cta->warps);
    cta->fenced[w->in_cta] = x->clock;
    cta->fence = ++c->fences;
    cta->fresh = true;
    check_tick(cta, x);
    lanes_at(x, lanes);
}

// What the warp knows to be before it, its own writes with it, has been through the fence of the asynchronous proxy.
static void fence_proxy(Warp *w)
{
    CheckCta *cta = w->cta->check;
    CheckWarp *x = &cta->warp[w->in_cta];
    check_join(x->known + cta->warps, x->known, cta->warps);
    x->known[cta->warps + w->in_cta] = x->clock;
}

static bool of_async_proxy(const Dinst *d)
{
    const Mod p = (Mod)d->inst->mod[G_PROXY];
    return d->inst->op == OP_FENCE_PROXY && (p == M_P_ASYNC || p == M_ASYNC_GENERIC);
}

// A flag that other blocks can see; 0: they can't.
static uint64_t flag_of(const Warp *w, uint64_t address, bool global)
{
    if (global) return address / 4 + 1;
    const Cta *owner = w->cta->check->segmented ? cluster_block(w, &address) : NULL;
    return owner ? 1ull << 63 | owner->number << BLOCK_SHIFT | address / 4 : 0;
}

// What a strong write tells, and a strong read learns. flag 0: its own block alone.
static void tell(Check *c, const Cta *owner, uint64_t flag)
{
    CheckCta *cta = owner->check;
    if (cta->fresh) {
        check_join(cta->released, cta->fenced, 2 * cta->warps);
        cta->releases++;
        cta->fresh = false;
        if (!flag_put(&c->released, owner->number + 1, cta->fence))
            c->limit = "races between blocks: too many of them tell";
    }
    if (!flag || !cta->fence) return;
    const uint32_t *there = flag_find(&c->flags, flag);
    if (!there || *there < cta->fence) flag_put(&c->flags, flag, cta->fence);
}

void check_tell(Check *c, Warp *w, uint32_t lanes)
{
    fence(c, w, lanes);
    tell(c, w->cta, 0);
}

// acquires: else it counts once a fence has come.
static void learn(Check *c, Warp *w, uint64_t flag, bool acquires)
{
    CheckCta *cta = w->cta->check;
    CheckWarp *x = &cta->warp[w->in_cta];
    if (x->released != cta->releases && acquires) {
        check_join(x->known, cta->released, 2 * cta->warps);
        x->released = cta->releases;
    } else if (x->released != cta->releases) {
        x->heard = true;
    }
    if (!flag) return;
    const uint32_t *there = flag_find(&c->flags, flag);
    uint32_t told = there ? *there : c->flags.n >= MAX_FLAGS ? c->fences : 0;
    cta->heard = MAX(cta->heard, told);
    if (acquires) cta->acquired = MAX(cta->acquired, told);
}

void check_strong(Check *c, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t mask, bool global)
{
    const Mod order = (Mod)d->inst->mod[G_SEM];
    const bool acquires = order == M_ACQUIRE || order == M_ACQ_REL || order == M_SC;
    if (d->kind != X_LD && (order == M_RELEASE || order == M_ACQ_REL || order == M_SC)) fence(c, w, mask);
    // One lane of a warp may have fenced since its access, and another one acquire after that.
    if (d->kind != X_ST && acquires && w->cta->check->releases) lanes_at(&w->cta->check->warp[w->in_cta], mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t flag = flag_of(w, addr[__builtin_ctz(m)], global);
        if (d->kind != X_ST) learn(c, w, flag, acquires);
        if (d->kind != X_LD) tell(c, w->cta, flag);
    }
}

void check_met(Env *env, Warp *w)
{
    CheckCta *cta = w->cta->check;
    learn(env->check, w, 0, true);
    cta->acquired = MAX(cta->acquired, w->cta->cluster->told);
    if (cta->releases) lanes_at(&cta->warp[w->in_cta], FULL);
}

// Relaxed, it tells what was fenced before.
void check_cluster_arrive(Env *env, Warp *w, uint32_t lanes, bool relaxed)
{
    if (relaxed)
        tell(env->check, w->cta, 0);
    else
        check_tell(env->check, w, lanes);
    w->cta->cluster->told = MAX(w->cta->cluster->told, w->cta->check->fence);
}

// The operand that names the lanes an instruction is for has each lane that executes it (PTX ISA §9.7.9.6, §9.7.13.9).
void check_members(Env *env, Warp *w, const Dinst *d, const uint32_t *member, uint32_t lanes)
{
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        if (member[n] >> n & 1) continue;
        const Found f = found_at(FLAW_MASK, w, d->index, n);
        check_found(env->check, &f);
    }
}

void check_step(Env *env, Warp *w, const Dinst *d)
{
    if (env->fault.kind != FAULT_NONE) return;
    switch (d->kind) {
    case X_FENCE:
        if (of_async_proxy(d)) fence_proxy(w);
        fence(env->check, w, env->step.mask);
        break;
    case X_MBAR:
    case X_MBAR_TRY:
    case X_MBAR_COPIES:
        async_barrier(env, w, d);
        lanes_at(&w->cta->check->warp[w->in_cta], env->step.space == SP_SHARED ? env->step.mask : 0);
        break;
    case X_WGMMA: sums_begin(w, d); break;
    case X_NOP:
        if (d->op == OP_SETMAXNREG) check_resized(w, d);
        break;
    case X_CP_WAIT:
    case X_BULK_WAIT:
    case X_WGMMA_WAIT: async_group(env, w, d); break;
    case X_CLUSTER_BARRIER:
        if (d->op == OP_CLUSTER_WAIT && w->cta->cluster->phase != w->cluster_phase) check_met(env, w);
        break;
    case X_LD:
    case X_ST:
    case X_ATOM:
    case X_LDMATRIX:
    case X_STMATRIX:
    case X_CP_ASYNC: check_access(env, w, d); break;
    default: break;
    }
}

// A strong access of global memory, or of another block's, takes place at the window's edge.
void check_deferred(Env *env, const Deferred *x)
{
    if (env->log && x->d->flags & D_STRONG && x->warp->cta->check)
        check_strong(env->check, x->warp, x->d, x->addr, x->mask, !x->cluster);
}

void check_sync(Env *env, Warp *w, uint32_t members)
{
    (void)env;
    CheckCta *c = w->cta->check;
    CheckWarp *x = &c->warp[w->in_cta];
    check_tick(c, x);
    lanes_at(x, members);
}

// --- barriers --------------------------------------------------------------------------------------------------------
// Where lanes of the warp are that haven't come to the barrier of the current split; 0: there are none.
static uint32_t elsewhere(const Warp *w, uint32_t mask, const Code **code, uint32_t *pc)
{
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *s = &w->splits.v[k];
        uint32_t lanes = s->state == SPLIT_KIDS ? s->arrived : s->state == SPLIT_FREE ? 0 : s->mask;
        if ((int)k == w->cur || !(lanes & ~mask)) continue;
        *code = s->code, *pc = s->pc;
        return lanes & ~mask;
    }
    return 0;
}

static void missed(Env *env, const Warp *w, const Split *s, uint32_t lane, const Code *code, uint32_t pc,
                   uint32_t other, bool exited)
{
    Found f = {.kind = FLAW_BARRIER,
               .exited = exited,
               .code = {s->code, code},
               .pc = {s->pc, pc},
               .thread = {w->tid0 + lane, other},
               .block = {w->cta->number, w->cta->number}};
    check_found(env->check, &f);
}

void check_arrive(Env *env, Warp *w, uint32_t id)
{
    CheckCta *c = w->cta->check;
    CheckWarp *x = &c->warp[w->in_cta];
    uint32_t *arrived = c->arrived + (size_t)id * 2 * c->warps;
    const Code *code = NULL;
    uint32_t pc = 0, lanes;
    if (!w->cta->barrier[id].used) memset(arrived, 0, sizeof *arrived * 2 * c->warps);
    check_join(arrived, x->known, 2 * c->warps);
    arrived[w->in_cta] = x->clock;
    check_tick(c, x);
    // Before sm_70 the warp counts as a whole, and the lanes that aren't here pass the barrier by.
    if (w->code->kernel->its || !(w->live & ~w->mask) || !(lanes = elsewhere(w, w->mask, &code, &pc))) return;
    Split here = {.code = w->code, .pc = w->pc};
    missed(env, w, &here, (uint32_t)__builtin_ctz(w->mask), code, pc, w->tid0 + (uint32_t)__builtin_ctz(lanes), false);
}

// Lanes of a warp that wait at different instructions, and threads that have exited.
static void check_places(Env *env, const Warp *w, uint32_t id, const Split **first, const Warp **whose)
{
    const Split *mine = NULL;
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *s = &w->splits.v[k];
        if (s->state != SPLIT_BARRIER || s->wait != id) continue;
        if (!*first) *first = s, *whose = w;
        const Inst *i = s->code->insts[s->pc].inst;
        bool aligned = i->op == OP_BAR || inst_has(i, G_ALIGNED);
        if (mine && aligned && (mine->code != s->code || mine->pc != s->pc))
            missed(env, w, mine, (uint32_t)__builtin_ctz(mine->mask), s->code, s->pc,
                   w->tid0 + (uint32_t)__builtin_ctz(s->mask), false);
        if (!mine) mine = s;
    }
}

// The lanes that wait there.
static uint32_t waiting(const Warp *w, uint32_t id)
{
    uint32_t lanes = 0;
    for (size_t s = 0; s < w->splits.n; s++)
        if (w->splits.v[s].state == SPLIT_BARRIER && w->splits.v[s].wait == id) lanes |= w->splits.v[s].mask;
    return lanes;
}

// Where all that live have waited, all that was done before comes before all that follows.
void check_release(Env *env, Cta *cta, uint32_t id)
{
    CheckCta *c = cta->check;
    const Barrier *b = &cta->barrier[id];
    const uint32_t *arrived = c->arrived + (size_t)id * 2 * c->warps;
    const Split *first = NULL;
    const Warp *whose = NULL;
    bool all = true;
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        const Warp *w = &cta->warps[k];
        check_places(env, w, id, &first, &whose);
        const uint32_t lanes = waiting(w, id);
        if (w->live && !lanes) all = false;
        if (!lanes) continue;
        check_join(c->warp[k].known, arrived, 2 * c->warps);
        lanes_at(&c->warp[k], lanes);
    }
    uint32_t safe = c->clock++;
    for (uint32_t k = 0; k < cta->warp_count && all; k++) {
        CheckWarp *x = &c->warp[k];
        for (uint32_t u = 0; u < c->warps; u++) x->known[u] = safe;
        x->safe = safe, x->clock = c->clock, x->segment = 0;
    }
    if (b->expected || !first) return;
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        const CheckWarp *x = &c->warp[k];
        if (x->left)
            missed(env, whose, first, (uint32_t)__builtin_ctz(first->mask), x->left, x->left_pc,
                   cta->warps[k].tid0 + x->left_lane, true);
    }
}

void check_exit(Env *env, Warp *w, uint32_t lanes)
{
    CheckWarp *x = &w->cta->check->warp[w->in_cta];
    x->left = w->code, x->left_pc = w->pc, x->left_lane = (uint32_t)__builtin_ctz(lanes);
    if (env->launch->cluster[0]) check_cluster_arrive(env, w, lanes, false);
    check_warpgroup(env, w, lanes);
}

void check_call(Env *env, Warp *w, uint32_t mask)
{
    (void)env;
    uint32_t base = w->splits.v[w->cur].local_base;
    check_frame(w, base, w->code->local_bytes, mask, false);
    for (size_t k = 0; k < w->code->local_params.n; k++) {
        const LocalParam *p = &w->code->local_params.v[k];
        check_frame(w, base + p->at, p->words * 4, mask, true);
    }
}
