// matmul: C = A B for square matrices, every operand from global memory, with any number of threads: C is what is cut
// into chunks, and a thread makes the elements of its own one after the other (S-L1, Table 1: Matrix Multiply).
#include "kernel.h"

extern "C" __global__ void matmul(unsigned n, unsigned chunk, const float *a, const float *b, float *c) {
    const Chunk mine = my_chunk(n * n, chunk);
    for (unsigned e = mine.begin; e < mine.end; e++) {
        const unsigned i = e / n, j = e % n;
        float sum = 0;
        for (unsigned k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
        c[e] = sum;
    }
}
