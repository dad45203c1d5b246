// vectoradd: c = a + b, one thread an element. The first program of the CUDA C++ Programming Guide.
#include "cuda.h"

extern "C" __global__ void vectoradd(int n, const float *a, const float *b, float *c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
