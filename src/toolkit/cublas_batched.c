// cublas_batched.c: LU factors of many small matrices, and what is solved and inverted with them.
#include "toolkit/cublas.h"

enum { MOST = 65535 };  // matrices of a batch

static Shape shape_of(cublasHandle_t h, int count)
{
    return (Shape){.grid = {(unsigned)count}, .block = {128}, .stream = h->stream};
}
static bool is_odd(int n, int lda, int count) { return n < 0 || count < 0 || lda < MAX(n, 1) || count > MOST; }

static Status getrf(cublasHandle_t h, int n, const void *a, int lda, void *pivots, void *info, int count, int type)
{
    NEEDS(h, info);
    if (is_odd(n, lda, count)) return CUBLAS_STATUS_INVALID_VALUE;
    if (!n || !count) return CUBLAS_STATUS_SUCCESS;
    const Shape s = shape_of(h, count);
    return run(h, "lu", "getrf", letter_of(type), &s, (void *[]){&n, &a, &lda, &pivots, &info});
}

// b = op(l u)⁻¹ b, with the rows of b in order.
static Status both(cublasHandle_t h, cublasOperation_t op, int n, int columns, const void *a, int lda, const void *b,
                   int ldb, int count, int type)
{
    const Matrix lower = half(a, n, lda, CUBLAS_FILL_MODE_LOWER, UNIT_TRIANGLE, op);
    const Matrix upper = half(a, n, lda, CUBLAS_FILL_MODE_UPPER, TRIANGLE, op),
                 x = whole(b, n, columns, ldb, CUBLAS_OP_N);
    const Matrix *const first = op == CUBLAS_OP_N ? &lower : &upper, *const second =
                                                                         op == CUBLAS_OP_N ? &upper : &lower;
    const Status status = triangle(h, CUBLAS_SIDE_LEFT, first, &x, number(1), count, true, type);
    return status ? status : triangle(h, CUBLAS_SIDE_LEFT, second, &x, number(1), count, true, type);
}
static Status order(cublasHandle_t h, int n, int columns, const void *b, int ldb, const void *pivots, int back,
                    int count, int type)
{
    if (!pivots) return CUBLAS_STATUS_SUCCESS;
    const Shape s = shape_of(h, count);
    return run(h, "lu", "order", letter_of(type), &s, (void *[]){&n, &columns, &b, &ldb, &pivots, &back});
}

static Status getrs(cublasHandle_t h, cublasOperation_t op, int n, int columns, const void *a, int lda,
                    const void *pivots, const void *b, int ldb, int *info, int count, int type)
{
    NEEDS(h, info);
    // info is the host's: the number of the parameter that is wrong, as LAPACK counts them
    *info = !is_op(op) ? -1 : n < 0 ? -2 : columns < 0 ? -3 : lda < MAX(n, 1) ? -5 : ldb < MAX(n, 1) ? -8 : 0;
    if (*info || count < 0 || count > MOST) return CUBLAS_STATUS_INVALID_VALUE;
    if (!n || !columns || !count) return CUBLAS_STATUS_SUCCESS;
    Status status = CUBLAS_STATUS_SUCCESS;
    if (op == CUBLAS_OP_N) status = order(h, n, columns, b, ldb, pivots, 0, count, type);
    if (!status) status = both(h, op, n, columns, a, lda, b, ldb, count, type);
    return status || op == CUBLAS_OP_N ? status : order(h, n, columns, b, ldb, pivots, 1, count, type);
}

static Status getri(cublasHandle_t h, int n, const void *a, int lda, const void *pivots, const void *c, int ldc,
                    void *info, int count, int type)
{
    NEEDS(h, info);
    if (is_odd(n, lda, count) || ldc < MAX(n, 1)) return CUBLAS_STATUS_INVALID_VALUE;
    if (!n || !count) return CUBLAS_STATUS_SUCCESS;
    const Shape s = shape_of(h, count);
    Status status = run(h, "lu", "one", letter_of(type), &s, (void *[]){&n, &a, &lda, &c, &ldc, &info});
    if (!status) status = order(h, n, n, c, ldc, pivots, 0, count, type);
    return status ? status : both(h, CUBLAS_OP_N, n, n, a, lda, c, ldc, count, type);
}

// As documented, n is 32 at most.
static Status matinv(cublasHandle_t h, int n, const void *a, int lda, const void *inverse, int ldi, void *info,
                     int count, int type)
{
    NEEDS(h, info);
    if (is_odd(n, lda, count) || ldi < MAX(n, 1) || n > 32) return CUBLAS_STATUS_INVALID_VALUE;
    if (!n || !count) return CUBLAS_STATUS_SUCCESS;
    const size_t matrices = (size_t)count * (size_t)n * (size_t)n * bytes_of(type),
                 list = (size_t)count * sizeof(void *);
    CUdeviceptr room, addresses, pivots;
    Status status = workspace(h, matrices + list + (size_t)count * (size_t)n * sizeof(int) + 8, &room);
    if (status) return status;
    addresses = room + matrices, pivots = addresses + list;  // the matrices take a multiple of 4 bytes
    if (matrices % 8) addresses += 4, pivots += 4;
    const Shape s = shape_of(h, count);
    status = run(h, "lu", "copies", letter_of(type), &s, (void *[]){&n, &a, &lda, &room, &addresses});
    if (!status) status = getrf(h, n, (void *)(uintptr_t)addresses, n, (void *)(uintptr_t)pivots, info, count, type);
    return status ? status
                  : getri(h, n, (void *)(uintptr_t)addresses, n, (void *)(uintptr_t)pivots, inverse, ldi, info, count,
                          type);
}

#define LU(L, T, type)                                                                                                \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info,    \
                                           int count)                                                                 \
    {                                                                                                                 \
        return getrf(h, n, a, lda, pivots, info, count, type);                                                        \
    }                                                                                                                 \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots,   \
                                           T *const c[], int ldc, int *info, int count)                               \
    {                                                                                                                 \
        return getri(h, n, a, lda, pivots, c, ldc, info, count, type);                                                \
    }                                                                                                                 \
    cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int nrhs,                   \
                                           const T *const a[], int lda, const int *pivots, T *const b[], int ldb,     \
                                           int *info, int count)                                                      \
    {                                                                                                                 \
        return getrs(h, op, n, nrhs, a, lda, pivots, b, ldb, info, count, type);                                      \
    }                                                                                                                 \
    cublasStatus_t cublas##L##matinvBatched(cublasHandle_t h, int n, const T *const a[], int lda, T *const inverse[], \
                                            int ldi, int *info, int count)                                            \
    {                                                                                                                 \
        return matinv(h, n, a, lda, inverse, ldi, info, count, type);                                                 \
    }
LU(S, float, CUDA_R_32F)
LU(D, double, CUDA_R_64F)
LU(C, cuComplex, CUDA_C_32F)
LU(Z, cuDoubleComplex, CUDA_C_64F)
