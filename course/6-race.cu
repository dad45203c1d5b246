// Lesson 6, a race: half of the threads add what the other half has written, again and again.
// Run it: the sum may even be right. Run it with --check: which line reads what which line writes?
#include <cstdio>

__global__ void sum(const int *a, int *total) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = a[t];
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (t < half) part[t] += part[t + half];
    }
    if (!t) *total = part[0];
}

int main() {
    int *a, *total;
    cudaMallocManaged(&a, 256 * sizeof *a);
    cudaMallocManaged(&total, sizeof *total);
    for (int i = 0; i < 256; i++) a[i] = i;
    sum<<<1, 256>>>(a, total);
    cudaDeviceSynchronize();
    printf("the sum is %d, and should be %d\n", *total, 255 * 256 / 2);
}
