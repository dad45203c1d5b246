// mt19937.cu: the Mersenne Twister (Matsumoto, Nishimura, Mersenne Twister: A 623-dimensionally Equidistributed Uniform
// Pseudo-Random Number Generator, 1998). One block takes words out of the one sequence; many then make numbers of them.
#include "pseudo.cuh"

struct Twister {
    unsigned word[DRAW_MT_WORDS], at;
};
enum { APART = 397, TOGETHER = DRAW_MT_WORDS - APART };

static __device__ unsigned twisted(const unsigned *w, unsigned k)
{
    const unsigned next = w[(k + 1) % DRAW_MT_WORDS], y = (w[k] & 0x80000000) | (next & 0x7fffffff);
    return w[(k + APART) % DRAW_MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
}
static __device__ unsigned tempered(unsigned y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}
// The next 624 words. A word needs the one that is TOGETHER in front of it: so many are made at a time.
static __device__ void twist(unsigned *w)
{
    for (unsigned from = 0; from < DRAW_MT_WORDS; from += TOGETHER) {
        const unsigned k = from + threadIdx.x;
        const bool mine = threadIdx.x < TOGETHER && k < DRAW_MT_WORDS;
        const unsigned next = mine ? twisted(w, k) : 0;
        __syncthreads();
        if (mine) w[k] = next;
        __syncthreads();
    }
}
extern "C" __global__ void take(Twister *given, unsigned *out, unsigned long long n)
{
    __shared__ unsigned w[DRAW_MT_WORDS];
    unsigned at = given->at;
    for (unsigned k = threadIdx.x; k < DRAW_MT_WORDS; k += blockDim.x) w[k] = given->word[k];
    __syncthreads();
    for (unsigned long long done = 0; done < n;) {
        if (at == DRAW_MT_WORDS) twist(w), at = 0;
        const unsigned now = (unsigned)min(n - done, (unsigned long long)(DRAW_MT_WORDS - at));
        for (unsigned k = threadIdx.x; k < now; k += blockDim.x) out[done + k] = tempered(w[at + k]);
        done += now, at += now;
        __syncthreads();
    }
    for (unsigned k = threadIdx.x; k < DRAW_MT_WORDS; k += blockDim.x) given->word[k] = w[k];
    if (!threadIdx.x) given->at = at;
}

// A place in the words that have been taken, which curand_kernel.h's functions take for a generator.
struct Taken {
    const unsigned *at;
    int spare;
};
static __device__ unsigned curand(Taken *t) { return *t->at++; }
static __device__ float curand_uniform(Taken *t) { return onchip_unit_float(curand(t)); }
static __device__ double curand_uniform_double(Taken *t) { return onchip_unit_of_two(t); }
// It takes two words, whatever comes out.
static __device__ unsigned curand_poisson(Taken *t, double lambda)
{
    return onchip_poisson_sum(curand_uniform_double(t), lambda);
}
extern "C" __global__ void draw(const unsigned *words, Draw d, unsigned each)
{
    const unsigned long long all = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long u = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; u < d.units; u += all) {
        Taken t = {words + u * each, 0};
        draw_unit(&t, d, u);
    }
}
