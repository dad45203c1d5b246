// Errors that don't stay: a call that can't be made returns one, the thread keeps it until it asks, and the next call
// goes on.
#include "check.cuh"

#include <cstring>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

static void no_kernel(int *) {}

int main()
{
    int *x, host = 0;
    MUST(cudaMalloc(&x, 4096));
    CHECK(cudaGetLastError() == cudaSuccess);
    fill<<<1, 1025>>>(x);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
    fill<<<0, 1>>>(x);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    fill<<<1, dim3(1, 1, 65)>>>(x);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    fill<<<dim3(1, 65536), 1>>>(x);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    fill<<<1, 1, 1 << 20>>>(x);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    void *args[] = {&x};
    CHECK(cudaLaunchKernel((const void *)no_kernel, dim3(1), dim3(1), args, 0, nullptr) ==
          cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
    CHECK(cudaMalloc((void **)&host, 0) == cudaSuccess);
    int *big = x;
    CHECK(cudaMalloc(&big, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    CHECK(cudaFree(x + 1) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(x, &host, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaMemcpy(x, nullptr, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(&host, &host, 4) == cudaErrorInvalidSymbol);
    cudaGetLastError();
    fill<<<1, 32>>>(x);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    MUST(cudaMemcpy(&host, x + 31, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host == 1);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    MUST(cudaFree(x));
    CHECK(cudaFree(x) == cudaErrorInvalidValue);
    return verdict();
}
