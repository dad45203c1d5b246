// matmul-tiled: C = A B for square matrices; a block of 16x16 threads makes a tile of C from tiles of A and B that it
// brings to shared memory. The CUDA C++ Programming Guide's second matrix multiplication, "Shared Memory" section.
// n is a multiple of the tile.
#include "cuda.h"

#define TILE 16

extern "C" __global__ void matmul_tiled(int n, const float *a, const float *b, float *c) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[y][x] = a[i * n + t + x];
        tb[y][x] = b[(t + y) * n + j];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[i * n + j] = sum;
}
