// cuda_overloads.h: what CUDA's headers have besides what the workloads need (cuda.h), and common programs use: vectors
// of all types, the overloads of min, max and the mathematical functions, and assert. Host code is only read, so host
// functions are declared and have no body.
#ifndef ONCHIP_CUDA_OVERLOADS_H
#define ONCHIP_CUDA_OVERLOADS_H

// --- vectors ---------------------------------------------------------------------------------------------------------
typedef unsigned short ushort;
typedef unsigned long ulong;
ONCHIP_VECTORS(short, 4, 8)
ONCHIP_VECTORS(ushort, 4, 8)
ONCHIP_VECTORS(long, 16, 16)
ONCHIP_VECTORS(ulong, 16, 16)
#define ONCHIP_MAKERS(T)                                \
    ONCHIP_FN T##1 make_##T##1(T x) { return {x}; }     \
    __host__ T##1 make_##T##1(T);                       \
    __host__ T##2 make_##T##2(T, T);                    \
    __host__ T##3 make_##T##3(T, T, T);                 \
    __host__ T##4 make_##T##4(T, T, T, T);
ONCHIP_MAKERS(char) ONCHIP_MAKERS(uchar) ONCHIP_MAKERS(short) ONCHIP_MAKERS(ushort)
ONCHIP_MAKERS(int) ONCHIP_MAKERS(uint) ONCHIP_MAKERS(long) ONCHIP_MAKERS(ulong)
ONCHIP_MAKERS(longlong) ONCHIP_MAKERS(ulonglong) ONCHIP_MAKERS(float) ONCHIP_MAKERS(double)
#undef ONCHIP_MAKERS

// --- min, max, abs: of two types in the larger one, and without a sign where one of them has none ----------------------
#define ONCHIP_HOST(R, A, B) \
    __host__ R min(A, B);    \
    __host__ R max(A, B);
#define ONCHIP_MIXED(R, A, B)                               \
    ONCHIP_FN R min(A a, B b) { return min((R)a, (R)b); }   \
    ONCHIP_FN R max(A a, B b) { return max((R)a, (R)b); }   \
    ONCHIP_HOST(R, A, B)
#define ONCHIP_BOTH(R, A, B) ONCHIP_MIXED(R, A, B) ONCHIP_MIXED(R, B, A)
ONCHIP_MINMAX(long)
ONCHIP_MINMAX(ulong)
ONCHIP_BOTH(ulong, ulong, long)
ONCHIP_BOTH(ulonglong, ulonglong, long long)
ONCHIP_BOTH(double, double, float)
ONCHIP_HOST(int, int, int) ONCHIP_HOST(uint, uint, uint) ONCHIP_HOST(uint, int, uint) ONCHIP_HOST(uint, uint, int)
ONCHIP_HOST(long, long, long) ONCHIP_HOST(ulong, ulong, ulong) ONCHIP_HOST(long long, long long, long long)
ONCHIP_HOST(ulonglong, ulonglong, ulonglong) ONCHIP_HOST(float, float, float) ONCHIP_HOST(double, double, double)
#undef ONCHIP_BOTH
#undef ONCHIP_MIXED
#undef ONCHIP_HOST
ONCHIP_FN long abs(long x) { return x < 0 ? -x : x; }
ONCHIP_FN long labs(long x) { return x < 0 ? -x : x; }
ONCHIP_FN long long abs(long long x) { return x < 0 ? -x : x; }
ONCHIP_FN long long llabs(long long x) { return x < 0 ? -x : x; }
ONCHIP_FN float abs(float x) { return fabsf(x); }
ONCHIP_FN double abs(double x) { return fabs(x); }

// --- more functions of floats ------------------------------------------------------------------------------------------
ONCHIP_FN float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
ONCHIP_FN float roundf(float x) { return truncf(x + copysignf(0.49999997f, x)); }  // halves away from 0
ONCHIP_FN float tanf(float x) { return sinf(x) / cosf(x); }
ONCHIP_FN float fmodf(float x, float y)  // exact while x / y is below 2^24
{
    const double whole = __nvvm_trunc_d((double)x / (double)y);
    return copysignf((float)__nvvm_fma_rn_d(-whole, y, x), x);
}
ONCHIP_FN void sincosf(float x, float *sine, float *cosine) { *sine = sinf(x), *cosine = cosf(x); }
ONCHIP_FN void __sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
// Of negative x, too (C17 F.10.4.4), with the errors of the function in cuda_math.h.
ONCHIP_FN float powf(float x, float y)
{
    const float size = fabsf(x), infinite = __builtin_inff();
    const bool whole = truncf(y) == y, odd = whole && truncf(y * 0.5f) * 2 != y;
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    if (fabsf(y) == infinite) return size == 1 ? 1 : (size > 1) == (y > 0) ? infinite : 0;
    float power = size == 0 ? 0 : size == infinite ? infinite : onchip_powf(size, fabsf(y));
    if (y < 0) power = 1 / power;
    if (x < 0 && !whole && size != infinite) return __builtin_nanf("");
    return odd ? copysignf(power, x) : power;
}

// --- of integers, and conversions that name how they round ------------------------------------------------------------
ONCHIP_FN int __mul24(int a, int b) { return (int)((uint)(a << 8 >> 8) * (uint)(b << 8 >> 8)); }
ONCHIP_FN uint __umul24(uint a, uint b) { return (a & 0xffffff) * (b & 0xffffff); }
ONCHIP_FN int __float2int_rn(float x) { return (int)rintf(x); }
ONCHIP_FN int __float2int_rz(float x) { return (int)x; }
ONCHIP_FN int __float2int_rd(float x) { return (int)floorf(x); }
ONCHIP_FN int __float2int_ru(float x) { return (int)ceilf(x); }
ONCHIP_FN uint __float2uint_rn(float x) { return (uint)rintf(x); }
ONCHIP_FN uint __float2uint_rz(float x) { return (uint)x; }
ONCHIP_FN float __int2float_rn(int x) { return (float)x; }
ONCHIP_FN float __uint2float_rn(uint x) { return (float)x; }

// --- functions of doubles: a few units in the last place ---------------------------------------------------------------
ONCHIP_FN double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
ONCHIP_FN double trunc(double x) { return __nvvm_trunc_d(x); }
ONCHIP_FN double rint(double x) { return __builtin_rint(x); }
ONCHIP_FN double round(double x) { return trunc(x + copysign(0.49999999999999994, x)); }
ONCHIP_FN double rsqrt(double x) { return 1 / sqrt(x); }
ONCHIP_FN double onchip_power_of_two(int n) { return __longlong_as_double((long long)(1023 + n) << 52); }
// e^x = 2^n·e^r with |r| <= ln 2 / 2, and e^r as its series.
ONCHIP_FN double exp(double x)
{
    if (x != x) return x;
    if (x > 709.782712893384) return __builtin_inf();
    if (x < -745.1332191019412) return 0;
    const double whole = rint(x * 1.4426950408889634);
    const double r = fma(whole, -1.9082149292705877e-10, fma(whole, -0.6931471803691238, x));
    double sum = 1, factorial[] = {13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    for (double k : factorial) sum = fma(sum, r / k, 1.0);
    const int n = (int)whole, half = n / 2;
    return sum * onchip_power_of_two(half) * onchip_power_of_two(n - half);
}
// ln x = n·ln 2 + ln m with m between √½ and √2, and ln m = 2·artanh((m - 1) / (m + 1)) as its series.
ONCHIP_FN double log(double x)
{
    if (x != x || x == __builtin_inf()) return x;
    if (x <= 0) return x < 0 ? __builtin_nan("") : -__builtin_inf();
    const bool small = x < 0x1p-1022;
    const long long bits = __double_as_longlong(small ? x * 0x1p54 : x), n = (bits - 0x3fe6a09e667f3bcd) >> 52;
    const double m = __longlong_as_double(bits - (n << 52)), s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int k = 23; k > 1; k -= 2) sum = fma(sum, s2, 1.0 / k);
    const double whole = (double)(n - (small ? 54 : 0)), rest = fma(2 * s * s2, sum, whole * 1.9082149292705877e-10);
    return fma(whole, 0.6931471803691238, 2 * s + rest);
}
ONCHIP_FN double log2(double x) { return log(x) * 1.4426950408889634; }
ONCHIP_FN double log10(double x) { return log(x) * 0.4342944819032518; }
ONCHIP_FN double exp2(double x) { return exp(x * 0.6931471805599453); }
// Sine and cosine of x - n·π/2, |x| up to 10^5 or so, as their series; then of x.
ONCHIP_FN void sincos(double x, double *sine, double *cosine)
{
    const double n = rint(x * 0.6366197723675814);
    const double r = fma(n, -6.123233995736766e-17, fma(n, -1.5707963267948966, x)), r2 = r * r;
    double s = 1, c = 1;
    for (double k : {272.0, 210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0}) s = fma(s, -r2 / k, 1.0);
    for (double k : {306.0, 240.0, 182.0, 132.0, 90.0, 56.0, 30.0, 12.0, 2.0}) c = fma(c, -r2 / k, 1.0);
    s *= r;
    const long long turn = (long long)n;
    *sine = turn & 1 ? c : s;
    *cosine = turn & 1 ? s : c;
    if (turn & 2) *sine = -*sine;
    if ((turn + 1) & 2) *cosine = -*cosine;
}
ONCHIP_FN double sin(double x)
{
    double s, c;
    return sincos(x, &s, &c), s;
}
ONCHIP_FN double cos(double x)
{
    double s, c;
    return sincos(x, &s, &c), c;
}
ONCHIP_FN double tan(double x)
{
    double s, c;
    return sincos(x, &s, &c), s / c;
}
ONCHIP_FN double tanh(double x)
{
    double fraction = 1;
    if (fabs(x) > 20) return copysign(1.0, x);
    if (fabs(x) > 0.5) return 1 - 2 / (exp(2 * x) + 1);
    for (double k : {17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) fraction = k + x * x / fraction;
    return x / fraction;
}
// Relative error about |y·ln x|·2^-53.
ONCHIP_FN double pow(double x, double y)
{
    const double size = fabs(x), infinite = __builtin_inf();
    const bool whole = trunc(y) == y, odd = whole && trunc(y * 0.5) * 2 != y;
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    if (fabs(y) == infinite) return size == 1 ? 1 : (size > 1) == (y > 0) ? infinite : 0;
    const double power = exp(y * log(size));
    if (x < 0 && !whole && size != infinite) return __builtin_nan("");
    return odd ? copysign(power, x) : power;
}
// By squaring: exact where every power of x on the way is.
ONCHIP_FN double pow(double x, int n)
{
    double power = 1;
    for (uint left = n < 0 ? 0u - (uint)n : (uint)n; left; left >>= 1, x *= x)
        if (left & 1) power *= x;
    return n < 0 ? 1 / power : power;
}

// --- functions of floats by their general names ------------------------------------------------------------------------
#define ONCHIP_OF_FLOAT(name) \
    ONCHIP_FN float name(float x) { return name##f(x); }
ONCHIP_OF_FLOAT(fabs) ONCHIP_OF_FLOAT(sqrt) ONCHIP_OF_FLOAT(rsqrt) ONCHIP_OF_FLOAT(floor) ONCHIP_OF_FLOAT(ceil)
ONCHIP_OF_FLOAT(trunc) ONCHIP_OF_FLOAT(rint) ONCHIP_OF_FLOAT(round) ONCHIP_OF_FLOAT(exp) ONCHIP_OF_FLOAT(exp2)
ONCHIP_OF_FLOAT(log) ONCHIP_OF_FLOAT(log2) ONCHIP_OF_FLOAT(sin) ONCHIP_OF_FLOAT(cos) ONCHIP_OF_FLOAT(tan)
ONCHIP_OF_FLOAT(tanh)
#undef ONCHIP_OF_FLOAT
ONCHIP_FN float log10f(float x) { return log2f(x) * 0.301029996f; }
ONCHIP_FN float pow(float x, float y) { return powf(x, y); }
ONCHIP_FN float pow(float x, int n) { return (float)pow((double)x, n); }
ONCHIP_FN float fmod(float x, float y) { return fmodf(x, y); }
ONCHIP_FN double pow(float x, double y) { return pow((double)x, y); }
ONCHIP_FN double pow(double x, float y) { return pow(x, (double)y); }
ONCHIP_FN double fmin(float x, double y) { return fmin((double)x, y); }
ONCHIP_FN double fmin(double x, float y) { return fmin(x, (double)y); }
ONCHIP_FN double fmax(float x, double y) { return fmax((double)x, y); }
ONCHIP_FN double fmax(double x, float y) { return fmax(x, (double)y); }
ONCHIP_FN float fma(float x, float y, float z) { return fmaf(x, y, z); }
ONCHIP_FN float fmin(float x, float y) { return fminf(x, y); }
ONCHIP_FN float fmax(float x, float y) { return fmaxf(x, y); }
ONCHIP_FN float copysign(float x, float sign) { return copysignf(x, sign); }

// --- memory, and what assert calls -------------------------------------------------------------------------------------
extern "C" __device__ void *malloc(size_t);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *what, const char *file, uint line, const char *function, size_t);
ONCHIP_FN void __assert_fail(const char *what, const char *file, uint line, const char *function)
{
    __assertfail(what, file, line, function, 1);
}

#endif
