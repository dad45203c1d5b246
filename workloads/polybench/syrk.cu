// syrk: C = beta C + alpha A Aᵀ for A of n rows and m columns, all of C. PolyBench's definition, with the work split
// as in PolyBench/GPU: one thread an element of C, whose sum lives in global memory; blocks are 32x8.
#include "cuda.h"

extern "C" __global__ void syrk_kernel(int n, int m, float alpha, float beta, const float *a, float *c) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}
