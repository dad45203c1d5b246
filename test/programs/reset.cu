// cudaDeviceReset: memory is free, variables are as in the program, old handles are gone, and all can be used again.
#include "check.cuh"

__device__ int counter = 3;
__managed__ int managed = 8;
__constant__ int factor = 2;
__global__ void work(int *x)
{
    *x = atomicAdd(&counter, 1) * factor;
    managed += 1;
}

int main()
{
    size_t before, during, after, total;
    MUST(cudaMemGetInfo(&before, &total));
    for (int round = 0; round < 3; round++) {
        int *x, host, ten = 10;
        cudaStream_t s;
        MUST(cudaMalloc(&x, 1 << 20));
        MUST(cudaStreamCreate(&s));
        work<<<1, 1, 0, s>>>(x);
        MUST(cudaMemcpyToSymbol(factor, &ten, sizeof ten));
        work<<<1, 1, 0, s>>>(x);
        MUST(cudaMemcpyAsync(&host, x, sizeof host, cudaMemcpyDeviceToHost, s));
        MUST(cudaStreamSynchronize(s));
        CHECK(host == 40);
        CHECK(managed == 10);
        MUST(cudaMemGetInfo(&during, &total));
        CHECK(during + (1 << 20) <= before);
        MUST(cudaDeviceReset());
        MUST(cudaMemGetInfo(&after, &total));
        CHECK(after >= during + (1 << 20));
        CHECK(cudaFree(x) == cudaErrorInvalidValue);
        cudaGetLastError();
    }
    return verdict();
}
