// stack.c: local memory that a thread takes while it runs (alloca, PTX ISA §9.7.18). Behind its function's own .local
// variables each lane has a stack. How many bytes of it the lane has taken lies in a row of the frame, as a register
// does: so lanes that part keep their own, and what a function took is free again when it returns. The callees' frames
// begin behind the stack of all lanes that call. Invariant: no stack reaches beyond the thread's local memory.
#include "exec/unit.h"

static uint32_t *taken(const Warp *w) { return row(&w->l, w->code->stack * ROW_BYTES); }

// Where the stacks of the current frame begin, in the thread's local memory, and where they must end.
static uint64_t stack_begin(const Warp *w) { return (uint64_t)w->splits.v[w->cur].local_base + w->code->local_bytes; }

static uint64_t stack_limit(const Env *env, const Warp *w)
{
    uint64_t rows = w->splits.v[w->cur].stack / LANES, limit = env->launch->local_limit;
    return limit > rows ? limit - rows : 0;
}

uint32_t stack_end(const Warp *w, uint32_t mask)
{
    uint32_t most = 0;
    if (w->code->stack != NO_REG)
        for (uint32_t m = mask; m; m &= m - 1) most = MAX(most, taken(w)[__builtin_ctz(m)]);
    return (uint32_t)stack_begin(w) + ((most + 15) & ~15u);
}

void stack_open(const Warp *w, uint32_t mask)
{
    if (w->code->stack != NO_REG)
        for (uint32_t m = mask; m; m &= m - 1) taken(w)[__builtin_ctz(m)] = 0;
}

static uint64_t stack_get(const Lanes *l, const Dinst *d, Loc32 from, uint32_t n)
{
    if (type_info[d->type].bits == 64) return ((const uint64_t *)row(l, from))[n];
    return ((const uint32_t *)row(l, from))[n];
}

void exec_alloca(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    uint64_t begin = stack_begin(w), limit = stack_limit(env, w);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t size = stack_get(&w->l, d, d->a, n), at = (begin + taken(w)[n] + d->imm - 1) / d->imm * d->imm;
        if (at > limit || size > limit - at) {
            exec_fault(env, w, FAULT_ALLOCA, n, size, 0, false);
            return;
        }
        taken(w)[n] = (uint32_t)(at + size - begin);
        lane_put(&w->l, d, d->dst, (int)n, at);
    }
}

void exec_stack_save(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env;
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        lane_put(&w->l, d, d->dst, n, stack_begin(w) + taken(w)[n]);
    }
}

void exec_stack_restore(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    uint64_t begin = stack_begin(w), limit = stack_limit(env, w);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t at = stack_get(&w->l, d, d->a, n);
        if (at < begin || at > limit) {
            exec_fault(env, w, FAULT_RESTORE, n, at, 0, false);
            return;
        }
        taken(w)[n] = (uint32_t)(at - begin);
    }
}
