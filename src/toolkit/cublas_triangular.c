// cublas_triangular.c: systems of equations with triangular matrices (trsm): blocks of 32 unknowns are solved by a
// kernel of their own, and what they contribute to the others is a product.
#include "toolkit/cublas.h"

enum { SIZE = 32 };

static Status block(cublasHandle_t h, Matrix *a, Matrix *b, Scalar alpha, Count first, int size, int flip, int right,
                    Count count, int pointers, int type)
{
    Count n = right ? b->rows : b->columns, step = right ? b->ld : 1, apart = right ? 1 : b->ld;
    const Shape s = {.grid = {(unsigned)((n + 63) / 64), 1, (unsigned)count}, .block = {64}, .stream = h->stream};
    return run(h, "triangle", "triangle", letter_of(type), &s,
               (void *[]){a, b, &alpha, &first, &size, &flip, &right, &n, &step, &apart, &pointers});
}

// What is left of b, less the product of what was found and the rest of a.
static Status rest(cublasHandle_t h, const Matrix *a, const Matrix *b, Scalar beta, Count first, Count size, Count from,
                   Count left, bool right, Count count, bool pointers, int type)
{
    Product p = {.k = size, .count = count, .alpha = number(-1), .beta = beta, .pointers = pointers};
    if (right) {
        p.m = b->rows, p.n = left;
        p.a = part(b, 0, first, b->rows, size), p.b = part(a, first, from, size, left);
        p.c = part(b, 0, from, b->rows, left);
    } else {
        p.m = left, p.n = b->columns;
        p.a = part(a, from, first, left, size), p.b = part(b, first, 0, size, b->columns);
        p.c = part(b, from, 0, left, b->columns);
    }
    const bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    return product(h, &p, (Types){type, type, wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F_PEDANTIC});
}

Status triangle(cublasHandle_t h, cublasSideMode_t side, const Matrix *a, const Matrix *b, Scalar alpha, Count count,
                bool pointers, int type)
{
    const bool right = side == CUBLAS_SIDE_RIGHT, turned = a->op == CUBLAS_OP_T || a->op == CUBLAS_OP_C;
    const Count n = a->rows;
    // op(a) is an upper triangle: the last unknown is found first. With x at the left it is the other way round.
    const bool flip = (a->upper != 0) ^ turned ^ right;
    Matrix whole_a = *a, whole_b = *b;
    Status status = CUBLAS_STATUS_SUCCESS;
    for (Count done = 0; done < n && !status; done += SIZE) {
        const Count size = MIN(SIZE, n - done), first = flip ? n - done - size : done, left = n - done - size;
        status = block(h, &whole_a, &whole_b, done ? number(1) : alpha, first, (int)size, flip, right, count, pointers,
                       type);
        if (!status && left)
            status = rest(h, a, b, done ? number(1) : alpha, first, size, flip ? 0 : done + size, left, right, count,
                          pointers, type);
    }
    return status;
}

static Status trsm(cublasHandle_t h, cublasSideMode_t side, Fill fill, cublasOperation_t op, Ones diag, Count m,
                   Count n, const void *alpha, const void *a, Count lda, const void *b, Count ldb, Count count,
                   bool pointers, int type)
{
    enum { MOST = 65535 };
    NEEDS(h, alpha);
    const Count size = side == CUBLAS_SIDE_LEFT ? m : n;
    if ((side != CUBLAS_SIDE_LEFT && side != CUBLAS_SIDE_RIGHT) || !is_fill(fill) || !is_op(op) || !is_diag(diag))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m < 0 || n < 0 || count < 0 || lda < MAX(size, 1) || ldb < MAX(m, 1)) return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n || !count) return CUBLAS_STATUS_SUCCESS;
    if (count > MOST) return not_there(h, "cublas…trsmBatched", "a batch of over 65,535");
    const Matrix left = half(a, size, lda, fill, form_of(diag), op), right = whole(b, m, n, ldb, CUBLAS_OP_N);
    return triangle(h, side, &left, &right, scalar(h, alpha, type), count, pointers, type);
}
#define TRSM(L, T, R, type, I, end)                                                                                  \
    cublasStatus_t cublas##L##trsm_v2##end(cublasHandle_t h, cublasSideMode_t side, Fill fill, cublasOperation_t op, \
                                           Ones diag, I m, I n, const T *alpha, const T *a, I lda, T *b, I ldb)      \
    {                                                                                                                \
        return trsm(h, side, fill, op, diag, m, n, alpha, a, lda, b, ldb, 1, false, type);                           \
    }                                                                                                                \
    cublasStatus_t cublas##L##trsmBatched##end(cublasHandle_t h, cublasSideMode_t side, Fill fill,                   \
                                               cublasOperation_t op, Ones diag, I m, I n, const T *alpha,            \
                                               const T *const a[], I lda, T *const b[], I ldb, I count)              \
    {                                                                                                                \
        return trsm(h, side, fill, op, diag, m, n, alpha, a, lda, b, ldb, count, true, type);                        \
    }
ALL(TRSM)
