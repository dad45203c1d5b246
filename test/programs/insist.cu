// An assertion in a kernel: it is told on the standard error, with its place, and the error stays (CUDA C++ Programming
// Guide, "Assertion").
#include "check.cuh"

#include <cassert>
__global__ void good(int *x) { x[0] = 6; }

__global__ void insist(int *x)
{
    if (threadIdx.x == 33) assert(x[threadIdx.x] == 7);
}

int main()
{
    int *x;
    MUST(cudaMalloc(&x, 4096));
    good<<<1, 1>>>(x);
    MUST(cudaDeviceSynchronize());
    insist<<<1, 64>>>(x);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaErrorAssert);
    CHECK(cudaGetLastError() == cudaErrorAssert);
    CHECK(cudaPeekAtLastError() == cudaSuccess || cudaPeekAtLastError() == cudaErrorAssert);
    CHECK(cudaFree(x) == cudaErrorAssert);
    good<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
    return verdict();
}
