// random.cu: numbers by cuRAND: their distributions (moments, and χ² over bins), that calls go on where the last one
// ended, offsets, seeds, host generators; the Mersenne Twister's words are those of the C++ library, and Sobol's
// sequences fill each binary interval evenly. It prints how much is wrong.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <curand.h>
#include <random>
#include <set>
#include <vector>

static int wrong;
static void check(bool right, const char *what, int line)
{
    if (right) return;
    printf("line %d: %s\n", line, what);
    wrong++;
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(x) CHECK((x) == CURAND_STATUS_SUCCESS)

template <class T> struct Room {
    T *at;
    size_t n;
    explicit Room(size_t n) : n(n) { cudaMalloc(&at, n * sizeof(T)); }
    ~Room() { cudaFree(at); }
    std::vector<T> get()
    {
        std::vector<T> v(n);
        cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};

// χ² of counts against what is expected, at five standard deviations; bins of less than 5 are joined with the next.
static bool fits(const std::vector<double> &count, const std::vector<double> &expected)
{
    double sum = 0, c = 0, e = 0;
    int bins = -1;
    for (size_t k = 0; k < count.size(); k++) {
        c += count[k], e += expected[k];
        if (e < 5) continue;
        sum += (c - e) * (c - e) / e, bins++;
        c = e = 0;
    }
    return bins > 0 && sum < bins + 5 * std::sqrt(2.0 * bins);
}
// Tells whether numbers that a distribution function has made even are.
static bool even(const std::vector<double> &u)
{
    const int bins = 64;
    std::vector<double> count(bins), expected(bins, (double)u.size() / bins);
    double sum = 0, squares = 0, next = 0;
    for (size_t i = 0; i < u.size(); i++) {
        if (!(u[i] >= 0 && u[i] <= 1)) return false;
        count[std::min((int)(u[i] * bins), bins - 1)]++;
        sum += u[i] - 0.5, squares += (u[i] - 0.5) * (u[i] - 0.5) - 1.0 / 12;
    }
    next = 5 / std::sqrt((double)u.size());
    return fits(count, expected) && std::fabs(sum / u.size()) < next * std::sqrt(1.0 / 12) &&
           std::fabs(squares / u.size()) < next * std::sqrt(1.0 / 180);
}
// Neighbours are independent: pairs fill a square evenly.
static bool pairs(const std::vector<double> &u)
{
    std::vector<double> count(64), expected(64, u.size() / 2 / 64.0);
    for (size_t i = 0; i + 1 < u.size(); i += 2)
        count[std::min((int)(u[i] * 8), 7) * 8 + std::min((int)(u[i + 1] * 8), 7)]++;
    return fits(count, expected);
}
static double normal(double x, double mean, double deviation)
{
    return std::erfc((mean - x) / deviation / M_SQRT2) / 2;
}
template <class T, class F> static std::vector<double> through(const std::vector<T> &x, F f)
{
    std::vector<double> u;
    for (T y : x) u.push_back(f(y));
    return u;
}
static bool poisson(const std::vector<unsigned> &x, double lambda)
{
    const int most = (int)(lambda + 12 * std::sqrt(lambda) + 20);
    std::vector<double> count(most + 1), expected(most + 1);
    for (unsigned k : x) count[std::min((int)k, most)]++;
    for (int k = 0; k <= most; k++)
        expected[k] = x.size() * std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
    return fits(count, expected);
}

static bool quasi(curandRngType_t t) { return t >= CURAND_RNG_QUASI_DEFAULT; }
static bool wide(curandRngType_t t) { return t >= CURAND_RNG_QUASI_SOBOL64; }

static void distributions(curandRngType_t type, size_t n)
{
    curandGenerator_t g;
    cudaStream_t s;
    Room<unsigned> word(n);
    Room<unsigned long long> word64(n);
    Room<float> x(n);
    Room<double> y(n);
    printf("generator %d\n", type);
    cudaStreamCreate(&s);
    OK(curandCreateGenerator(&g, type));
    OK(curandSetStream(g, s));
    if (quasi(type))
        CHECK(curandSetPseudoRandomGeneratorSeed(g, 5) == CURAND_STATUS_TYPE_ERROR);
    else
        OK(curandSetPseudoRandomGeneratorSeed(g, 20260101));
    if (wide(type)) {
        CHECK(curandGenerate(g, word.at, n) == CURAND_STATUS_TYPE_ERROR);
        OK(curandGenerateLongLong(g, word64.at, n));
        cudaStreamSynchronize(s);
        CHECK(even(through(word64.get(), [](unsigned long long w) { return std::ldexp((double)w, -64); })));
    } else {
        CHECK(curandGenerateLongLong(g, word64.at, n) == CURAND_STATUS_TYPE_ERROR);
        OK(curandGenerate(g, word.at, n));
        cudaStreamSynchronize(s);
        CHECK(even(through(word.get(), [](unsigned w) { return std::ldexp((double)w, -32); })));
        // The last eight bits, too.
        CHECK(quasi(type) || even(through(word.get(), [](unsigned w) { return (w % 256 + 0.5) / 256; })));
    }
    auto same = [](double u) { return u; };
    OK(curandGenerateUniform(g, x.at, n));
    OK(curandGenerateUniformDouble(g, y.at, n));
    cudaStreamSynchronize(s);
    CHECK(even(through(x.get(), same)) && even(through(y.get(), same)));
    CHECK(quasi(type) || (pairs(through(x.get(), same)) && pairs(through(y.get(), same))));
    for (float u : x.get()) CHECK(u > 0 && u <= 1);
    OK(curandGenerateNormal(g, x.at, n, 3, 0.5));
    OK(curandGenerateNormalDouble(g, y.at, n, -1, 2));
    cudaStreamSynchronize(s);
    auto xs = through(x.get(), [](double v) { return normal(v, 3, 0.5); }),
         ys = through(y.get(), [](double v) { return normal(v, -1, 2); });
    CHECK(even(xs) && even(ys));
    CHECK(quasi(type) || (pairs(xs) && pairs(ys)));
    OK(curandGenerateLogNormal(g, x.at, n, 0.25, 0.5));
    OK(curandGenerateLogNormalDouble(g, y.at, n, 1, 1.5));
    cudaStreamSynchronize(s);
    CHECK(even(through(x.get(), [](double v) { return normal(std::log(v), 0.25, 0.5); })));
    CHECK(even(through(y.get(), [](double v) { return normal(std::log(v), 1, 1.5); })));
    for (double lambda : {0.7, 8.0, 90.0}) {
        OK(curandGeneratePoisson(g, word.at, n, lambda));
        cudaStreamSynchronize(s);
        CHECK(poisson(word.get(), lambda));
    }
    CHECK(curandGeneratePoisson(g, word.at, n, 0) == CURAND_STATUS_OUT_OF_RANGE);
    if (!quasi(type)) CHECK(curandGenerateNormal(g, x.at, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    OK(curandDestroyGenerator(g));
    cudaStreamDestroy(s);
}

// One-word numbers: a sequence is the same in one call, in several, from an offset on, and on the host.
template <class T, class Draw> static void sequence(curandRngType_t type, Draw draw)
{
    const size_t n = 10000, cut = 4099, offset = 5003;
    curandGenerator_t g;
    Room<T> all(n), parts(n), later(n), other(n);
    std::vector<T> host(n);
    OK(curandCreateGenerator(&g, type));
    if (!quasi(type)) OK(curandSetPseudoRandomGeneratorSeed(g, 99));
    OK(draw(g, all.at, n));
    if (quasi(type))
        OK(curandSetGeneratorOffset(g, 0));
    else
        OK(curandSetPseudoRandomGeneratorSeed(g, 99));
    OK(curandGenerateSeeds(g));
    OK(draw(g, parts.at, 1));
    OK(draw(g, parts.at + 1, cut));
    OK(draw(g, parts.at + 1 + cut, n - cut - 1));
    CHECK(all.get() == parts.get());
    if (type == CURAND_RNG_PSEUDO_MT19937) {
        CHECK(curandSetGeneratorOffset(g, 1) == CURAND_STATUS_TYPE_ERROR);
    } else {
        OK(curandSetGeneratorOffset(g, offset));
        OK(draw(g, later.at, n));
        const std::vector<T> a = all.get(), b = later.get();
        CHECK(std::equal(a.begin() + offset, a.end(), b.begin()));
    }
    if (!quasi(type)) {
        OK(curandSetPseudoRandomGeneratorSeed(g, 100));
        OK(draw(g, other.at, n));
        const std::vector<T> a = all.get(), b = other.get();
        size_t alike = 0;
        for (size_t i = 0; i < n; i++) alike += a[i] == b[i];
        CHECK(alike < 5);
        CHECK((std::set<T>(a.begin(), a.end()).size() > n - 20));
    }
    OK(curandDestroyGenerator(g));
    OK(curandCreateGeneratorHost(&g, type));
    if (!quasi(type)) OK(curandSetPseudoRandomGeneratorSeed(g, 99));
    OK(draw(g, host.data(), n));
    CHECK(host == all.get());
    OK(curandDestroyGenerator(g));
}

static void twister()
{
    curandGenerator_t g;
    const size_t n = 3000;
    Room<unsigned> word(n);
    Room<double> x(n);
    std::mt19937 five(5489), both;
    std::seed_seq none;
    OK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937));
    OK(curandSetPseudoRandomGeneratorSeed(g, 5489));
    OK(curandGenerate(g, word.at, n));
    for (unsigned w : word.get()) CHECK(w == five());
    OK(curandGenerateUniformDouble(g, x.at, n));
    for (double u : x.get()) {
        const unsigned long long high = five(), both = high << 32 | five();
        CHECK(u == std::ldexp((double)((both >> 11) + 1), -53));
    }
    OK(curandDestroyGenerator(g));
}

// Each of the 2^k intervals of a dimension has one of 2^k points, and in the first two dimensions so has each rectangle
// of 2^-a by 2^-(k-a) (Sobol 1967).
static void nets(curandRngType_t type)
{
    const unsigned dimensions = 40, k = 9, n = 1 << k;
    curandGenerator_t g;
    Room<double> x(dimensions * n);
    OK(curandCreateGenerator(&g, type));
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 0) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE);
    OK(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    CHECK(curandGenerateUniformDouble(g, x.at, dimensions * n - 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    OK(curandGenerateUniformDouble(g, x.at, dimensions * n));
    const std::vector<double> v = x.get();
    auto digits = [&](unsigned d, unsigned i, unsigned bits) {
        return (unsigned)std::ldexp(v[d * n + i] - std::ldexp(1, -53), (int)bits);
    };
    for (unsigned d = 0; d < dimensions; d++) {
        std::set<unsigned> seen;
        for (unsigned i = 0; i < n; i++) seen.insert(digits(d, i, k));
        CHECK(seen.size() == n);
    }
    for (unsigned a = 1; a < k; a++) {
        std::set<unsigned> seen;
        for (unsigned i = 0; i < n; i++) seen.insert(digits(0, i, a) << (k - a) | digits(1, i, k - a));
        CHECK(seen.size() == n);
    }
    OK(curandDestroyGenerator(g));
}

// By hand: the first points of dimensions 1 to 3 (1, 1 + x, 1 + x + x²).
static void points()
{
    static const float want[3][6] = {
        {0, .5f, .75f, .25f, .375f, .875f}, {0, .5f, .25f, .75f, .375f, .875f}, {0, .5f, .25f, .75f, .625f, .125f}};
    curandGenerator_t g;
    Room<unsigned> x(18);
    OK(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32));
    OK(curandSetQuasiRandomGeneratorDimensions(g, 3));
    OK(curandGenerate(g, x.at, 18));
    for (int k = 0; k < 18; k++) CHECK((float)std::ldexp((double)x.get()[k], -32) == want[k / 6][k % 6]);
    OK(curandDestroyGenerator(g));
}

// The top k digits of the first k vectors are independent, for all k: 2^k points fill the 2^k intervals. Elimination:
// what is left of vector k, when the earlier ones have been added, begins with digit k at the latest.
template <class T> static bool fills(const T *v, int bits)
{
    std::vector<T> left;
    for (int k = 0; k < bits; k++) {
        T x = v[k];
        for (int j = 0; j < k; j++)
            if (x >> (bits - 1 - j) & 1) x ^= left[j];
        if (x >> (bits - 1 - k) != 1) return false;
        left.push_back(x);
    }
    return true;
}

static void vectors()
{
    curandDirectionVectors32_t *v, *again;
    curandDirectionVectors64_t *w;
    unsigned *c;
    unsigned long long *e;
    std::set<std::vector<unsigned>> different;
    OK(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    OK(curandGetDirectionVectors32(&again, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    OK(curandGetDirectionVectors64(&w, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    CHECK(curandGetDirectionVectors32(&again, CURAND_DIRECTION_VECTORS_64_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE);
    OK(curandGetScrambleConstants32(&c));
    OK(curandGetScrambleConstants64(&e));
    CHECK(v == again);
    for (int d = 0; d < 20000; d++) {
        CHECK(fills(v[d], 32) && fills(w[d], 64));
        different.insert(std::vector<unsigned>(v[d], v[d] + 32));
    }
    CHECK(different.size() == 20000);
    CHECK((std::set<unsigned>(c, c + 20000).size() > 19990) &&
          (std::set<unsigned long long>(e, e + 20000).size() == 20000));
}

static void errors()
{
    curandGenerator_t g;
    int version = 0, major = 0;
    OK(curandGetVersion(&version));
    OK(curandGetProperty(MAJOR_VERSION, &major));
    CHECK(version >= 10000 && major == 10);
    CHECK(curandCreateGenerator(&g, (curandRngType_t)7) == CURAND_STATUS_TYPE_ERROR);
    OK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT));
    OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
    CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 2) == CURAND_STATUS_TYPE_ERROR);
    OK(curandDestroyGenerator(g));
}

int main(int argc, char **argv)
{
    const int many = argc > 1 ? atoi(argv[1]) : 8192;
    static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW,  CURAND_RNG_PSEUDO_MRG32K3A,
                                            CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                                            CURAND_RNG_QUASI_SOBOL32,  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
                                            CURAND_RNG_QUASI_SOBOL64,  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};
    errors();
    points();
    if (many < 1000) {
        twister();
        distributions(CURAND_RNG_PSEUDO_PHILOX4_32_10, 2048);
        printf("%d wrong\n", wrong);
        return wrong != 0;
    }
    twister();
    vectors();
    for (curandRngType_t t : types) {
        distributions(t, many);
        if (t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64) sequence<unsigned long long>(t, curandGenerateLongLong);
        if (t <= CURAND_RNG_QUASI_SOBOL32) sequence<unsigned>(t, curandGenerate);
        if (t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || t == CURAND_RNG_QUASI_SOBOL64) nets(t);
    }
    nets(CURAND_RNG_QUASI_SOBOL32);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
