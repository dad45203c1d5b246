// surface.c: loads, stores and reductions of surfaces (PTX ISA §9.7.11). A lane's coordinates become an address in
// global memory; from there on the access is one of global memory, in its timing and its order, too. Coordinates of
// bytes (.b) count bytes in a row, those of samples (.p) texels.
#include "exec/unit.h"
#include "ptx/ops.h"

#include <stdio.h>
#include <string.h>

typedef struct Lane {
    const Texture *t;
    const TexLevel *l;
    int64_t at[3];  // x in bytes
    uint32_t layer;
    uint32_t bytes;
} Lane;

static int32_t int_of(const Lanes *l, const Dinst *d, int row_of, int n)
{
    Loc32 at = d->results[row_of];
    return at == NO_ROW ? 0 : ((const int32_t *)row(l, at))[n];
}

static bool samples(const Dinst *d) { return d->op == OP_SUST_P || d->op == OP_SURED_P; }

static void where(const Lane *a, char *to, size_t size)
{
    snprintf(to, size, a->t->layers ? "byte %lld, row %lld, slice %lld of layer %u" : "byte %lld, row %lld, slice %lld",
             (long long)a->at[0], (long long)a->at[1], (long long)a->at[2], a->layer);
}

static void fault(Env *env, Warp *w, const Dinst *d, FaultKind kind, int n, const Lane *a)
{
    exec_fault(env, w, kind, (uint32_t)n, a->l->base, a->bytes, d->kind != X_LD);
    where(a, env->fault.note, sizeof env->fault.note);
}

// Brings the coordinates inside (.clamp). False: they lie outside.
static bool inside(const Dinst *d, Lane *a)
{
    const uint16_t mode = d->inst->mod[G_OUTSIDE];
    const int64_t last[3] = {(int64_t)a->l->width * texel_bytes(a->t) - a->bytes, (int64_t)a->l->height - 1,
                             (int64_t)a->l->depth - 1};
    const uint32_t layers = a->t->layers ? a->t->layers : 1;
    bool good = a->layer < layers;
    if (mode == M_O_CLAMP && !good) a->layer = layers - 1, good = true;
    for (int k = 0; k < 3; k++) {
        if (last[k] < 0) return false;
        if (mode == M_O_CLAMP) a->at[k] = MAX(0, MIN(a->at[k], last[k]));
        good &= a->at[k] >= 0 && a->at[k] <= last[k];
    }
    return good;
}

// Whether lane n takes part; its address. Faults are told.
static bool resolve(Env *env, Warp *w, const Dinst *d, int n, Lane *a, uint64_t *address)
{
    uint64_t handle = ((const uint64_t *)row(&w->l, d->results[TEX_HANDLE]))[n];
    a->t = object_find(env, w, (uint32_t)n, handle, OBJECT_SURFACE);
    if (!a->t) return false;
    a->l = a->t->level;
    if (!object_lives(env, w, (uint32_t)n, a->t, a->l)) return false;
    const uint32_t texel = texel_bytes(a->t);
    a->bytes = d->op == OP_SUST_P ? texel : (uint32_t)d->bytes * d->vec;
    for (int k = 0; k < 3; k++) a->at[k] = k < a->t->dimensions ? int_of(&w->l, d, TEX_AT + k, n) : 0;
    if (samples(d)) a->at[0] *= texel;
    a->layer = a->t->layers ? (uint32_t)int_of(&w->l, d, TEX_LAYER, n) : 0;
    if (!inside(d, a)) {
        if (d->inst->mod[G_OUTSIDE] == M_O_TRAP) fault(env, w, d, FAULT_OUTSIDE, n, a);
        return false;
    }
    const Texel at = {0, a->at[1], a->at[2], a->layer};
    *address = texel_address(a->t, a->l, &at) + (uint64_t)a->at[0];
    if (!(*address & (MIN(a->bytes, 16u) - 1))) return true;
    fault(env, w, d, FAULT_MISALIGNED_SURFACE, n, a);
    return false;
}

// The instruction as it stands for this surface: of a texel's size, or with its sign.
static const Dinst *variant(const Dinst *d, const Texture *t)
{
    bool is_signed = t->format == 2 || t->format == 4 || t->format == 6;
    if (d->op == OP_SURED_P) return tex_variant(d, is_signed);
    return d->op == OP_SUST_P ? tex_variant(d, __builtin_ctz(texel_bytes(t))) : d;
}

static void converted(const Lanes *l, const Dinst *d, const Texture *t, int n, uint8_t *to)
{
    for (int c = 0; c < 4; c++) texel_write(t, to, c, c < d->vec ? ((const uint32_t *)row(l, d->vector[c]))[n] : 0);
}

static void load_zeros(const Lanes *l, const Dinst *d, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1)
        for (int e = 0; e < d->vec; e++) lane_put(l, d, d->vector[e], __builtin_ctz(m), 0);
}

// d is the variant of the instruction `as`; of has each lane's surface.
static void access_now(Env *env, Warp *w, const Dinst *d, const Dinst *as, const Texture **of, const uint64_t *addr,
                       uint32_t mask)
{
    uint32_t total = (uint32_t)d->bytes * d->vec;
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint8_t *p = gmem_host(env->gmem, addr[n]), data[32];
        if (d->kind == X_ATOM) {
            lane_atom(&w->l, d, p, n, lane_operand(&w->l, d, d->b, n), 0, true);
        } else if (d->kind == X_ST) {
            if (as->op == OP_SUST_P)
                converted(&w->l, as, of[n], n, data);
            else
                lane_store(&w->l, d, n, data);
            if (env->log)
                log_store(env->log, addr[n], data, total, env->window_cycle);
            else
                memcpy(p, data, total);
        } else {
            memcpy(data, p, total);
            if (env->log) log_patch(env->log, addr[n], data, total);
            for (int e = 0; e < d->vec; e++)
                lane_put(&w->l, d, d->vector[e], n, lane_fetch(data + e * d->bytes, d->bytes));
        }
    }
    if (d->kind != X_LD) env->changed = env->clock;
}

// Like an access of global memory, at the window's edge.
static void access_later(Env *env, Warp *w, const Dinst *d, const Dinst *as, const Texture **of, uint32_t mask)
{
    if (as->op != OP_SUST_P) {
        exec_defer(env, w, d, mask, false);
        return;
    }
    uint32_t total = (uint32_t)d->bytes * d->vec;
    Deferred x = deferred_begin(env, w, d, mask);
    memcpy(x.addr, env->step.addr, sizeof x.addr);
    x.more = mem_alloc((size_t)total * LANES);
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        converted(&w->l, as, of[n], n, x.more + (size_t)n * total);
    }
    log_defer(env->log, &x, total);
    env->step.deferred = true;
}

// The lanes of `in` whose surfaces have one variant with the first. The others of the warp come to the instruction
// next, since a deferred operation has one size and one sign.
static uint32_t alike(Warp *w, const Dinst *d, const Texture **of, uint32_t mask, uint32_t in)
{
    const Dinst *first = variant(d, of[__builtin_ctz(in)]);
    uint32_t others = 0;
    for (uint32_t m = in; m; m &= m - 1)
        if (variant(d, of[__builtin_ctz(m)]) != first) others |= m & -m;
    if (others) split_part(w, mask, mask & ~others);
    return in & ~others;
}

bool exec_surface(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask)
{
    Step *s = &env->step;
    const Texture *of[LANES];
    uint32_t in = 0;
    s->run = 0;
    s->space = SP_GLOBAL;
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        Lane a;
        if (resolve(env, w, d, n, &a, &addr[n])) in |= m & -m, of[n] = a.t;
        if (env->fault.kind != FAULT_NONE) return false;
    }
    if (d->kind == X_LD) load_zeros(&w->l, d, mask & ~in);
    if (in) in = alike(w, d, of, mask, in);
    s->mask = in;
    if (!in) s->mask = mask, s->space = SP_NONE;
    if (!in) return true;
    const Dinst *v = variant(d, of[__builtin_ctz(in)]);
    s->bytes = (uint32_t)v->bytes * v->vec;
    bool meets = env->log && env->log->deferred.n && overlaps_pending(env->log, addr, in, s->bytes);
    (env->log && (d->kind == X_ATOM || meets) ? access_later(env, w, v, d, of, in)
                                              : access_now(env, w, v, d, of, addr, in));
    return true;
}
