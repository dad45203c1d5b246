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

// to[columns][rows] = from[rows][columns]: references turn a walk down a column into one along a row.
static inline void transpose_into(float *to, const float *from, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

#endif
