// Lesson 8, occupancy and latency: a load takes hundreds of cycles. Meanwhile the SM runs other warps, if it has any.
// Run it: how full are the SMs, and what are the issue slots lost to? Then start more threads.
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1 << 18, blocks = 68, threads = 32;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&b, n * sizeof *b);
    cudaMallocManaged(&c, n * sizeof *c);
    for (int i = 0; i < n; i++) a[i] = i, b[i] = 1;
    add<<<blocks, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    printf("c[1000] is %g\n", c[1000]);
}
