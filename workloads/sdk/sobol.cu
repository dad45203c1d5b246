// sobol: points of Sobol's quasi-random sequence. CUDA SDK, SobolQRNG (Giles; Joe, Kuo; Bratley, Fox). Each dimension
// has 32 direction numbers v. Point i is the exclusive or of the v[k] whose bit k is set in the Gray code of i. A block
// has 64 threads and works on one dimension, whose direction numbers it keeps in shared memory. A thread computes its
// first point from that definition. It goes on to point i + stride by two exclusive ors.
#include "cuda.h"

#define DIRECTIONS 32

// The grid has a row of blocks for each dimension. The number of blocks in a row is a power of two, so stride is one.
extern "C" __global__ void sobol(unsigned n, const unsigned *directions, float *points) {
    __shared__ unsigned v[DIRECTIONS];
    directions += DIRECTIONS * blockIdx.y;
    points += n * blockIdx.y;
    if (threadIdx.x < DIRECTIONS) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();

    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    const int bits = 31 - __clz(stride);  // of first
    unsigned x = 0, gray = first ^ first >> 1;
#pragma unroll 1
    for (int k = 0; k < bits; k++, gray >>= 1) x ^= v[k] & -(gray & 1);

    // From i to i + stride two bits of the Gray code change. One is the bit below stride's. The other is where i has
    // its lowest 0, from stride's bit on.
    const unsigned below = v[bits - 1];
    for (unsigned i = first; i < n; i += stride) {
        points[i] = x * 0x1p-32f;
        x ^= below ^ v[__ffs(~(i | (stride - 1))) - 1];
    }
}
