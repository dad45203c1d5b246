// reference.h: the right values, to more digits than the device has: of a float by the C library's long double, of a
// double by MPFR's numbers of 128 bits. A text in terms of T serves for both.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <cmath>
#include <mpfr.h>

struct Big {
    mpfr_t v;
    Big(double x = 0) { mpfr_init2(v, 128), mpfr_set_d(v, x, MPFR_RNDN); }
    Big(const Big &b) { mpfr_init2(v, 128), mpfr_set(v, b.v, MPFR_RNDN); }
    Big &operator=(const Big &b) { return mpfr_set(v, b.v, MPFR_RNDN), *this; }
    ~Big() { mpfr_clear(v); }
};
#define OPERATOR(op, name)                               \
    inline Big operator op(const Big &a, const Big &b)   \
    {                                                    \
        Big r;                                           \
        return mpfr_##name(r.v, a.v, b.v, MPFR_RNDN), r; \
    }
OPERATOR(+, add)
OPERATOR(-, sub)
OPERATOR(*, mul)
OPERATOR(/, div)
inline Big operator-(const Big &a) { return Big(-0.) - a; }
inline bool operator<(const Big &a, const Big &b) { return mpfr_less_p(a.v, b.v); }
inline bool operator>(const Big &a, const Big &b) { return mpfr_greater_p(a.v, b.v); }
inline bool operator==(const Big &a, const Big &b) { return mpfr_equal_p(a.v, b.v); }
inline bool operator!=(const Big &a, const Big &b) { return !(a == b); }
inline double rough(const Big &a) { return mpfr_get_d(a.v, MPFR_RNDN); }
inline double rough(long double a) { return (double)a; }

namespace right
{
#define ONE(name, theirs)                                           \
    inline long double name(long double x) { return ::name##l(x); } \
    inline Big name(const Big &x)                                   \
    {                                                               \
        Big r;                                                      \
        return mpfr_##theirs, r;                                    \
    }
#define SAME(name) ONE(name, name(r.v, x.v, MPFR_RNDN))
// clang-format off
SAME(acos) SAME(acosh) SAME(asin) SAME(asinh) SAME(atan) SAME(atanh) SAME(cbrt) SAME(cos) SAME(cosh) SAME(erf)
SAME(erfc) SAME(exp) SAME(exp10) SAME(exp2) SAME(expm1) SAME(j0) SAME(j1) SAME(log) SAME(log10) SAME(log1p)
SAME(log2) SAME(rint) SAME(sin) SAME(sinh) SAME(sqrt) SAME(tan) SAME(tanh) SAME(y0) SAME(y1)
    // clang-format on
    ONE(tgamma, gamma(r.v, x.v, MPFR_RNDN)) ONE(fabs, abs(r.v, x.v, MPFR_RNDN))
#undef SAME
#undef ONE
        inline long double lgamma(long double x)
{
    int sign;
    return lgammal_r(x, &sign);
}
inline Big lgamma(const Big &x)
{
    Big r;
    int sign;
    return mpfr_lgamma(r.v, &sign, x.v, MPFR_RNDN), r;
}
#define TWO(name, theirs)                                                             \
    inline long double name(long double x, long double y) { return ::name##l(x, y); } \
    inline Big name(const Big &x, const Big &y)                                       \
    {                                                                                 \
        Big r;                                                                        \
        return mpfr_##theirs(r.v, x.v, y.v, MPFR_RNDN), r;                            \
    }
TWO(atan2, atan2)
TWO(copysign, copysign)
TWO(hypot, hypot)
TWO(pow, pow)
TWO(remainder, remainder)
#undef TWO
inline long double jn(int n, long double x) { return jnl(n, x); }
inline long double yn(int n, long double x) { return ynl(n, x); }
inline Big jn(int n, const Big &x)
{
    Big r;
    return mpfr_jn(r.v, n, x.v, MPFR_RNDN), r;
}
inline Big yn(int n, const Big &x)
{
    Big r;
    return mpfr_yn(r.v, n, x.v, MPFR_RNDN), r;
}
inline void pi(long double &r) { r = 3.141592653589793238462643L; }
inline void pi(Big &r) { mpfr_const_pi(r.v, MPFR_RNDN); }
template <class T> T pi()
{
    T r;
    return pi(r), r;
}

template <class T> T sinpi(T x)
{
    T r = remainder(x, T(2));
    if (r == T(0)) return x == x ? copysign(T(0), x) : x;
    if (r > T(.5)) r = T(1) - r;
    if (r < T(-.5)) r = T(-1) - r;
    return r == T(0) ? copysign(T(0), x) : sin(pi<T>() * r);
}
template <class T> T cospi(T x)
{
    const T r = fabs(remainder(x, T(2))), off = T(.5) - r;  // cos(pi r) = sin(pi/2 - pi r)
    return off == T(0)  ? T(0)
           : r < T(.25) ? cos(pi<T>() * r)
           : r > T(.75) ? -cos(pi<T>() * (T(1) - r))
                        : sin(pi<T>() * off);
}
template <class T> T rcbrt(T x) { return T(1) / cbrt(x); }
template <class T> T erfcx(T x)
{
    if (!(x > T(50))) return x < T(-50) ? T(INFINITY) : exp(x * x) * erfc(x);
    const T u = T(.5) / (x * x);
    T term(1), sum(1);
    for (int k = 1; k < 24; k++) term = term * T(1 - 2 * k) * u, sum = sum + term;
    return sum / (x * sqrt(pi<T>()));
}
template <class T> T normcdf(T x) { return erfc(-x / sqrt(T(2))) * T(.5); }

// For an inverse function: one step of Halley's from what the device found, which triples its digits. f is what its
// value lacks, over the derivative; bend is half the second derivative, over the first one.
template <class T> T better(T got, T f, T bend) { return got - f / (T(1) - f * bend); }
template <class T> T edge(T x, T low, T high, T at_low, T at_high)  // 0 inside
{
    return x == low ? at_low : x == high ? at_high : x > low && x < high ? T(0) : T(NAN);
}
template <class T> T erfinv(T x, T got)
{
    const T e = edge(x, T(-1), T(1), T(-INFINITY), T(INFINITY));
    if (e != T(0) || x == T(0)) return e != T(0) ? e : x;
    return better(got, (erf(got) - x) * sqrt(pi<T>()) * T(.5) * exp(got * got), -got);
}
template <class T> T erfcinv(T x, T got)
{
    const T e = edge(x, T(0), T(2), T(INFINITY), T(-INFINITY));
    if (e != T(0) || x == T(1)) return e != T(0) ? e : T(0);
    return better(got, (x - erfc(got)) * sqrt(pi<T>()) * T(.5) * exp(got * got), -got);
}
template <class T> T normcdfinv(T x, T got)
{
    const T e = edge(x, T(0), T(1), T(-INFINITY), T(INFINITY));
    if (e != T(0) || x == T(.5)) return e != T(0) ? e : T(0);
    return better(got, (normcdf(got) - x) * sqrt(T(2) * pi<T>()) * exp(got * got * T(.5)), got * T(-.5));
}
// sum of (x/2)^(2k + n) / (k! (k + n)!)
template <class T> T bessel_i(int n, T x)
{
    if (x != x || fabs(x) > T(800)) return T(INFINITY) * (n ? x : fabs(x));  // too large
    const T s = x * x * T(.25);
    T term = n ? x * T(.5) : T(1), sum = term;
    for (int k = 1; k < 3000; k++) {
        term = term * s / T((double)k * (k + n));
        const T more = sum + term;
        if (more == sum) break;
        sum = more;
    }
    return sum;
}
template <class T> T norm(T x, T y, T z, T w)
{
    for (const T &v : {x, y, z, w})
        if (fabs(v) == T(INFINITY)) return fabs(v);
    return sqrt(x * x + y * y + z * z + w * w);
}
}  // namespace right
#endif
