// atax: y = Aᵀ(A x) for an nx by ny matrix. PolyBench's definition, with the work split as in PolyBench/GPU: one
// thread a row makes tmp = A x, which reads A uncoalesced, then one thread a column makes y = Aᵀ tmp, which reads it
// coalesced. Sums live in global memory as there: without __restrict__ every step is stored.
#include "cuda.h"

extern "C" __global__ void atax_kernel1(int nx, int ny, const float *a, const float *x, float *tmp) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx)
        for (int j = 0; j < ny; j++) tmp[i] += a[i * ny + j] * x[j];
}

extern "C" __global__ void atax_kernel2(int nx, int ny, const float *a, const float *tmp, float *y) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny)
        for (int i = 0; i < nx; i++) y[j] += a[i * ny + j] * tmp[i];
}
