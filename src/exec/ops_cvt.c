// ops_cvt.c: conversions (PTX ISA §9.7.9.21). `general` does every one of them with integers alone, a lane at a time,
// as its Inst says; it is the definition. The conversions that programs are full of have loops that vectorise and
// must give the same bits. Operands may be wider than their types (§9.4.1): a source counts with its low bits, and a
// result is extended to its register by its sign. The fast loops leave such operands to `general`.
//
// NaN becomes 0 as an integer, but 1 << (bits − 1) where the source is f64 or the destination has 64 bits.
#if defined(__GNUC__) && !defined(__clang__)
#endif
#include "exec/ops.h"
#include "ptx/ops.h"

#define NAN32 0x7fffffffu

// --- general ---------------------------------------------------------------------------------------------------------
// sig >> shift, rounded; sign is that of the number
static uint64_t round_shift(uint64_t sig, int shift, bool sign, uint8_t rnd)
{
    if (shift <= 0) return sig;
    uint64_t kept = shift < 64 ? sig >> shift : 0, half = 1ull << 63;
    uint64_t rest = shift < 64 ? sig << (64 - shift) : shift == 64 ? sig : sig != 0;
    switch (rnd) {
    case M_RZ:
    case M_RZI: return kept;
    case M_RM:
    case M_RMI: return kept + (sign && rest);
    case M_RP:
    case M_RPI: return kept + (!sign && rest);
    case M_RNA: return kept + (rest >= half);
    default: return kept + (rest > half || (rest == half && kept & 1));
    }
}

typedef struct Layout {
    int bits, mantissa, bias;
    uint64_t top;  // the least magnitude that is no number
} Layout;
static Layout layout(uint8_t t)  // of a pair: of its halves
{
    switch (t) {
    case TY_F16:
    case TY_F16X2: return (Layout){16, 10, 15, 0x7c00};
    case TY_BF16:
    case TY_BF16X2: return (Layout){16, 7, 127, 0x7f80};
    case TY_E4M3X2: return (Layout){8, 3, 7, 0x7f};  // without infinities (§5.2.3)
    case TY_E5M2X2: return (Layout){8, 2, 15, 0x7c};
    case TY_UE8M0X2: return (Layout){8, 0, 127, 0xff};    // powers of two, without a sign
    case TY_TF32: return (Layout){19, 10, 127, 0x3fc00};  // in the upper bits of an f32
    case TY_F32: return (Layout){32, 23, 127, 0x7f800000};
    default: return (Layout){64, 52, 1023, 0x7ff0000000000000};
    }
}
static bool is_pair(uint8_t t)
{
    return t == TY_F16X2 || t == TY_BF16X2 || t == TY_E4M3X2 || t == TY_E5M2X2 || t == TY_UE8M0X2;
}
static bool of_eights(uint8_t t) { return t == TY_E4M3X2 || t == TY_E5M2X2; }

// A number in parts: ± sig · 2^exp, or an infinity or NaN.
typedef struct Parts {
    bool sign, inf, nan;
    uint64_t sig;
    int exp;
} Parts;

static Parts unpack(uint8_t t, uint64_t x)
{
    Layout f = layout(t);
    int field = (int)(x >> f.mantissa & (uint64_t)(2 * f.bias + 1));
    uint64_t fraction = x & ((1ull << f.mantissa) - 1), size = x & ((1ull << (f.bits - 1)) - 1);
    bool inf = size == f.top && t != TY_E4M3X2;
    Parts p = {x >> (f.bits - 1) & 1, inf, size >= f.top && !inf, fraction, 1 - f.bias - f.mantissa};
    if (field) p.sig |= 1ull << f.mantissa, p.exp += field - 1;
    return p;
}

// To .ue8m0: the exponent of a number's magnitude, the next one where .rp rounds up; 0, the least, stands for all that
// is not above it. The ISA doesn't say what becomes of a sign or of zero; cuda_fp8.hpp of CUDA 13 does.
static uint64_t to_scale(uint8_t from, uint64_t x, const Inst *i)
{
    uint32_t size = (uint32_t)(from == TY_BF16X2 ? x << 16 : x) & 0x7fffffffu, exponent = size >> 23;
    if (i->mod[G_RND] == M_RP && size & 0x7fffff && size > 0x400000 && size < 0x7f800000) exponent++;
    return i->mod[G_SAT] == M_SATFINITE && size <= 0x7f800000 && exponent == 255 ? 254 : exponent;
}

static uint64_t pack(uint8_t t, Parts p, uint8_t rnd, bool satfinite)
{
    Layout f = layout(t);
    uint64_t infinity = f.top, r;
    if (p.nan)
        return t == TY_F64 ? 0x7ff8000000000000ull : t == TY_F32 || t == TY_TF32 ? NAN32 : of_eights(t) ? 0x7f : 0x7fff;
    if (p.inf)
        r = infinity;
    else if (!p.sig)
        r = 0;
    else {
        int zeros = __builtin_clzll(p.sig), e = p.exp - zeros + 63, least = 1 - f.bias;
        r = round_shift(p.sig << zeros, 63 - f.mantissa + (e < least ? least - e : 0), p.sign, rnd);
        if (e > (int)((infinity - 1) >> f.mantissa) - f.bias)
            r = infinity;
        else if (e >= least)
            r += (uint64_t)(e + f.bias - 1) << f.mantissa;
        bool stay = rnd == M_RZ || (rnd == M_RM && !p.sign) || (rnd == M_RP && p.sign);
        if (r >= infinity) r = stay ? infinity - 1 : infinity;
    }
    if (satfinite && r == infinity) r--;
    r |= (uint64_t)p.sign << (f.bits - 1);
    return t == TY_TF32 ? r << 13 : r;
}

// ± mag in an integer type: clamped (over: it is even larger), or wrapped
static uint64_t to_int(uint8_t t, bool sign, uint64_t mag, bool over, bool clamp)
{
    int bits = ty_bits(t);
    uint64_t most = ty_signed(t) ? (1ull << (bits - 1)) - !sign : sign ? 0 : bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (clamp && (over || mag > most)) mag = most;
    return sign ? 0 - mag : mag;
}

static uint64_t float_to_int(uint8_t to, uint8_t from, Parts p, uint8_t rnd)
{
    if (p.nan) return from == TY_F64 || ty_bits(to) == 64 ? 1ull << (ty_bits(to) - 1) : 0;
    if (p.inf || (p.sig && p.exp > __builtin_clzll(p.sig))) return to_int(to, p.sign, 0, true, true);
    if (!p.sig) return 0;
    return to_int(to, p.sign, p.exp >= 0 ? p.sig << p.exp : round_shift(p.sig, -p.exp, p.sign, rnd), false, true);
}

// The low bits of x as a number of an integer type, in 64 bits
static uint64_t extend(uint8_t t, uint64_t x)
{
    int unused = 64 - ty_bits(t);
    return ty_signed(t) ? (uint64_t)((int64_t)(x << unused) >> unused) : x << unused >> unused;
}

static uint64_t convert(const Inst *i, uint64_t x)  // of a pair one half
{
    uint8_t to = i->type, from = i->type2, rnd = i->mod[G_RND];
    bool ftz = inst_has(i, G_FTZ), sat = i->mod[G_SAT] == M_SAT, to_float = type_info[to].kind == K_FLOAT;
    Parts p;
    if (to == TY_UE8M0X2) return to_scale(from, x, i);
    if (type_info[from].kind != K_FLOAT) {
        x = extend(from, x);
        bool sign = ty_signed(from) && x >> 63;
        p = (Parts){.sign = sign, .sig = sign ? 0 - x : x};
        if (!to_float) return extend(to, to_int(to, p.sign, p.sig, false, sat));
    } else {
        p = from == TY_UE8M0X2 ? (Parts){.nan = x == 255, .sig = 1, .exp = (int)x - 127}
                               : unpack(from, from == TY_F32 && ftz ? flush32((uint32_t)x) : x);
        if (!to_float) return extend(to, float_to_int(to, from, p, rnd));
        if (rnd >= M_RNI && rnd <= M_RPI && p.sig && !p.inf && p.exp < 0) {
            p.sig = round_shift(p.sig, -p.exp, p.sign, rnd);
            p.exp = 0;
        }
    }
    if (sat && (p.nan || p.sign)) return 0;
    x = pack(to, p, rnd, i->mod[G_SAT] == M_SATFINITE);
    if (sat) {
        uint64_t one = (uint64_t)layout(to).bias << layout(to).mantissa;
        if (x > one) x = one;
    }
    if (ftz && to == TY_F32) x = flush32((uint32_t)x);
    if (inst_has(i, G_RELU) && p.sign && !p.nan) x = 0;
    return x;
}

static void general(Lanes *l, const Dinst *i, uint32_t mask)
{
    const Inst *in = i->inst;
    bool pair = is_pair(in->type), packed = is_pair(in->type2);
    int to_bits = layout(in->type).bits, from_bits = layout(in->type2).bits;
    bool a_long = ty_bits(in->type2) == 64 || i->flags & D_SRC_LONG, b_long = i->imm == CVT_SECOND_LONG,
         dst_long = ty_bits(in->type) == 64 || i->flags & D_LONG;
    bool narrow = ty_bits(in->type) <= 16 && !(i->flags & D_DST_32);
    const uint32_t *a32 = row(l, i->a), *b32 = row(l, i->b);
    const uint64_t *a64 = row(l, i->a), *b64 = row(l, i->b);
    uint32_t *d32 = row(l, i->dst);
    uint64_t *d64 = row(l, i->dst), result[LANES];
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        uint64_t upper = a_long ? a64[n] : packed ? a32[n] >> from_bits : a32[n], x = convert(in, upper);
        if (pair) x = x << to_bits | convert(in, packed ? a32[n] & ((1u << from_bits) - 1) : b_long ? b64[n] : b32[n]);
        result[n] = !dst_long && narrow && !pair ? x & 0xffff : x;
    }
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        if (dst_long)
            d64[n] = result[n];
        else
            d32[n] = (uint32_t)result[n];
    }
}

// --- between integers, without .sat: cut and extend, cut and extend --------------------------------------------------
// A number of a narrower type within a wider one: x & mask, then the sign bit (0: unsigned) carried upwards.
typedef struct Cut {
    uint64_t mask, sign;
} Cut;
static Cut cut_of(uint8_t t)
{
    uint64_t top = 1ull << (ty_bits(t) - 1);
    return (Cut){top | (top - 1), ty_signed(t) ? top : 0};
}
static void integers(Lanes *l, const Dinst *i, uint32_t mask)
{
    Cut from = cut_of(i->inst->type2), to = cut_of(i->inst->type);
    bool src_long = ty_bits(i->inst->type2) == 64 || i->flags & D_SRC_LONG;
    bool dst_long = ty_bits(i->inst->type) == 64 || i->flags & D_LONG;
    const uint32_t *a32 = row(l, i->a);
    const uint64_t *a64 = row(l, i->a);
    if (dst_long) {
        uint64_t wide[LANES];
        if (src_long)
            memcpy(wide, a64, sizeof wide);
        else
            LANE_LOOP wide[n] = a32[n];
        STORE_LANES(uint64_t, uint64_t, uint64_t x = ((wide[n] & from.mask) ^ from.sign) - from.sign;
                    , ((x & to.mask) ^ to.sign) - to.sign)
        return;
    }
    uint32_t keep = ty_bits(i->inst->type) <= 16 && !(i->flags & D_DST_32) ? 0xffff : FULL, low[LANES];
    uint32_t from_mask = (uint32_t)from.mask, from_sign = (uint32_t)from.sign, to_mask = (uint32_t)to.mask,
             to_sign = (uint32_t)to.sign;
    if (src_long)
        LANE_LOOP low[n] = (uint32_t)a64[n];
    else
        memcpy(low, a32, sizeof low);
    STORE_LANES(uint32_t, uint32_t, uint32_t x = ((low[n] & from_mask) ^ from_sign) - from_sign;
                , (((x & to_mask) ^ to_sign) - to_sign) & keep)
}

// --- the common conversions with floats ------------------------------------------------------------------------------
// FAST(name, DS, DT, AS, AT, expr) is MAP1, FAST2(name, S, T, expr) BINARY, unless an operand's register is wider than
// its type (§9.4.1)
#define WIDER(DS, AS) ((sizeof(DS) == 4 ? D_LONG : 0) | (sizeof(AS) == 4 ? D_SRC_LONG : 0))
#define FAST(name, DS, DT, AS, AT, expr)                      \
    static void name(Lanes *l, const Dinst *i, uint32_t mask) \
    {                                                         \
        if (i->flags & WIDER(DS, AS)) {                       \
            general(l, i, mask);                              \
            return;                                           \
        }                                                     \
        const AS *ra = row(l, i->a);                          \
        STORE_LANES(DS, DT, AT a = (AT)ra[n];, expr)          \
    }
#define FAST2(name, S, T, expr)                                  \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)    \
    {                                                            \
        if (i->flags & WIDER(S, S) || i->imm) {                  \
            general(l, i, mask);                                 \
            return;                                              \
        }                                                        \
        const S *ra = row(l, i->a), *rb = row(l, i->b);          \
        STORE_LANES(S, T, T a = (T)ra[n]; T b = (T)rb[n];, expr) \
    }

FAST(f32_u8, uint32_t, uint32_t, uint32_t, uint8_t, as_u32((float)a))
FAST(f32_s8, uint32_t, uint32_t, uint32_t, int8_t, as_u32((float)a))
FAST(f32_u16, uint32_t, uint32_t, uint32_t, uint16_t, as_u32((float)a))
FAST(f32_s16, uint32_t, uint32_t, uint32_t, int16_t, as_u32((float)a))
FAST(f32_u32, uint32_t, uint32_t, uint32_t, uint32_t, as_u32((float)a))
FAST(f32_s32, uint32_t, uint32_t, uint32_t, int32_t, as_u32((float)a))
FAST(f64_u32, uint64_t, uint64_t, uint32_t, uint32_t, as_u64((double)a))
FAST(f64_s32, uint64_t, uint64_t, uint32_t, int32_t, as_u64((double)a))
FAST(f64_u64, uint64_t, uint64_t, uint64_t, uint64_t, as_u64((double)a))
FAST(f64_s64, uint64_t, uint64_t, uint64_t, uint64_t, as_u64((double)(int64_t)a))
FAST(f32_u64, uint32_t, uint32_t, uint64_t, uint64_t, as_u32((float)a))
FAST(f32_s64, uint32_t, uint32_t, uint64_t, int64_t, as_u32((float)a))

// A magnitude rounded to an integer, and the adjustments of the other modes; the sign is x's, of zeros too.
#define INTEGRAL(T, U, bits_of, of_bits, SIGN, BIG)                                                \
    LANE_INLINE T rni_##T(T x)                                                                     \
    {                                                                                              \
        U bits = bits_of(x), sign = bits & SIGN;                                                   \
        T size = of_bits(bits ^ sign), r = (size + BIG) - BIG;                                     \
        U small = (U)0 - (U)(size < BIG);                                                          \
        return of_bits((bits_of(r) & small) | ((bits ^ sign) & ~small) | sign);                    \
    }                                                                                              \
    LANE_INLINE T step_##T(T x, T r, bool down, bool up)                                           \
    {                                                                                              \
        T less = (T)(int)(down & (r > x)), more = (T)(int)(up & (r < x));                          \
        return of_bits((bits_of(r - less + more) & ~(SIGN)) | (bits_of(x) & SIGN));                \
    }                                                                                              \
    LANE_INLINE T rmi_##T(T x) { return step_##T(x, rni_##T(x), true, false); }                    \
    LANE_INLINE T rpi_##T(T x) { return step_##T(x, rni_##T(x), false, true); }                    \
    LANE_INLINE T rzi_##T(T x)                                                                     \
    {                                                                                              \
        T size = of_bits(bits_of(x) & ~(SIGN));                                                    \
        return of_bits(bits_of(step_##T(size, rni_##T(size), true, false)) | (bits_of(x) & SIGN)); \
    }
INTEGRAL(float, uint32_t, as_u32, as_f32, 0x80000000u, 0x1p23f)
INTEGRAL(double, uint64_t, as_u64, as_f64, (1ull << 63), 0x1p52)

FAST(f32_rni, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rni_float(as_f32(a))))
FAST(f32_rzi, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rzi_float(as_f32(a))))
FAST(f32_rmi, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rmi_float(as_f32(a))))
FAST(f32_rpi, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rpi_float(as_f32(a))))
FAST(f32_rni_ftz, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rni_float(as_f32(flush32(a)))))
FAST(f32_rzi_ftz, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rzi_float(as_f32(flush32(a)))))
FAST(f32_rmi_ftz, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rmi_float(as_f32(flush32(a)))))
FAST(f32_rpi_ftz, uint32_t, uint32_t, uint32_t, uint32_t, canon32(rpi_float(as_f32(flush32(a)))))
FAST(f64_rni, uint64_t, uint64_t, uint64_t, uint64_t, canon64(rni_double(as_f64(a))))
FAST(f64_rzi, uint64_t, uint64_t, uint64_t, uint64_t, canon64(rzi_double(as_f64(a))))
FAST(f64_rmi, uint64_t, uint64_t, uint64_t, uint64_t, canon64(rmi_double(as_f64(a))))
FAST(f64_rpi, uint64_t, uint64_t, uint64_t, uint64_t, canon64(rpi_double(as_f64(a))))

// An integral x as an integer: clamped before the conversion, and what was out of range put right after it.
#define CLAMPED(name, C, I, low, high, at_nan)            \
    LANE_INLINE I name(C x)                               \
    {                                                     \
        C up = x > (C)(low) ? x : (C)(low);               \
        I inside = (I)(up < (C)(high) ? up : (C)(low));   \
        I ends = x >= (C)(high) ? (I) ~(I)(low) : inside; \
        return x == x ? ends : (I)(at_nan);               \
    }
// ~low is the largest number of the type: ~INT_MIN and ~0
CLAMPED(s32_of_float, float, int32_t, INT32_MIN, 0x1p31f, 0)
CLAMPED(u32_of_float, float, uint32_t, 0, 0x1p32f, 0)
CLAMPED(s64_of_float, float, int64_t, INT64_MIN, 0x1p63f, INT64_MIN)
CLAMPED(u64_of_float, float, uint64_t, 0, 0x1p64f, 1ull << 63)
CLAMPED(s32_of_double, double, int32_t, INT32_MIN, 0x1p31, INT32_MIN)
CLAMPED(u32_of_double, double, uint32_t, 0, 0x1p32, 1u << 31)
CLAMPED(s64_of_double, double, int64_t, INT64_MIN, 0x1p63, INT64_MIN)
CLAMPED(u64_of_double, double, uint64_t, 0, 0x1p64, 1ull << 63)

#define TO_INT(rnd)                                                                                     \
    FAST(s32_f32_##rnd, uint32_t, int32_t, uint32_t, uint32_t, s32_of_float(rnd##_float(as_f32(a))))    \
    FAST(u32_f32_##rnd, uint32_t, uint32_t, uint32_t, uint32_t, u32_of_float(rnd##_float(as_f32(a))))   \
    FAST(s64_f32_##rnd, uint64_t, int64_t, uint32_t, uint32_t, s64_of_float(rnd##_float(as_f32(a))))    \
    FAST(u64_f32_##rnd, uint64_t, uint64_t, uint32_t, uint32_t, u64_of_float(rnd##_float(as_f32(a))))   \
    FAST(s32_f64_##rnd, uint32_t, int32_t, uint64_t, uint64_t, s32_of_double(rnd##_double(as_f64(a))))  \
    FAST(u32_f64_##rnd, uint32_t, uint32_t, uint64_t, uint64_t, u32_of_double(rnd##_double(as_f64(a)))) \
    FAST(s64_f64_##rnd, uint64_t, int64_t, uint64_t, uint64_t, s64_of_double(rnd##_double(as_f64(a))))  \
    FAST(u64_f64_##rnd, uint64_t, uint64_t, uint64_t, uint64_t, u64_of_double(rnd##_double(as_f64(a))))
TO_INT(rni)
TO_INT(rzi)
TO_INT(rmi)
TO_INT(rpi)

// between floats
LANE_INLINE uint32_t canon_bits(uint32_t a) { return nan32(a) ? NAN32 : a; }
FAST(f32_f32, uint32_t, uint32_t, uint32_t, uint32_t, canon_bits(a))
FAST(f32_f32_ftz, uint32_t, uint32_t, uint32_t, uint32_t, canon_bits(flush32(a)))
FAST(f32_f32_sat, uint32_t, uint32_t, uint32_t, uint32_t, clamp01(canon_bits(a)))
FAST(f32_f32_ftz_sat, uint32_t, uint32_t, uint32_t, uint32_t, clamp01(canon_bits(flush32(a))))
FAST(f64_f32, uint64_t, uint64_t, uint32_t, uint32_t, canon64((double)as_f32(a)))
FAST(f64_f32_ftz, uint64_t, uint64_t, uint32_t, uint32_t, canon64((double)as_f32(flush32(a))))
FAST(f32_f64, uint32_t, uint32_t, uint64_t, uint64_t, canon32((float)as_f64(a)))
FAST(f32_f64_ftz, uint32_t, uint32_t, uint64_t, uint64_t, flush32(canon32((float)as_f64(a))))
FAST(f32_f16, uint32_t, uint32_t, uint32_t, uint32_t, half_to_f32(a & 0xffff))
FAST(f32_bf16, uint32_t, uint32_t, uint32_t, uint32_t, bf16_to_f32(a & 0xffff))
FAST(f16_f32, uint32_t, uint32_t, uint32_t, uint32_t, f32_to_half_rn(a))
FAST(bf16_f32, uint32_t, uint32_t, uint32_t, uint32_t, f32_to_bf16_rn(a))
FAST2(f16x2_f32, uint32_t, uint32_t, f32_to_half_rn(a) << 16 | f32_to_half_rn(b))
FAST2(bf16x2_f32, uint32_t, uint32_t, f32_to_bf16_rn(a) << 16 | f32_to_bf16_rn(b))
// to tf32, ties away from zero: half a last place is added to the magnitude, and the rest cut off
LANE_INLINE uint32_t tf32_rna(uint32_t a)
{
    return nan32(a) ? NAN32 : (a & 0x7fffffffu) == 0x7f800000u ? a : (a + 0x1000) & 0xffffe000u;
}
FAST(tf32_f32, uint32_t, uint32_t, uint32_t, uint32_t, tf32_rna(a))

// --- cvt.pack (§9.7.9.22): two numbers clamped to a narrower type, side by side, and the low bits of c above them ----
LANE_INLINE uint32_t narrowed(uint32_t x, int bits, bool is_signed)
{
    int32_t most = (1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0, v = (int32_t)x;
    return (uint32_t)(v > most ? most : v < least ? least : v) & ((1u << bits) - 1);
}
static void packs(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint32_t *ra = row(l, i->a), *rb = row(l, i->b), *rc = row(l, i->c);
    int bits = ty_bits(i->type);
    bool is_signed = ty_signed(i->type);
    uint32_t above = bits < 16 ? FULL : 0;
    STORE_LANES(uint32_t, uint32_t, ,
                narrowed(ra[n], bits, is_signed) << bits | narrowed(rb[n], bits, is_signed) |
                    (rc[n] & above) << (2 * bits & 31))
}

// --- picking ---------------------------------------------------------------------------------------------------------
#define PAIR_OF(to, from) ((to)*TY_COUNT + (from))

static ExecFn *fast_from_int(const Inst *i)
{
    if (i->mod[G_RND] != M_RN) return NULL;
    switch (PAIR_OF(i->type, i->type2)) {
    case PAIR_OF(TY_F32, TY_U8): return f32_u8;
    case PAIR_OF(TY_F32, TY_S8): return f32_s8;
    case PAIR_OF(TY_F32, TY_U16): return f32_u16;
    case PAIR_OF(TY_F32, TY_S16): return f32_s16;
    case PAIR_OF(TY_F32, TY_U32): return f32_u32;
    case PAIR_OF(TY_F32, TY_S32): return f32_s32;
    case PAIR_OF(TY_F32, TY_U64): return f32_u64;
    case PAIR_OF(TY_F32, TY_S64): return f32_s64;
    case PAIR_OF(TY_F64, TY_U32): return f64_u32;
    case PAIR_OF(TY_F64, TY_S32): return f64_s32;
    case PAIR_OF(TY_F64, TY_U64): return f64_u64;
    case PAIR_OF(TY_F64, TY_S64): return f64_s64;
    default: return NULL;
    }
}

#define BY_RND(name, r) ((r) == M_RNI ? name##_rni : (r) == M_RZI ? name##_rzi : (r) == M_RMI ? name##_rmi : name##_rpi)
static ExecFn *fast_to_int(const Inst *i)
{
    uint16_t r = i->mod[G_RND];
    if (inst_has(i, G_FTZ) && r != M_RNI && r != M_RZI) return NULL;  // subnormals round to zero anyway in these
    switch (PAIR_OF(i->type, i->type2)) {
    case PAIR_OF(TY_S32, TY_F32): return BY_RND(s32_f32, r);
    case PAIR_OF(TY_U32, TY_F32): return BY_RND(u32_f32, r);
    case PAIR_OF(TY_S64, TY_F32): return BY_RND(s64_f32, r);
    case PAIR_OF(TY_U64, TY_F32): return BY_RND(u64_f32, r);
    case PAIR_OF(TY_S32, TY_F64): return BY_RND(s32_f64, r);
    case PAIR_OF(TY_U32, TY_F64): return BY_RND(u32_f64, r);
    case PAIR_OF(TY_S64, TY_F64): return BY_RND(s64_f64, r);
    case PAIR_OF(TY_U64, TY_F64): return BY_RND(u64_f64, r);
    default: return NULL;
    }
}

static ExecFn *fast_floats(const Inst *i)
{
    uint16_t r = i->mod[G_RND];
    bool ftz = inst_has(i, G_FTZ), sat = inst_has(i, G_SAT);
    if (inst_has(i, G_RELU) || (sat && (i->type != TY_F32 || i->type2 != TY_F32 || r))) return NULL;
    switch (PAIR_OF(i->type, i->type2)) {
    case PAIR_OF(TY_F32, TY_F32):
        if (r)
            return ftz ? (r == M_RNI   ? f32_rni_ftz
                          : r == M_RZI ? f32_rzi_ftz
                          : r == M_RMI ? f32_rmi_ftz
                                       : f32_rpi_ftz)
                       : BY_RND(f32, r);
        return sat ? (ftz ? f32_f32_ftz_sat : f32_f32_sat) : ftz ? f32_f32_ftz : f32_f32;
    case PAIR_OF(TY_F64, TY_F64): return r ? BY_RND(f64, r) : NULL;
    case PAIR_OF(TY_F64, TY_F32): return ftz ? f64_f32_ftz : f64_f32;
    case PAIR_OF(TY_F32, TY_F64): return r != M_RN ? NULL : ftz ? f32_f64_ftz : f32_f64;
    case PAIR_OF(TY_F32, TY_F16): return ftz ? NULL : f32_f16;
    case PAIR_OF(TY_F32, TY_BF16): return ftz ? NULL : f32_bf16;
    case PAIR_OF(TY_F16, TY_F32): return ftz || r != M_RN ? NULL : f16_f32;
    case PAIR_OF(TY_BF16, TY_F32): return ftz || r != M_RN ? NULL : bf16_f32;
    case PAIR_OF(TY_F16X2, TY_F32): return ftz || r != M_RN ? NULL : f16x2_f32;
    case PAIR_OF(TY_BF16X2, TY_F32): return ftz || r != M_RN ? NULL : bf16x2_f32;
    case PAIR_OF(TY_TF32, TY_F32): return r != M_RNA ? NULL : tf32_f32;
    default: return NULL;
    }
}

// The forms that the ISA knows (legal.c explains them)
static bool legal(const Inst *i)
{
    uint8_t to = i->type, from = i->type2, r = i->mod[G_RND];
    bool from_float = type_info[from].kind == K_FLOAT, to_float = type_info[to].kind == K_FLOAT;
    bool frnd = r >= M_RN && r <= M_RP, irnd = r >= M_RNI && r <= M_RPI, nearest_or_zero = r == M_RN || r == M_RZ;
    bool relu = inst_has(i, G_RELU), satfinite = i->mod[G_SAT] == M_SATFINITE, sat = i->mod[G_SAT] == M_SAT,
         ftz = inst_has(i, G_FTZ);
    if (of_eights(from)) return to == TY_F16X2 && r == M_RN && !ftz && !sat && !satfinite;
    if (to == TY_UE8M0X2 || from == TY_UE8M0X2) return true;  // as check_legal has it
    if (of_eights(to))
        return (from == TY_F32 || from == TY_F16X2) && r == M_RN && satfinite && !ftz &&
               i->operands == (from == TY_F32 ? 3 : 2);
    if (is_pair(from) || is_pair(to) != (i->operands == 3)) return false;
    if (ftz && ((to != TY_F32 && from != TY_F32) || is_pair(to) || relu || satfinite)) return false;
    if (sat && ((to_float && to != TY_F16 && to != TY_F32 && to != TY_F64) || from == TY_BF16)) return false;
    if (sat && relu) return false;
    if (relu || satfinite)
        return from == TY_F32 && (to == TY_TF32 ? nearest_or_zero || (r == M_RNA && !relu)
                                                : to_float && ty_bits(to) <= 32 && to != TY_F32 && nearest_or_zero);
    if (!from_float && !to_float) return !r;
    if (!to_float) return irnd;
    if (!from_float) return frnd && !is_pair(to) && to != TY_TF32;
    if (is_pair(to)) return from == TY_F32 && nearest_or_zero;
    if (to == TY_TF32) return from == TY_F32 && (r == M_RNA || nearest_or_zero) && !ftz;
    if (to == from) return !r || irnd;
    if (from == TY_BF16 || (from == TY_F16 && to == TY_BF16)) return !r || frnd;
    return ty_bits(to) > ty_bits(from) ? !r : frnd;
}

ExecFn *OPS_NAME(pick_cvt)(const Inst *i)
{
    if (i->op == OP_CVT_PACK) return packs;
    if (i->op != OP_CVT || !legal(i)) return NULL;
    bool from_float = type_info[i->type2].kind == K_FLOAT, to_float = type_info[i->type].kind == K_FLOAT;
    if (!from_float && !to_float) return inst_has(i, G_SAT) ? general : integers;
    ExecFn *fast = NULL;
    if (!to_float)
        fast = fast_to_int(i);
    else if (from_float)
        fast = fast_floats(i);
    else if (!inst_has(i, G_SAT))
        fast = fast_from_int(i);
    return fast ? fast : general;
}
