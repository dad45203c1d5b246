// random: curand_kernel.h. Its words beside the papers' published numbers and recurrences, jumps beside powers of
// matrices by squaring; its distributions by the test of Kolmogorov and Smirnov, or by chi-squared.
#include "../../programs/check.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <curand_kernel.h>
#include <functional>
#include <vector>

typedef unsigned long long U;

template <class S> __global__ void begin(S *states, const U *seed, const U *subsequence, const U *offset)
{
    const int k = threadIdx.x;
    curand_init(seed[k], subsequence[k], offset[k], &states[k]);
}
template <class S> __global__ void skip(S *states, const U *sequences, const U *n)
{
    const int k = threadIdx.x;
    skipahead_sequence(sequences[k], &states[k]);
    skipahead(n[k], &states[k]);
}
template <class S> __global__ void take(S *states, int n, unsigned *out)
{
    for (int k = 0; k < n; k++) out[threadIdx.x * n + k] = curand(&states[threadIdx.x]);
}
enum { PLACES = 24 };
static U place(int k)  // each digit in each place, and a few
{
    static const U few[] = {0, 1, 2, 17, 255, 1 << 16, (1ull << 40) + 12345, 0xfedcba9876543210ull, 10};
    return k < 15 ? 0x1111111111111111 * (k + 1ull) : few[k - 15];
}

// --- XORWOW: vectors of 160 bits, and their matrices ----------------------------------------------------------------
struct Bits {
    unsigned v[5];
};
static Bits step(const Bits &s)
{
    const unsigned t = s.v[0] ^ (s.v[0] >> 2), v = s.v[4];
    return {{s.v[1], s.v[2], s.v[3], v, (v ^ (v << 4)) ^ (t ^ (t << 1))}};
}
typedef std::vector<Bits> Columns;
static Bits times(const Columns &m, const Bits &s)
{
    Bits r = {};
    for (int k = 0; k < 160; k++)
        if (s.v[k / 32] >> k % 32 & 1)
            for (int i = 0; i < 5; i++) r.v[i] ^= m[k].v[i];
    return r;
}
static Columns squared(const Columns &m)
{
    Columns r;
    for (const Bits &column : m) r.push_back(times(m, column));
    return r;
}
static void xorwow()
{
    typedef curandStateXORWOW_t S;
    S *states = shared_array<S>(PLACES), *jumped = shared_array<S>(PLACES);
    U *seed = shared_array<U>(PLACES), *zero = shared_array<U>(PLACES), *n = shared_array<U>(PLACES);
    unsigned *out = shared_array<unsigned>(PLACES * 100);
    for (int k = 0; k < PLACES; k++) seed[k] = k * 1234567ull, n[k] = place(k);
    begin<<<1, PLACES>>>(states, seed, zero, zero);
    MUST(cudaDeviceSynchronize());
    std::vector<S> first(states, states + PLACES);
    take<<<1, PLACES>>>(states, 100, out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < PLACES; k++) {
        Bits s;
        std::copy(first[k].v, first[k].v + 5, s.v);
        unsigned d = first[k].d;
        for (int i = 0; i < 100; i++) s = step(s), CHECK(out[100 * k + i] == s.v[4] + (d += 362437));
    }
    Columns m[64 + 67];
    for (int k = 0; k < 160; k++) {
        Bits unit = {};
        unit.v[k / 32] = 1u << k % 32;
        m[0].push_back(step(unit));
    }
    for (int k = 1; k < 64 + 67; k++) m[k] = squared(m[k - 1]);
    for (int part = 0; part < 3; part++) {  // an offset, a subsequence, or both, by skipping
        std::copy(first.begin(), first.end(), jumped);
        if (part == 0) begin<<<1, PLACES>>>(jumped, seed, zero, n);
        if (part == 1) begin<<<1, PLACES>>>(jumped, seed, n, zero);
        if (part == 2) skip<<<1, PLACES>>>(jumped, n, n);
        MUST(cudaDeviceSynchronize());
        for (int k = 0; k < PLACES; k++) {
            Bits s;
            std::copy(first[k].v, first[k].v + 5, s.v);
            for (int bit = 0; bit < 64; bit++) {
                if (part != 1 && n[k] >> bit & 1) s = times(m[bit], s);
                if (part != 0 && n[k] >> bit & 1) s = times(m[67 + bit], s);
            }
            for (int i = 0; i < 5; i++) CHECK(jumped[k].v[i] == s.v[i]);
            CHECK(jumped[k].d == first[k].d + (part != 1 ? (unsigned)n[k] * 362437u : 0));
        }
    }
}

// --- MRG32k3a -------------------------------------------------------------------------------------------------------
typedef __int128 Wide;
struct Matrix {
    Wide at[3][3];
};
static Matrix product(const Matrix &a, const Matrix &b, Wide m)
{
    Matrix r = {};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) r.at[i][j] = (r.at[i][j] + a.at[i][k] * b.at[k][j]) % m;
    return r;
}
static void multiply(const Matrix &a, Wide m, unsigned *s)
{
    Wide r[3];
    for (int i = 0; i < 3; i++) r[i] = (a.at[i][0] * s[0] + a.at[i][1] * s[1] + a.at[i][2] * s[2]) % m;
    for (int i = 0; i < 3; i++) s[i] = (unsigned)r[i];
}
__global__ void next_substream(curandStateMRG32k3a_t *states, const U *n)
{
    skipahead_subsequence(n[threadIdx.x], &states[threadIdx.x]);
}
static void mrg()
{
    typedef curandStateMRG32k3a_t S;
    const Wide m1 = 4294967087, m2 = 4294944443;
    S *states = shared_array<S>(PLACES);
    U *seed = shared_array<U>(PLACES), *zero = shared_array<U>(PLACES), *n = shared_array<U>(PLACES);
    unsigned *out = shared_array<unsigned>(PLACES * 100);
    // L'Ecuyer's RngStreams: all words 12345, the first numbers of it and of its next substream
    const double published[2][3] = {{0.12701112204657714, 0.3185275653967945, 0.3091860155832701},
                                    {0.07939898979733463, 0.4803395047575741, 0.8583222470551328}};
    for (int k = 0; k < 2; k++) {
        zero[k] = k;
        for (int i = 0; i < 3; i++) states[k].s1[i] = states[k].s2[i] = 12345;
    }
    next_substream<<<1, 2>>>(states, zero);
    take<<<1, 2>>>(states, 3, out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 6; k++) CHECK(std::fabs(out[k] / 4294967088. - published[k / 3][k % 3]) < 1e-15);

    for (int k = 0; k < PLACES; k++) seed[k] = k * 7654321ull, n[k] = place(k), zero[k] = 0;
    begin<<<1, PLACES>>>(states, seed, zero, zero);
    MUST(cudaDeviceSynchronize());
    const std::vector<S> first(states, states + PLACES);
    take<<<1, PLACES>>>(states, 100, out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < PLACES; k++) {
        S s = first[k];
        for (int i = 0; i < 100; i++) {
            Wide p = ((Wide)1403580 * s.s1[1] - (Wide)810728 * s.s1[0]) % m1;
            Wide q = ((Wide)527612 * s.s2[2] - (Wide)1370589 * s.s2[0]) % m2;
            p += p < 0 ? m1 : 0, q += q < 0 ? m2 : 0;
            s.s1[0] = s.s1[1], s.s1[1] = s.s1[2], s.s1[2] = (unsigned)p;
            s.s2[0] = s.s2[1], s.s2[1] = s.s2[2], s.s2[2] = (unsigned)q;
            CHECK(out[100 * k + i] == (unsigned)(p > q ? p - q : p - q + m1));
        }
    }
    const int exponents[] = {0, 76, 127};
    for (int part = 0; part < 3; part++) {  // an offset, a subsequence, a sequence
        begin<<<1, PLACES>>>(states, seed, part == 1 ? n : zero, part == 0 ? n : zero);
        if (part == 2) skip<<<1, PLACES>>>(states, n, zero);
        MUST(cudaDeviceSynchronize());
        for (int k = 0; k < PLACES; k++) {
            S s = first[k];
            Matrix a = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}};
            Matrix b = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};
            for (int bit = 0; bit < exponents[part]; bit++) a = product(a, a, m1), b = product(b, b, m2);
            for (U left = n[k]; left; left >>= 1) {
                if (left & 1) multiply(a, m1, s.s1), multiply(b, m2, s.s2);
                a = product(a, a, m1), b = product(b, b, m2);
            }
            for (int i = 0; i < 3; i++) CHECK(states[k].s1[i] == s.s1[i] && states[k].s2[i] == s.s2[i]);
        }
    }
}

// --- Philox: Random123's known answers ------------------------------------------------------------------------------
__global__ void philox_at(const unsigned *x, uint4 *out)  // x: the counter, the key
{
    const int k = threadIdx.x;
    x += 6 * k;
    curandStatePhilox4_32_10_t s;
    const U low = (U)x[1] << 32 | x[0];
    curand_init((U)x[5] << 32 | x[4], (U)x[3] << 32 | x[2], 0, &s);
    for (int i = 0; i < 4; i++) skipahead(low & ~3ull, &s);
    skipahead(4 * (low & 3), &s);
    out[k] = curand4(&s);
}
__global__ void philox_mixed(int from, unsigned *one, unsigned *mixed)
{
    curandStatePhilox4_32_10_t a, b;
    curand_init(99, 3, 0, &a);
    curand_init(99, 3, from, &b);
    for (int k = 0; k < 64; k++) one[k] = curand(&a);
    for (int k = 0; k < 7; k++) mixed[k] = curand(&b);
    for (int k = 7; k < 35; k += 4) {
        const uint4 x = curand4(&b);
        mixed[k] = x.x, mixed[k + 1] = x.y, mixed[k + 2] = x.z, mixed[k + 3] = x.w;
    }
    skipahead(3, &b);
    for (int k = 35; k < 40; k++) mixed[k] = curand(&b);
}
static void philox()
{
    const unsigned known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1}};
    unsigned *x = shared_array<unsigned>(18), *one = shared_array<unsigned>(64), *mixed = shared_array<unsigned>(64);
    uint4 *out = shared_array<uint4>(3);
    for (int k = 0; k < 3; k++) std::copy(known[k], known[k] + 6, x + 6 * k);
    philox_at<<<1, 3>>>(x, out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 3; k++) {
        CHECK(out[k].x == known[k][6] && out[k].y == known[k][7]);
        CHECK(out[k].z == known[k][8] && out[k].w == known[k][9]);
    }
    for (int from = 0; from < 8; from++) {
        philox_mixed<<<1, 1>>>(from, one, mixed);
        MUST(cudaDeviceSynchronize());
        for (int k = 0; k < 40; k++) CHECK(mixed[k] == one[from + k + (k < 35 ? 0 : 3)]);
    }
}

// --- Sobol: two dimensions, by Joe's and Kuo's polynomials x + 1 and x² + x + 1 -------------------------------------
template <class S, class T> __global__ void sobol_take(const T *v, T c, T offset, int n, T *plain, T *scrambled, S *,
                                                       T *skipped)
{
    S a;
    curand_init(v, offset, &a);
    for (int k = 0; k < n; k++) plain[k] = curand(&a);
    curand_init(v, (T)(offset - 5), &a);
    skipahead(5, &a);
    for (int k = 0; k < 9; k++) skipped[k] = curand(&a);
    if (sizeof(T) == 4) {
        curandStateScrambledSobol32_t b;
        curand_init((const unsigned *)v, (unsigned)c, (unsigned)offset, &b);
        for (int k = 0; k < n; k++) scrambled[k] = curand(&b);
    } else {
        curandStateScrambledSobol64_t b;
        curand_init((const U *)v, (U)c, (U)offset, &b);
        for (int k = 0; k < n; k++) scrambled[k] = curand(&b);
    }
}
template <class S, class T> static void sobol()
{
    enum { W = 8 * sizeof(T), N = 256 };
    T *v = shared_array<T>(W), *plain = shared_array<T>(N), *scrambled = shared_array<T>(N);
    T *skipped = shared_array<T>(N);
    for (int dimension = 0; dimension < 2; dimension++) {
        T m[W] = {1, 3};
        for (int k = 1; k < W; k++)
            if (dimension == 0) m[k] = m[k - 1] ^ (m[k - 1] << 1);
            else if (k > 1) m[k] = m[k - 2] ^ (m[k - 1] << 1) ^ (m[k - 2] << 2);
        for (int k = 0; k < W; k++) v[k] = m[k] << (W - 1 - k);
        const T c = (T)0x123456789abcdefull;
        for (T offset : {(T)0, (T)256, (T)1000000000}) {
            sobol_take<S, T><<<1, 1>>>(v, c, offset, N, plain, scrambled, nullptr, skipped);
            MUST(cudaDeviceSynchronize());
            std::vector<int> seen(N);
            for (int k = 0; k < N; k++) {
                const T n = offset + k;
                T x = 0;
                for (int bit = 0; bit < W; bit++)
                    if ((n ^ n >> 1) >> bit & 1) x ^= v[bit];
                CHECK(plain[k] == x && scrambled[k] == (x ^ c));
                if (k < 9) CHECK(skipped[k] == x);
                seen[x >> (W - 8)]++;
            }
            if (offset != 1000000000)
                for (int k = 0; k < N; k++) CHECK(seen[k] == 1);  // one of each 256th part
        }
    }
    CHECK(plain[0] != 0);
}

// --- distributions --------------------------------------------------------------------------------------------------
enum { THREADS = 64, EACH = 128, SAMPLES = THREADS * EACH };
template <class S, class F> __global__ void sample(S *states, F f, double *out)
{
    S s = states[threadIdx.x];
    for (int k = 0; k < EACH; k++) out[threadIdx.x * EACH + k] = f(&s, k);
    states[threadIdx.x] = s;
}
static double normal_below(double x) { return .5 * std::erfc(-x / std::sqrt(2.)); }
static void distributed(const char *what, std::vector<double> x, const std::function<double(double)> &below)
{
    std::sort(x.begin(), x.end());
    double most = 0;
    for (size_t k = 0; k < x.size(); k++) {
        const double p = below(x[k]);
        most = std::max({most, p - (double)k / x.size(), (k + 1.) / x.size() - p});
    }
    if (!(most * std::sqrt((double)x.size()) < 1.95)) std::printf("%s: %g\n", what, most * std::sqrt((double)x.size()));
    CHECK(most * std::sqrt((double)x.size()) < 1.95);  // one in 1000 is larger
}
static void moments(const std::vector<double> &x, double mean, double variance, double fourth)
{
    double sum = 0, squares = 0, next = 0;
    for (double v : x) sum += v;
    for (double v : x) squares += (v - mean) * (v - mean);
    for (size_t k = 1; k < x.size(); k++) next += (x[k] - mean) * (x[k - 1] - mean);
    const double n = (double)x.size();
    CHECK(std::fabs(sum / n - mean) < 4 * std::sqrt(variance / n));
    CHECK(std::fabs(squares / n - variance) < 4 * std::sqrt((fourth - variance * variance) / n));
    CHECK(std::fabs(next / n) < 4 * variance / std::sqrt(n));
}
// E: the next number, of a state s
#define SAMPLE(e)                                                                                                   \
    [&] {                                                                                                           \
        sample<<<1, THREADS>>>(states, [=] __device__(S * s, int k) -> double { return (void)k, e; }, out);          \
        MUST(cudaDeviceSynchronize());                                                                              \
        return std::vector<double>(out, out + SAMPLES);                                                             \
    }()
static void counted(const std::vector<double> &x, double lambda)
{
    moments(x, lambda, lambda, lambda + 3 * lambda * lambda);
    const int parts = lambda < 100 ? 1 : (int)(lambda / 100);  // values that are counted as one
    std::vector<double> count(20000), expect(20000);
    for (double v : x) count[std::min(19999, (int)v / parts)]++;
    for (int k = 0; k < 20000 * parts && k < 1000000; k++)
        expect[k / parts] += x.size() * std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.));
    double chi = 0, degrees = -1, rest_seen = 0, rest = 0;
    for (int k = 0; k < 20000; k++) {
        rest_seen += count[k], rest += expect[k];
        if (rest < 8) continue;
        chi += (rest_seen - rest) * (rest_seen - rest) / rest, degrees++;
        rest_seen = rest = 0;
    }
    CHECK(chi < degrees + 3.5 * std::sqrt(2 * degrees) + 3);
}
template <class S> static void pseudo()
{
    S *states = shared_array<S>(THREADS);
    double *out = shared_array<double>(SAMPLES);
    U *seed = shared_array<U>(THREADS), *subsequence = shared_array<U>(THREADS), *offset = shared_array<U>(THREADS);
    for (int k = 0; k < THREADS; k++) seed[k] = 2026, subsequence[k] = k;
    begin<<<1, THREADS>>>(states, seed, subsequence, offset);
    const auto uniform = [](double x) { return std::min(1., std::max(0., x)); };
    for (const std::vector<double> &x : {SAMPLE(curand_uniform(s)), SAMPLE(curand_uniform_double(s))}) {
        distributed("uniform", x, uniform), moments(x, .5, 1. / 12, 1. / 80);
        CHECK(*std::min_element(x.begin(), x.end()) > 0 && *std::max_element(x.begin(), x.end()) <= 1);
    }
    for (const std::vector<double> &x : {SAMPLE(k & 1 ? curand_normal2(s).y : curand_normal(s)),
                                         SAMPLE(k & 1 ? curand_normal2_double(s).y : curand_normal_double(s))})
        distributed("normal", x, normal_below), moments(x, 0, 1, 3);
    const double lambda = 33;
    counted(SAMPLE(curand_poisson(s, lambda)), lambda);
}
static void xorwow_more()
{
    typedef curandState S;
    S *states = shared_array<S>(THREADS);
    double *out = shared_array<double>(SAMPLES);
    U *seed = shared_array<U>(THREADS), *subsequence = shared_array<U>(THREADS), *offset = shared_array<U>(THREADS);
    for (int k = 0; k < THREADS; k++) subsequence[k] = k;
    begin<<<1, THREADS>>>(states, seed, subsequence, offset);
    const auto log_normal = [](double x) { return normal_below((std::log(x) - .5) / 2); };
    distributed("log", SAMPLE(k & 1 ? curand_log_normal2(s, .5f, 2).x : curand_log_normal(s, .5f, 2)), log_normal);
    distributed("log double",
                SAMPLE(k & 1 ? curand_log_normal2_double(s, .5, 2).y : curand_log_normal_double(s, .5, 2)), log_normal);
    for (double lambda : {.5, 7., 10., 3000.}) {
        std::vector<double> all;
        for (int k = 0; k < 8; k++) {
            const std::vector<double> more = SAMPLE(curand_poisson(s, lambda));
            all.insert(all.end(), more.begin(), more.end());
        }
        counted(all, lambda);
    }
    CHECK(SAMPLE(curand_poisson(s, 0))[1] == 0);
}
template <class V> __device__ auto part(int k, V v) { return k & 2 ? k & 1 ? v.w : v.z : k & 1 ? v.y : v.x; }
static void fours()
{
    typedef curandStatePhilox4_32_10_t S;
    S *states = shared_array<S>(THREADS);
    double *out = shared_array<double>(SAMPLES);
    U *seed = shared_array<U>(THREADS), *subsequence = shared_array<U>(THREADS), *offset = shared_array<U>(THREADS);
    for (int k = 0; k < THREADS; k++) seed[k] = 7, subsequence[k] = k, offset[k] = k;
    begin<<<1, THREADS>>>(states, seed, subsequence, offset);
    const auto uniform = [](double x) { return std::min(1., std::max(0., x)); };
    distributed("uniform", SAMPLE(part(k, curand_uniform4(s))), uniform);
    distributed("uniform double",
                SAMPLE(k & 4 ? curand_uniform2_double(s).y : part(k, curand_uniform4_double(s))), uniform);
    distributed("normal",
                SAMPLE(k & 4 ? part(k, curand_normal4(s)) : logf(part(k, curand_log_normal4(s, 0, 1)))), normal_below);
    distributed("normal double",
                SAMPLE(k & 4 ? part(k, curand_normal4_double(s)) : log(part(k, curand_log_normal4_double(s, 0, 1)))),
                normal_below);
    counted(SAMPLE(part(k, curand_poisson4(s, 12))), 12);
}
// A sequence of Sobol's is more even than random numbers are. The first dimension will do.
template <class S, class T> __global__ void sobol_begin(S *states)
{
    T v[8 * sizeof(T)];
    for (int k = 0; k < (int)(8 * sizeof(T)); k++) v[k] = (T)1 << (8 * sizeof(T) - 1 - k);
    curand_init(v, (T)(EACH * threadIdx.x), &states[threadIdx.x]);
}
template <class S, class T> static void quasi()
{
    S *states = shared_array<S>(THREADS);
    double *out = shared_array<double>(SAMPLES);
    const auto uniform = [](double x) { return std::min(1., std::max(0., x)); };
    const auto even = [](std::vector<double> x, const std::function<double(double)> &below) {
        std::sort(x.begin(), x.end());
        for (size_t k = 0; k < x.size(); k++) CHECK(std::fabs(below(x[k]) - (double)k / x.size()) < 1.001 / x.size());
    };
    for (int part = 0; part < 5; part++) {
        sobol_begin<S, T><<<1, THREADS>>>(states);
        if (part == 0) even(SAMPLE(curand_uniform(s)), uniform);
        if (part == 1) even(SAMPLE(curand_uniform_double(s)), uniform);
        if (part == 2) even(SAMPLE(curand_normal(s)), normal_below);
        if (part == 3) even(SAMPLE(curand_normal_double(s)), normal_below);
        if (part == 4) {
            double sum = 0;
            for (double x : SAMPLE(curand_poisson(s, 20))) sum += x;
            CHECK(std::fabs(sum / SAMPLES - 20) < .01);
        }
    }
}
__global__ void edges(float *f, double *d)
{
    f[0] = onchip_unit_float(0), f[1] = onchip_unit_float(~0u), f[2] = onchip_quasi_normal_float(0);
    f[3] = onchip_quasi_normal_float(~0u), d[0] = onchip_unit((U)0), d[1] = onchip_unit(~(U)0);
    d[2] = onchip_quasi_normal(0), d[3] = onchip_quasi_normal(~(U)0), d[4] = onchip_unit(0u), d[5] = onchip_unit(~0u);
}

int main()
{
    xorwow(), mrg(), philox();
    sobol<curandStateSobol32_t, unsigned>(), sobol<curandStateSobol64_t, U>();
    pseudo<curandState>(), pseudo<curandStateMRG32k3a_t>(), pseudo<curandStatePhilox4_32_10_t>();
    xorwow_more(), fours();
    quasi<curandStateSobol32_t, unsigned>(), quasi<curandStateSobol64_t, U>();
    float *f = shared_array<float>(4);
    double *d = shared_array<double>(6);
    edges<<<1, 1>>>(f, d);
    MUST(cudaDeviceSynchronize());
    CHECK(f[0] > 0 && f[1] == 1 && f[2] < -6 && f[2] == -f[3] && f[3] < 8 && d[0] > 0 && d[1] == 1);
    CHECK(d[2] < -9 && d[2] == -d[3] && d[3] < 10 && d[4] > 0 && d[5] <= 1);
    return verdict();
}
