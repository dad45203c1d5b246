// measured.h: what the workloads of this suite share. They are kernels whose times on real GPUs were published
// (reproduce/measured/). Where a launch is large, a part of its blocks tells as much: `part` divides the grid, and the
// time is multiplied by it. The published times are of data that are all zeros; the tests take others.
#ifndef MEASURED_H
#define MEASURED_H

#include "../host.h"

#define MEASURED_PARAMS                                                                                          \
    {"part", "run one part of the blocks in so many, 1 to 65536", 1, 1, 1, 65536},                               \
        {"launches", "launches one after the other, 1 to 1000", 1, 1, 1, 1000},                                  \
        {"data", "0: all data are zero, as where the times were measured; 1: small random numbers", 1, 0, 0, 1}, \
    {                                                                                                            \
        .name = NULL                                                                                             \
    }

// The blocks that are launched of so many, along the grid's last dimension.
static inline uint32_t measured_blocks(Work *work, uint32_t all)
{
    return ceil_div(work_share(work, all), work_param(work, "part"));
}

// n small numbers, or zeros: below `below`, which also a float has room for.
static inline uint32_t *measured_words(Work *work, int64_t n, uint32_t below)
{
    uint32_t *x = work_host(work, (size_t)n * sizeof *x);
    for (int64_t k = 0; x && work_param(work, "data") && k < n; k++) x[k] = work_random(work) % below;
    return x;
}

static inline float *measured_floats(Work *work, int64_t n)
{
    uint32_t *x = measured_words(work, n, 16);
    float *f = work_host(work, (size_t)n * sizeof *f);
    for (int64_t k = 0; x && f && k < n; k++) f[k] = (float)x[k];
    return f;
}

static inline void measured_launch(Work *work, const char *kernel, oc_dim3 grid, oc_dim3 block, uint32_t smem,
                                   const WorkArg *args, size_t count)
{
    for (int64_t k = work_param(work, "launches"); k > 0; k--)
        work_launch(work, kernel, grid, block, smem, args, count);
}

#endif
