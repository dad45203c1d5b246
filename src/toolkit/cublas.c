// cublas.c: the handle of cuBLAS, and what is set in it.
#include "toolkit/cublas.h"

#include <string.h>

enum { WORKSPACE = 4 << 20 };

Status status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS: return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY: return CUBLAS_STATUS_ALLOC_FAILED;
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return CUBLAS_STATUS_ARCH_MISMATCH;
    default: return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

Status not_there(cublasHandle_t h, const char *function, const char *what)
{
    if (!h->named) fprintf(stderr, "onchip: %s: %s isn't there yet\n", function, what);
    h->named = true;
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

// --- handles ---------------------------------------------------------------------------------------------------------
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    CUdevice device;
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    if (kernels_begin() != CUDA_SUCCESS || cuCtxGetDevice(&device) != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasHandle_t h = mem_alloc(sizeof *h);
    h->capability = kernels_capability();
    cuDeviceGetAttribute(&h->processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (cuMemAlloc(&h->own, WORKSPACE) != CUDA_SUCCESS) {
        mem_free(h);
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    h->own_bytes = WORKSPACE;
    *handle = h;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    kernels_free(&handle->kernels);
    cuMemFree(handle->own);
    mem_free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

Status workspace(cublasHandle_t h, size_t bytes, CUdeviceptr *out)
{
    CUdeviceptr more;
    *out = h->given;
    if (bytes <= h->given_bytes) return CUBLAS_STATUS_SUCCESS;
    *out = h->own;
    if (bytes <= h->own_bytes) return CUBLAS_STATUS_SUCCESS;
    if (cuMemAlloc(&more, bytes) != CUDA_SUCCESS) return CUBLAS_STATUS_ALLOC_FAILED;
    // What is under way uses the old one; freeing it waits.
    cuMemFree(h->own);
    h->own_bytes = bytes;
    *out = h->own = more;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *at, size_t bytes)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((uintptr_t)at % 256) return CUBLAS_STATUS_INVALID_VALUE;
    h->given = (CUdeviceptr)(uintptr_t)at;
    h->given_bytes = at ? bytes : 0;
    return CUBLAS_STATUS_SUCCESS;
}

// --- what is set -----------------------------------------------------------------------------------------------------
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    h->stream = (CUstream)stream;
    h->given = h->given_bytes = 0;  // as documented
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t h, cudaStream_t *stream)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!stream) return CUBLAS_STATUS_INVALID_VALUE;
    *stream = (cudaStream_t)h->stream;
    return CUBLAS_STATUS_SUCCESS;
}

// MODE(name, type, field, whether a value is one)
#define MODE(name, type, field, valid)                        \
    cublasStatus_t cublasSet##name(cublasHandle_t h, type v)  \
    {                                                         \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;         \
        if (!(valid)) return CUBLAS_STATUS_INVALID_VALUE;     \
        h->field = v;                                         \
        return CUBLAS_STATUS_SUCCESS;                         \
    }                                                         \
    cublasStatus_t cublasGet##name(cublasHandle_t h, type *v) \
    {                                                         \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;         \
        if (!v) return CUBLAS_STATUS_INVALID_VALUE;           \
        *v = h->field;                                        \
        return CUBLAS_STATUS_SUCCESS;                         \
    }
MODE(PointerMode_v2, cublasPointerMode_t, pointers, v == CUBLAS_POINTER_MODE_HOST || v == CUBLAS_POINTER_MODE_DEVICE)
MODE(AtomicsMode, cublasAtomicsMode_t, atomics, v == CUBLAS_ATOMICS_NOT_ALLOWED || v == CUBLAS_ATOMICS_ALLOWED)
MODE(MathMode, cublasMath_t, math,
     (v & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) <= CUBLAS_TF32_TENSOR_OP_MATH)
MODE(SmCountTarget, int, processors_wanted, v >= 0)

// --- what is told ----------------------------------------------------------------------------------------------------
cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version)
{
    (void)h;
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int values[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
    if (!value || (unsigned)type >= COUNT(values)) return CUBLAS_STATUS_INVALID_VALUE;
    *value = values[type];
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void) { return CUDA_VERSION; }

static const struct Word {
    Status status;
    const char *name, *text;
} words[] = {
#define WORD(name, text) {CUBLAS_STATUS_##name, "CUBLAS_STATUS_" #name, text},
    WORD(SUCCESS, "success")                                             //
    WORD(NOT_INITIALIZED, "the library was not initialized")             //
    WORD(ALLOC_FAILED, "the resource allocation failed")                 //
    WORD(INVALID_VALUE, "an unsupported value or parameter was passed")  //
    WORD(ARCH_MISMATCH, "the device lacks a feature that is needed")     //
    WORD(MAPPING_ERROR, "an access to memory failed")                    //
    WORD(EXECUTION_FAILED, "the function failed to launch on the GPU")   //
    WORD(INTERNAL_ERROR, "an internal operation failed")                 //
    WORD(NOT_SUPPORTED, "the functionality is not supported")            //
    WORD(LICENSE_ERROR, "the functionality requires a license")          //
};
static const struct Word *word_of(Status status)
{
    for (size_t j = 0; j < COUNT(words); j++)
        if (words[j].status == status) return &words[j];
    return NULL;
}
const char *cublasGetStatusName(cublasStatus_t status)
{
    const struct Word *w = word_of(status);
    return w ? w->name : "CUBLAS_STATUS_UNKNOWN";
}
const char *cublasGetStatusString(cublasStatus_t status)
{
    const struct Word *w = word_of(status);
    return w ? w->text : "an unknown status";
}

// There is no log.
cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback)
{
    (void)callback;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback)
{
    if (!callback) return CUBLAS_STATUS_INVALID_VALUE;
    *callback = NULL;
    return CUBLAS_STATUS_SUCCESS;
}
