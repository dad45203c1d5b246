// pseudo.cuh: pseudo-random numbers for an array, by as many generators as there are streams (curand_kernel.h). Unit u
// comes from stream (turn + u) modulo their number, so that it doesn't matter in how many calls units are drawn.
#ifndef TOOLKIT_PSEUDO_H
#define TOOLKIT_PSEUDO_H
#include "draw.h"
#include <curand_kernel.h>

template <class State> static __device__ void draw_unit(State *s, const Draw &d, unsigned long long u)
{
    const float mean = (float)d.mean, deviation = (float)d.deviation;
    switch (d.kind) {
    case DRAW_WORD: ((unsigned *)d.out)[u] = curand(s); break;
    case DRAW_UNIFORM: ((float *)d.out)[u] = curand_uniform(s); break;
    case DRAW_UNIFORM_WIDE: ((double *)d.out)[u] = curand_uniform_double(s); break;
    case DRAW_POISSON: ((unsigned *)d.out)[u] = curand_poisson(s, d.mean); break;
    case DRAW_NORMAL:
    case DRAW_LOGNORMAL: {
        float2 x = curand_normal2(s);
        x.x = fmaf(deviation, x.x, mean), x.y = fmaf(deviation, x.y, mean);
        if (d.kind == DRAW_LOGNORMAL) x.x = expf(x.x), x.y = expf(x.y);
        ((float *)d.out)[2 * u] = x.x, ((float *)d.out)[2 * u + 1] = x.y;
        break;
    }
    case DRAW_NORMAL_WIDE:
    case DRAW_LOGNORMAL_WIDE: {
        double2 x = curand_normal2_double(s);
        x.x = fma(d.deviation, x.x, d.mean), x.y = fma(d.deviation, x.y, d.mean);
        if (d.kind == DRAW_LOGNORMAL_WIDE) x.x = exp(x.x), x.y = exp(x.y);
        ((double *)d.out)[2 * u] = x.x, ((double *)d.out)[2 * u + 1] = x.y;
    }
    }
}

// begin: word `offset` of the sequence is the next one. draw: what is asked for.
#define PSEUDO(State)                                                                                    \
    extern "C" __global__ void begin(State *all, unsigned long long seed, unsigned long long offset)     \
    {                                                                                                    \
        const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        const unsigned long long taken = offset / DRAW_STREAMS + (offset % DRAW_STREAMS > t);            \
        State s;                                                                                         \
        curand_init(seed, t, taken, &s);                                                                 \
        all[t] = s;                                                                                      \
    }                                                                                                    \
    extern "C" __global__ void draw(State *all, Draw d)                                                  \
    {                                                                                                    \
        const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, first = t - d.turn & DRAW_STREAMS - 1; \
        if (first >= d.units) return;                                                                    \
        State s = all[t];                                                                                \
        for (unsigned long long u = first; u < d.units; u += DRAW_STREAMS) draw_unit(&s, d, u);          \
        all[t] = s;                                                                                      \
    }
#endif
