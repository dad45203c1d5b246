// onchip/half_like.h: the classes and functions that half and bfloat16 share, for the one whose names the macros below
// give: ONCHIP_T and ONCHIP_T2 are the types, ONCHIP_RAW and ONCHIP_RAW2 plain structures of their bits, ONCHIP_N and
// ONCHIP_N2 put the type's name into a function's, ONCHIP_BITS names what is done to bits. Included once for each.
struct __attribute__((aligned(2))) ONCHIP_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) ONCHIP_RAW2 {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) ONCHIP_T {
    unsigned short onchip_x;

    ONCHIP_T() = default;
    ONCHIP_MEMBER constexpr ONCHIP_T(const ONCHIP_RAW &raw) : onchip_x(raw.x) {}
    ONCHIP_MEMBER ONCHIP_T &operator=(const ONCHIP_RAW &raw)
    {
        onchip_x = raw.x;
        return *this;
    }
    ONCHIP_MEMBER volatile ONCHIP_T &operator=(const ONCHIP_RAW &raw) volatile
    {
        onchip_x = raw.x;
        return *this;
    }
    ONCHIP_MEMBER constexpr operator ONCHIP_RAW() const { return ONCHIP_RAW{onchip_x}; }
    ONCHIP_MEMBER operator ONCHIP_RAW() const volatile { return ONCHIP_RAW{onchip_x}; }
#ifdef ONCHIP_CONVERSIONS
#define ONCHIP_FROM(F, as) \
    ONCHIP_MEMBER ONCHIP_T(const F v) : onchip_x(ONCHIP_BITS(of)((as)v, onchip_nearest)) {}
    ONCHIP_FROM(float, float)
    ONCHIP_FROM(double, double)
    ONCHIP_FROM(short, short)
    ONCHIP_FROM(unsigned short, unsigned short)
    ONCHIP_FROM(int, int)
    ONCHIP_FROM(unsigned, unsigned)
    ONCHIP_FROM(long, long long)
    ONCHIP_FROM(unsigned long, unsigned long long)
    ONCHIP_FROM(long long, long long)
    ONCHIP_FROM(unsigned long long, unsigned long long)
#undef ONCHIP_FROM
    ONCHIP_MEMBER operator float() const { return ONCHIP_BITS(wide)(onchip_x); }
    ONCHIP_MEMBER operator bool() const { return (onchip_x & 0x7fff) != 0; }
// By way of I, whose range is brought into that of T
#define ONCHIP_INTO(T, I)                                                      \
    ONCHIP_MEMBER operator T() const                                           \
    {                                                                          \
        I v;                                                                   \
        onchip_integer(v, ONCHIP_BITS(wide)(onchip_x), onchip_to_zero);        \
        return onchip_into<T>(v);                                              \
    }
    ONCHIP_INTO(char, int)
    ONCHIP_INTO(signed char, int)
    ONCHIP_INTO(unsigned char, int)
    ONCHIP_INTO(short, short)
    ONCHIP_INTO(unsigned short, unsigned short)
    ONCHIP_INTO(int, int)
    ONCHIP_INTO(unsigned, unsigned)
    ONCHIP_INTO(long, long long)
    ONCHIP_INTO(unsigned long, unsigned long long)
    ONCHIP_INTO(long long, long long)
    ONCHIP_INTO(unsigned long long, unsigned long long)
#undef ONCHIP_INTO
#endif
};

struct __attribute__((aligned(4))) ONCHIP_T2 {
    ONCHIP_T x, y;

    ONCHIP_T2() = default;
    ONCHIP_MEMBER constexpr ONCHIP_T2(const ONCHIP_T &a, const ONCHIP_T &b) : x(a), y(b) {}
    ONCHIP_MEMBER constexpr ONCHIP_T2(const ONCHIP_RAW2 &raw) : x(ONCHIP_RAW{raw.x}), y(ONCHIP_RAW{raw.y}) {}
    ONCHIP_MEMBER ONCHIP_T2 &operator=(const ONCHIP_RAW2 &raw)
    {
        x.onchip_x = raw.x, y.onchip_x = raw.y;
        return *this;
    }
    ONCHIP_MEMBER constexpr operator ONCHIP_RAW2() const { return ONCHIP_RAW2{x.onchip_x, y.onchip_x}; }
};

// --- bits ------------------------------------------------------------------------------------------------------------
ONCHIP_EITHER unsigned short onchip_bits_of(const ONCHIP_T a) { return a.onchip_x; }
ONCHIP_EITHER unsigned onchip_bits_of(const ONCHIP_T2 a) { return a.x.onchip_x | (unsigned)a.y.onchip_x << 16; }
ONCHIP_EITHER ONCHIP_T ONCHIP_N(onchip_, _of_bits)(unsigned short bits)
{
    ONCHIP_T r;
    r.onchip_x = bits;
    return r;
}
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(onchip_, _of_bits)(unsigned bits)
{
    ONCHIP_T2 r;
    r.x.onchip_x = (unsigned short)bits, r.y.onchip_x = (unsigned short)(bits >> 16);
    return r;
}
#define ONCHIP_OF(bits) ONCHIP_N(onchip_, _of_bits)((unsigned short)(bits))
#define ONCHIP_OF2(bits) ONCHIP_N2(onchip_, _of_bits)(bits)
#define ONCHIP_ROUNDED(v, r) ONCHIP_OF(ONCHIP_BITS(of)(v, r))
#define ONCHIP_WIDE(a) ONCHIP_BITS(wide)((a).onchip_x)

ONCHIP_EITHER short ONCHIP_N(__, _as_short)(const ONCHIP_T h) { return (short)h.onchip_x; }
ONCHIP_EITHER unsigned short ONCHIP_N(__, _as_ushort)(const ONCHIP_T h) { return h.onchip_x; }
ONCHIP_EITHER ONCHIP_T ONCHIP_N(__short_as_, )(const short i) { return ONCHIP_OF(i); }
ONCHIP_EITHER ONCHIP_T ONCHIP_N(__ushort_as_, )(const unsigned short i) { return ONCHIP_OF(i); }

// --- pairs, taken apart and put together -----------------------------------------------------------------------------
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(make_, )(const ONCHIP_T x, const ONCHIP_T y) { return ONCHIP_T2(x, y); }
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__halves2, )(const ONCHIP_T a, const ONCHIP_T b) { return ONCHIP_T2(a, b); }
ONCHIP_EITHER ONCHIP_T ONCHIP_N(__low2, )(const ONCHIP_T2 a) { return a.x; }
ONCHIP_EITHER ONCHIP_T ONCHIP_N(__high2, )(const ONCHIP_T2 a) { return a.y; }
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__low2, )(const ONCHIP_T2 a) { return ONCHIP_T2(a.x, a.x); }
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__high2, )(const ONCHIP_T2 a) { return ONCHIP_T2(a.y, a.y); }
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__lows2, )(const ONCHIP_T2 a, const ONCHIP_T2 b) { return ONCHIP_T2(a.x, b.x); }
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__highs2, )(const ONCHIP_T2 a, const ONCHIP_T2 b) { return ONCHIP_T2(a.y, b.y); }
ONCHIP_EITHER ONCHIP_T2 __lowhigh2highlow(const ONCHIP_T2 a) { return ONCHIP_T2(a.y, a.x); }

// --- conversions -----------------------------------------------------------------------------------------------------
ONCHIP_EITHER float ONCHIP_N(__, 2float)(const ONCHIP_T a) { return ONCHIP_WIDE(a); }
ONCHIP_EITHER float __low2float(const ONCHIP_T2 a) { return ONCHIP_WIDE(a.x); }
ONCHIP_EITHER float __high2float(const ONCHIP_T2 a) { return ONCHIP_WIDE(a.y); }
ONCHIP_EITHER float2 ONCHIP_N2(__, 2float2)(const ONCHIP_T2 a)
{
    float2 r;
    r.x = ONCHIP_WIDE(a.x), r.y = ONCHIP_WIDE(a.y);
    return r;
}
ONCHIP_EITHER ONCHIP_T ONCHIP_N(__float2, )(const float a) { return ONCHIP_ROUNDED(a, onchip_nearest); }
ONCHIP_EITHER ONCHIP_T ONCHIP_N(__double2, )(const double a) { return ONCHIP_ROUNDED(a, onchip_nearest); }
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__float2, _rn)(const float a)
{
    const ONCHIP_T h = ONCHIP_ROUNDED(a, onchip_nearest);
    return ONCHIP_T2(h, h);
}
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__floats2, _rn)(const float a, const float b)
{
    return ONCHIP_T2(ONCHIP_ROUNDED(a, onchip_nearest), ONCHIP_ROUNDED(b, onchip_nearest));
}
ONCHIP_EITHER ONCHIP_T2 ONCHIP_N2(__float22, _rn)(const float2 a)
{
    return ONCHIP_T2(ONCHIP_ROUNDED(a.x, onchip_nearest), ONCHIP_ROUNDED(a.y, onchip_nearest));
}
#define ONCHIP_FROM(T, name, how, r) \
    ONCHIP_EITHER ONCHIP_T ONCHIP_N(__##name##2, how)(const T v) { return ONCHIP_ROUNDED(v, r); }
#define ONCHIP_INTO(T, name, how, r)                             \
    ONCHIP_EITHER T ONCHIP_N(__, 2##name##how)(const ONCHIP_T h) \
    {                                                            \
        T v;                                                     \
        onchip_integer(v, ONCHIP_WIDE(h), r);                    \
        return v;                                                \
    }
#define ONCHIP_ROUNDINGS(ONE, T, name)     \
    ONE(T, name, _rn, onchip_nearest)      \
    ONE(T, name, _rz, onchip_to_zero)      \
    ONE(T, name, _rd, onchip_down)         \
    ONE(T, name, _ru, onchip_up)
#define ONCHIP_CONVERT(T, name) ONCHIP_ROUNDINGS(ONCHIP_FROM, T, name) ONCHIP_ROUNDINGS(ONCHIP_INTO, T, name)
ONCHIP_ROUNDINGS(ONCHIP_FROM, float, float)
ONCHIP_CONVERT(short, short)
ONCHIP_CONVERT(unsigned short, ushort)
ONCHIP_CONVERT(int, int)
ONCHIP_CONVERT(unsigned, uint)
ONCHIP_CONVERT(long long, ll)
ONCHIP_CONVERT(unsigned long long, ull)
#undef ONCHIP_CONVERT
#undef ONCHIP_ROUNDINGS
#undef ONCHIP_INTO
#undef ONCHIP_FROM
#define ONCHIP_INTO(T, name)                                     \
    ONCHIP_EITHER T ONCHIP_N(__, 2##name##_rz)(const ONCHIP_T h) \
    {                                                            \
        int v;                                                   \
        onchip_integer(v, ONCHIP_WIDE(h), onchip_to_zero);       \
        return onchip_into<T>(v);                                \
    }
ONCHIP_INTO(signed char, char)
ONCHIP_INTO(unsigned char, uchar)
#undef ONCHIP_INTO

// --- arithmetic ------------------------------------------------------------------------------------------------------
#define ONCHIP_2(name, name2, op)                                                                             \
    ONCHIP_EITHER ONCHIP_T name(const ONCHIP_T a, const ONCHIP_T b)                                           \
    {                                                                                                         \
        return ONCHIP_OF(ONCHIP_BITS(op)(a.onchip_x, b.onchip_x));                                            \
    }                                                                                                         \
    ONCHIP_EITHER ONCHIP_T2 name2(const ONCHIP_T2 a, const ONCHIP_T2 b)                                       \
    {                                                                                                         \
        return ONCHIP_OF2(ONCHIP_BITS(op##2)(onchip_bits_of(a), onchip_bits_of(b)));                          \
    }
#define ONCHIP_3(name, name2, op)                                                                             \
    ONCHIP_EITHER ONCHIP_T name(const ONCHIP_T a, const ONCHIP_T b, const ONCHIP_T c)                         \
    {                                                                                                         \
        return ONCHIP_OF(ONCHIP_BITS(op)(a.onchip_x, b.onchip_x, c.onchip_x));                                \
    }                                                                                                         \
    ONCHIP_EITHER ONCHIP_T2 name2(const ONCHIP_T2 a, const ONCHIP_T2 b, const ONCHIP_T2 c)                    \
    {                                                                                                         \
        return ONCHIP_OF2(ONCHIP_BITS(op##2)(onchip_bits_of(a), onchip_bits_of(b), onchip_bits_of(c)));       \
    }
ONCHIP_2(__hadd, __hadd2, add)
ONCHIP_2(__hsub, __hsub2, sub)
ONCHIP_2(__hmul, __hmul2, mul)
ONCHIP_2(__hadd_rn, __hadd2_rn, add_rn)
ONCHIP_2(__hsub_rn, __hsub2_rn, sub_rn)
ONCHIP_2(__hmul_rn, __hmul2_rn, mul_rn)
ONCHIP_2(__hadd_sat, __hadd2_sat, add_sat)
ONCHIP_2(__hsub_sat, __hsub2_sat, sub_sat)
ONCHIP_2(__hmul_sat, __hmul2_sat, mul_sat)
ONCHIP_2(__hmin, __hmin2, min)
ONCHIP_2(__hmax, __hmax2, max)
ONCHIP_2(__hmin_nan, __hmin2_nan, min_nan)
ONCHIP_2(__hmax_nan, __hmax2_nan, max_nan)
ONCHIP_3(__hfma, __hfma2, fma)
ONCHIP_3(__hfma_sat, __hfma2_sat, fma_sat)
ONCHIP_3(__hfma_relu, __hfma2_relu, fma_relu)
#undef ONCHIP_3
#undef ONCHIP_2
ONCHIP_EITHER ONCHIP_T __hdiv(const ONCHIP_T a, const ONCHIP_T b)
{
    return ONCHIP_ROUNDED(ONCHIP_WIDE(a) / ONCHIP_WIDE(b), onchip_nearest);
}
ONCHIP_EITHER ONCHIP_T2 __h2div(const ONCHIP_T2 a, const ONCHIP_T2 b)
{
    return ONCHIP_T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
ONCHIP_EITHER ONCHIP_T __hneg(const ONCHIP_T a) { return ONCHIP_OF(a.onchip_x ^ 0x8000); }
ONCHIP_EITHER ONCHIP_T2 __hneg2(const ONCHIP_T2 a) { return ONCHIP_OF2(onchip_bits_of(a) ^ 0x80008000); }
ONCHIP_EITHER ONCHIP_T __habs(const ONCHIP_T a) { return ONCHIP_OF(a.onchip_x & 0x7fff); }
ONCHIP_EITHER ONCHIP_T2 __habs2(const ONCHIP_T2 a) { return ONCHIP_OF2(onchip_bits_of(a) & 0x7fff7fff); }
// a · b + c of complex numbers, the real part first
ONCHIP_EITHER ONCHIP_T2 __hcmadd(const ONCHIP_T2 a, const ONCHIP_T2 b, const ONCHIP_T2 c)
{
    const ONCHIP_T2 some = __hfma2(ONCHIP_T2(a.x, a.x), b, c);
    return __hfma2(ONCHIP_T2(a.y, a.y), ONCHIP_T2(__hneg(b.y), b.x), some);
}

// --- comparisons: with a u, true if one is a NaN ---------------------------------------------------------------------
#define ONCHIP_COMPARE(op)                                                                                    \
    ONCHIP_EITHER bool __h##op(const ONCHIP_T a, const ONCHIP_T b)                                            \
    {                                                                                                         \
        return ONCHIP_BITS(op)(a.onchip_x, b.onchip_x);                                                       \
    }                                                                                                         \
    ONCHIP_EITHER bool __hb##op##2(const ONCHIP_T2 a, const ONCHIP_T2 b)                                      \
    {                                                                                                         \
        return __h##op(a.x, b.x) && __h##op(a.y, b.y);                                                        \
    }                                                                                                         \
    ONCHIP_EITHER ONCHIP_T2 __h##op##2(const ONCHIP_T2 a, const ONCHIP_T2 b)                                  \
    {                                                                                                         \
        const unsigned one = ONCHIP_ONE, low = __h##op(a.x, b.x) ? one : 0;                                   \
        return ONCHIP_OF2(low | (__h##op(a.y, b.y) ? one << 16 : 0));                                         \
    }                                                                                                         \
    ONCHIP_EITHER unsigned __h##op##2_mask(const ONCHIP_T2 a, const ONCHIP_T2 b)                              \
    {                                                                                                         \
        return (__h##op(a.x, b.x) ? 0xffffu : 0) | (__h##op(a.y, b.y) ? 0xffff0000u : 0);                     \
    }
ONCHIP_COMPARE(eq)
ONCHIP_COMPARE(ne)
ONCHIP_COMPARE(lt)
ONCHIP_COMPARE(le)
ONCHIP_COMPARE(gt)
ONCHIP_COMPARE(ge)
ONCHIP_COMPARE(equ)
ONCHIP_COMPARE(neu)
ONCHIP_COMPARE(ltu)
ONCHIP_COMPARE(leu)
ONCHIP_COMPARE(gtu)
ONCHIP_COMPARE(geu)
#undef ONCHIP_COMPARE
ONCHIP_EITHER bool __hisnan(const ONCHIP_T a) { return (a.onchip_x & 0x7fff) > ONCHIP_INFINITY; }
ONCHIP_EITHER int __hisinf(const ONCHIP_T a)
{
    return a.onchip_x == ONCHIP_INFINITY ? 1 : a.onchip_x == (ONCHIP_INFINITY | 0x8000) ? -1 : 0;
}
ONCHIP_EITHER ONCHIP_T2 __hisnan2(const ONCHIP_T2 a)
{
    const unsigned one = ONCHIP_ONE, low = __hisnan(a.x) ? one : 0;
    return ONCHIP_OF2(low | (__hisnan(a.y) ? one << 16 : 0));
}

#define ONCHIP_OPERATOR(T, op, f)                                                                             \
    ONCHIP_EITHER T operator op(const T &a, const T &b) { return f(a, b); }                                   \
    ONCHIP_EITHER T &operator op##=(T &a, const T &b) { return a = f(a, b); }
#define ONCHIP_STEP(T, op, f, one)                                                                            \
    ONCHIP_EITHER T &operator op(T &a) { return a = f(a, one); }                                              \
    ONCHIP_EITHER T operator op(T &a, int)                                                                    \
    {                                                                                                         \
        const T was = a;                                                                                      \
        a = f(a, one);                                                                                        \
        return was;                                                                                           \
    }
#define ONCHIP_COMPARE(T, op, f) \
    ONCHIP_EITHER bool operator op(const T &a, const T &b) { return f(a, b); }
#ifdef ONCHIP_OPERATORS
ONCHIP_OPERATOR(ONCHIP_T, +, __hadd)
ONCHIP_OPERATOR(ONCHIP_T, -, __hsub)
ONCHIP_OPERATOR(ONCHIP_T, *, __hmul)
ONCHIP_OPERATOR(ONCHIP_T, /, __hdiv)
ONCHIP_STEP(ONCHIP_T, ++, __hadd, ONCHIP_OF(ONCHIP_ONE))
ONCHIP_STEP(ONCHIP_T, --, __hsub, ONCHIP_OF(ONCHIP_ONE))
ONCHIP_EITHER ONCHIP_T operator+(const ONCHIP_T &a) { return a; }
ONCHIP_EITHER ONCHIP_T operator-(const ONCHIP_T &a) { return __hneg(a); }
ONCHIP_COMPARE(ONCHIP_T, ==, __heq)
ONCHIP_COMPARE(ONCHIP_T, !=, __hneu)
ONCHIP_COMPARE(ONCHIP_T, <, __hlt)
ONCHIP_COMPARE(ONCHIP_T, <=, __hle)
ONCHIP_COMPARE(ONCHIP_T, >, __hgt)
ONCHIP_COMPARE(ONCHIP_T, >=, __hge)
#endif
#ifdef ONCHIP_OPERATORS2
ONCHIP_OPERATOR(ONCHIP_T2, +, __hadd2)
ONCHIP_OPERATOR(ONCHIP_T2, -, __hsub2)
ONCHIP_OPERATOR(ONCHIP_T2, *, __hmul2)
ONCHIP_OPERATOR(ONCHIP_T2, /, __h2div)
ONCHIP_STEP(ONCHIP_T2, ++, __hadd2, ONCHIP_OF2(ONCHIP_ONE * 0x10001u))
ONCHIP_STEP(ONCHIP_T2, --, __hsub2, ONCHIP_OF2(ONCHIP_ONE * 0x10001u))
ONCHIP_EITHER ONCHIP_T2 operator+(const ONCHIP_T2 &a) { return a; }
ONCHIP_EITHER ONCHIP_T2 operator-(const ONCHIP_T2 &a) { return __hneg2(a); }
ONCHIP_COMPARE(ONCHIP_T2, ==, __hbeq2)
ONCHIP_COMPARE(ONCHIP_T2, !=, !__hbeq2)
ONCHIP_COMPARE(ONCHIP_T2, <, __hblt2)
ONCHIP_COMPARE(ONCHIP_T2, <=, __hble2)
ONCHIP_COMPARE(ONCHIP_T2, >, __hbgt2)
ONCHIP_COMPARE(ONCHIP_T2, >=, __hbge2)
#endif
#undef ONCHIP_COMPARE
#undef ONCHIP_STEP
#undef ONCHIP_OPERATOR

#ifdef __CUDA__
// --- mathematical functions, of the device ---------------------------------------------------------------------------
#define ONCHIP_MATH(name, f)                                                                                  \
    ONCHIP_FN ONCHIP_T h##name(const ONCHIP_T a) { return ONCHIP_ROUNDED(f(ONCHIP_WIDE(a)), onchip_nearest); } \
    ONCHIP_FN ONCHIP_T2 h2##name(const ONCHIP_T2 a) { return ONCHIP_T2(h##name(a.x), h##name(a.y)); }
ONCHIP_MATH(ceil, __builtin_ceilf)
ONCHIP_MATH(floor, __builtin_floorf)
ONCHIP_MATH(trunc, __builtin_truncf)
ONCHIP_MATH(rint, __builtin_rintf)
ONCHIP_MATH(sqrt, __fsqrt_rn)
ONCHIP_MATH(rsqrt, onchip_rsqrt)
ONCHIP_MATH(rcp, __frcp_rn)
ONCHIP_MATH(exp, onchip_exp)
ONCHIP_MATH(exp2, onchip_ex2)
ONCHIP_MATH(exp10, onchip_exp10)
ONCHIP_MATH(log, onchip_log)
ONCHIP_MATH(log2, onchip_log2)
ONCHIP_MATH(log10, onchip_log10)
ONCHIP_MATH(sin, onchip_half_sin)
ONCHIP_MATH(cos, onchip_half_cos)
ONCHIP_MATH(tanh, onchip_half_tanh)
#undef ONCHIP_MATH

// --- shuffles, and loads and stores with a hint ----------------------------------------------------------------------
#define ONCHIP_SHUFFLE(name, lane)                                                                            \
    ONCHIP_FN ONCHIP_T name(const unsigned mask, const ONCHIP_T var, const lane b, const int width = 32)      \
    {                                                                                                         \
        return ONCHIP_OF(name(mask, (unsigned)var.onchip_x, b, width));                                       \
    }                                                                                                         \
    ONCHIP_FN ONCHIP_T2 name(const unsigned mask, const ONCHIP_T2 var, const lane b, const int width = 32)    \
    {                                                                                                         \
        return ONCHIP_OF2(name(mask, onchip_bits_of(var), b, width));                                         \
    }
ONCHIP_SHUFFLE(__shfl_sync, int)
ONCHIP_SHUFFLE(__shfl_up_sync, unsigned)
ONCHIP_SHUFFLE(__shfl_down_sync, unsigned)
ONCHIP_SHUFFLE(__shfl_xor_sync, int)
#undef ONCHIP_SHUFFLE
#define ONCHIP_LOAD(name)                                                                                     \
    ONCHIP_FN ONCHIP_T name(const ONCHIP_T *const ptr) { return ONCHIP_OF(name((const unsigned short *)ptr)); } \
    ONCHIP_FN ONCHIP_T2 name(const ONCHIP_T2 *const ptr) { return ONCHIP_OF2(name((const unsigned *)ptr)); }
ONCHIP_LOAD(__ldg)
ONCHIP_LOAD(__ldcg)
ONCHIP_LOAD(__ldca)
ONCHIP_LOAD(__ldcs)
ONCHIP_LOAD(__ldlu)
ONCHIP_LOAD(__ldcv)
#undef ONCHIP_LOAD
#define ONCHIP_STORE(name)                                                                                    \
    ONCHIP_FN void name(ONCHIP_T *const ptr, const ONCHIP_T value) { name((unsigned short *)ptr, value.onchip_x); } \
    ONCHIP_FN void name(ONCHIP_T2 *const ptr, const ONCHIP_T2 value) { name((unsigned *)ptr, onchip_bits_of(value)); }
ONCHIP_STORE(__stwb)
ONCHIP_STORE(__stcg)
ONCHIP_STORE(__stcs)
ONCHIP_STORE(__stwt)
#undef ONCHIP_STORE
#endif

#undef ONCHIP_WIDE
#undef ONCHIP_ROUNDED
#undef ONCHIP_OF2
#undef ONCHIP_OF
#undef ONCHIP_OPERATORS2
#undef ONCHIP_OPERATORS
#undef ONCHIP_CONVERSIONS
#undef ONCHIP_INFINITY
#undef ONCHIP_ONE
#undef ONCHIP_N2
#undef ONCHIP_N
#undef ONCHIP_BITS
#undef ONCHIP_RAW2
#undef ONCHIP_RAW
#undef ONCHIP_T2
#undef ONCHIP_T
