// bicg: s = Aᵀ r and q = A p for an nx by ny matrix, the two products of a biconjugate gradient step. PolyBench's
// definition, with the work split as in PolyBench/GPU: one thread a column (coalesced), then one thread a row
// (uncoalesced); sums live in global memory.
#include "cuda.h"

extern "C" __global__ void bicg_kernel1(int nx, int ny, const float *a, const float *r, float *s) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        s[j] = 0;
        for (int i = 0; i < nx; i++) s[j] += a[i * ny + j] * r[i];
    }
}

extern "C" __global__ void bicg_kernel2(int nx, int ny, const float *a, const float *p, float *q) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        q[i] = 0;
        for (int j = 0; j < ny; j++) q[i] += a[i * ny + j] * p[j];
    }
}
