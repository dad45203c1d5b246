// curand_kernel.h: random numbers made by threads of the device. Names and meanings are those of the cuRAND guide's
// "Device API"; the generators are those of the papers:
//   XORWOW     Marsaglia, Xorshift RNGs (2003); a subsequence is 2^67 numbers
//   MRG32k3a   L'Ecuyer, Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators
//              (1999); a subsequence is 2^76 numbers, a sequence 2^127
//   Philox     Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (2011); 4·2^64 numbers
//   Sobol      Antonov, Saleev, An Economic Method of Computing LPτ-Sequences (1979), direction numbers are given
//
// Invariant: a state stands for its place in one sequence of words, and curand takes the next one. What takes more is
// made of several, so that it may be mixed with any other. Seeds of XORWOW and MRG32k3a are spread by SplitMix64
// (Steele, Lea, Flood 2014): their numbers differ from NVIDIA's for the same seed. Philox's are the paper's.
#ifndef ONCHIP_CURAND_KERNEL_H
#define ONCHIP_CURAND_KERNEL_H
#include "onchip/letters_off.h"
#define CURAND_KERNEL_H_

#include "curand.h"
#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_runtime.h"
#include "onchip/curand_jumps.h"

// A function so long that it's called.
#define ONCHIP_CURAND_CALLED static __attribute__((device, noinline, nodebug, unused))

// --- states ---------------------------------------------------------------------------------------------------------
struct onchip_curand_spare {  // the second number of a pair of normal ones
    int float_waits, double_waits;
    float next_float;
    double next_double;
};
typedef struct curandStateXORWOW {
    unsigned v[5], d;
    onchip_curand_spare spare;
} curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    onchip_curand_spare spare;
} curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 {
    uint4 counter, block;  // block: the counter's four words, of which `at` is the next
    uint2 key;
    unsigned at;
    onchip_curand_spare spare;
} curandStatePhilox4_32_10_t;
template <class T> struct onchip_sobol {
    T i, x, c, direction_vectors[8 * sizeof(T)];
};
typedef struct curandStateSobol32 : onchip_sobol<unsigned> {} curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 : onchip_sobol<unsigned> {} curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 : onchip_sobol<unsigned long long> {} curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 : onchip_sobol<unsigned long long> {} curandStateScrambledSobol64_t;

ONCHIP_FN unsigned long long onchip_curand_split(unsigned long long &at)  // SplitMix64
{
    unsigned long long z = at += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// --- XORWOW: five words by a linear recurrence, and a sum -----------------------------------------------------------
ONCHIP_FN void onchip_xorwow_step(unsigned *v)
{
    const unsigned t = v[0] ^ v[0] >> 2, last = v[4];
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = last;
    v[4] = last ^ last << 4 ^ t ^ t << 1;
}
// n·2^67 steps (subsequence) or n. A jump is a polynomial in one step: the sum of those states whose power it has.
ONCHIP_CURAND_CALLED void onchip_xorwow_jump(unsigned *state, unsigned long long n, int subsequence)
{
    unsigned v[5] = {state[0], state[1], state[2], state[3], state[4]};
    for (int digit = 0; n; ++digit, n >>= 4) {
        if (!(n & 15)) continue;
        const unsigned *jump = onchip_xorwow_jumps[subsequence][digit][(n & 15) - 1];
        unsigned sum[5] = {0, 0, 0, 0, 0};
        for (int word = 0; word < 5; ++word)
#pragma unroll 5
            for (int bit = 0; bit < 32; ++bit) {
                const unsigned has = -(jump[word] >> bit & 1);
                for (int k = 0; k < 5; ++k) sum[k] ^= v[k] & has;
                onchip_xorwow_step(v);
            }
        for (int k = 0; k < 5; ++k) v[k] = sum[k];
    }
    for (int k = 0; k < 5; ++k) state[k] = v[k];
}
ONCHIP_FN unsigned curand(curandStateXORWOW_t *state)
{
    onchip_xorwow_step(state->v);
    return state->v[4] + (state->d += 362437);
}
ONCHIP_FN void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    onchip_xorwow_jump(state->v, n, 0);
    state->d += (unsigned)n * 362437;
}
ONCHIP_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    onchip_xorwow_jump(state->v, n, 1);  // the sum is the same after 2^32 numbers
}
ONCHIP_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateXORWOW_t *state)
{
    *state = {};
    for (int k = 0; k < 6; k += 2) {
        const unsigned long long x = onchip_curand_split(seed);
        state->v[k] = (unsigned)x;
        (k < 4 ? state->v[k + 1] : state->d) = (unsigned)(x >> 32);
    }
    state->v[4] |= 1;  // not all may be 0
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

// --- MRG32k3a: the difference of two recurrences of three words, modulo m1 and m2 -----------------------------------
#define ONCHIP_MRG_1 4294967087u
#define ONCHIP_MRG_2 4294944443u
// The next of s[0], s[1], s[2], which is x³ = c0 + c1·x + c2·x²
template <unsigned m> ONCHIP_FN unsigned long long onchip_mrg_next(const unsigned *s)
{
    if (m == ONCHIP_MRG_1) return (1403580ull * s[1] + 810728ull * (m - s[0])) % m;
    return (527612ull * s[2] + 1370589ull * (m - s[0])) % m;
}
// a = a·b of polynomials of degree 2
template <unsigned m> ONCHIP_FN void onchip_mrg_multiply(unsigned *a, const unsigned *b)
{
    unsigned r[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r[i + j] = (unsigned)((r[i + j] + (unsigned long long)a[i] * b[j] % m) % m);
    const unsigned long long c0 = m == ONCHIP_MRG_1 ? m - 810728 : m - 1370589, c1 = m == ONCHIP_MRG_1 ? 1403580 : 0,
                             c2 = m == ONCHIP_MRG_1 ? 0 : 527612;
    for (int k = 4; k >= 3; --k) {
        r[k - 3] = (unsigned)((r[k - 3] + c0 * r[k] % m) % m);
        r[k - 2] = (unsigned)((r[k - 2] + c1 * r[k]) % m);
        r[k - 1] = (unsigned)((r[k - 1] + c2 * r[k]) % m);
    }
    a[0] = r[0], a[1] = r[1], a[2] = r[2];
}
// n jumps by the polynomial g
template <unsigned m>
ONCHIP_FN void onchip_mrg_jump(unsigned *s, unsigned long long n, unsigned g0, unsigned g1, unsigned g2)
{
    unsigned g[3] = {g0, g1, g2}, all[3] = {1, 0, 0};
    for (; n; n >>= 1) {
        if (n & 1) onchip_mrg_multiply<m>(all, g);
        onchip_mrg_multiply<m>(g, g);
    }
    unsigned r[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = 0;
        for (int k = 0; k < 3; ++k) r[i] = (unsigned)((r[i] + (unsigned long long)all[k] * s[k] % m) % m);
        const unsigned next = (unsigned)onchip_mrg_next<m>(s);
        s[0] = s[1], s[1] = s[2], s[2] = next;
    }
    s[0] = r[0], s[1] = r[1], s[2] = r[2];
}
ONCHIP_CURAND_CALLED void onchip_mrg_skip(unsigned *s1, unsigned *s2, unsigned long long n, int exponent)
{
    if (exponent == 127) {
        onchip_mrg_jump<ONCHIP_MRG_1>(s1, n, ONCHIP_MRG_1_2_127);
        onchip_mrg_jump<ONCHIP_MRG_2>(s2, n, ONCHIP_MRG_2_2_127);
    } else if (exponent == 76) {
        onchip_mrg_jump<ONCHIP_MRG_1>(s1, n, ONCHIP_MRG_1_2_76);
        onchip_mrg_jump<ONCHIP_MRG_2>(s2, n, ONCHIP_MRG_2_2_76);
    } else {
        onchip_mrg_jump<ONCHIP_MRG_1>(s1, n, 0, 1, 0);
        onchip_mrg_jump<ONCHIP_MRG_2>(s2, n, 0, 1, 0);
    }
}
ONCHIP_FN unsigned curand(curandStateMRG32k3a_t *state)  // from 1 to m1
{
    unsigned *a = state->s1, *b = state->s2;
    const unsigned p = (unsigned)onchip_mrg_next<ONCHIP_MRG_1>(a), q = (unsigned)onchip_mrg_next<ONCHIP_MRG_2>(b);
    a[0] = a[1], a[1] = a[2], a[2] = p;
    b[0] = b[1], b[1] = b[2], b[2] = q;
    return p > q ? p - q : p - q + ONCHIP_MRG_1;
}
ONCHIP_FN void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    onchip_mrg_skip(state->s1, state->s2, n, 0);
}
ONCHIP_FN void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    onchip_mrg_skip(state->s1, state->s2, n, 76);
}
ONCHIP_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    onchip_mrg_skip(state->s1, state->s2, n, 127);
}
ONCHIP_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateMRG32k3a_t *state)
{
    *state = {};
    for (int k = 0; k < 3; ++k) {
        state->s1[k] = (unsigned)(onchip_curand_split(seed) % (ONCHIP_MRG_1 - 1)) + 1;
        state->s2[k] = (unsigned)(onchip_curand_split(seed) % (ONCHIP_MRG_2 - 1)) + 1;
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}
#undef ONCHIP_MRG_1_2_76
#undef ONCHIP_MRG_2_2_76
#undef ONCHIP_MRG_1_2_127
#undef ONCHIP_MRG_2_2_127

// --- Philox4x32-10: a counter, enciphered ---------------------------------------------------------------------------
ONCHIP_FN uint4 onchip_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p = 0xd2511f53ull * c.x, q = 0xcd9e8d57ull * c.z;
        c = {(unsigned)(q >> 32) ^ c.y ^ key.x, (unsigned)q, (unsigned)(p >> 32) ^ c.w ^ key.y, (unsigned)p};
        key.x += 0x9e3779b9, key.y += 0xbb67ae85;
    }
    return c;
}
ONCHIP_FN void onchip_philox_add(curandStatePhilox4_32_10_t *state, unsigned long long low, unsigned long long high)
{
    uint4 &c = state->counter;
    const unsigned long long was = (unsigned long long)c.y << 32 | c.x, now = was + low;
    high += ((unsigned long long)c.w << 32 | c.z) + (now < was);
    c = {(unsigned)now, (unsigned)(now >> 32), (unsigned)high, (unsigned)(high >> 32)};
    state->block = onchip_philox(c, state->key);
}
ONCHIP_FN unsigned curand(curandStatePhilox4_32_10_t *state)
{
    const uint4 b = state->block;
    const unsigned at = state->at, r = at < 2 ? at ? b.y : b.x : at < 3 ? b.z : b.w;
    state->at = at + 1 & 3;
    if (at == 3) onchip_philox_add(state, 1, 0);
    return r;
}
ONCHIP_FN uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const uint4 a = state->block;
    onchip_philox_add(state, 1, 0);
    const uint4 b = state->block;
    switch (state->at) {
    case 0: return a;
    case 1: return {a.y, a.z, a.w, b.x};
    case 2: return {a.z, a.w, b.x, b.y};
    }
    return {a.w, b.x, b.y, b.z};
}
ONCHIP_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned at = state->at + (unsigned)(n & 3);
    state->at = at & 3;
    onchip_philox_add(state, (n >> 2) + (at >> 2), 0);
}
ONCHIP_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    onchip_philox_add(state, 0, n);
}
ONCHIP_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStatePhilox4_32_10_t *state)
{
    *state = {};
    state->key = {(unsigned)seed, (unsigned)(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

// --- Sobol's sequences, in the order of Gray's code -----------------------------------------------------------------
template <class T> ONCHIP_FN void onchip_sobol_go(onchip_sobol<T> *state, T i)
{
    state->i = i;
    state->x = state->c;
    for (T gray = i ^ i >> 1, k = 0; gray; gray >>= 1, ++k)
        if (gray & 1) state->x ^= state->direction_vectors[k];
}
template <class T> ONCHIP_FN T curand(onchip_sobol<T> *state)
{
    const T x = state->x, i = state->i++;
    if (i != (T)~0ull) state->x ^= state->direction_vectors[__ffsll((long long)~(unsigned long long)i) - 1];
    return x;
}
template <class T> ONCHIP_FN void onchip_sobol_begin(onchip_sobol<T> *state, const T *vectors, T scramble, T offset)
{
    for (int k = 0; k < (int)(8 * sizeof(T)); ++k) state->direction_vectors[k] = vectors[k];
    state->c = scramble;
    onchip_sobol_go(state, offset);
}
#define ONCHIP_SOBOL(n, T)                                                                                    \
    ONCHIP_FN void curand_init(const T *direction_vectors, T offset, curandStateSobol##n##_t *state)          \
    {                                                                                                         \
        onchip_sobol_begin<T>(state, direction_vectors, 0, offset);                                           \
    }                                                                                                         \
    ONCHIP_FN void curand_init(const T *direction_vectors, T scramble_c, T offset,                            \
                               curandStateScrambledSobol##n##_t *state)                                       \
    {                                                                                                         \
        onchip_sobol_begin<T>(state, direction_vectors, scramble_c, offset);                                  \
    }                                                                                                         \
    ONCHIP_FN void skipahead(T more, curandStateSobol##n##_t *state) { onchip_sobol_go<T>(state, state->i + more); } \
    ONCHIP_FN void skipahead(T more, curandStateScrambledSobol##n##_t *state)                                 \
    {                                                                                                         \
        onchip_sobol_go<T>(state, state->i + more);                                                           \
    }
ONCHIP_SOBOL(32, unsigned)
ONCHIP_SOBOL(64, unsigned long long)
#undef ONCHIP_SOBOL

// --- uniform numbers: over 0, and at most 1 -------------------------------------------------------------------------
ONCHIP_FN float onchip_unit_float(unsigned x) { return fmaf((float)x, 2.3283064e-10f, 1.1641532e-10f); }
ONCHIP_FN double onchip_unit(unsigned x) { return fma((double)x, 2.3283064365386963e-10, 1.1641532182693481e-10); }
ONCHIP_FN double onchip_unit(unsigned long long x) { return (double)((x >> 11) + 1) * 1.1102230246251565e-16; }
template <class State> ONCHIP_FN double onchip_unit_of_two(State *state)
{
    const unsigned long long high = curand(state);
    return onchip_unit(high << 32 | curand(state));
}
#define ONCHIP_UNIFORM(State, single, wide)                                                                   \
    ONCHIP_FN float curand_uniform(State *state) { return single; }                                           \
    ONCHIP_FN double curand_uniform_double(State *state) { return wide; }
ONCHIP_UNIFORM(curandStateXORWOW_t, onchip_unit_float(curand(state)), onchip_unit_of_two(state))
ONCHIP_UNIFORM(curandStatePhilox4_32_10_t, onchip_unit_float(curand(state)), onchip_unit_of_two(state))
ONCHIP_UNIFORM(curandStateMRG32k3a_t, (float)curand(state) * 2.3283065e-10f,
               (double)curand(state) * 2.3283065492957277e-10)  // 1/(m1 + 1)
ONCHIP_UNIFORM(curandStateSobol32_t, onchip_unit_float(curand(state)), onchip_unit(curand(state)))
ONCHIP_UNIFORM(curandStateScrambledSobol32_t, onchip_unit_float(curand(state)), onchip_unit(curand(state)))
ONCHIP_UNIFORM(curandStateSobol64_t, (float)onchip_unit(curand(state)), onchip_unit(curand(state)))
ONCHIP_UNIFORM(curandStateScrambledSobol64_t, (float)onchip_unit(curand(state)), onchip_unit(curand(state)))
#undef ONCHIP_UNIFORM
ONCHIP_FN float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return {onchip_unit_float(x.x), onchip_unit_float(x.y), onchip_unit_float(x.z), onchip_unit_float(x.w)};
}
ONCHIP_FN double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const double x = curand_uniform_double(state);
    return {x, curand_uniform_double(state)};
}
ONCHIP_FN double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return {a.x, a.y, b.x, b.y};
}

// --- normal numbers: pairs by Box's and Muller's method (1958); of Sobol's sequences by the inverse function --------
template <class State, class = decltype(State::spare)> ONCHIP_FN float2 curand_normal2(State *state)
{
    const float length = sqrtf(-2 * logf(curand_uniform(state)));
    float sine, cosine;
    sincospif(2 * curand_uniform(state), &sine, &cosine);
    return {length * sine, length * cosine};
}
template <class State, class = decltype(State::spare)> ONCHIP_FN double2 curand_normal2_double(State *state)
{
    const double length = sqrt(-2 * log(curand_uniform_double(state)));
    double sine, cosine;
    sincospi(2 * curand_uniform_double(state), &sine, &cosine);
    return {length * sine, length * cosine};
}
template <class State, class = decltype(State::spare)> ONCHIP_FN float curand_normal(State *state)
{
    onchip_curand_spare &spare = state->spare;
    if ((spare.float_waits = !spare.float_waits)) {
        const float2 both = curand_normal2(state);
        spare.next_float = both.y;
        return both.x;
    }
    return spare.next_float;
}
template <class State, class = decltype(State::spare)> ONCHIP_FN double curand_normal_double(State *state)
{
    onchip_curand_spare &spare = state->spare;
    if ((spare.double_waits = !spare.double_waits)) {
        const double2 both = curand_normal2_double(state);
        spare.next_double = both.y;
        return both.x;
    }
    return spare.next_double;
}
ONCHIP_FN float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const float2 a = curand_normal2(state), b = curand_normal2(state);
    return {a.x, a.y, b.x, b.y};
}
ONCHIP_FN double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return {a.x, a.y, b.x, b.y};
}
// The lower half's, and the other half's from it.
ONCHIP_FN float onchip_quasi_normal_float(unsigned x)
{
    const bool upper = x >> 31;
    const float y = normcdfinvf(onchip_unit_float(upper ? ~x : x));
    return upper ? -y : y;
}
ONCHIP_FN double onchip_quasi_normal(unsigned long long x)
{
    const bool upper = x >> 63;
    const double y = normcdfinv(((double)(upper ? ~x : x) + 0.5) * 5.4210108624275222e-20);
    return upper ? -y : y;
}
#define ONCHIP_QUASI(State, single, wide)                                                                     \
    ONCHIP_FN float curand_normal(State *state) { return onchip_quasi_normal_float((unsigned)(single)); }     \
    ONCHIP_FN double curand_normal_double(State *state) { return onchip_quasi_normal(wide); }
#define ONCHIP_WORD (unsigned long long)curand(state) << 32 | 0x80000000
ONCHIP_QUASI(curandStateSobol32_t, curand(state), ONCHIP_WORD)
ONCHIP_QUASI(curandStateScrambledSobol32_t, curand(state), ONCHIP_WORD)
ONCHIP_QUASI(curandStateSobol64_t, curand(state) >> 32, curand(state))
ONCHIP_QUASI(curandStateScrambledSobol64_t, curand(state) >> 32, curand(state))
#undef ONCHIP_WORD
#undef ONCHIP_QUASI

template <class State> ONCHIP_FN float curand_log_normal(State *state, float mean, float stddev)
{
    return expf(fmaf(stddev, curand_normal(state), mean));
}
template <class State> ONCHIP_FN double curand_log_normal_double(State *state, double mean, double stddev)
{
    return exp(fma(stddev, curand_normal_double(state), mean));
}
template <class State> ONCHIP_FN float2 curand_log_normal2(State *state, float mean, float stddev)
{
    const float2 x = curand_normal2(state);
    return {expf(fmaf(stddev, x.x, mean)), expf(fmaf(stddev, x.y, mean))};
}
template <class State> ONCHIP_FN double2 curand_log_normal2_double(State *state, double mean, double stddev)
{
    const double2 x = curand_normal2_double(state);
    return {exp(fma(stddev, x.x, mean)), exp(fma(stddev, x.y, mean))};
}
ONCHIP_FN float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    const float2 a = curand_log_normal2(state, mean, stddev), b = curand_log_normal2(state, mean, stddev);
    return {a.x, a.y, b.x, b.y};
}
ONCHIP_FN double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double stddev)
{
    const double2 a = curand_log_normal2_double(state, mean, stddev);
    const double2 b = curand_log_normal2_double(state, mean, stddev);
    return {a.x, a.y, b.x, b.y};
}

// --- Poisson's ------------------------------------------------------------------------------------------------------
ONCHIP_FN double onchip_log_factorial(double k)
{
    if (k < 10) {
        double product = 1;
        for (double i = 2; i <= k; ++i) product *= i;
        return log(product);
    }
    const double v = 1 / k, u = v * v;  // Stirling's series
    return fma(k + 0.5, log(k), 0.91893853320467274 - k) +
           v * onchip_p(u, 0.083333333333333333, -0.0027777777777777778, 0.00079365079365079365, -0.00059523809523809);
}
ONCHIP_FN double onchip_poisson_log(double lambda, double k)
{
    return (k > 0 ? k * log(lambda) : 0) - lambda - onchip_log_factorial(k);
}
// By the sum of probabilities, from where it's still nothing. It takes one number, as a quasi-random sequence must.
ONCHIP_FN unsigned onchip_poisson_sum(double u, double lambda)
{
    const double root = sqrt(lambda), last = lambda + 12 * root + 60, from = floor(lambda - 9 * root);
    double k = from > 0 ? from : 0, p = exp(onchip_poisson_log(lambda, k)), sum = p;
    while (sum < u && k < last) p *= lambda / ++k, sum += p;
    return (unsigned)k;
}
// Hörmann, The Transformed Rejection Method for Generating Poisson Random Variables (1993), PTRS
template <class State> ONCHIP_CURAND_CALLED unsigned onchip_poisson_reject(State *state, double lambda)
{
    const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, least = 0.9277 - 3.6224 / (b - 2);
    const double alpha = 1.1239 + 1.1328 / (b - 3.4);
    for (;;) {
        const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), s = 0.5 - fabs(u);
        const double k = floor((2 * a / s + b) * u + lambda + 0.43);
        if (s >= 0.07 && v <= least) return (unsigned)k;
        if (!(k >= 0) || (s < 0.013 && v > s)) continue;
        if (log(v * alpha / (a / (s * s) + b)) <= onchip_poisson_log(lambda, k)) return (unsigned)k;
    }
}
template <class State, class = decltype(State::spare)> ONCHIP_FN unsigned curand_poisson(State *state, double lambda)
{
    if (lambda < 10) return onchip_poisson_sum(curand_uniform_double(state), lambda);
    return onchip_poisson_reject(state, lambda);
}
template <class T> ONCHIP_FN unsigned curand_poisson(onchip_sobol<T> *state, double lambda)
{
    return onchip_poisson_sum(onchip_unit(curand(state)), lambda);
}
ONCHIP_FN uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    const unsigned a = curand_poisson(state, lambda), b = curand_poisson(state, lambda);
    const unsigned c = curand_poisson(state, lambda);
    return {a, b, c, curand_poisson(state, lambda)};
}
#undef ONCHIP_CURAND_CALLED
#undef ONCHIP_MRG_1
#undef ONCHIP_MRG_2
#endif
#include "onchip/letters_back.h"
#endif
