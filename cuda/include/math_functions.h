// math_functions.h: the CUDA Math API: mathematical functions of floats and doubles, rounding modes, conversions, and
// integers of 8 and 16 bits in a word. Names and meanings are those of the CUDA Math API.
//
// Invariant: functions of a float need nothing but this file, save lgammaf and tgammaf. Most functions of a double are
// those of libclc's bitcode (package libclc-14 and others), which the driver links: the declarations ONCHIP_CLC name
// them. Where a program uses one and the bitcode isn't linked, the PTX keeps `.extern .func _Z3sind` and its like.
//
// The device's pass must have -ffp-contract=on: libclc, and what is exact here, breaks if products and sums of
// different expressions are fused. Methods: Cody and Waite, Software Manual for the Elementary Functions (1980);
// Payne and Hanek, Radian Reduction for Trigonometric Functions (1983); Muller, Elementary Functions (2016); Abramowitz
// and Stegun, Handbook of Mathematical Functions (1964). Polynomials are least maximum fits by Lawson's iteration, made
// for this file; test/compile/math.sh measures all errors.
#ifndef ONCHIP_MATH_FUNCTIONS_H
#define ONCHIP_MATH_FUNCTIONS_H
#define __MATH_FUNCTIONS_H__

#include "math_constants.h"
#include "vector_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include "device_functions.h"
#include "math_forward.h"

// --- libclc: OpenCL C's functions, by their names in the bitcode ----------------------------------------------------
#define ONCHIP_CLC_1(name, symbol)                                                                            \
    extern "C" __attribute__((device, const)) double onchip_clc_##name(double) __asm__(symbol);
#define ONCHIP_CLC_2(name, symbol)                                                                            \
    extern "C" __attribute__((device, const)) double onchip_clc_##name(double, double) __asm__(symbol);
ONCHIP_CLC_1(acos, "_Z4acosd")
ONCHIP_CLC_1(acosh, "_Z5acoshd")
ONCHIP_CLC_1(asin, "_Z4asind")
ONCHIP_CLC_1(asinh, "_Z5asinhd")
ONCHIP_CLC_1(atan, "_Z4atand")
ONCHIP_CLC_1(atanh, "_Z5atanhd")
ONCHIP_CLC_1(cbrt, "_Z4cbrtd")
ONCHIP_CLC_1(cos, "_Z3cosd")
ONCHIP_CLC_1(cosh, "_Z4coshd")
ONCHIP_CLC_1(cospi, "_Z5cospid")
ONCHIP_CLC_1(erf, "_Z3erfd")
ONCHIP_CLC_1(erfc, "_Z4erfcd")
ONCHIP_CLC_1(exp, "_Z3expd")
ONCHIP_CLC_1(exp10, "_Z5exp10d")
ONCHIP_CLC_1(exp2, "_Z4exp2d")
ONCHIP_CLC_1(expm1, "_Z5expm1d")
ONCHIP_CLC_1(lgamma, "_Z6lgammad")
ONCHIP_CLC_1(log, "_Z3logd")
ONCHIP_CLC_1(log10, "_Z5log10d")
ONCHIP_CLC_1(log1p, "_Z5log1pd")
ONCHIP_CLC_1(log2, "_Z4log2d")
ONCHIP_CLC_1(sin, "_Z3sind")
ONCHIP_CLC_1(sinh, "_Z4sinhd")
ONCHIP_CLC_1(sinpi, "_Z5sinpid")
ONCHIP_CLC_1(tan, "_Z3tand")
ONCHIP_CLC_1(tanh, "_Z4tanhd")
ONCHIP_CLC_2(atan2, "_Z5atan2dd")
ONCHIP_CLC_2(pow, "_Z3powdd")
#undef ONCHIP_CLC_1
#undef ONCHIP_CLC_2

// --- what the functions below are written in ------------------------------------------------------------------------
ONCHIP_FN unsigned onchip_bits(float x) { return __builtin_bit_cast(unsigned, x); }
ONCHIP_FN unsigned long long onchip_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
ONCHIP_FN float onchip_value(unsigned b) { return __builtin_bit_cast(float, b); }
ONCHIP_FN double onchip_value(unsigned long long b) { return __builtin_bit_cast(double, b); }
ONCHIP_FN float onchip_nan(float) { return __builtin_nanf(""); }
ONCHIP_FN double onchip_nan(double) { return __builtin_nan(""); }
ONCHIP_FN float onchip_inf(float) { return __builtin_inff(); }
ONCHIP_FN double onchip_inf(double) { return __builtin_inf(); }
// P(t, a, b, c): a + b·t + c·t². Horner's scheme.
ONCHIP_FN float onchip_p(float, float a) { return a; }
ONCHIP_FN double onchip_p(double, double a) { return a; }
template <class T, class... C> ONCHIP_FN T onchip_p(T t, T a, C... c)
{
    return fma(t, onchip_p(t, static_cast<T>(c)...), a);
}
#define ONCHIP_APPROX(name, op)                                                                               \
    ONCHIP_FN float onchip_##name(float x)                                                                    \
    {                                                                                                         \
        float r;                                                                                              \
        asm(op ".f32 %0, %1;" : "=f"(r) : "f"(x));                                                            \
        return r;                                                                                             \
    }
ONCHIP_APPROX(ex2, "ex2.approx")
ONCHIP_APPROX(ex2_ftz, "ex2.approx.ftz")
ONCHIP_APPROX(lg2, "lg2.approx")
ONCHIP_APPROX(sin, "sin.approx")
ONCHIP_APPROX(cos, "cos.approx")
ONCHIP_APPROX(rsqrt, "rsqrt.approx")
ONCHIP_APPROX(rcp, "rcp.approx.ftz")
ONCHIP_APPROX(saturate, "cvt.sat.f32")
#if ONCHIP_ARCH >= 750
ONCHIP_APPROX(tanh, "tanh.approx")
#endif
#undef ONCHIP_APPROX

// --- of both types: what is an instruction, or exact ----------------------------------------------------------------
// A float's function has two names.
#define ONCHIP_EXACT_1(name)                                                                                  \
    ONCHIP_FN float name##f(float x) { return __builtin_##name##f(x); }                                       \
    ONCHIP_FN float name(float x) { return __builtin_##name##f(x); }                                          \
    ONCHIP_FN double name(double x) { return __builtin_##name(x); }
ONCHIP_EXACT_1(ceil)
ONCHIP_EXACT_1(fabs)
ONCHIP_EXACT_1(floor)
ONCHIP_EXACT_1(nearbyint)
ONCHIP_EXACT_1(rint)
ONCHIP_EXACT_1(round)
ONCHIP_EXACT_1(sqrt)
ONCHIP_EXACT_1(trunc)
#undef ONCHIP_EXACT_1
#define ONCHIP_EXACT_2(name)                                                                                  \
    ONCHIP_FN float name##f(float x, float y) { return __builtin_##name##f(x, y); }                           \
    ONCHIP_FN float name(float x, float y) { return __builtin_##name##f(x, y); }                              \
    ONCHIP_FN double name(double x, double y) { return __builtin_##name(x, y); }
ONCHIP_EXACT_2(copysign)
ONCHIP_EXACT_2(fmax)
ONCHIP_EXACT_2(fmin)
#undef ONCHIP_EXACT_2
ONCHIP_FN float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
ONCHIP_FN float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
ONCHIP_FN double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

#define ONCHIP_WHOLE(T, name, op, from)                                                                       \
    ONCHIP_FN T name(from x)                                                                                  \
    {                                                                                                         \
        T r;                                                                                                  \
        asm(op " %0, %1;" : "=l"(r) : ONCHIP_C_##from(x));                                                    \
        return r;                                                                                             \
    }
#define ONCHIP_C_float "f"
#define ONCHIP_C_double "d"
ONCHIP_WHOLE(long long, llrintf, "cvt.rni.s64.f32", float)
ONCHIP_WHOLE(long long, llrint, "cvt.rni.s64.f32", float)
ONCHIP_WHOLE(long long, llrint, "cvt.rni.s64.f64", double)
ONCHIP_WHOLE(long, lrintf, "cvt.rni.s64.f32", float)
ONCHIP_WHOLE(long, lrint, "cvt.rni.s64.f32", float)
ONCHIP_WHOLE(long, lrint, "cvt.rni.s64.f64", double)
ONCHIP_WHOLE(long long, onchip_whole, "cvt.rzi.s64.f32", float)
ONCHIP_WHOLE(long long, onchip_whole, "cvt.rzi.s64.f64", double)
#undef ONCHIP_WHOLE
ONCHIP_FN long long llroundf(float x) { return onchip_whole(roundf(x)); }
ONCHIP_FN long long llround(float x) { return onchip_whole(roundf(x)); }
ONCHIP_FN long long llround(double x) { return onchip_whole(round(x)); }
ONCHIP_FN long lroundf(float x) { return (long)onchip_whole(roundf(x)); }
ONCHIP_FN long lround(float x) { return (long)onchip_whole(roundf(x)); }
ONCHIP_FN long lround(double x) { return (long)onchip_whole(round(x)); }

// How a type is laid out, for templates of both.
template <class T> struct onchip_layout;
template <> struct onchip_layout<float> {
    typedef unsigned U;
    enum { bits = 24, bias = 127, all = 255 };
};
template <> struct onchip_layout<double> {
    typedef unsigned long long U;
    enum { bits = 53, bias = 1023, all = 2047 };
};
template <class T> ONCHIP_FN int onchip_exponent(T x)  // with its bias
{
    return (int)(onchip_bits(x) >> (onchip_layout<T>::bits - 1)) & onchip_layout<T>::all;
}
template <class T> ONCHIP_FN T onchip_power(int n)  // 2^n, normal
{
    typedef typename onchip_layout<T>::U U;
    return onchip_value((U)(n + onchip_layout<T>::bias) << (onchip_layout<T>::bits - 1));
}
template <class T> ONCHIP_FN bool onchip_finite(T x) { return onchip_exponent(x) != onchip_layout<T>::all; }

// x·2^n, rounded once: the last product alone may be subnormal.
template <class T> ONCHIP_FN T onchip_scale(T x, int n)
{
    enum { most = onchip_layout<T>::bias, least = 1 - most, step = least + onchip_layout<T>::bits };
    if (n > most) {
        x *= onchip_power<T>(most), n -= most;
        if (n > most) {
            x *= onchip_power<T>(most), n -= most;
            n = n < most ? n : most;
        }
    } else if (n < least) {
        x *= onchip_power<T>(step), n -= step;
        if (n < least) {
            x *= onchip_power<T>(step), n -= step;
            n = n > least ? n : least;
        }
    }
    return x * onchip_power<T>(n);
}
// |x| = f·2^n with f in [1/2, 1); of 0, infinity and nan x itself, with n = 0.
template <class T> ONCHIP_FN T onchip_split(T x, int &n)
{
    typedef typename onchip_layout<T>::U U;
    enum { low = onchip_layout<T>::bits - 1 };
    n = 0;
    if (x == 0 || !onchip_finite(x)) return x;
    if (!onchip_exponent(x)) x *= onchip_power<T>(low + 1), n = -(low + 1);
    n += onchip_exponent(x) - (onchip_layout<T>::bias - 1);
    return onchip_value((onchip_bits(x) & ~((U)onchip_layout<T>::all << low)) | (U)(onchip_layout<T>::bias - 1) << low);
}
template <class T> ONCHIP_FN int onchip_ilogb(T x)
{
    int n;
    if (x == 0 || x != x) return (-2147483647 - 1);
    if (!onchip_finite(x)) return 2147483647;
    onchip_split(x, n);
    return n - 1;
}
template <class T> ONCHIP_FN T onchip_logb(T x)
{
    return x == 0 ? -onchip_inf(x) : !onchip_finite(x) ? x * x : (T)onchip_ilogb(x);
}
template <class T> ONCHIP_FN T onchip_modf(T x, T *whole)
{
    const T w = trunc(x);
    *whole = w;
    return copysign(x == w ? (T)0 : x - w, x);
}
template <class T> ONCHIP_FN T onchip_nextafter(T x, T y)
{
    typedef typename onchip_layout<T>::U U;
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return copysign(onchip_value((U)1), y);
    return onchip_value(onchip_bits(x) + ((x < y) == (x > 0) ? (U)1 : ~(U)0));
}
template <class T> ONCHIP_FN T onchip_fdim(T x, T y) { return x != x || y != y ? x + y : x > y ? x - y : (T)0; }

// a mod b for a >= 0, b > 0, both finite: long division with digits so small that each remainder is exact.
template <class T> ONCHIP_FN T onchip_mod(T a, T b)
{
    enum { digit = onchip_layout<T>::bits - 2 };
    while (a >= b) {
        T by = b;
        const T ratio = a / b;
        if (!(ratio < onchip_power<T>(digit))) {
            int ea, eb;
            onchip_split(a, ea), onchip_split(b, eb);
            by = onchip_scale(b, ea - eb - (digit - 1));
        }
        a = fma(-trunc(by == b ? ratio : a / by), by, a);
        if (a < 0) a += by;
    }
    return a;
}
template <class T> ONCHIP_FN T onchip_fmod(T x, T y)
{
    if (!onchip_finite(x) || y != y || y == 0) return (x * y) / (x * y);
    return onchip_finite(y) ? copysign(onchip_mod(fabs(x), fabs(y)), x) : x;
}
template <class T> ONCHIP_FN T onchip_remquo(T x, T y, int &quotient)
{
    quotient = 0;
    if (!onchip_finite(x) || y != y || y == 0) return (x * y) / (x * y);
    if (!onchip_finite(y)) return x;
    T a = fabs(x);
    const T b = fabs(y);
    int q = 0;
    if (onchip_finite(8 * b)) a = onchip_mod(a, 8 * b);
    if (onchip_finite(4 * b) && a >= 4 * b) a -= 4 * b, q += 4;
    if (onchip_finite(2 * b) && a >= 2 * b) a -= 2 * b, q += 2;
    // a < 2b. Half of b is exact or b is subnormal, and then 2a is.
    if (b < onchip_power<T>(2 - onchip_layout<T>::bias) ? 2 * a > b : a > b / 2) {
        a -= b, ++q;
        if (b < onchip_power<T>(2 - onchip_layout<T>::bias) ? 2 * a >= b : a >= b / 2) a -= b, ++q;
    }
    q &= 7;
    quotient = (onchip_bits(x) ^ onchip_bits(y)) >> (sizeof(T) * 8 - 1) ? -q : q;
    return a == 0 ? copysign(a, x) : x < 0 ? -a : a;
}
template <class T> ONCHIP_FN T onchip_remainder(T x, T y)
{
    int quotient;
    return onchip_remquo(x, y, quotient);
}
ONCHIP_FN int onchip_int(long n) { return n > 4000 ? 4000 : n < -4000 ? -4000 : (int)n; }

#define ONCHIP_EACH(T, suffix)                                                                                \
    ONCHIP_FN int ilogb##suffix(T x) { return onchip_ilogb(x); }                                              \
    ONCHIP_FN T logb##suffix(T x) { return onchip_logb(x); }                                                  \
    ONCHIP_FN T frexp##suffix(T x, int *n)                                                                    \
    {                                                                                                         \
        int e;                                                                                                \
        const T f = onchip_split(x, e);                                                                       \
        *n = e;                                                                                               \
        return f;                                                                                             \
    }                                                                                                         \
    ONCHIP_FN T ldexp##suffix(T x, int n) { return onchip_scale(x, n); }                                      \
    ONCHIP_FN T scalbn##suffix(T x, int n) { return onchip_scale(x, n); }                                     \
    ONCHIP_FN T scalbln##suffix(T x, long n) { return onchip_scale(x, onchip_int(n)); }                       \
    ONCHIP_FN T modf##suffix(T x, T *whole) { return onchip_modf(x, whole); }                                 \
    ONCHIP_FN T nextafter##suffix(T x, T y) { return onchip_nextafter(x, y); }                                \
    ONCHIP_FN T fdim##suffix(T x, T y) { return onchip_fdim(x, y); }                                          \
    ONCHIP_FN T fmod##suffix(T x, T y) { return onchip_fmod(x, y); }                                          \
    ONCHIP_FN T remainder##suffix(T x, T y) { return onchip_remainder(x, y); }                                \
    ONCHIP_FN T remquo##suffix(T x, T y, int *quotient)                                                       \
    {                                                                                                         \
        int q;                                                                                                \
        const T r = onchip_remquo(x, y, q);                                                                   \
        *quotient = q;                                                                                        \
        return r;                                                                                             \
    }
ONCHIP_EACH(float, f)
ONCHIP_EACH(float, )
ONCHIP_EACH(double, )
#undef ONCHIP_EACH
ONCHIP_FN float nanf(const char *) { return __builtin_nanf(""); }
ONCHIP_FN double nan(const char *) { return __builtin_nan(""); }

// --- lengths: the largest component is scaled to about 1, so that no square overflows or is lost --------------------
template <class T> ONCHIP_FN T onchip_scale_down(T most)  // a power of 2 that brings it near 1
{
    enum { all = onchip_layout<T>::all, low = onchip_layout<T>::bits - 1 };
    const int e = onchip_exponent(most);
    return onchip_value((typename onchip_layout<T>::U)(all - 2 - (e < all - 3 ? e : all - 3)) << low);
}
template <class T> ONCHIP_FN T onchip_scale_up(T down)  // 1 / down
{
    enum { all = onchip_layout<T>::all, low = onchip_layout<T>::bits - 1 };
    return onchip_value((typename onchip_layout<T>::U)(all - 1 - onchip_exponent(down)) << low);
}
ONCHIP_FN float onchip_root(float sum, float up) { return sqrtf(sum) * up; }
ONCHIP_FN double onchip_root(double sum, double up) { return sqrt(sum) * up; }
ONCHIP_FN float onchip_reciprocal(float sum, float, float down) { return onchip_rsqrt(sum) * down; }
ONCHIP_FN double onchip_reciprocal(double sum, double rest, double down)
{
    const double root = sqrt(sum), inverse = 1 / root;
    // One of Newton's steps with the root's own error: root·inverse - 1 is exact but for what the root lacks.
    const double off = fma(-root, inverse, 1.0), lost = fma(-root, root, sum) + rest;
    const double better = fma(inverse, off - 0.5 * lost * inverse * inverse, inverse);
    return (sum > 0 && sum < __builtin_inf() ? better : inverse) * down;
}
template <class T> ONCHIP_FN T onchip_length2(T x, T y, bool inverse)
{
    x = fabs(x), y = fabs(y);
    const T down = onchip_scale_down(fmax(x, y)), up = onchip_scale_up(down), inf = onchip_inf(x);
    const T sx = x * down, sy = y * down, sum = fma(sx, sx, sy * sy);
    if (x == inf || y == inf) return inverse ? (T)0 : inf;
    return inverse ? onchip_reciprocal(sum, (T)0, down) : onchip_root(sum, up);
}
template <class T> ONCHIP_FN T onchip_length4(T x, T y, T z, T w, bool inverse)
{
    x = fabs(x), y = fabs(y), z = fabs(z), w = fabs(w);
    const T down = onchip_scale_down(fmax(fmax(x, y), fmax(z, w))), up = onchip_scale_up(down), inf = onchip_inf(x);
    const T sx = x * down, sy = y * down, sz = z * down, sw = w * down;
    const T xy = fma(sx, sx, sy * sy), zw = fma(sz, sz, sw * sw), sum = xy + zw, part = sum - xy;
    const T rest = (xy - (sum - part)) + (zw - part);  // what the sum lacks
    if (x == inf || y == inf || z == inf || w == inf) return inverse ? (T)0 : inf;
    return inverse ? onchip_reciprocal(sum, rest, down) : onchip_root(sum, up);
}
template <class T> ONCHIP_FN T onchip_length(int n, const T *p, bool inverse)
{
    T most = 0, sum = 0;
    bool infinite = false;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(p[i])), infinite |= fabs(p[i]) == onchip_inf(most);
    const T down = onchip_scale_down(most), up = onchip_scale_up(down);
    for (int i = 0; i < n; ++i) sum = fma(p[i] * down, p[i] * down, sum);
    if (infinite) return inverse ? (T)0 : onchip_inf(most);
    return inverse ? onchip_reciprocal(sum, (T)0, down) : onchip_root(sum, up);
}
#define ONCHIP_EACH(T, suffix)                                                                            \
    ONCHIP_FN T rhypot##suffix(T x, T y) { return onchip_length2(x, y, true); }                                   \
    ONCHIP_FN T norm3d##suffix(T x, T y, T z) { return onchip_length4(x, y, z, (T)0, false); }                    \
    ONCHIP_FN T rnorm3d##suffix(T x, T y, T z) { return onchip_length4(x, y, z, (T)0, true); }                    \
    ONCHIP_FN T norm4d##suffix(T x, T y, T z, T w) { return onchip_length4(x, y, z, w, false); }                  \
    ONCHIP_FN T rnorm4d##suffix(T x, T y, T z, T w) { return onchip_length4(x, y, z, w, true); }                  \
    ONCHIP_FN T norm##suffix(int n, const T *p) { return onchip_length(n, p, false); }                            \
    ONCHIP_FN T rnorm##suffix(int n, const T *p) { return onchip_length(n, p, true); }
ONCHIP_EACH(float, f)
ONCHIP_EACH(double, )
#undef ONCHIP_EACH
ONCHIP_FN float hypotf(float x, float y) { return onchip_length2(x, y, false); }
ONCHIP_FN float hypot(float x, float y) { return onchip_length2(x, y, false); }
ONCHIP_FN double hypot(double x, double y) { return onchip_length2(x, y, false); }
ONCHIP_FN float hypot(float x, float y, float z) { return norm3df(x, y, z); }
ONCHIP_FN double hypot(double x, double y, double z) { return norm3d(x, y, z); }
ONCHIP_FN float rsqrtf(float x) { return onchip_rsqrt(x); }
ONCHIP_FN float rsqrt(float x) { return onchip_rsqrt(x); }
ONCHIP_FN double rsqrt(double x) { return 1 / sqrt(x); }

// --- floats: e^x and the like ---------------------------------------------------------------------------------------
// b^x = 2^n·2^f, with n whole and |f| <= 1/2. log2(b) is hi + lo; 2^n = h·g, both normal while |x·log2(b)| < 252.
// 12582912 is 1.5·2^23: a sum with it is a whole number, which stands in its lowest bits.
ONCHIP_FN float onchip_exp_parts(float x, float hi, float lo, float &h, float &g)
{
    const float n = fmaf(x, hi, 12582912.f);
    const unsigned b = onchip_bits(n), half = b >> 1;
    h = onchip_value((half << 23) + 0x3f800000), g = onchip_value(((b - half) << 23) + 0x3f800000);
    const float whole = n - 12582912.f;
    return onchip_ex2_ftz(fmaf(x, lo, fmaf(x, hi, -whole)));
}
#define ONCHIP_LOG2_E 1.44269502f, 1.92596299e-8f
#define ONCHIP_LOG2_10 3.32192802f, 7.05958665e-8f
ONCHIP_FN float onchip_between(float x, float low, float high)  // nan stays
{
    x = x > high ? high : x;
    return x < low ? low : x;
}
ONCHIP_FN float __expf(float x) { return onchip_ex2_ftz(x * 1.44269502f); }
ONCHIP_FN float __exp10f(float x) { return onchip_ex2_ftz(x * 3.32192802f); }
ONCHIP_FN float exp2f(float x) { return onchip_ex2(x); }
ONCHIP_FN float expf(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __expf(x);
#else
    float h, g;
    const float y = onchip_exp_parts(onchip_between(x, -105, 89), ONCHIP_LOG2_E, h, g);
    return y * h * g;
#endif
}
ONCHIP_FN float exp10f(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __exp10f(x);
#else
    float h, g;
    const float y = onchip_exp_parts(onchip_between(x, -46, 39), ONCHIP_LOG2_10, h, g);
    return y * h * g;
#endif
}
ONCHIP_FN float expm1f(float x)
{
    const float t = onchip_between(x, -18, 89);
    const float n = rintf(t * 1.44269502f);
    const float r = fmaf(n, -1.42860677e-6f, fmaf(n, -0.693145752f, t));  // ln 2 in two parts
    const float p = onchip_p(r, 0.5f, 0.166666672f, 0.0416664779f, 0.00833320059f, 0.00139337825f, 0.000199510716f);
    const float half = onchip_power<float>((int)n - 1);                    // 2^n may be too large
    const float y = 2 * fmaf(fmaf(p, r * r, r), half, half - 0.5f);
    return x == 0 || x != x ? x : y;
}
// e^x / 2 = y·h·g for x >= 0; and e^-x / 2 from it
ONCHIP_FN float sinhf(float x)
{
    const float a = fabsf(x), s = x * x;
    if (a < 1)
        return fmaf(s * x, onchip_p(s, 0.166666672f, 0.00833331142f, 0.00019842574f, 2.78431185e-6f), x);
    float h, g;
    const float e = onchip_exp_parts(onchip_between(a, 0, 91), ONCHIP_LOG2_E, h, g) * h * (0.5f * g);
    return copysignf(fmaf(-0.25f, 1 / e, e), x);
}
ONCHIP_FN float coshf(float x)
{
    float h, g;
    const float e = onchip_exp_parts(onchip_between(fabsf(x), 0, 91), ONCHIP_LOG2_E, h, g) * h * (0.5f * g);
    return fmaf(0.25f, 1 / e, e);
}
ONCHIP_FN float tanhf(float x)
{
#if defined(ONCHIP_FAST_MATH) && ONCHIP_ARCH >= 750
    return onchip_tanh(x);
#else
    const float a = fabsf(x), s = x * x;
    if (a < 0.55f)
        return x == 0 ? x : fmaf(s * x, onchip_p(s, -0.333333194f, 0.133326367f, -0.0538569503f, 0.0210887995f,
                                                 -0.00629640929f), x);
    return copysignf(1 - 2 / (expf(2 * onchip_between(a, 0, 40)) + 1), x);
#endif
}
ONCHIP_FN float __tanhf(float x)
{
#if ONCHIP_ARCH >= 750
    return onchip_tanh(x);
#else
    return tanhf(x);
#endif
}

// --- floats: logarithms ---------------------------------------------------------------------------------------------
// log(1 + f) = f + what this returns, |f| <= 1/3
ONCHIP_FN float onchip_log_rest(float f)
{
    const float p = onchip_p(f, 0.333332241f, -0.249996901f, 0.200100332f, -0.166854069f, 0.140110612f, -0.121159337f,
                             0.139618292f, -0.131881893f);
    return f * f * fmaf(p, f, -0.5f);
}
// x = 2^e·(1 + f), with 1 + f from 2/3 to 4/3; x is positive and finite
ONCHIP_FN float onchip_log_parts(float x, float &e)
{
    const bool small = x < 1.17549435e-38f;
    x = small ? x * 8388608 : x;
    const unsigned i = (onchip_bits(x) - 0x3f2aaaabu) & 0xff800000u;
    e = fmaf((float)(int)i, 1.1920929e-7f, small ? -23.f : 0.f);
    return onchip_value(onchip_bits(x) - i) - 1;
}
ONCHIP_FN float onchip_log_special(float x, float y)  // of 0, negative numbers, infinity and nan
{
    return onchip_bits(x) - 1 >= 0x7f7fffffu ? onchip_lg2(x) : y;
}
ONCHIP_FN float __log2f(float x) { return onchip_lg2(x); }
ONCHIP_FN float __logf(float x) { return onchip_lg2(x) * 0.693147182f; }
ONCHIP_FN float __log10f(float x) { return onchip_lg2(x) * 0.30103001f; }
ONCHIP_FN float logf(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __logf(x);
#else
    float e;
    const float f = onchip_log_parts(x, e);
    return onchip_log_special(x, fmaf(e, 0.693147182f, onchip_log_rest(f) + f));
#endif
}
ONCHIP_FN float log2f(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __log2f(x);
#else
    float e;
    const float f = onchip_log_parts(x, e), rest = onchip_log_rest(f);
    return onchip_log_special(x, e + fmaf(f, 1.44269502f, fmaf(rest, 1.44269502f, f * 1.92596299e-8f)));
#endif
}
ONCHIP_FN float log10f(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __log10f(x);
#else
    float e;
    const float f = onchip_log_parts(x, e), rest = onchip_log_rest(f);
    return onchip_log_special(
        x, fmaf(e, 0.30103001f, fmaf(f, 0.434294492f, fmaf(rest, 0.434294492f, f * -1.00943491e-8f))));
#endif
}
ONCHIP_FN float log1pf(float x)
{
    const float u = 1 + x;
    const unsigned i = (onchip_bits(u) - 0x3f2aaaabu) & 0xff800000u;
    const float e = (float)(int)i * 1.1920929e-7f, four = onchip_value(0x40800000 - i);  // 4·2^-e
    const float back = fmaf(four, 0.25f, -1), f = fmaf(x, four * 0.25f, back);
    const float lost = fmaf(x, four * 0.25f, back - f);
    const float y = fmaf(e, 0.693147182f, onchip_log_rest(f) + lost + f);
    return x == 0 ? x : onchip_log_special(u, y);
}
ONCHIP_FN float asinhf(float x)
{
    const float a = fabsf(x), s = a * a;
    const bool large = a > 1e18f;
    const float y = log1pf(large ? a : a + s / (1 + sqrtf(s + 1)));
    return copysignf(large ? y + 0.693147182f : y, x);
}
ONCHIP_FN float acoshf(float x)
{
    const float t = x - 1;
    const bool large = x > 1e18f;
    const float y = log1pf(large ? t : t + sqrtf(fmaf(t, t, 2 * t)));
    return x < 1 ? __builtin_nanf("") : large ? y + 0.693147182f : y;
}
ONCHIP_FN float atanhf(float x)
{
    const float a = fabsf(x);
    return copysignf(0.5f * log1pf(2 * a / (1 - a)), x);
}

// --- floats: sine and cosine ----------------------------------------------------------------------------------------
// x = k·π/2 + r. π/2 in three parts, the first short enough for exact products (Cody and Waite). Where k is large,
// x·2/π modulo 4 is made of those bits of 2/π that count (Payne and Hanek): |x| is m·2^e, m a whole number.
ONCHIP_FN float onchip_reduce(float x, int &k)
{
    if (fabsf(x) < 105615) {
        const float n = fmaf(x, 0.636619747f, 12582912.f);
        k = (int)onchip_bits(n);
        const float w = n - 12582912.f;
        return fmaf(w, -5.39030253e-15f, fmaf(w, -7.54978942e-8f, fmaf(w, -1.57079625f, x)));
    }
    const unsigned b = onchip_bits(x), m = (b & 0x7fffff) | 0x800000;
    const int at = (int)(b >> 23 & 255) - 150 + 30;  // the first bit, of weight 2, behind 32 zeros
    const int word = at >> 5;
    const unsigned n = (unsigned)at & 31;
    const unsigned w0 = 0xa2f9836e, w1 = 0x4e441529, w2 = 0xfc2757d1, w3 = 0xf534ddc0, w4 = 0xdb629599, w5 = 0x3c439041,
                   w6 = 0xfe5163ab;
    const unsigned a0 = word < 2 ? word < 1 ? 0 : w0 : word < 3 ? w1 : word < 4 ? w2 : w3;
    const unsigned a1 = word < 2 ? word < 1 ? w0 : w1 : word < 3 ? w2 : word < 4 ? w3 : w4;
    const unsigned a2 = word < 2 ? word < 1 ? w1 : w2 : word < 3 ? w3 : word < 4 ? w4 : w5;
    const unsigned a3 = word < 2 ? word < 1 ? w2 : w3 : word < 3 ? w4 : word < 4 ? w5 : w6;
    const unsigned v0 = __funnelshift_l(a1, a0, n), v1 = __funnelshift_l(a2, a1, n), v2 = __funnelshift_l(a3, a2, n);
    const unsigned long long low = ((unsigned long long)m * v2 >> 32) + (unsigned long long)m * v1;
    const unsigned long long product = low + ((unsigned long long)(m * v0) << 32);  // in units of 2^-62
    const long long part = (long long)(product << 2);
    k = (int)(product >> 62) + (part < 0);
    const float r = (float)((double)part * 8.5153039502163873e-20);  // π/2 / 2^64
    k = x < 0 ? -k : k;
    return fabsf(x) < __builtin_inff() ? x < 0 ? -r : r : __builtin_nanf("");
}
// sine of r + k·π/2, |r| <= π/4
ONCHIP_FN float onchip_sine(float r, int k)
{
    const bool odd = k & 1;
    const float s = r * r, first = odd ? 1 : r;
    float p = odd ? 2.44318671e-5f : 2.83444683e-6f;
    p = fmaf(p, s, odd ? -0.00138873071f : -0.000198532536f);
    p = fmaf(p, s, odd ? 0.0416666456f : 0.0083333794f);
    p = fmaf(p, s, odd ? -0.5f : -0.166666672f);
    return onchip_value(onchip_bits(fmaf(p, s * first, first)) ^ ((unsigned)k << 30 & 0x80000000u));
}
ONCHIP_FN float __sinf(float x) { return onchip_sin(x); }
ONCHIP_FN float __cosf(float x) { return onchip_cos(x); }
ONCHIP_FN void __sincosf(float x, float *sine, float *cosine) { *sine = onchip_sin(x), *cosine = onchip_cos(x); }
ONCHIP_FN float __fdividef(float x, float y)
{
    float r;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
ONCHIP_FN float __tanf(float x) { return __fdividef(onchip_sin(x), onchip_cos(x)); }
ONCHIP_FN float sinf(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __sinf(x);
#else
    int k;
    const float r = onchip_reduce(x, k);
    return x == 0 ? x : onchip_sine(r, k);
#endif
}
ONCHIP_FN float cosf(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __cosf(x);
#else
    int k;
    const float r = onchip_reduce(x, k);
    return onchip_sine(r, k + 1);
#endif
}
ONCHIP_FN void sincosf(float x, float *sine, float *cosine)
{
#ifdef ONCHIP_FAST_MATH
    __sincosf(x, sine, cosine);
#else
    int k;
    const float r = onchip_reduce(x, k);
    *sine = x == 0 ? x : onchip_sine(r, k), *cosine = onchip_sine(r, k + 1);
#endif
}
ONCHIP_FN float tanf(float x)
{
#ifdef ONCHIP_FAST_MATH
    return __tanf(x);
#else
    int k;
    const float r = onchip_reduce(x, k), s = r * r;
    const float p = onchip_p(s, 0.333331317f, 0.133394003f, 0.053364709f, 0.02458754f, 0.00287871156f, 0.00952273607f);
    const float t = fmaf(s * r, p, r);
    return k & 1 ? -1 / t : t;
#endif
}
// x = k/2 + r, k modulo 4
ONCHIP_FN float onchip_reduce_pi(float x, int &k)
{
    x = fmaf(-2, rintf(x * 0.5f), x);
    const float n = rintf(2 * x);
    k = (int)n;
    return fmaf(n, -0.5f, x);
}
ONCHIP_FN float onchip_sine_pi(float r, int k)
{
    const float s = r * r;
    const float p = onchip_p(s, -5.16771269f, 2.55015469f, -0.59897697f, 0.0791110694f);
    const float sine = fmaf(r, 3.14159274f, r * fmaf(s, p, -8.74227766e-8f));
    const float cosine = fmaf(s, onchip_p(s, -4.93480206f, 4.05869627f, -1.33472538f, 0.228612229f), 1);
    return onchip_value(onchip_bits(k & 1 ? cosine : sine) ^ ((unsigned)k << 30 & 0x80000000u));
}
ONCHIP_FN float sinpif(float x)
{
    int k;
    const float r = onchip_reduce_pi(x, k), y = onchip_sine_pi(r, k);
    return y == 0 ? copysignf(0, x) : y;
}
ONCHIP_FN float cospif(float x)
{
    int k;
    const float r = onchip_reduce_pi(x, k);
    return onchip_sine_pi(r, k + 1) + 0.f;  // no -0
}
ONCHIP_FN void sincospif(float x, float *sine, float *cosine) { *sine = sinpif(x), *cosine = cospif(x); }

// --- floats: arc functions ------------------------------------------------------------------------------------------
ONCHIP_FN float onchip_atan(float t)  // 0 <= t <= 1
{
    const float s = t * t;
    const float p = onchip_p(s, -0.333332986f, 0.199985325f, -0.142640784f, 0.109513648f, -0.0840113387f,
                             0.0579191893f, -0.0311406795f, 0.0108951731f, -0.00178937963f);
    return fmaf(s * t, p, t);
}
ONCHIP_FN float atanf(float x)
{
    const float a = fabsf(x);
    const float y = onchip_atan(a > 1 ? 1 / a : a);
    return copysignf(a > 1 ? 1.57079637f - y : y, x);
}
ONCHIP_FN float atan2f(float y, float x)
{
    const float ay = fabsf(y), ax = fabsf(x);
    const float most = ay > ax ? ay : ax, least = ay > ax ? ax : ay;
    const float t = most == 0 ? 0 : least == __builtin_inff() ? 1 : least / most;
    float r = onchip_atan(t);
    r = ay > ax ? 1.57079637f - r : r;
    r = onchip_bits(x) >> 31 ? 3.14159274f - r : r;
    return x != x || y != y ? x + y : copysignf(r, y);
}
ONCHIP_FN float onchip_asin_rest(float s)  // asin(t) = t + t·rest(t²), |t| <= 1/2
{
    return s * onchip_p(s, 0.166666597f, 0.0750052705f, 0.0445117541f, 0.0318563394f, 0.0142386016f, 0.037816681f);
}
ONCHIP_FN float asinf(float x)
{
    const float a = fabsf(x);
    const bool near = a > 0.5f;
    const float s = near ? fmaf(a, -0.5f, 0.5f) : a * a, t = near ? sqrtf(s) : a;
    const float y = fmaf(t, onchip_asin_rest(s), t);
    return copysignf(near ? fmaf(-2, y, 1.57079637f) : y, x);
}
ONCHIP_FN float acosf(float x)
{
    const float a = fabsf(x);
    const bool near = a > 0.5f;
    const float s = near ? fmaf(a, -0.5f, 0.5f) : a * a, t = near ? sqrtf(s) : x;
    const float y = fmaf(t, onchip_asin_rest(s), t);
    return near ? x < 0 ? fmaf(-2, y, 3.14159274f) : 2 * y : 1.57079637f - (y + 4.37113883e-8f);
}

// --- floats: roots and powers ---------------------------------------------------------------------------------------
ONCHIP_FN float cbrtf(float x)
{
    const float a = fabsf(x), y = onchip_ex2_ftz(onchip_lg2(a) * 0.333333343f);
    const float r = fmaf(a / (y * y) - y, 0.333333343f, y);  // one of Newton's steps
    return a > 0 && a < __builtin_inff() ? copysignf(r, x) : x + x;
}
ONCHIP_FN float rcbrtf(float x)
{
    const float a = fabsf(x), y = onchip_ex2_ftz(onchip_lg2(a) * -0.333333343f);
    const float r = fmaf(fmaf(-(a * y), y * y, 1) * 0.333333343f, y, y);
    return a > 0 && a < __builtin_inff() ? copysignf(r, x) : 1 / x;
}
// log2(a) = the result + lo, for a finite, positive a. log(m) = u + u³/12 + …, u = 2(m - 1)/(m + 1) (Abramowitz and
// Stegun 4.1.27).
ONCHIP_FN float onchip_log2_pair(float a, float &lo)
{
    float e;
    const bool small = a < 1.17549435e-38f;
    a = small ? a * 8388608 : a;
    const unsigned i = (onchip_bits(a) - 0x3f3504f3u) & 0xff800000u;  // m from sqrt(1/2) to sqrt(2)
    e = fmaf((float)(int)i, 1.1920929e-7f, small ? -23.f : 0.f);
    const float f = onchip_value(onchip_bits(a) - i) - 1, inverse = onchip_rcp(f + 2), u = 2 * f * inverse, v = u * u;
    const float rest = inverse * fmaf(-u, f, 2 * (f - u));  // what u lacks
    const float t = v * u, cube = fmaf(v, u, -t) + u * fmaf(u, u, -v);  // u³ is t + cube
    const float series = onchip_p(v, 0.0833333284f, 0.0125003029f, 0.00222648215f, 0.00047411659f);
    const float p = fmaf(t, series, fmaf(cube, 0.0833333284f, fmaf(rest, 0.25f * v, rest)));
    const float hi = u * 1.44269502f, s = e + hi;
    const float low = fmaf(p, 1.44269502f, fmaf(u, 1.92596299e-8f, fmaf(u, 1.44269502f, -hi) + (hi - (s - e))));
    const float sum = s + low;
    lo = low - (sum - s);
    return sum;
}
ONCHIP_FN float onchip_powf(float a, float y)  // a > 0, both finite
{
    float lo;
    const float hi = onchip_log2_pair(a, lo), product = hi * y;
    const bool far = fabsf(product) > 200;
    const float t = far ? copysignf(200, product) : product;
    const float rest = far ? 0 : fmaf(lo, y, fmaf(hi, y, -product));
    const float n = t + 12582912.f, whole = n - 12582912.f;
    const unsigned b = onchip_bits(n), half = b >> 1;
    return onchip_ex2_ftz(t - whole + rest) * onchip_value((half << 23) + 0x3f800000) *
           onchip_value(((b - half) << 23) + 0x3f800000);
}
ONCHIP_FN float __powf(float x, float y) { return onchip_ex2_ftz(y * onchip_lg2(x)); }
ONCHIP_FN float powf(float x, float y)  // special values: C17 F.10.4.4
{
#ifdef ONCHIP_FAST_MATH
    return __powf(x, y);
#else
    if (__builtin_constant_p(y) && y == 2) return x * x;
    const float a = fabsf(x), inf = __builtin_inff();
    if (a > 0 && a < inf && fabsf(y) < inf) {
        const float r = onchip_powf(a, y);
        if (!(x < 0)) return r;
        const float half = y * 0.5f;
        return truncf(y) != y ? __builtin_nanf("") : truncf(half) != half ? -r : r;
    }
    if (x == 1 || y == 0) return 1;
    if (x != x || y != y) return x + y;
    if (fabsf(y) == inf) return a == 1 ? 1 : (a > 1) == (y > 0) ? inf : 0;
    const float half = y * 0.5f, r = (a == 0) == (y < 0) ? inf : 0;
    return truncf(y) == y && truncf(half) != half ? copysignf(r, x) : r;
#endif
}
ONCHIP_FN float fdividef(float x, float y)
{
#ifdef ONCHIP_FAST_MATH
    return __fdividef(x, y);
#else
    return x / y;
#endif
}

// --- floats: error functions, gamma ---------------------------------------------------------------------------------
// e^(x²)·erfc(x) for x >= 0: a polynomial of (x - 2)/(x + 2), over 1 + 2x (Shepherd and Laframboise, Chebyshev
// Approximation of (1 + 2x)exp(x²)erfc x in 0 <= x < ∞, 1981)
ONCHIP_FN float onchip_erfcx(float x)
{
    const float t = x < 1e30f ? (x - 2) / (x + 2) : 1;
    const float p = onchip_p(t, 1.27697837f, -0.0927637741f, -0.16603066f, 0.164049312f, -0.0542147234f,
                             -0.00801718142f, 0.00869600475f, 0.00121196907f, -0.00140296353f, -0.000351560448f,
                             0.000163562479f, 6.0815386e-5f);
    return x < 1e37f ? p / fmaf(2, x, 1) : 0.56418958f / x;
}
// c·e^-(s + rest), s >= 0
ONCHIP_FN float onchip_bell(float s, float rest, float c)
{
    float h, g;
    const float y = onchip_exp_parts(-onchip_between(s, 0, 120), ONCHIP_LOG2_E, h, g);
    return fmaf(y, -rest, y) * c * h * g;
}
ONCHIP_FN float onchip_erfc(float a)  // a >= 0
{
    const float s = a * a;
    return onchip_bell(s, s < 120 ? fmaf(a, a, -s) : 0, onchip_erfcx(a));
}
ONCHIP_FN float erff(float x)
{
    const float a = fabsf(x), s = x * x;
    if (a < 1)
        return fmaf(onchip_p(s, 0.128379166f, -0.376126289f, 0.112836182f, -0.0268551186f, 0.00519071938f,
                             -0.000803062343f, 7.91989223e-5f), x, x);
    return x != x ? x : copysignf(1 - onchip_erfc(a), x);
}
ONCHIP_FN float erfcf(float x)
{
    if (fabsf(x) < 0.4f) return 1 - erff(x);
    const float y = onchip_erfc(fabsf(x));
    return x != x ? x : x < 0 ? 2 - y : y;
}
ONCHIP_FN float erfcxf(float x)
{
    const float y = onchip_erfcx(fabsf(x));
    if (!(x < 0)) return x != x ? x : y;
    float h, g;
    const float s = onchip_between(x * x, 0, 90), rest = s < 90 ? fmaf(x, x, -s) : 0;
    const float e = onchip_exp_parts(s, ONCHIP_LOG2_E, h, g) * h;
    return fmaf(fmaf(e, rest, e), 2 * g, -y);
}
ONCHIP_FN float normcdff(float x)
{
    const float a = onchip_between(fabsf(x), 0, 20), s = a * a;
    const float y = onchip_bell(0.5f * s, 0.5f * fmaf(a, a, -s), 0.5f * onchip_erfcx(a * 0.707106769f));
    return x != x ? x : x < 0 ? y : 1 - y;
}
// The y of erf(y) = x is x·P(w), w = -log((1 - x)(1 + x)); and that of erfc(y) = q, for small q, sqrt(w)·P(1/sqrt(w)),
// w = -log(q(2 - q)). The forms: Giles, Approximating the erfinv Function (2012).
ONCHIP_FN float onchip_erfinv_near(float w)  // w < 5
{
    return onchip_p(w - 2.5f, 1.50140941f, 0.246640295f, -0.00417750003f, -0.00125274842f, 0.000218410321f,
                    -4.95974609e-6f, -3.4768816e-6f, 4.65429423e-7f, 2.42476421e-8f, -8.73988526e-9f);
}
ONCHIP_FN float onchip_erfinv_far(float w)
{
    const float u = onchip_rsqrt(w), root = sqrtf(w);
    if (w < 106)
        return root * onchip_p(u, 1.00044751f, -0.0331446119f, -1.12511492f, 3.92759109f, -8.82660866f, 14.8397341f,
                               -15.0213585f, 6.38941908f);
    return root * onchip_p(u, 1.00010514f, -0.0164802559f, -1.45756435f, 7.31197214f, -26.1673546f, 48.4198112f);
}
ONCHIP_FN float onchip_minus_log(float x)  // of 0 < x <= 1
{
    float e;
    const float f = onchip_log_parts(x, e);
    return -fmaf(e, 0.693147182f, onchip_log_rest(f) + f);
}
ONCHIP_FN float erfinvf(float x)
{
    const float a = fabsf(x), w = onchip_minus_log(fmaf(-a, a, 1));
    const float y = w < 5 ? a * onchip_erfinv_near(w) : onchip_erfinv_far(w);
    return a < 1 ? copysignf(y, x) : a == 1 ? copysignf(__builtin_inff(), x) : __builtin_nanf("");
}
ONCHIP_FN float erfcinvf(float q)
{
    const float tail = q > 1 ? 2 - q : q, w = onchip_minus_log(tail) - 0.693147182f - log1pf(-0.5f * tail);
    const float y = w < 5 ? (1 - tail) * onchip_erfinv_near(w) : onchip_erfinv_far(w);
    return tail > 0 ? q > 1 ? -y : y : tail == 0 ? copysignf(__builtin_inff(), 1 - q) : __builtin_nanf("");
}
ONCHIP_FN float normcdfinvf(float p)
{
    const float y = erfcinvf(2 * p);
    return fabsf(y) < __builtin_inff() ? fmaf(y, -1.41421354f, fmaf(y, -2.42032275e-8f, 0.f)) : -y;
}
ONCHIP_FN float lgammaf(float x) { return (float)onchip_clc_lgamma(x); }

// --- doubles: libclc's, with its faults mended ----------------------------------------------------------------------
#define ONCHIP_EACH(name)                                                                                     \
    ONCHIP_FN double name(double x) { return onchip_clc_##name(x); }
ONCHIP_EACH(acos) ONCHIP_EACH(acosh) ONCHIP_EACH(asin) ONCHIP_EACH(asinh) ONCHIP_EACH(atanh) ONCHIP_EACH(cbrt)
ONCHIP_EACH(cos) ONCHIP_EACH(erfc) ONCHIP_EACH(exp) ONCHIP_EACH(exp10) ONCHIP_EACH(exp2) ONCHIP_EACH(lgamma)
ONCHIP_EACH(log) ONCHIP_EACH(log10) ONCHIP_EACH(log1p) ONCHIP_EACH(log2) ONCHIP_EACH(tanh)
#undef ONCHIP_EACH
// Of -0 libclc makes 0.
#define ONCHIP_EACH(name)                                                                                     \
    ONCHIP_FN double name(double x) { return x == 0 ? x : onchip_clc_##name(x); }
ONCHIP_EACH(atan) ONCHIP_EACH(erf) ONCHIP_EACH(expm1) ONCHIP_EACH(sin) ONCHIP_EACH(tan)
#undef ONCHIP_EACH
// Of nan libclc reads outside its tables.
ONCHIP_FN double sinh(double x) { return x != x ? x : onchip_clc_sinh(x); }
ONCHIP_FN double cosh(double x) { return x != x ? x : onchip_clc_cosh(x); }
// Zeros have their sign by C23.
ONCHIP_FN double sinpi(double x)
{
    const double y = onchip_clc_sinpi(x);
    return y == 0 ? copysign(0.0, x) : y;
}
ONCHIP_FN double cospi(double x) { return onchip_clc_cospi(x) + 0.0; }
ONCHIP_FN double atan2(double y, double x) { return onchip_clc_atan2(y, x); }
ONCHIP_FN double pow(double x, double y)
{
    return __builtin_constant_p(y) && y == 2 ? x * x : onchip_clc_pow(x, y);
}
ONCHIP_FN void sincos(double x, double *sine, double *cosine) { *sine = sin(x), *cosine = cos(x); }
ONCHIP_FN void sincospi(double x, double *sine, double *cosine) { *sine = sinpi(x), *cosine = cospi(x); }
ONCHIP_FN double rcbrt(double x)
{
    const double a = fabs(x);
    int n;
    const double f = onchip_split(a, n);  // x = f·2^n; n = 3m - (0, 1 or 2)
    const int m = (n + 3072) / 3 - 1024, more = n - 3 * m;
    const double g = f * (more ? more == 1 ? 2 : 4 : 1);  // from 1/2 to 4
    const float start = onchip_ex2_ftz(onchip_lg2((float)g) * -0.333333343f);
    double y = start;
    y = fma(fma(-g * y, y * y, 1.0) * 0.33333333333333331, y, y);  // Newton's steps for g·y³ = 1
    const double square = y * y, lost = fma(y, y, -square), cube = square * y, rest = fma(square, y, -cube) + lost * y;
    y = fma(fma(-g, rest, fma(-g, cube, 1.0)) * 0.33333333333333331, y, y);
    return a > 0 && a < __builtin_inf() ? copysign(y * onchip_power<double>(-m), x) : 1 / x;
}

// --- gamma: libclc's is off by up to 570 ulps, and infinite below -180 ----------------------------------------------
// For 1 <= x + n < 2 the gamma function is a quotient of x's neighbours and 1/Γ(x + n), which is a polynomial. Far from
// 0 it's Stirling's formula, in two factors, since half of a power may not overflow yet; and Γ(-x) is
// -π/(x·sin(πx)·Γ(x)).
ONCHIP_FN double tgamma(double x)
{
    const double a = fabs(x);
    if (x < 0 && trunc(x) == x) return __builtin_nan("");
    if (a < 12) {
        double y = x, up = 1, down = 1;
        for (; y >= 2; up *= y) y -= 1;
        for (; y < 1; y += 1) down *= y;
        const double t = y - 1.5;
        return up / (down * onchip_p(t,
                           1.1283791670955126, -0.0411745264452831, -0.5266544355255447, 0.1751020260439345,
                           0.050966860247723254, -0.042155169368530074, 0.006612897826273515, 0.002120731442396242,
                           -0.001110730245918119, 0.00015235762354157663, 2.5355130539175535e-05,
                           -1.3896829354060864e-05, 2.1565577829270528e-06, 5.80540732549556e-08,
                           -9.002261834603835e-08, 1.6830710938973937e-08));
    }
    if (x > 172 || x != x) return x * __builtin_inf();
    if (x < -185) return floor(x) * 0.5 == floor(floor(x) * 0.5) ? 0.0 : -0.0;
    const double half = pow(a, 0.5 * a - 0.25), v = 1 / a;
    const double rest = exp(-a) * onchip_p(v,
                           2.5066282746310007, 0.2088856895525782, 0.008703570399686346, -0.0067210906796011625,
                           -0.0005751884724095473, 0.0019648482126436422, 0.0001840050105220091,
                           -0.0015961505334404994, 0.0006114241916017956);
    if (x > 0) return rest * half * half;
    return -3.1415926535897931 / (a * sinpi(a) * rest * half) / half;
}
ONCHIP_FN float tgammaf(float x) { return (float)tgamma((double)x); }

// --- doubles: error functions ---------------------------------------------------------------------------------------
ONCHIP_FN double onchip_erfcx(double x)  // x >= 0; see above
{
    const double t = x < 1e300 ? (x - 4) / (x + 4) : 1;
    const double p = onchip_p(
        t,
        1.2329951186255526, -0.13962111684056228, 0.015379652102619974, 0.06809705425466839, -0.10103906603631811,
        0.09373283499911264, -0.06633036581186058, 0.037167515526338006, -0.01619773406293477, 0.005031970069102256,
        -0.0007577732435942576, -0.0001992571524726518, 0.00015062142608651945, -2.4397731143023292e-05,
        -1.1221135665965907e-05, 5.70657829924074e-06, 2.9173425573089733e-07, -8.210647933297337e-07,
        7.771943241086912e-08, 1.0631817593818149e-07, -2.0725802488181963e-08, -1.2338731403798444e-08,
        3.2323973445082033e-09, 9.297625263709659e-10, -2.764120233734578e-10);
    return x < 1e300 ? p / fma(2.0, x, 1.0) : 0.56418958354775629 / x;
}
// c·e^-(s + rest), s >= 0. The last product alone may be subnormal.
ONCHIP_FN double onchip_bell(double s, double rest, double c)
{
    const bool far = s > 600;
    const double y = exp(far ? 128 - s : -s);
    return fma(y, -rest, y) * c * (far ? 2.5722093726424148e-56 : 1.0);  // e^-128
}
ONCHIP_FN double erfcx(double x)
{
    const double a = fabs(x), y = onchip_erfcx(a);
    if (!(x < 0)) return x != x ? x : y;
    const double s = a < 27 ? x * x : 729, rest = a < 27 ? fma(x, x, -s) : 0, e = exp(0.5 * s);
    return fma(fma(e, rest, e), 2 * e, -y);
}
ONCHIP_FN double normcdf(double x)
{
    const double a = fabs(x) < 40 ? fabs(x) : 40, s = a * a;
    const double y = onchip_bell(0.5 * s, 0.5 * fma(a, a, -s), 0.5 * onchip_erfcx(a * 0.70710678118654757));
    return x != x ? x : x < 0 ? y : 1 - y;
}
// The float's functions begin; one step of Halley's makes 6 digits 18. Near 0 it is of erf; else of log(erfc), which
// loses nothing however small q is.
ONCHIP_FN double onchip_erfcinv_tail(double q)  // 0 < q <= 1
{
    const double log_q = log(q);
    const float w = -(float)(log_q + log1p(1 - q));
    const double y = w < 5 ? (float)(1 - q) * onchip_erfinv_near(w) : onchip_erfinv_far(w);
    // h = log(erfc(y)) - log(q); its derivative is -slope, the second one slope·(2y - slope)
    const double e = onchip_erfcx(y), slope = 1.1283791670955126 / e;
    const double h = (log(e) - log_q) - y * y;
    const double d = h / slope;
    return fma(d, 1 - d * (0.5 * slope - y), y);
}
ONCHIP_FN double erfinv(double x)
{
    const double a = fabs(x);
    double y;
    if (a < 0.5) {
        const float w = -(float)log1p(-a * a);
        const double start = a * (double)onchip_erfinv_near(w);
        const double d = (erf(start) - a) * 0.88622692545275805 * exp(start * start);
        y = start - d * (1 - start * d);
    } else {
        y = onchip_erfcinv_tail(1 - a);
    }
    return a < 1 ? copysign(y, x) : a == 1 ? copysign(__builtin_inf(), x) : __builtin_nan("");
}
ONCHIP_FN double erfcinv(double q)
{
    if (q > 0.5 && q < 1.5) return erfinv(1 - q);
    const double tail = q > 1 ? 2 - q : q, y = onchip_erfcinv_tail(tail);
    return tail > 0 ? q > 1 ? -y : y : tail == 0 ? copysign(__builtin_inf(), 1 - q) : __builtin_nan("");
}
ONCHIP_FN double normcdfinv(double p)
{
    const double y = erfcinv(2 * p);
    return fabs(y) < __builtin_inf() ? fma(y, -1.4142135623730951, fma(y, 9.6672933134529135e-17, 0.0)) : -y;
}

// --- Bessel functions -----------------------------------------------------------------------------------------------
// Below 8: polynomials of x², times (x² - z²) for each zero z, in two parts. From 8 on: Hankel's expansion (Abramowitz
// and Stegun 9.2.5), its P and Q as polynomials of 64/x².
ONCHIP_FN double onchip_zero(double x, double z, double lo) { return (x - z - lo) * (x + z); }
ONCHIP_FN double onchip_j0_near(double x)  // 0 <= x < 8
{
    const double s = x * x, w = fma(s, -0.015625, 1.0);
    const double p = onchip_p(
        w,
        -8.077402393428163e-06, -2.0979774744997316e-05, -2.3130450944112418e-05, -1.4806731623344651e-05,
        -6.305817712109201e-06, -1.932297529248191e-06, -4.4864469479645445e-07, -8.189695550428391e-08,
        -1.2085531835798626e-08, -1.4735883186196978e-09, -1.510918846656275e-10, -1.3220145333381037e-11,
        -9.974104783033368e-13, -6.676187383726437e-14, -3.451866592725572e-15, -2.893322607322576e-16);
    return onchip_zero(x, 2.404825557695773, -1.176691651530894e-16) *
           onchip_zero(x, 5.520078110286311, 8.088597146146722e-17) * onchip_zero(x, 8.653727912911013, 0) * p;
}
ONCHIP_FN double onchip_j1_near(double x)  // 0 <= x < 8
{
    const double s = x * x, w = fma(s, -0.015625, 1.0);
    const double p = onchip_p(
        w,
        -1.0185648953829344e-06, -2.119535650030841e-06, -1.947028331375124e-06, -1.0675755700327442e-06,
        -3.9749079892653094e-07, -1.0818077302167023e-07, -2.258874008803429e-08, -3.746018037243756e-09,
        -5.064293085391316e-10, -5.696889906141734e-11, -5.4214963963734385e-12, -4.425337480261151e-13,
        -3.130850210068046e-14, -1.9629784257448347e-15, -9.828308654665e-17, -7.380960170410216e-18);
    return x * onchip_zero(x, 3.8317059702075125, -1.5269184090088067e-16) *
           onchip_zero(x, 7.015586669815619, -9.414165653410389e-17) * onchip_zero(x, 10.173468135062722, 0) * p;
}
// sine and cosine of x - π/4, times sqrt(2)
ONCHIP_FN void onchip_hankel(double x, double &sine, double &cosine)
{
    const double s = sin(x), c = cos(x);
    sine = s - c, cosine = s + c;
}
ONCHIP_FN double onchip_p0(double u)
{
    return onchip_p(
        u, 0.99999999999999933, -0.0010986328123515454, 2.7380878416788386e-5, -2.1838461235772926e-6,
        3.6151148963053976e-7, -1.001932930527168e-7, 3.7924091601837485e-8, -1.4915688215616322e-8,
        4.4675009210508024e-9, -6.7771281143182341e-10);
}
ONCHIP_FN double onchip_q0(double u)
{
    return onchip_p(
        u, -0.015624999999999374, 0.0001430511473255371, -6.9307813432361074e-6, 8.2377677793114691e-7,
        -1.8115533453048205e-7, 6.2042597430225334e-8, -2.7161241272447808e-8, 1.1650484033664696e-8,
        -3.6611114188618422e-9, 5.7062462950525975e-10);
}
ONCHIP_FN double onchip_p1(double u)
{
    return onchip_p(
        u, 1.0000000000000007, 0.0018310546873412238, -3.520398767871933e-5, 2.5809173681447753e-6,
        -4.0974756254821955e-7, 1.1082600131420325e-7, -4.1352645129008057e-8, 1.6139333334420413e-8,
        -4.8148841848633177e-9, 7.2886659352486888e-10);
}
ONCHIP_FN double onchip_q1(double u)
{
    return onchip_p(
        u, 0.046874999999999334, -0.00020027160630092672, 8.470955731554939e-6, -9.5051766283848824e-7,
        2.0249374000924708e-7, -6.8017935273188888e-8, 2.9437058196816324e-8, -1.2548613983528653e-8,
        3.9305907820182631e-9, -6.1154289985020517e-10);
}
// J (second false) or Y of order 0 or 1, x >= 8
ONCHIP_FN double onchip_bessel_far(int n, double x, bool second)
{
    const double v = 8 / x, u = v * v;
    double sine, cosine;
    onchip_hankel(x, sine, cosine);
    const double p = n ? onchip_p1(u) : onchip_p0(u), q = v * (n ? onchip_q1(u) : onchip_q0(u));
    const double y = n ? second ? q * sine - p * cosine : p * sine + q * cosine
                       : second ? p * sine + q * cosine : p * cosine - q * sine;
    return x < __builtin_inf() ? y / sqrt(x) * 0.56418958354775629 : 0;
}
// (2/π)·log(x/z)
ONCHIP_FN double onchip_bessel_log(double x, double z, double lo)
{
    if (x < 1e-290) return 0.63661977236758138 * (log(x * 18446744073709551616.0 / z) - 44.361419555836498);  // 2^64
    return 0.63661977236758138 * (x < 0.5 * z || x > 2 * z ? log(x / z) : log1p((x - z - lo) / z));
}
ONCHIP_FN double onchip_y0_near(double x)  // 0 < x < 8
{
    const double s = x * x, j = onchip_j0_near(x);
    if (x < 2.2) {
        const double p = onchip_p(
        fma(s, 0.4132231404958677, -1.0), 0.14477567213369011, -0.034348172267250031, 0.0028909204659974177,
        -0.00012608994301624424, 3.3782387095501329e-6, -6.1358794641725125e-8, 8.0610007261700914e-10,
        -8.0207440940509784e-12, 6.2561798105812884e-14, -3.9291352561664696e-16, 2.029923118772153e-18);
        return fma(onchip_bessel_log(x, 0.8935769662791675, 2.6596231539720385e-17), j,
                   onchip_zero(x, 0.8935769662791675, 2.6596231539720385e-17) * p);
    }
    if (x < 5.5) {
        const double p = onchip_p(
        fma(s, 0.07870916961826052, -1.3809523809523812),
        -0.0403433056221827, 0.016540452679743134, 0.00232256427933717, -0.0021061590055274125, 0.0004640981150999465,
        -5.6892577145814095e-05, 4.633272080134999e-06, -2.7288474678074235e-07, 1.2246151097290296e-08,
        -4.3419780477350834e-10, 1.2495992412345842e-11, -2.9812699599685766e-13, 6.002692261808438e-15,
        -1.0323490163268998e-16);
        return fma(onchip_bessel_log(x, 3.957678419314858, -1.0764340697562706e-16), j,
                   onchip_zero(x, 3.957678419314858, -1.0764340697562706e-16) * p);
    }
    const double p = onchip_p(
        fma(s, 0.05925925925925926, -2.7925925925925927),
        0.019735159455870212, -0.0018910092640708497, -0.003521277554510301, 0.0009993814792056553,
        -6.156801877854459e-05, -1.3767330513261798e-05, 3.4153562182079167e-06, -3.875787100873007e-07,
        2.9044523240493922e-08, -1.6049662117804099e-09, 6.916438610193681e-11, -2.407919922103163e-12,
        6.943639770433432e-14, -1.6925788454672265e-15, 3.529138261889222e-17);
    return fma(onchip_bessel_log(x, 7.086051060301773, -8.835285723085408e-17), j,
               onchip_zero(x, 7.086051060301773, -8.835285723085408e-17) * p);
}
ONCHIP_FN double onchip_y1_near(double x)  // 0 < x < 8
{
    const double s = x * x, j = onchip_j1_near(x);
    if (x < 4) {
        const double p = onchip_p(
        fma(s, 0.125, -1.0), 0.18612623508607282, -0.0030738712375509005, -0.042711138488216512, 0.01273732042814075,
        -0.0017276658851992121, 0.00014044210194861617, -7.7167405607539253e-6, 3.0762295022989428e-7,
        -9.3317965693912668e-9, 2.2302023114072475e-10, -4.3120652354516329e-12, 6.8885573988791901e-14,
        -9.2530703056321669e-16, 1.059192475278575e-17);
        return fma(onchip_bessel_log(x, 2.197141326031017, -4.8259835876454966e-17), j,
                   onchip_zero(x, 2.197141326031017, -4.8259835876454966e-17) * p / x);
    }
    const double p = onchip_p(
        fma(s, -0.015625, 1.0),
        -0.050048912939818446, -0.24343659442440116, -0.09295525148293804, 0.25095727916040284, 0.22922410481515737,
        0.03220513938337472, -0.04926701676315466, -0.036766440265802725, -0.013933903710389961,
        -0.0035793285767488636, -0.0006871628017053269, -0.00010380858582168412, -1.275704460229995e-05,
        -1.303743142778691e-06, -1.1459833005294805e-07, -7.718843060988557e-09, -7.888157748683597e-10);
    return fma(onchip_bessel_log(x, 5.429681040794135, 4.162514026670377e-16), j,
               onchip_zero(x, 5.429681040794135, 4.162514026670377e-16) * p / x);
}
ONCHIP_FN double j0(double x)
{
    x = fabs(x);
    return x < 8 ? onchip_j0_near(x) : x != x ? x : onchip_bessel_far(0, x, false);
}
ONCHIP_FN double j1(double x)
{
    const double a = fabs(x), y = a < 8 ? onchip_j1_near(a) : onchip_bessel_far(1, a, false);
    return x != x ? x : x < 0 ? -y : a == 0 ? x : y;
}
ONCHIP_FN double y0(double x)
{
    if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
    return x < 8 ? onchip_y0_near(x) : onchip_bessel_far(0, x, true);
}
ONCHIP_FN double y1(double x)
{
    if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
    return x < 1e-300 ? -0.63661977236758138 / x : x < 8 ? onchip_y1_near(x) : onchip_bessel_far(1, x, true);
}
// Up from orders 0 and 1 while n <= x, else down from an order so high that J is nearly 0 (Miller); the sum
// J0 + 2·J2 + 2·J4 + … is 1 (Abramowitz and Stegun 9.1.46).
ONCHIP_FN double jn(int n, double x)
{
    if (n < 0) return __builtin_nan("");
    if (n == 0) return j0(x);
    if (n == 1) return j1(x);
    const double a = fabs(x);
    if (!(a > 0 && a < __builtin_inf())) return x != x ? x : 0;
    const double two = 2 / a;
    double r;
    if (a > n) {
        double before = j0(a);
        r = j1(a);
        for (int k = 1; k < n; ++k) {
            const double next = fma(k * two, r, -before);
            before = r, r = next;
        }
    } else {
        // Below 2^-27·n the first term is all that counts.
        if (a * 134217728 < n) {
            r = 1;
            for (int k = 1; k <= n && r > 0; ++k) r *= 0.5 * a / k;
        } else {
            const int top = (n + (int)sqrt(160.0 * n) + 40) & ~1;
            double after = 0, sum = 0, now = 1e-290;
            r = 0;
            for (int k = top; k > 0; --k) {
                const double before = fma(k * two, now, -after);
                after = now, now = before;
                if (k - 1 == n) r = now;
                if (k & 1) sum += k > 1 ? 2 * now : now;
                if (fabs(now) > 1e200) now *= 1e-200, after *= 1e-200, sum *= 1e-200, r *= 1e-200;
            }
            r /= sum;
        }
    }
    return x < 0 && (n & 1) ? -r : r;
}
ONCHIP_FN double yn(int n, double x)
{
    if (n < 0) return __builtin_nan("");
    if (n == 0 || !(x > 0)) return y0(x);
    double before = y0(x), r = y1(x);
    if (!(x < __builtin_inf())) return 0;
    const double two = 2 / x;
    for (int k = 1; k < n && r > -__builtin_inf(); ++k) {
        const double next = fma(k * two, r, -before);
        before = r, r = next;
    }
    return r;
}
ONCHIP_FN double cyl_bessel_i0(double x)
{
    const double a = fabs(x), s = a * a * 0.015625;
    double y;
    if (a < 8) {
        y = onchip_p(
        s, 1.0, 16.0, 64.0, 113.77777777777777, 113.77777777777777, 72.817777777777764, 32.363456790123621,
        10.567659360038887, 2.6419148400189658, 0.52185972144278725, 0.083497555576646676, 0.011040998705329208,
        0.0012267783844408112, 0.00011614356975318178, 9.482389204961879e-6, 6.7322592440915872e-7,
        4.2726686002649415e-8, 2.0994356135610787e-9, 1.697829466694447e-10);
    } else {
        const double t = a < 1e300 ? 16 / a - 1 : -1;
        y = onchip_p(
        t, 0.40217650944500816, 0.0033605519836673058, 0.00013621607437748734, 1.1143033836091416e-5,
        1.4838481568708622e-6, 2.9735878456426232e-7, 8.8712742614113947e-8, 3.9337531247475966e-8,
        2.1626352224694241e-8, 7.4847195470971482e-9, -7.1260578844360879e-9, -1.3155682909660585e-8,
        -4.2447947211380819e-9, 6.9711471320819268e-9, 5.1007686169213264e-9, -2.643609357682681e-9,
        -2.8518866752373073e-9, 7.0137513141354944e-10, 9.331545235123585e-10, -9.5188216762166699e-11,
        -1.3980791354239369e-10);
        const double e = exp(a > 700 ? 0.5 * a : a);
        y = a < 1e300 ? y / sqrt(a) * e * (a > 700 ? e : 1.0) : __builtin_inf();
    }
    return x != x ? x : y;
}
ONCHIP_FN double cyl_bessel_i1(double x)
{
    const double a = fabs(x), s = a * a * 0.015625;
    double y;
    if (a < 8) {
        y = onchip_p(
        s, 4.0, 32.0, 85.333333333333329, 113.77777777777777, 91.022222222222226, 48.545185185185183,
        18.493403880070595, 5.2838296800197542, 1.1741843733402031, 0.20874388858290821, 0.030362747466284971,
        0.0036803329356904224, 0.00037747021828835346, 3.3183941184704016e-5, 2.5285808302603427e-6,
        1.6834181394695779e-7, 1.0038347636642837e-8, 4.703905996528796e-10, 3.5292130818268462e-11) * (0.125 * a);
    } else {
        const double t = a < 1e300 ? 16 / a - 1 : -1;
        y = onchip_p(
        t, 0.38939845902587228, -0.0097495771932352322, -0.00021923576381913608, -1.5038547241574325e-5,
        -1.8349107382228863e-6, -3.4838459818593835e-7, -1.0000317005072186e-7, -4.3139840961059811e-8,
        -2.3454230545227975e-8, -8.3637947322313494e-9, 7.1250353812204191e-9, 1.3802312027572225e-8,
        4.7747730575651856e-9, -7.1091155900997646e-9, -5.4747926111746338e-9, 2.6344873546105042e-9,
        3.024773701988455e-9, -6.8668183586660627e-10, -9.8531139834141748e-10, 9.206815609416564e-11,
        1.4739959281463425e-10);
        const double e = exp(a > 700 ? 0.5 * a : a);
        y = a < 1e300 ? y / sqrt(a) * e * (a > 700 ? e : 1.0) : __builtin_inf();
    }
    return x != x ? x : copysign(y, x);
}
#define ONCHIP_EACH(name) ONCHIP_FN float name##f(float x) { return (float)name((double)x); }
ONCHIP_EACH(j0) ONCHIP_EACH(j1) ONCHIP_EACH(y0) ONCHIP_EACH(y1) ONCHIP_EACH(cyl_bessel_i0) ONCHIP_EACH(cyl_bessel_i1)
#undef ONCHIP_EACH
ONCHIP_FN float jnf(int n, float x) { return (float)jn(n, (double)x); }
ONCHIP_FN float ynf(int n, float x) { return (float)yn(n, (double)x); }

// --- the plain names for floats, and for the types that C++ takes for doubles ---------------------------------------
#define ONCHIP_EACH(name) ONCHIP_FN float name(float x) { return name##f(x); }
ONCHIP_EACH(acos) ONCHIP_EACH(acosh) ONCHIP_EACH(asin) ONCHIP_EACH(asinh) ONCHIP_EACH(atan) ONCHIP_EACH(atanh)
ONCHIP_EACH(cbrt) ONCHIP_EACH(cos) ONCHIP_EACH(cosh) ONCHIP_EACH(cospi) ONCHIP_EACH(erf) ONCHIP_EACH(erfc)
ONCHIP_EACH(erfcinv) ONCHIP_EACH(erfcx) ONCHIP_EACH(erfinv) ONCHIP_EACH(exp) ONCHIP_EACH(exp10) ONCHIP_EACH(exp2)
ONCHIP_EACH(expm1) ONCHIP_EACH(j0) ONCHIP_EACH(j1) ONCHIP_EACH(lgamma) ONCHIP_EACH(log) ONCHIP_EACH(log10)
ONCHIP_EACH(log1p) ONCHIP_EACH(log2) ONCHIP_EACH(normcdf) ONCHIP_EACH(normcdfinv) ONCHIP_EACH(rcbrt)
ONCHIP_EACH(sin) ONCHIP_EACH(sinh) ONCHIP_EACH(sinpi) ONCHIP_EACH(tan) ONCHIP_EACH(tanh) ONCHIP_EACH(tgamma)
ONCHIP_EACH(y0) ONCHIP_EACH(y1)
#undef ONCHIP_EACH
ONCHIP_FN float atan2(float y, float x) { return atan2f(y, x); }
ONCHIP_FN float pow(float x, float y) { return powf(x, y); }
ONCHIP_FN float jn(int n, float x) { return jnf(n, x); }
ONCHIP_FN float yn(int n, float x) { return ynf(n, x); }
ONCHIP_FN void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
ONCHIP_FN void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }

// Templates beside libstdc++'s: they're as good a match, and clang then prefers the device's.
template <class T> struct onchip_whole_type {};
#define ONCHIP_EACH(T) template <> struct onchip_whole_type<T> { typedef double type; };
ONCHIP_EACH(bool) ONCHIP_EACH(char) ONCHIP_EACH(signed char) ONCHIP_EACH(unsigned char) ONCHIP_EACH(wchar_t)
ONCHIP_EACH(short) ONCHIP_EACH(unsigned short) ONCHIP_EACH(int) ONCHIP_EACH(unsigned) ONCHIP_EACH(long)
ONCHIP_EACH(unsigned long) ONCHIP_EACH(long long) ONCHIP_EACH(unsigned long long) ONCHIP_EACH(char16_t)
ONCHIP_EACH(char32_t)
#undef ONCHIP_EACH
template <class T> struct onchip_number : onchip_whole_type<T> {};
template <> struct onchip_number<float> { typedef float type; };
template <> struct onchip_number<double> { typedef double type; };
template <class T, class U> struct onchip_wider { typedef double type; };
template <> struct onchip_wider<float, float> { typedef float type; };
template <class A, class B, class = typename onchip_number<A>::type, class = typename onchip_number<B>::type>
struct onchip_common : onchip_wider<A, B> {};
template <class A, class B, class C, class = typename onchip_number<C>::type>
struct onchip_common3 : onchip_wider<typename onchip_common<A, B>::type, C> {};
#define ONCHIP_WHOLE(name)                                                                                    \
    template <class T> ONCHIP_FN typename onchip_whole_type<T>::type name(T x) { return name((double)x); }
#define ONCHIP_MIXED(name)                                                                                    \
    template <class A, class B> ONCHIP_FN typename onchip_common<A, B>::type name(A x, B y)                   \
    {                                                                                                         \
        typedef typename onchip_common<A, B>::type T;                                                         \
        return name((T)x, (T)y);                                                                              \
    }
ONCHIP_MATH_1(ONCHIP_WHOLE)
ONCHIP_MATH_2(ONCHIP_MIXED)
#undef ONCHIP_WHOLE
#undef ONCHIP_MIXED
template <class A, class B, class C> ONCHIP_FN typename onchip_common3<A, B, C>::type fma(A x, B y, C z)
{
    typedef typename onchip_common3<A, B, C>::type T;
    return fma((T)x, (T)y, (T)z);
}
template <class A, class B, class C> ONCHIP_FN typename onchip_common3<A, B, C>::type hypot(A x, B y, C z)
{
    typedef typename onchip_common3<A, B, C>::type T;
    return hypot((T)x, (T)y, (T)z);
}
template <class A, class B> ONCHIP_FN typename onchip_common<A, B>::type remquo(A x, B y, int *quotient)
{
    typedef typename onchip_common<A, B>::type T;
    return remquo((T)x, (T)y, quotient);
}
#define ONCHIP_TO(I, name)                                                                                    \
    template <class T, class = typename onchip_whole_type<T>::type> ONCHIP_FN I name(T x) { return name((double)x); }
#define ONCHIP_BY(name, N)                                                                                    \
    template <class T> ONCHIP_FN typename onchip_whole_type<T>::type name(T x, N n) { return name((double)x, n); }
ONCHIP_TO(int, ilogb) ONCHIP_TO(long, lrint) ONCHIP_TO(long, lround) ONCHIP_TO(long long, llrint)
ONCHIP_TO(long long, llround)
ONCHIP_BY(frexp, int *) ONCHIP_BY(ldexp, int) ONCHIP_BY(scalbn, int) ONCHIP_BY(scalbln, long)
#undef ONCHIP_TO
#undef ONCHIP_BY

// --- what glibc calls isnan and its like; libcu++ asks by these names -----------------------------------------------
ONCHIP_FN int __isnan(double x) { return x != x; }
ONCHIP_FN int __isnanf(float x) { return x != x; }
ONCHIP_FN int __isinf(double x) { return fabs(x) == __builtin_inf(); }
ONCHIP_FN int __isinff(float x) { return fabsf(x) == __builtin_inff(); }
ONCHIP_FN int __finite(double x) { return fabs(x) < __builtin_inf(); }
ONCHIP_FN int __finitef(float x) { return fabsf(x) < __builtin_inff(); }
ONCHIP_FN int __signbit(double x) { return (int)(onchip_bits(x) >> 63); }
ONCHIP_FN int __signbitf(float x) { return (int)(onchip_bits(x) >> 31); }

// --- absolute values; min and max, of both sides --------------------------------------------------------------------
ONCHIP_FN int abs(int x) { return x < 0 ? -x : x; }
ONCHIP_FN long abs(long x) { return x < 0 ? -x : x; }
ONCHIP_FN long long abs(long long x) { return x < 0 ? -x : x; }
ONCHIP_FN long labs(long x) { return x < 0 ? -x : x; }
ONCHIP_FN long long llabs(long long x) { return x < 0 ? -x : x; }
ONCHIP_FN float abs(float x) { return __builtin_fabsf(x); }
ONCHIP_FN double abs(double x) { return __builtin_fabs(x); }
// Of two types: in the wider one, and without a sign where one of equal width has none.
#define ONCHIP_MINMAX(R, A, B)                                                                                \
    ONCHIP_BOTH R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                         \
    ONCHIP_BOTH R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define ONCHIP_MINMAX_F(R, A, B, f)                                                                           \
    ONCHIP_BOTH R min(A a, B b) { return __builtin_fmin##f(a, b); }                                           \
    ONCHIP_BOTH R max(A a, B b) { return __builtin_fmax##f(a, b); }
#define ONCHIP_MINMAXES(S, U)                                                                                 \
    ONCHIP_MINMAX(S, S, S) ONCHIP_MINMAX(U, U, U) ONCHIP_MINMAX(U, S, U) ONCHIP_MINMAX(U, U, S)
ONCHIP_MINMAXES(int, unsigned)
ONCHIP_MINMAXES(long, unsigned long)
ONCHIP_MINMAXES(long long, unsigned long long)
ONCHIP_MINMAX_F(float, float, float, f)
ONCHIP_MINMAX_F(double, double, double, )
ONCHIP_MINMAX_F(double, float, double, )
ONCHIP_MINMAX_F(double, double, float, )
#undef ONCHIP_MINMAXES
#undef ONCHIP_MINMAX_F
#undef ONCHIP_MINMAX
ONCHIP_BOTH unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
ONCHIP_BOTH unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
ONCHIP_BOTH long long llmin(long long a, long long b) { return a < b ? a : b; }
ONCHIP_BOTH long long llmax(long long a, long long b) { return a > b ? a : b; }
ONCHIP_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
ONCHIP_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

namespace std {
ONCHIP_MATH_1(ONCHIP_USE)
ONCHIP_MATH_2(ONCHIP_USE)
ONCHIP_MATH_OTHER(ONCHIP_USE, )
#define ONCHIP_USE_F(name) ONCHIP_USE(name##f)
ONCHIP_MATH_1(ONCHIP_USE_F)
ONCHIP_MATH_2(ONCHIP_USE_F)
using ::abs;
using ::labs;
using ::llabs;
using ::nan;
using ::nanf;
}
#undef ONCHIP_MATH_1
#undef ONCHIP_MATH_2
#undef ONCHIP_MATH_OTHER
#undef ONCHIP_USE
#undef ONCHIP_USE_F

// --- rounding modes -------------------------------------------------------------------------------------------------
// The compiler never fuses these. PTX calls up and down rp and rm.
#define ONCHIP_OP1(name, op, T, C)                                                                            \
    ONCHIP_FN T name(T x)                                                                                     \
    {                                                                                                         \
        T r;                                                                                                  \
        asm(op " %0, %1;" : "=" C(r) : C(x));                                                                 \
        return r;                                                                                             \
    }
#define ONCHIP_OP2(name, op, T, C)                                                                            \
    ONCHIP_FN T name(T x, T y)                                                                                \
    {                                                                                                         \
        T r;                                                                                                  \
        asm(op " %0, %1, %2;" : "=" C(r) : C(x), C(y));                                                       \
        return r;                                                                                             \
    }
#define ONCHIP_OP3(name, op, T, C)                                                                            \
    ONCHIP_FN T name(T x, T y, T z)                                                                           \
    {                                                                                                         \
        T r;                                                                                                  \
        asm(op " %0, %1, %2, %3;" : "=" C(r) : C(x), C(y), C(z));                                             \
        return r;                                                                                             \
    }
#define ONCHIP_ROUNDED(mode, ptx)                                                                               \
    ONCHIP_OP2(__fadd_##mode, "add." #ptx ".f32", float, "f")                                                \
    ONCHIP_OP2(__fsub_##mode, "sub." #ptx ".f32", float, "f")                                                \
    ONCHIP_OP2(__fmul_##mode, "mul." #ptx ".f32", float, "f")                                                \
    ONCHIP_OP2(__fdiv_##mode, "div." #ptx ".f32", float, "f")                                                \
    ONCHIP_OP3(__fmaf_##mode, "fma." #ptx ".f32", float, "f")                                                \
    ONCHIP_OP3(__fmaf_ieee_##mode, "fma." #ptx ".f32", float, "f")                                           \
    ONCHIP_OP1(__frcp_##mode, "rcp." #ptx ".f32", float, "f")                                                \
    ONCHIP_OP1(__fsqrt_##mode, "sqrt." #ptx ".f32", float, "f")                                              \
    ONCHIP_OP2(__dadd_##mode, "add." #ptx ".f64", double, "d")                                               \
    ONCHIP_OP2(__dsub_##mode, "sub." #ptx ".f64", double, "d")                                               \
    ONCHIP_OP2(__dmul_##mode, "mul." #ptx ".f64", double, "d")                                               \
    ONCHIP_OP2(__ddiv_##mode, "div." #ptx ".f64", double, "d")                                               \
    ONCHIP_OP3(__fma_##mode, "fma." #ptx ".f64", double, "d")                                                \
    ONCHIP_OP1(__drcp_##mode, "rcp." #ptx ".f64", double, "d")                                               \
    ONCHIP_OP1(__dsqrt_##mode, "sqrt." #ptx ".f64", double, "d")
ONCHIP_ROUNDED(rn, rn)
ONCHIP_ROUNDED(rz, rz)
ONCHIP_ROUNDED(ru, rp)
ONCHIP_ROUNDED(rd, rm)
#undef ONCHIP_ROUNDED
// Two roundings in double lie so far within half an ulp of the float that the third is right.
ONCHIP_FN float __frsqrt_rn(float x) { return (float)(1 / sqrt((double)x)); }
ONCHIP_FN float __saturatef(float x) { return onchip_saturate(x); }

// --- conversions ----------------------------------------------------------------------------------------------------
#define ONCHIP_CVT(name, op, T, C, F, D)                                                                      \
    ONCHIP_FN T name(F x)                                                                                     \
    {                                                                                                         \
        T r;                                                                                                  \
        asm("cvt." op " %0, %1;" : "=" C(r) : D(x));                                                          \
        return r;                                                                                             \
    }
// To an integer, the rounding mode's name ends in i. A nan gives what PTX says.
#define ONCHIP_CVT_MODE(mode, ptx)                                                                              \
    ONCHIP_CVT(__float2int_##mode, #ptx "i.s32.f32", int, "r", float, "f")                                   \
    ONCHIP_CVT(__float2uint_##mode, #ptx "i.u32.f32", unsigned, "r", float, "f")                             \
    ONCHIP_CVT(__float2ll_##mode, #ptx "i.s64.f32", long long, "l", float, "f")                              \
    ONCHIP_CVT(__float2ull_##mode, #ptx "i.u64.f32", unsigned long long, "l", float, "f")                    \
    ONCHIP_CVT(__double2int_##mode, #ptx "i.s32.f64", int, "r", double, "d")                                 \
    ONCHIP_CVT(__double2uint_##mode, #ptx "i.u32.f64", unsigned, "r", double, "d")                           \
    ONCHIP_CVT(__double2ll_##mode, #ptx "i.s64.f64", long long, "l", double, "d")                            \
    ONCHIP_CVT(__double2ull_##mode, #ptx "i.u64.f64", unsigned long long, "l", double, "d")                  \
    ONCHIP_CVT(__double2float_##mode, #ptx ".f32.f64", float, "f", double, "d")                              \
    ONCHIP_CVT(__int2float_##mode, #ptx ".f32.s32", float, "f", int, "r")                                    \
    ONCHIP_CVT(__uint2float_##mode, #ptx ".f32.u32", float, "f", unsigned, "r")                              \
    ONCHIP_CVT(__ll2float_##mode, #ptx ".f32.s64", float, "f", long long, "l")                               \
    ONCHIP_CVT(__ull2float_##mode, #ptx ".f32.u64", float, "f", unsigned long long, "l")                     \
    ONCHIP_CVT(__ll2double_##mode, #ptx ".f64.s64", double, "d", long long, "l")                             \
    ONCHIP_CVT(__ull2double_##mode, #ptx ".f64.u64", double, "d", unsigned long long, "l")
ONCHIP_CVT_MODE(rn, rn)
ONCHIP_CVT_MODE(rz, rz)
ONCHIP_CVT_MODE(ru, rp)
ONCHIP_CVT_MODE(rd, rm)
#undef ONCHIP_CVT_MODE
#undef ONCHIP_CVT
ONCHIP_FN double __int2double_rn(int x) { return x; }
ONCHIP_FN double __uint2double_rn(unsigned x) { return x; }

// --- two or four integers in a word ---------------------------------------------------------------------------------
// PTX has them as video instructions (PTX ISA, SIMD video instructions); each lane is by itself.
#define ONCHIP_VIDEO(name, op)                                                                                \
    ONCHIP_FN unsigned name(unsigned a, unsigned b)                                                           \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));                                        \
        return r;                                                                                             \
    }
#define ONCHIP_VIDEO_CMP(n, name, op, sign)                                                                   \
    ONCHIP_VIDEO(__vset##name##n, "vset" #n "." sign "." sign "." op)                                         \
    ONCHIP_FN unsigned __vcmp##name##n(unsigned a, unsigned b)                                                \
    {                                                                                                         \
        return __vset##name##n(a, b) * (n == 2 ? 0xffffu : 0xffu);                                            \
    }
#define ONCHIP_VIDEOS(n)                                                                                      \
    ONCHIP_VIDEO(__vadd##n, "vadd" #n ".u32.u32.u32")                                                         \
    ONCHIP_VIDEO(__vaddss##n, "vadd" #n ".s32.s32.s32.sat")                                                   \
    ONCHIP_VIDEO(__vaddus##n, "vadd" #n ".u32.u32.u32.sat")                                                   \
    ONCHIP_VIDEO(__vsub##n, "vsub" #n ".u32.u32.u32")                                                         \
    ONCHIP_VIDEO(__vsubss##n, "vsub" #n ".s32.s32.s32.sat")                                                   \
    ONCHIP_VIDEO(__vsubus##n, "vsub" #n ".u32.u32.u32.sat")                                                   \
    ONCHIP_VIDEO(__vavgs##n, "vavrg" #n ".s32.s32.s32")                                                       \
    ONCHIP_VIDEO(__vavgu##n, "vavrg" #n ".u32.u32.u32")                                                       \
    ONCHIP_VIDEO(__vmaxs##n, "vmax" #n ".s32.s32.s32")                                                        \
    ONCHIP_VIDEO(__vmaxu##n, "vmax" #n ".u32.u32.u32")                                                        \
    ONCHIP_VIDEO(__vmins##n, "vmin" #n ".s32.s32.s32")                                                        \
    ONCHIP_VIDEO(__vminu##n, "vmin" #n ".u32.u32.u32")                                                        \
    ONCHIP_VIDEO(__vabsdiffs##n, "vabsdiff" #n ".s32.s32.s32")                                                \
    ONCHIP_VIDEO(__vabsdiffu##n, "vabsdiff" #n ".u32.u32.u32")                                                \
    ONCHIP_VIDEO(onchip_vabsdiffss##n, "vabsdiff" #n ".s32.s32.s32.sat")                                      \
    ONCHIP_VIDEO(__vsads##n, "vabsdiff" #n ".u32.s32.s32.add")                                                \
    ONCHIP_VIDEO(__vsadu##n, "vabsdiff" #n ".u32.u32.u32.add")                                                \
    ONCHIP_FN unsigned __vabs##n(unsigned a) { return __vabsdiffs##n(a, 0); }                                 \
    ONCHIP_FN unsigned __vabsss##n(unsigned a) { return onchip_vabsdiffss##n(a, 0); }                         \
    ONCHIP_FN unsigned __vneg##n(unsigned a) { return __vsub##n(0, a); }                                      \
    ONCHIP_FN unsigned __vnegss##n(unsigned a) { return __vsubss##n(0, a); }                                  \
    ONCHIP_FN unsigned __vhaddu##n(unsigned a, unsigned b)                                                    \
    {                                                                                                         \
        return (a & b) + (((a ^ b) & (n == 2 ? 0xfffefffeu : 0xfefefefeu)) >> 1);                             \
    }                                                                                                         \
    ONCHIP_VIDEO_CMP(n, eq, "eq", "u32")                                                                      \
    ONCHIP_VIDEO_CMP(n, ne, "ne", "u32")                                                                      \
    ONCHIP_VIDEO_CMP(n, ges, "ge", "s32")                                                                     \
    ONCHIP_VIDEO_CMP(n, geu, "ge", "u32")                                                                     \
    ONCHIP_VIDEO_CMP(n, gts, "gt", "s32")                                                                     \
    ONCHIP_VIDEO_CMP(n, gtu, "gt", "u32")                                                                     \
    ONCHIP_VIDEO_CMP(n, les, "le", "s32")                                                                     \
    ONCHIP_VIDEO_CMP(n, leu, "le", "u32")                                                                     \
    ONCHIP_VIDEO_CMP(n, lts, "lt", "s32")                                                                     \
    ONCHIP_VIDEO_CMP(n, ltu, "lt", "u32")
ONCHIP_VIDEOS(2)
ONCHIP_VIDEOS(4)
#undef ONCHIP_VIDEOS
#undef ONCHIP_VIDEO_CMP
#undef ONCHIP_VIDEO

// The functions for dynamic programming: smaller or larger of two or three, of a sum, and of 0 (relu). A sum wraps.
#define ONCHIP_DPX(T, t, m, v)                                                                            \
    ONCHIP_FN T __viadd##m##_##t(T a, T b, T c) { return v##m(v##add(a, b), c); }                             \
    ONCHIP_FN T __vi##m##3_##t(T a, T b, T c) { return v##m(v##m(a, b), c); }
#define ONCHIP_DPX_RELU(T, t, m, v)                                                                           \
    ONCHIP_FN T __viadd##m##_##t##_relu(T a, T b, T c) { return v##max(__viadd##m##_##t(a, b, c), 0); }       \
    ONCHIP_FN T __vi##m##3_##t##_relu(T a, T b, T c) { return v##max(__vi##m##3_##t(a, b, c), 0); }           \
    ONCHIP_FN T __vi##m##_##t##_relu(T a, T b) { return v##max(v##m(a, b), 0); }
ONCHIP_FN int onchip_dpx_s_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
ONCHIP_FN int onchip_dpx_s_max(int a, int b) { return a > b ? a : b; }
ONCHIP_FN int onchip_dpx_s_min(int a, int b) { return a < b ? a : b; }
ONCHIP_FN unsigned onchip_dpx_u_add(unsigned a, unsigned b) { return a + b; }
ONCHIP_FN unsigned onchip_dpx_u_max(unsigned a, unsigned b) { return a > b ? a : b; }
ONCHIP_FN unsigned onchip_dpx_u_min(unsigned a, unsigned b) { return a < b ? a : b; }
ONCHIP_FN unsigned onchip_dpx_s2_add(unsigned a, unsigned b) { return __vadd2(a, b); }
ONCHIP_FN unsigned onchip_dpx_s2_max(unsigned a, unsigned b) { return __vmaxs2(a, b); }
ONCHIP_FN unsigned onchip_dpx_s2_min(unsigned a, unsigned b) { return __vmins2(a, b); }
ONCHIP_FN unsigned onchip_dpx_u2_add(unsigned a, unsigned b) { return __vadd2(a, b); }
ONCHIP_FN unsigned onchip_dpx_u2_max(unsigned a, unsigned b) { return __vmaxu2(a, b); }
ONCHIP_FN unsigned onchip_dpx_u2_min(unsigned a, unsigned b) { return __vminu2(a, b); }
ONCHIP_DPX(int, s32, max, onchip_dpx_s_)
ONCHIP_DPX(int, s32, min, onchip_dpx_s_)
ONCHIP_DPX(unsigned, u32, max, onchip_dpx_u_)
ONCHIP_DPX(unsigned, u32, min, onchip_dpx_u_)
ONCHIP_DPX(unsigned, s16x2, max, onchip_dpx_s2_)
ONCHIP_DPX(unsigned, s16x2, min, onchip_dpx_s2_)
ONCHIP_DPX(unsigned, u16x2, max, onchip_dpx_u2_)
ONCHIP_DPX(unsigned, u16x2, min, onchip_dpx_u2_)
ONCHIP_DPX_RELU(int, s32, max, onchip_dpx_s_)
ONCHIP_DPX_RELU(int, s32, min, onchip_dpx_s_)
ONCHIP_DPX_RELU(unsigned, s16x2, max, onchip_dpx_s2_)
ONCHIP_DPX_RELU(unsigned, s16x2, min, onchip_dpx_s2_)
#undef ONCHIP_DPX
#undef ONCHIP_DPX_RELU
// Which of the two it was: true for the first, also if they're equal.
#define ONCHIP_DPX(T, t, m, op)                                                                               \
    ONCHIP_FN T __vib##m##_##t(T a, T b, bool *first)                                                         \
    {                                                                                                         \
        *first = a op b;                                                                                      \
        return *first ? a : b;                                                                                \
    }
#define ONCHIP_DPX_2(H, t, m, op)                                                                             \
    ONCHIP_FN unsigned __vib##m##_##t(unsigned a, unsigned b, bool *first_high, bool *first_low)              \
    {                                                                                                         \
        const bool low = (H)a op (H)b, high = (H)(a >> 16) op (H)(b >> 16);                                   \
        *first_high = high, *first_low = low;                                                                 \
        return (low ? a : b) & 0xffff | (high ? a : b) & 0xffff0000;                                          \
    }
ONCHIP_DPX(int, s32, max, >=)
ONCHIP_DPX(int, s32, min, <=)
ONCHIP_DPX(unsigned, u32, max, >=)
ONCHIP_DPX(unsigned, u32, min, <=)
ONCHIP_DPX_2(short, s16x2, max, >=)
ONCHIP_DPX_2(short, s16x2, min, <=)
ONCHIP_DPX_2(unsigned short, u16x2, max, >=)
ONCHIP_DPX_2(unsigned short, u16x2, min, <=)
#undef ONCHIP_DPX
#undef ONCHIP_DPX_2
#undef ONCHIP_OP1
#undef ONCHIP_OP2
#undef ONCHIP_OP3
#undef ONCHIP_C_float
#undef ONCHIP_C_double
#undef ONCHIP_LOG2_E
#undef ONCHIP_LOG2_10

#include "onchip/host_math.h"

#endif
#endif
