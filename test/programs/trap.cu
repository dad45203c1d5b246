// A kernel that stops itself by __trap: the error stays (cudaErrorLaunchFailure).
#include "check.cuh"

__global__ void good(int *x) { x[0] = 6; }

__global__ void trap(int *x)
{
    if (threadIdx.x == 33) __trap();
}

int main()
{
    int *x;
    MUST(cudaMalloc(&x, 4096));
    good<<<1, 1>>>(x);
    MUST(cudaDeviceSynchronize());
    trap<<<1, 64>>>(x);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaPeekAtLastError() == cudaSuccess || cudaPeekAtLastError() == cudaErrorLaunchFailure);
    CHECK(cudaFree(x) == cudaErrorLaunchFailure);
    good<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return verdict();
}
