// sgemv: y = alpha A x + beta y in single precision, for a matrix that lies column after column. MAGMA's definition for
// Fermi: a block of 128 threads makes 128 elements of y, a thread an element. The block takes 128 elements of x at a
// time to shared memory. Then each thread goes along its row of A; the threads of a warp read A side by side.
#include "cuda.h"

#define BLOCK 128

extern "C" __global__ void sgemv(int m, int n, float alpha, const float *a, int lda, const float *x, float beta,
                                 float *y) {
    __shared__ float part[BLOCK];
    const int t = threadIdx.x, row = BLOCK * blockIdx.x + t;
    float sum = 0;
    a += min(row, m - 1);  // threads beyond the last row go along it, too, and store nothing
    x += t;
    for (; n >= BLOCK; n -= BLOCK) {
        part[t] = *x;
        x += BLOCK;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < BLOCK; j++) {
            sum += *a * part[j];
            a += lda;
        }
        __syncthreads();
    }
    if (t < n) part[t] = *x;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        sum += *a * part[j];
        a += lda;
    }
    if (row < m) y[row] = alpha * sum + beta * y[row];
}
