// cublas_matrix_vector.c: level 2 of BLAS.
#include "toolkit/cublas.h"

// Half a matrix, with k diagonals beside the main one.
static Matrix half_band(const void *at, Count n, Count k, Count ld, Fill fill, Form form, Op op)
{
    Matrix a = half(at, n, ld, fill, form, op);
    a.layout = BAND;
    *(a.upper ? &a.ku : &a.kl) = k;
    return a;
}
static Matrix packed(const void *at, Count n, Fill fill, Form form, Op op)
{
    Matrix a = half(at, n, n, fill, form, op);
    a.layout = PACKED;
    return a;
}

// --- y = alpha op(a) x + beta y --------------------------------------------------------------------------------------
static Status times(cublasHandle_t h, Matrix a, const void *alpha, const void *x, Count incx, const void *beta, void *y,
                    Count incy, int type)
{
    NEEDS(h, alpha, beta);
    const bool turned = a.op == CUBLAS_OP_T || a.op == CUBLAS_OP_C;
    if (!incx || !incy) return CUBLAS_STATUS_INVALID_VALUE;
    const Count n = turned ? a.columns : a.rows, k = turned ? a.rows : a.columns;
    if (!a.rows || !a.columns) return CUBLAS_STATUS_SUCCESS;
    Scalar by = scalar(h, alpha, type), keep = scalar(h, beta, type);
    Vector u = vector(x, k, incx, type), v = vector(y, n, incy, type);
    const Shape s = {.grid = {(unsigned)((n + 7) / 8)}, .block = {32, 8}, .stream = h->stream};
    return run(h, "level2", "any", letter_of(type), &s, (void *[]){&a, &by, &u, &keep, &v});
}

static Status gemv(cublasHandle_t h, Op op, Count m, Count n, const void *alpha, const void *a, Count lda,
                   const void *x, Count incx, const void *beta, void *y, Count incy, Count stride_a, Batch b,
                   Count count, int type)
{
    enum { MOST = 65535 };
    NEEDS(h, alpha, beta);
    Matrix w = whole(a, m, n, lda, op);
    if (!is_op(op) || m < 0 || n < 0 || count < 0 || !pitch(&w) || !incx || !incy) return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n || !count) return CUBLAS_STATUS_SUCCESS;
    if (count > MOST) return not_there(h, "cublas…gemvBatched", "a batch of over 65,535");
    w.stride = stride_a;
    Scalar by = scalar(h, alpha, type), keep = scalar(h, beta, type);
    Vector u = {(void *)(uintptr_t)x, incx}, v = {y, incy};
    const Count blocks = op == CUBLAS_OP_N ? (m + 31) / 32 : (n + 7) / 8;
    const Shape s = {.grid = {(unsigned)blocks, 1, (unsigned)count}, .block = {32, 8}, .stream = h->stream};
    return run(h, "level2", op == CUBLAS_OP_N ? "rows" : "columns", letter_of(type), &s,
               (void *[]){&w, &by, &u, &keep, &v, &b});
}
#define GEMV(L, T, R, type, I, end)                                                                                    \
    cublasStatus_t cublas##L##gemv_v2##end(cublasHandle_t h, Op op, I m, I n, const T *alpha, const T *a, I lda,       \
                                           const T *x, I incx, const T *beta, T *y, I incy)                            \
    {                                                                                                                  \
        return gemv(h, op, m, n, alpha, a, lda, x, incx, beta, y, incy, 0, (Batch){0, 0, 0}, 1, type);                 \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemvBatched##end(cublasHandle_t h, Op op, I m, I n, const T *alpha, const T *const a[],  \
                                               I lda, const T *const x[], I incx, const T *beta, T *const y[], I incy, \
                                               I count)                                                                \
    {                                                                                                                  \
        return gemv(h, op, m, n, alpha, a, lda, x, incx, beta, (void *)(uintptr_t)y, incy, 0, (Batch){0, 0, 1}, count, \
                    type);                                                                                             \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemvStridedBatched##end(cublasHandle_t h, Op op, I m, I n, const T *alpha, const T *a,   \
                                                      I lda, long long sa, const T *x, I incx, long long sx,           \
                                                      const T *beta, T *y, I incy, long long sy, I count)              \
    {                                                                                                                  \
        return gemv(h, op, m, n, alpha, a, lda, x, incx, beta, y, incy, sa, (Batch){sx, sy, 0}, count, type);          \
    }
ALL(GEMV)

#define GBMV(L, T, R, type, I, end)                                                                                    \
    cublasStatus_t cublas##L##gbmv_v2##end(cublasHandle_t h, Op op, I m, I n, I kl, I ku, const T *alpha, const T *a,  \
                                           I lda, const T *x, I incx, const T *beta, T *y, I incy)                     \
    {                                                                                                                  \
        Matrix w = whole(a, m, n, lda, op);                                                                            \
        w.layout = BAND, w.kl = kl, w.ku = ku;                                                                         \
        if (!is_op(op) || m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1) return CUBLAS_STATUS_INVALID_VALUE; \
        return times(h, w, alpha, x, incx, beta, y, incy, type);                                                       \
    }
ALL(GBMV)

// Three layouts of a symmetric or hermitian matrix.
#define SYMV(name, form, T, type, I, end)                                                                          \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, const T *alpha, const T *a, I lda, const T *x, \
                                  I incx, const T *beta, T *y, I incy)                                             \
    {                                                                                                              \
        if (!is_fill(fill) || n < 0 || lda < MAX(n, 1)) return CUBLAS_STATUS_INVALID_VALUE;                        \
        return times(h, half(a, n, lda, fill, form, CUBLAS_OP_N), alpha, x, incx, beta, y, incy, type);            \
    }
#define SBMV(name, form, T, type, I, end)                                                                       \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, I k, const T *alpha, const T *a, I lda,     \
                                  const T *x, I incx, const T *beta, T *y, I incy)                              \
    {                                                                                                           \
        if (!is_fill(fill) || n < 0 || k < 0 || lda < k + 1) return CUBLAS_STATUS_INVALID_VALUE;                \
        return times(h, half_band(a, n, k, lda, fill, form, CUBLAS_OP_N), alpha, x, incx, beta, y, incy, type); \
    }
#define SPMV(name, form, T, type, I, end)                                                                            \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, const T *alpha, const T *ap, const T *x, I incx, \
                                  const T *beta, T *y, I incy)                                                       \
    {                                                                                                                \
        if (!is_fill(fill) || n < 0) return CUBLAS_STATUS_INVALID_VALUE;                                             \
        return times(h, packed(ap, n, fill, form, CUBLAS_OP_N), alpha, x, incx, beta, y, incy, type);                \
    }
#define SYMMETRIC_TIMES(L, T, R, type, I, end) SYMV(cublas##L##symv, SYMMETRIC, T, type, I, end)
ALL(SYMMETRIC_TIMES)
#define REAL_TIMES(L, T, R, type, I, end)             \
    SBMV(cublas##L##sbmv, SYMMETRIC, T, type, I, end) \
    SPMV(cublas##L##spmv, SYMMETRIC, T, type, I, end)
REAL(REAL_TIMES)
#define HERMITIAN_TIMES(L, T, R, type, I, end)        \
    SYMV(cublas##L##hemv, HERMITIAN, T, type, I, end) \
    SBMV(cublas##L##hbmv, HERMITIAN, T, type, I, end) \
    SPMV(cublas##L##hpmv, HERMITIAN, T, type, I, end)
COMPLEX(HERMITIAN_TIMES)

// --- x = op(a) x, and op(a) x = b, with a triangle -------------------------------------------------------------------
static Status triangle_times(cublasHandle_t h, Matrix a, void *x, Count incx, int type)
{
    CUdeviceptr room;
    Count n = a.rows;
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!incx) return CUBLAS_STATUS_INVALID_VALUE;
    if (!n) return CUBLAS_STATUS_SUCCESS;
    Status status = workspace(h, (size_t)n * bytes_of(type), &room);
    if (status) return status;
    Vector u = vector(x, n, incx, type), kept = {(void *)(uintptr_t)room, 1};
    Scalar one = number(1), none = number(0);
    char copy[] = "copy_16";
    snprintf(copy, sizeof copy, "copy_%zu", bytes_of(type));
    Shape s = shape_for(h, n);
    status = status_of(kernel_run(&h->kernels, "vector", copy, &s, (void *[]){&n, &u, &kept}));
    if (status) return status;
    s = (Shape){.grid = {(unsigned)((n + 7) / 8)}, .block = {32, 8}, .stream = h->stream};
    return run(h, "level2", "any", letter_of(type), &s, (void *[]){&a, &one, &kept, &none, &u});
}
static Status triangle_solve(cublasHandle_t h, Matrix a, void *x, Count incx, int type)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!incx) return CUBLAS_STATUS_INVALID_VALUE;
    if (!a.rows) return CUBLAS_STATUS_SUCCESS;
    Vector u = vector(x, a.rows, incx, type);
    const Shape s = {.block = {(unsigned)MIN((a.rows + 31) / 32 * 32, 256)}, .stream = h->stream};
    return run(h, "level2", "solve", letter_of(type), &s, (void *[]){&a, &u});
}
#define TRIANGLE_ROW(L, name, does, T, type, I, end)                                                                  \
    cublasStatus_t cublas##L##tr##name##_v2##end(cublasHandle_t h, Fill fill, Op op, Ones diag, I n, const T *a,      \
                                                 I lda, T *x, I incx)                                                 \
    {                                                                                                                 \
        if (!is_fill(fill) || !is_op(op) || !is_diag(diag) || n < 0 || lda < MAX(n, 1))                               \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                       \
        return does(h, half(a, n, lda, fill, form_of(diag), op), x, incx, type);                                      \
    }                                                                                                                 \
    cublasStatus_t cublas##L##tb##name##_v2##end(cublasHandle_t h, Fill fill, Op op, Ones diag, I n, I k, const T *a, \
                                                 I lda, T *x, I incx)                                                 \
    {                                                                                                                 \
        if (!is_fill(fill) || !is_op(op) || !is_diag(diag) || n < 0 || k < 0 || lda < k + 1)                          \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                       \
        return does(h, half_band(a, n, k, lda, fill, form_of(diag), op), x, incx, type);                              \
    }                                                                                                                 \
    cublasStatus_t cublas##L##tp##name##_v2##end(cublasHandle_t h, Fill fill, Op op, Ones diag, I n, const T *ap,     \
                                                 T *x, I incx)                                                        \
    {                                                                                                                 \
        if (!is_fill(fill) || !is_op(op) || !is_diag(diag) || n < 0) return CUBLAS_STATUS_INVALID_VALUE;              \
        return does(h, packed(ap, n, fill, form_of(diag), op), x, incx, type);                                        \
    }
#define TRIANGLES(L, T, R, type, I, end)                 \
    TRIANGLE_ROW(L, mv, triangle_times, T, type, I, end) \
    TRIANGLE_ROW(L, sv, triangle_solve, T, type, I, end)
ALL(TRIANGLES)

// --- a += alpha x op(y) … --------------------------------------------------------------------------------------------
static Status update(cublasHandle_t h, Matrix a, const void *alpha, int at, const void *x, Count incx, const void *y,
                     Count incy, bool conjugates, bool both, int type)
{
    NEEDS(h, alpha);
    if (!incx || !incy) return CUBLAS_STATUS_INVALID_VALUE;
    Scalar by = scalar(h, alpha, at);
    if (!a.rows || !a.columns || is_number(by, 0)) return CUBLAS_STATUS_SUCCESS;
    Vector u = vector(x, a.rows, incx, type), v = vector(y, a.columns, incy, type);
    int op = conjugates, twice = both;
    const Count high = (a.columns + 7) / 8;
    if (high > 65535) return not_there(h, "cublas…ger, syr and their like", "a matrix of over 524,280 columns");
    const Shape s = {.grid = {(unsigned)((a.rows + 31) / 32), (unsigned)high}, .block = {32, 8}, .stream = h->stream};
    return run(h, "level2", "update", letter_of(type), &s, (void *[]){&a, &by, &u, &v, &op, &twice});
}
#define GER(name, conjugates, T, type, I, end)                                                                        \
    cublasStatus_t name##_v2##end(cublasHandle_t h, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, \
                                  T *a, I lda)                                                                        \
    {                                                                                                                 \
        if (m < 0 || n < 0 || lda < MAX(m, 1)) return CUBLAS_STATUS_INVALID_VALUE;                                    \
        return update(h, whole(a, m, n, lda, CUBLAS_OP_N), alpha, type, x, incx, y, incy, conjugates, false, type);   \
    }
#define GER_REAL(L, T, R, type, I, end) GER(cublas##L##ger, false, T, type, I, end)
REAL(GER_REAL)
#define GER_COMPLEX(L, T, R, type, I, end)       \
    GER(cublas##L##geru, false, T, type, I, end) \
    GER(cublas##L##gerc, true, T, type, I, end)
COMPLEX(GER_COMPLEX)

// S: the factor's type
#define SYR(name, form, T, S, s_type, type, I, end)                                                                    \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, const S *alpha, const T *x, I incx, T *a, I lda)   \
    {                                                                                                                  \
        if (!is_fill(fill) || n < 0 || lda < MAX(n, 1)) return CUBLAS_STATUS_INVALID_VALUE;                            \
        return update(h, half(a, n, lda, fill, form, CUBLAS_OP_N), alpha, s_type, x, incx, x, incx, form == HERMITIAN, \
                      false, type);                                                                                    \
    }
#define SPR(name, form, T, S, s_type, type, I, end)                                                                  \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, const S *alpha, const T *x, I incx, T *ap)       \
    {                                                                                                                \
        if (!is_fill(fill) || n < 0) return CUBLAS_STATUS_INVALID_VALUE;                                             \
        return update(h, packed(ap, n, fill, form, CUBLAS_OP_N), alpha, s_type, x, incx, x, incx, form == HERMITIAN, \
                      false, type);                                                                                  \
    }
#define SYR2(name, form, T, type, I, end)                                                                            \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, const T *alpha, const T *x, I incx, const T *y,  \
                                  I incy, T *a, I lda)                                                               \
    {                                                                                                                \
        if (!is_fill(fill) || n < 0 || lda < MAX(n, 1)) return CUBLAS_STATUS_INVALID_VALUE;                          \
        return update(h, half(a, n, lda, fill, form, CUBLAS_OP_N), alpha, type, x, incx, y, incy, form == HERMITIAN, \
                      true, type);                                                                                   \
    }
#define SPR2(name, form, T, type, I, end)                                                                           \
    cublasStatus_t name##_v2##end(cublasHandle_t h, Fill fill, I n, const T *alpha, const T *x, I incx, const T *y, \
                                  I incy, T *ap)                                                                    \
    {                                                                                                               \
        if (!is_fill(fill) || n < 0) return CUBLAS_STATUS_INVALID_VALUE;                                            \
        return update(h, packed(ap, n, fill, form, CUBLAS_OP_N), alpha, type, x, incx, y, incy, form == HERMITIAN,  \
                      true, type);                                                                                  \
    }
#define SYMMETRIC_UPDATE(L, T, R, type, I, end)              \
    SYR(cublas##L##syr, SYMMETRIC, T, T, type, type, I, end) \
    SYR2(cublas##L##syr2, SYMMETRIC, T, type, I, end)
ALL(SYMMETRIC_UPDATE)
#define REAL_UPDATE(L, T, R, type, I, end)                   \
    SPR(cublas##L##spr, SYMMETRIC, T, T, type, type, I, end) \
    SPR2(cublas##L##spr2, SYMMETRIC, T, type, I, end)
REAL(REAL_UPDATE)
#define HERMITIAN_UPDATE(L, T, R, type, I, end)                        \
    SYR(cublas##L##her, HERMITIAN, T, R, parts_of(type), type, I, end) \
    SPR(cublas##L##hpr, HERMITIAN, T, R, parts_of(type), type, I, end) \
    SYR2(cublas##L##her2, HERMITIAN, T, type, I, end)                  \
    SPR2(cublas##L##hpr2, HERMITIAN, T, type, I, end)
COMPLEX(HERMITIAN_UPDATE)
