// scalarprod: the dot products of pairs of vectors. CUDA SDK's definition: a block takes one pair after another. Each
// of 1024 accumulators in shared memory gets the sum of every 1024th product, and a tree then adds up the accumulators.
// More accumulators than threads make the long sums shorter, and floats lose less when they are added.
#include "cuda.h"

#define SUMS 1024

// Vector v has the n elements from a[n * v] and b[n * v] on.
extern "C" __global__ void scalarprod(int vectors, int n, const float *a, const float *b, float *c) {
    __shared__ float sums[SUMS];
    for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
        const int first = n * v, end = first + n;
        for (int i = threadIdx.x; i < SUMS; i += blockDim.x) {
            float sum = 0;
            for (int k = first + i; k < end; k += SUMS) sum += a[k] * b[k];
            sums[i] = sum;
        }
        for (int half = SUMS / 2; half > 0; half /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < half; i += blockDim.x) sums[i] += sums[half + i];
        }
        if (threadIdx.x == 0) c[v] = sums[0];
        __syncthreads();  // the next pair's sums wait until these have been read
    }
}
