// exact: what the CUDA Math API has without an error: parts and roundings of numbers, arithmetic and conversions in
// each rounding mode, and integers in a word, beside the host's C library, its rounding modes, and plain C.
#include "../../programs/check.cuh"

#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

static std::mt19937_64 engine(21);
enum { N = 4096 };

template <class T> static T any()  // of any size; every fourth is special, whole, or a half
{
    typedef std::numeric_limits<T> L;
    static const T special[] = {0, 1, 2, L::denorm_min(), L::min(), L::max(), L::infinity(), L::quiet_NaN(),
                                T(.5), T(1.5), T(2147483648.), T(9223372036854775808.), L::min() - L::denorm_min()};
    const T sign = engine() & 1 ? -1 : 1;
    switch (engine() % 8) {
    case 0: return sign * special[engine() % 13];
    case 1: return sign * T(engine() % 64) / 2;
    case 2: return sign * T(engine() >> 32) / 1024;
    }
    const uint64_t bits = engine();
    T x;
    return memcpy(&x, &bits, sizeof x), x;
}
template <class T> static bool same(T a, T b)
{
    return a != a || b != b ? a != a && b != b : a == b && std::signbit(a) == std::signbit(b);
}
static void tell(const char *what, double x, double y, double got, double right)
{
    static int told;
    if (told++ < 12) printf("%s of (%.17g, %.17g): %.17g, not %.17g\n", what, x, y, got, right);
    wrong++;
}

// --- one text, on the device and on the host ------------------------------------------------------------------------
#define VALUES(F)                                                                                                   \
    F(ceil(x)) F(floor(x)) F(trunc(x)) F(round(x)) F(rint(x)) F(nearbyint(x)) F(fabs(x)) F(copysign(x, y))          \
    F(x != y ? fmax(x, y) : x) F(x != y ? fmin(x, y) : x) F(fdim(x, y)) F(fmod(x, y)) F(remainder(x, y) + (T)0)     \
    F(remquo(x, y, &q)) F(fma(x, y, z)) F(nextafter(x, y)) F(logb(x)) F(sqrt(x)) F(ldexp(x, n)) F(scalbn(x, n))     \
    F(scalbln(x, (long)n)) F(frexp(x, &q)) F(modf(x, &whole)) F((modf(x, &whole), whole)) F(x / y) F(x * y) F(x - y) \
    F(std::fmod(x, y)) F(std::abs(x)) F(std::ldexp(x, n)) F(std::hypot(x, (T)0))
#define WHOLES(F)                                                                                                   \
    F(ilogb(x)) F(lrint(in)) F(llrint(in)) F(lround(in)) F(llround(in)) F((q = 0, frexp(in, &q), q))                \
    F(x == x && y == y && y != 0 && !isinf(x) ? (remquo(x, y, &q), (q & 7) * (q < 0 ? -1 : 1)) : 0)                 \
    F((bool)isnan(x)) F((bool)isinf(x)) F((bool)isfinite(x)) F((bool)signbit(x)) F((int)in) F((unsigned)(in * in))
#define COUNT(e) +1
enum { VALUE = 0 VALUES(COUNT), WHOLE = 0 WHOLES(COUNT) };
#define NAME(e) #e,
static const char *const value_names[] = {VALUES(NAME)}, *const whole_names[] = {WHOLES(NAME)};

template <class T> __host__ __device__ void each(T x, T y, T z, int n, T *value, long long *number)
{
    int q = 0;
    T whole;
    const T in = fabs(x) < 30000 ? x : (T)7;
#define PUT(e) *value++ = (T)(e);
    VALUES(PUT)
#undef PUT
#define PUT(e) *number++ = (long long)(e);
    WHOLES(PUT)
#undef PUT
}
template <class T> __global__ void run(const T *x, const int *n, T *value, long long *number)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    each(x[3 * k], x[3 * k + 1], x[3 * k + 2], n[k], value + VALUE * k, number + WHOLE * k);
}
template <class T> static void parts()
{
    T *x = shared_array<T>(3 * N), *value = shared_array<T>(VALUE * N);
    long long *number = shared_array<long long>(WHOLE * N);
    int *n = shared_array<int>(N);
    for (int k = 0; k < 3 * N; k++) x[k] = any<T>();
    for (int k = 0; k < N; k++) {
        n[k] = (int)(engine() % 300) - 150;
        if (k % 7 == 0) n[k] *= 20;
        if (k % 3 == 0) x[3 * k + 1] = x[3 * k] * (T)((double)(engine() >> 40) * 0x1p-20);
    }
    run<<<N / 128, 128>>>(x, n, value, number);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {
        T right[VALUE];
        long long whole[WHOLE];
        each(x[3 * k], x[3 * k + 1], x[3 * k + 2], n[k], right, whole);
        for (int i = 0; i < VALUE; i++)
            if (!same(value[VALUE * k + i], right[i]))
                tell(value_names[i], x[3 * k], x[3 * k + 1], value[VALUE * k + i], right[i]);
        for (int i = 0; i < WHOLE; i++)
            if (number[WHOLE * k + i] != whole[i])
                tell(whole_names[i], x[3 * k], x[3 * k + 1], number[WHOLE * k + i], whole[i]);
    }
}

// --- rounding modes -------------------------------------------------------------------------------------------------
// F(mode, the device's expression, the host's): of a, b, c, floats, d, e, f, doubles, and i, u, l, v, integers
template <class T> static T fused(T a, T b, T c) { return std::fma(a, b, c); }
template <class I, class T> static I limited(T x)  // to an integer, in the mode that is set
{
    const volatile T r = std::nearbyint(x);
    const I low = std::numeric_limits<I>::min(), high = std::numeric_limits<I>::max();
    return r != r ? 0 : r <= (T)low ? low : r >= (T)high ? high : (I)r;
}
template <class I, class T> __device__ I whole(I i, T x) { return x == x ? i : 0; }
__host__ __device__ uint64_t bits(double x) { return x == x ? __builtin_bit_cast(uint64_t, x) : ~0ull; }
__host__ __device__ uint64_t bits(float x) { return bits((double)x); }
template <class I> __host__ __device__ uint64_t bits(I x) { return (uint64_t)x; }
#define ROUNDED(F, m)                                                                                               \
    F(m, __fadd_##m(a, b), a + b) F(m, __fsub_##m(a, b), a - b) F(m, __fmul_##m(a, b), a * b)                       \
    F(m, __fdiv_##m(a, b), a / b) F(m, __fmaf_##m(a, b, c), fused(a, b, c)) F(m, __frcp_##m(a), 1 / a)              \
    F(m, __fsqrt_##m(a), std::sqrt(a)) F(m, __dadd_##m(d, e), d + e) F(m, __dsub_##m(d, e), d - e)                  \
    F(m, __dmul_##m(d, e), d * e) F(m, __ddiv_##m(d, e), d / e) F(m, __fma_##m(d, e, f), fused(d, e, f))            \
    F(m, __drcp_##m(d), 1 / d) F(m, __dsqrt_##m(d), std::sqrt(d)) F(m, __double2float_##m(d), (float)d)             \
    F(m, __int2float_##m(i), (float)i) F(m, __uint2float_##m(u), (float)u) F(m, __ll2float_##m(l), (float)l)        \
    F(m, __ull2float_##m(v), (float)v) F(m, __ll2double_##m(l), (double)l)                                          \
    F(m, __ull2double_##m(v), v ? (double)v : 0.)                                                                   \
    F(m, whole(__float2int_##m(a), a), limited<int>(a)) F(m, whole(__float2uint_##m(a), a), limited<unsigned>(a)) \
    F(m, whole(__float2ll_##m(a), a), limited<long long>(a))                                                   \
    F(m, whole(__float2ull_##m(a), a), limited<unsigned long long>(a))                                         \
    F(m, whole(__double2int_##m(d), d), limited<int>(d))                                                       \
    F(m, whole(__double2uint_##m(d), d), limited<unsigned>(d))                                                 \
    F(m, whole(__double2ll_##m(d), d), limited<long long>(d))                                                  \
    F(m, whole(__double2ull_##m(d), d), limited<unsigned long long>(d))
#define ALL_ROUNDED(F) ROUNDED(F, rn) ROUNDED(F, rz) ROUNDED(F, ru) ROUNDED(F, rd)
#define COUNT3(m, device, host) +1
#define NAME3(m, device, host) #device,
enum { ROUND = 0 ALL_ROUNDED(COUNT3) };
static const char *const round_names[] = {ALL_ROUNDED(NAME3)};
struct Operands {
    float a, b, c;
    double d, e, f;
    int i;
    unsigned u;
    long long l;
    unsigned long long v;
};
__global__ void round_all(const Operands *all, uint64_t *out)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const Operands o = all[k];
    const float a = o.a, b = o.b, c = o.c;
    const double d = o.d, e = o.e, f = o.f;
    const int i = o.i;
    const unsigned u = o.u;
    const long long l = o.l;
    const unsigned long long v = o.v;
    out += ROUND * k;
#define PUT(m, device, host) *out++ = bits(device);
    ALL_ROUNDED(PUT)
#undef PUT
}
enum { rn = FE_TONEAREST, rz = FE_TOWARDZERO, ru = FE_UPWARD, rd = FE_DOWNWARD };
static void modes()
{
    Operands *all = shared_array<Operands>(N);
    uint64_t *out = shared_array<uint64_t>(ROUND * N);
    for (int k = 0; k < N; k++) {
        const unsigned long long v = engine() >> engine() % 64;
        all[k] = {any<float>(), any<float>(), any<float>(), any<double>(), any<double>(), any<double>(), (int)v,
                  (unsigned)v, (long long)v, v};
        if (k % 2)
            all[k].b = all[k].a * (float)((double)(engine() >> 40) * 0x1p-22),
            all[k].e = all[k].d * (double)(engine() >> 11) * 0x1p-52;
        if (k % 4 == 1) all[k].d = all[k].a + all[k].e * 1e-30;
    }
    round_all<<<N / 128, 128>>>(all, out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {
        volatile Operands o;
        memcpy((void *)&o, &all[k], sizeof o);
        const volatile float &a = o.a, &b = o.b, &c = o.c;
        const volatile double &d = o.d, &e = o.e, &f = o.f;
        const volatile int &i = o.i;
        const volatile unsigned &u = o.u;
        const volatile long long &l = o.l;
        const volatile unsigned long long &v = o.v;
        volatile uint64_t right[ROUND];
        int n = 0;
#define PUT(m, device, host)                                                                                        \
    fesetround(m);                                                                                                  \
    right[n++] = bits(host);
        ALL_ROUNDED(PUT)
#undef PUT
        fesetround(FE_TONEAREST);
        for (n = 0; n < ROUND; n++)
            if (out[ROUND * k + n] != right[n])
                tell(round_names[n], a, d, (double)out[ROUND * k + n], (double)right[n]);
    }
}

// --- integers in a word ---------------------------------------------------------------------------------------------
// F(name, lanes' sign, of a lane's a and b the result); w is a lane's width, top its largest value.
#define LANES(F)                                                                                                    \
    F(vadd, u, a + b) F(vaddss, s, limit(a + b, -top - 1, top)) F(vaddus, u, limit(a + b, 0, top)) F(vsub, u, a - b) \
    F(vsubss, s, limit(a - b, -top - 1, top)) F(vsubus, u, limit(a - b, 0, top)) F(vavgu, u, (a + b + 1) >> 1)      \
    F(vavgs, s, (a + b + (a + b >= 0)) >> 1) F(vhaddu, u, (a + b) >> 1) F(vmaxs, s, a > b ? a : b)                  \
    F(vmaxu, u, a > b ? a : b) F(vmins, s, a < b ? a : b) F(vminu, u, a < b ? a : b)                                \
    F(vabsdiffs, s, a > b ? a - b : b - a) F(vabsdiffu, u, a > b ? a - b : b - a)                                   \
    F(vcmpeq, u, -(a == b)) F(vcmpne, u, -(a != b)) F(vcmpges, s, -(a >= b)) F(vcmpgeu, u, -(a >= b))               \
    F(vcmpgts, s, -(a > b)) F(vcmpgtu, u, -(a > b)) F(vcmples, s, -(a <= b)) F(vcmpleu, u, -(a <= b))               \
    F(vcmplts, s, -(a < b)) F(vcmpltu, u, -(a < b)) F(vseteq, u, a == b) F(vsetne, u, a != b)                       \
    F(vsetges, s, a >= b) F(vsetgeu, u, a >= b) F(vsetgts, s, a > b) F(vsetgtu, u, a > b) F(vsetles, s, a <= b)     \
    F(vsetleu, u, a <= b) F(vsetlts, s, a < b) F(vsetltu, u, a < b)
#define LANES_OF_ONE(F)                                                                                             \
    F(vabs, s, a < 0 ? -a : a) F(vabsss, s, limit(a < 0 ? -a : a, 0, top)) F(vneg, s, -a)                           \
    F(vnegss, s, limit(-a, -top - 1, top))
// words: F(the device's expression, plain C)
typedef long long L;
typedef unsigned long long U;
#define WORDS(F)                                                                                                    \
    F(__vsads2(a, b), apart(a, b, 16, true)) F(__vsadu2(a, b), apart(a, b, 16, false))                              \
    F(__vsads4(a, b), apart(a, b, 8, true)) F(__vsadu4(a, b), apart(a, b, 8, false))                                \
    F(__sad(i, j, c), (unsigned)(i > j ? (L)i - j : (L)j - i) + c) F(__usad(a, b, c), (a > b ? a - b : b - a) + c)  \
    F(__mulhi(i, j), (L)i * j >> 32) F(__umulhi(a, b), (U)a * b >> 32) F(__hadd(i, j), ((L)i + j) >> 1)             \
    F(__rhadd(i, j), ((L)i + j + 1) >> 1) F(__uhadd(a, b), ((U)a + b) >> 1) F(__urhadd(a, b), ((U)a + b + 1) >> 1)  \
    F(__mul24(i, j), (L)(i << 8 >> 8) * (j << 8 >> 8)) F(__umul24(a, b), (U)(a & 0xffffff) * (b & 0xffffff))        \
    F(__mul64hi(l, m) >> 7, (L)((__int128)l * m >> 71)) F(__umul64hi(l, m) >> 7, (unsigned __int128)(U)l * (U)m >> 71) \
    F(__popc(a) + __popcll(l), __builtin_popcount(a) + __builtin_popcountll(l))                                     \
    F(__clz(i), i ? __builtin_clz(i) : 32) F(__ffs(i), __builtin_ffs(i)) F(__brev(a), turned(a))                    \
    F(__brevll(l) >> 32, turned((unsigned)l)) F(__funnelshift_l(a, b, c), ((U)b << 32 | a) << (c & 31) >> 32)       \
    F(__funnelshift_r(a, b, c), ((U)b << 32 | a) >> (c & 31))                                                       \
    F(__funnelshift_lc(a, b, c & 63), (c & 63) >= 32 ? a : ((U)b << 32 | a) << (c & 63) >> 32)                      \
    F(__funnelshift_rc(a, b, c & 63), (c & 63) >= 32 ? b : ((U)b << 32 | a) >> (c & 63))                            \
    F(__byte_perm(a, b, c), permuted(a, b, c)) F(__dp4a(i, j, (int)c), dot(a, b, 8, 8, 0, true) + c)                \
    F(__dp4a(a, b, c), dot(a, b, 8, 8, 0, false) + c) F(__dp2a_lo(i, j, (int)c), dot(a, b, 16, 8, 0, true) + c)     \
    F(__dp2a_hi(i, j, (int)c), dot(a, b, 16, 8, 16, true) + c) F(__dp2a_lo(a, b, c), dot(a, b, 16, 8, 0, false) + c) \
    F(__dp2a_hi(a, b, c), dot(a, b, 16, 8, 16, false) + c) F(__viaddmax_s32(i, j, (int)c), most((int)(a + b), (int)c)) \
    F(__nv_bswap32(a) ^ __nv_bswap16((unsigned short)b) ^ __nv_bswap64(c),                                          \
      permuted(a, a, 0x0123) ^ permuted(b & 0xffff, 0, 0x4401))                                                     \
    F(__viaddmin_u32(a, b, c), least(a + b, c)) F(__vimax3_s32(i, j, (int)c), most(most(i, j), (int)c))             \
    F(__vimin3_u32(a, b, c), least(least(a, b), c)) F(__vimax_s32_relu(i, j), most(most(i, j), 0))                  \
    F(__viaddmin_s32_relu(i, j, (int)c), most(least((int)(a + b), (int)c), 0))                                      \
    F(__vimax3_s16x2(a, b, c), pairs(a, b, c, [](int x, int y, int z) { return most(most(x, y), z); }))             \
    F(__vimin3_s16x2_relu(a, b, c),                                                                                 \
      pairs(a, b, c, [](int x, int y, int z) { return most(least(least(x, y), z), 0); }))                           \
    F(__viaddmax_s16x2(a, b, c), pairs(a, b, c, [](int x, int y, int z) { return most((int)(short)(x + y), z); }))  \
    F(__viaddmin_s16x2_relu(a, b, c),                                                                               \
      pairs(a, b, c, [](int x, int y, int z) { return most(least((int)(short)(x + y), z), 0); }))                   \
    F(([=] { bool p; const int r = __vibmax_s32(i, j, &p); return (unsigned)r ^ p; }()),                            \
      (unsigned)most(i, j) ^ (i >= j))                                                                              \
    F(([=] { bool p; const unsigned r = __vibmin_u32(a, b, &p); return r ^ p; }()), least(a, b) ^ (a <= b))
template <class T> __host__ __device__ T most(T a, T b) { return a > b ? a : b; }
template <class T> __host__ __device__ T least(T a, T b) { return a < b ? a : b; }
static L limit(L x, L low, L high) { return most(low, least(x, high)); }
static L lane(unsigned word, int at, int width, bool is_signed)
{
    const L v = word >> at & ((1ll << width) - 1);
    return is_signed && v >> (width - 1) ? v - (1ll << width) : v;
}
static unsigned apart(unsigned a, unsigned b, int width, bool is_signed)
{
    L sum = 0;
    for (int at = 0; at < 32; at += width)
        sum += std::llabs(lane(a, at, width, is_signed) - lane(b, at, width, is_signed));
    return (unsigned)sum;
}
static unsigned turned(unsigned x)
{
    unsigned r = 0;
    for (int k = 0; k < 32; k++) r |= (x >> k & 1) << (31 - k);
    return r;
}
static unsigned permuted(unsigned a, unsigned b, unsigned c)
{
    unsigned r = 0;
    for (int k = 0; k < 4; k++) r |= (unsigned)(((U)b << 32 | a) >> 8 * (c >> 4 * k & 7) & 255) << 8 * k;
    return r;
}
static unsigned dot(unsigned a, unsigned b, int width, int other, int from, bool is_signed)
{
    L sum = 0;
    for (int k = 0; k < 32 / width; k++)
        sum += lane(a, k * width, width, is_signed) * lane(b, from + k * other, other, is_signed);
    return (unsigned)sum;
}
template <class F> static unsigned pairs(unsigned a, unsigned b, unsigned c, F f)
{
    const int low = f((short)a, (short)b, (short)c), high = f((short)(a >> 16), (short)(b >> 16), (short)(c >> 16));
    return (low & 0xffff) | (unsigned)high << 16;
}
enum { LANE = 0 LANES(COUNT3) LANES_OF_ONE(COUNT3) };
__global__ void words(const unsigned *x, unsigned *out, int each_thread)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = x[k], b = x[k + 1], c = x[k + 2];
    const int i = (int)a, j = (int)b;
    const L l = (L)((U)a << 32 | b), m = (L)((U)b << 32 | c);
    out += each_thread * k;
#define PUT(name, sign, e) *out++ = __##name##2(a, b), *out++ = __##name##4(a, b);
    LANES(PUT)
#undef PUT
#define PUT(name, sign, e) *out++ = __##name##2(a), *out++ = __##name##4(a);
    LANES_OF_ONE(PUT)
#undef PUT
#define PUT(device, host) *out++ = (unsigned)(device);
    WORDS(PUT)
#undef PUT
}
template <class F> static unsigned lanes(unsigned x, unsigned y, int width, bool is_signed, F f)
{
    unsigned r = 0;
    for (int at = 0; at < 32; at += width) {
        const L top = (1ll << (width - is_signed)) - 1;
        const L v = f(lane(x, at, width, is_signed), lane(y, at, width, is_signed), top);
        r |= (unsigned)(v & ((1ll << width) - 1)) << at;
    }
    return r;
}
static void integers()
{
    enum { COUNT = 2 * LANE + (0
#define PUT(device, host) +1
           WORDS(PUT)
#undef PUT
           ) };
    unsigned *x = shared_array<unsigned>(N + 2), *out = shared_array<unsigned>(COUNT * N);
    for (int k = 0; k < N + 2; k++) {
        const unsigned v = (unsigned)engine();
        x[k] = k % 4 == 0 ? v & 0x7f7f8080 : k % 4 == 1 ? v | 0x80007fff : v;
    }
    for (int k = 0; k < N; k += 8) x[k] = x[k + 1];
    x[3] = 0, x[4] = 0x80000000, x[5] = 0x80808080, x[6] = ~0u;
    words<<<N / 128, 128>>>(x, out, COUNT);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {
        const unsigned *got = out + COUNT * k, a = x[k], b = x[k + 1], c = x[k + 2];
        const int i = (int)a, j = (int)b;
        const L l = (L)((U)a << 32 | b), m = (L)((U)b << 32 | c);
        const auto is = [&](const char *name, unsigned right) {
            if (*got++ != right) tell(name, a, b, got[-1], right);
        };
        enum { u = 0, s = 1 };
#define PUT(name, sign, e)                                                                                          \
    {                                                                                                               \
        const auto f = [](L a, L b, L top) -> L { return (void)b, (void)top, e; };                                  \
        is(#name "2", lanes(a, b, 16, sign, f)), is(#name "4", lanes(a, b, 8, sign, f));                            \
    }
        LANES(PUT)
        LANES_OF_ONE(PUT)
#undef PUT
#define PUT(device, host) is(#device, (unsigned)(host));
        WORDS(PUT)
#undef PUT
    }
}

int main()
{
    parts<float>();
    parts<double>();
    modes();
    integers();
    return verdict();
}
