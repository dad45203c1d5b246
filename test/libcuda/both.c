// both.c: a program that uses the runtime and the driver: both are of one mind.
#include "calls.h"

#include <cuda_runtime_api.h>

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry one(.param .u64 p) { .reg .u64 %d; .reg .u32 %r;\n"
    "ld.param.u64 %d, [p]; ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret; }\n";

// The runtime has called cuInit already.
static int without_init(void)
{
    int n = 0, d = -1;
    OK(cudaGetDeviceCount(&n));
    THAT(n == 1);
    OK(cuDeviceGet(&d, 0));
    THAT(d == 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return without_init();
    CUcontext c;
    CUmodule module;
    CUfunction kernel;
    cudaStream_t stream;
    void *p, *entry;
    int value = 41;
    size_t bytes;
    CUdeviceptr start;
    OK(cuInit(0));
    OK(cuCtxGetCurrent(&c));
    THAT(!c);
    OK(cudaMalloc(&p, 100));  // makes the primary context current
    OK(cuCtxGetCurrent(&c));
    THAT(c);
    OK(cuMemGetAddressRange(&start, &bytes, (uintptr_t)p + 50));
    THAT(start == (uintptr_t)p && bytes == 100);
    OK(cudaStreamCreate(&stream));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&kernel, module, "one"));
    OK(cuMemcpyHtoDAsync((uintptr_t)p, &value, 4, stream));
    void *params[] = {&p};
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    THAT(value == 42);
    // The driver's errors aren't the runtime's last one.
    WANT(500, cuModuleGetFunction(&kernel, module, "two"));
    OK(cudaGetLastError());
    WANT(1, cudaMemcpy(&value, p, (size_t)1 << 45, cudaMemcpyDeviceToHost));
    WANT(1, cudaGetLastError());
    OK(cudaStreamDestroy(stream));
    WANT(400, cuStreamSynchronize(stream));
    OK(cudaGetDriverEntryPoint("cuMemAlloc", &entry, 0, NULL));
    THAT(entry == (void *)cuMemAlloc);
    OK(cudaFree(p));
    WANT(500, cuMemGetAddressRange(&start, &bytes, (uintptr_t)p));
    OK(cudaDeviceReset());
    WANT(400, cuModuleUnload(module));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
