// ops_half.c: f16 and bf16 arithmetic, alone and in pairs (PTX ISA §9.7.4). Sums and f16 products are computed in
// f32, where a second rounding does no harm (24 ≥ 2·11 + 2 bits); bf16 products can be subnormal there, and a fused
// multiply-add has too many bits, so these are rounded to odd first (ops.h). NaNs are 0x7fff.
#if defined(__GNUC__) && !defined(__clang__)
#endif
#include "exec/ops.h"
#include "ptx/ops.h"

#define NAN16 0x7fffu

LANE_INLINE uint32_t flush16(uint32_t x) { return x & 0x7c00 ? x : x & 0x8000; }
LANE_INLINE uint32_t clamp16(uint32_t x) { return x > 0x7c00 ? 0 : x > 0x3c00 ? 0x3c00 : x; }
// .relu: negative results, -0 among them, become +0; a NaN stays
LANE_INLINE uint32_t relu16(uint32_t x) { return x & 0x8000 ? 0 : x; }

LANE_INLINE float f16(uint32_t x) { return as_f32(half_to_f32(x)); }
LANE_INLINE float bf16(uint32_t x) { return as_f32(bf16_to_f32(x)); }
LANE_INLINE uint32_t add_h(uint32_t a, uint32_t b) { return f32_to_half_rn(as_u32(f16(a) + f16(b))); }
LANE_INLINE uint32_t sub_h(uint32_t a, uint32_t b) { return f32_to_half_rn(as_u32(f16(a) - f16(b))); }
LANE_INLINE uint32_t mul_h(uint32_t a, uint32_t b) { return f32_to_half_rn(as_u32(f16(a) * f16(b))); }
LANE_INLINE uint32_t fma_h(uint32_t a, uint32_t b, uint32_t c)
{
    return f32_to_half_rn(as_u32(add_odd32(f16(a) * f16(b), f16(c))));
}
LANE_INLINE uint32_t add_b(uint32_t a, uint32_t b) { return f32_to_bf16_rn(as_u32(bf16(a) + bf16(b))); }
LANE_INLINE uint32_t sub_b(uint32_t a, uint32_t b) { return f32_to_bf16_rn(as_u32(bf16(a) - bf16(b))); }
LANE_INLINE uint32_t mul_b(uint32_t a, uint32_t b)
{
    return f32_to_bf16_rn(as_u32(narrow_odd((double)bf16(a) * (double)bf16(b))));
}
LANE_INLINE uint32_t fma_b(uint32_t a, uint32_t b, uint32_t c)
{
    return f32_to_bf16_rn(as_u32(narrow_odd(add_odd64((double)bf16(a) * (double)bf16(b), bf16(c)))));
}

// min, max as of f32 (§9.7.4.7, §9.7.4.8); inf: the infinity of the type, all ones in the exponent
LANE_INLINE int32_t key16(uint32_t x) { return (int16_t)x ^ (((int16_t)x >> 15) & 0x7fff); }
LANE_INLINE uint32_t least16(uint32_t a, uint32_t b, uint32_t inf, bool greatest, bool nan, bool xorsign)
{
    uint32_t sign = xorsign ? (a ^ b) & 0x8000 : 0;
    if (xorsign) a &= 0x7fff, b &= 0x7fff;
    uint32_t r = greatest ? (key16(a) > key16(b) ? a : b) : key16(a) < key16(b) ? a : b;
    uint32_t an = (a & 0x7fff) > inf, bn = (b & 0x7fff) > inf;
    r = bn ? a : r;
    r = an ? b : r;
    return (nan ? an | bn : an & bn) ? NAN16 : r | sign;
}
LANE_INLINE uint32_t abs16(uint32_t a, uint32_t inf) { return (a & 0x7fff) > inf ? NAN16 : a & 0x7fff; }
LANE_INLINE uint32_t neg16(uint32_t a, uint32_t inf) { return (a & 0x7fff) > inf ? NAN16 : a ^ 0x8000; }

// Every operation has a form for a scalar and one for a pair.
#define LO(x) ((x)&0xffff)
#define HI(x) ((x) >> 16)
#define HALF1(name, op)                        \
    UNARY(name, uint32_t, uint32_t, op(LO(a))) \
    UNARY(name##_x2, uint32_t, uint32_t, op(LO(a)) | op(HI(a)) << 16)
#define HALF2(name, op)                                \
    BINARY(name, uint32_t, uint32_t, op(LO(a), LO(b))) \
    BINARY(name##_x2, uint32_t, uint32_t, op(LO(a), LO(b)) | op(HI(a), HI(b)) << 16)
#define HALF3(name, op)                                        \
    TERNARY(name, uint32_t, uint32_t, op(LO(a), LO(b), LO(c))) \
    TERNARY(name##_x2, uint32_t, uint32_t, op(LO(a), LO(b), LO(c)) | op(HI(a), HI(b), HI(c)) << 16)

// f16 with .ftz, .sat, .relu
#define FTZ1(op) \
    LANE_INLINE uint32_t op##_ftz(uint32_t a) { return flush16(op(flush16(a))); }
#define FTZ2(op) \
    LANE_INLINE uint32_t op##_ftz(uint32_t a, uint32_t b) { return flush16(op(flush16(a), flush16(b))); }
#define FTZ3(op)                                                      \
    LANE_INLINE uint32_t op##_ftz(uint32_t a, uint32_t b, uint32_t c) \
    {                                                                 \
        return flush16(op(flush16(a), flush16(b), flush16(c)));       \
    }
#define THEN2(op, last, name) \
    LANE_INLINE uint32_t name(uint32_t a, uint32_t b) { return last(op(a, b)); }
#define THEN3(op, last, name) \
    LANE_INLINE uint32_t name(uint32_t a, uint32_t b, uint32_t c) { return last(op(a, b, c)); }
#define ARITH2(op)                         \
    FTZ2(op)                               \
    THEN2(op, clamp16, op##_sat)           \
    THEN2(op##_ftz, clamp16, op##_ftz_sat) \
    HALF2(op##_f16, op)                    \
    HALF2(op##_f16_ftz, op##_ftz)          \
    HALF2(op##_f16_sat, op##_sat)          \
    HALF2(op##_f16_ftz_sat, op##_ftz_sat)
ARITH2(add_h)
ARITH2(sub_h)
ARITH2(mul_h)
FTZ3(fma_h)
THEN3(fma_h, clamp16, fma_h_sat)
THEN3(fma_h_ftz, clamp16, fma_h_ftz_sat)
THEN3(fma_h, relu16, fma_h_relu)
THEN3(fma_h_ftz, relu16, fma_h_ftz_relu)
THEN3(fma_b, relu16, fma_b_relu)
HALF3(fma_h_f16, fma_h)
HALF3(fma_h_f16_ftz, fma_h_ftz)
HALF3(fma_h_f16_sat, fma_h_sat)
HALF3(fma_h_f16_ftz_sat, fma_h_ftz_sat)
HALF3(fma_h_f16_relu, fma_h_relu)
HALF3(fma_h_f16_ftz_relu, fma_h_ftz_relu)
HALF2(add_bf16, add_b)
HALF2(sub_bf16, sub_b)
HALF2(mul_bf16, mul_b)
HALF3(fma_bf16, fma_b)
HALF3(fma_bf16_relu, fma_b_relu)

LANE_INLINE uint32_t abs_h(uint32_t a) { return abs16(a, 0x7c00); }
LANE_INLINE uint32_t neg_h(uint32_t a) { return neg16(a, 0x7c00); }
LANE_INLINE uint32_t abs_b(uint32_t a) { return abs16(a, 0x7f80); }
LANE_INLINE uint32_t neg_b(uint32_t a) { return neg16(a, 0x7f80); }
FTZ1(abs_h)
FTZ1(neg_h)
HALF1(abs_f16, abs_h)
HALF1(abs_f16_ftz, abs_h_ftz)
HALF1(neg_f16, neg_h)
HALF1(neg_f16_ftz, neg_h_ftz)
HALF1(abs_bf16, abs_b)
HALF1(neg_bf16, neg_b)

#define LEAST(name, inf, greatest, nan, xorsign) \
    LANE_INLINE uint32_t name##_op(uint32_t a, uint32_t b) { return least16(a, b, inf, greatest, nan, xorsign); }
#define LEAST_F16(name, greatest, nan, xorsign) \
    LEAST(name, 0x7c00, greatest, nan, xorsign) FTZ2(name##_op) HALF2(name, name##_op) HALF2(name##_ftz, name##_op_ftz)
#define LEAST_BF16(name, greatest, nan, xorsign) LEAST(name, 0x7f80, greatest, nan, xorsign) HALF2(name, name##_op)
#define LEAST_ALL(each, name)                                                                \
    each(min_##name, false, false, false) each(max_##name, true, false, false)               \
        each(min_##name##_n, false, true, false) each(max_##name##_n, true, true, false)     \
            each(min_##name##_s, false, false, true) each(max_##name##_s, true, false, true) \
                each(min_##name##_ns, false, true, true) each(max_##name##_ns, true, true, true)
LEAST_ALL(LEAST_F16, f16)
LEAST_ALL(LEAST_BF16, bf16)

#define PICK_X2(name) (pair ? name##_x2 : name)
#define PICK_FTZ(name) (ftz ? PICK_X2(name##_ftz) : PICK_X2(name))
#define PICK_FORM(name) (sat ? (ftz ? PICK_X2(name##_ftz_sat) : PICK_X2(name##_sat)) : PICK_FTZ(name))
#define PICK_LEAST(name, pick) \
    (nan ? (xorsign ? pick(name##_ns) : pick(name##_n)) : xorsign ? pick(name##_s) : pick(name))

ExecFn *OPS_NAME(pick_half)(const Inst *i)
{
    bool pair = i->type == TY_F16X2 || i->type == TY_BF16X2, is_bf16 = i->type == TY_BF16 || i->type == TY_BF16X2;
    bool ftz = inst_has(i, G_FTZ), sat = inst_has(i, G_SAT), relu = inst_has(i, G_RELU);
    bool nan = inst_has(i, G_NAN), xorsign = inst_has(i, G_XORSIGN);
    if (!is_bf16 && i->type != TY_F16 && i->type != TY_F16X2) return NULL;
    if (!rounds_nearest(i) || i->mod[G_SAT] == M_SATFINITE || inst_has(i, G_MUL) || inst_has(i, G_CC)) return NULL;
    if (is_bf16 && (ftz || sat)) return NULL;
    if (relu && (sat || i->op != OP_FMA)) return NULL;
    switch (i->op) {
    case OP_ADD: return is_bf16 ? PICK_X2(add_bf16) : PICK_FORM(add_h_f16);
    case OP_SUB: return is_bf16 ? PICK_X2(sub_bf16) : PICK_FORM(sub_h_f16);
    case OP_MUL: return is_bf16 ? PICK_X2(mul_bf16) : PICK_FORM(mul_h_f16);
    case OP_FMA:
        if (is_bf16) return relu ? PICK_X2(fma_bf16_relu) : PICK_X2(fma_bf16);
        if (relu) return ftz ? PICK_X2(fma_h_f16_ftz_relu) : PICK_X2(fma_h_f16_relu);
        return PICK_FORM(fma_h_f16);
    case OP_ABS: return is_bf16 ? PICK_X2(abs_bf16) : PICK_FTZ(abs_f16);
    case OP_NEG: return is_bf16 ? PICK_X2(neg_bf16) : PICK_FTZ(neg_f16);
    case OP_MIN:
        if (xorsign != inst_has(i, G_ABS)) return NULL;
        return is_bf16 ? PICK_LEAST(min_bf16, PICK_X2) : PICK_LEAST(min_f16, PICK_FTZ);
    case OP_MAX:
        if (xorsign != inst_has(i, G_ABS)) return NULL;
        return is_bf16 ? PICK_LEAST(max_bf16, PICK_X2) : PICK_LEAST(max_f16, PICK_FTZ);
    default: return NULL;
    }
}
