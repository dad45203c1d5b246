// The other ways to launch: cudaLaunchKernel with an array of pointers, cudaLaunchKernelEx with attributes, a kernel's
// pointer in a variable, and an instance of a template.
#include "check.cuh"

#include <cooperative_groups.h>
#include <cstring>

template <typename T> __global__ void fill(T *x, int n, T value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}
__global__ void meet(int *x)
{
    extern __shared__ int box[];
    box[threadIdx.x] = 1;
    atomicAdd(&x[0], box[threadIdx.x]);
    cooperative_groups::this_grid().sync();
    if (x[0] != (int)(gridDim.x * blockDim.x)) atomicAdd(&x[1], 1);
}

int main()
{
    int *x = shared_array<int>(100), n = 100, value = 41;
    float *y = shared_array<float>(100);
    void *args[] = {&x, &n, &value};
    cudaStream_t s;
    MUST(cudaStreamCreate(&s));
    MUST(cudaLaunchKernel((const void *)fill<int>, dim3(4), dim3(32), args, 0, s));
    value = 0;
    void (*kernel)(float *, int, float) = fill<float>;
    kernel<<<2, 64, 0, s>>>(y, 70, 2.5f);
    MUST(cudaStreamSynchronize(s));
    for (int k = 0; k < 100; k++) CHECK(x[k] == 41 && y[k] == (k < 70 ? 2.5f : 0));

    cudaLaunchAttribute some[3] = {};
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(4), c.blockDim = dim3(64), c.dynamicSmemBytes = 64 * sizeof(int), c.stream = s;
    c.attrs = some, c.numAttrs = 3;
    some[0].id = cudaLaunchAttributeCooperative, some[0].val.cooperative = 1;
    some[1].id = cudaLaunchAttributePriority, some[1].val.priority = 0;
    some[2].id = cudaLaunchAttributeIgnore;
    x[0] = x[1] = 0;
    MUST(cudaLaunchKernelEx(&c, meet, x));
    MUST(cudaStreamSynchronize(s));
    CHECK(x[0] == 256 && x[1] == 0);
    c.numAttrs = 0, c.dynamicSmemBytes = 0;
    MUST(cudaLaunchKernelEx(&c, fill<float>, y, 100, 1.0f));
    MUST(cudaDeviceSynchronize());
    CHECK(y[99] == 1);
    c.gridDim = dim3(0);
    CHECK(cudaLaunchKernelEx(&c, fill<float>, y, 100, 1.0f) == cudaErrorInvalidConfiguration);
    const char *name;
    size_t at, bytes;
    MUST(cudaFuncGetName(&name, (const void *)meet));
    CHECK(!strcmp(name, "_Z4meetPi"));
    MUST(cudaFuncGetParamInfo((const void *)fill<double>, 2, &at, &bytes));
    CHECK(at == 16 && bytes == sizeof(double));
    CHECK(cudaFuncGetParamInfo((const void *)fill<double>, 3, &at, &bytes) == cudaErrorInvalidValue);
    cudaFunction_t function;
    MUST(cudaGetFuncBySymbol(&function, (const void *)fill<int>));
    value = 6;
    MUST(cudaLaunchKernel((const void *)function, dim3(4), dim3(32), args, 0, nullptr));
    MUST(cudaDeviceSynchronize());
    CHECK(x[99] == 6);
    return verdict();
}
