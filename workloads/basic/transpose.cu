// transpose: out = inᵀ for a square matrix. transpose_naive writes down columns; transpose_tiled turns a 32x32 tile
// in shared memory, so that reads and writes both run along rows; its row of 33 words keeps the banks apart.
// After Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA". Blocks are 32x8.
#include "cuda.h"

#define TILE 32

extern "C" __global__ void transpose_naive(int n, const float *in, float *out) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) out[j * n + i] = in[i * n + j];
}

extern "C" __global__ void transpose_tiled(int n, const float *in, float *out) {
    __shared__ float tile[TILE][TILE + 1];
    const int x = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    for (int y = threadIdx.y; y < TILE; y += blockDim.y)
        if (top + y < n && left + x < n) tile[y][x] = in[(top + y) * n + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += blockDim.y)
        if (left + y < n && top + x < n) out[(left + y) * n + top + x] = tile[x][y];
}
