// onchip/narrow.h: floating-point formats narrower than float, made and read by arithmetic on bits, on both sides. A format
// is its numbers of bits: E of the exponent, F of the fraction; its largest exponent holds infinity and NaN.
#ifndef ONCHIP_NARROW_H
#define ONCHIP_NARROW_H

#include "../host_defines.h"

#ifdef __CUDA__
#ifdef __CUDA_ARCH__
#define ONCHIP_TARGET __CUDA_ARCH__
#else
#define ONCHIP_TARGET 9000  // the host's pass reads all bodies, and makes nothing of them
#endif
// A function of both sides, and a member; as plain C++ in a file that isn't CUDA source.
#define ONCHIP_EITHER ONCHIP_BOTH
#define ONCHIP_MEMBER __inline__ __attribute__((host, device, always_inline, nodebug))
#else
#define ONCHIP_EITHER static inline __attribute__((unused))
#define ONCHIP_MEMBER inline
#undef ONCHIP_HOST
#define ONCHIP_HOST static inline __attribute__((unused))
#endif

enum onchip_rounding { onchip_nearest, onchip_to_zero, onchip_down, onchip_up };

ONCHIP_EITHER unsigned long long onchip_bits_of(double x)
{
    unsigned long long u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
ONCHIP_EITHER unsigned onchip_bits_of(float x)
{
    unsigned u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
ONCHIP_EITHER double onchip_double_of(unsigned long long u)
{
    double x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}
ONCHIP_EITHER float onchip_float_of(unsigned u)
{
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

// x, rounded once. A NaN becomes the format's largest number of bits, without a sign. infinity: the bits behind those of
// the largest number.
template <int E, int F, unsigned infinity = ((1u << E) - 1) << F>
ONCHIP_EITHER unsigned onchip_narrow(double x, onchip_rounding r)
{
    const unsigned long long u = onchip_bits_of(x), size = u << 1 >> 1;
    const unsigned minus = (unsigned)(u >> 63), sign = minus << (E + F);
    if (size > 0x7ffull << 52) return (1u << (E + F)) - 1;
    if (size == 0x7ffull << 52) return sign | infinity;
    if (!size) return sign;
    const int least = 2 - (1 << (E - 1)), e = (int)(size >> 52) - 1023;
    const unsigned long long m = (size & 0xfffffffffffffull) | (e > -1023 ? 1ull << 52 : 0);
    int drop = 52 - F + (e < least ? least - e : 0);
    if (drop > 62) drop = 62;
    const unsigned long long q = m >> drop, rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    bool more;
    switch (r) {
    case onchip_nearest: more = rest > half || (rest == half && (q & 1)); break;
    case onchip_down: more = minus && rest; break;
    case onchip_up: more = !minus && rest; break;
    default: more = false;
    }
    // Past the format's largest number the sum may pass infinity, too: e is at most 1023.
    const unsigned long long bits = ((unsigned long long)(e > least ? e - least : 0) << F) + q + more;
    if (bits < infinity) return sign | (unsigned)bits;
    const bool away = r == onchip_nearest || (r == onchip_up && !minus) || (r == onchip_down && minus);
    return sign | (away ? infinity : infinity - 1);
}

// Exact.
template <int E, int F> ONCHIP_EITHER float onchip_widen(unsigned bits)
{
    const unsigned sign = bits >> (E + F) << 31, e = bits >> F & ((1u << E) - 1), m = bits & ((1u << F) - 1);
    if (e == (1u << E) - 1) return onchip_float_of(sign | 0x7f800000 | m << (23 - F));
    if (E == 8 || e) return onchip_float_of(sign | (e + 128 - (1u << (E - 1))) << 23 | m << (23 - F));
    const float scale = onchip_float_of((129 - (1u << (E - 1)) - F) << 23);  // of the least number
    return onchip_float_of(sign | onchip_bits_of((float)m * scale));
}

// An integer as a double that rounds to every narrow format as the integer does: what doesn't fit sticks to the last bit.
ONCHIP_EITHER double onchip_sticky(unsigned long long v)
{
    return v >> 53 ? (double)(v >> 11 | ((v & 2047) != 0)) * 2048.0 : (double)v;
}
ONCHIP_EITHER double onchip_sticky(long long v)
{
    return v < 0 ? -onchip_sticky(0ull - (unsigned long long)v) : onchip_sticky((unsigned long long)v);
}

// a · b + c rounded to odd, so that rounding it again to a narrow format is as rounding once. The product of two narrow
// numbers is exact.
ONCHIP_EITHER double onchip_fma_odd(float a, float b, float c)
{
    const double p = (double)a * (double)b, s = p + (double)c, t = s - p, left = (p - (s - t)) + ((double)c - t);
    unsigned long long u = onchip_bits_of(s);
    if (left != 0 && !(u & 1) && s - s == 0) u += (left > 0) == (s > 0) ? 1 : -1ull;
    return onchip_double_of(u);
}

// A whole number near x, brought into the range of T; `nan` for a NaN.
template <class T> ONCHIP_EITHER T onchip_whole(float x, onchip_rounding r, T nan)
{
    const T most = (T)-1 < 0 ? (T)((1ull << (sizeof(T) * 8 - 1)) - 1) : (T)-1, least = (T)(-most - 1);
    if (x != x) return nan;
    const float w = r == onchip_nearest ? __builtin_rintf(x)
                    : r == onchip_down  ? __builtin_floorf(x)
                    : r == onchip_up    ? __builtin_ceilf(x)
                                        : __builtin_truncf(x);
    const float end = (float)(1ull << (sizeof(T) * 8 - 1)) * ((T)-1 < 0 ? 1.0f : 2.0f);
    if (w >= end) return most;
    if ((T)-1 < 0 ? w < -end : w < 0) return (T)-1 < 0 ? least : (T)0;
    return (T)w;
}

// What becomes of a NaN is the Math API's word.
#define ONCHIP_INTEGERS(ONE)                                                                                  \
    ONE(short, "s16", "h", 0)                                                                                 \
    ONE(unsigned short, "u16", "h", 0)                                                                        \
    ONE(int, "s32", "r", 0)                                                                                   \
    ONE(unsigned, "u32", "r", 0)                                                                              \
    ONE(long long, "s64", "l", (long long)(1ull << 63))                                                       \
    ONE(unsigned long long, "u64", "l", 1ull << 63)
#define ONCHIP_INTEGER(T, of, C, nan)                                                                         \
    ONCHIP_HOST void onchip_integer(T &to, float x, onchip_rounding r) { to = onchip_whole<T>(x, r, nan); }
ONCHIP_INTEGERS(ONCHIP_INTEGER)
#undef ONCHIP_INTEGER

// v, or the nearest that a T of one byte holds
template <class T, class I> ONCHIP_EITHER T onchip_into(I v)
{
    const long long least = (T)-1 < 0 ? -(1ll << (sizeof(T) * 8 - 1)) : 0;
    if (sizeof(T) >= sizeof(I)) return (T)v;
    return v < least ? (T)least : v > least + 255 ? (T)(least + 255) : (T)v;
}

#ifdef __CUDA__
#define ONCHIP_INTEGER(T, of, C, nan)                                                                         \
    ONCHIP_FN void onchip_integer(T &to, float x, onchip_rounding r)                                          \
    {                                                                                                         \
        switch (r) {                                                                                          \
        case onchip_nearest: asm("cvt.rni." of ".f32 %0, %1;" : "=" C(to) : "f"(x)); break;                   \
        case onchip_to_zero: asm("cvt.rzi." of ".f32 %0, %1;" : "=" C(to) : "f"(x)); break;                   \
        case onchip_down: asm("cvt.rmi." of ".f32 %0, %1;" : "=" C(to) : "f"(x)); break;                      \
        default: asm("cvt.rpi." of ".f32 %0, %1;" : "=" C(to) : "f"(x));                                      \
        }                                                                                                     \
    }
ONCHIP_INTEGERS(ONCHIP_INTEGER)
#undef ONCHIP_INTEGER
#endif
#undef ONCHIP_INTEGERS

// --- arithmetic on the bits of a format of 16 bits, by way of float --------------------------------------------------
// A side that has no instruction for some of it takes these. t_wide and t_of convert. Sums, differences and products of
// narrow numbers may be rounded twice: float has two bits more than twice a half's.
#define ONCHIP_BY_PAIRS(SIDE, t, name)                                                                        \
    SIDE unsigned onchip_##t##_##name##2(unsigned a, unsigned b)                                              \
    {                                                                                                         \
        const unsigned low = onchip_##t##_##name((unsigned short)a, (unsigned short)b);                       \
        return low | (unsigned)onchip_##t##_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16; \
    }
#define ONCHIP_BY_PAIRS_OF_3(SIDE, t, name)                                                                   \
    SIDE unsigned onchip_##t##_##name##2(unsigned a, unsigned b, unsigned c)                                  \
    {                                                                                                         \
        const unsigned low = onchip_##t##_##name((unsigned short)a, (unsigned short)b, (unsigned short)c);    \
        return low | (unsigned)onchip_##t##_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16),      \
                                                   (unsigned short)(c >> 16)) << 16;                          \
    }
#define ONCHIP_BY_FLOAT(SIDE, t, name, T, ...)                                                                \
    SIDE T onchip_##t##_##name(unsigned short x, unsigned short y)                                            \
    {                                                                                                         \
        const float a = onchip_##t##_wide(x), b = onchip_##t##_wide(y);                                       \
        return __VA_ARGS__;                                                                                   \
    }
// M: a type in which products are exact
#define ONCHIP_BITS_BASIC(SIDE, t, M)                                                                         \
    ONCHIP_BY_FLOAT(SIDE, t, add, unsigned short, onchip_##t##_of(a + b, onchip_nearest))                     \
    ONCHIP_BY_FLOAT(SIDE, t, sub, unsigned short, onchip_##t##_of(a - b, onchip_nearest))                     \
    ONCHIP_BY_FLOAT(SIDE, t, mul, unsigned short, onchip_##t##_of((M)a * (M)b, onchip_nearest))               \
    SIDE unsigned short onchip_##t##_fma(unsigned short a, unsigned short b, unsigned short c)                \
    {                                                                                                         \
        return onchip_##t##_of(onchip_fma_odd(onchip_##t##_wide(a), onchip_##t##_wide(b),                     \
                                              onchip_##t##_wide(c)), onchip_nearest);                         \
    }                                                                                                         \
    ONCHIP_BY_PAIRS(SIDE, t, add)                                                                             \
    ONCHIP_BY_PAIRS(SIDE, t, sub)                                                                             \
    ONCHIP_BY_PAIRS(SIDE, t, mul)                                                                             \
    ONCHIP_BY_PAIRS_OF_3(SIDE, t, fma)
// Never joined with another operation to one
#define ONCHIP_BITS_RN(SIDE, t)                                                                               \
    SIDE unsigned short onchip_##t##_add_rn(unsigned short a, unsigned short b) { return onchip_##t##_add(a, b); } \
    SIDE unsigned short onchip_##t##_sub_rn(unsigned short a, unsigned short b) { return onchip_##t##_sub(a, b); } \
    SIDE unsigned short onchip_##t##_mul_rn(unsigned short a, unsigned short b) { return onchip_##t##_mul(a, b); } \
    SIDE unsigned onchip_##t##_add_rn2(unsigned a, unsigned b) { return onchip_##t##_add2(a, b); }            \
    SIDE unsigned onchip_##t##_sub_rn2(unsigned a, unsigned b) { return onchip_##t##_sub2(a, b); }            \
    SIDE unsigned onchip_##t##_mul_rn2(unsigned a, unsigned b) { return onchip_##t##_mul2(a, b); }
// Brought between 0 and 1; a NaN becomes 0.
#define ONCHIP_BITS_SAT(SIDE, t)                                                                              \
    SIDE unsigned short onchip_##t##_sat(unsigned short x)                                                    \
    {                                                                                                         \
        const float a = onchip_##t##_wide(x);                                                                 \
        return a > 0 ? a < 1 ? x : onchip_##t##_of(1.0f, onchip_nearest) : (unsigned short)0;                 \
    }                                                                                                         \
    SIDE unsigned short onchip_##t##_add_sat(unsigned short a, unsigned short b)                              \
    {                                                                                                         \
        return onchip_##t##_sat(onchip_##t##_add(a, b));                                                      \
    }                                                                                                         \
    SIDE unsigned short onchip_##t##_sub_sat(unsigned short a, unsigned short b)                              \
    {                                                                                                         \
        return onchip_##t##_sat(onchip_##t##_sub(a, b));                                                      \
    }                                                                                                         \
    SIDE unsigned short onchip_##t##_mul_sat(unsigned short a, unsigned short b)                              \
    {                                                                                                         \
        return onchip_##t##_sat(onchip_##t##_mul(a, b));                                                      \
    }                                                                                                         \
    SIDE unsigned short onchip_##t##_fma_sat(unsigned short a, unsigned short b, unsigned short c)            \
    {                                                                                                         \
        return onchip_##t##_sat(onchip_##t##_fma(a, b, c));                                                   \
    }                                                                                                         \
    ONCHIP_BY_PAIRS(SIDE, t, add_sat)                                                                         \
    ONCHIP_BY_PAIRS(SIDE, t, sub_sat)                                                                         \
    ONCHIP_BY_PAIRS(SIDE, t, mul_sat)                                                                         \
    ONCHIP_BY_PAIRS_OF_3(SIDE, t, fma_sat)
// Of a number and a NaN the number, or with _nan the NaN; -0 is below +0. relu: what is negative becomes 0.
#define ONCHIP_BITS_MINMAX(SIDE, t)                                                                           \
    ONCHIP_BY_FLOAT(SIDE, t, min_nan, unsigned short,                                                         \
                    a != a || b != b ? (unsigned short)0x7fff : a < b || (a == b && x >> 15) ? x : y)         \
    ONCHIP_BY_FLOAT(SIDE, t, max_nan, unsigned short,                                                         \
                    a != a || b != b ? (unsigned short)0x7fff : a > b || (a == b && y >> 15) ? x : y)         \
    ONCHIP_BY_FLOAT(SIDE, t, min, unsigned short,                                                             \
                    a != a ? b != b ? (unsigned short)0x7fff : y : b != b ? x : onchip_##t##_min_nan(x, y))   \
    ONCHIP_BY_FLOAT(SIDE, t, max, unsigned short,                                                             \
                    a != a ? b != b ? (unsigned short)0x7fff : y : b != b ? x : onchip_##t##_max_nan(x, y))   \
    SIDE unsigned short onchip_##t##_fma_relu(unsigned short a, unsigned short b, unsigned short c)           \
    {                                                                                                         \
        const unsigned short r = onchip_##t##_fma(a, b, c);                                                   \
        return r >> 15 ? (unsigned short)0 : r;                                                               \
    }                                                                                                         \
    ONCHIP_BY_PAIRS(SIDE, t, min)                                                                             \
    ONCHIP_BY_PAIRS(SIDE, t, max)                                                                             \
    ONCHIP_BY_PAIRS(SIDE, t, min_nan)                                                                         \
    ONCHIP_BY_PAIRS(SIDE, t, max_nan)                                                                         \
    ONCHIP_BY_PAIRS_OF_3(SIDE, t, fma_relu)
// With a u: true if one is a NaN; else false then.
#define ONCHIP_BITS_COMPARE(SIDE, t)                                                                          \
    ONCHIP_BY_FLOAT(SIDE, t, eq, bool, a == b)                                                                \
    ONCHIP_BY_FLOAT(SIDE, t, ne, bool, a < b || a > b)                                                        \
    ONCHIP_BY_FLOAT(SIDE, t, lt, bool, a < b)                                                                 \
    ONCHIP_BY_FLOAT(SIDE, t, le, bool, a <= b)                                                                \
    ONCHIP_BY_FLOAT(SIDE, t, gt, bool, a > b)                                                                 \
    ONCHIP_BY_FLOAT(SIDE, t, ge, bool, a >= b)                                                                \
    ONCHIP_BY_FLOAT(SIDE, t, equ, bool, !(a < b || a > b))                                                    \
    ONCHIP_BY_FLOAT(SIDE, t, neu, bool, a != b)                                                               \
    ONCHIP_BY_FLOAT(SIDE, t, ltu, bool, !(a >= b))                                                            \
    ONCHIP_BY_FLOAT(SIDE, t, leu, bool, !(a > b))                                                             \
    ONCHIP_BY_FLOAT(SIDE, t, gtu, bool, !(a <= b))                                                            \
    ONCHIP_BY_FLOAT(SIDE, t, geu, bool, !(a < b))

// What the device has an instruction for: one of two or three numbers, and one of pairs.
#define ONCHIP_NATIVE_2(t, name, one, pair)                                                                   \
    ONCHIP_FN unsigned short onchip_##t##_##name(unsigned short a, unsigned short b)                          \
    {                                                                                                         \
        unsigned short r;                                                                                     \
        asm(one : "=h"(r) : "h"(a), "h"(b));                                                                  \
        return r;                                                                                             \
    }                                                                                                         \
    ONCHIP_FN unsigned onchip_##t##_##name##2(unsigned a, unsigned b)                                         \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm(pair : "=r"(r) : "r"(a), "r"(b));                                                                 \
        return r;                                                                                             \
    }
#define ONCHIP_NATIVE_3(t, name, op, of)                                                                      \
    ONCHIP_FN unsigned short onchip_##t##_##name(unsigned short a, unsigned short b, unsigned short c)        \
    {                                                                                                         \
        unsigned short r;                                                                                     \
        asm(op "." of " %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));                                 \
        return r;                                                                                             \
    }                                                                                                         \
    ONCHIP_FN unsigned onchip_##t##_##name##2(unsigned a, unsigned b, unsigned c)                             \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm(op "." of "x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                               \
        return r;                                                                                             \
    }

#endif
