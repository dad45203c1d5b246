// mbarrier.c: barriers that are objects in shared memory (PTX ISA §9.7.13.15). A phase is over when as many arrivals
// have come as were expected, and all bytes that were announced. The ISA leaves open how the 64 bits of such an object
// look. Here they hold the arrivals still to come, those of a phase, the bytes still to come, whether it is an object
// at all, and the phase's parity. What arrive gives back is the object as it was before.
//
// A try_wait whose phase isn't over suspends its split. The split comes back to the instruction when the phase is over,
// or after a time; then the result is false.
#include "exec/check.h"
#include "ptx/ops.h"

enum { COUNT_BITS = 20, TX_BITS = 22 };  // of an object's fields
#define COUNT_MASK ((1u << COUNT_BITS) - 1)
#define MOST_TX ((1 << COUNT_BITS) - 1)  // bytes, either way (§9.7.13.15.5)
#define VALID_BIT (1ull << 62)
#define PARITY_BIT (1ull << 63)

static uint64_t object(uint32_t pending, uint32_t expected, int32_t tx, uint64_t parity)
{
    return pending | (uint64_t)expected << COUNT_BITS |
           ((uint64_t)(uint32_t)tx & ((1u << TX_BITS) - 1)) << 2 * COUNT_BITS | VALID_BIT | parity;
}

static uint32_t pending_of(uint64_t v) { return (uint32_t)v & COUNT_MASK; }
static uint32_t expected_of(uint64_t v) { return (uint32_t)(v >> COUNT_BITS) & COUNT_MASK; }
static int32_t tx_of(uint64_t v)
{
    return (int32_t)((uint32_t)(v >> 2 * COUNT_BITS) << (32 - TX_BITS)) >> (32 - TX_BITS);
}

static uint64_t load(const Cta *cta, uint32_t at) { return lane_fetch(cta->shared + at, 8); }
static void store(Cta *cta, uint32_t at, uint64_t v) { memcpy(cta->shared + at, &v, 8); }

void mbar_lacks(const Cta *cta, uint32_t at, uint32_t *arrivals, int32_t *bytes)
{
    const uint64_t v = load(cta, at);
    *arrivals = pending_of(v), *bytes = tx_of(v);
}

// A phase is over: who waits for it comes back.
static void release(Cta *cta, uint32_t at)
{
    for (uint32_t k = 0; k < cta->warp_count && cta->tries; k++) {
        Warp *w = &cta->warps[k];
        bool woken = false;
        for (size_t s = 0; s < w->splits.n; s++) {
            Split *p = &w->splits.v[s];
            if (p->state != SPLIT_MBAR || p->wait != at) continue;
            p->state = SPLIT_READY;
            cta->tries--;
            woken = true;
        }
        if (!woken) continue;
        if (w->cur < 0) split_pick(w, true);
        if (w->cur >= 0 && cta->env->wake) cta->env->wake(cta->env, w);
    }
}

bool mbar_change(Cta *cta, uint32_t at, uint32_t change, uint32_t count, uint64_t *before)
{
    uint64_t v = load(cta, at);
    uint32_t pending = pending_of(v), expected = expected_of(v);
    int64_t tx = tx_of(v);
    if (before) *before = v;
    if (!(v & VALID_BIT)) return false;
    if (change & MBAR_EXPECTS) tx += count;
    if (change & MBAR_COMPLETES) tx -= count;
    const uint32_t come = !(change & MBAR_ARRIVES) ? 0 : change & MBAR_EXPECTS ? 1 : count;
    const bool drops = change & MBAR_DROPS;
    if (tx > MOST_TX || tx < -MOST_TX || come > pending || (drops && come > expected)) return false;
    pending -= come;
    if (drops) expected -= come;
    cta->env->changed = cta->env->clock;
    if (pending || tx) {
        store(cta, at, object(pending, expected, (int32_t)tx, v & PARITY_BIT));
        return true;
    }
    store(cta, at, object(expected, expected, 0, ~v & PARITY_BIT));
    if (cta->env->check) check_phase(cta, at);
    release(cta, at);
    return true;
}

void exec_arrive(Env *env, const Arrival *a)
{
    (void)env;
    if (a->cta->running && a->cta->number == a->number)
        mbar_change(a->cta, a->barrier, MBAR_ARRIVES, a->count, NULL);  // it was one at the issue
}

// --- instructions ----------------------------------------------------------------------------------------------------
typedef struct Lane {
    Cta *cta;
    uint32_t at;
} Lane;

// Only these may have another block's object, which changes at the window's edge.
static bool may_be_remote(Op op)
{
    return op == OP_MBAR_EXPECT || op == OP_MBAR_COMPLETE || (op >= OP_MBAR_ARRIVE && op <= OP_MBAR_DROP_EXPECT);
}

// Where the lanes' objects are. False, with a fault: one is nowhere.
static bool find(Env *env, Warp *w, const Dinst *d, uint32_t mask, Lane to[LANES])
{
    Step *s = &env->step;
    w->code->kernel->address(&w->l, d, d->imm, s->addr);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t a = s->addr[n];
        Cta *cta = cluster_block(w, &a);
        if (cta != w->cta && !may_be_remote((Op)d->op)) {
            exec_fault(env, w, FAULT_SHARED, n, s->addr[n], 8, true);
            return false;
        }
        if (!cta || a + 8 > cta->shared_bytes || a % 8) {
            exec_fault(env, w, cta && a % 8 ? FAULT_MISALIGNED_SHARED : FAULT_SHARED, n, a, 8, true);
            return false;
        }
        to[n] = (Lane){cta, (uint32_t)a};
        s->addr[n] = a;
    }
    s->bytes = 8;
    s->space = SP_SHARED;
    for (uint32_t m = mask; m; m &= m - 1)  // another block's isn't this SM's to serve
        if (to[__builtin_ctz(m)].cta != w->cta) s->space = SP_NONE;
    return true;
}

static void give(const Warp *w, const Dinst *d, uint32_t n, uint64_t v)
{
    if (d->wants_old) ((uint64_t *)row(&w->l, d->dst))[n] = v;
}

static void give_predicate(const Warp *w, const Dinst *d, uint32_t mask, uint32_t done)
{
    w->l.pred[d->pdst] = (w->l.pred[d->pdst] & ~mask) | (done & mask);
}

// Is the phase over that a lane asks for: that of a state, or the latest one of a parity?
static bool over(const Env *env, const Warp *w, const Dinst *d, uint32_t n, Lane at)
{
    const uint64_t v = load(at.cta, at.at);
    (void)env;
    if (d->op == OP_MBAR_TEST_PARITY || d->op == OP_MBAR_TRY_PARITY)
        return (v >> 63) != (((const uint32_t *)row(&w->l, d->b))[n] & 1);
    return (v ^ ((const uint64_t *)row(&w->l, d->b))[n]) & PARITY_BIT;
}

static uint32_t change_of(Op op)
{
    switch (op) {
    case OP_MBAR_EXPECT: return MBAR_EXPECTS;
    case OP_MBAR_COMPLETE: return MBAR_COMPLETES;
    case OP_MBAR_ARRIVE_EXPECT: return MBAR_ARRIVES | MBAR_EXPECTS;
    case OP_MBAR_DROP_EXPECT: return MBAR_ARRIVES | MBAR_DROPS | MBAR_EXPECTS;
    case OP_MBAR_DROP:
    case OP_MBAR_DROP_SOME: return MBAR_ARRIVES | MBAR_DROPS;
    default: return MBAR_ARRIVES;
    }
}

// One lane's. False: a fault.
static bool change(Env *env, Warp *w, const Dinst *d, uint32_t n, Lane to)
{
    const uint32_t count = ((const uint32_t *)row(&w->l, d->b))[n];
    uint64_t old = 0;
    if (d->op == OP_MBAR_INIT) {
        if (!count || count > COUNT_MASK) return exec_fault(env, w, FAULT_MBAR_COUNT, n, count, 0, true), false;
        store(to.cta, to.at, object(count, count, 0, 0));
        env->changed = env->clock;
        return true;
    }
    if (d->op == OP_MBAR_INVAL) return store(to.cta, to.at, 0), true;
    if (to.cta != w->cta) {
        if (env->check) check_sent(env, w, d, n, to.cta, to.at);
        late_do(env, &(Late){.kind = LATE_BARRIER,
                             .cta = to.cta,
                             .number = to.cta->number,
                             .doer = exec_doer(env, w, n),
                             .at = to.at,
                             .count = count,
                             .change = (uint8_t)change_of((Op)d->op)});
        return true;
    }
    if (env->check) check_arrived(w, to.at);
    if (!mbar_change(to.cta, to.at, change_of((Op)d->op), count, &old)) {
        if (env->check) check_too_many(w, d, n, to.at);
        exec_fault(env, w, old & VALID_BIT ? FAULT_MBAR_COUNT : FAULT_MBAR, n, old & VALID_BIT ? count : to.at, 8,
                   true);
        return false;
    }
    give(w, d, n, old);
    return true;
}

void exec_mbar(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Lane to[LANES];
    if (d->op == OP_MBAR_PENDING) {
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t n = (uint32_t)__builtin_ctz(m);
            ((uint32_t *)row(&w->l, d->dst))[n] = pending_of(((const uint64_t *)row(&w->l, d->a))[n]);
        }
        return;
    }
    if (!find(env, w, d, mask, to)) return;
    w->splits.v[w->cur].synced = true;
    if (d->op == OP_MBAR_TEST || d->op == OP_MBAR_TEST_PARITY) {
        uint32_t done = 0;
        if (env->watch) watch_poll(env, w);
        for (uint32_t m = mask; m; m &= m - 1)
            if (over(env, w, d, (uint32_t)__builtin_ctz(m), to[__builtin_ctz(m)])) done |= m & -m;
        give_predicate(w, d, mask, done);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1)
        if (!change(env, w, d, (uint32_t)__builtin_ctz(m), to[__builtin_ctz(m)])) return;
}

static uint64_t patience(const Env *env, const Warp *w, const Dinst *d, uint32_t n)
{
    const uint32_t ns = ((const uint32_t *)row(&w->l, d->c))[n];
    return 1 + (uint64_t)((double)ns / (env->ns_per_clock > 0 ? env->ns_per_clock : 1));
}

void exec_mbar_try(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Lane to[LANES];
    uint32_t done = 0;
    if (!find(env, w, d, mask, to)) return;
    for (uint32_t m = mask; m; m &= m - 1)
        if (over(env, w, d, (uint32_t)__builtin_ctz(m), to[__builtin_ctz(m)])) done |= m & -m;
    Split *s = &w->splits.v[w->cur];
    s->synced = true;
    if (done == mask || (s->tries && s->until <= env->clock)) {
        s->tries = false;
        give_predicate(w, d, mask, done);
        w->pc++;
        return;
    }
    const uint32_t n = (uint32_t)__builtin_ctz(mask & ~done);
    if (env->watch) watch_poll(env, w);
    split_save(w);
    if (!s->tries) s->until = env->clock + patience(env, w, d, n), s->since = env->clock;
    s->tries = true;
    s->state = SPLIT_MBAR;
    s->wait = to[n].at;
    w->cta->tries++;
    w->cur = -1;
    env->step.space = SP_NONE;
    if (!split_pick(w, w->code->kernel->its)) env->step.result = STEP_WAIT;
}

// Each lane's arrival comes when the copies are over that it has begun (§9.7.13.15.15). Without .noinc the barrier
// expects one more for it.
void exec_mbar_copies(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Lane to[LANES];
    if (!find(env, w, d, mask, to)) return;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        const uint64_t v = load(to[n].cta, to[n].at);
        const uint32_t pending = pending_of(v) + (d->mod != M_NOINC);
        if (!(v & VALID_BIT) || pending > COUNT_MASK) {
            exec_fault(env, w, v & VALID_BIT ? FAULT_MBAR_COUNT : FAULT_MBAR, n, v & VALID_BIT ? pending : to[n].at, 8,
                       true);
            return;
        }
        if (env->check) check_tied(w, to[n].at, 1u << n);
        store(to[n].cta, to[n].at, object(pending, expected_of(v), tx_of(v), v & PARITY_BIT));
        const Arrival a = {to[n].cta, to[n].cta->number, to[n].at, 1};
        Arrival *last = env->arrivals.n ? &env->arrivals.v[env->arrivals.n - 1] : NULL;
        if (last && last->barrier == a.barrier)
            last->count++;
        else
            vec_push(&env->arrivals, a);
    }
    if (env->log) return;  // the SM takes them
    for (size_t k = 0; k < env->arrivals.n; k++) exec_arrive(env, &env->arrivals.v[k]);
    env->arrivals.n = 0;
}
