// cuda_math.h: the second half of cuda.h: bits, read-only loads and arithmetic.
// sqrtf, fmaf, division and conversions are IEEE. The others rest on the .approx instructions, whose errors the PTX ISA
// gives; beside each function is what that makes of it. They follow no libm to the last bit.
#ifndef ONCHIP_CUDA_MATH_H
#define ONCHIP_CUDA_MATH_H

// --- Bits -----------------------------------------------------------------------------------------------------------

ONCHIP_FN int __popc(uint x) { return __builtin_popcount(x); }
ONCHIP_FN int __popcll(ulonglong x) { return __builtin_popcountll(x); }
ONCHIP_FN int __clz(int x) { return x ? __builtin_clz((uint)x) : 32; }
ONCHIP_FN int __clzll(long long x) { return x ? __builtin_clzll((ulonglong)x) : 64; }
ONCHIP_FN int __ffs(int x) { return __builtin_ffs(x); }
ONCHIP_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
ONCHIP_FN uint __brev(uint x) { return __builtin_bitreverse32(x); }
ONCHIP_FN ulonglong __brevll(ulonglong x) { return __builtin_bitreverse64(x); }
ONCHIP_FN uint __byte_perm(uint a, uint b, uint s) { return __nvvm_prmt(a, b, s); }
ONCHIP_FN int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
ONCHIP_FN uint __umulhi(uint a, uint b) { return __nvvm_mulhi_ui(a, b); }
ONCHIP_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
ONCHIP_FN uint __float_as_uint(float x) { return __builtin_bit_cast(uint, x); }
ONCHIP_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
ONCHIP_FN float __uint_as_float(uint x) { return __builtin_bit_cast(float, x); }
ONCHIP_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
ONCHIP_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

// --- Read-only loads (ld.global.nc) ---------------------------------------------------------------------------------

#define ONCHIP_LDG(T, s) \
    ONCHIP_FN T __ldg(const T *p) { return __nvvm_ldg_##s(p); }
ONCHIP_LDG(char, c)
ONCHIP_LDG(uchar, uc)
ONCHIP_LDG(short, s)
ONCHIP_LDG(unsigned short, us)
ONCHIP_LDG(int, i)
ONCHIP_LDG(uint, ui)
ONCHIP_LDG(long long, ll)
ONCHIP_LDG(ulonglong, ull)
ONCHIP_LDG(float, f)
ONCHIP_LDG(double, d)
#define ONCHIP_LDG_VECTOR(T, n, s)                                     \
    ONCHIP_FN T##n __ldg(const T##n *p)                                \
    {                                                                  \
        typedef T V __attribute__((ext_vector_type(n)));               \
        return __builtin_bit_cast(T##n, __nvvm_ldg_##s((const V *)p)); \
    }
ONCHIP_LDG_VECTOR(int, 2, i2)
ONCHIP_LDG_VECTOR(int, 4, i4)
ONCHIP_LDG_VECTOR(uint, 2, ui2)
ONCHIP_LDG_VECTOR(uint, 4, ui4)
ONCHIP_LDG_VECTOR(float, 2, f2)
ONCHIP_LDG_VECTOR(float, 4, f4)
ONCHIP_LDG_VECTOR(double, 2, d2)

// --- Arithmetic -----------------------------------------------------------------------------------------------------

#define ONCHIP_MINMAX(T)                                \
    ONCHIP_FN T min(T a, T b) { return a < b ? a : b; } \
    ONCHIP_FN T max(T a, T b) { return a > b ? a : b; }
ONCHIP_MINMAX(int)
ONCHIP_MINMAX(uint)
ONCHIP_MINMAX(long long)
ONCHIP_MINMAX(ulonglong)
ONCHIP_FN uint min(int a, uint b) { return min((uint)a, b); }  // as CUDA: an unsigned side makes it unsigned
ONCHIP_FN uint min(uint a, int b) { return min(a, (uint)b); }
ONCHIP_FN uint max(int a, uint b) { return max((uint)a, b); }
ONCHIP_FN uint max(uint a, int b) { return max(a, (uint)b); }
ONCHIP_FN int abs(int x) { return x < 0 ? -x : x; }

ONCHIP_FN float fabsf(float x) { return __nvvm_fabs_f(x); }
ONCHIP_FN float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
ONCHIP_FN float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
ONCHIP_FN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
ONCHIP_FN float floorf(float x) { return __nvvm_floor_f(x); }
ONCHIP_FN float ceilf(float x) { return __nvvm_ceil_f(x); }
ONCHIP_FN float truncf(float x) { return __nvvm_trunc_f(x); }
ONCHIP_FN float rintf(float x) { return __builtin_rintf(x); }          // cvt.rni: halves to even
ONCHIP_FN float __saturatef(float x) { return __nvvm_saturate_f(x); }  // into [0, 1]; NaN is 0
ONCHIP_FN float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
ONCHIP_FN float min(float a, float b) { return fminf(a, b); }
ONCHIP_FN float max(float a, float b) { return fmaxf(a, b); }
ONCHIP_FN double fabs(double x) { return __nvvm_fabs_d(x); }
ONCHIP_FN double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
ONCHIP_FN double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
ONCHIP_FN double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
ONCHIP_FN double floor(double x) { return __nvvm_floor_d(x); }
ONCHIP_FN double ceil(double x) { return __nvvm_ceil_d(x); }
ONCHIP_FN double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
ONCHIP_FN double min(double a, double b) { return fmin(a, b); }
ONCHIP_FN double max(double a, double b) { return fmax(a, b); }

ONCHIP_FN float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }                // relative error 2^-22.4
ONCHIP_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }  // 2 ulp, 0 for b > 2^126
ONCHIP_FN float exp2f(float x) { return __nvvm_ex2_approx_f(x); }                   // relative error 2^-22
ONCHIP_FN float log2f(float x) { return __nvvm_lg2_approx_f(x); }  // 2^-22, relative away from 1, absolute near
ONCHIP_FN float logf(float x) { return log2f(x) * 0.693147181f; }  // like log2f
ONCHIP_FN float __powf(float x, float y)
{
    return exp2f(y * log2f(x));
}  // x > 0; relative error about |y·log2 x|·2^-23
ONCHIP_FN float __expf(float x) { return exp2f(x * 1.44269504f); }  // relative error about (2 + |x|)·2^-23
ONCHIP_FN float __logf(float x) { return logf(x); }
ONCHIP_FN float __sinf(float x) { return __nvvm_sin_approx_f(x); }  // absolute error 2^-20.5 within [-π, π]
ONCHIP_FN float __cosf(float x) { return __nvvm_cos_approx_f(x); }

// Relative error about 2^-21: the power of two is split off before rounding, so that the error doesn't grow with x. The
// clamps keep infinities from meeting each other.
ONCHIP_FN float expf(float x)
{
    float whole = fmaxf(fminf(floorf(x * 1.44269504f), 127.0f), -150.0f);
    float rest = fmaf(x, 1.44269502f, -whole) + x * 1.92596299e-8f;
    return exp2f(rest) * exp2f(whole);
}

// x >= 0 and no subnormal, y > 0. Relative error about 2^-21. log2(x) is found as a sum of two floats, so that its
// error, which y multiplies, is small: x is 2^whole·m, and log2(m) is 2/ln 2·artanh((m - 1)/(m + 1)), as a series.
ONCHIP_FN float powf(float x, float y)
{
    const float scale = 2.88539004f, scale_rest = 3.85192598e-8f;           // 2/ln 2
    const int bits = __float_as_int(x), whole = (bits - 0x3f3504f3) >> 23;  // m is between √½ and √2
    const float m = __int_as_float(bits - (whole << 23)), over = m - 1, under = m + 1, s = over / under;
    const float s_rest = fmaf(-s, m - (under - 1), fmaf(-s, under, over)) / under, s2 = s * s;
    const float series = s2 * fmaf(s2, fmaf(s2, fmaf(s2, 1 / 9.0f, 1 / 7.0f), 0.2f), 1 / 3.0f);
    const float high = s * scale, low = fmaf(s, scale, -high) + s * scale_rest + s_rest * scale + high * series;
    const float log = whole + high, log_rest = low + (high - (log - whole));
    const float power = fminf(fmaxf(y * log, -150), 129), steps = rintf(power);
    const float rest = power - steps + (fmaf(y, log, -power) + y * log_rest);
    return x > 0 ? exp2f(rest) * exp2f(steps) : 0;
}

ONCHIP_FN float tanhf(float x) { return 1.0f - 2.0f / (expf(2.0f * x) + 1.0f); }  // absolute error about 2^-21

// Absolute error 2^-20 for |x| up to some 10^4: x is first brought into [-π, π] with 2π in two parts.
ONCHIP_FN float onchip_reduce(float x)
{
    float turns = rintf(x * 0.159154943f);
    return fmaf(turns, 1.74845553e-7f, fmaf(turns, -6.28318548f, x));
}
ONCHIP_FN float sinf(float x) { return __sinf(onchip_reduce(x)); }
ONCHIP_FN float cosf(float x) { return __cosf(onchip_reduce(x)); }

#endif
