// gesummv: y = alpha A x + beta B x for n by n matrices. PolyBench's definition, with the work split as in
// PolyBench/GPU: one thread a row, which reads A and B uncoalesced; both sums live in global memory, and since they
// may overlap for all the compiler knows, each is read again after the other is stored.
#include "cuda.h"

extern "C" __global__ void gesummv_kernel(int n, float alpha, float beta, const float *a, const float *b,
                                          const float *x, float *tmp, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

// The suite's matrices are square. This is the same for any number of rows: many short rows can fill a GPU.
extern "C" __global__ void gesummv_kernel_rows(int rows, int n, float alpha, float beta, const float *a, const float *b,
                                               const float *x, float *tmp, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}
