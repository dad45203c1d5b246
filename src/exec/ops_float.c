// ops_float.c: f32 and f64 arithmetic (PTX ISA §9.7.3). An f32 operation is a function from bits to bits; its forms
// with .ftz flush operands and result around it, and those with .sat clamp last. What selects or compares works on
// the bits, since compilers hesitate to vectorise float comparisons under a condition.
#include "exec/ops.h"
#include "ptx/ops.h"

#define NAN32 0x7fffffffu
#define NAN64 0x7ff8000000000000ull
#define SIGN32 0x80000000u
#define SIGN64 (1ull << 63)

// name, name_ftz, name_sat, name_ftz_sat
#define FORMS1(name, op)                   \
    UNARY(name, uint32_t, uint32_t, op(a)) \
    UNARY(name##_ftz, uint32_t, uint32_t, flush32(op(flush32(a))))
#define FORMS2(name, op)                       \
    BINARY(name, uint32_t, uint32_t, op(a, b)) \
    BINARY(name##_ftz, uint32_t, uint32_t, flush32(op(flush32(a), flush32(b))))
#define SAT_FORMS2(name, op)                                  \
    FORMS2(name, op)                                          \
    BINARY(name##_sat, uint32_t, uint32_t, clamp01(op(a, b))) \
    BINARY(name##_ftz_sat, uint32_t, uint32_t, clamp01(flush32(op(flush32(a), flush32(b)))))
#define SAT_FORMS3(name, op)                                                                 \
    TERNARY(name, uint32_t, uint32_t, op(a, b, c))                                           \
    TERNARY(name##_ftz, uint32_t, uint32_t, flush32(op(flush32(a), flush32(b), flush32(c)))) \
    TERNARY(name##_sat, uint32_t, uint32_t, clamp01(op(a, b, c)))                            \
    TERNARY(name##_ftz_sat, uint32_t, uint32_t, clamp01(flush32(op(flush32(a), flush32(b), flush32(c)))))
#define PICK_FTZ(name, i) (inst_has(i, G_FTZ) ? name##_ftz : name)
#define PICK_SAT(name, i) \
    (i->mod[G_SAT] == M_SAT ? (inst_has(i, G_FTZ) ? name##_ftz_sat : name##_sat) : PICK_FTZ(name, i))

// add, sub, mul, fma: round to nearest
LANE_INLINE uint32_t add32(uint32_t a, uint32_t b) { return canon32(as_f32(a) + as_f32(b)); }
LANE_INLINE uint32_t sub32(uint32_t a, uint32_t b) { return canon32(as_f32(a) - as_f32(b)); }
LANE_INLINE uint32_t mul32(uint32_t a, uint32_t b) { return canon32(as_f32(a) * as_f32(b)); }
LANE_INLINE uint32_t fma32(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return canon32(__builtin_fmaf(as_f32(a), as_f32(b), as_f32(c)));
#else
    // the product is exact in a double, and the sum rounded to odd survives the second rounding
    return canon32((float)add_odd64((double)as_f32(a) * (double)as_f32(b), as_f32(c)));
#endif
}
SAT_FORMS2(add_f32, add32)
SAT_FORMS2(sub_f32, sub32)
SAT_FORMS2(mul_f32, mul32)
SAT_FORMS3(fma_f32, fma32)
BINARY(add_f64, uint64_t, uint64_t, canon64(as_f64(a) + as_f64(b)))
BINARY(sub_f64, uint64_t, uint64_t, canon64(as_f64(a) - as_f64(b)))
BINARY(mul_f64, uint64_t, uint64_t, canon64(as_f64(a) * as_f64(b)))
TERNARY(fma_f64, uint64_t, uint64_t, canon64(__builtin_fma(as_f64(a), as_f64(b), as_f64(c))))

// Two .f32 in the halves of 64 bits (.f32x2). With another rounding the lanes' halves are 64 floats in a row.
LANE_INLINE uint32_t add32_ftz(uint32_t a, uint32_t b) { return flush32(add32(flush32(a), flush32(b))); }
LANE_INLINE uint32_t sub32_ftz(uint32_t a, uint32_t b) { return flush32(sub32(flush32(a), flush32(b))); }
LANE_INLINE uint32_t mul32_ftz(uint32_t a, uint32_t b) { return flush32(mul32(flush32(a), flush32(b))); }
LANE_INLINE uint32_t fma32_ftz(uint32_t a, uint32_t b, uint32_t c)
{
    return flush32(fma32(flush32(a), flush32(b), flush32(c)));
}
#define UPPER(x) (uint32_t)((x) >> 32)
#define HALVES2(op) ((uint64_t)op(UPPER(a), UPPER(b)) << 32 | op((uint32_t)a, (uint32_t)b))
#define HALVES3(op) ((uint64_t)op(UPPER(a), UPPER(b), UPPER(c)) << 32 | op((uint32_t)a, (uint32_t)b, (uint32_t)c))
BINARY(add_f32x2, uint64_t, uint64_t, HALVES2(add32))
BINARY(sub_f32x2, uint64_t, uint64_t, HALVES2(sub32))
BINARY(mul_f32x2, uint64_t, uint64_t, HALVES2(mul32))
TERNARY(fma_f32x2, uint64_t, uint64_t, HALVES3(fma32))
BINARY(add_f32x2_ftz, uint64_t, uint64_t, HALVES2(add32_ftz))
BINARY(sub_f32x2_ftz, uint64_t, uint64_t, HALVES2(sub32_ftz))
BINARY(mul_f32x2_ftz, uint64_t, uint64_t, HALVES2(mul32_ftz))
TERNARY(fma_f32x2_ftz, uint64_t, uint64_t, HALVES3(fma32_ftz))
#define DIRECTED_HALVES(name, expr)                                                             \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                                   \
    {                                                                                           \
        float buf[4][2 * LANES] = {{0}};                                                        \
        const Loc32 at[3] = {i->a, i->b, i->c};                                                 \
        bool ftz = inst_has(i->inst, G_FTZ);                                                    \
        for (int k = 0; k < i->inst->operands - 1; k++) {                                       \
            const uint32_t *r = row(l, at[k]);                                                  \
            for (int n = 0; n < 2 * LANES; n++) buf[k][n] = as_f32(ftz ? flush32(r[n]) : r[n]); \
        }                                                                                       \
        int old = round_enter(i, buf);                                                          \
        for (int n = 0; n < 2 * LANES; n++) {                                                   \
            float a = buf[0][n], b = buf[1][n];                                                 \
            buf[3][n] = (expr);                                                                 \
        }                                                                                       \
        round_leave(old, buf);                                                                  \
        uint32_t *to = row(l, i->dst);                                                          \
        for (int n = 0; n < 2 * LANES; n++) {                                                   \
            uint32_t v = canon32(buf[3][n]);                                                    \
            if (mask >> n / 2 & 1) to[n] = ftz ? flush32(v) : v;                                \
        }                                                                                       \
    }
DIRECTED_HALVES(add_f32x2_dir, a + b)
DIRECTED_HALVES(sub_f32x2_dir, a - b)
DIRECTED_HALVES(mul_f32x2_dir, a *b)
DIRECTED_HALVES(fma_f32x2_dir, __builtin_fmaf(a, b, buf[2][n]))

static ExecFn *pick_f32x2(const Inst *i)
{
    bool nearest = rounds_nearest(i);
    if (inst_has(i, G_SAT) || inst_has(i, G_APPROX) || inst_has(i, G_RELU)) return NULL;
    switch (i->op) {
    case OP_ADD: return nearest ? PICK_FTZ(add_f32x2, i) : add_f32x2_dir;
    case OP_SUB: return nearest ? PICK_FTZ(sub_f32x2, i) : sub_f32x2_dir;
    case OP_MUL: return nearest ? PICK_FTZ(mul_f32x2, i) : mul_f32x2_dir;
    case OP_FMA: return nearest ? PICK_FTZ(fma_f32x2, i) : fma_f32x2_dir;
    default: return NULL;
    }
}

// div: .full is correctly rounded too. .approx is a × (1/b), whose reciprocal is zero for |b| > 2^126 (§9.7.3.8).
LANE_INLINE uint32_t div32(uint32_t a, uint32_t b) { return canon32(as_f32(a) / as_f32(b)); }
LANE_INLINE uint32_t div32_approx(uint32_t a, uint32_t b)
{
    uint32_t infinite = (b & SIGN32) | 0x7f800000u;
    return div32(a, (b & ~SIGN32) > 0x7e800000u && !nan32(b) ? infinite : b);
}
FORMS2(div_f32, div32)
FORMS2(div_approx_f32, div32_approx)
BINARY(div_f64, uint64_t, uint64_t, canon64(as_f64(a) / as_f64(b)))

// .rz, .rm, .rp
DIRECTED(add_f32_dir, f32, float, 2, a + b)
DIRECTED(sub_f32_dir, f32, float, 2, a - b)
DIRECTED(mul_f32_dir, f32, float, 2, a *b)
DIRECTED(div_f32_dir, f32, float, 2, a / b)
DIRECTED(fma_f32_dir, f32, float, 3, __builtin_fmaf(a, b, c))
DIRECTED(add_f64_dir, f64, double, 2, a + b)
DIRECTED(sub_f64_dir, f64, double, 2, a - b)
DIRECTED(mul_f64_dir, f64, double, 2, a *b)
DIRECTED(div_f64_dir, f64, double, 2, a / b)
DIRECTED(fma_f64_dir, f64, double, 3, __builtin_fma(a, b, c))

// abs, neg, copysign
LANE_INLINE uint32_t abs32(uint32_t a) { return nan32(a) ? NAN32 : a & ~SIGN32; }
LANE_INLINE uint32_t neg32(uint32_t a) { return nan32(a) ? NAN32 : a ^ SIGN32; }
FORMS1(abs_f32, abs32)
FORMS1(neg_f32, neg32)
UNARY(abs_f64, uint64_t, uint64_t, nan64(a) ? NAN64 : a & ~SIGN64)
UNARY(neg_f64, uint64_t, uint64_t, nan64(a) ? NAN64 : a ^ SIGN64)
BINARY(copysign_f32, uint32_t, uint32_t, (a & SIGN32) | (b & ~SIGN32))
BINARY(copysign_f64, uint64_t, uint64_t, (a & SIGN64) | (b & ~SIGN64))

// min, max (§9.7.3.11, §9.7.3.12): -0 < +0; a NaN loses unless .NaN; .xorsign.abs orders magnitudes and gives the
// result the product's sign
LANE_INLINE uint32_t least32(uint32_t a, uint32_t b, bool greatest, bool nan, bool xorsign)
{
    uint32_t sign = xorsign ? (a ^ b) & SIGN32 : 0;
    if (xorsign) a &= ~SIGN32, b &= ~SIGN32;
    uint32_t r = greatest ? (key32(a) > key32(b) ? a : b) : key32(a) < key32(b) ? a : b;
    uint32_t an = (uint32_t)nan32(a), bn = (uint32_t)nan32(b);
    r = bn ? a : r;
    r = an ? b : r;
    return (nan ? an | bn : an & bn) ? NAN32 : r | sign;
}
LANE_INLINE uint64_t least64(uint64_t a, uint64_t b, bool greatest)
{
    uint64_t r = greatest ? (key64(a) > key64(b) ? a : b) : key64(a) < key64(b) ? a : b;
    r = nan64(b) ? a : r;
    r = nan64(a) ? b : r;
    return nan64(r) ? NAN64 : r;
}
#define MIN32(a, b) least32(a, b, false, false, false)
#define MAX32(a, b) least32(a, b, true, false, false)
#define MIN32_NAN(a, b) least32(a, b, false, true, false)
#define MAX32_NAN(a, b) least32(a, b, true, true, false)
#define MIN32_XOR(a, b) least32(a, b, false, false, true)
#define MAX32_XOR(a, b) least32(a, b, true, false, true)
#define MIN32_NAN_XOR(a, b) least32(a, b, false, true, true)
#define MAX32_NAN_XOR(a, b) least32(a, b, true, true, true)
FORMS2(min_f32, MIN32)
FORMS2(max_f32, MAX32)
FORMS2(min_nan_f32, MIN32_NAN)
FORMS2(max_nan_f32, MAX32_NAN)
FORMS2(min_xor_f32, MIN32_XOR)
FORMS2(max_xor_f32, MAX32_XOR)
FORMS2(min_nan_xor_f32, MIN32_NAN_XOR)
FORMS2(max_nan_xor_f32, MAX32_NAN_XOR)
// The least or greatest of three, perhaps of their magnitudes
#define LEAST3(name, greatest, nan, keep)                                                                          \
    TERNARY(name, uint32_t, uint32_t,                                                                              \
            least32(least32(a &keep, b &keep, greatest, nan, false), c &keep, greatest, nan, false))               \
    TERNARY(name##_ftz, uint32_t, uint32_t,                                                                        \
            least32(least32(flush32(a &keep), flush32(b &keep), greatest, nan, false), flush32(c &keep), greatest, \
                    nan, false))
LEAST3(min3_f32, false, false, FULL)
LEAST3(max3_f32, true, false, FULL)
LEAST3(min3_nan_f32, false, true, FULL)
LEAST3(max3_nan_f32, true, true, FULL)
LEAST3(min3_abs_f32, false, false, ~SIGN32)
LEAST3(max3_abs_f32, true, false, ~SIGN32)
LEAST3(min3_nan_abs_f32, false, true, ~SIGN32)
LEAST3(max3_nan_abs_f32, true, true, ~SIGN32)
BINARY(min_f64, uint64_t, uint64_t, least64(a, b, false))
BINARY(max_f64, uint64_t, uint64_t, least64(a, b, true))

// testp (§9.7.3.1): zeros count as normal
#define TESTP(name, T, sign, inf, least, expr)                      \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)       \
    {                                                               \
        const T *ra = row(l, i->a), infinity = inf, normal = least; \
        LANE_MASK(out, T a = ra[n] & ~sign;, expr)                  \
        (void)infinity, (void)normal;                               \
        put_pred(l, i->pdst, out, mask);                            \
    }
#define TESTP_BOTH(name, expr)                                        \
    TESTP(name##_f32, uint32_t, SIGN32, 0x7f800000u, 0x800000u, expr) \
    TESTP(name##_f64, uint64_t, SIGN64, 0x7ff0000000000000ull, 1ull << 52, expr)
TESTP_BOTH(finite, a < infinity)
TESTP_BOTH(infinite, a == infinity)
TESTP_BOTH(number, a <= infinity)
TESTP_BOTH(notanumber, a > infinity)
TESTP_BOTH(normal, (a >= normal && a < infinity) || a == 0)
TESTP_BOTH(subnormal, a != 0 && a < normal)

static ExecFn *pick_testp(const Inst *i, bool wide)
{
    switch (i->mod[G_TESTP]) {
    case M_FINITE: return wide ? finite_f64 : finite_f32;
    case M_INFINITE: return wide ? infinite_f64 : infinite_f32;
    case M_NUMBER: return wide ? number_f64 : number_f32;
    case M_NOTANUMBER: return wide ? notanumber_f64 : notanumber_f32;
    case M_NORMAL: return wide ? normal_f64 : normal_f32;
    case M_SUBNORMAL: return wide ? subnormal_f64 : subnormal_f32;
    default: return NULL;
    }
}

static ExecFn *pick_least3(const Inst *i, bool greatest)
{
    bool nan = inst_has(i, G_NAN);
    if (inst_has(i, G_XORSIGN) || inst_has(i, G_RELU)) return NULL;
    if (inst_has(i, G_ABS) && nan) return greatest ? PICK_FTZ(max3_nan_abs_f32, i) : PICK_FTZ(min3_nan_abs_f32, i);
    if (inst_has(i, G_ABS)) return greatest ? PICK_FTZ(max3_abs_f32, i) : PICK_FTZ(min3_abs_f32, i);
    if (nan) return greatest ? PICK_FTZ(max3_nan_f32, i) : PICK_FTZ(min3_nan_f32, i);
    return greatest ? PICK_FTZ(max3_f32, i) : PICK_FTZ(min3_f32, i);
}

static ExecFn *pick_least(const Inst *i, bool greatest)
{
    bool nan = inst_has(i, G_NAN), xorsign = inst_has(i, G_XORSIGN);
    if (i->operands == 4) return pick_least3(i, greatest);
    if (xorsign != inst_has(i, G_ABS) || inst_has(i, G_RELU)) return NULL;
    if (xorsign && nan) return greatest ? PICK_FTZ(max_nan_xor_f32, i) : PICK_FTZ(min_nan_xor_f32, i);
    if (xorsign) return greatest ? PICK_FTZ(max_xor_f32, i) : PICK_FTZ(min_xor_f32, i);
    if (nan) return greatest ? PICK_FTZ(max_nan_f32, i) : PICK_FTZ(min_nan_f32, i);
    return greatest ? PICK_FTZ(max_f32, i) : PICK_FTZ(min_f32, i);
}

static ExecFn *pick_f64(const Inst *i)
{
    bool nearest = rounds_nearest(i);
    if (inst_has(i, G_FTZ) || inst_has(i, G_SAT) || inst_has(i, G_APPROX)) return NULL;
    switch (i->op) {
    case OP_ADD: return nearest ? add_f64 : add_f64_dir;
    case OP_SUB: return nearest ? sub_f64 : sub_f64_dir;
    case OP_MUL: return nearest ? mul_f64 : mul_f64_dir;
    case OP_MAD:
    case OP_FMA: return nearest ? fma_f64 : fma_f64_dir;
    case OP_DIV: return nearest ? div_f64 : div_f64_dir;
    case OP_ABS: return abs_f64;
    case OP_NEG: return neg_f64;
    case OP_COPYSIGN: return copysign_f64;
    case OP_TESTP: return pick_testp(i, true);
    case OP_MIN:
    case OP_MAX:
        if (inst_has(i, G_NAN) || inst_has(i, G_XORSIGN) || inst_has(i, G_ABS) || inst_has(i, G_RELU)) return NULL;
        return i->op == OP_MAX ? max_f64 : min_f64;
    default: return NULL;
    }
}

ExecFn *OPS_NAME(pick_float)(const Inst *i)
{
    bool nearest = rounds_nearest(i);
    if (!rounds_float(i) || i->mod[G_SAT] == M_SATFINITE || inst_has(i, G_MUL) || inst_has(i, G_CC)) return NULL;
    if (i->type == TY_F64) return pick_f64(i);
    if (i->type == TY_F32X2) return pick_f32x2(i);
    if (i->type != TY_F32) return NULL;
    switch (i->op) {
    case OP_ADD: return nearest ? PICK_SAT(add_f32, i) : add_f32_dir;
    case OP_SUB: return nearest ? PICK_SAT(sub_f32, i) : sub_f32_dir;
    case OP_MUL: return nearest ? PICK_SAT(mul_f32, i) : mul_f32_dir;
    case OP_MAD:
    case OP_FMA:
        if (inst_has(i, G_RELU)) return NULL;
        return nearest ? PICK_SAT(fma_f32, i) : fma_f32_dir;
    case OP_DIV:
        if (inst_has(i, G_APPROX) && inst_has(i, G_RND)) return NULL;
        if (i->mod[G_APPROX] == M_APPROX) return PICK_FTZ(div_approx_f32, i);
        return nearest ? PICK_FTZ(div_f32, i) : div_f32_dir;
    case OP_ABS: return PICK_FTZ(abs_f32, i);
    case OP_NEG: return PICK_FTZ(neg_f32, i);
    case OP_COPYSIGN: return copysign_f32;
    case OP_TESTP: return pick_testp(i, false);
    case OP_MIN: return pick_least(i, false);
    case OP_MAX: return pick_least(i, true);
    default: return NULL;
    }
}
