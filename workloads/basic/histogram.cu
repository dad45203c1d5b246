// histogram: how often each byte value occurs. histogram_private counts into a copy per block in shared memory, then
// adds that to the result; histogram_global adds every byte to the result at once.
// After Podlozhnyuk, "Histogram calculation in CUDA".
#include "cuda.h"

#define BINS 256

extern "C" __global__ void histogram_private(int n, const unsigned char *data, unsigned *bins) {
    __shared__ unsigned own[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

extern "C" __global__ void histogram_global(int n, const unsigned char *data, unsigned *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}
