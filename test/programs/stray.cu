// A kernel that writes where nothing is: the error comes with the next call that waits, stays for all further calls,
// and only a reset ends it (CUDA Runtime API, cudaErrorIllegalAddress).
#include "check.cuh"

__global__ void stray(int *p, int i) { p[i] = 1; }

int main()
{
    int *p, *q, host = 5;
    MUST(cudaMalloc(&p, 4096));
    stray<<<1, 1>>>(p, 1 << 28);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
    CHECK(host == 5);
    CHECK(cudaMalloc(&q, 4) == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    stray<<<1, 1>>>(p, 0);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    MUST(cudaDeviceReset());
    MUST(cudaMalloc(&p, 4096));
    stray<<<1, 1>>>(p, 7);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&host, p + 7, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host == 1);
    return verdict();
}
