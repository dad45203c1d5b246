// ops_sfu.c: reciprocals, roots and transcendentals (PTX ISA §9.7.3.13–22, §9.7.4.9–10). The ISA bounds the error of
// .approx and leaves the bits open; here the values are computed in double with polynomials and rounded once, so that
// they are nearly always the correctly rounded ones, and the same on every host: no libm, no contraction.
#if defined(__GNUC__) && !defined(__clang__)
#endif
#include "exec/ops.h"
#include "ptx/ops.h"

#define SIGN32 0x80000000u
#define FORMS(name, op)                    \
    UNARY(name, uint32_t, uint32_t, op(a)) \
    UNARY(name##_ftz, uint32_t, uint32_t, flush32(op(flush32(a))))
#define PICK_FTZ(name, i) (inst_has(i, G_FTZ) ? name##_ftz : name)

// rcp, sqrt: IEEE operations of the host, for .approx too
LANE_INLINE uint32_t rcp32(uint32_t a) { return canon32(1.0f / as_f32(a)); }
LANE_INLINE uint32_t sqrt32(uint32_t a) { return canon32(__builtin_sqrtf(as_f32(a))); }
FORMS(rcp_f32, rcp32)
FORMS(sqrt_f32, sqrt32)
UNARY(rcp_f64, uint64_t, uint64_t, canon64(1.0 / as_f64(a)))
UNARY(sqrt_f64, uint64_t, uint64_t, canon64(__builtin_sqrt(as_f64(a))))
UNARY(rsqrt_f64, uint64_t, uint64_t, canon64(1.0 / __builtin_sqrt(as_f64(a))))
DIRECTED(rcp_f32_dir, f32, float, 1, 1.0f / a)
DIRECTED(sqrt_f32_dir, f32, float, 1, __builtin_sqrtf(a))
DIRECTED(rcp_f64_dir, f64, double, 1, 1.0 / a)
DIRECTED(sqrt_f64_dir, f64, double, 1, __builtin_sqrt(a))

// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64 (§9.7.3.14, §9.7.3.17): upper half to upper half
LANE_INLINE uint64_t flush64(uint64_t x) { return x & 0x7ff0000000000000ull ? x : x & 1ull << 63; }
LANE_INLINE uint64_t upper(uint64_t bits, bool nan)
{
    return nan ? 0x7fffffff00000000ull : (flush64(bits) + 0x80000000u) & 0xffffffff00000000ull;
}
LANE_INLINE uint64_t rcp64_upper(uint64_t a)
{
    double r = 1.0 / as_f64(flush64(a & 0xffffffff00000000ull));
    return upper(as_u64(r), nan64(a));
}
LANE_INLINE uint64_t rsqrt64_upper(uint64_t a)
{
    uint64_t x = flush64(a & 0xffffffff00000000ull);
    double r = 1.0 / __builtin_sqrt(as_f64(x));
    return upper(as_u64(r), nan64(a) || nan64(as_u64(r)));
}
UNARY(rcp_approx_f64, uint64_t, uint64_t, rcp64_upper(a))
UNARY(rsqrt_approx_f64, uint64_t, uint64_t, rsqrt64_upper(a))

// rsqrt: two correctly rounded steps and one of Newton's in double
LANE_INLINE uint32_t rsqrt32(uint32_t a)
{
    float first = 1.0f / __builtin_sqrtf(as_f32(a));
    double x = as_f32(a), y = first;
    float better = (float)(y * (1.5 - 0.5 * (x * y) * y));
    bool positive = a - 1 < 0x7f800000u - 1;
    return positive ? as_u32(better) : canon32(first);
}
FORMS(rsqrt_f32, rsqrt32)

// Adding and subtracting 1.5·2^52 rounds to an integer, which stands in the low bits of the sum.
#define ROUNDER 0x1.8p52

// sin, cos: x = q·π/2 + r with π/2 in parts of 24, 20 and 53 bits, so that q·part is exact for |x| < 2^29; Taylor
// polynomials in |r| ≤ π/4. Past that the value is in [-1, 1] and without meaning.
LANE_INLINE double sin_poly(double r, double s)
{
    double p = -0x1.ae64567f544e4p-26;
    p = p * s + 0x1.71de3a556c734p-19;
    p = p * s - 0x1.a01a01a01a01ap-13;
    p = p * s + 0x1.1111111111111p-7;
    p = p * s - 0x1.5555555555555p-3;
    return r * (1.0 + s * p);
}
LANE_INLINE double cos_poly(double s)
{
    double p = 0x1.1eed8eff8d898p-29;
    p = p * s - 0x1.27e4fb7789f5cp-22;
    p = p * s + 0x1.a01a01a01a01ap-16;
    p = p * s - 0x1.6c16c16c16c17p-10;
    p = p * s + 0x1.5555555555555p-5;
    p = p * s - 0.5;
    return 1.0 + s * p;
}
LANE_INLINE uint32_t sincos32(uint32_t a, uint32_t quarter)
{
    double x = as_f32(a), sum = x * 0x1.45f306dc9c883p-1 + ROUNDER, q = sum - ROUNDER;
    double r = x - q * 0x1.921fb4p0;
    r = r - q * 0x1.4442dp-24;
    r = r - q * 0x1.8469898cc5170p-48;
    r = r > 0.8 ? 0.8 : r;
    r = r < -0.8 ? -0.8 : r;
    double s = r * r;
    uint64_t k = as_u64(sum) + quarter, sine = as_u64(sin_poly(r, s)), cosine = as_u64(cos_poly(s));
    uint64_t odd = 0 - (k & 1);
    return canon32((float)as_f64(((cosine & odd) | (sine & ~odd)) ^ (k & 2) << 62));
}
#define SIN32(a) sincos32(a, 0)
#define COS32(a) sincos32(a, 1)
FORMS(sin_f32, SIN32)
FORMS(cos_f32, COS32)

// lg2: a = m·2^e with m in [√½, √2); log2 m = 2/ln 2 · artanh s, s = (m − 1)/(m + 1)
LANE_INLINE uint32_t lg2_32(uint32_t a)
{
    uint32_t tiny = a < 0x800000u, scaled = as_u32(as_f32(a) * 0x1p24f);
    uint32_t bits = tiny ? scaled : a;
    int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23;
    double m = as_f32(bits - ((uint32_t)e << 23)), d = e - (tiny ? 24 : 0);
    double s = (m - 1.0) / (m + 1.0), t = s * s;
    double p = 0x1.0c9a84994022dp-2;
    p = p * t + 0x1.484b13d7c02a9p-2;
    p = p * t + 0x1.a61762a7aded9p-2;
    p = p * t + 0x1.2776c50ef9bfep-1;
    p = p * t + 0x1.ec709dc3a03fdp-1;
    p = p * t + 0x1.71547652b82fep+1;
    uint32_t finite = as_u32((float)(d + s * p));
    // zeros; negative numbers and NaNs; +∞
    uint32_t r = a << 1 == 0 ? 0xff800000u : 0x7fffffffu;
    r = a == 0x7f800000u ? a : r;
    return a - 1 < 0x7f800000u - 1 ? finite : r;
}
FORMS(lg2_f32, lg2_32)

// 2^f − 1 for |f| ≤ ½
LANE_INLINE double ex2_poly(double f)
{
    double p = 0x1.b5253d395e7c4p-24;
    p = p * f + 0x1.62c0223a5c824p-20;
    p = p * f + 0x1.ffcbfc588b0c7p-17;
    p = p * f + 0x1.430912f86c787p-13;
    p = p * f + 0x1.5d87fe78a6731p-10;
    p = p * f + 0x1.3b2ab6fba4e77p-7;
    p = p * f + 0x1.c6b08d704a0c0p-5;
    p = p * f + 0x1.ebfbdff82c58fp-3;
    p = p * f + 0x1.62e42fefa39efp-1;
    return p * f;
}
LANE_INLINE uint32_t ex2_32(uint32_t a)
{
    double x = as_f32(a);
    x = x > 129.0 ? 129.0 : x;
    x = x < -160.0 ? -160.0 : x;
    double sum = x + ROUNDER, f = x - (sum - ROUNDER);
    double scale = as_f64((as_u64(sum) + 1023) << 52);
    uint32_t r = as_u32((float)(scale + scale * ex2_poly(f)));
    return nan32(a) ? 0x7fffffffu : r;
}
FORMS(ex2_f32, ex2_32)

// tanh |a| = g/(g + 2) with g = e^{2|a|} − 1, which keeps its precision near 0
LANE_INLINE uint32_t tanh32(uint32_t a)
{
    double x = as_f32(a & ~SIGN32);
    x = x > 10.0 ? 10.0 : x;
    x = x * 0x1.71547652b82fep+1;
    double sum = x + ROUNDER, f = x - (sum - ROUNDER);
    double scale = as_f64((as_u64(sum) + 1023) << 52), g = scale * ex2_poly(f) + (scale - 1.0);
    uint32_t r = as_u32((float)(g / (g + 2.0))) | (a & SIGN32);
    return nan32(a) ? 0x7fffffffu : r;
}
UNARY(tanh_f32, uint32_t, uint32_t, tanh32(a))

// f16, bf16: through f32
#define LO(x) ((x)&0xffff)
#define HI(x) ((x) >> 16)
LANE_INLINE uint32_t flush_bf16(uint32_t x) { return x & 0x7f80 ? x : x & 0x8000; }
LANE_INLINE uint32_t ex2_h(uint32_t a) { return f32_to_half_rn(ex2_32(half_to_f32(a))); }
LANE_INLINE uint32_t ex2_b(uint32_t a) { return flush_bf16(f32_to_bf16_rn(ex2_32(bf16_to_f32(flush_bf16(a))))); }
LANE_INLINE uint32_t tanh_h(uint32_t a) { return f32_to_half_rn(tanh32(half_to_f32(a))); }
LANE_INLINE uint32_t tanh_b(uint32_t a) { return f32_to_bf16_rn(tanh32(bf16_to_f32(a))); }
#define HALF(name, op)                         \
    UNARY(name, uint32_t, uint32_t, op(LO(a))) \
    UNARY(name##_x2, uint32_t, uint32_t, op(LO(a)) | op(HI(a)) << 16)
HALF(ex2_f16, ex2_h)
HALF(ex2_bf16, ex2_b)
HALF(tanh_f16, tanh_h)
HALF(tanh_bf16, tanh_b)

// Forms with a rounding mode (rcp, sqrt) and without .approx
static ExecFn *pick_rounded(const Inst *i)
{
    bool nearest = i->mod[G_RND] == M_RN, wide = i->type == TY_F64, rcp = i->op == OP_RCP;
    if (!rounds_float(i) || (i->op != OP_RCP && i->op != OP_SQRT) || (wide && inst_has(i, G_FTZ))) return NULL;
    if (wide) return rcp ? (nearest ? rcp_f64 : rcp_f64_dir) : nearest ? sqrt_f64 : sqrt_f64_dir;
    if (nearest) return rcp ? PICK_FTZ(rcp_f32, i) : PICK_FTZ(sqrt_f32, i);
    return rcp ? rcp_f32_dir : sqrt_f32_dir;
}

ExecFn *OPS_NAME(pick_sfu)(const Inst *i)
{
    bool wide = i->type == TY_F64, ftz = inst_has(i, G_FTZ);
    bool half = i->type == TY_F16 || i->type == TY_F16X2, bf16 = i->type == TY_BF16 || i->type == TY_BF16X2;
    bool pair = i->type == TY_F16X2 || i->type == TY_BF16X2;
    if (inst_has(i, G_RND) && inst_has(i, G_APPROX)) return NULL;
    if (inst_has(i, G_RND)) return wide || i->type == TY_F32 ? pick_rounded(i) : NULL;
    if (i->mod[G_APPROX] != M_APPROX) return NULL;
    if (wide) {
        if (i->op == OP_RCP) return ftz ? rcp_approx_f64 : NULL;
        if (i->op == OP_RSQRT) return ftz ? rsqrt_approx_f64 : rsqrt_f64;
        return NULL;
    }
    if (half || bf16) {
        if (i->op == OP_EX2 && ftz == bf16) return half ? (pair ? ex2_f16_x2 : ex2_f16) : pair ? ex2_bf16_x2 : ex2_bf16;
        if (i->op == OP_TANH && !ftz) return half ? (pair ? tanh_f16_x2 : tanh_f16) : pair ? tanh_bf16_x2 : tanh_bf16;
        return NULL;
    }
    if (i->type != TY_F32) return NULL;
    switch (i->op) {
    case OP_RCP: return PICK_FTZ(rcp_f32, i);
    case OP_SQRT: return PICK_FTZ(sqrt_f32, i);
    case OP_RSQRT: return PICK_FTZ(rsqrt_f32, i);
    case OP_SIN: return PICK_FTZ(sin_f32, i);
    case OP_COS: return PICK_FTZ(cos_f32, i);
    case OP_LG2: return PICK_FTZ(lg2_f32, i);
    case OP_EX2: return PICK_FTZ(ex2_f32, i);
    case OP_TANH: return ftz ? NULL : tanh_f32;
    default: return NULL;
    }
}
