// gaussian: forward elimination of a system of n linear equations, two kernels a pivot t. Rodinia's definition: Fan1
// makes the column of multipliers, Fan2 subtracts the pivot row from those below. In Fan2 x runs down the rows, so that
// a warp walks down columns, as there; blocks are 512 and 4x4, and grids cover the whole matrix for every pivot.
#include "cuda.h"

extern "C" __global__ void Fan1(int n, int t, const float *a, float *m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1 - t) m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

extern "C" __global__ void Fan2(int n, int t, const float *m, float *a, float *b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n - 1 - t || j >= n - t) return;
    const int row = i + t + 1;
    a[n * row + j + t] -= m[n * row + t] * a[n * t + j + t];
    if (j == 0) b[row] -= m[n * row + t] * b[t];
}
