// Lesson 1, threads and indices: each thread adds one pair of numbers, the one of its own number.
// Run it: not all sums are there. How many threads are started, and how many should be?
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // the thread's number in the grid
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1000, block = 256;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&b, n * sizeof *b);
    cudaMallocManaged(&c, n * sizeof *c);
    for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i + 1;
    add<<<n / block, block>>>(a, b, c, n);
    cudaDeviceSynchronize();
    int right = 0;
    for (int i = 0; i < n; i++) right += c[i] == 3 * i + 1;
    printf("%d of %d sums are right\n", right, n);
}
