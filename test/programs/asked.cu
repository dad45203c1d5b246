// A program whose kernel fails, and which has asked by waiting: its status is its own.
#include "check.cuh"

__global__ void stray(int *x) { x[1 << 20] = 1; }

int main()
{
    int *x;
    MUST(cudaMalloc(&x, 4));
    stray<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    return verdict();
}
