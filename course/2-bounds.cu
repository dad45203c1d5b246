// Lesson 2, out of bounds: four blocks of 256 threads have 1024 numbers, and the array has room for 1000.
// Run it: a card might let that pass, and change what lies behind the array.
#include <cstdio>

__global__ void square(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] *= a[i];
}

int main() {
    const int n = 1000, block = 256;
    float *a;
    cudaMallocManaged(&a, n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = i;
    square<<<(n + block - 1) / block, block>>>(a, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) return fprintf(stderr, "%s\n", cudaGetErrorString(e)), 1;
    printf("30 * 30 = %g\n", a[30]);
}
