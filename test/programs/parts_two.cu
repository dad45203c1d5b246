// The second file of parts.cu.
#include "check.cuh"

static __device__ int value = 100;
static __constant__ int factor = 30;
static __global__ void work(int *x) { *x = value++ * factor; }

int other(int *x)
{
    work<<<1, 1>>>(x);
    MUST(cudaDeviceSynchronize());
    return *x;
}
