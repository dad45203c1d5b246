// option.cu: prices of options by Monte Carlo with cuRAND's host interface: a European call against the formula of
// Black and Scholes, an Asian one with its geometric mean (which has a formula, too), and the part of a circle in a
// square by quasi-random numbers.
#include "check.cuh"

#include <curand.h>

static const double start = 100, strike = 105, rate = 0.03, sigma = 0.25, years = 1.5;
enum { STEPS = 8 };

struct Sums {
    double call, call_squared, asian, asian_squared;
};

__global__ void prices(const float *z, int paths, double dt, double drift, double spread, double first, double limit,
                       Sums *sums)
{
    Sums mine = {0, 0, 0, 0};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x) {
        double at = log(first), mean = 0;
        for (int s = 0; s < STEPS; s++) at += drift * dt + spread * sqrt(dt) * z[s * paths + i], mean += at / STEPS;
        const double call = fmax(exp(at) - limit, 0.0), asian = fmax(exp(mean) - limit, 0.0);
        mine.call += call, mine.call_squared += call * call;
        mine.asian += asian, mine.asian_squared += asian * asian;
    }
    atomicAdd(&sums->call, mine.call);
    atomicAdd(&sums->call_squared, mine.call_squared);
    atomicAdd(&sums->asian, mine.asian);
    atomicAdd(&sums->asian_squared, mine.asian_squared);
}

__global__ void inside(const float *xy, int n, unsigned *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool in = i < n && xy[i] * xy[i] + xy[n + i] * xy[n + i] <= 1;  // dimensions lie one behind the other
    const unsigned mask = __ballot_sync(~0u, in);
    if (threadIdx.x % 32 == 0 && mask) atomicAdd(count, __popc(mask));
}

// The price of a call on what is log-normal: its logarithm has this mean and this deviation.
static double formula(double mean, double deviation)
{
    auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    const double d = (mean - std::log(strike)) / deviation;
    return std::exp(mean + deviation * deviation / 2) * below(d + deviation) - strike * below(d);
}

int main(int argc, char **argv)
{
    const int paths = size_of(argc, argv, 16384);
    const double dt = years / STEPS, drift = rate - sigma * sigma / 2;
    Array<float> z(STEPS * paths), xy(2 * paths);
    Array<Sums> sums(1);
    Array<unsigned> count(1);
    curandGenerator_t generator, quasi;
    MUST(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    MUST(curandSetPseudoRandomGeneratorSeed(generator, 2026));
    MUST(curandGenerateNormal(generator, z, STEPS * paths, 0, 1));
    prices<<<8, 128>>>(z, paths, dt, drift, sigma, start, strike, sums);
    MUST(cudaGetLastError());
    const Sums s = sums.get()[0];
    auto price = [&](double sum, double squares, double want) {
        const double mean = sum / paths, deviation = std::sqrt((squares / paths - mean * mean) / paths);
        CHECK(deviation > 0 && deviation < want);
        NEAR(mean, want, 4 * deviation);
    };
    double mean = 0, variance = 0;  // of the mean of the logarithms: step s counts in STEPS - s of them
    for (int k = 0; k < STEPS; k++) {
        const double part = (STEPS - k) / (double)STEPS;
        mean += part * drift * dt, variance += part * part * sigma * sigma * dt;
    }
    price(s.call, s.call_squared, formula(std::log(start) + drift * years, sigma * std::sqrt(years)));
    price(s.asian, s.asian_squared, formula(std::log(start) + mean, std::sqrt(variance)));

    // The same sums by the host, from the same numbers.
    const std::vector<float> first = z.get();
    Sums h = {0, 0, 0, 0};
    for (int i = 0; i < paths; i++) {
        double at = std::log(start), asian = 0;
        for (int k = 0; k < STEPS; k++) {
            at += drift * dt + sigma * std::sqrt(dt) * first[k * paths + i];
            asian += at / STEPS;
        }
        h.call += std::fmax(std::exp(at) - strike, 0), h.asian += std::fmax(std::exp(asian) - strike, 0);
    }
    NEAR(s.call, h.call, 1e-9 * h.call);
    NEAR(s.asian, h.asian, 1e-9 * h.asian);

    // The same seed gives the same numbers; what is generated next are others.
    MUST(curandGenerateNormal(generator, z, STEPS * paths, 0, 1));
    const std::vector<float> next = z.get();
    MUST(curandSetPseudoRandomGeneratorSeed(generator, 2026));
    MUST(curandSetGeneratorOffset(generator, 0));
    MUST(curandGenerateNormal(generator, z, STEPS * paths, 0, 1));
    const std::vector<float> again = z.get();
    int same = 0;
    for (size_t k = 0; k < first.size(); k++) CHECK(first[k] == again[k]), same += first[k] == next[k];
    CHECK(same < (int)first.size() / 1000 + 2);

    MUST(curandCreateGenerator(&quasi, CURAND_RNG_QUASI_SOBOL32));
    MUST(curandSetQuasiRandomGeneratorDimensions(quasi, 2));
    MUST(curandGenerateUniform(quasi, xy, 2 * paths));
    inside<<<(paths + 255) / 256, 256>>>(xy, paths, count);
    NEAR(4.0 * count.get()[0] / paths, 3.14159265, 20.0 / std::sqrt((double)paths) / std::sqrt(std::sqrt(paths)));
    MUST(curandDestroyGenerator(generator));
    MUST(curandDestroyGenerator(quasi));
    return verdict();
}
