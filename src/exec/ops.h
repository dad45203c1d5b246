// ops.h: how lane functions are written. The ops_*.c files are built once per instruction set (EXEC_ISA), at -O3 and
// without contraction; each offers one pick function that maps an Inst to its lane function, or null. A lane function
// is a loop over 32 lanes that the compiler vectorises, once for a full mask and once blending with the old value.
//
//   UNARY(name, S, T, expr)      d = expr(a)         S: how a lane is stored (uint32_t or uint64_t),
//   BINARY(name, S, T, expr)     d = expr(a, b)      T: the type the expression works in; its result is converted to
//   TERNARY(name, S, T, expr)    d = expr(a, b, c)   T, and stored zero-extended
// with MAP(…) for other combinations of storage and type. Floats are handled as bits through as_f32 and as_u32, so
// that NaNs can be made canonical.
#ifndef EXEC_OPS_H
#define EXEC_OPS_H

#include "exec/unit.h"

#include <fenv.h>
#include <string.h>

#define OPS_PASTE2(a, b) a##_##b
#define OPS_PASTE(a, b) OPS_PASTE2(a, b)
#define OPS_NAME(name) OPS_PASTE(name, EXEC_ISA)

#ifdef __clang__
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int n = 0; n < LANES; n++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int n = 0; n < LANES; n++)
#endif

// d[n] = (DS)(DT)(expr) for the lanes of mask, where expr sees the lane number n and what BIND declares.
#define STORE_LANES(DS, DT, BIND, expr)                    \
    DS *restrict_d = row(l, i->dst);                       \
    if (mask == FULL) {                                    \
        LANE_LOOP { BIND restrict_d[n] = (DS)(DT)(expr); } \
    } else {                                               \
        LANE_LOOP                                          \
        {                                                  \
            BIND DS result = (DS)(DT)(expr);               \
            DS keep = restrict_d[n];                       \
            restrict_d[n] = mask >> n & 1 ? result : keep; \
        }                                                  \
    }

#define MAP1(name, DS, DT, AS, AT, expr)                      \
    static void name(Lanes *l, const Dinst *i, uint32_t mask) \
    {                                                         \
        const AS *ra = row(l, i->a);                          \
        STORE_LANES(DS, DT, AT a = (AT)ra[n]; (void)a;, expr) \
    }
#define MAP2(name, DS, DT, AS, AT, BS, BT, expr)                                         \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                            \
    {                                                                                    \
        const AS *ra = row(l, i->a);                                                     \
        const BS *rb = row(l, i->b);                                                     \
        STORE_LANES(DS, DT, AT a = (AT)ra[n]; BT b = (BT)rb[n]; (void)a; (void)b;, expr) \
    }
#define MAP3(name, DS, DT, AS, AT, BS, BT, CS, CT, expr)                                                            \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                                                       \
    {                                                                                                               \
        const AS *ra = row(l, i->a);                                                                                \
        const BS *rb = row(l, i->b);                                                                                \
        const CS *rc = row(l, i->c);                                                                                \
        STORE_LANES(DS, DT, AT a = (AT)ra[n]; BT b = (BT)rb[n]; CT c = (CT)rc[n]; (void)a; (void)b; (void)c;, expr) \
    }
#define UNARY(name, S, T, expr) MAP1(name, S, T, S, T, expr)
#define BINARY(name, S, T, expr) MAP2(name, S, T, S, T, S, T, expr)
#define TERNARY(name, S, T, expr) MAP3(name, S, T, S, T, S, T, S, T, expr)

// Predicate results: the condition of every lane as a mask, merged into pdst (and its complement into pdst2).
static inline void put_pred(Lanes *l, uint16_t p, uint32_t value, uint32_t mask)
{
    l->pred[p] = (l->pred[p] & ~mask) | (value & mask);
}
static inline uint32_t get_pred(const Lanes *l, const Dinst *i)
{
    return i->psrc_negated ? ~l->pred[i->psrc] : l->pred[i->psrc];
}
// Gathers a condition per lane into a mask: the compiler makes compares and a movemask of it.
#define LANE_MASK(out, BIND, expr)                        \
    uint32_t out = 0;                                     \
    {                                                     \
        uint32_t bit[LANES];                              \
        LANE_LOOP { BIND bit[n] = (expr) ? 1u << n : 0; } \
        for (int n = 0; n < LANES; n++) out |= bit[n];    \
    }

static inline float as_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static inline uint32_t as_u32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}
static inline double as_f64(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}
static inline uint64_t as_u64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}
// Canonical NaNs (PTX ISA §9.7.3): every f32 operation that makes one gives 0x7fffffff. For f64 the ISA leaves the
// payload open; one value is used so that every host agrees.
static inline uint32_t canon32(float f) { return f == f ? as_u32(f) : 0x7fffffffu; }
static inline uint64_t canon64(double d) { return d == d ? as_u64(d) : 0x7ff8000000000000ull; }
// .ftz: subnormals become zeros of their sign.
static inline uint32_t flush32(uint32_t x) { return x & 0x7f800000u ? x : x & 0x80000000u; }

// Picks by signedness and width.
static inline bool ty_signed(uint8_t t) { return type_info[t].kind == K_SINT; }
static inline int ty_bits(uint8_t t) { return type_info[t].bits; }

// ops_*.c: the lane function for an instruction; null: it isn't one of theirs.
ExecFn *OPS_NAME(pick_int)(const Inst *i);
ExecFn *OPS_NAME(pick_logic)(const Inst *i);
ExecFn *OPS_NAME(pick_compare)(const Inst *i);
ExecFn *OPS_NAME(pick_float)(const Inst *i);
ExecFn *OPS_NAME(pick_sfu)(const Inst *i);
ExecFn *OPS_NAME(pick_half)(const Inst *i);
ExecFn *OPS_NAME(pick_cvt)(const Inst *i);
ExecFn *OPS_NAME(pick_video)(const Inst *i);
ExecFn *OPS_NAME(pick_tensor)(const Inst *i);
MultiplyFn *OPS_NAME(pick_multiply)(const Inst *i);

// --- what the floating-point files share -----------------------------------------------------------------------------
// Functions of one lane must vanish into their loop, which gcc would else leave scalar when they are long.
#define LANE_INLINE static inline __attribute__((always_inline))
// .sat of an f32 whose NaN is canonical, on integers: NaN, negatives and -0 are the large ones.
LANE_INLINE uint32_t clamp01(uint32_t x) { return x > 0x7f800000u ? 0 : x > 0x3f800000u ? 0x3f800000u : x; }
// key32, key64: floats in the order of signed integers, -0 below +0.
LANE_INLINE int32_t key32(uint32_t x) { return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) >> 1)); }
LANE_INLINE int64_t key64(uint64_t x) { return (int64_t)(x ^ ((uint64_t)((int64_t)x >> 63) >> 1)); }
LANE_INLINE bool nan32(uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u; }
LANE_INLINE bool nan64(uint64_t x) { return (x & ~(1ull << 63)) > 0x7ff0000000000000ull; }

// f16 and bf16 in the low half of x, to and from the bits of an f32; NaNs become canonical. No branches.
LANE_INLINE uint32_t half_to_f32(uint32_t x)
{
    uint32_t magnitude = x & 0x7fff, sign = (x & 0x8000) << 16;
    uint32_t finite = as_u32(as_f32(magnitude << 13) * 0x1p112f) | sign;
    uint32_t special = magnitude > 0x7c00 ? 0x7fffffffu : 0x7f800000u | sign;
    return magnitude >= 0x7c00 ? special : finite;
}
LANE_INLINE uint32_t bf16_to_f32(uint32_t x) { return (x & 0x7fff) > 0x7f80 ? 0x7fffffffu : x << 16; }
LANE_INLINE uint32_t f32_to_half_rn(uint32_t x)
{
    uint32_t magnitude = x & 0x7fffffffu, sign = x >> 16 & 0x8000;
    uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112u << 10);
    // adding 0.5 leaves the subnormal's bits, rounded, at the end of the significand
    uint32_t subnormal = as_u32(as_f32(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t r = (magnitude < 0x38800000u ? subnormal : normal);
    r = magnitude >= 0x477ff000u ? 0x7c00 : r;
    return magnitude > 0x7f800000u ? 0x7fff : r | sign;
}
LANE_INLINE uint32_t f32_to_bf16_rn(uint32_t x)
{
    uint32_t r = (x + 0x7fff + (x >> 16 & 1)) >> 16;
    return nan32(x) ? 0x7fff : r;
}

// Sums and narrowings rounded to odd: an inexact result gets an odd last bit, so that one more rounding to a type
// that is narrower by two bits or more gives the correctly rounded value.
LANE_INLINE float add_odd32(float a, float b)
{
    float s = a + b, bb = s - a, error = (a - (s - bb)) + (b - bb);
    uint32_t bits = as_u32(s);
    uint32_t inexact = ((uint32_t)(error < 0.0f) | (uint32_t)(error > 0.0f)) & ~bits & 1;
    uint32_t outward = (as_u32(error) ^ bits) >> 31 ^ 1;
    return as_f32(bits + inexact * (2 * outward - 1));
}
LANE_INLINE double add_odd64(double a, double b)
{
    double s = a + b, bb = s - a, error = (a - (s - bb)) + (b - bb);
    uint64_t bits = as_u64(s);
    uint64_t inexact = ((uint64_t)(error < 0.0) | (uint64_t)(error > 0.0)) & ~bits & 1;
    uint64_t outward = (as_u64(error) ^ bits) >> 63 ^ 1;
    return as_f64(bits + (inexact & outward) - (inexact & ~outward));
}
LANE_INLINE float narrow_odd(double d)
{
    float f = (float)d;
    double error = d - (double)f;
    uint32_t bits = as_u32(f), finite = (bits & 0x7f800000u) != 0x7f800000u;
    uint32_t inexact = ((uint32_t)(error < 0.0) | (uint32_t)(error > 0.0)) & ~bits & finite;
    uint32_t outward = ((uint32_t)(as_u64(error) >> 32) ^ bits) >> 31 ^ 1;
    return as_f32(bits + (inexact & 1) * (2 * outward - 1));
}

// Directed rounding: the host's mode is changed around a loop from memory to memory, which the barriers hold in
// place. The operands are copied to buf (flushed for .ftz) and the result, in buf[3], is finished and stored after.
#define ROUND_BARRIER(p) __asm__ volatile("" : : "r"(p) : "memory")
static inline int round_enter(const Dinst *i, void *buf)
{
    int old = fegetround();
    uint16_t m = i->inst->mod[G_RND];
    fesetround(m == M_RZ ? FE_TOWARDZERO : m == M_RM ? FE_DOWNWARD : m == M_RP ? FE_UPWARD : FE_TONEAREST);
    ROUND_BARRIER(buf);
    return old;
}
static inline void round_leave(int old, void *buf)
{
    ROUND_BARRIER(buf);
    fesetround(old);
}
static inline void load_f32(const Lanes *l, const Dinst *i, int sources, float buf[4][LANES])
{
    const Loc32 at[3] = {i->a, i->b, i->c};
    bool ftz = inst_has(i->inst, G_FTZ);
    for (int k = 0; k < sources; k++) {
        const uint32_t *r = row(l, at[k]);
        LANE_LOOP buf[k][n] = as_f32(ftz ? flush32(r[n]) : r[n]);
    }
}
static inline void load_f64(const Lanes *l, const Dinst *i, int sources, double buf[4][LANES])
{
    const Loc32 at[3] = {i->a, i->b, i->c};
    for (int k = 0; k < sources; k++) memcpy(buf[k], row(l, at[k]), sizeof buf[k]);
}
static inline void store_f32(Lanes *l, const Dinst *i, uint32_t mask, const float *value)
{
    bool ftz = inst_has(i->inst, G_FTZ), sat = inst_has(i->inst, G_SAT);
    STORE_LANES(uint32_t, uint32_t, uint32_t v = canon32(value[n]); v = ftz ? flush32(v) : v;, sat ? clamp01(v) : v)
}
static inline void store_f64(Lanes *l, const Dinst *i, uint32_t mask, const double *value)
{
    STORE_LANES(uint64_t, uint64_t, uint64_t v = canon64(value[n]);, v)
}
// DIRECTED(name, f32 or f64, float or double, sources, expr of a, b and c)
#define DIRECTED(name, T, C, sources, expr)                   \
    static void name(Lanes *l, const Dinst *i, uint32_t mask) \
    {                                                         \
        C buf[4][LANES] = {{0}};                              \
        load_##T(l, i, sources, buf);                         \
        int old = round_enter(i, buf);                        \
        for (int n = 0; n < LANES; n++) {                     \
            C a = buf[0][n], b = buf[1][n], c = buf[2][n];    \
            (void)a, (void)b, (void)c;                        \
            buf[3][n] = (expr);                               \
        }                                                     \
        round_leave(old, buf);                                \
        store_##T(l, i, mask, buf[3]);                        \
    }
// Is the rounding absent or .rn; absent or one of .rn, .rz, .rm, .rp?
static inline bool rounds_nearest(const Inst *i) { return i->mod[G_RND] == M_NONE || i->mod[G_RND] == M_RN; }
static inline bool rounds_float(const Inst *i)
{
    return i->mod[G_RND] == M_NONE || (i->mod[G_RND] >= M_RN && i->mod[G_RND] <= M_RP);
}

#endif
