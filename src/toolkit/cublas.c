// cublas.c: cuBLAS.
#include "toolkit/unit.h"

#include <cublas_api.h>

struct cublasContext {
    Kernels kernels;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = mem_alloc(sizeof **handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    kernels_free(&handle->kernels);
    mem_free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSscal_v2(cublasHandle_t h, int n, const float *alpha, float *x, int incx)
{
    long long count = n, step = incx;
    CUdeviceptr a;
    if (cuMemAlloc(&a, sizeof *alpha) || cuMemcpyHtoD(a, alpha, sizeof *alpha)) return CUBLAS_STATUS_ALLOC_FAILED;
    const Shape s = {.grid = {(unsigned)(n + 255) / 256}, .block = {256}};
    const CUresult r = kernel_run(&h->kernels, "vector", "scal_s", &s, (void *[]){&count, &a, &x, &step});
    cuMemFree(a);
    return r ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
