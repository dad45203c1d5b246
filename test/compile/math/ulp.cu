// ulp: the errors of the device's functions of floats and doubles, in units in the last place, beside the bounds that
// the CUDA C++ Programming Guide gives ("Mathematical Functions"), at special values, at numbers of each size, and near
// what is special. A bound counts from the right value as it is rounded, so an error may be half an ulp more.
// Arguments: how many numbers for a float, for a double; then, if any, the functions' names.
#include "reference.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

// --- what is tested -------------------------------------------------------------------------------------------------
// F(type, its row's name, arguments, the device's expression, the right one, bound, a, b[, low, high[, absolute]]):
// the numbers are dense from a to b, and all are from low to high; absolute: a bound of the error itself, in place of
// ulps. The arguments are x, y, z, w; got is the device's result.
#define BOTH(F, name, n, device, expect, single_bound, double_bound, ...)                                           \
    F(float, name##f, n, device, expect, single_bound, __VA_ARGS__)                                                 \
    F(double, name, n, device, expect, double_bound, __VA_ARGS__)
#define SIMPLE(F, name, single_bound, double_bound, ...)                                                            \
    F(float, name##f, 1, name##f(x), name(x), single_bound, __VA_ARGS__)                                            \
    F(double, name, 1, name(x), name(x), double_bound, __VA_ARGS__)
#define INTO(T, call) ([=] { T r, q; call; return r; }())

#define ROWS_1(F)                                                                                                   \
    SIMPLE(F, acos, 2, 2, -1, 1) SIMPLE(F, acosh, 4, 3, 1, 100) SIMPLE(F, asin, 2, 2, -1, 1)                        \
    SIMPLE(F, asinh, 3, 3, -100, 100) SIMPLE(F, atan, 2, 2, -10, 10) SIMPLE(F, atanh, 3, 2, -1, 1)                  \
    SIMPLE(F, cbrt, 1, 1, -100, 100) SIMPLE(F, cos, 2, 2, -1000, 1000)                                              \
    F(float, coshf, 1, coshf(x), cosh(x), 2, -91, 91)                                                               \
    F(double, cosh, 1, cosh(x), cosh(x), 1, -712, 712) SIMPLE(F, cospi, 1, 2, -100, 100) SIMPLE(F, erf, 2, 2, -7, 7)\
    F(float, erfcf, 1, erfcf(x), erfc(x), 4, -5, 12) F(double, erfc, 1, erfc(x), erfc(x), 5, -7, 28)
#define ROWS_2(F)                                                                                                   \
    F(float, expf, 1, expf(x), exp(x), 2, -105, 90) F(double, exp, 1, exp(x), exp(x), 1, -750, 711)                 \
    F(float, exp2f, 1, exp2f(x), exp2(x), 2, -151, 129) F(double, exp2, 1, exp2(x), exp2(x), 1, -1080, 1025)        \
    F(float, exp10f, 1, exp10f(x), exp10(x), 2, -46, 39) F(double, exp10, 1, exp10(x), exp10(x), 1, -326, 310)      \
    F(float, expm1f, 1, expm1f(x), expm1(x), 1, -20, 90) F(double, expm1, 1, expm1(x), expm1(x), 1, -40, 711)       \
    SIMPLE(F, log, 1, 1, 0.2, 10) SIMPLE(F, log10, 2, 1, 0.2, 100) SIMPLE(F, log2, 1, 1, 0.2, 10)                   \
    F(float, logf_near_1, 1, logf(x), log(x), 1, .9, 1.1, .5, 2)                                                    \
    F(double, log_near_1, 1, log(x), log(x), 1, .9, 1.1, .5, 2)                                                     \
    F(float, log2f_near_1, 1, log2f(x), log2(x), 1, .9, 1.1, .5, 2)                                                 \
    F(double, log2_near_1, 1, log2(x), log2(x), 1, .9, 1.1, .5, 2)                                                  \
    F(float, log10f_near_1, 1, log10f(x), log10(x), 2, .9, 1.1, .5, 2)                                              \
    F(double, log10_near_1, 1, log10(x), log10(x), 1, .9, 1.1, .5, 2)                                               \
    SIMPLE(F, log1p, 1, 1, -1, 3) SIMPLE(F, sin, 2, 2, -1000, 1000) SIMPLE(F, sinpi, 1, 2, -100, 100)               \
    F(float, sinhf, 1, sinhf(x), sinh(x), 3, -91, 91) F(double, sinh, 1, sinh(x), sinh(x), 2, -712, 712)            \
    SIMPLE(F, tan, 4, 2, -1000, 1000) SIMPLE(F, tanh, 2, 1, -20, 20) SIMPLE(F, rcbrt, 1, 1, -100, 100)
#define ROWS_3(F)                                                                                                   \
    F(float, tgammaf, 1, tgammaf(x), tgamma(x), 5, -45, 36) F(double, tgamma, 1, tgamma(x), tgamma(x), 10, -190, 172)\
    F(float, lgammaf, 1, lgammaf(x), lgamma(x), 6, -2, 50, -2.264, 3.4e38)                                          \
    F(double, lgamma, 1, lgamma(x), lgamma(x), 4, -2, 200, -2.2637, 1.79e308)                                       \
    F(float, lgammaf_below, 1, lgammaf(x), lgamma(x), 6, -50, -10.001, -3.4e38, -10.001)                            \
    F(double, lgamma_below, 1, lgamma(x), lgamma(x), 4, -200, -23.0001, -1.79e308, -23.0001)                        \
    F(float, rsqrtf, 1, rsqrtf(x), T(1) / sqrt(x), 2, 0, 10) F(double, rsqrt, 1, rsqrt(x), T(1) / sqrt(x), 1, 0, 10)\
    F(float, sqrtf, 1, sqrtf(x), sqrt(x), 0, 0, 10) F(double, sqrt, 1, sqrt(x), sqrt(x), 0, 0, 10)                  \
    F(float, erfcxf, 1, erfcxf(x), erfcx(x), 4, -10, 20) F(double, erfcx, 1, erfcx(x), erfcx(x), 4, -27, 50)        \
    F(float, normcdff, 1, normcdff(x), normcdf(x), 5, -15, 7) F(double, normcdf, 1, normcdf(x), normcdf(x), 5, -39, 9)\
    F(float, erfinvf, 1, erfinvf(x), erfinv(x, got), 2, -1, 1)                                                      \
    F(double, erfinv, 1, erfinv(x), erfinv(x, got), 5, -1, 1)                                                       \
    F(float, erfcinvf, 1, erfcinvf(x), erfcinv(x, got), 4, 0, 2)                                                    \
    F(double, erfcinv, 1, erfcinv(x), erfcinv(x, got), 6, 0, 2)                                                     \
    F(float, normcdfinvf, 1, normcdfinvf(x), normcdfinv(x, got), 5, 0, 1)                                           \
    F(double, normcdfinv, 1, normcdfinv(x), normcdfinv(x, got), 8, 0, 1)
// the Bessel functions: in ulps below 8, and by the error itself from there
#define ROWS_4(F)                                                                                                   \
    SIMPLE(F, j0, 9, 7, 0, 8, -8, 8) SIMPLE(F, j1, 9, 7, 0, 8, -8, 8)                                               \
    SIMPLE(F, y0, 9, 7, 0, 8, 0, 8) SIMPLE(F, y1, 9, 7, 0, 8, 0, 8)                                                 \
    F(float, j0f_far, 1, j0f(x), j0(x), 0, 8, 99, 8, 1e6, 2.2e-6)                                                   \
    F(double, j0_far, 1, j0(x), j0(x), 0, 8, 99, 8, 1e6, 5e-12)                                                     \
    F(float, j1f_far, 1, j1f(x), j1(x), 0, 8, 99, 8, 1e6, 2.2e-6)                                                   \
    F(double, j1_far, 1, j1(x), j1(x), 0, 8, 99, 8, 1e6, 5e-12)                                                     \
    F(float, y0f_far, 1, y0f(x), y0(x), 0, 8, 99, 8, 1e6, 2.2e-6)                                                   \
    F(double, y0_far, 1, y0(x), y0(x), 0, 8, 99, 8, 1e6, 5e-12)                                                     \
    F(float, y1f_far, 1, y1f(x), y1(x), 0, 8, 99, 8, 1e6, 2.2e-6)                                                   \
    F(double, y1_far, 1, y1(x), y1(x), 0, 8, 99, 8, 1e6, 5e-12)                                                     \
    F(float, jnf_3, 1, jnf(3, x), jn(3, x), 0, 0, 20, -1e6, 1e6, 2.2e-6)                                            \
    F(double, jn_3, 1, jn(3, x), jn(3, x), 0, 0, 20, -1e6, 1e6, 5e-12)                                              \
    F(float, jnf_128, 1, jnf(128, x), jn(128, x), 0, 0, 300, -1e4, 1e4, 2.2e-6)                                     \
    F(double, jn_128, 1, jn(128, x), jn(128, x), 0, 0, 300, -1e4, 1e4, 5e-12)                                       \
    F(float, ynf_3, 1, ynf(3, x), yn(3, x), 10, 0, 3, 0, 3)                                                         \
    F(float, ynf_3_far, 1, ynf(3, x), yn(3, x), 0, 3, 20, 3, 1e6, 2.2e-6)                                           \
    F(double, yn_3, 1, yn(3, x), yn(3, x), 0, 4.5, 20, 4.5, 1e6, 5e-12)                                             \
    F(double, yn_20, 1, yn(20, x), yn(20, x), 0, 30, 99, 30, 1e4, 5e-12)                                            \
    F(float, cyl_bessel_i0f, 1, cyl_bessel_i0f(x), bessel_i(0, x), 6, -92, 92)                                      \
    F(double, cyl_bessel_i0, 1, cyl_bessel_i0(x), bessel_i(0, x), 6, -714, 714)                                     \
    F(float, cyl_bessel_i1f, 1, cyl_bessel_i1f(x), bessel_i(1, x), 6, -92, 92)                                      \
    F(double, cyl_bessel_i1, 1, cyl_bessel_i1(x), bessel_i(1, x), 6, -714, 714)
#define ROWS_5(F)                                                                                                   \
    F(float, atan2f, 2, atan2f(x, y), atan2(x, y), 3, -10, 10)                                                      \
    F(double, atan2, 2, atan2(x, y), atan2(x, y), 2, -10, 10)                                                       \
    F(float, powf, 3, powf(x, y), pow(x, y), 4, -10, 10) F(double, pow, 3, pow(x, y), pow(x, y), 2, -10, 10)        \
    F(float, hypotf, 2, hypotf(x, y), hypot(x, y), 3, -10, 10)                                                      \
    F(double, hypot, 2, hypot(x, y), hypot(x, y), 2, -10, 10)                                                       \
    F(float, rhypotf, 2, rhypotf(x, y), T(1) / hypot(x, y), 2, -10, 10)                                             \
    F(double, rhypot, 2, rhypot(x, y), T(1) / hypot(x, y), 1, -10, 10)                                              \
    BOTH(F, norm3d, 4, norm3(x, y, z), norm(x, y, z, T(0)), 3, 2, -10, 10)                                          \
    BOTH(F, rnorm3d, 4, rnorm3(x, y, z), T(1) / norm(x, y, z, T(0)), 2, 1, -10, 10)                                 \
    BOTH(F, norm4d, 4, norm4(x, y, z, w), norm(x, y, z, w), 3, 2, -10, 10)                                          \
    BOTH(F, rnorm4d, 4, rnorm4(x, y, z, w), T(1) / norm(x, y, z, w), 2, 1, -10, 10)                                 \
    F(float, sincosf_s, 1, INTO(float, sincosf(x, &r, &q)), sin(x), 2, -9, 9)                                       \
    F(double, sincos_s, 1, INTO(double, sincos(x, &r, &q)), sin(x), 2, -9, 9)                                       \
    F(float, sincosf_c, 1, INTO(float, sincosf(x, &q, &r)), cos(x), 2, -9, 9)                                       \
    F(double, sincos_c, 1, INTO(double, sincos(x, &q, &r)), cos(x), 2, -9, 9)                                       \
    F(float, sincospif_c, 1, INTO(float, sincospif(x, &q, &r)), cospi(x), 1, -9, 9)                                 \
    F(double, sincospi_s, 1, INTO(double, sincospi(x, &r, &q)), sinpi(x), 2, -9, 9)
// the fast ones ("Intrinsic Functions"); powers and tangents have no bound of their own
#define ROWS_6(F)                                                                                                   \
    F(float, __sinf, 1, __sinf(x), sin(x), 0, -3, 3, -3.14159, 3.14159, 3.5952e-7)                                  \
    F(float, __cosf, 1, __cosf(x), cos(x), 0, -3, 3, -3.14159, 3.14159, 4.1775e-7)                                  \
    F(float, __logf, 1, __logf(x), log(x), 0, .5, 2, .5, 2, 3.5894e-7)                                              \
    F(float, __logf_far, 1, __logf(x), log(x), 3, 2, 99, 2, 3.4e38)                                                 \
    F(float, __log2f, 1, __log2f(x), log2(x), 0, .5, 2, .5, 2, 2.3842e-7)                                           \
    F(float, __log2f_far, 1, __log2f(x), log2(x), 2, 2, 99, 2, 3.4e38)                                              \
    F(float, __log10f, 1, __log10f(x), log10(x), 0, .5, 2, .5, 2, 5.9605e-8)                                        \
    F(float, __log10f_far, 1, __log10f(x), log10(x), 3, 2, 99, 2, 3.4e38)                                           \
    F(float, __expf, 1, __expf(x), exp(x), 2 + std::floor(std::fabs(1.173 * v)), -87, 88, -87.3, 88.7)              \
    F(float, __exp10f, 1, __exp10f(x), exp10(x), 2 + std::floor(std::fabs(2.97 * v)), -37, 38, -37.9, 38.5)         \
    F(float, __tanhf, 1, __tanhf(x), tanh(x), 8192, -9, 9)                                                          \
    F(float, __fdividef, 2, __fdividef(x, y), x / y, 2, -9, 9, -8e37, 8e37)                                         \
    F(float, __frsqrt_rn, 1, __frsqrt_rn(x), T(1) / sqrt(x), 0, 0, 10)
#define ROWS(F) ROWS_1(F) ROWS_2(F) ROWS_3(F) ROWS_4(F) ROWS_5(F) ROWS_6(F)

__device__ float norm3(float x, float y, float z) { return norm3df(x, y, z); }
__device__ double norm3(double x, double y, double z) { return norm3d(x, y, z); }
__device__ float rnorm3(float x, float y, float z) { return rnorm3df(x, y, z); }
__device__ double rnorm3(double x, double y, double z) { return rnorm3d(x, y, z); }
__device__ float norm4(float x, float y, float z, float w) { return norm4df(x, y, z, w); }
__device__ double norm4(double x, double y, double z, double w) { return norm4d(x, y, z, w); }
__device__ float rnorm4(float x, float y, float z, float w) { return rnorm4df(x, y, z, w); }
__device__ double rnorm4(double x, double y, double z, double w) { return rnorm4d(x, y, z, w); }

#define STRUCT(T_, name, n, device, ...)                                                                            \
    struct row_##name {                                                                                             \
        static __device__ T_ at(T_ x, T_ y, T_ z, T_ w) { return device; }                                          \
    };
ROWS(STRUCT)

template <class F, class T> __global__ void all(int n, const T *x, T *out)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) out[k] = F::at(x[k], x[n + k], x[2 * n + k], x[3 * n + k]);
}

// --- numbers --------------------------------------------------------------------------------------------------------
static std::mt19937_64 engine(20);
static double uniform(double a, double b) { return a + (b - a) * ((double)(engine() >> 11) * 0x1p-53); }
static double sign() { return engine() & 1 ? -1 : 1; }

template <class T> static const std::vector<T> &specials()
{
    typedef std::numeric_limits<T> L;
    static std::vector<T> v;
    if (v.empty()) {
        for (T x : {T(0), L::denorm_min(), L::min() - L::denorm_min(), L::min(), T(.25), T(.5), T(1) - L::epsilon() / 2,
                    T(1), T(1) + L::epsilon(), T(1.5), T(2), T(3), T(16777217), T(1) / L::epsilon(), T(1e30), L::max(),
                    L::infinity()})
            v.push_back(x), v.push_back(-x);
        v.push_back(L::quiet_NaN());
    }
    return v;
}
template <class T> static T draw(double a, double b)
{
    const double most = std::max(std::fabs(a), std::fabs(b));
    switch (engine() % 16) {
    case 0: case 1: case 2: {  // of any size
        const uint64_t bits = engine();
        T x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    case 3: case 4: case 5: case 6: case 7: return (T)uniform(a, b);
    case 8: case 9: case 10: return (T)(sign() * most * std::exp2(uniform(-30, 0)));
    case 11: case 12: {  // near halves
        const T at = (T)(std::rint(2 * uniform(a, b)) * .5);
        return engine() & 1 ? at * (T)(1 + sign() * std::exp2(uniform(-53, -3)))
                            : std::nextafter(at, (T)(sign() * 1e30));
    }
    case 13: case 14: return (T)(std::rint(uniform(-1, 1) * std::exp2(uniform(1, 24))) * 1.5707963267948966);
    default: {  // near the ends
        const double end = engine() & 1 ? a : b;
        return (T)(end + sign() * std::fabs(end ? end : 1) * std::exp2(uniform(-53, -3)));
    }
    }
}
static bool inside(double x, double low, double high) { return !(x < low || x > high) && x == x; }

template <class T> static void fill(std::vector<T> &x, int n, int count, double a, double b, double low, double high)
{
    const std::vector<T> &s = specials<T>();
    const bool whole = std::isinf(low);
    x.assign(4 * count, 0);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < 4; i++) {
            T &v = x[i * count + k];
            v = draw<T>(a, b);
            if (i && engine() % 2) v = x[k] * (T)(sign() * std::exp2(uniform(-30, 30)));
            if (i && engine() % 4 == 0) v = x[k] * (T)uniform(-2, 2);
        }
        const size_t pairs = n == 1 ? s.size() : s.size() * s.size();
        if ((size_t)k < pairs) x[k] = s[k % s.size()], x[count + k] = s[k / s.size() % s.size()];
        T &v = x[k], &y = x[count + k];
        if (n == 3 && k % 2 && (size_t)k >= pairs) {  // of a power, neither too large nor too small
            v = std::fabs(v);
            y = (T)((sizeof(T) == 4 ? uniform(-152, 130) : uniform(-1080, 1026)) / std::log2((double)v));
            if (k % 4 == 3) v = -v, y = std::rint(y);
        }
        if (!whole)
            while (!inside(v, low, high)) v = draw<T>(std::max(a, low), std::min(b, high));
        if (!whole && n == 2)
            while (!inside(y, low, high) || std::fabs(y) < 1e-37) y = draw<T>(a, b);
    }
}

// --- an error, in ulps of the right result; of numbers that have no distance 1e9 ------------------------------------
template <class T> struct Wide {
    typedef long double type;
};
template <> struct Wide<double> {
    typedef Big type;
};
static int exponent(long double x)
{
    int e;
    frexpl(x, &e);
    return e;
}
static int exponent(const Big &x) { return (int)std::max(-5000l, std::min(5000l, mpfr_get_exp(x.v))); }
static bool negative(long double x) { return std::signbit(x); }
static bool negative(const Big &x) { return mpfr_signbit(x.v); }
static long double over(long double x, int e) { return ldexpl(x, -e); }
static Big over(const Big &x, int e)
{
    Big r;
    return mpfr_mul_2si(r.v, x.v, -e, MPFR_RNDN), r;
}
template <class T, class R> static double error(T got, const R &right, bool absolute)
{
    typedef std::numeric_limits<T> L;
    const double far = 1e9;
    if (got != got || right != right) return got != got && right != right ? 0 : far;
    const R infinite(INFINITY), size = right < R(0) ? -right : right;
    if (absolute) return std::fabs(rough(R(got) - right));
    if (size == infinite) return right == R(got) ? 0 : far;
    if (got == 0 && negative(right) != std::signbit(got)) return far;
    if (right == R(0)) return got == 0 ? 0 : far;
    const int unit = std::max(exponent(right), L::min_exponent) - L::digits;
    if (exponent(right) > L::max_exponent) return std::isinf(got) && (right > R(0)) == (got > 0) ? 0 : far;
    const R found = std::isinf(got) ? over(R(got > 0 ? 1 : -1), -L::max_exponent) : R(got);
    return std::min(far, std::fabs(rough(over(found - right, unit))));
}

static void must(cudaError_t error)
{
    if (error) printf("%s\n", cudaGetErrorString(error)), exit(99);
}

static int wrong, rows;
static int counts[2];
static char **names;

template <class F, class T, class Right, class Bound>
static void row(const char *name, int n, Right right, Bound bound, double a, double b, double low = -INFINITY,
                double high = INFINITY, double absolute = 0)
{
    typedef typename Wide<T>::type R;
    bool asked = !*names;
    for (char **of = names; *of; of++) asked |= !strcmp(*of, name);
    if (!asked) return;
    const int count = counts[sizeof(T) == 8];
    std::vector<T> x, out(count);
    fill(x, n, count, a, b, low, high);
    T *device;
    cudaMalloc(&device, 5 * count * sizeof(T));
    cudaMemcpy(device, x.data(), 4 * count * sizeof(T), cudaMemcpyHostToDevice);
    all<F><<<(count + 127) / 128, 128>>>(count, device, device + 4 * count);
    must(cudaMemcpy(out.data(), device + 4 * count, count * sizeof(T), cudaMemcpyDeviceToHost));
    cudaFree(device);
    double worst = -1, most = 0, share = -1;
    int at = 0, bad = 0;
    for (int k = 0; k < count; k++) {
        const T *v = &x[k];
        const R r = right(R(v[0]), R(v[count]), R(v[2 * count]), R(v[3 * count]), R(out[k]));
        const double e = error(out[k], r, absolute != 0), limit = absolute ? absolute : bound((double)v[0]) + .5001;
        bad += e > limit;
        most = std::max(most, e);
        if (e / limit > share) share = e / limit, worst = e, at = k;
    }
    printf("%-16s %-6s %10.4g to %-10.4g ", name, sizeof(T) == 4 ? "float" : "double", std::isinf(low) ? a : low,
           std::isinf(low) ? b : high);
    if (absolute)
        printf("%9.3g %9.3g absolute", most, absolute);
    else
        printf("%9.3f %9.4g", worst, bound((double)x[at]));
    if (bad)
        printf("  WRONG %d times: (%.17g, %.17g) gives %.17g, off by %.4g", bad, (double)x[at], (double)x[count + at],
               (double)out[at], worst);
    printf("\n");
    wrong += bad > 0, rows++;
}

namespace right {  // whose functions the right expressions call
static void every_row()
{
#define ROW(T_, name, n, device, expect, bound, ...)                                                                \
    row<row_##name, T_>(                                                                                            \
        #name, n,                                                                                                   \
        [](auto x, auto y, auto z, auto w, auto got) {                                                              \
            typedef decltype(x) T;                                                                                  \
            return T(expect);                                                                                       \
        },                                                                                                          \
        [](double v) -> double { return bound; }, __VA_ARGS__);
    ROWS(ROW)
}
}

int main(int argc, char **argv)
{
    counts[0] = argc > 1 ? atoi(argv[1]) : 10000, counts[1] = argc > 2 ? atoi(argv[2]) : 2000;
    names = argv + std::min(argc, 3);
    printf("function         type      dense from to               error     bound\n");
    right::every_row();
    printf("%d rows, %d wrong\n", rows, wrong);
    return wrong > 0;
}
