// deferred.c: operations that wait for the window's edge, where they are executed on memory as it is then: atomics,
// strong accesses, and accesses that overlap those of this window. Besides: what a lane's access does to its bytes.
#include "exec/check.h"

#include <string.h>

void lane_store(const Lanes *l, const Dinst *d, int n, uint8_t *out)
{
    for (int e = 0; e < d->vec; e++) {
        uint64_t v = lane_get(l, d, d->vector[e], n);
        memcpy(out + e * d->bytes, &v, d->bytes);
    }
}

// Puts now where old is, in one step. If something else is there by now, old gets that.
static bool replaced(uint8_t *p, int bytes, uint64_t *old, uint64_t now)
{
#define REPLACED(type)                                                                               \
    do {                                                                                             \
        type was = (type)*old;                                                                       \
        if (__atomic_compare_exchange_n((type *)(void *)p, &was, (type)now, false, __ATOMIC_SEQ_CST, \
                                        __ATOMIC_SEQ_CST))                                           \
            return true;                                                                             \
        *old = was;                                                                                  \
        return false;                                                                                \
    } while (0)
    if (bytes == 8) REPLACED(uint64_t);
    if (bytes == 4) REPLACED(uint32_t);
    REPLACED(uint16_t);
#undef REPLACED
}

// Whether it changed memory. A CUDA program is another process, which may change global memory at the same time: that
// is what the scope .sys is for.
bool lane_atom(const Lanes *l, const Dinst *d, uint8_t *p, int n, uint64_t x, uint64_t y, bool global)
{
    uint64_t keep = d->bytes == 8 ? ~0ull : (1ull << 8 * d->bytes) - 1, old = lane_fetch(p, d->bytes), now;
    bool contested = global && d->inst->mod[G_SCOPE] == M_SYS;
    do now = exec_atom(d, old, x & keep, y & keep, global);
    while (contested && !replaced(p, d->bytes, &old, now));
    if (!contested) memcpy(p, &now, d->bytes);
    if (d->wants_old && d->flags & D_LONG)
        ((uint64_t *)row(l, d->dst))[n] = old;
    else if (d->wants_old)
        ((uint32_t *)row(l, d->dst))[n] = (uint32_t)old;
    return (old ^ now) & keep;
}

void lane_operands(const Lanes *l, const Dinst *d, int n, uint8_t *out)
{
    lane_store(l, d, n, out);
    for (int e = 0; d->mod == M_A_CAS && e < 2; e++) {
        uint64_t v = lane_get(l, d, d->vector[2 + e], n);
        memcpy(out + 16 + e * 8, &v, 8);
    }
}

// The elements of a vector are atomics of their own; the halves of .b128 are one.
bool lane_atoms(const Lanes *l, const Dinst *d, uint8_t *p, int n, const uint8_t *operands, bool global)
{
    uint8_t old[32];
    uint32_t total = (uint32_t)d->bytes * d->vec;
    memcpy(old, p, total);
    for (int e = 0; e < d->vec && d->type != TY_B128; e++) {
        uint64_t now = exec_atom(d, lane_fetch(old + e * d->bytes, d->bytes),
                                 lane_fetch(operands + e * d->bytes, d->bytes), 0, global);
        memcpy(p + e * d->bytes, &now, d->bytes);
    }
    if (d->type == TY_B128 && d->mod == M_A_EXCH) memcpy(p, operands, total);
    if (d->type == TY_B128 && d->mod == M_A_CAS && !memcmp(old, operands, total)) memcpy(p, operands + 16, total);
    for (int e = 0; e < d->vec && d->wants_old; e++)
        lane_put(l, d, d->results[e], n, lane_fetch(old + e * d->bytes, d->bytes));
    return memcmp(old, p, total) != 0;
}

// A store whose repetition isn't news: a polling loop may set a flag again and again. Whether it changed memory.
bool bytes_put(uint8_t *p, const uint8_t *data, uint32_t bytes)
{
    if (!memcmp(p, data, bytes)) return false;
    memcpy(p, data, bytes);
    return true;
}

uint64_t lane_operand(const Lanes *l, const Dinst *d, Loc32 at, int n)
{
    return d->bytes == 8 ? ((const uint64_t *)row(l, at))[n] : ((const uint32_t *)row(l, at))[n];
}

// --- the window's edge -----------------------------------------------------------------------------------------------
// Does a deferred operation of this window touch a line that these lanes touch?
bool overlaps_pending(const Log *log, const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[__builtin_ctz(m)];
        if (log_pending(log, a >> 7) || log_pending(log, (a + bytes - 1) >> 7)) return true;
    }
    return false;
}

Deferred deferred_begin(const Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    return (Deferred){.warp = w,
                      .d = d,
                      .code = w->code,
                      .cycle = env->clock,
                      .mask = mask,
                      .base = (uint32_t)(w->l.bank[0] - w->rows)};
}

void exec_defer(Env *env, Warp *w, const Dinst *d, uint32_t mask, bool cluster)
{
    Deferred x = deferred_begin(env, w, d, mask);
    x.cluster = cluster;
    memcpy(x.addr, env->step.addr, sizeof x.addr);
    uint32_t total = (uint32_t)d->bytes * d->vec;
    if (d->kind == X_ATOM && d->vec > 1) {
        x.more = mem_alloc((size_t)OPERANDS * LANES);
        for (uint32_t m = mask; m; m &= m - 1)
            lane_operands(&w->l, d, __builtin_ctz(m), x.more + (size_t)__builtin_ctz(m) * OPERANDS);
    } else if (d->kind == X_ATOM) {
        for (int n = 0; n < LANES; n++) {
            x.x[n] = lane_operand(&w->l, d, d->b, n);
            x.y[n] = lane_operand(&w->l, d, d->c, n);
        }
    } else if (d->kind == X_ST) {
        x.more = mem_alloc((size_t)total * LANES);
        for (int n = 0; n < LANES; n++)
            if (mask >> n & 1) lane_store(&w->l, d, n, x.more + (size_t)n * total);
    }
    if (!env->log) {
        exec_deferred(env, &x);
        mem_free(x.more);
        return;
    }
    log_defer(env->log, &x, total);
    env->step.deferred = true;
}

// The bytes of a cp.async that its source size doesn't cover are zero.
void lane_copy(Cta *cta, const Dinst *d, uint64_t to, const void *from, uint64_t have)
{
    uint8_t data[16] = {0};
    memcpy(data, from, have);
    memcpy(cta->shared + to, data, d->bytes);
}

// Where a lane's access goes. Null, with a fault: the other block is over.
static uint8_t *place_of(Env *env, const Deferred *x, int n)
{
    uint64_t at = x->addr[n];
    if (!x->cluster) return gmem_host(env->gmem, at);
    Cta *cta = cluster_block(x->warp, &at);
    if (cta && cta->running) return cta->shared + at;
    Doer by = exec_doer(env, x->warp, (uint32_t)n);
    by.code = x->code, by.pc = x->d->index;
    exec_fault_late(env, &by, FAULT_CLUSTER, x->cycle, x->addr[n], (uint32_t)x->d->bytes * x->d->vec);
    return NULL;
}

void exec_deferred(Env *env, const Deferred *x)
{
    const Dinst *d = x->d;
    Lanes l = {.bank = {x->warp->rows + x->base, x->warp->l.bank[1]}};
    uint32_t total = (uint32_t)d->bytes * d->vec;
    if (d->kind == X_PRINTF) {
        text_put(&env->printed, (const char *)x->more);
        return;
    }
    if (d->kind == X_MALLOC || d->kind == X_FREE) {
        exec_heap(env, x);
        return;
    }
    if (env->check) check_deferred(env, x);
    bool changed = false;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t *p = place_of(env, x, n);
        if (!p) return;
        if (d->kind == X_CP_ASYNC)
            lane_copy(x->warp->cta, d, x->x[n], p, x->y[n]);
        else if (d->kind == X_ATOM && d->vec > 1)
            changed |= lane_atoms(&l, d, p, n, x->more + (size_t)n * OPERANDS, !x->cluster);
        else if (d->kind == X_ATOM)
            changed |= lane_atom(&l, d, p, n, x->x[n], x->y[n], !x->cluster);
        else if (d->kind == X_ST)
            changed |= bytes_put(p, x->more + (size_t)n * total, total);
        else
            for (int e = 0; e < d->vec; e++) lane_put(&l, d, d->vector[e], n, lane_fetch(p + e * d->bytes, d->bytes));
    }
    if (changed) env->changed = MAX(env->changed, x->cycle);
}
