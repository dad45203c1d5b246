// ops_int.c: integer arithmetic (PTX ISA §9.7.1, §9.7.2). Signed arithmetic is done in unsigned types, where wrapping
// is defined. Division by zero is left to the machine by the ISA: quotient and remainder are all ones, as in what
// ptxas makes of it.
#include "exec/ops.h"
#include "ptx/ops.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

// On 16-bit signed operands: the result is zero-extended all the same.
#define BINARY_S16(name, expr) MAP2(name, uint32_t, uint16_t, uint32_t, int16_t, uint32_t, int16_t, expr)
#define TERNARY_S16(name, expr) \
    MAP3(name, uint32_t, uint16_t, uint32_t, int16_t, uint32_t, int16_t, uint32_t, int16_t, expr)
// name_u16, _s16, … for an expression that is the same for all; T is unsigned for wrapping ones.
#define BINARY_ALL(name, expr)                   \
    BINARY(name##_u16, uint32_t, uint16_t, expr) \
    BINARY_S16(name##_s16, expr)                 \
    BINARY(name##_u32, uint32_t, uint32_t, expr) \
    BINARY(name##_s32, uint32_t, int32_t, expr)  \
    BINARY(name##_u64, uint64_t, uint64_t, expr) \
    BINARY(name##_s64, uint64_t, int64_t, expr)
#define PICK_ALL(name, t)         \
    ((t) == TY_U16   ? name##_u16 \
     : (t) == TY_S16 ? name##_s16 \
     : (t) == TY_U32 ? name##_u32 \
     : (t) == TY_S32 ? name##_s32 \
     : (t) == TY_U64 ? name##_u64 \
     : (t) == TY_S64 ? name##_s64 \
                     : (ExecFn *)NULL)

#define BINARY_WRAP(name, expr)                 \
    BINARY(name##_16, uint32_t, uint16_t, expr) \
    BINARY(name##_32, uint32_t, uint32_t, expr) \
    BINARY(name##_64, uint64_t, uint64_t, expr)
#define PICK_WRAP(name, t) \
    (ty_bits(t) == 16 ? name##_16 : ty_bits(t) == 32 ? name##_32 : ty_bits(t) == 64 ? name##_64 : (ExecFn *)NULL)

BINARY_WRAP(add, a + b)
BINARY_WRAP(sub, a - b)
BINARY_WRAP(mul, (unsigned long long)a *b)
BINARY_ALL(min, a < b ? a : b)
BINARY_ALL(max, a > b ? a : b)
UNARY(neg_16, uint32_t, uint16_t, 0u - a)
UNARY(neg_32, uint32_t, uint32_t, 0u - a)
UNARY(neg_64, uint64_t, uint64_t, 0u - a)
UNARY(abs_16, uint32_t, uint16_t, (int16_t)a < 0 ? 0u - a : a)
UNARY(abs_32, uint32_t, uint32_t, (int32_t)a < 0 ? 0u - a : a)
UNARY(abs_64, uint64_t, uint64_t, (int64_t)a < 0 ? 0u - a : a)
// add.sat, sub.sat .s32
static inline int32_t clamp32(int64_t x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x; }
BINARY(add_sat, uint32_t, int32_t, clamp32((int64_t)a + b))
BINARY(sub_sat, uint32_t, int32_t, clamp32((int64_t)a - b))

// mul.hi, mul.wide
BINARY(mulhi_u16, uint32_t, uint16_t, (uint32_t)a *b >> 16)
BINARY_S16(mulhi_s16, (int32_t)a *b >> 16)
BINARY(mulhi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
BINARY(mulhi_s32, uint32_t, int32_t, (int64_t)a *b >> 32)
BINARY(mulhi_u64, uint64_t, uint64_t, (u128)a *b >> 64)
BINARY(mulhi_s64, uint64_t, int64_t, (s128)a *b >> 64)
MAP2(mulwide_u16, uint32_t, uint32_t, uint32_t, uint16_t, uint32_t, uint16_t, (uint32_t)a *b)
MAP2(mulwide_s16, uint32_t, uint32_t, uint32_t, int16_t, uint32_t, int16_t, (int32_t)a *b)
MAP2(mulwide_u32, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)a *b)
MAP2(mulwide_s32, uint64_t, uint64_t, uint32_t, int32_t, uint32_t, int32_t, (int64_t)a *b)

// mad: .lo wraps; .hi and .wide add to the product's half
TERNARY(mad_16, uint32_t, uint16_t, (uint32_t)a *b + c)
TERNARY(mad_32, uint32_t, uint32_t, a *b + c)
TERNARY(mad_64, uint64_t, uint64_t, a *b + c)
TERNARY(madhi_u16, uint32_t, uint16_t, ((uint32_t)a * b >> 16) + c)
TERNARY_S16(madhi_s16, (uint32_t)((int32_t)a *b >> 16) + (uint32_t)c)
TERNARY(madhi_u32, uint32_t, uint32_t, (uint32_t)((uint64_t)a *b >> 32) + c)
TERNARY(madhi_s32, uint32_t, int32_t, (uint32_t)((int64_t)a *b >> 32) + (uint32_t)c)
TERNARY(madhi_sat, uint32_t, int32_t, clamp32(((int64_t)a * b >> 32) + c))
TERNARY(madhi_u64, uint64_t, uint64_t, (uint64_t)((u128)a *b >> 64) + c)
TERNARY(madhi_s64, uint64_t, int64_t, (uint64_t)((s128)a *b >> 64) + (uint64_t)c)
MAP3(madwide_u16, uint32_t, uint32_t, uint32_t, uint16_t, uint32_t, uint16_t, uint32_t, uint32_t, (uint32_t)a *b + c)
MAP3(madwide_s16, uint32_t, uint32_t, uint32_t, int16_t, uint32_t, int16_t, uint32_t, uint32_t,
     (uint32_t)((int32_t)a *b) + c)
MAP3(madwide_u32, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, (uint64_t)a *b + c)
MAP3(madwide_s32, uint64_t, uint64_t, uint32_t, int32_t, uint32_t, int32_t, uint64_t, uint64_t,
     (uint64_t)((int64_t)a *b) + c)

// mul24, mad24: the 48-bit product of 24-bit operands; .lo its lower 32 bits, .hi bits 16–47
static inline uint64_t product24u(uint32_t a, uint32_t b) { return (uint64_t)(a & 0xffffff) * (b & 0xffffff); }
static inline int64_t product24s(uint32_t a, uint32_t b)
{
    return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}
BINARY(mul24lo_u, uint32_t, uint32_t, product24u(a, b))
BINARY(mul24lo_s, uint32_t, uint32_t, product24s(a, b))
BINARY(mul24hi_u, uint32_t, uint32_t, product24u(a, b) >> 16)
BINARY(mul24hi_s, uint32_t, uint32_t, product24s(a, b) >> 16)
TERNARY(mad24lo_u, uint32_t, uint32_t, product24u(a, b) + c)
TERNARY(mad24lo_s, uint32_t, uint32_t, (uint64_t)product24s(a, b) + c)
TERNARY(mad24hi_u, uint32_t, uint32_t, (product24u(a, b) >> 16) + c)
TERNARY(mad24hi_s, uint32_t, uint32_t, (uint64_t)(product24s(a, b) >> 16) + c)
TERNARY(mad24hi_sat, uint32_t, uint32_t, clamp32((int64_t)(int32_t)(product24s(a, b) >> 16) + (int32_t)c))

// sad: c + |a − b|
TERNARY(sad_u16, uint32_t, uint16_t, c + (a > b ? a - b : b - a))
TERNARY(sad_s16, uint32_t, uint16_t, c + ((int16_t)a > (int16_t)b ? a - b : b - a))
TERNARY(sad_u32, uint32_t, uint32_t, c + (a > b ? a - b : b - a))
TERNARY(sad_s32, uint32_t, uint32_t, c + ((int32_t)a > (int32_t)b ? a - b : b - a))
TERNARY(sad_u64, uint64_t, uint64_t, c + (a > b ? a - b : b - a))
TERNARY(sad_s64, uint64_t, uint64_t, c + ((int64_t)a > (int64_t)b ? a - b : b - a))

#define QUOTIENT(T, MIN_) (b == 0 ? (T)-1 : b == (T)-1 && a == MIN_ ? a : (T)(a / b))
#define REMAINDER(T, MIN_) (b == 0 ? (T)-1 : b == (T)-1 && a == MIN_ ? 0 : (T)(a % b))
BINARY(div_u16, uint32_t, uint16_t, b ? a / b : 0xffff)
BINARY(div_u32, uint32_t, uint32_t, b ? a / b : UINT32_MAX)
BINARY(div_u64, uint64_t, uint64_t, b ? a / b : UINT64_MAX)
BINARY_S16(div_s16, QUOTIENT(int16_t, INT16_MIN))
BINARY(div_s32, uint32_t, int32_t, QUOTIENT(int32_t, INT32_MIN))
BINARY(div_s64, uint64_t, int64_t, QUOTIENT(int64_t, INT64_MIN))
BINARY(rem_u16, uint32_t, uint16_t, b ? a % b : 0xffff)
BINARY(rem_u32, uint32_t, uint32_t, b ? a % b : UINT32_MAX)
BINARY(rem_u64, uint64_t, uint64_t, b ? a % b : UINT64_MAX)
BINARY_S16(rem_s16, REMAINDER(int16_t, INT16_MIN))
BINARY(rem_s32, uint32_t, int32_t, REMAINDER(int32_t, INT32_MIN))
BINARY(rem_s64, uint64_t, int64_t, REMAINDER(int64_t, INT64_MIN))

// add.cc, addc, sub.cc, subc, mad.cc, madc: with the carry flag of each lane. The ISA (§9.7.2) says that sub.cc and
// subc write a borrow and that subc takes one off. Machine code has one carry for both: ptxas 13 encodes addc alike
// behind add.cc and sub.cc, and subc alike. So a − b is a + ~b + 1, its carry is the absence of a borrow, and an
// addc behind a sub.cc adds that. `first` is the carry into an instruction that takes none from the flag.
#define CARRY_OP(name, T, WIDE, first, sum)                                                      \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                                    \
    {                                                                                            \
        T *d = row(l, i->dst);                                                                   \
        const T *ra = row(l, i->a), *rb = row(l, i->b), *rc = row(l, i->c);                      \
        bool in = i->flags & D_CARRY_IN, out = i->flags & D_CARRY_OUT;                           \
        (void)rc;                                                                                \
        for (int n = 0; n < LANES; n++) {                                                        \
            if (!(mask >> n & 1)) continue;                                                      \
            WIDE a = ra[n], b = rb[n], carry = in ? l->cc >> n & 1 : (first);                    \
            WIDE s = (sum);                                                                      \
            (void)a, (void)b;                                                                    \
            d[n] = (T)s;                                                                         \
            if (out) l->cc = (l->cc & ~(1u << n)) | ((uint32_t)(s >> (sizeof(T) * 8)) & 1) << n; \
        }                                                                                        \
    }
CARRY_OP(addc_32, uint32_t, uint64_t, 0, a + b + carry)
CARRY_OP(addc_64, uint64_t, u128, 0, a + b + carry)
CARRY_OP(subc_32, uint32_t, uint64_t, 1, a + (uint32_t)~b + carry)
CARRY_OP(subc_64, uint64_t, u128, 1, a + (uint64_t)~b + carry)
CARRY_OP(madclo_32, uint32_t, uint64_t, 0, (uint64_t)(uint32_t)(a *b) + rc[n] + carry)
CARRY_OP(madclo_64, uint64_t, u128, 0, (u128)(uint64_t)(a *b) + rc[n] + carry)
CARRY_OP(madchi_u32, uint32_t, uint64_t, 0, (a * b >> 32) + rc[n] + carry)
CARRY_OP(madchi_u64, uint64_t, u128, 0, (a * b >> 64) + rc[n] + carry)
CARRY_OP(madchi_s32, uint32_t, uint64_t, 0, (uint64_t)(uint32_t)((int64_t)(int32_t)a *(int32_t)b >> 32) + rc[n] + carry)
CARRY_OP(madchi_s64, uint64_t, u128, 0, (u128)(uint64_t)((s128)(int64_t)a *(int64_t)b >> 64) + rc[n] + carry)

// bit counting and fields
MAP1(popc_32, uint32_t, uint32_t, uint32_t, uint32_t, __builtin_popcount(a))
MAP1(popc_64, uint32_t, uint32_t, uint64_t, uint64_t, __builtin_popcountll(a))
MAP1(clz_32, uint32_t, uint32_t, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
MAP1(clz_64, uint32_t, uint32_t, uint64_t, uint64_t, a ? __builtin_clzll(a) : 64)
// bfind: the most significant bit that differs from the sign; all ones if there is none. shiftamt: how far to its left
static inline uint32_t bfind32(uint32_t a, bool shift)
{
    return a ? (shift ? (uint32_t)__builtin_clz(a) : 31u - (uint32_t)__builtin_clz(a)) : UINT32_MAX;
}
static inline uint32_t bfind64(uint64_t a, bool shift)
{
    return a ? (shift ? (uint32_t)__builtin_clzll(a) : 63u - (uint32_t)__builtin_clzll(a)) : UINT32_MAX;
}
MAP1(bfind_u32, uint32_t, uint32_t, uint32_t, uint32_t, bfind32(a, false))
MAP1(bfind_s32, uint32_t, uint32_t, uint32_t, uint32_t, bfind32((int32_t)a < 0 ? ~a : a, false))
MAP1(bfind_u64, uint32_t, uint32_t, uint64_t, uint64_t, bfind64(a, false))
MAP1(bfind_s64, uint32_t, uint32_t, uint64_t, uint64_t, bfind64((int64_t)a < 0 ? ~a : a, false))
MAP1(bfinda_u32, uint32_t, uint32_t, uint32_t, uint32_t, bfind32(a, true))
MAP1(bfinda_s32, uint32_t, uint32_t, uint32_t, uint32_t, bfind32((int32_t)a < 0 ? ~a : a, true))
MAP1(bfinda_u64, uint32_t, uint32_t, uint64_t, uint64_t, bfind64(a, true))
MAP1(bfinda_s64, uint32_t, uint32_t, uint64_t, uint64_t, bfind64((int64_t)a < 0 ? ~a : a, true))
static inline uint32_t reverse32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
UNARY(brev_32, uint32_t, uint32_t, reverse32(a))
UNARY(brev_64, uint64_t, uint64_t, (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)))

// bfe (§9.7.1.19): position and length are the low bytes of b and c; beyond the operand a signed field is its sign
static inline uint64_t field(uint64_t a, uint32_t b, uint32_t c, uint32_t bits, bool is_signed)
{
    uint32_t pos = b & 0xff, len = c & 0xff, msb = bits - 1;
    uint64_t sign = 0;
    if (is_signed && len) sign = a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
    uint64_t fill = sign ? ~0ull : 0;
    uint64_t body = pos <= msb ? a >> pos : 0;
    uint32_t have = pos <= msb ? MIN(len, bits - pos) : 0;
    uint64_t keep = have >= 64 ? ~0ull : (1ull << have) - 1;
    return (body & keep) | (fill & ~keep);
}
MAP3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, field(a, b, c, 32, false))
MAP3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, field(a, b, c, 32, true))
MAP3(bfe_u64, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, field(a, b, c, 64, false))
MAP3(bfe_s64, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, field(a, b, c, 64, true))
// bfi d, a, b, c, e: e bits of a into b at c; the length is the fourth source, vector[3]
static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t c, uint32_t e, uint32_t bits)
{
    uint32_t pos = c & 0xff, len = e & 0xff;
    if (pos >= bits) return b;
    uint64_t keep = (len >= 64 ? ~0ull : (1ull << len) - 1) << pos;
    return (a << pos & keep) | (b & ~keep);
}
#define BFI(name, T, bits)                                                             \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                          \
    {                                                                                  \
        const T *ra = row(l, i->a), *rb = row(l, i->b);                                \
        const uint32_t *rc = row(l, i->c), *re = row(l, i->vector[3]);                 \
        STORE_LANES(T, T, T a = ra[n]; T b = rb[n];, insert(a, b, rc[n], re[n], bits)) \
    }
BFI(bfi_32, uint32_t, 32)
BFI(bfi_64, uint64_t, 64)

// szext: a cut to b bits and extended; bmsk: b ones from a; past the width clamped, or wrapped modulo 32
static inline uint32_t extend(uint32_t a, uint32_t b, bool is_signed, bool wrap)
{
    if (wrap) b &= 31;
    if (b >= 32) return a;
    if (!b) return 0;
    return is_signed ? (uint32_t)((int32_t)(a << (32 - b)) >> (32 - b)) : a & ((1u << b) - 1);
}
BINARY(szext_uc, uint32_t, uint32_t, extend(a, b, false, false))
BINARY(szext_uw, uint32_t, uint32_t, extend(a, b, false, true))
BINARY(szext_sc, uint32_t, uint32_t, extend(a, b, true, false))
BINARY(szext_sw, uint32_t, uint32_t, extend(a, b, true, true))
static inline uint32_t ones(uint32_t a, uint32_t b, bool wrap)
{
    if (wrap) a &= 31, b &= 31;
    uint32_t from = a >= 32 ? 0 : ~0u << a;
    uint32_t to = (uint64_t)a + b >= 32 ? ~0u : (1u << (a + b)) - 1;
    return from & to;
}
BINARY(bmsk_c, uint32_t, uint32_t, ones(a, b, false))
BINARY(bmsk_w, uint32_t, uint32_t, ones(a, b, true))

// fns: the position of the c-th set bit of a counted from b; not found: all ones
static inline uint32_t find_nth(uint32_t a, uint32_t b, int32_t c)
{
    if (c == 0) return b < 32 && a >> b & 1 ? b : UINT32_MAX;
    int step = c > 0 ? 1 : -1;
    uint32_t left = (uint32_t)(c > 0 ? c : -(int64_t)c);
    for (int64_t p = b; p >= 0 && p < 32; p += step)
        if (a >> p & 1 && --left == 0) return (uint32_t)p;
    return UINT32_MAX;
}
static void fns(Lanes *l, const Dinst *i, uint32_t mask)  // a search: no loop over lanes to vectorise
{
    const uint32_t *ra = row(l, i->a), *rb = row(l, i->b), *rc = row(l, i->c);
    uint32_t *d = row(l, i->dst);
    for (int n = 0; n < LANES; n++)
        if (mask >> n & 1) d[n] = find_nth(ra[n], rb[n], (int32_t)rc[n]);
}

// dp4a, dp2a: sums of products of bytes; type 1 is that of a, type 2 of b
static inline int32_t byte_of(uint32_t x, int k, bool s) { return s ? (int8_t)(x >> 8 * k) : (uint8_t)(x >> 8 * k); }
static inline int32_t half_of(uint32_t x, int k, bool s)
{
    return s ? (int16_t)(x >> 16 * k) : (uint16_t)(x >> 16 * k);
}
static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
    for (int k = 0; k < 4; k++) c += (uint32_t)(byte_of(a, k, sa) * byte_of(b, k, sb));
    return c;
}
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, int hi)
{
    for (int k = 0; k < 2; k++) c += (uint32_t)(half_of(a, k, sa) * byte_of(b, k + hi, sb));
    return c;
}
TERNARY(dp4a_uu, uint32_t, uint32_t, dot4(a, b, c, false, false))
TERNARY(dp4a_us, uint32_t, uint32_t, dot4(a, b, c, false, true))
TERNARY(dp4a_su, uint32_t, uint32_t, dot4(a, b, c, true, false))
TERNARY(dp4a_ss, uint32_t, uint32_t, dot4(a, b, c, true, true))
TERNARY(dp2alo_uu, uint32_t, uint32_t, dot2(a, b, c, false, false, 0))
TERNARY(dp2alo_us, uint32_t, uint32_t, dot2(a, b, c, false, true, 0))
TERNARY(dp2alo_su, uint32_t, uint32_t, dot2(a, b, c, true, false, 0))
TERNARY(dp2alo_ss, uint32_t, uint32_t, dot2(a, b, c, true, true, 0))
TERNARY(dp2ahi_uu, uint32_t, uint32_t, dot2(a, b, c, false, false, 2))
TERNARY(dp2ahi_us, uint32_t, uint32_t, dot2(a, b, c, false, true, 2))
TERNARY(dp2ahi_su, uint32_t, uint32_t, dot2(a, b, c, true, false, 2))
TERNARY(dp2ahi_ss, uint32_t, uint32_t, dot2(a, b, c, true, true, 2))

// add, min, max on two 16-bit halves
BINARY(add_16x2, uint32_t, uint32_t, ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16)
#define HALVES(op, T)                                   \
    ((uint32_t)(uint16_t)((T)a op(T) b ? (T)a : (T)b) | \
     (uint32_t)(uint16_t)((T)(a >> 16) op(T)(b >> 16) ? (T)(a >> 16) : (T)(b >> 16)) << 16)
BINARY(min_u16x2, uint32_t, uint32_t, HALVES(<, uint16_t))
BINARY(min_s16x2, uint32_t, uint32_t, HALVES(<, int16_t))
BINARY(max_u16x2, uint32_t, uint32_t, HALVES(>, uint16_t))
BINARY(max_s16x2, uint32_t, uint32_t, HALVES(>, int16_t))

// .relu: not below 0
#define NOT_NEGATIVE(T, x) ((T)(x) < 0 ? 0 : (T)(x))
BINARY(minrelu_s32, uint32_t, int32_t, NOT_NEGATIVE(int32_t, a < b ? a : b))
BINARY(maxrelu_s32, uint32_t, int32_t, NOT_NEGATIVE(int32_t, a > b ? a : b))
static inline uint32_t relu_halves(uint32_t x)
{
    return (x & 0x8000 ? 0 : x & 0xffff) | (x >> 31 ? 0 : x & 0xffff0000);
}
BINARY(minrelu_s16x2, uint32_t, uint32_t, relu_halves(HALVES(<, int16_t)))
BINARY(maxrelu_s16x2, uint32_t, uint32_t, relu_halves(HALVES(>, int16_t)))

#define PICK_SIGN(name, t) (ty_signed(t) ? name##_s : name##_u)
#define PICK_PAIR(name, t1, t2) \
    (ty_signed(t1) ? (ty_signed(t2) ? name##_ss : name##_su) : ty_signed(t2) ? name##_us : name##_uu)

static ExecFn *pick_mad(const Inst *i)
{
    Type t = i->type;
    if (inst_has(i, G_SAT)) return i->mod[G_MUL] == M_HI && t == TY_S32 ? madhi_sat : NULL;
    switch (i->mod[G_MUL]) {
    case M_HI: return PICK_ALL(madhi, t);
    case M_WIDE:
        return t == TY_U16   ? madwide_u16
               : t == TY_S16 ? madwide_s16
               : t == TY_U32 ? madwide_u32
               : t == TY_S32 ? madwide_s32
                             : NULL;
    default: return PICK_WRAP(mad, t);
    }
}

static ExecFn *pick_carry(const Inst *i)
{
    bool wide = ty_bits(i->type) == 64;
    if ((i->type != TY_U32 && i->type != TY_S32 && !wide) || inst_has(i, G_SAT)) return NULL;
    switch (i->op) {
    case OP_ADD:
    case OP_ADDC: return wide ? addc_64 : addc_32;
    case OP_SUB:
    case OP_SUBC: return wide ? subc_64 : subc_32;
    default:
        if (i->mod[G_MUL] == M_LO) return wide ? madclo_64 : madclo_32;
        if (i->mod[G_MUL] != M_HI) return NULL;
        return ty_signed(i->type) ? (wide ? madchi_s64 : madchi_s32) : wide ? madchi_u64 : madchi_u32;
    }
}

// What only floats have; ops.def's rows serve both.
static bool float_modifiers(const Inst *i)
{
    return inst_has(i, G_RND) || inst_has(i, G_FTZ) || inst_has(i, G_APPROX) || inst_has(i, G_NAN) ||
           inst_has(i, G_XORSIGN) || inst_has(i, G_ABS) || i->mod[G_SAT] == M_SATFINITE;
}

ExecFn *OPS_NAME(pick_int)(const Inst *i)
{
    Type t = i->type;
    bool sat = inst_has(i, G_SAT), wide = ty_bits(t) == 64, lo = i->mod[G_MUL] == M_LO, hi = i->mod[G_MUL] == M_HI;
    if (float_modifiers(i)) return NULL;
    if (inst_has(i, G_CC) || i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC) return pick_carry(i);
    switch (i->op) {
    case OP_ADD:
        if (t == TY_U16X2 || t == TY_S16X2) return sat ? NULL : add_16x2;
        return sat ? (t == TY_S32 ? add_sat : NULL) : PICK_WRAP(add, t);
    case OP_SUB: return sat ? (t == TY_S32 ? sub_sat : NULL) : PICK_WRAP(sub, t);
    case OP_MUL:
        if (sat) return NULL;
        if (i->mod[G_MUL] == M_WIDE)
            return t == TY_U16   ? mulwide_u16
                   : t == TY_S16 ? mulwide_s16
                   : t == TY_U32 ? mulwide_u32
                   : t == TY_S32 ? mulwide_s32
                                 : NULL;
        return hi ? PICK_ALL(mulhi, t) : PICK_WRAP(mul, t);
    case OP_MAD: return pick_mad(i);
    case OP_MUL24: return hi ? PICK_SIGN(mul24hi, t) : lo ? PICK_SIGN(mul24lo, t) : NULL;
    case OP_MAD24:
        if (sat) return hi && t == TY_S32 ? mad24hi_sat : NULL;
        return hi ? PICK_SIGN(mad24hi, t) : lo ? PICK_SIGN(mad24lo, t) : NULL;
    case OP_SAD: return PICK_ALL(sad, t);
    case OP_DIV: return PICK_ALL(div, t);
    case OP_REM: return PICK_ALL(rem, t);
    case OP_NEG: return PICK_WRAP(neg, t);
    case OP_ABS: return PICK_WRAP(abs, t);
    case OP_MIN:
        if (inst_has(i, G_RELU)) return t == TY_S32 ? minrelu_s32 : t == TY_S16X2 ? minrelu_s16x2 : NULL;
        return t == TY_U16X2 ? min_u16x2 : t == TY_S16X2 ? min_s16x2 : PICK_ALL(min, t);
    case OP_MAX:
        if (inst_has(i, G_RELU)) return t == TY_S32 ? maxrelu_s32 : t == TY_S16X2 ? maxrelu_s16x2 : NULL;
        return t == TY_U16X2 ? max_u16x2 : t == TY_S16X2 ? max_s16x2 : PICK_ALL(max, t);
    case OP_POPC: return wide ? popc_64 : popc_32;
    case OP_CLZ: return wide ? clz_64 : clz_32;
    case OP_BFIND:
        if (inst_has(i, G_SHIFTAMT))
            return ty_signed(t) ? (wide ? bfinda_s64 : bfinda_s32) : wide ? bfinda_u64 : bfinda_u32;
        return ty_signed(t) ? (wide ? bfind_s64 : bfind_s32) : wide ? bfind_u64 : bfind_u32;
    case OP_BREV: return wide ? brev_64 : brev_32;
    case OP_BFE: return ty_signed(t) ? (wide ? bfe_s64 : bfe_s32) : wide ? bfe_u64 : bfe_u32;
    case OP_BFI: return wide ? bfi_64 : bfi_32;
    case OP_FNS: return fns;
    case OP_SZEXT:
        if (!inst_has(i, G_OVER)) return NULL;
        return i->mod[G_OVER] == M_WRAP ? (ty_signed(t) ? szext_sw : szext_uw) : ty_signed(t) ? szext_sc : szext_uc;
    case OP_BMSK: return i->mod[G_OVER] == M_WRAP ? bmsk_w : i->mod[G_OVER] == M_CLAMP ? bmsk_c : NULL;
    case OP_DP4A: return PICK_PAIR(dp4a, i->type, i->type2);
    case OP_DP2A: return hi ? PICK_PAIR(dp2ahi, i->type, i->type2) : lo ? PICK_PAIR(dp2alo, i->type, i->type2) : NULL;
    default: return NULL;
    }
}
