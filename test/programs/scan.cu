// An inclusive sum over a long array in one launch: each block scans its part by shuffles and shared memory, and waits
// for the sum of those before it, which they leave in global memory with a fence ("decoupled look-back").
#include "check.cuh"

enum { T = 256 };
__device__ unsigned next;

__global__ void scan(int *x, volatile int *prefix, volatile int *ready, int n)
{
    __shared__ int sums[T / 32], part, before;
    if (!threadIdx.x) part = atomicAdd(&next, 1);
    __syncthreads();
    int b = part, i = b * T + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    for (int k = 0; k < warp; k++) v += sums[k];
    if (threadIdx.x == T - 1) {
        while (b && !ready[b - 1]) {
        }
        __threadfence();
        before = b ? prefix[b - 1] : 0;
        prefix[b] = before + v;
        __threadfence();
        ready[b] = 1;
    }
    __syncthreads();
    if (i < n) x[i] = v + before;
}

int main()
{
    enum { N = 10000, BLOCKS = (N + T - 1) / T };
    int *x = shared_array<int>(N), *prefix = shared_array<int>(BLOCKS), *ready = shared_array<int>(BLOCKS), sum = 0;
    for (int k = 0; k < N; k++) x[k] = k * 37 % 101 - 50;
    scan<<<BLOCKS, T>>>(x, prefix, ready, N);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) CHECK(x[k] == (sum += k * 37 % 101 - 50));
    return verdict();
}
