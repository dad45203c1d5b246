// cluster.c: blocks that run side by side: whose shared memory an address means, and their barrier (PTX ISA §9.7.13.3).
// An address of the window .shared::cluster is an offset, with the block's rank plus 1 above BLOCK_SHIFT bits, or with
// 0 there: then it is the own block's, as every address of .shared::cta is. Invariant: what another SM can see of a
// block changes at a window's edge alone.
#include "exec/check.h"
#include "ptx/ops.h"

Cta *cluster_block(const Warp *w, uint64_t *at)
{
    if (*at >= SHARED_WINDOW && *at < LOCAL_WINDOW) *at -= SHARED_WINDOW;
    const uint64_t rank = *at >> BLOCK_SHIFT;
    const Cluster *c = w->cta->cluster;
    if (!rank) return w->cta;
    if (rank > c->n) return NULL;
    *at &= (1u << BLOCK_SHIFT) - 1;
    return c->cta[rank - 1];
}

// Addresses of the own block become plain offsets.
uint32_t cluster_away(const Warp *w, uint64_t addr[LANES], uint32_t mask)
{
    uint32_t away = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t a = addr[n];
        if (!(a >> BLOCK_SHIFT)) continue;
        if (cluster_block(w, &a) == w->cta)
            addr[n] = a;
        else
            away |= m & -m;
    }
    return away;
}

void exec_cluster_map(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env;
    const bool wide = d->type == TY_U64;
    const uint32_t offset = (1u << BLOCK_SHIFT) - 1, *rank = row(&w->l, d->b);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        const uint64_t a = wide ? ((const uint64_t *)row(&w->l, d->a))[n] : ((const uint32_t *)row(&w->l, d->a))[n];
        uint32_t *to = (uint32_t *)row(&w->l, d->dst);
        const uint32_t in = (uint32_t)(a >> BLOCK_SHIFT) & 0xff;
        if (d->op == OP_GETCTARANK)
            to[n] = in ? in - 1 : w->cta->rank;
        else if (wide)
            ((uint64_t *)to)[n] = (a & ~(uint64_t)UINT32_MAX) | (rank[n] + 1u) << BLOCK_SHIFT | (a & offset);
        else
            to[n] = (rank[n] + 1u) << BLOCK_SHIFT | (a & offset);
    }
}

void cluster_leave(Cta *cta)
{
    Cluster *c = cta->cluster;
    if (!c || c == &cta->alone) return;
    c->cta[cta->rank] = NULL;
    cta->cluster = NULL;
    if (!--c->members) mem_free(c);
}

Cluster *exec_cluster(uint32_t blocks)
{
    Cluster *c = mem_alloc(sizeof *c);
    c->n = c->members = blocks;
    return c;
}

uint64_t exec_cluster_member(const LaunchInfo *l, uint64_t cluster, uint32_t rank)
{
    const uint32_t *size = l->cluster;
    uint64_t at[3];
    for (int k = 0; k < 3; k++) {
        const uint32_t clusters = l->grid[k] / size[k];
        at[k] = cluster % clusters * size[k] + rank % size[k];
        cluster /= clusters, rank /= size[k];
    }
    return at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]);
}

// Threads that wait at the barrier go on.
static void release(Cluster *c)
{
    c->phase++;
    c->arrived = 0;
    for (uint32_t b = 0; b < c->n; b++) {
        Cta *cta = c->cta[b];
        for (uint32_t k = 0; cta && cta->running && k < cta->warp_count; k++) {
            Warp *w = &cta->warps[k];
            bool woken = false;
            for (size_t s = 0; s < w->splits.n; s++) {
                Split *p = &w->splits.v[s];
                if (p->state != SPLIT_CLUSTER) continue;
                p->state = SPLIT_READY;
                p->pc++;
                woken = true;
            }
            if (!woken) continue;
            if (cta->env->check) check_met(cta->env, w);
            if (w->cur < 0) split_pick(w, true);
            if (w->cur >= 0 && cta->env->wake) cta->env->wake(cta->env, w);
        }
    }
}

void cluster_arrive(Cta *cta, uint32_t threads, bool leaves)
{
    Cluster *c = cta->cluster;
    if (leaves)
        c->live -= threads;
    else
        c->arrived += threads;
    cta->env->changed = cta->env->clock;
    if (c->arrived && c->arrived >= c->live) release(c);
}

void cluster_exit(Env *env, Cta *cta, uint32_t threads)
{
    if (!env->launch->cluster[0]) {  // nobody else sees it
        cluster_arrive(cta, threads, true);
        return;
    }
    late_do(env, &(Late){.kind = LATE_EXIT, .cta = cta, .number = cta->number, .count = threads});
}

void exec_cluster_barrier(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const Cluster *c = w->cta->cluster;
    env->step.mask = mask;
    if (d->op == OP_CLUSTER_ARRIVE) {
        w->cluster_phase = c->phase;
        if (env->check) check_cluster_arrive(env, w, mask, d->inst->mod[G_SEM] == M_RELAXED);
        late_do(env, &(Late){.kind = LATE_ARRIVE,
                             .cta = w->cta,
                             .number = w->cta->number,
                             .doer = exec_doer(env, w, (uint32_t)__builtin_ctz(mask)),
                             .count = (uint32_t)__builtin_popcount(mask)});
        w->pc++;
        return;
    }
    if (c->phase != w->cluster_phase) {
        w->pc++;
        return;
    }
    split_save(w);
    Split *s = &w->splits.v[w->cur];
    s->state = SPLIT_CLUSTER;
    s->since = env->clock;
    w->cur = -1;
    if (!split_pick(w, w->code->kernel->its)) env->step.result = STEP_WAIT;
}
