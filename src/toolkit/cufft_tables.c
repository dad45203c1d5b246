// cufft_tables.c: cuFFT's tables of factors. They are computed in double precision, and rounded once.
#include "toolkit/cufft_plan.h"

#include <complex.h>
#include <math.h>

typedef double complex Factor;

// e^(-2πik/n). The angle is brought into an eighth of the circle, where sine and cosine are exact to the last digit.
static Factor root(unsigned long long k, unsigned long long n)
{
    static const double turn = 6.283185307179586476925;
    const unsigned long long eighth = 8 * k / n, quarter = (eighth + 1) / 2;
    const double angle = turn * ((double)(long long)(4 * k - quarter * n) / (4 * (double)n)), c = cos(angle),
                 s = sin(angle);
    switch (quarter & 3) {
    case 0: return __builtin_complex(c, -s);
    case 1: return __builtin_complex(-s, -c);
    case 2: return __builtin_complex(-c, s);
    }
    return __builtin_complex(s, c);
}

// Transforms 2^log points in place: Cooley and Tukey (1965), first putting them in the order of their reversed digits.
static void transform(Factor *x, size_t n)
{
    for (size_t i = 0, j = 0; i < n; i++) {
        if (i < j) {
            const Factor swap = x[i];
            x[i] = x[j], x[j] = swap;
        }
        size_t bit = n >> 1;
        for (; bit && (j & bit); bit >>= 1) j ^= bit;
        j |= bit;
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t k = 0; k < half; k++) {
            const Factor w = root(k, 2 * half);
            for (size_t i = k; i < n; i += 2 * half) {
                const Factor a = x[i], b = x[i + half] * w;
                x[i] = a + b, x[i + half] = a - b;
            }
        }
}

long long fft_chirp_points(long long n)
{
    long long m = 1;
    while (m < 2 * n - 1) m *= 2;
    return m;
}

// k² modulo 2n, of k below 2^32
static Factor chirp(unsigned long long k, long long n) { return root(k * k % (2 * (unsigned long long)n), 2 * n); }

static size_t entries(FftTableKind kind, long long n)
{
    switch (kind) {
    case FFT_LOW: return 1024;
    case FFT_HIGH: return (size_t)n / 1024 + 1;
    case FFT_CHIRPED: return (size_t)fft_chirp_points(n);
    default: return (size_t)n;
    }
}

static void fill(Factor *x, size_t count, FftTableKind kind, long long n)
{
    const unsigned long long u = (unsigned long long)n;
    switch (kind) {
    case FFT_ROOTS:
    case FFT_LOW:
        for (size_t k = 0; k < count; k++) x[k] = root(k % u, u);
        return;
    case FFT_HIGH:
        for (size_t k = 0; k < count; k++) x[k] = root(1024 * k % u, u);
        return;
    case FFT_CHIRP:
        for (size_t k = 0; k < count; k++) x[k] = chirp(k, n);
        return;
    case FFT_CHIRPED:
        x[0] = 1 / (double)count;
        for (size_t k = 1; k < u; k++) x[k] = x[count - k] = conj(chirp(k, n)) / (double)count;
        transform(x, count);
    }
}

static CUdeviceptr copied(const Factor *x, size_t count, bool wide)
{
    CUdeviceptr at = 0;
    const size_t bytes = count * (wide ? sizeof(Factor) : sizeof(float complex));
    float complex *narrow = wide ? NULL : mem_try(count, sizeof *narrow);
    if (!wide && !narrow) return 0;
    for (size_t k = 0; narrow && k < count; k++) narrow[k] = (float complex)x[k];
    if (cuMemAlloc(&at, bytes) == CUDA_SUCCESS && cuMemcpyHtoD(at, narrow ? (const void *)narrow : x, bytes)) {
        cuMemFree(at);
        at = 0;
    }
    mem_free(narrow);
    return at;
}

CUdeviceptr fft_table(FftPlan *p, FftTableKind kind, long long n, bool make)
{
    for (size_t j = 0; j < p->tables.n; j++)
        if (p->tables.v[j].kind == kind && p->tables.v[j].n == n) return p->tables.v[j].at;
    if (!make) return 0;
    const size_t count = entries(kind, n);
    Factor *x = mem_try(count, sizeof *x);
    if (!x) return 0;
    fill(x, count, kind, n);
    const FftTable t = {kind, n, copied(x, count, fft_wide(p->type))};
    mem_free(x);
    if (t.at) vec_push(&p->tables, t);
    return t.at;
}

void fft_tables_free(FftPlan *p)
{
    for (size_t j = 0; j < p->tables.n; j++) cuMemFree(p->tables.v[j].at);
    vec_free(&p->tables);
}
