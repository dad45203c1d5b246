// libdevice.cu: libdevice (NVIDIA, "libdevice User's Guide"): the device's mathematics, as functions of LLVM bitcode
// that a compiler of NVVM IR calls by the names __nv_…. Each is the function of cuda/include, or of few lines.
//
// Invariant: integers have their width alone, since NVVM IR knows no signs. The bitcode has no target of its own: it is
// compiled for sm_35, and lower.c takes the target off.

// By these libnvvm knows the bitcode, and answers the options of a compilation.
extern "C" {
__device__ int onchip_libdevice;
__device__ __attribute__((const)) int onchip_ftz();        // -ftz
__device__ __attribute__((const)) int onchip_prec_sqrt();  // -prec-sqrt
}

#include <cooperative_groups.h>

#define NV extern "C" __device__
typedef long long L;
typedef unsigned long long UL;
typedef unsigned U;

// __nv_NAME(x), __nv_NAME(x, y), …: the function with another name, or the same.
#define TO_1(R, name, A, f) NV R __nv_##name(A x) { return f(x); }
#define TO_2(R, name, A, B, f) NV R __nv_##name(A x, B y) { return f(x, y); }
#define TO_3(R, name, A, f) NV R __nv_##name(A x, A y, A z) { return f(x, y, z); }
#define TO_4(R, name, A, f) NV R __nv_##name(A x, A y, A z, A w) { return f(x, y, z, w); }

// --- floats and doubles alike: __nv_sin, __nv_sinf -------------------------------------------------------------------
#define BOTH_1(name) TO_1(double, name, double, name) TO_1(float, name##f, float, name##f)
#define BOTH_2(name) TO_2(double, name, double, double, name) TO_2(float, name##f, float, float, name##f)
#define BOTH_3(name) TO_3(double, name, double, name) TO_3(float, name##f, float, name##f)
#define BOTH_4(name) TO_4(double, name, double, name) TO_4(float, name##f, float, name##f)
BOTH_1(acos) BOTH_1(acosh) BOTH_1(asin) BOTH_1(asinh) BOTH_1(atan) BOTH_1(atanh)
BOTH_1(cbrt) BOTH_1(ceil) BOTH_1(cos) BOTH_1(cosh) BOTH_1(cospi)
BOTH_1(erf) BOTH_1(erfc) BOTH_1(erfcinv) BOTH_1(erfcx) BOTH_1(erfinv)
BOTH_1(exp) BOTH_1(exp10) BOTH_1(exp2) BOTH_1(expm1) BOTH_1(fabs) BOTH_1(floor)
BOTH_1(j0) BOTH_1(j1) BOTH_1(y0) BOTH_1(y1)
BOTH_1(lgamma) BOTH_1(log) BOTH_1(log10) BOTH_1(log1p) BOTH_1(log2) BOTH_1(logb)
BOTH_1(nearbyint) BOTH_1(normcdf) BOTH_1(normcdfinv) BOTH_1(rcbrt) BOTH_1(rint) BOTH_1(round) BOTH_1(rsqrt)
BOTH_1(sin) BOTH_1(sinh) BOTH_1(sinpi) BOTH_1(tan) BOTH_1(tanh) BOTH_1(tgamma) BOTH_1(trunc)
BOTH_1(cyl_bessel_i0) BOTH_1(cyl_bessel_i1)
BOTH_2(atan2) BOTH_2(copysign) BOTH_2(fdim) BOTH_2(fmax) BOTH_2(fmin) BOTH_2(fmod)
BOTH_2(hypot) BOTH_2(nextafter) BOTH_2(pow) BOTH_2(remainder) BOTH_2(rhypot)
BOTH_3(fma) BOTH_3(norm3d) BOTH_3(rnorm3d)
BOTH_4(norm4d) BOTH_4(rnorm4d)
TO_1(double, sqrt, double, sqrt)
NV float __nv_sqrtf(float x)
{
    float r;
    if (onchip_prec_sqrt()) return sqrtf(x);
    if (onchip_ftz())
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    else
        asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

#define BOTH_INT(name) TO_2(double, name, double, int, name) TO_2(float, name##f, float, int, name##f)
#define BOTH_ORDER(name) TO_2(double, name, int, double, name) TO_2(float, name##f, int, float, name##f)
#define BOTH_TO(R, name) TO_1(R, name, double, name) TO_1(R, name##f, float, name##f)
BOTH_INT(ldexp) BOTH_INT(scalbn)
BOTH_ORDER(jn) BOTH_ORDER(yn)
BOTH_TO(int, ilogb) BOTH_TO(L, llrint) BOTH_TO(L, llround)
TO_1(int, isnand, double, __isnan) TO_1(int, isnanf, float, __isnanf)
TO_1(int, isinfd, double, __isinf) TO_1(int, isinff, float, __isinff)
TO_1(int, isfinited, double, __finite) TO_1(int, finitef, float, __finitef)
TO_1(int, signbitd, double, __signbit) TO_1(int, signbitf, float, __signbitf)
// A float holds no number of 31 bits: two powers are taken, of the lowest eight bits and the rest.
NV float __nv_powif(float x, int n)
{
    const int low = n % 256;
    return n > -(1 << 24) && n < 1 << 24 ? powf(x, (float)n) : powf(x, (float)(n - low)) * powf(x, (float)low);
}
NV double __nv_powi(double x, int n) { return pow(x, (double)n); }

// With further results, where pointers lead.
NV double __nv_frexp(double x, int *n) { return frexp(x, n); }
NV float __nv_frexpf(float x, int *n) { return frexpf(x, n); }
NV double __nv_modf(double x, double *whole) { return modf(x, whole); }
NV float __nv_modff(float x, float *whole) { return modff(x, whole); }
NV double __nv_remquo(double x, double y, int *q) { return remquo(x, y, q); }
NV float __nv_remquof(float x, float y, int *q) { return remquof(x, y, q); }
NV void __nv_sincos(double x, double *s, double *c) { sincos(x, s, c); }
NV void __nv_sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
NV void __nv_sincospi(double x, double *s, double *c) { sincospi(x, s, c); }
NV void __nv_sincospif(float x, float *s, float *c) { sincospif(x, s, c); }
NV double __nv_norm(int n, const double *p) { return norm(n, p); }
NV float __nv_normf(int n, const float *p) { return normf(n, p); }
NV double __nv_rnorm(int n, const double *p) { return rnorm(n, p); }
NV float __nv_rnormf(int n, const float *p) { return rnormf(n, p); }
NV double __nv_nan(const signed char *) { return nan(""); }
NV float __nv_nanf(const signed char *) { return nanf(""); }

// --- fast ones: instructions, with -ftz=1 those that flush subnormals ------------------------------------------------
#define APPROX_1(name, op)                                              \
    static __device__ float name(float x)                               \
    {                                                                   \
        float r;                                                        \
        if (onchip_ftz())                                               \
            asm(op ".approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));       \
        else                                                            \
            asm(op ".approx.f32 %0, %1;" : "=f"(r) : "f"(x));           \
        return r;                                                       \
    }
APPROX_1(fast_sin, "sin") APPROX_1(fast_cos, "cos") APPROX_1(fast_log2, "lg2") APPROX_1(fast_exp2, "ex2")
static __device__ float fast_divide(float x, float y)
{
    float r;
    if (onchip_ftz())
        asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    else
        asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
NV float __nv_fast_sinf(float x) { return fast_sin(x); }
NV float __nv_fast_cosf(float x) { return fast_cos(x); }
NV float __nv_fast_tanf(float x) { return fast_divide(fast_sin(x), fast_cos(x)); }
NV float __nv_fast_log2f(float x) { return fast_log2(x); }
NV float __nv_fast_logf(float x) { return fast_log2(x) * 0x1.62e43p-1f; }     // ln 2
NV float __nv_fast_log10f(float x) { return fast_log2(x) * 0x1.344136p-2f; }  // log10 2
NV float __nv_fast_expf(float x) { return fast_exp2(x * 0x1.715476p0f); }     // log2 e
NV float __nv_fast_exp10f(float x) { return fast_exp2(x * 0x1.a934fp1f); }    // log2 10
NV float __nv_fast_powf(float x, float y) { return fast_exp2(y * fast_log2(x)); }
NV float __nv_fast_fdividef(float x, float y) { return fast_divide(x, y); }
NV void __nv_fast_sincosf(float x, float *s, float *c) { *s = fast_sin(x), *c = fast_cos(x); }

// --- rounding that is named, and conversions -------------------------------------------------------------------------
#define ROUNDED(m)                                                                                          \
    TO_2(float, fadd_##m, float, float, __fadd_##m) TO_2(double, dadd_##m, double, double, __dadd_##m)      \
    TO_2(float, fsub_##m, float, float, __fsub_##m) TO_2(double, dsub_##m, double, double, __dsub_##m)      \
    TO_2(float, fmul_##m, float, float, __fmul_##m) TO_2(double, dmul_##m, double, double, __dmul_##m)      \
    TO_2(float, fdiv_##m, float, float, __fdiv_##m) TO_2(double, ddiv_##m, double, double, __ddiv_##m)      \
    TO_3(float, fmaf_##m, float, __fmaf_##m) TO_3(double, fma_##m, double, __fma_##m)                       \
    TO_3(float, fmaf_ieee_##m, float, __fmaf_ieee_##m)                                                      \
    TO_1(float, frcp_##m, float, __frcp_##m) TO_1(double, drcp_##m, double, __drcp_##m)                     \
    TO_1(float, fsqrt_##m, float, __fsqrt_##m) TO_1(double, dsqrt_##m, double, __dsqrt_##m)                 \
    TO_1(int, float2int_##m, float, __float2int_##m) TO_1(int, double2int_##m, double, __double2int_##m)    \
    TO_1(U, float2uint_##m, float, __float2uint_##m) TO_1(U, double2uint_##m, double, __double2uint_##m)    \
    TO_1(L, float2ll_##m, float, __float2ll_##m) TO_1(L, double2ll_##m, double, __double2ll_##m)            \
    TO_1(UL, float2ull_##m, float, __float2ull_##m) TO_1(UL, double2ull_##m, double, __double2ull_##m)      \
    TO_1(float, int2float_##m, int, __int2float_##m) TO_1(float, uint2float_##m, U, __uint2float_##m)       \
    TO_1(float, ll2float_##m, L, __ll2float_##m) TO_1(float, ull2float_##m, UL, __ull2float_##m)            \
    TO_1(double, ll2double_##m, L, __ll2double_##m) TO_1(double, ull2double_##m, UL, __ull2double_##m)      \
    TO_1(float, double2float_##m, double, __double2float_##m)
ROUNDED(rn) ROUNDED(rz) ROUNDED(ru) ROUNDED(rd)
TO_1(double, int2double_rn, int, __int2double_rn) TO_1(double, uint2double_rn, U, __uint2double_rn)
TO_1(float, frsqrt_rn, float, __frsqrt_rn)
TO_1(float, saturatef, float, __saturatef)
NV float __nv_half2float(unsigned short h)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
}
NV unsigned short __nv_float2half_rn(float x)
{
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}

// --- bits and integers -----------------------------------------------------------------------------------------------
TO_1(int, float_as_int, float, __float_as_int) TO_1(float, int_as_float, int, __int_as_float)
TO_1(U, float_as_uint, float, __float_as_uint) TO_1(float, uint_as_float, U, __uint_as_float)
TO_1(L, double_as_longlong, double, __double_as_longlong) TO_1(double, longlong_as_double, L, __longlong_as_double)
TO_1(int, double2hiint, double, __double2hiint) TO_1(int, double2loint, double, __double2loint)
TO_2(double, hiloint2double, int, int, __hiloint2double)
TO_1(int, popc, U, __popc) TO_1(int, popcll, UL, __popcll)
TO_1(int, clz, int, __clz) TO_1(int, clzll, L, __clzll)
TO_1(int, ffs, int, __ffs) TO_1(int, ffsll, L, __ffsll)
TO_1(U, brev, U, __brev) TO_1(UL, brevll, UL, __brevll)
TO_1(int, abs, int, abs) TO_1(L, llabs, L, llabs)
#define LARGER_SMALLER(T, s)                                      \
    NV T __nv_##s##max(T x, T y) { return x > y ? x : y; }        \
    NV T __nv_##s##min(T x, T y) { return x < y ? x : y; }
LARGER_SMALLER(int, ) LARGER_SMALLER(U, u) LARGER_SMALLER(L, ll) LARGER_SMALLER(UL, ull)
TO_2(int, mulhi, int, int, __mulhi) TO_2(U, umulhi, U, U, __umulhi)
TO_2(L, mul64hi, L, L, __mul64hi) TO_2(UL, umul64hi, UL, UL, __umul64hi)
TO_2(int, mul24, int, int, __mul24) TO_2(U, umul24, U, U, __umul24)
TO_2(int, hadd, int, int, __hadd) TO_2(int, rhadd, int, int, __rhadd)
TO_2(U, uhadd, U, U, __uhadd) TO_2(U, urhadd, U, U, __urhadd)
TO_3(U, byte_perm, U, __byte_perm)
NV int __nv_sad(int x, int y, int z) { return (int)__sad(x, y, (U)z); }
TO_3(U, usad, U, __usad)

// --- the barrier of a cooperative grid, which is libcudadevrt's ------------------------------------------------------
// They stay functions: by the first one's name in the PTX, Numba knows that a kernel needs a cooperative launch, also
// where its result isn't used.
enum { OF_GRID = 1 };
NV __attribute__((noinline)) UL cudaCGGetIntrinsicHandle(int scope)
{
    asm volatile("");
    return scope == OF_GRID ? (UL)cooperative_groups::onchip_grid_memory() : 0;
}
NV __attribute__((noinline)) int cudaCGSynchronize(UL handle, U)
{
    if (!handle) return cudaErrorInvalidValue;
    cooperative_groups::grid_group::sync();
    return cudaSuccess;
}
