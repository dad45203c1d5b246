// host_math.h: the host's side of functions that C's library lacks and CUDA's programs call on both sides, as rsqrtf in
// code of __host__ __device__. math_functions.h includes it.
//
// Invariant: a float's function is the double's, rounded once. Its arguments and special values are the device's.
// norm and rnorm of an array stay the device's alone: programs have a norm(int, const double *) of their own.
#ifndef ONCHIP_HOST_MATH_H
#define ONCHIP_HOST_MATH_H

ONCHIP_HOST double rsqrt(double x) { return 1 / sqrt(x); }
ONCHIP_HOST double rcbrt(double x) { return 1 / cbrt(x); }
ONCHIP_HOST double rhypot(double x, double y) { return 1 / hypot(x, y); }
ONCHIP_HOST double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
ONCHIP_HOST double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
ONCHIP_HOST double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
ONCHIP_HOST double rnorm4d(double x, double y, double z, double w) { return 1 / norm4d(x, y, z, w); }

// sin(π·r), where r is what the turns leave of x: all before the product is exact.
ONCHIP_HOST double sinpi(double x)
{
    const double r = x - 2 * rint(x / 2), near = fabs(r) > 0.5 ? copysign(1, r) - r : r;
    return near == 0 ? copysign(0, x) : sin(near * 3.1415926535897931);
}
ONCHIP_HOST double cospi(double x) { return sin((0.5 - fabs(x - 2 * rint(x / 2))) * 3.1415926535897931); }
ONCHIP_HOST void sincospi(double x, double *sine, double *cosine) { *sine = sinpi(x), *cosine = cospi(x); }
ONCHIP_HOST void sincospif(float x, float *sine, float *cosine)
{
    *sine = (float)sinpi(x), *cosine = (float)cospi(x);
}

// e^(x²)·erfc(x); far out the series of Abramowitz and Stegun 7.1.23
ONCHIP_HOST double erfcx(double x)
{
    const double s = x * x, rest = fma(x, x, -s);
    if (x < 10) {
        const double bell = exp(s) * (s < 750 ? 1 + rest : 1);
        return x < 0 ? bell * 2 - erfcx(-x) : bell * erfc(x);
    }
    double term = 1, sum = 1;
    for (int k = 1; k < 16; ++k) term *= (0.5 - k) / s, sum += term;
    return sum / x * 0.56418958354775629;
}
// erfc at -x/√2, whose rounding is made up for by the slope
ONCHIP_HOST double normcdf(double x)
{
    const double half = 0.70710678118654757, at = -x * half;
    const double rest = fma(-x, half, -at) + x * 4.8336466567264567e-17;
    const double y = erfc(at), slope = exp(-at * at) * 1.1283791670955126;
    return 0.5 * (slope > 0 ? y - slope * rest : y);
}
// Halley's steps on erf(y) = x where x is small, and on erfc(y) = q else, from Winitzki's estimate.
ONCHIP_HOST double onchip_host_erfinv(double x, double q)
{
    if (!(q > 0) || !(q < 2)) return q == 0 ? INFINITY : q == 2 ? -INFINITY : NAN;
    if (x == 0) return x;
    const double l = log(q * (2 - q)), t = 4.3307467508 + 0.5 * l;
    double y = copysign(sqrt(sqrt(t * t - l / 0.147) - t), x);
    for (int step = 0; step < 4; ++step) {
        const double far = fabs(x) < 0.5 ? erf(y) - x : q - erfc(y), u = far / exp(-y * y) * 0.88622692545275805;
        y -= u / (1 + y * u);
    }
    return y;
}
ONCHIP_HOST double erfcinv(double q)
{
    return q > 1 ? -onchip_host_erfinv(q - 1, 2 - q) : onchip_host_erfinv(1 - q, q);
}
ONCHIP_HOST double erfinv(double x) { return copysign(onchip_host_erfinv(fabs(x), 1 - fabs(x)), x); }
ONCHIP_HOST double normcdfinv(double p) { return erfcinv(2 * p) * -1.4142135623730951 + 0.0; }

// The series 9.6.10: all terms are positive.
ONCHIP_HOST double onchip_host_bessel(double x, int order)
{
    double term = order ? 0.5 * x : 1, sum = term;
    for (int k = 1; fabs(term) > fabs(sum) * 1e-17; ++k) term *= 0.25 * x * x / k / (k + order), sum += term;
    return sum;
}
ONCHIP_HOST double cyl_bessel_i0(double x) { return onchip_host_bessel(x, 0); }
ONCHIP_HOST double cyl_bessel_i1(double x) { return onchip_host_bessel(x, 1); }

#define ONCHIP_EACH(name)                                                                                     \
    ONCHIP_HOST float name##f(float x) { return (float)name((double)x); }
ONCHIP_EACH(rsqrt) ONCHIP_EACH(rcbrt) ONCHIP_EACH(sinpi) ONCHIP_EACH(cospi) ONCHIP_EACH(erfcx) ONCHIP_EACH(normcdf)
ONCHIP_EACH(erfinv) ONCHIP_EACH(erfcinv) ONCHIP_EACH(normcdfinv) ONCHIP_EACH(cyl_bessel_i0)
ONCHIP_EACH(cyl_bessel_i1)
#undef ONCHIP_EACH
ONCHIP_HOST float rsqrt(float x) { return rsqrtf(x); }
ONCHIP_HOST float rcbrt(float x) { return rcbrtf(x); }
ONCHIP_HOST float rhypotf(float x, float y) { return (float)rhypot(x, y); }
ONCHIP_HOST float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
ONCHIP_HOST float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
ONCHIP_HOST float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
ONCHIP_HOST float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
ONCHIP_HOST float fdividef(float x, float y) { return x / y; }

#endif
