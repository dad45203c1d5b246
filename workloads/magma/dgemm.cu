// dgemm: C = alpha A B + beta C in double precision, for matrices that lie column after column. MAGMA's definition for
// Fermi (Nath, Tomov, Dongarra, "An Improved MAGMA GEMM for Fermi GPUs", 2010): a block of 64x4 threads makes a tile of
// 64x64 elements of C. It goes through A and B 16 columns and rows at a time, which it holds in shared memory. A thread
// has 4x4 elements of C in registers, 16 rows and 16 columns apart. It brings its part of the next tiles to registers
// while others still multiply the last ones. MAGMA's source has these loads before its own product, too, and leaves
// their place to the compiler. dgemm has them behind the product: before it, they would take 16 registers through it,
// more than Fermi's 63 in all. dgemm_ahead has them where MAGMA's source has, as PTX keeps them.
// A and B consist of whole tiles; the host fills them up with zeros.
#include "cuda.h"

#define TILE 64  // rows and columns of C of a block
#define DEEP 16  // columns of A, and rows of B, at a time
#define PART 4   // rows and columns of C of a thread

extern "C" __global__ void dgemm(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                                 double beta, double *c, int ldc) {
    __shared__ double ta[TILE][DEEP + 1], tb[DEEP][TILE + 1];  // one longer: a column is in as many banks as a row
    const unsigned t = TILE * threadIdx.y + threadIdx.x, x = t % DEEP, y = t / DEEP;
    const int row = TILE * blockIdx.x + x, column = TILE * blockIdx.y + y;
    double sum[PART][PART] = {};
    a += row + y * lda;
    b += x + (column + (PART - 1) * y) * ldb;
#pragma unroll 1
    for (; k > 0; k -= DEEP) {
        double next_a[PART], next_b[PART];
#pragma unroll
        for (int r = 0; r < PART; r++) {
            next_a[r] = a[DEEP * r];
            next_b[r] = b[ldb * r];
        }
        a += DEEP * lda;
        b += DEEP;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < PART; r++) {
            ta[x + DEEP * r][y] = next_a[r];
            tb[x][PART * y + r] = next_b[r];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEEP; j++)
#pragma unroll
            for (int r = 0; r < PART; r++)
#pragma unroll
                for (int s = 0; s < PART; s++) sum[r][s] += ta[x + DEEP * r][j] * tb[j][y + DEEP * s];
    }
    c += column * ldc + row;
#pragma unroll
    for (int s = 0; s < PART; s++)
#pragma unroll
        for (int r = 0; r < PART; r++) {
            double *const at = c + DEEP * (s * ldc + r);
            if (row + DEEP * r < m && column + DEEP * s < n) *at = alpha * sum[r][s] + beta * *at;
        }
}

extern "C" __global__ void dgemm_ahead(int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                                       int ldb, double beta, double *c, int ldc) {
    __shared__ double ta[TILE][DEEP + 1], tb[DEEP][TILE + 1];
    const unsigned t = TILE * threadIdx.y + threadIdx.x, x = t % DEEP, y = t / DEEP;
    const int row = TILE * blockIdx.x + x, column = TILE * blockIdx.y + y;
    double sum[PART][PART] = {}, next_a[PART], next_b[PART];
    a += row + y * lda;
    b += x + (column + (PART - 1) * y) * ldb;
#pragma unroll
    for (int r = 0; r < PART; r++) {
        next_a[r] = a[DEEP * r];
        next_b[r] = b[ldb * r];
    }
#pragma unroll 1
    for (; k > 0; k -= DEEP) {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < PART; r++) {
            ta[x + DEEP * r][y] = next_a[r];
            tb[x][PART * y + r] = next_b[r];
        }
        __syncthreads();
        if (k > DEEP) {
            a += DEEP * lda;
            b += DEEP;
#pragma unroll
            for (int r = 0; r < PART; r++) {
                next_a[r] = a[DEEP * r];
                next_b[r] = b[ldb * r];
            }
        }
#pragma unroll
        for (int j = 0; j < DEEP; j++)
#pragma unroll
            for (int r = 0; r < PART; r++)
#pragma unroll
                for (int s = 0; s < PART; s++) sum[r][s] += ta[x + DEEP * r][j] * tb[j][y + DEEP * s];
    }
    c += column * ldc + row;
#pragma unroll
    for (int s = 0; s < PART; s++)
#pragma unroll
        for (int r = 0; r < PART; r++) {
            double *const at = c + DEEP * (s * ldc + r);
            if (row + DEEP * r < m && column + DEEP * s < n) *at = alpha * sum[r][s] + beta * *at;
        }
}
