// cusparse.c: cuSPARSE's handles, and how its kernels are run.
#include "toolkit/cusparse_unit.h"

#include <string.h>

enum { VERSION = 12500, BLOCKS_MOST = 1 << 16 };

// --- errors ----------------------------------------------------------------------------------------------------------
static const struct {
    const char *name, *text;
} errors[] = {
    [CUSPARSE_STATUS_SUCCESS] = {"CUSPARSE_STATUS_SUCCESS", "success"},
    [CUSPARSE_STATUS_NOT_INITIALIZED] = {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    [CUSPARSE_STATUS_ALLOC_FAILED] = {"CUSPARSE_STATUS_ALLOC_FAILED", "resource allocation failed"},
    [CUSPARSE_STATUS_INVALID_VALUE] = {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    [CUSPARSE_STATUS_ARCH_MISMATCH] = {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    [CUSPARSE_STATUS_MAPPING_ERROR] = {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    [CUSPARSE_STATUS_EXECUTION_FAILED] = {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    [CUSPARSE_STATUS_INTERNAL_ERROR] = {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    [CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED] = {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                                   "matrix type not supported"},
    [CUSPARSE_STATUS_ZERO_PIVOT] = {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    [CUSPARSE_STATUS_NOT_SUPPORTED] = {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    [CUSPARSE_STATUS_INSUFFICIENT_RESOURCES] = {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
const char *cusparseGetErrorName(cusparseStatus_t s)
{
    return (size_t)s < COUNT(errors) ? errors[s].name : "CUSPARSE_STATUS_UNKNOWN";
}
const char *cusparseGetErrorString(cusparseStatus_t s)
{
    return (size_t)s < COUNT(errors) ? errors[s].text : "unrecognized error code";
}

cusparseStatus_t sparse_status(CUresult r)
{
    return r == CUDA_SUCCESS               ? CUSPARSE_STATUS_SUCCESS
           : r == CUDA_ERROR_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED
                                           : CUSPARSE_STATUS_EXECUTION_FAILED;
}

// --- handles ---------------------------------------------------------------------------------------------------------
cusparseStatus_t cusparseCreate(cusparseHandle_t *h)
{
    SPARSE_NEEDS(h);
    if (kernels_begin() != CUDA_SUCCESS) return CUSPARSE_STATUS_NOT_INITIALIZED;
    *h = mem_alloc(sizeof **h);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t h)
{
    SPARSE_WITH(h);
    kernels_free(&h->kernels);
    mem_free(h);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t h, int *version)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(version);
    *version = VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    SPARSE_NEEDS(value && type <= PATCH_LEVEL);
    *value = type == MAJOR_VERSION ? VERSION / 1000 : type == MINOR_VERSION ? VERSION / 100 % 10 : VERSION % 100;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t h, cudaStream_t stream)
{
    SPARSE_WITH(h);
    h->stream = (CUstream)stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t h, cudaStream_t *stream)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(stream);
    *stream = (cudaStream_t)h->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t h, cusparsePointerMode_t mode)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE);
    h->mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t h, cusparsePointerMode_t *mode)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(mode);
    *mode = h->mode;
    return CUSPARSE_STATUS_SUCCESS;
}

// --- kernels ---------------------------------------------------------------------------------------------------------
size_t sparse_value_bytes(cudaDataType type)
{
    return type == CUDA_R_32F ? 4 : type == CUDA_R_64F || type == CUDA_C_32F ? 8 : type == CUDA_C_64F ? 16 : 0;
}

const char *sparse_file(cudaDataType type)
{
    return type == CUDA_R_32F   ? "float"
           : type == CUDA_R_64F ? "double"
           : type == CUDA_C_32F ? "complex_float"
                                : "complex_double";
}

cusparseStatus_t sparse_run_shape(cusparseHandle_t h, const char *file, const char *kernel, unsigned blocks,
                                  unsigned threads, void *const *args)
{
    const Shape s = {.grid = {blocks}, .block = {threads}, .stream = h->stream};
    return sparse_status(kernel_run(&h->kernels, file, kernel, &s, args));
}

cusparseStatus_t sparse_run(cusparseHandle_t h, cudaDataType type, const char *kernel, int64_t threads,
                            void *const *args)
{
    if (threads <= 0) return CUSPARSE_STATUS_SUCCESS;
    const int64_t blocks = (threads - 1) / SPARSE_THREADS + 1;
    return sparse_run_shape(h, sparse_file(type), kernel, (unsigned)MIN(blocks, BLOCKS_MOST), SPARSE_THREADS, args);
}

SparseScalar sparse_scalar(cusparseHandle_t h, const void *given, cudaDataType type)
{
    SparseScalar s = {0};
    if (h->mode == CUSPARSE_POINTER_MODE_DEVICE)
        s.at = sparse_address(given);
    else
        memcpy(s.here, given, sparse_value_bytes(type));
    return s;
}

bool sparse_operation(cusparseOperation_t op)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE || op == CUSPARSE_OPERATION_TRANSPOSE ||
           op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

cusparseStatus_t sparse_buffer(size_t *bytes)
{
    SPARSE_NEEDS(bytes);
    *bytes = SPARSE_BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}
