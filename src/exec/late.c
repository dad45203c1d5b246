// late.c: what is done at the window's edge, on the memory as it is then: what a block does to the shared memory of
// another one of its cluster, which may be on another SM, and the parts of copies that can't be carried out before
// (doc/extend/design.md, "A window"). The order is (cycle, SM, sequence), behind that of the deferred operations.
#include "exec/check.h"

#include <stdlib.h>

bool global_inside(const Gmem *g, uint64_t address, uint64_t bytes)
{
    const Allocation *a = gmem_find(g, address);
    return a && !a->freed && bytes <= a->end - address;
}

static void fault(Env *env, const Late *x, FaultKind kind, uint64_t address)
{
    exec_fault_late(env, &x->doer, kind, x->cycle, address, x->count);
}

// Elements are combined one by one, as atomics of the type.
static void combine(const Late *x, uint8_t *to, bool global)
{
    Dinst d = {.type = x->type, .mod = x->d->mod};
    const uint32_t bytes = (uint32_t)type_bytes((Type)x->type);
    for (uint32_t at = 0; at + bytes <= x->count; at += bytes) {
        const uint64_t now = exec_atom(&d, lane_fetch(to + at, bytes), lane_fetch(x->data + at, bytes), 0, global);
        memcpy(to + at, &now, bytes);
    }
}

static void apply(Env *env, const Late *x)
{
    // A block that is over keeps its place until the edge, where its last threads still count as gone.
    const bool ends = x->kind == LATE_EXIT || x->kind == LATE_ARRIVE,
               there = !x->cta || (x->cta->number == x->number && (x->cta->running || ends));
    if (!there) {
        fault(env, x, FAULT_CLUSTER, x->at);
        return;
    }
    env->changed = MAX(env->changed, x->cycle);
    if (env->check && (x->kind == LATE_WRITE || x->kind == LATE_REDUCE)) async_given(env, x);
    switch (x->kind) {
    case LATE_BARRIER: {
        uint64_t before = 0;
        if (!mbar_change(x->cta, x->at, x->change, x->count, &before)) fault(env, x, FAULT_MBAR, x->at);
        break;
    }
    case LATE_WRITE: bulk_put(x->cta->shared, x->at, x->data, x->count, x->change); break;
    case LATE_REDUCE: combine(x, x->cta->shared + x->at, false); break;
    case LATE_ADD: combine(x, gmem_host(env->gmem, x->address), true); break;
    case LATE_ARRIVE: cluster_arrive(x->cta, x->count, false); break;
    case LATE_EXIT: cluster_arrive(x->cta, x->count, true); break;
    }
}

void late_do(Env *env, const Late *x)
{
    Late late = *x;
    late.cycle = env->clock;
    if (env->log) {
        vec_push(&env->late, late);
        return;
    }
    apply(env, &late);
    mem_free(late.data);
}

typedef struct Order {
    const Late *x;
    uint32_t sm;
} Order;

static int by_cycle(const void *a, const void *b)
{
    const Order *x = a, *y = b;
    if (x->x->cycle != y->x->cycle) return x->x->cycle < y->x->cycle ? -1 : 1;
    if (x->sm != y->sm) return x->sm < y->sm ? -1 : 1;
    return x->x < y->x ? -1 : x->x > y->x;
}

void late_apply(Env **envs, uint32_t n)
{
    size_t all = 0, m = 0;
    for (uint32_t k = 0; k < n; k++) all += envs[k]->late.n;
    if (!all) return;
    Order *order = mem_alloc(all * sizeof *order);
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; i < envs[k]->late.n; i++) order[m++] = (Order){&envs[k]->late.v[i], k};
    qsort(order, m, sizeof *order, by_cycle);
    for (size_t i = 0; i < m; i++) apply(envs[order[i].sm], order[i].x);
    for (size_t i = 0; i < m; i++) mem_free(order[i].x->data);
    for (uint32_t k = 0; k < n; k++) envs[k]->late.n = 0;
    mem_free(order);
}
