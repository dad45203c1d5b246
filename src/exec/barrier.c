// barrier.c: bar and barrier (PTX ISA §9.7.13.1). From sm_70 on threads arrive one by one: lanes whose registers name
// different barriers or counts arrive apart. Before that a warp arrives as a whole, whatever lanes are active, and its
// first lane says where. Without a count a barrier waits for all threads of the CTA that haven't exited. A split that
// waits is SPLIT_BARRIER with the barrier's number in wait, and its pc still at the instruction.
#include "exec/unit.h"

static uint32_t value(const Warp *w, Loc32 at, uint32_t lane) { return ((const uint32_t *)row(&w->l, at))[lane]; }

uint32_t barrier_lanes(const Warp *w, const Dinst *d, uint32_t mask)
{
    if (!w->code->kernel->its) return mask;
    uint32_t first = (uint32_t)__builtin_ctz(mask), same = 0;
    for (uint32_t n = 0; n < LANES; n++)
        if (value(w, d->a, n) == value(w, d->a, first) && value(w, d->b, n) == value(w, d->b, first)) same |= 1u << n;
    return same & mask;
}

static void put_result(const Split *s, Warp *w, const Dinst *d, const Barrier *b)
{
    if (d->mod != M_B_RED) return;
    uint8_t *frame = w->rows + s->base;
    uint32_t *pred = (uint32_t *)(frame + s->code->rows * ROW_BYTES), *dst = (uint32_t *)(frame + d->dst);
    if (d->type == TY_PRED) {
        pred[d->pdst] = (pred[d->pdst] & ~s->mask) | (b->reduce ? s->mask : 0);
        return;
    }
    for (int n = 0; n < LANES; n++)
        if (s->mask >> n & 1) dst[n] = b->reduce;
}

static void release(Env *env, Cta *cta, uint32_t id)
{
    Barrier *b = &cta->barrier[id];
    if (env->check) check_release(env, cta, id);
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        Warp *w = &cta->warps[k];
        bool woken = false;
        for (size_t s = 0; s < w->splits.n; s++) {
            Split *p = &w->splits.v[s];
            if (p->state != SPLIT_BARRIER || p->wait != id) continue;
            put_result(p, w, &p->code->insts[p->pc], b);
            p->state = SPLIT_READY;
            p->pc++;
            woken = true;
        }
        if (!woken) continue;
        if (w->cur < 0) split_pick(w, cta->warps[0].splits.v ? env->launch->kernel->its : false);
        if (w->cur >= 0 && env->wake) env->wake(env, w);
    }
    *b = (Barrier){0};
}

bool barrier_arrive(Env *env, Warp *w, const Dinst *d)
{
    Cta *cta = w->cta;
    bool its = env->launch->kernel->its;
    uint32_t mask = w->mask, lane = (uint32_t)__builtin_ctz(mask), id = value(w, d->a, lane),
             count = value(w, d->b, lane);
    if (id > 15 || count % 32 || (d->mod == M_B_ARRIVE && !count)) {
        exec_fault(env, w, FAULT_BARRIER, lane, id, count, false);
        return false;
    }
    Barrier *b = &cta->barrier[id];
    uint32_t come = its ? (uint32_t)__builtin_popcount(mask) : count ? LANES : (uint32_t)__builtin_popcount(w->live);
    if (d->mod == M_B_RED) {
        uint32_t p = get_pred_lanes(&w->l, d) & mask;
        if (!b->used && d->reduction == M_A_AND) b->reduce = 1;
        if (d->reduction == M_A_AND)
            b->reduce &= p == mask;
        else if (d->reduction == M_A_OR)
            b->reduce |= p != 0;
        else
            b->reduce += (uint32_t)__builtin_popcount(p);
    }
    if (env->check) check_arrive(env, w, id);
    b->used = true;
    b->arrived += come;
    b->expected = count;
    if (d->mod != M_B_ARRIVE) {
        split_save(w);
        Split *s = &w->splits.v[w->cur];
        s->state = SPLIT_BARRIER;
        s->wait = id;
        s->since = env->clock;
        w->cur = -1;
    }
    if (b->arrived >= (count ? count : cta->live_threads)) release(env, cta, id);
    if (d->mod == M_B_ARRIVE) return false;
    if (w->cur < 0) split_pick(w, its);
    return true;
}

void barrier_check(Env *env, Cta *cta)
{
    for (uint32_t id = 0; id < 16; id++) {
        Barrier *b = &cta->barrier[id];
        if (b->used && !b->expected && b->arrived >= cta->live_threads) release(env, cta, id);
    }
}
