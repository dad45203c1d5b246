// both.cu: CUDA source that calls the runtime and the driver: streams, memory and kernels of the one are the other's.
#include <cstdio>
#include <cuda.h>

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

int main()
{
    int host[32], *p, wrong = 0;
    cudaStream_t stream;
    cudaFunction_t f;
    CUdeviceptr start;
    size_t bytes;
    for (int i = 0; i < 32; i++) host[i] = i;
    wrong += cudaMalloc(&p, sizeof host) != cudaSuccess;
    wrong += cudaStreamCreate(&stream) != cudaSuccess;
    wrong += cuMemGetAddressRange(&start, &bytes, (CUdeviceptr)(p + 5)) != CUDA_SUCCESS;
    wrong += start != (CUdeviceptr)p || bytes != sizeof host;
    wrong += cuMemcpyHtoDAsync(start, host, sizeof host, stream) != CUDA_SUCCESS;
    twice<<<1, 32, 0, stream>>>(p);
    wrong += cudaGetFuncBySymbol(&f, (const void *)twice) != cudaSuccess;
    void *params[] = {&p};
    wrong += cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL) != CUDA_SUCCESS;
    wrong += cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream) != cudaSuccess;
    wrong += cuStreamSynchronize(stream) != CUDA_SUCCESS;
    for (int i = 0; i < 32; i++) wrong += host[i] != 4 * i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
