// saxpy: y = alpha x + y in single precision, one thread an element. Level 1 of the BLAS.
#include "cuda.h"

extern "C" __global__ void saxpy(int n, float alpha, const float *x, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * x[i] + y[i];
}
