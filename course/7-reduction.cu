// Lesson 7, a reduction: five ways to add numbers, each faster. Run it and compare. What does each save? Make a sixth.
#include <cstdio>
__global__ void one(const float *a, float *sum) { atomicAdd(sum, a[blockIdx.x * 256 + threadIdx.x]); }
__device__ void of_warp(float x, float *sum) {  // a tree in registers: lanes read each other's
    for (int d = 16; d; d /= 2) x += __shfl_down_sync(~0u, x, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, x);
}
__global__ void two(const float *a, float *sum) { of_warp(a[blockIdx.x * 256 + threadIdx.x], sum); }
__global__ void three(const float *a, float *sum) {  // a sum of each block in shared memory
    __shared__ float part;
    if (!threadIdx.x) part = 0;
    __syncthreads();
    atomicAdd(&part, a[blockIdx.x * 256 + threadIdx.x]);
    __syncthreads();
    if (!threadIdx.x) atomicAdd(sum, part);
}
__global__ void four(const float *a, float *sum) {  // a tree in shared memory
    __shared__ float part[256];
    part[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
    for (int half = 128; __syncthreads(), half; half /= 2)
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    if (!threadIdx.x) atomicAdd(sum, part[0]);
}
__global__ void five(const float *a, float *sum) {  // each thread adds 16 first
    float x = 0;
    for (int k = 0; k < 16; k++) x += a[(blockIdx.x * 16 + k) * 256 + threadIdx.x];
    of_warp(x, sum);
}

int main() {
    const int n = 1 << 20;
    float *a, *sum;
    cudaMallocManaged(&a, n * sizeof *a), cudaMallocManaged(&sum, 5 * sizeof *sum);
    for (int i = 0; i < n; i++) a[i] = i % 4;
    one<<<n / 256, 256>>>(a, sum), two<<<n / 256, 256>>>(a, sum + 1), three<<<n / 256, 256>>>(a, sum + 2);
    four<<<n / 256, 256>>>(a, sum + 3), five<<<n / 4096, 256>>>(a, sum + 4);
    cudaDeviceSynchronize();
    for (int k = 0; k < 5; k++) printf("way %d: %g of %g\n", k + 1, sum[k], n * 1.5);
}
