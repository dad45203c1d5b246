// memory.c: loads, stores and atomics: addresses of the lanes, the space they mean, checks, and the data. Addresses are
// left in env->step for the timing model. Shared and local memory are the warp's own and are accessed at once; global
// memory goes through the window's log when there is one (log.c). Invariant: an access is checked whole before any lane
// of it has an effect.
#include "exec/unit.h"

#include <string.h>

// --- addresses -------------------------------------------------------------------------------------------------------
// Leaves the lanes' addresses in the step record; returns the length of their runs (ops_address.c), or 0.
static uint32_t addresses(Env *env, const Warp *w, const Dinst *d)
{
    uint64_t frame = d->flags & D_FRAME ? w->splits.v[w->cur].local_base : 0;
    return w->code->kernel->address(&w->l, d, d->imm + frame, env->step.addr);
}

// A run that goes on from 2^64 at 0 is none: its first and its last address say nothing of those between.
static void drop_wrapped(Step *s)
{
    for (uint32_t g = 0; g < LANES && s->run; g += s->run)
        if (s->addr[g + s->run - 1] < s->addr[g]) s->run = 0;
}

// Most accesses of a full warp are regular: consecutive elements, or one for all, in the whole warp or in each row of a
// narrow block. Knowing it once saves a scan in each of the checks and in the timing model.
ALWAYS_INLINE void set_runs(Step *s, uint32_t mask, uint32_t run)
{
    const uint64_t *a = s->addr;
    uint64_t stride = a[1] - a[0];
    if (mask != FULL || stride >> 31) return;
    s->run = (uint8_t)run;
    s->stride = (uint32_t)stride;
    if ((a[0] | a[8] | a[16] | a[24]) >> 63) drop_wrapped(s);
}

// Neighbouring lanes of a warp whose others take no part, as at the rim of an array. Of a few it isn't worth it.
static void find_part(Step *s, uint32_t mask)
{
    const uint32_t from = (uint32_t)__builtin_ctz(mask), lanes = mask >> from, n = (uint32_t)__builtin_popcount(lanes);
    if (n < 4 || lanes & (lanes + 1)) return;
    const uint64_t *a = s->addr + from, stride = a[1] - a[0];
    uint64_t wrong = stride >> 31;
    for (uint32_t k = 1; k < n; k++) wrong |= (a[k] - a[k - 1]) ^ stride;
    if (wrong || a[n - 1] < a[0]) return;
    s->part = (uint8_t)n;
    s->stride = (uint32_t)stride;
}

// The least and the greatest address of runs, and the bits that are set in any.
static inline void runs_range(const Step *s, const uint64_t *addr, uint64_t *low, uint64_t *high, uint64_t *bits)
{
    *low = *high = addr[0];
    *bits = addr[0] | s->stride;
    for (uint32_t g = s->run; g < LANES; g += s->run) {
        *low = MIN(*low, addr[g]);
        *high = MAX(*high, addr[g]);
        *bits |= addr[g];
    }
    *high += (uint64_t)s->stride * (s->run - 1u);
}

static Space window_of(uint64_t a)
{
    if (a < SHARED_WINDOW) return SP_GLOBAL;
    if (a < LOCAL_WINDOW) return SP_SHARED;
    if (a < LOCAL_WINDOW + WINDOW_BYTES) return SP_LOCAL;
    return a - PARAM_WINDOW < WINDOW_BYTES ? SP_PARAM : SP_GLOBAL;
}

static uint64_t window_base(Space s)
{
    switch (s) {
    case SP_SHARED: return SHARED_WINDOW;
    case SP_LOCAL: return LOCAL_WINDOW;
    case SP_PARAM: return PARAM_WINDOW;
    default: return 0;
    }
}

// Neighbouring words of lanes from `from` on; n is a constant where it can be.
ALWAYS_INLINE void move_run(uint32_t *r, const uint64_t *addr, uint32_t from, uint32_t n, uint8_t *base, bool write)
{
    if (write)
        memcpy(base + addr[from], r + from, n * sizeof *r);
    else
        memcpy(r + from, base + addr[from], n * sizeof *r);
}

// A word of each lane, loaded or plainly stored. Runs are multiples of eight lanes.
static inline void move_words(const Step *s, uint32_t *r, const uint64_t *addr, uint32_t mask, uint8_t *base,
                              bool write)
{
    if (s->run == LANES && s->stride == 4) {
        move_run(r, addr, 0, LANES, base, write);
    } else if (s->run == 16 && s->stride == 4) {
        for (uint32_t g = 0; g < LANES; g += 16) move_run(r, addr, g, 16, base, write);
    } else if (s->run && s->stride == 4) {
        for (uint32_t g = 0; g < LANES; g += 8) move_run(r, addr, g, 8, base, write);
    } else if (s->run && !s->stride && !write) {
        for (uint32_t g = 0; g < LANES; g += 8) {
            uint32_t v;
            memcpy(&v, base + addr[g], 4);
            for (uint32_t n = 0; n < 8; n++) r[g + n] = v;
        }
    } else if (mask == FULL && !write) {
        for (int n = 0; n < LANES; n++) memcpy(&r[n], base + addr[n], 4);
    } else if (s->part && s->stride == 4) {
        move_run(r, addr, (uint32_t)__builtin_ctz(mask), s->part, base, write);
    } else {
        for (uint32_t m = mask; m; m &= m - 1) {
            int n = __builtin_ctz(m);
            if (write)
                memcpy(base + addr[n], &r[n], 4);
            else
                memcpy(&r[n], base + addr[n], 4);
        }
    }
}

// --- global memory ---------------------------------------------------------------------------------------------------
// over: lanes whose reads pass though they don't lie in an allocation.
static bool check_lane(Env *env, Warp *w, const Dinst *d, uint32_t lane, uint64_t a, uint32_t bytes, bool write,
                       uint32_t *over)
{
    uint64_t granule = d->soft == SOFT_FILL    ? FILL_GRANULE
                       : d->soft == SOFT_AHEAD ? AHEAD_GRANULE
                                               : 1;  // allocations are padded
    // Early loads begin right behind an allocation, if not in one.
    const Allocation *al =
        d->soft == SOFT_AHEAD ? gmem_near(env->gmem, a) : gmem_find(env->gmem, a / granule * granule);
    uint64_t end = al ? (al->end + granule - 1) / granule * granule : 0;
    if (al && !al->freed && a / granule >= al->start / granule && a + bytes <= end) return true;
    if (!write && !d->soft && overread_passes(env, a, bytes)) {
        overread_note(env, w, FAULT_BOUNDS, lane, a, bytes);
        *over |= 1u << lane;
        return true;
    }
    exec_fault(env, w, a < 4096 ? FAULT_NULL : al && al->freed ? FAULT_FREED : FAULT_BOUNDS, lane, a, bytes, write);
    return false;
}

ALWAYS_INLINE bool check_global(Env *env, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t mask, uint32_t bytes,
                                bool write, uint32_t *over)
{
    uint64_t low = ~0ull, high = 0, bits = 0;
    if (env->step.run) {
        runs_range(&env->step, addr, &low, &high, &bits);
    } else if (env->step.part) {
        low = addr[__builtin_ctz(mask)];
        high = addr[31 - __builtin_clz(mask)];
        bits = low | env->step.stride;
    } else if (mask == FULL) {
        for (int n = 0; n < LANES; n++) {
            low = MIN(low, addr[n]);
            high = MAX(high, addr[n]);
            bits |= addr[n];
        }
    } else {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t a = addr[__builtin_ctz(m)];
            low = MIN(low, a);
            high = MAX(high, a);
            bits |= a;
        }
    }
    if (bits & (bytes - 1)) {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(m);
            if (!(addr[n] & (bytes - 1))) continue;
            exec_fault(env, w, FAULT_MISALIGNED, n, addr[n], bytes, write);
            return false;
        }
    }
    __typeof__(&env->near[0]) near = &env->near[d->index & 63];
    // An address near 2^64 must not wrap around into an allocation.
    if (low >= near->start && high < near->end && bytes <= near->end - high) return true;
    const Allocation *al = gmem_find(env->gmem, low);
    if (al && !al->freed && high < al->end && bytes <= al->end - high) {
        near->start = al->start;
        near->end = al->end;
        return true;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        if (!check_lane(env, w, d, n, addr[n], bytes, write, over)) return false;
    }
    return true;
}

static void load_global(Env *env, const Lanes *l, const Dinst *d, const uint64_t *addr, uint32_t mask)
{
    const Gmem *g = env->gmem;
    const Log *log = env->log;
    uint32_t total = (uint32_t)d->bytes * d->vec;
    uint32_t patched = 0, run = env->step.run;
    if (log && log->lines.n && run && env->step.stride <= 4) {
        for (uint32_t g = 0; g < LANES; g += run)
            if (log_has(log, addr[g] >> 7) || log_has(log, addr[g + run - 1] >> 7)) patched = mask;
    } else if (log && log->lines.n && env->step.part && env->step.stride <= 4) {
        if (log_has(log, addr[__builtin_ctz(mask)] >> 7) || log_has(log, addr[31 - __builtin_clz(mask)] >> 7))
            patched = mask;
    } else if (log && log->lines.n) {
        for (uint32_t m = mask; m; m &= m - 1) {
            int n = __builtin_ctz(m);
            if (log_has(log, addr[n] >> 7)) patched |= 1u << n;
        }
    }
    if (d->bytes == 4 && !(d->flags & (D_LONG | D_STRONG)) && !patched) {  // the common case, tight
        uint8_t *base = (uint8_t *)((uintptr_t)g->host - GLOBAL_BASE);
        for (int e = 0; e < d->vec; e++) move_words(&env->step, row(l, d->vector[e]), addr, mask, base + 4 * e, false);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        const uint8_t *p = gmem_host(g, addr[n]);
        uint8_t copy[32];
        if (patched >> n & 1) {
            memcpy(copy, p, total);
            log_patch(log, addr[n], copy, total);
            p = copy;
        }
        for (int e = 0; e < d->vec; e++) lane_put(l, d, d->vector[e], n, lane_fetch(p + e * d->bytes, d->bytes));
    }
}

// What lanes load that doesn't lie in an allocation. The others are no run any more, but for the timing.
static void load_over(Env *env, const Lanes *l, const Dinst *d, const uint64_t *addr, uint32_t over)
{
    for (uint32_t m = over; m; m &= m - 1) {
        const int n = __builtin_ctz(m);
        uint8_t data[32];
        overread_fetch(env, addr[n], data, (uint32_t)d->bytes * d->vec);
        for (int e = 0; e < d->vec; e++) lane_put(l, d, d->vector[e], n, lane_fetch(data + e * d->bytes, d->bytes));
    }
}

static void store_global(Env *env, const Lanes *l, const Dinst *d, const uint64_t *addr, uint32_t mask)
{
    const Step *s = &env->step;
    uint32_t total = (uint32_t)d->bytes * d->vec;
    const bool words = total == 4 && d->vec == 1 && !(d->flags & D_LONG);
    if (words && s->stride == 4 && (s->part || s->run == LANES)) {
        const uint32_t from = (uint32_t)__builtin_ctz(mask), bytes = 4u * (s->part ? s->part : LANES);
        const uint32_t *data = (const uint32_t *)row(l, d->vector[0]) + from;
        if (env->log)
            log_store(env->log, addr[from], data, bytes, env->window_cycle);
        else
            memcpy(gmem_host(env->gmem, addr[from]), data, bytes);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t data[32];
        lane_store(l, d, n, data);
        if (env->log)
            log_store(env->log, addr[n], data, total, env->window_cycle);
        else
            memcpy(gmem_host(env->gmem, addr[n]), data, total);
    }
}

static inline bool must_defer(const Env *env, const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
    return env->log && env->log->deferred.n && overlaps_pending(env->log, addr, mask, bytes);
}

// The fault of an access at a wrong multiple, in the space in which one that lies outside is `outside`.
static FaultKind misaligned(FaultKind outside)
{
    switch (outside) {
    case FAULT_SHARED: return FAULT_MISALIGNED_SHARED;
    case FAULT_LOCAL: return FAULT_MISALIGNED_LOCAL;
    case FAULT_CONST: return FAULT_MISALIGNED_CONST;
    case FAULT_PARAM: return FAULT_MISALIGNED_PARAM;
    default: return FAULT_MISALIGNED;
    }
}

// Do the accesses of total bytes lie within size bytes, each at a multiple of its own? Otherwise a fault says which
// doesn't.
static bool inside_flat(Env *env, Warp *w, const uint64_t *addr, uint32_t mask, uint32_t total, uint64_t size,
                        FaultKind kind, bool write)
{
    uint64_t low, high = 0, bits = 0;
    if (env->step.run) {
        runs_range(&env->step, addr, &low, &high, &bits);
    } else {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t a = addr[__builtin_ctz(m)];
            high = MAX(high, a);
            bits |= a;
        }
    }
    if (high + total <= size && high + total >= high && !(bits & (total - 1))) return true;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        if (addr[n] + total > size || addr[n] + total < addr[n])
            exec_fault(env, w, kind, n, addr[n], total, write);
        else if (addr[n] & (total - 1))
            exec_fault(env, w, misaligned(kind), n, addr[n], total, write);
        else
            continue;
        return false;
    }
    return true;
}

// --- the other spaces ------------------------------------------------------------------------------------------------
// The common case: words of shared memory at regular addresses. False: it isn't that, or some lie outside.
static inline bool shared_words(Env *env, const Warp *w, const Dinst *d)
{
    const Step *s = &env->step;
    const uint64_t *a = s->addr;
    if (!s->run) return false;
    uint64_t last = a[31], bits = a[0] | s->stride;
    if (s->run < LANES) last = MAX(MAX(a[7], a[15]), MAX(a[23], last)), bits |= a[8] | a[16] | a[24];
    uint64_t size = w->cta->shared_bytes;
    if (size < 4 || last > size - 4 || bits & 3) return false;
    if (d->kind == X_ST) env->changed = env->clock;
    move_words(s, row(&w->l, d->vector[0]), a, FULL, w->cta->shared, d->kind == X_ST);
    return true;
}

static bool atomic(const Lanes *l, const Dinst *d, uint8_t *p, int n, bool global)
{
    uint8_t operands[OPERANDS];
    if (d->vec == 1) return lane_atom(l, d, p, n, lane_operand(l, d, d->b, n), lane_operand(l, d, d->c, n), global);
    lane_operands(l, d, n, operands);
    return lane_atoms(l, d, p, n, operands, global);
}

// A flat stretch of bytes: shared memory, the constant bank, the parameters.
static bool access_flat(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask, uint8_t *base, uint64_t size,
                        FaultKind kind)
{
    uint32_t total = (uint32_t)d->bytes * d->vec;
    bool write = d->kind == X_ST || d->kind == X_ATOM;
    if (!inside_flat(env, w, addr, mask, total, size, kind, write)) return false;
    const Lanes *l = &w->l;
    if (d->kind == X_ST && !(d->flags & D_STRONG)) env->changed = env->clock;
    if (d->bytes == 4 && !(d->flags & D_LONG) && d->kind != X_ATOM && !(write && d->flags & D_STRONG)) {
        for (int e = 0; e < d->vec; e++) move_words(&env->step, row(l, d->vector[e]), addr, mask, base + 4 * e, write);
        return true;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t *p = base + addr[n], data[32];
        bool changed = false;
        if (d->kind == X_ATOM)
            changed = atomic(l, d, p, n, false);
        else if (write)
            lane_store(l, d, n, data), changed = bytes_put(p, data, total);
        else
            for (int e = 0; e < d->vec; e++) lane_put(l, d, d->vector[e], n, lane_fetch(p + e * d->bytes, d->bytes));
        if (changed) env->changed = env->clock;
    }
    return true;
}

// Local memory: word k of lane n lies at byte (32 k + n) · 4 of the warp's stretch, so that lanes that use the same
// variable share sectors. That layout is also what the addresses in the step record say.
static bool access_local(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask)
{
    uint32_t total = (uint32_t)d->bytes * d->vec;
    bool write = d->kind == X_ST;
    uint64_t high = 0;
    if (d->kind == X_ATOM) {
        exec_fault(env, w, FAULT_ILLEGAL, (uint32_t)__builtin_ctz(mask), addr[__builtin_ctz(mask)], total, true);
        return false;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        if (addr[n] + total > env->launch->local_limit || addr[n] + total < addr[n]) {
            exec_fault(env, w, FAULT_LOCAL, n, addr[n], total, write);
            return false;
        }
        if (addr[n] & (total - 1)) {
            exec_fault(env, w, FAULT_MISALIGNED_LOCAL, n, addr[n], total, write);
            return false;
        }
        high = MAX(high, addr[n] + total);
    }
    if (!exec_local_room(env, w, (uint32_t)high, mask)) return false;
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t data[32];
        if (write) lane_store(&w->l, d, n, data);
        for (uint32_t done = 0; done < total;) {
            uint64_t a = addr[n] + done;
            uint32_t piece = MIN(total - done, 4 - (uint32_t)(a & 3));
            uint8_t *p = w->local + (a / 4 * LANES + (unsigned)n) * 4 + (a & 3);
            if (write)
                memcpy(p, data + done, piece);
            else
                memcpy(data + done, p, piece);
            done += piece;
        }
        if (!write)
            for (int e = 0; e < d->vec; e++)
                lane_put(&w->l, d, d->vector[e], n, lane_fetch(data + e * d->bytes, d->bytes));
        addr[n] = (addr[n] / 4 * LANES + (unsigned)n) * 4 + (addr[n] & 3);
    }
    return true;
}

bool exec_local_room(Env *env, Warp *w, uint32_t bytes, uint32_t mask)
{
    if (bytes <= w->local_cap) return true;
    uint32_t cap = MAX(w->local_cap * 2, (bytes + 255) & ~255u);
    if (cap > w->local_room) {
        uint8_t *local = mem_try_resize(w->local, (size_t)cap * LANES);
        if (!local) {
            exec_fault(env, w, FAULT_HOST, (uint32_t)__builtin_ctz(mask), (uint64_t)cap * LANES, 0, false);
            return false;
        }
        w->local = local;
        w->local_room = cap;
    }
    memset(w->local + (size_t)w->local_cap * LANES, 0, (size_t)(cap - w->local_cap) * LANES);
    w->local_cap = cap;
    return true;
}

static bool access_global(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask)
{
    bool write = d->kind == X_ST || d->kind == X_ATOM;
    uint32_t total = (uint32_t)d->bytes * d->vec, over = 0;
    if (!check_global(env, w, d, addr, mask, total, write, &over)) return false;
    Log *log = env->log;
    if (over) {
        load_over(env, &w->l, d, addr, over);
        env->step.run = env->step.part = 0;
        if (!(mask &= ~over)) return true;
    }
    if (log && (d->kind == X_ATOM || d->flags & D_STRONG || must_defer(env, addr, mask, total))) {
        exec_defer(env, w, d, mask, false);
        return true;
    }
    if (d->kind == X_LD) {
        load_global(env, &w->l, d, addr, mask);
        return true;
    }
    if (d->kind == X_ST && !(d->flags & D_STRONG)) {
        store_global(env, &w->l, d, addr, mask);
        env->changed = env->clock;
        return true;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t *p = gmem_host(env->gmem, addr[n]), data[32];
        bool changed;
        if (d->kind == X_ST)
            lane_store(&w->l, d, n, data), changed = bytes_put(p, data, total);
        else
            changed = atomic(&w->l, d, p, n, true);
        if (changed) env->changed = env->clock;
    }
    return true;
}

// Some lanes mean the shared memory of other blocks of the cluster: that comes at the edge, for all of them.
static bool access_cluster(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask)
{
    const uint32_t total = (uint32_t)d->bytes * d->vec;
    const bool write = d->kind != X_LD;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t a = addr[n];
        const Cta *cta = cluster_block(w, &a);
        const bool inside = cta && a < cta->shared_bytes && total <= cta->shared_bytes - a;
        if (inside && a % total == 0) continue;
        exec_fault(env, w, !cta ? FAULT_CLUSTER : inside ? FAULT_MISALIGNED_SHARED : FAULT_SHARED, n, a, total, write);
        return false;
    }
    env->step.run = 0;
    env->step.away = true;
    exec_defer(env, w, d, mask, true);
    return true;
}

static bool access_shared(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask)
{
    if (env->launch->cluster[0] && cluster_away(w, addr, mask)) return access_cluster(env, w, d, addr, mask);
    return access_flat(env, w, d, addr, mask, w->cta->shared, w->cta->shared_bytes, FAULT_SHARED);
}

// A bank of constants by its own addresses. It has 64 KiB, whatever a module has in it: the rest is zero. What kernels
// write to it as global memory is seen here at the window's edge, as caches of constants don't see what the SM's own
// stores do.
static bool access_constants(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask)
{
    const Image *image = env->launch->kernel->image;
    const uint32_t total = (uint32_t)d->bytes * d->vec, have = image->const_bytes;
    uint8_t *bank = have ? gmem_host(env->gmem, image->const_base) : NULL;
    uint32_t over = 0;
    uint64_t low, high = 0, bits;
    if (env->step.run) runs_range(&env->step, addr, &low, &high, &bits);
    const bool inside = env->step.run && have >= total && high <= have - total;  // the common case
    for (uint32_t m = env->overread && !inside ? mask : 0; m; m &= m - 1) {
        const uint64_t a = addr[__builtin_ctz(m)];
        if (a + total > have && a <= CONST_BANK - total && a % total == 0) over |= m & -m;
    }
    if (!over) return access_flat(env, w, d, addr, mask, bank, have, FAULT_CONST);
    for (uint32_t m = over; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        uint8_t data[32] = {0};
        overread_note(env, w, FAULT_CONST, n, addr[n], total);
        if (addr[n] < have) memcpy(data, bank + addr[n], have - addr[n]);
        for (int e = 0; e < d->vec; e++)
            lane_put(&w->l, d, d->vector[e], (int)n, lane_fetch(data + e * d->bytes, d->bytes));
    }
    env->step.run = env->step.part = 0;
    mask &= ~over;
    return !mask || access_flat(env, w, d, addr, mask, bank, have, FAULT_CONST);
}

static bool access(Env *env, Warp *w, const Dinst *d, Space space, uint64_t *addr, uint32_t mask)
{
    switch (space) {
    case SP_GLOBAL: return access_global(env, w, d, addr, mask);
    case SP_SHARED: return access_shared(env, w, d, addr, mask);
    case SP_LOCAL: return access_local(env, w, d, addr, mask);
    case SP_TEX: return exec_surface(env, w, d, addr, mask);
    case SP_CONST:
    case SP_PARAM:
        if (d->kind != X_LD && d->kind != X_LD_PARAM) {
            exec_fault(env, w, FAULT_READONLY, (uint32_t)__builtin_ctz(mask), addr[__builtin_ctz(mask)], d->bytes,
                       true);
            return false;
        }
        if (space == SP_CONST) return access_constants(env, w, d, addr, mask);
        return access_flat(env, w, d, addr, mask, env->launch->params, env->launch->kernel->param_bytes, FAULT_PARAM);
    default: exec_fault(env, w, FAULT_ILLEGAL, 0, addr[0], d->bytes, false); return false;
    }
}

// Lanes may be in several spaces at once: each is served by itself, and the step record has the first two of them.
static void access_generic(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    static const Space spaces[] = {SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_PARAM};
    Step *s = &env->step;
    Space first = window_of(s->addr[__builtin_ctz(mask)]);
    s->part = 0;
    uint32_t same = 0, in[COUNT(spaces)] = {0};
    for (uint32_t m = mask; m; m &= m - 1)
        if (window_of(s->addr[__builtin_ctz(m)]) == first) same |= m & -m;
    if (same == mask) {
        uint64_t base = window_base(first);
        for (int n = 0; base && n < LANES; n++) s->addr[n] -= base;
        s->space = (uint8_t)first;
        access(env, w, d, first, s->addr, mask);
        return;
    }
    s->run = 0;
    s->mask = 0;
    for (size_t k = 0; k < COUNT(spaces); k++) {
        for (uint32_t m = mask; m; m &= m - 1)
            if (window_of(s->addr[__builtin_ctz(m)]) == spaces[k]) in[k] |= m & -m;
        if (!in[k]) continue;
        if (!s->mask)
            s->mask = in[k], s->space = (uint8_t)spaces[k];
        else if (!s->other_mask)
            s->other_mask = in[k], s->other_space = (uint8_t)spaces[k];
    }
    for (size_t k = 0; k < COUNT(spaces); k++)
        for (uint32_t m = in[k]; m; m &= m - 1) s->addr[__builtin_ctz(m)] -= window_base(spaces[k]);
    for (size_t k = 0; k < COUNT(spaces); k++)
        if (in[k] && !access(env, w, d, spaces[k], s->addr, in[k])) return;
}

static void access_rows(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env;
    // .param variables of a frame: word k is row k, so wider and narrower accesses take their bytes from words.
    uint8_t *frame = w->l.bank[0];
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint64_t at = d->imm;
        for (int e = 0; e < d->vec; e++, at += d->bytes) {
            uint64_t v = d->kind == X_ST_PARAM ? lane_get(&w->l, d, d->vector[e], n) : 0;
            for (uint32_t k = 0; k < d->bytes; k++) {
                uint8_t *p = frame + (at + k) / 4 * ROW_BYTES + (unsigned)n * 4 + (at + k) % 4;
                if (d->kind == X_ST_PARAM)
                    *p = (uint8_t)(v >> 8 * k);
                else
                    v |= (uint64_t)*p << 8 * k;
            }
            if (d->kind == X_LD_ROWS) lane_put(&w->l, d, d->vector[e], n, v);
        }
    }
}

static void load_param(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    if (!(d->flags & D_COMPUTED) && d->vec == 1) {  // a whole parameter, the same for all lanes
        uint64_t v = lane_fetch(env->launch->params + d->imm, d->bytes);
        if (mask == FULL) {
            lane_put(&w->l, d, d->vector[0], 0, v);
            uint64_t *wide = row(&w->l, d->vector[0]);
            uint32_t *to = row(&w->l, d->vector[0]);
            if (d->flags & D_LONG)
                for (int n = 1; n < LANES; n++) wide[n] = wide[0];
            else
                for (int n = 1; n < LANES; n++) to[n] = to[0];
            return;
        }
        for (uint32_t m = mask; m; m &= m - 1) lane_put(&w->l, d, d->vector[0], __builtin_ctz(m), v);
        return;
    }
    addresses(env, w, d);
    access(env, w, d, SP_PARAM, env->step.addr, mask);
}

// Each lane reads as many bytes as its source size says, at most those of the copy: have[lane], 0 for lanes outside of
// the mask. A lane that reads nothing may have any address (PTX ISA §9.7.9.25.3.1).
static bool check_copy(Env *env, Warp *w, const Dinst *d, uint32_t mask, const uint64_t *have, uint32_t *over)
{
    const uint64_t *addr = env->step.addr;
    uint32_t whole = 0;
    *over = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        if (have[__builtin_ctz(m)] == d->bytes) whole |= m & -m;
    if (whole && !check_global(env, w, d, addr, whole, d->bytes, false, over)) return false;
    for (uint32_t m = mask & ~whole; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        if (addr[n] % d->bytes) return exec_fault(env, w, FAULT_MISALIGNED, n, addr[n], d->bytes, false), false;
        if (!check_lane(env, w, d, n, addr[n], (uint32_t)have[n], false, over)) return false;
    }
    return true;
}

static void copy_async(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    uint64_t to[LANES], have[LANES];
    const uint32_t *size = row(&w->l, d->c);
    uint32_t read = 0, over, heeds = mask & ~get_pred_lanes(&w->l, d);  // the others ignore their source
    const uint64_t *offset = row(&w->l, d->vector[0]);
    for (int n = 0; n < LANES; n++) {
        have[n] = heeds >> n & 1 ? MIN(size[n], d->bytes) : 0;
        read |= (uint32_t)(have[n] > 0) << n;
    }
    for (int n = 0; n < LANES; n++)
        to[n] = d->flags & D_LONG ? ((const uint64_t *)row(&w->l, d->b))[n] + offset[n]
                                  : ((const uint32_t *)row(&w->l, d->b))[n] + (uint32_t)offset[n];
    if (read != mask) env->step.run = 0;
    if (read)
        env->step.mask = read;
    else
        env->step.space = SP_NONE;
    if (!check_copy(env, w, d, read, have, &over)) return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        if (to[n] >= SHARED_WINDOW && to[n] < LOCAL_WINDOW) to[n] -= SHARED_WINDOW;
        if (to[n] > w->cta->shared_bytes || d->bytes > w->cta->shared_bytes - to[n] || to[n] % d->bytes) {
            exec_fault(env, w, to[n] % d->bytes ? FAULT_MISALIGNED_SHARED : FAULT_SHARED, n, to[n], d->bytes, true);
            return;
        }
    }
    for (int n = 0; n < LANES; n++)
        if (!(read >> n & 1)) env->step.addr[n] = GLOBAL_BASE;  // of which nothing is read
    env->changed = env->clock;
    for (uint32_t m = over; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        uint8_t data[16];
        overread_fetch(env, env->step.addr[n], data, have[n]);
        lane_copy(w->cta, d, to[n], data, have[n]);
    }
    if (over) env->step.run = 0;
    if (!(mask &= ~over)) return;
    if (must_defer(env, env->step.addr, read & ~over, d->bytes)) {
        Deferred x = deferred_begin(env, w, d, mask);
        memcpy(x.addr, env->step.addr, sizeof x.addr);
        memcpy(x.x, to, sizeof x.x);
        memcpy(x.y, have, sizeof x.y);
        log_defer(env->log, &x, d->bytes);
        env->step.deferred = true;
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t data[16];
        memcpy(data, gmem_host(env->gmem, env->step.addr[n]), have[n]);
        if (env->log) log_patch(env->log, env->step.addr[n], data, (uint32_t)have[n]);
        lane_copy(w->cta, d, to[n], data, have[n]);
    }
}

static void by_space(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    if (d->space == SP_GENERIC)
        access_generic(env, w, d, mask);
    else if (d->space == SP_GLOBAL)
        access_global(env, w, d, env->step.addr, mask);
    else
        access(env, w, d, d->space, env->step.addr, mask);
}

// What isn't a plain load or store of words.
static void other_access(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Step *s = &env->step;
    if (d->flags & D_STRONG) {
        w->splits.v[w->cur].synced = true;
        if (env->watch) watch_poll(env, w);
    }
    switch (d->kind) {
    case X_LD_PARAM: load_param(env, w, d, mask); return;
    case X_LD_ROWS:
    case X_ST_PARAM: access_rows(env, w, d, mask); return;
    default: break;
    }
    set_runs(s, mask, addresses(env, w, d));
    s->bytes = (uint32_t)d->bytes * d->vec;
    s->space = d->space;
    if (d->kind == X_CP_ASYNC) {
        s->space = SP_GLOBAL;
        copy_async(env, w, d, mask);
        return;
    }
    if (d->kind == X_PREFETCH) {  // a hint: outside of any allocation it does nothing
        s->space = SP_GLOBAL;
        for (uint32_t m = mask; m; m &= m - 1)
            if (!gmem_find(env->gmem, s->addr[__builtin_ctz(m)])) s->mask &= ~(m & -m), s->run = 0;
        if (!s->mask) s->mask = mask, s->space = SP_NONE;
        return;
    }
    by_space(env, w, d, mask);
}

ALWAYS_INLINE void word_access(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Step *s = &env->step;
    const uint32_t run = addresses(env, w, d);
    if (mask == FULL)
        set_runs(s, mask, run);
    else
        find_part(s, mask);
    s->bytes = 4;
    s->space = d->space;
    if (d->space != SP_SHARED || !shared_words(env, w, d)) by_space(env, w, d, mask);
}

void exec_memory(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    if (d->flags & D_WORD)
        word_access(env, w, d, mask);
    else
        other_access(env, w, d, mask);
}

void exec_word(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    word_access(env, w, d, mask);
    if (env->check) check_step(env, w, d);
    if (env->fault.kind != FAULT_NONE) env->step.result = STEP_FAULT;
    if (++w->pc == w->rpc && env->step.result == STEP_DONE) exec_came(env, w);
}
