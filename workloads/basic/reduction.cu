// reduction: the sum of a vector. Each block adds a strided share in registers, then its threads' sums in a tree in
// shared memory, and writes one number; a second launch of one block adds those.
// After Harris, "Optimizing Parallel Reduction in CUDA".
#include "cuda.h"

#define BLOCK 256

extern "C" __global__ void reduce(int n, const float *in, float *out) {
    __shared__ float part[BLOCK];
    const int me = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + me; i < n; i += gridDim.x * BLOCK) sum += in[i];
    part[me] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (me < half) part[me] += part[me + half];
        __syncthreads();
    }
    if (me == 0) out[blockIdx.x] = part[0];
}
