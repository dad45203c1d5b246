// half and bfloat16: every conversion beside a search among all numbers of the format; arithmetic of the device
// beside the host's, bit by bit, and the host's beside exact arithmetic; mathematical functions of every number
// beside the C library's.
#include "../../programs/check.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include <vector>

static uint64_t state = 1;
static uint32_t draw()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

// --- what differs in names -------------------------------------------------------------------------------------------
template <class T> struct Names;
#define NAMES(T_, T2_, n, E_, F_)                                                                                   \
    template <> struct Names<T_> {                                                                                  \
        typedef T2_ Pair;                                                                                           \
        enum { E = E_, F = F_ };                                                                                    \
        static __host__ __device__ T_ of(uint16_t bits) { return __ushort_as_##n(bits); }                           \
        static __host__ __device__ uint16_t bits(T_ v) { return __##n##_as_ushort(v); }                             \
        static __host__ __device__ float wide(T_ v) { return __##n##2float(v); }                                    \
        static __host__ __device__ Pair pair(T_ a, T_ b) { return __halves2##n##2(a, b); }                          \
        static __host__ __device__ T_ low(Pair p) { return __low2##n(p); }                                          \
        static __host__ __device__ T_ high(Pair p) { return __high2##n(p); }                                        \
        static __host__ __device__ void from(double d, float f, long long l, unsigned u, int i, short s,            \
                                             uint16_t *out)                                                         \
        {                                                                                                           \
            const T_ v[] = {__float2##n##_rn(f),                                                                    \
                            __float2##n##_rz(f),                                                                    \
                            __float2##n##_rd(f),                                                                    \
                            __float2##n##_ru(f),                                                                    \
                            __double2##n(d),                                                                        \
                            __ll2##n##_rn(l),                                                                       \
                            __ll2##n##_rz(l),                                                                       \
                            __ll2##n##_rd(l),                                                                       \
                            __ll2##n##_ru(l),                                                                       \
                            __uint2##n##_rn(u),                                                                     \
                            __uint2##n##_ru(u),                                                                     \
                            __int2##n##_rn(i),                                                                      \
                            __int2##n##_rd(i),                                                                      \
                            __short2##n##_rn(s),                                                                    \
                            __ull2##n##_rn((unsigned long long)l),                                                  \
                            __ushort2##n##_rn((unsigned short)s)};                                                  \
            for (int k = 0; k < 16; k++) out[k] = bits(v[k]);                                                       \
        }                                                                                                           \
        static __host__ __device__ void into(T_ v, long long *out)                                                  \
        {                                                                                                           \
            out[0] = __##n##2int_rn(v), out[1] = __##n##2int_rz(v), out[2] = __##n##2int_rd(v);                     \
            out[3] = __##n##2int_ru(v), out[4] = __##n##2uint_rn(v), out[5] = __##n##2short_rn(v);                  \
            out[6] = __##n##2ushort_rz(v), out[7] = __##n##2char_rz(v), out[8] = __##n##2uchar_rz(v);               \
            out[9] = __##n##2ll_rd(v), out[10] = (long long)__##n##2ull_rn(v), out[11] = (int)v, out[12] = (bool)v; \
        }                                                                                                           \
    };
NAMES(__half, __half2, half, 5, 10)
NAMES(__nv_bfloat16, __nv_bfloat162, bfloat16, 8, 7)

// --- the formats, by their definition --------------------------------------------------------------------------------
template <class T> static double value(unsigned bits)  // of a finite number
{
    const int E = Names<T>::E, F = Names<T>::F, e = bits >> F & ((1 << E) - 1), m = bits & ((1 << F) - 1);
    const double size = std::ldexp(e ? m + (1 << F) : m, (e ? e : 1) - (1 << (E - 1)) + 1 - F);
    return bits >> 15 ? -size : size;
}
template <class T> static const std::vector<double> &all()  // those that aren't negative
{
    static std::vector<double> v;
    const unsigned n = ((1u << Names<T>::E) - 1) << Names<T>::F;
    if (v.empty())
        for (unsigned k = 0; k < n; k++) v.push_back(value<T>(k));
    return v;
}
enum Rounding { RN, RZ, RD, RU };
template <class T> static uint16_t rounded(long double x, Rounding r)
{
    const std::vector<double> &v = all<T>();
    const unsigned infinity = (unsigned)v.size(), sign = std::signbit(x) ? 0x8000 : 0;
    if (x != x) return 0x7fff;
    const long double size = std::fabs(x);
    if (size == INFINITY) return (uint16_t)(sign | infinity);
    unsigned above = (unsigned)(std::lower_bound(v.begin(), v.end(), size) - v.begin());
    if (above < infinity && v[above] == size) return (uint16_t)(sign | above);
    const unsigned below = above - 1;
    const long double past = above < infinity ? (long double)v[above] : 2 * (long double)v[below] - v[below - 1];
    bool up = r == RU ? !sign : r == RD ? sign != 0 : false;
    if (r == RN) up = size - v[below] > past - size || (size - v[below] == past - size && (above & 1) == 0);
    return (uint16_t)(sign | (up ? above : below));
}

// --- conversions -----------------------------------------------------------------------------------------------------
struct Source {
    double d;
    float f;
    long long l;
    unsigned u;
    int i;
    short s;
};
template <class T> __global__ void convert(const Source *from, uint16_t *out, long long *whole, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) Names<T>::from(from[k].d, from[k].f, from[k].l, from[k].u, from[k].i, from[k].s, out + 16 * k);
    if (k < 65536) Names<T>::into(Names<T>::of((uint16_t)k), whole + 13 * k);
}
static long long whole(double x, Rounding r, double least, double most)
{
    if (x != x) return 0;
    const double w = r == RN ? std::nearbyint(x) : r == RZ ? std::trunc(x) : r == RD ? std::floor(x) : std::ceil(x);
    return w >= most ? (long long)most : w <= least ? (long long)least : (long long)w;
}
template <class T> static void conversions()
{
    enum { N = 65536 };
    Source *from = shared_array<Source>(N);
    uint16_t *out = shared_array<uint16_t>(N * 16), mine[16];
    long long *wholes = shared_array<long long>(65536 * 13), my[13];
    for (int k = 0; k < N; k++) {
        // Half of them lie near a number of the format, or between two.
        const double near = value<T>(draw() % all<T>().size()) * (1 + (draw() % 3) * std::ldexp(1.0, -Names<T>::F - 1));
        const double off = near * (1 + (int)(draw() % 3 - 1) * std::ldexp(1.0, -22));
        Source &s = from[k];
        s.f = k % 2 ? (float)(draw() % 2 ? off : -off) : __builtin_bit_cast(float, draw());
        s.d = k % 2 ? near * (1 + (int)(draw() % 3 - 1) * std::ldexp(1.0, -50))
                    : std::ldexp((int)draw(), (int)(draw() % 60) - 70);
        s.l = (long long)((unsigned long long)draw() << 32 | draw()) >> draw() % 64;
        s.u = draw() >> draw() % 32, s.i = (int)draw() >> draw() % 32, s.s = (short)draw();
    }
    convert<T><<<N / 128, 128>>>(from, out, wholes, N);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {
        const Source &s = from[k];
        const long double ull = (long double)(unsigned long long)s.l;
        const uint16_t want[] = {
            rounded<T>(s.f, RN), rounded<T>(s.f, RZ), rounded<T>(s.f, RD), rounded<T>(s.f, RU),
            rounded<T>(s.d, RN), rounded<T>(s.l, RN), rounded<T>(s.l, RZ), rounded<T>(s.l, RD),
            rounded<T>(s.l, RU), rounded<T>(s.u, RN), rounded<T>(s.u, RU), rounded<T>(s.i, RN),
            rounded<T>(s.i, RD), rounded<T>(s.s, RN), rounded<T>(ull, RN), rounded<T>((unsigned short)s.s, RN)};
        Names<T>::from(s.d, s.f, s.l, s.u, s.i, s.s, mine);
        for (int c = 0; c < 16; c++) CHECK(mine[c] == want[c] && out[16 * k + c] == want[c]);
    }
    const double big = 9223372036854775808.0;
    for (int k = 0; k < 65536; k++) {
        const T v = Names<T>::of((uint16_t)k);
        const bool finite = (k & 0x7fff) < (int)all<T>().size();
        const double x = finite ? value<T>(k) : Names<T>::wide(v);
        CHECK(finite ? Names<T>::wide(v) == x : (k & 0x7fff) == (int)all<T>().size() ? std::isinf(x) : std::isnan(x));
        Names<T>::into(v, my);
        const long long want[] = {whole(x, RN, INT32_MIN, INT32_MAX),
                                  whole(x, RZ, INT32_MIN, INT32_MAX),
                                  whole(x, RD, INT32_MIN, INT32_MAX),
                                  whole(x, RU, INT32_MIN, INT32_MAX),
                                  whole(x, RN, 0, UINT32_MAX),
                                  whole(x, RN, -32768, 32767),
                                  whole(x, RZ, 0, 65535),
                                  whole(x, RZ, -128, 127),
                                  whole(x, RZ, 0, 255)};
        for (int c = 0; c < 9; c++) CHECK(my[c] == want[c] && wholes[13 * k + c] == want[c]);
        if (x != x) continue;
        const long long most = x >= big ? INT64_MAX : x <= -big ? INT64_MIN : (long long)std::floor(x);
        const long long ull = x < 0 ? 0 : x >= 2 * big ? -1 : (long long)(unsigned long long)std::nearbyint(x);
        CHECK(my[9] == most && wholes[13 * k + 9] == most && my[10] == ull && wholes[13 * k + 10] == ull);
        CHECK(my[11] == want[1] && wholes[13 * k + 11] == want[1] && my[12] == (x != 0) &&
              wholes[13 * k + 12] == (x != 0));
    }
}

// --- arithmetic ------------------------------------------------------------------------------------------------------
enum { RESULTS = 40 };
template <class T> __host__ __device__ static void results(uint16_t i, uint16_t j, uint16_t k, uint32_t *out)
{
    typedef Names<T> N;
    const T a = N::of(i), b = N::of(j), c = N::of(k);
    const typename N::Pair p = N::pair(a, b), q = N::pair(b, c), r = N::pair(c, a);
    int n = 0;
    const auto one = [&](T v) { out[n++] = N::bits(v); };
    const auto two = [&](typename N::Pair v) { out[n++] = N::bits(N::low(v)) | (uint32_t)N::bits(N::high(v)) << 16; };
    one(a + b), one(a - b), one(a * b), one(a / b), one(__hfma(a, b, c)), one(__hmul_rn(a, b));
    one(__hadd_sat(a, b)), one(__hsub_sat(a, b)), one(__hmul_sat(a, b)), one(__hfma_sat(a, b, c)),
        one(__hfma_relu(a, b, c));
    one(__hmin(a, b)), one(__hmax(a, b)), one(__hmin_nan(a, b)), one(__hmax_nan(a, b)), one(-a), one(__habs(a));
    two(p + q), two(p - q), two(p * q), two(p / q), two(__hfma2(p, q, r)), two(__hfma2_sat(p, q, r)),
        two(__hfma2_relu(p, q, r));
    two(__hmin2(p, q)), two(__hmax2_nan(p, q)), two(__hneg2(p)), two(__habs2(q)), two(__lowhigh2highlow(p)),
        two(__hcmadd(p, q, r));
    two(__heq2(p, q)), two(__hltu2(p, q)), two(__hisnan2(p)), two(__hmul2_sat(p, q));
    out[n++] = __hlt2_mask(p, q), out[n++] = __hneu2_mask(p, q);
    out[n++] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
               __hne(a, b) << 6 | __hequ(a, b) << 7 | __hltu(a, b) << 8 | __hleu(a, b) << 9 | __hgtu(a, b) << 10 |
               __hgeu(a, b) << 11 | __hbeq2(p, q) << 12 | __hbltu2(p, q) << 13 | __hbge2(p, q) << 14 | (p != q) << 15 |
               __hisnan(a) << 16;
    out[n++] = (uint32_t)__hisinf(a);
    T d = a;
    d += b, d *= c, d++;
    one(d--), one(d);
}
template <class T> __global__ void calculate(const uint16_t *in, uint32_t *out, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) results<T>(in[3 * k], in[3 * k + 1], in[3 * k + 2], out + RESULTS * k);
}
template <class T> static void arithmetic()
{
    enum { N = 32768 };
    uint16_t *in = shared_array<uint16_t>(3 * N);
    uint32_t *out = shared_array<uint32_t>(RESULTS * N), mine[RESULTS];
    const unsigned infinity = (unsigned)all<T>().size();
    const unsigned special[] = {0,      1,      0x8000, 0x8001,      infinity, infinity + 1, infinity | 0x8000,
                                0xffff, 0x3c00, 0x3f80, infinity - 1};
    for (int k = 0; k < 3 * N; k++) in[k] = (uint16_t)(draw() % 8 ? draw() : special[draw() % 11]);
    for (int k = 0; k < 3 * N; k += 6) in[k + 1] = (uint16_t)(in[k] + draw() % 64);  // of like size
    calculate<T><<<N / 128, 128>>>(in, out, N);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {
        results<T>(in[3 * k], in[3 * k + 1], in[3 * k + 2], mine);
        for (int c = 0; c < RESULTS; c++)
            if (mine[c] != out[RESULTS * k + c]) {
                if (wrong < 4)
                    std::printf("result %d of %x %x %x: %x on the device, %x\n", c, in[3 * k], in[3 * k + 1],
                                in[3 * k + 2], out[RESULTS * k + c], mine[c]);
                CHECK(false);
            }
        const double a = Names<T>::wide(Names<T>::of(in[3 * k])), b = Names<T>::wide(Names<T>::of(in[3 * k + 1]));
        const double c = Names<T>::wide(Names<T>::of(in[3 * k + 2]));
        CHECK(mine[0] == rounded<T>((long double)a + b, RN) || a + b == 0), CHECK(mine[2] == rounded<T>(a * b, RN));
        CHECK(mine[3] == rounded<T>((long double)a / b, RN) || a / b != a / b);
        const long double exact = (long double)(a * b) + c;  // in 64 bits, which may round: then it isn't compared
        if (exact - (long double)(a * b) == c && exact - c == a * b && exact != 0)
            CHECK(mine[4] == rounded<T>(exact, RN));
    }
}

// --- mathematical functions ------------------------------------------------------------------------------------------
enum { FUNCTIONS = 16 };
template <class T> __global__ void functions(uint16_t *out)
{
    typedef Names<T> N;
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const T a = N::of((uint16_t)k);
    const T v[] = {hceil(a), hfloor(a), htrunc(a), hrint(a), hsqrt(a),  hrsqrt(a), hrcp(a), hexp(a),
                   hexp2(a), hexp10(a), hlog(a),   hlog2(a), hlog10(a), hsin(a),   hcos(a), htanh(a)};
    for (int c = 0; c < FUNCTIONS; c++) out[FUNCTIONS * k + c] = N::bits(v[c]);
    if (N::bits(N::high(h2sin(N::pair(a, a)))) != out[FUNCTIONS * k + 13]) out[FUNCTIONS * k] = 0x5555;
}
static double reciprocal(double x) { return 1 / x; }
static double reciprocal_root(double x) { return 1 / std::sqrt(x); }
static double power_of_ten(double x) { return std::pow(10.0, x); }
template <class T> static void mathematics(const char *of)
{
    double (*const f[FUNCTIONS])(double) = {
        std::ceil, std::floor,   std::trunc, std::nearbyint, std::sqrt,  reciprocal_root, reciprocal, std::exp,
        std::exp2, power_of_ten, std::log,   std::log2,      std::log10, std::sin,        std::cos,   std::tanh};
    uint16_t *out = shared_array<uint16_t>(65536 * FUNCTIONS);
    functions<T><<<512, 128>>>(out);
    MUST(cudaDeviceSynchronize());
    for (int c = 0; c < FUNCTIONS; c++) {
        int off = 0, far = 0;
        for (int k = 0; k < 65536; k++) {
            const uint16_t got = out[FUNCTIONS * k + c];
            const uint16_t want = rounded<T>(f[c](Names<T>::wide(Names<T>::of((uint16_t)k))), RN);
            const unsigned infinity = (unsigned)all<T>().size();
            if ((got & 0x7fff) > infinity && (want & 0x7fff) > infinity) continue;
            off += got != want, far += std::abs((int)got - (int)want) > 1;
        }
        // The first seven are exact, the reciprocal square root nearly so.
        if (far || (c < 7 && c != 5 && off) || off > 700)
            std::printf("%s, function %d: %d aren't the nearest, %d not next to it\n", of, c, off, far), wrong++;
    }
}

int main()
{
    conversions<__half>(), conversions<__nv_bfloat16>();
    arithmetic<__half>(), arithmetic<__nv_bfloat16>();
    mathematics<__half>("half"), mathematics<__nv_bfloat16>("bfloat16");
    return verdict();
}
