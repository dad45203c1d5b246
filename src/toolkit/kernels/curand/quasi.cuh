// quasi.cuh: numbers of Sobol's sequences (curand_kernel.h), dimension after dimension. A number is found from its place
// alone: its bits, in the order of Gray's code, say which direction vectors are summed.
#ifndef TOOLKIT_QUASI_H
#define TOOLKIT_QUASI_H
#include "draw.h"
#include <curand_kernel.h>

static __device__ float single(unsigned x) { return onchip_unit_float(x); }
static __device__ float single(unsigned long long x) { return (float)onchip_unit(x); }
static __device__ unsigned high_word(unsigned x) { return x; }
static __device__ unsigned high_word(unsigned long long x) { return (unsigned)(x >> 32); }
static __device__ unsigned long long long_word(unsigned x) { return (unsigned long long)x << 32 | 0x80000000; }
static __device__ unsigned long long long_word(unsigned long long x) { return x; }

template <class T> static __device__ T sobol(const T *vectors, T sum, unsigned long long place)
{
    const T i = (T)place;
    for (T gray = i ^ i >> 1; gray; gray &= gray - 1) sum ^= vectors[__ffsll((long long)gray) - 1];
    return sum;
}
template <class T> static __device__ void put(T x, const Draw &d, unsigned long long at)
{
    const float mean = (float)d.mean, deviation = (float)d.deviation;
    switch (d.kind) {
    case DRAW_WORD:
    case DRAW_LONG: ((T *)d.out)[at] = x; break;
    case DRAW_UNIFORM: ((float *)d.out)[at] = single(x); break;
    case DRAW_UNIFORM_WIDE: ((double *)d.out)[at] = onchip_unit(x); break;
    case DRAW_POISSON: ((unsigned *)d.out)[at] = onchip_poisson_sum(onchip_unit(x), d.mean); break;
    case DRAW_NORMAL:
    case DRAW_LOGNORMAL: {
        const float y = fmaf(deviation, onchip_quasi_normal_float(high_word(x)), mean);
        ((float *)d.out)[at] = d.kind == DRAW_NORMAL ? y : expf(y);
        break;
    }
    case DRAW_NORMAL_WIDE:
    case DRAW_LOGNORMAL_WIDE: {
        const double y = fma(d.deviation, onchip_quasi_normal(long_word(x)), d.mean);
        ((double *)d.out)[at] = d.kind == DRAW_NORMAL_WIDE ? y : exp(y);
    }
    }
}
template <class T>
static __device__ void draw_all(const T *vectors, const T *constants, unsigned dimensions, const Draw &d)
{
    const unsigned long long all = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned k = blockIdx.y; k < dimensions; k += gridDim.y)
        for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < d.units; i += all)
            put(sobol(vectors + k * 8 * sizeof(T), constants[k], d.offset + i), d, k * d.units + i);
}
#define QUASI(T)                                                                                       \
    extern "C" __global__ void draw(const T *vectors, const T *constants, unsigned dimensions, Draw d) \
    {                                                                                                  \
        draw_all(vectors, constants, dimensions, d);                                                   \
    }
#endif
