// host.h: what the workloads' host code shares: launch shapes, seeded input, and a dot product for references.
// A null pointer here means that the run has already failed (work.h): nothing is touched then.
#ifndef WORKLOADS_HOST_H
#define WORKLOADS_HOST_H

#include "work/work.h"

static inline uint32_t ceil_div(int64_t n, int64_t by) { return (uint32_t)((n + by - 1) / by); }

// Elements of a matrix at most, where rows and columns are chosen apart: kernels number them by an int.
#define MATRIX_MOST (1ll << 30)

static inline oc_dim3 dim1(uint32_t x) { return (oc_dim3){x, 1, 1}; }

static inline oc_dim3 dim2(uint32_t x, uint32_t y) { return (oc_dim3){x, y, 1}; }

// The least power of two of at least n.
static inline int64_t power_of_two(int64_t n)
{
    int64_t p = 1;
    while (p < n) p *= 2;
    return p;
}

// References sum in double, so that what a check sees is the kernel's rounding. Four sums keep the adder busy.
static inline double dot(const float *a, const float *b, int64_t n)
{
    double sum[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += (double)a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += (double)a[i] * b[i];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

// c[m][n] = a[m][k] b[n][k]^T: each element is the dot() of two rows. Four rows of b are taken at a time, as doubles.
typedef float Floats2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef double Doubles2 __attribute__((vector_size(16), aligned(8), may_alias));
#define DOUBLES2(p) __builtin_convertvector(*(const Floats2 *)(p), Doubles2)
static inline void products(Work *work, float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k)
{
    const int64_t whole = k & ~(int64_t)3;
    double *four = work_host(work, (size_t)k * 4 * sizeof *four);
    if (!four) return;
    for (int64_t j = 0; j < n; j += 4) {
        const int64_t rows = MIN(n - j, 4);
        for (int64_t e = 0; e < rows * k; e++) four[e] = b[j * k + e];
        for (int64_t i = 0; i < m; i++) {
            const float *x = a + i * k;
            const double *y0 = four, *y1 = four + k, *y2 = four + 2 * k, *y3 = four + 3 * k;
            Doubles2 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
            for (int64_t e = 0; e < whole; e += 4) {
                const Doubles2 low = DOUBLES2(x + e), high = DOUBLES2(x + e + 2);
                s0 += low * *(const Doubles2 *)(y0 + e), t0 += high * *(const Doubles2 *)(y0 + e + 2);
                s1 += low * *(const Doubles2 *)(y1 + e), t1 += high * *(const Doubles2 *)(y1 + e + 2);
                s2 += low * *(const Doubles2 *)(y2 + e), t2 += high * *(const Doubles2 *)(y2 + e + 2);
                s3 += low * *(const Doubles2 *)(y3 + e), t3 += high * *(const Doubles2 *)(y3 + e + 2);
            }
            const Doubles2 sum[4][2] = {{s0, t0}, {s1, t1}, {s2, t2}, {s3, t3}};
            for (int64_t r = 0; r < rows; r++) {
                double first = sum[r][0][0];
                for (int64_t rest = whole; rest < k; rest++) first += (double)x[rest] * four[r * k + rest];
                c[i * n + j + r] = (float)(first + sum[r][0][1] + sum[r][1][0] + sum[r][1][1]);
            }
        }
    }
}

// to[columns][rows] = from[rows][columns]: references turn a walk down a column into one along a row.
static inline void transpose_into(float *to, const float *from, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

#endif
