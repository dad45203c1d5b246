// matmul-naive: C = A B for square matrices, one thread an element of C, every operand from global memory.
// The CUDA C++ Programming Guide's first matrix multiplication, "Shared Memory" section.
#include "cuda.h"

extern "C" __global__ void matmul_naive(int n, const float *a, const float *b, float *c) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}
