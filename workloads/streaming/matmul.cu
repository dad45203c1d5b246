// matmul: C = A B, every operand from global memory, with any number of threads: C is what is cut into chunks, and a
// thread makes the elements of its own one after the other (S-L1, Table 1: Matrix Multiply). Where chunks are of whole
// rows, each thread walks rows of A alone, as the other programs' threads walk their parts of a text.
#include "kernel.h"

// The first count elements of C, which has n columns; A has `inner`.
__device__ __forceinline__ void multiply(unsigned count, unsigned inner, unsigned n, unsigned chunk, const float *a,
                                         const float *b, float *c) {
    const Chunk mine = my_chunk(count, chunk);
    for (unsigned e = mine.begin; e < mine.end; e++) {
        const unsigned i = e / n, j = e % n;
        float sum = 0;
        for (unsigned k = 0; k < inner; k++) sum += a[i * inner + k] * b[k * n + j];
        c[e] = sum;
    }
}

extern "C" __global__ void matmul(unsigned n, unsigned chunk, const float *a, const float *b, float *c) {
    multiply(n * n, n, n, chunk, a, b, c);
}

extern "C" __global__ void matmul_rows(unsigned rows, unsigned inner, unsigned n, unsigned chunk, const float *a,
                                       const float *b, float *c) {
    multiply(rows * n, inner, n, chunk * n, a, b, c);
}
