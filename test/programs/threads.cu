// Four threads of the host use the GPU at once: memory, streams, events, launches; each has a last error of its own.
#include "check.cuh"

#include <thread>
#include <vector>

__global__ void fill(int *x, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = value + i;
}
__constant__ int shared_by_all = 3;
__global__ void use(int *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= shared_by_all;
}

static void work(int me, int *bad)
{
    for (int round = 0; round < 15; round++) {
        int n = 100 + 50 * me, *x;
        std::vector<int> host(n);
        cudaStream_t s;
        MUST(cudaStreamCreate(&s));
        MUST(cudaMalloc(&x, n * sizeof *x));
        fill<<<1, 64, 0, s>>>(x, n, me * 1000 + round);
        use<<<1, 64, 0, s>>>(x, n);
        if (me == 1) fill<<<1, 2048, 0, s>>>(x, n, 0);
        *bad += cudaGetLastError() != (me == 1 ? cudaErrorInvalidConfiguration : cudaSuccess);
        MUST(cudaMemcpyAsync(host.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost, s));
        MUST(cudaStreamSynchronize(s));
        for (int k = 0; k < n; k++) *bad += host[k] != 3 * (me * 1000 + round + k);
        MUST(cudaFree(x));
        MUST(cudaStreamDestroy(s));
    }
}

int main()
{
    int bad[4] = {0, 0, 0, 0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++) threads.emplace_back(work, k, &bad[k]);
    for (std::thread &t : threads) t.join();
    for (int b : bad) CHECK(b == 0);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    return verdict();
}
