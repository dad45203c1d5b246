// ai.h: what the host code of this suite shares: numbers of f16, and matrices of them.
#ifndef WORKLOADS_AI_AI_H
#define WORKLOADS_AI_AI_H

#include "../host.h"

#include <math.h>
#include <stdio.h>

// The nearest f16, ties to even. Numbers are well within its range: |x| < 65504.
static inline uint16_t to_f16(float x)
{
    const float size = fabsf(x);
    int exponent = 0;
    frexpf(size, &exponent);
    if (exponent < -13) exponent = -13;                    // subnormals have the spacing of the least normal ones
    const float step = ldexpf(1, exponent - 11);           // 11 bits
    const uint32_t n = (uint32_t)nearbyintf(size / step);  // 1024 to 2048, or less where x is subnormal
    return (uint16_t)((x < 0 ? 0x8000u : 0) + ((uint32_t)(exponent + 13) << 10) + n);
}

static inline float of_f16(uint16_t x)
{
    const int exponent = x >> 10 & 31;
    const float size = ldexpf((float)(x & 1023) + (exponent ? 1024 : 0), (exponent ? exponent : 1) - 25);
    return x & 0x8000 ? -size : size;
}

// A matrix of random numbers of f16 on the device, and the same numbers as floats on the host.
typedef struct Halves {
    WorkBuf device;
    float *host;
} Halves;

static inline Halves random_halves(Work *work, const char *label, size_t count, float low, float high)
{
    Halves h = {.host = work_random_floats(work, count, low, high)};
    uint16_t *bits = work_host(work, count * sizeof *bits);
    for (size_t i = 0; h.host && bits && i < count; i++) bits[i] = to_f16(h.host[i]), h.host[i] = of_f16(bits[i]);
    h.device = work_upload(work, label, bits, count * sizeof *bits);
    return h;
}

// Maps a matrix of f16 in boxes of 64 columns, 128 bytes, and so many rows.
static inline void map_halves(Work *work, const char *name, WorkBuf of, int64_t rows, int64_t columns, uint32_t box)
{
    const oc_tensor tensor = {.base = of.ptr,
                              .type = OC_TENSOR_F16,
                              .rank = 2,
                              .size = {(uint64_t)columns, (uint64_t)rows},
                              .stride = {0, (uint64_t)columns * 2},
                              .box = {64, box},
                              .swizzle = 128};
    work_tensor(work, name, &tensor);
}

// The device's result of f16, as floats.
static inline float *read_halves(Work *work, WorkBuf from)
{
    const size_t count = from.bytes / sizeof(uint16_t);
    uint16_t *bits = work_host(work, from.bytes);
    float *values = work_host(work, count * sizeof *values);
    work_read(work, bits, from, from.bytes);
    for (size_t i = 0; bits && values && i < count; i++) values[i] = of_f16(bits[i]);
    return values;
}

// C = A B from the definition: A by rows, B by columns.
static inline float *product_of(Work *work, const float *a, const float *b, int64_t m, int64_t n, int64_t k)
{
    float *c = work_host(work, (size_t)(m * n) * sizeof *c);
    if (!a || !b || !c || !work_ok(work)) return c;
    work_products(work, c, a, b, m, n, k);
    return c;
}

#endif
