// A store of 8 bytes at an address that is no multiple of 8: the error stays (cudaErrorMisalignedAddress).
#include "check.cuh"

__global__ void good(int *x) { x[0] = 6; }

__global__ void misaligned(int *x)
{
    if (threadIdx.x == 33) *(double *)(x + 1) = 3;
}

int main()
{
    int *x;
    MUST(cudaMalloc(&x, 4096));
    good<<<1, 1>>>(x);
    MUST(cudaDeviceSynchronize());
    misaligned<<<1, 64>>>(x);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaErrorMisalignedAddress);
    CHECK(cudaGetLastError() == cudaErrorMisalignedAddress);
    CHECK(cudaPeekAtLastError() == cudaSuccess || cudaPeekAtLastError() == cudaErrorMisalignedAddress);
    CHECK(cudaFree(x) == cudaErrorMisalignedAddress);
    good<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    return verdict();
}
