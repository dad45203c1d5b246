// lud: the decomposition of a matrix into L and U, in place, a tile of 16x16 at a time. Rodinia's definition: for each
// tile of the diagonal lud_diagonal decomposes it, lud_perimeter solves for the tiles beside and below it, and
// lud_internal subtracts their product from the tiles that are left. L has ones on its diagonal, which aren't kept.
// Loops stay loops. So its kernels need 20, 21 and 12 registers of PTX, of which unified-memory's Table 1 has 20;
// unrolled, as clang likes it, they need 38, 25 and 12.
#include "cuda.h"

#define TILE 16

// A block of 16 threads.
extern "C" __global__ void lud_diagonal(int n, int offset, float *m) {
    __shared__ float tile[TILE][TILE];
    const int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < TILE; i++) tile[i][t] = m[n * (offset + i) + offset + t];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) {  // column i of L
#pragma unroll 1
            for (int j = 0; j < i; j++) tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i)  // row i + 1 of U
#pragma unroll 1
            for (int j = 0; j < i + 1; j++) tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        __syncthreads();
    }
#pragma unroll 1
    for (int i = 1; i < TILE; i++) m[n * (offset + i) + offset + t] = tile[i][t];  // row 0 hasn't changed
}

// A block of 32 threads: 16 for a tile beside the diagonal's tile, 16 for a tile below it.
extern "C" __global__ void lud_perimeter(int n, int offset, float *m) {
    __shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
    const int t = threadIdx.x % TILE, other = offset + TILE * (blockIdx.x + 1);
    const bool of_row = threadIdx.x < TILE;
    if (of_row) {
#pragma unroll 1
        for (int i = 0; i < TILE / 2; i++) diagonal[i][t] = m[n * (offset + i) + offset + t];
#pragma unroll 1
        for (int i = 0; i < TILE; i++) row[i][t] = m[n * (offset + i) + other + t];
    } else {
#pragma unroll 1
        for (int i = TILE / 2; i < TILE; i++) diagonal[i][t] = m[n * (offset + i) + offset + t];
#pragma unroll 1
        for (int i = 0; i < TILE; i++) column[i][t] = m[n * (other + i) + offset + t];
    }
    __syncthreads();
    if (of_row) {
#pragma unroll 1
        for (int i = 1; i < TILE; i++)
#pragma unroll 1
            for (int j = 0; j < i; j++) row[i][t] -= diagonal[i][j] * row[j][t];
    } else {
#pragma unroll 1
        for (int i = 0; i < TILE; i++) {
#pragma unroll 1
            for (int j = 0; j < i; j++) column[t][i] -= column[t][j] * diagonal[j][i];
            column[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (of_row)
#pragma unroll 1
        for (int i = 1; i < TILE; i++) m[n * (offset + i) + other + t] = row[i][t];
    else
#pragma unroll 1
        for (int i = 0; i < TILE; i++) m[n * (other + i) + offset + t] = column[i][t];
}

// A block of 16x16 threads.
extern "C" __global__ void lud_internal(int n, int offset, float *m) {
    __shared__ float row[TILE][TILE], column[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = offset + TILE * (blockIdx.x + 1), y = offset + TILE * (blockIdx.y + 1);
    row[ty][tx] = m[n * (offset + ty) + x + tx];
    column[ty][tx] = m[n * (y + ty) + offset + tx];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < TILE; i++) sum += column[ty][i] * row[i][tx];
    m[n * (y + ty) + x + tx] -= sum;
}
