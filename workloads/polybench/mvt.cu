// mvt: x1 = x1 + A y1 and x2 = x2 + Aᵀ y2 for an n by n matrix. PolyBench's definition, with the work split as in
// PolyBench/GPU: one thread an element of the result, uncoalesced in the first kernel and coalesced in the second; sums
// live in global memory.
#include "cuda.h"

extern "C" __global__ void mvt_kernel1(int n, const float *a, const float *y1, float *x1) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++) x1[i] += a[i * n + j] * y1[j];
}

extern "C" __global__ void mvt_kernel2(int n, const float *a, const float *y2, float *x2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++) x2[i] += a[j * n + i] * y2[j];
}

// The suite's matrix is square. These two are the same for any number of rows: many short rows can fill a GPU.
extern "C" __global__ void mvt_kernel1_rows(int rows, int n, const float *a, const float *y1, float *x1) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        for (int j = 0; j < n; j++) x1[i] += a[i * n + j] * y1[j];
}

extern "C" __global__ void mvt_kernel2_rows(int rows, int n, const float *a, const float *y2, float *x2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < rows; j++) x2[i] += a[j * n + i] * y2[j];
}
