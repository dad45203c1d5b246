// curand_sobol.c: the direction vectors of Sobol's sequences. Dimension d > 1 belongs to a primitive polynomial modulo
// 2: by degree, and then by its coefficients, as in Joe and Kuo, Constructing Sobol Sequences with Better
// Two-Dimensional Projections (2008). The first 32 dimensions begin with the numbers that they publish. Further ones
// begin with odd numbers by chance: each is a Sobol sequence, and a (0, 1)-sequence in base 2, but two of them needn't
// fill a square as evenly.
//
// Invariant: word k of a dimension has its top k + 1 bits set at most, and the last of these. Scrambling multiplies it
// by a lower triangular matrix with ones in the diagonal (Matoušek, On the L2-Discrepancy for Anchored Boxes, 1998), so
// that the top k bits of the first k words are independent still.
#include "toolkit/curand_unit.h"

#include <pthread.h>

enum { DEGREE_MOST = 18, PUBLISHED = 31 };

// The numbers of dimensions 2 to 32: as many as the degree; the others are 0.
static const unsigned char published[PUBLISHED][7] = {
    {1},
    {1, 3},
    {1, 3, 1},
    {1, 1, 1},
    {1, 1, 3, 3},
    {1, 3, 5, 13},
    {1, 1, 5, 5, 17},
    {1, 1, 5, 5, 5},
    {1, 1, 7, 11, 19},
    {1, 1, 5, 1, 1},
    {1, 1, 1, 3, 11},
    {1, 3, 5, 5, 31},
    {1, 3, 3, 9, 7, 49},
    {1, 1, 1, 15, 21, 21},
    {1, 3, 1, 13, 27, 49},
    {1, 1, 1, 15, 7, 5},
    {1, 3, 1, 15, 13, 25},
    {1, 1, 5, 5, 19, 61},
    {1, 3, 7, 11, 23, 15, 103},
    {1, 3, 7, 13, 13, 15, 69},
    {1, 1, 3, 13, 7, 35, 63},
    {1, 3, 5, 9, 1, 25, 53},
    {1, 3, 1, 13, 9, 35, 107},
    {1, 3, 1, 5, 27, 61, 31},
    {1, 1, 5, 11, 19, 41, 61},
    {1, 3, 5, 3, 3, 13, 69},
    {1, 1, 7, 13, 1, 19, 1},
    {1, 3, 7, 5, 13, 19, 59},
    {1, 1, 3, 9, 25, 29, 41},
    {1, 3, 5, 13, 23, 1, 55},
    {1, 3, 7, 3, 13, 59, 17},
};

static uint64_t chance(uint64_t *at)  // SplitMix64 (Steele, Lea, Flood 2014)
{
    uint64_t z = *at += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// --- primitive polynomials -------------------------------------------------------------------------------------------
static uint32_t multiply(uint32_t a, uint32_t b, uint32_t polynomial, unsigned degree)
{
    uint32_t r = 0;
    for (; b; b >>= 1) {
        if (b & 1) r ^= a;
        a <<= 1;
        if (a >> degree & 1) a ^= polynomial;
    }
    return r;
}

static uint32_t power_of_x(uint32_t n, uint32_t polynomial, unsigned degree)
{
    uint32_t r = 1, square = degree > 1 ? 2 : 2 ^ polynomial;
    for (; n; n >>= 1) {
        if (n & 1) r = multiply(r, square, polynomial, degree);
        square = multiply(square, square, polynomial, degree);
    }
    return r;
}

// Whether the powers of x are all there are: x^(2^degree - 1) = 1, and no earlier one.
static bool primitive(uint32_t polynomial, unsigned degree)
{
    const uint32_t all = ((uint32_t)1 << degree) - 1;
    if (power_of_x(all, polynomial, degree) != 1) return false;
    uint32_t rest = all;
    for (uint32_t p = 2; p * p <= rest; p++) {
        if (rest % p) continue;
        while (rest % p == 0) rest /= p;
        if (power_of_x(all / p, polynomial, degree) == 1) return false;
    }
    return rest == 1 || rest == all || power_of_x(all / rest, polynomial, degree) != 1;
}

// --- vectors ---------------------------------------------------------------------------------------------------------
// m[k] for k below `bits`: m[k] is odd, and below 2^(k + 1) (Bratley and Fox, Algorithm 659, 1988, equation 2).
static void numbers(uint64_t *m, unsigned bits, unsigned dimension, uint32_t polynomial, unsigned degree)
{
    uint64_t at = dimension;
    for (unsigned k = 0; k < degree && k < bits; k++) {
        m[k] = (chance(&at) & (((uint64_t)1 << (k + 1)) - 1)) | 1;
        if (dimension <= PUBLISHED) m[k] = published[dimension - 1][k];
    }
    for (unsigned k = degree; k < bits; k++) {
        m[k] = m[k - degree] ^ m[k - degree] << degree;
        for (unsigned j = 1; j < degree; j++)
            if (polynomial >> (degree - j) & 1) m[k] ^= m[k - j] << j;
    }
}

// Row r of the matrix makes digit r of the digits up to r; digit 0 is the top one.
static uint64_t scrambled(uint64_t v, const uint64_t *row, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned digit = 0; digit < bits; digit++)
        r |= (uint64_t)__builtin_parityll(v & row[digit]) << (bits - 1 - digit);
    return r;
}

static void put(void *all, size_t at, unsigned bits, uint64_t word)
{
    if (bits == 32)
        ((uint32_t *)all)[at] = (uint32_t)word;
    else
        ((uint64_t *)all)[at] = word;
}

static void put_dimension(void *all, unsigned dimension, unsigned bits, bool scramble, const uint64_t *m)
{
    uint64_t row[64], at = ~(uint64_t)dimension;
    for (unsigned digit = 0; digit < bits; digit++) {
        const uint64_t own = (uint64_t)1 << (bits - 1 - digit), above = -own << 1;
        row[digit] = own | (chance(&at) & above);
    }
    for (unsigned k = 0; k < bits; k++) {
        const uint64_t v = m[k] << (bits - 1 - k);
        put(all, (size_t)dimension * bits + k, bits, scramble ? scrambled(v, row, bits) : v);
    }
}

void *sobol_vectors(unsigned dimensions, unsigned bits, bool scramble)
{
    void *all = mem_try((size_t)dimensions * bits, bits / 8);
    uint64_t m[64];
    if (!all) return NULL;
    for (unsigned k = 0; k < bits; k++) m[k] = 1;  // van der Corput's sequence
    put_dimension(all, 0, bits, scramble, m);
    unsigned d = 1;
    for (unsigned degree = 1; degree <= DEGREE_MOST; degree++)
        for (uint32_t p = (uint32_t)1 << degree | 1; d < dimensions && !(p >> degree >> 1); p += 2) {
            if (!primitive(p, degree)) continue;
            numbers(m, bits, d, p, degree);
            put_dimension(all, d++, bits, scramble, m);
        }
    return all;
}

void *sobol_constants(unsigned dimensions, unsigned bits)
{
    void *all = mem_try(dimensions, bits / 8);
    uint64_t at = bits;
    for (unsigned d = 0; all && d < dimensions; d++) put(all, d, bits, chance(&at));
    return all;
}

// --- tables that programs ask for: made once, and there until the program ends ---------------------------------------
static struct {
    pthread_mutex_t lock;
    void *vectors[4], *constants[2];
} tables = {.lock = PTHREAD_MUTEX_INITIALIZER};

static curandStatus_t vectors(void *out, int set, int first)
{
    if (!out || set < first || set > first + 1) return CURAND_STATUS_OUT_OF_RANGE;
    const int at = set - CURAND_DIRECTION_VECTORS_32_JOEKUO6;
    pthread_mutex_lock(&tables.lock);
    if (!tables.vectors[at]) tables.vectors[at] = sobol_vectors(SOBOL_DIMENSIONS, at < 2 ? 32 : 64, at & 1);
    *(void **)out = tables.vectors[at];
    pthread_mutex_unlock(&tables.lock);
    return *(void **)out ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *out[], curandDirectionVectorSet_t set)
{
    return vectors(out, (int)set, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *out[], curandDirectionVectorSet_t set)
{
    return vectors(out, (int)set, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
}

static curandStatus_t constants(void *out, unsigned bits)
{
    if (!out) return CURAND_STATUS_OUT_OF_RANGE;
    void **at = &tables.constants[bits == 64];
    pthread_mutex_lock(&tables.lock);
    if (!*at) *at = sobol_constants(SOBOL_DIMENSIONS, bits);
    *(void **)out = *at;
    pthread_mutex_unlock(&tables.lock);
    return *(void **)out ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetScrambleConstants32(unsigned **out) { return constants(out, 32); }
curandStatus_t curandGetScrambleConstants64(unsigned long long **out) { return constants(out, 64); }
