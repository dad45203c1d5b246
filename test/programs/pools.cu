// Memory in the order of a stream: allocated, used and freed without waiting; the default pool and its attributes.
#include "check.cuh"

#include <cstdint>

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}
__global__ void sum(int *out, const int *x, int n)
{
    for (int k = threadIdx.x; k < n; k += blockDim.x) atomicAdd(out, x[k]);
}

int main()
{
    int *out = shared_array<int>(1), there;
    cudaStream_t s;
    cudaMemPool_t pool, current;
    MUST(cudaDeviceGetAttribute(&there, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK(there == 1);
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaDeviceGetMemPool(&current, 0));
    CHECK(pool == current);
    uint64_t threshold = 1;
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(threshold == 0);
    threshold = UINT64_MAX;
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    MUST(cudaStreamCreate(&s));
    size_t before, after, total;
    MUST(cudaMemGetInfo(&before, &total));
    for (int round = 1; round <= 10; round++) {
        int *x, *y;
        MUST(cudaMallocAsync(&x, 1000 * sizeof *x, s));
        MUST(cudaMallocFromPoolAsync(&y, 500 * sizeof *y, pool, s));
        fill<<<8, 128, 0, s>>>(x, 1000, round);
        fill<<<4, 128, 0, s>>>(y, 500, -round);
        sum<<<1, 256, 0, s>>>(out, x, 1000);
        MUST(cudaFreeAsync(x, s));
        sum<<<1, 256, 0, s>>>(out, y, 500);
        MUST(cudaFreeAsync(y, s));
    }
    MUST(cudaStreamSynchronize(s));
    CHECK(*out == 500 * 55);
    MUST(cudaMemPoolTrimTo(pool, 0));
    MUST(cudaMemGetInfo(&after, &total));
    CHECK(after == before && before < total);
    int *big;
    CHECK(cudaMallocAsync(&big, (size_t)1 << 46, s) == cudaErrorMemoryAllocation);
    return verdict();
}
