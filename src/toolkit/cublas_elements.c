// cublas_elements.c: functions on matrices, element by element.
#include "toolkit/cublas.h"

static Status geam(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, Count m, Count n,
                   const void *alpha, const void *a, Count lda, const void *beta, const void *b, Count ldb, void *c,
                   Count ldc, int type)
{
    NEEDS(h, alpha, beta);
    Matrix u = operand(a, m, n, lda, op_a), v = operand(b, m, n, ldb, op_b);
    if (!is_op(op_a) || !is_op(op_b) || m < 0 || n < 0 || ldc < MAX(m, 1) || !pitch(&u) || !pitch(&v))
        return CUBLAS_STATUS_INVALID_VALUE;
    // In place is possible where the matrix isn't turned.
    if ((a == c && (op_a != CUBLAS_OP_N || lda != ldc)) || (b == c && (op_b != CUBLAS_OP_N || ldb != ldc)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_STATUS_SUCCESS;
    Scalar f = scalar(h, alpha, type), g = scalar(h, beta, type);
    const Shape s = shape_for(h, m * n);
    return run(h, "elements", "geam", letter_of(type), &s, (void *[]){&m, &n, &f, &u, &g, &v, &c, &ldc});
}
static Status dgmm(cublasHandle_t h, cublasSideMode_t side, Count m, Count n, const void *a, Count lda, const void *x,
                   Count incx, void *c, Count ldc, int type)
{
    int left = side == CUBLAS_SIDE_LEFT;
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((!left && side != CUBLAS_SIDE_RIGHT) || m < 0 || n < 0 || lda < MAX(m, 1) || ldc < MAX(m, 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_STATUS_SUCCESS;
    Vector v = vector(x, left ? m : n, incx, type);
    const Shape s = shape_for(h, m * n);
    return run(h, "elements", "dgmm", letter_of(type), &s, (void *[]){&m, &n, &a, &lda, &v, &left, &c, &ldc});
}
#define ELEMENTS(L, T, R, type, I, end)                                                                             \
    cublasStatus_t cublas##L##geam##end(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, I m, I n, \
                                        const T *alpha, const T *a, I lda, const T *beta, const T *b, I ldb, T *c,  \
                                        I ldc)                                                                      \
    {                                                                                                               \
        return geam(h, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc, type);                                \
    }                                                                                                               \
    cublasStatus_t cublas##L##dgmm##end(cublasHandle_t h, cublasSideMode_t side, I m, I n, const T *a, I lda,       \
                                        const T *x, I incx, T *c, I ldc)                                            \
    {                                                                                                               \
        return dgmm(h, side, m, n, a, lda, x, incx, c, ldc, type);                                                  \
    }
ALL(ELEMENTS)
