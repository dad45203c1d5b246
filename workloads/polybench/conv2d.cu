// conv2d: 2DCONV of PolyBench/GPU: each inner element of an n by n matrix becomes the weighted sum of its 3x3
// neighbourhood; the border of the result isn't written. One thread an element, blocks are 32x8.
#include "cuda.h"

extern "C" __global__ void conv2d_kernel(int n, const float *a, float *b) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    const float c11 = 0.2f, c21 = 0.5f, c31 = -0.8f;
    const float c12 = -0.3f, c22 = 0.6f, c32 = -0.9f;
    const float c13 = 0.4f, c23 = 0.7f, c33 = 0.1f;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        b[i * n + j] = c11 * a[(i - 1) * n + j - 1] + c21 * a[(i - 1) * n + j] + c31 * a[(i - 1) * n + j + 1] +
                       c12 * a[i * n + j - 1] + c22 * a[i * n + j] + c32 * a[i * n + j + 1] +
                       c13 * a[(i + 1) * n + j - 1] + c23 * a[(i + 1) * n + j] + c33 * a[(i + 1) * n + j + 1];
}
