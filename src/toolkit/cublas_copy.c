// cublas_copy.c: vectors and matrices from the host to the device and back.
#include "toolkit/unit.h"

#include <cublas_api.h>

typedef cublasStatus_t Status;

// Rows of `width` bytes, each `from_pitch` behind the last one.
static Status copy(bool to_device, size_t width, size_t rows, const void *from, size_t from_pitch, void *to,
                   size_t to_pitch, bool waits, CUstream stream)
{
    if (!width || !rows) return CUBLAS_STATUS_SUCCESS;
    if (!from || !to) return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 1 || (from_pitch == width && to_pitch == width)) width *= rows, rows = 1, from_pitch = to_pitch = width;
    CUDA_MEMCPY2D c = {.WidthInBytes = width, .Height = rows, .srcPitch = from_pitch, .dstPitch = to_pitch};
    c.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    if (to_device)
        c.srcHost = from, c.dstDevice = (CUdeviceptr)(uintptr_t)to;
    else
        c.srcDevice = (CUdeviceptr)(uintptr_t)from, c.dstHost = to;
    return (waits ? cuMemcpy2DUnaligned(&c) : cuMemcpy2DAsync(&c, stream)) == CUDA_SUCCESS
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_MAPPING_ERROR;
}

static Status vector(bool to_device, int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy,
                     bool waits, cudaStream_t stream)
{
    if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    return copy(to_device, (size_t)size, (size_t)n, x, (size_t)(incx * size), y, (size_t)(incy * size), waits,
                (CUstream)stream);
}
static Status matrix(bool to_device, int64_t rows, int64_t columns, int64_t size, const void *a, int64_t lda, void *b,
                     int64_t ldb, bool waits, cudaStream_t stream)
{
    if (rows < 0 || columns < 0 || size <= 0 || lda < MAX(rows, 1) || ldb < MAX(rows, 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(to_device, (size_t)(rows * size), (size_t)columns, a, (size_t)(lda * size), b, (size_t)(ldb * size),
                waits, (CUstream)stream);
}

#define COPIES(way, to_device, I, end)                                                                                \
    cublasStatus_t cublas##way##Vector##end(I n, I size, const void *x, I incx, void *y, I incy)                      \
    {                                                                                                                 \
        return vector(to_device, n, size, x, incx, y, incy, true, NULL);                                              \
    }                                                                                                                 \
    cublasStatus_t cublas##way##VectorAsync##end(I n, I size, const void *x, I incx, void *y, I incy, cudaStream_t s) \
    {                                                                                                                 \
        return vector(to_device, n, size, x, incx, y, incy, false, s);                                                \
    }                                                                                                                 \
    cublasStatus_t cublas##way##Matrix##end(I rows, I columns, I size, const void *a, I lda, void *b, I ldb)          \
    {                                                                                                                 \
        return matrix(to_device, rows, columns, size, a, lda, b, ldb, true, NULL);                                    \
    }                                                                                                                 \
    cublasStatus_t cublas##way##MatrixAsync##end(I rows, I columns, I size, const void *a, I lda, void *b, I ldb,     \
                                                 cudaStream_t s)                                                      \
    {                                                                                                                 \
        return matrix(to_device, rows, columns, size, a, lda, b, ldb, false, s);                                      \
    }
COPIES(Set, true, int, )
COPIES(Set, true, int64_t, _64)
COPIES(Get, false, int, )
COPIES(Get, false, int64_t, _64)
