// stream: an element a thread, read or written or both. The block's memory keeps others off its SM.
#include "cuda.h"

extern __shared__ double block_memory[];

extern "C" __global__ void stream_init(double *a, const double *b, const double *c, size_t n, int never)
{
    const int k = threadIdx.x + blockIdx.x * blockDim.x;
    if (k >= n) return;
    if (never) block_memory[threadIdx.x] = b[threadIdx.x];
    a[k] = 0.25;
    if (never) a[k] = block_memory[k];
}

extern "C" __global__ void stream_read(double *a, const double *b, const double *c, size_t n, int never)
{
    const int k = threadIdx.x + blockIdx.x * blockDim.x;
    if (k >= n) return;
    if (never) block_memory[threadIdx.x] = b[threadIdx.x];
    const double x = b[k];
    if (never || x == 123.0) a[k] = x + block_memory[k];
}

extern "C" __global__ void stream_scale(double *a, const double *b, const double *c, size_t n, int never)
{
    const int k = threadIdx.x + blockIdx.x * blockDim.x;
    if (k >= n) return;
    if (never) block_memory[threadIdx.x] = b[threadIdx.x];
    a[k] = b[k] * 1.25;
    if (never) a[k] = block_memory[k];
}

extern "C" __global__ void stream_triad(double *a, const double *b, const double *c, size_t n, int never)
{
    const int k = threadIdx.x + blockIdx.x * blockDim.x;
    if (k >= n) return;
    if (never) block_memory[threadIdx.x] = b[threadIdx.x];
    a[k] = b[k] * 1.25 + c[k];
    if (never) a[k] = block_memory[k];
}
