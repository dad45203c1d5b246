// across.c: instructions that look at other lanes: shfl, vote, match, redux, activemask, elect (PTX ISA §9.7.9.6,
// §9.7.13.9–13, §9.7.13.16). mask has the lanes that execute. From sm_70 on these are all living lanes of the
// membermask: step.c has waited for them. Lanes that name different membermasks form groups, and a group looks at its
// own lanes only.
#include "exec/unit.h"

#include <string.h>

static void put_all(const Lanes *l, Loc32 at, uint32_t mask, uint32_t value)
{
    uint32_t *to = row(l, at);
    for (int n = 0; n < LANES; n++)
        if (mask >> n & 1) to[n] = value;
}

static void put_predicate(const Lanes *l, uint16_t p, uint32_t mask, uint32_t value)
{
    l->pred[p] = (l->pred[p] & ~mask) | (value & mask);
}

// Returns the lanes whose source lane takes no part. The ISA leaves their values undefined (§9.7.9.6); cards give 0,
// not what the source lane's register held some time ago.
static uint32_t shuffle(const Lanes *l, const Dinst *d, uint32_t mask)
{
    uint32_t a[LANES], *to = row(l, d->dst), good = 0, undefined = 0;
    const uint32_t *rb = row(l, d->b), *rc = row(l, d->c);
    memcpy(a, row(l, d->a), sizeof a);
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        int b = rb[n] & 31, c = rc[n] & 31, seg = rc[n] >> 8 & 31;
        int max = (n & seg) | (c & ~seg), min = n & seg, j;
        bool in;
        switch (d->mod) {
        case M_UP: j = n - b, in = j >= max; break;
        case M_DOWN: j = n + b, in = j <= max; break;
        case M_BFLY: j = n ^ b, in = j <= max; break;
        default: j = min | (b & ~seg), in = j <= max; break;
        }
        if (!in) j = n;
        bool takes_part = mask >> (j & 31) & 1;
        to[n] = takes_part ? a[j & 31] : 0;
        good |= (uint32_t)in << n;
        undefined |= (uint32_t)!takes_part << n;
    }
    put_predicate(l, d->pdst, mask, good);
    return undefined;
}

static void vote(const Lanes *l, const Dinst *d, uint32_t mask)
{
    const uint32_t *member = row(l, d->vector[3]);
    uint32_t in = mask & member[__builtin_ctz(mask)], p = get_pred_lanes(l, d) & in;
    switch (d->mod) {
    case M_BALLOT: put_all(l, d->dst, mask, p); return;
    case M_ALL: p = p == in ? FULL : 0; break;
    case M_ANY: p = p ? FULL : 0; break;
    default: p = p == in || p == 0 ? FULL : 0; break;
    }
    put_predicate(l, d->pdst, mask, p);
}

static void match(const Lanes *l, const Dinst *d, uint32_t mask)
{
    const uint32_t *a32 = row(l, d->a), *member = row(l, d->vector[3]);
    const uint64_t *a64 = row(l, d->a);
    uint64_t v[LANES];
    uint32_t in = mask & member[__builtin_ctz(mask)], *to = row(l, d->dst), same[LANES];
    for (int n = 0; n < LANES; n++) v[n] = d->bytes == 8 ? a64[n] : a32[n];
    for (int n = 0; n < LANES; n++) {
        same[n] = 0;
        for (int k = 0; k < LANES; k++)
            if (in >> k & 1 && v[k] == v[n]) same[n] |= 1u << k;
    }
    bool all = in && same[__builtin_ctz(in)] == in;
    for (int n = 0; n < LANES; n++)
        if (mask >> n & 1) to[n] = d->mod == M_ANY ? same[n] : all ? in : 0;
    put_predicate(l, d->pdst, mask, all ? FULL : 0);
}

#define NAN32 0x7fffffffu

// §9.7.13.13: -0 is less than +0. NaNs don't count, unless .NaN is there, or there is nothing else. Floats are in the
// order of signed integers once those below zero have their other bits inverted.
static uint32_t least_or_most(const Dinst *d, const uint32_t *a, uint32_t in)
{
    uint32_t r = NAN32, keep = inst_has(d->inst, G_ABS) ? 0x7fffffffu : FULL;
    int32_t best = d->mod == M_A_MIN ? INT32_MAX : INT32_MIN;
    for (uint32_t m = in; m; m &= m - 1) {
        uint32_t v = a[__builtin_ctz(m)] & keep;
        int32_t key = (int32_t)(v ^ (uint32_t)((int32_t)v >> 31) >> 1);
        bool nan = (v & 0x7fffffffu) > 0x7f800000u;
        if (nan && inst_has(d->inst, G_NAN)) return NAN32;
        if (nan || (d->mod == M_A_MIN ? key > best : key < best)) continue;
        r = v;
        best = key;
    }
    return r;
}

static void reduce(const Lanes *l, const Dinst *d, uint32_t mask)
{
    const uint32_t *a = row(l, d->a), *member = row(l, d->vector[3]);
    uint32_t in = mask & member[__builtin_ctz(mask)], r = a[__builtin_ctz(in ? in : mask)];
    if (d->type == TY_F32) {
        put_all(l, d->dst, mask, least_or_most(d, a, in));
        return;
    }
    bool is_signed = type_info[d->type].kind == K_SINT;
    for (uint32_t m = in & (in - 1); m; m &= m - 1) {
        uint32_t v = a[__builtin_ctz(m)];
        switch (d->mod) {
        case M_A_ADD: r += v; break;
        case M_A_MIN: r = is_signed ? ((int32_t)v < (int32_t)r ? v : r) : MIN(v, r); break;
        case M_A_MAX: r = is_signed ? ((int32_t)v > (int32_t)r ? v : r) : MAX(v, r); break;
        case M_A_AND: r &= v; break;
        case M_A_OR: r |= v; break;
        default: r ^= v; break;
        }
    }
    put_all(l, d->dst, mask, r);
}

// The leader is the first of the lanes; the ISA leaves the choice open, but for its being always the same.
static void elect(const Lanes *l, const Dinst *d, uint32_t mask)
{
    const uint32_t *member = row(l, d->vector[3]);
    uint32_t in = mask & member[__builtin_ctz(mask)], leader = (uint32_t)__builtin_ctz(in ? in : mask);
    put_all(l, d->dst, mask, leader);
    put_predicate(l, d->pdst, mask, 1u << leader);
}

// Returns the lanes whose result is undefined.
static uint32_t run(const Lanes *l, const Dinst *d, uint32_t mask)
{
    if (d->kind == X_SHFL) return shuffle(l, d, mask);
    if (d->kind == X_ACTIVEMASK) {
        put_all(l, d->dst, mask, mask);
        return 0;
    }
    const uint32_t *member = row(l, d->vector[3]);
    while (mask) {
        uint32_t value = member[__builtin_ctz(mask)], same = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            if (member[__builtin_ctz(m)] == value) same |= m & -m;
        mask &= ~same;
        if (d->kind == X_VOTE)
            vote(l, d, same);
        else if (d->kind == X_MATCH)
            match(l, d, same);
        else if (d->kind == X_ELECT)
            elect(l, d, same);
        else
            reduce(l, d, same);
    }
    return 0;
}

static void note_undefined(Env *env, const Code *code, uint32_t pc, uint32_t lanes)
{
    if (!lanes) return;
    if (!env->undefined.lanes) env->undefined.code = code, env->undefined.pc = pc, env->undefined.cycle = env->clock;
    env->undefined.lanes += (uint32_t)__builtin_popcount(lanes);
}

void exec_across(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    note_undefined(env, w->code, d->index, run(&w->l, d, mask));
}

// Copies the rows of some lanes; a row of 64-bit lanes is two.
static void copy_lanes(void *to, const void *from, uint32_t mask, size_t bytes)
{
    for (; mask; mask &= mask - 1) {
        size_t n = (size_t)__builtin_ctz(mask);
        memcpy((uint8_t *)to + n * bytes, (const uint8_t *)from + n * bytes, bytes);
    }
}

// Several instructions of one kind: their operands are gathered in rows of their own, and the results handed out.
void exec_across_parts(Env *env, Warp *w, const AcrossPart *part, uint32_t parts)
{
    enum { A, B = 2, C, MEMBER, DST, ROWS };
    _Alignas(64) uint8_t rows[ROWS * ROW_BYTES] = {0};
    uint32_t pred[4] = {FULL}, mask = 0;
    Lanes l = {.bank = {rows, rows}, .pred = pred};
    Dinst x = part[0].code->insts[part[0].pc];
    x.a = A * ROW_BYTES, x.b = B * ROW_BYTES, x.c = C * ROW_BYTES, x.vector[3] = MEMBER * ROW_BYTES,
    x.dst = DST * ROW_BYTES;
    x.psrc = PRED_FIRST, x.pdst = PRED_FIRST + 1, x.psrc_negated = false;
    for (int results = 0; results < 2; results++) {
        for (uint32_t p = 0; p < parts; p++) {
            const Dinst *d = &part[p].code->insts[part[p].pc];
            uint8_t *frame = w->rows + part[p].base;
            Lanes own = {.bank = {frame, w->l.bank[1]}, .pred = (uint32_t *)(frame + part[p].code->rows * ROW_BYTES)};
            uint32_t m = part[p].mask;
            if (results) {
                if (d->kind != X_VOTE || d->mod == M_BALLOT) copy_lanes(row(&own, d->dst), row(&l, x.dst), m, 4);
                put_predicate(&own, d->pdst, m, pred[x.pdst]);
                continue;
            }
            mask |= m;
            if (d->kind == X_VOTE)
                put_predicate(&l, x.psrc, m, get_pred_lanes(&own, d));
            else
                copy_lanes(row(&l, x.a), row(&own, d->a), m, d->kind == X_MATCH && d->bytes == 8 ? 8 : 4);
            if (d->kind == X_SHFL)
                copy_lanes(row(&l, x.b), row(&own, d->b), m, 4), copy_lanes(row(&l, x.c), row(&own, d->c), m, 4);
            copy_lanes(row(&l, x.vector[3]), row(&own, d->vector[3]), m, 4);
        }
        if (!results) note_undefined(env, part[0].code, part[0].pc, run(&l, &x, mask));
    }
}
