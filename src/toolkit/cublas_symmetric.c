// cublas_symmetric.c: level 3 of BLAS where a factor or the result is symmetric, hermitian or a triangle. The kernels
// of gemm read such factors, and write half of a result.
#include "toolkit/cublas.h"

static Types types_of(int type)
{
    const bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    return (Types){type, type, wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F_PEDANTIC};
}

// --- a factor is symmetric -------------------------------------------------------------------------------------------
static Status symm(cublasHandle_t h, Form form, cublasSideMode_t side, Fill fill, Count m, Count n, const void *alpha,
                   const void *a, Count lda, const void *b, Count ldb, const void *beta, void *c, Count ldc, int type)
{
    NEEDS(h, alpha, beta);
    const bool left = side == CUBLAS_SIDE_LEFT;
    const Count k = left ? m : n;
    if ((!left && side != CUBLAS_SIDE_RIGHT) || !is_fill(fill) || m < 0 || n < 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (lda < MAX(k, 1) || ldb < MAX(m, 1) || ldc < MAX(m, 1)) return CUBLAS_STATUS_INVALID_VALUE;
    const Matrix half_a = half(a, k, lda, fill, form, CUBLAS_OP_N), other = whole(b, m, n, ldb, CUBLAS_OP_N);
    Product p = {.m = m, .n = n, .k = k, .count = 1, .c = whole(c, m, n, ldc, CUBLAS_OP_N)};
    p.a = left ? half_a : other, p.b = left ? other : half_a;
    p.alpha = scalar(h, alpha, type), p.beta = scalar(h, beta, type);
    return product(h, &p, types_of(type));
}
#define SYMM_AS(name, form, T, type, I, end)                                                                    \
    cublasStatus_t name##_v2##end(cublasHandle_t h, cublasSideMode_t side, Fill fill, I m, I n, const T *alpha, \
                                  const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc)             \
    {                                                                                                           \
        return symm(h, form, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc, type);                      \
    }
#define SYMM(L, T, R, type, I, end) SYMM_AS(cublas##L##symm, SYMMETRIC, T, type, I, end)
ALL(SYMM)
#define HEMM(L, T, R, type, I, end) SYMM_AS(cublas##L##hemm, HERMITIAN, T, type, I, end)
COMPLEX(HEMM)

// --- the result is symmetric -----------------------------------------------------------------------------------------
// c = alpha op(a) op(b)' + beta c, and with `both` alpha' op(b) op(a)' beside it; ' conjugates where form is HERMITIAN.
static Status rank(cublasHandle_t h, Form form, Fill fill, cublasOperation_t op, Count n, Count k, const void *alpha,
                   int alpha_type, const void *a, Count lda, const void *b, Count ldb, bool both, const void *beta,
                   int beta_type, void *c, Count ldc, int type)
{
    NEEDS(h, alpha, beta);
    const bool is_real = type == CUDA_R_32F || type == CUDA_R_64F;
    const cublasOperation_t turn = form == HERMITIAN ? CUBLAS_OP_C : CUBLAS_OP_T;
    if (is_real && op == CUBLAS_OP_C) op = CUBLAS_OP_T;
    if (!is_fill(fill) || (op != CUBLAS_OP_N && op != turn) || n < 0 || k < 0) return CUBLAS_STATUS_INVALID_VALUE;
    const cublasOperation_t other = op == CUBLAS_OP_N ? turn : CUBLAS_OP_N;
    Product p = {.m = n, .n = n, .k = k, .count = 1};
    p.a = operand(a, n, k, lda, op), p.b = operand(b, k, n, ldb, other), p.c = whole(c, n, n, ldc, CUBLAS_OP_N);
    if (!pitch(&p.a) || !pitch(&p.b) || !pitch(&p.c)) return CUBLAS_STATUS_INVALID_VALUE;
    p.half = fill == CUBLAS_FILL_MODE_LOWER ? 1 : 2, p.real = form == HERMITIAN;
    p.alpha = scalar(h, alpha, alpha_type), p.beta = scalar(h, beta, beta_type);
    Status status = product(h, &p, types_of(type));
    if (status || !both) return status;
    p.a = operand(b, n, k, ldb, op), p.b = operand(a, k, n, lda, other);
    p.alpha.conjugated = form == HERMITIAN, p.beta = number(1);
    return product(h, &p, types_of(type));
}
#define RANK_K(name, form, T, S, s_type, type, I, end)                                                                \
    cublasStatus_t name##end(cublasHandle_t h, Fill fill, cublasOperation_t op, I n, I k, const S *alpha, const T *a, \
                             I lda, const S *beta, T *c, I ldc)                                                       \
    {                                                                                                                 \
        return rank(h, form, fill, op, n, k, alpha, s_type, a, lda, a, lda, false, beta, s_type, c, ldc, type);       \
    }
#define RANK_2K(name, form, both, T, S, s_type, type, I, end)                                                         \
    cublasStatus_t name##end(cublasHandle_t h, Fill fill, cublasOperation_t op, I n, I k, const T *alpha, const T *a, \
                             I lda, const T *b, I ldb, const S *beta, T *c, I ldc)                                    \
    {                                                                                                                 \
        return rank(h, form, fill, op, n, k, alpha, type, a, lda, b, ldb, both, beta, s_type, c, ldc, type);          \
    }
#define SYRK(L, T, R, type, I, end)                                         \
    RANK_K(cublas##L##syrk_v2, SYMMETRIC, T, T, type, type, I, end)         \
    RANK_2K(cublas##L##syr2k_v2, SYMMETRIC, true, T, T, type, type, I, end) \
    RANK_2K(cublas##L##syrkx, SYMMETRIC, false, T, T, type, type, I, end)
ALL(SYRK)
#define HERK(L, T, R, type, I, end)                                                   \
    RANK_K(cublas##L##herk_v2, HERMITIAN, T, R, parts_of(type), type, I, end)         \
    RANK_2K(cublas##L##her2k_v2, HERMITIAN, true, T, R, parts_of(type), type, I, end) \
    RANK_2K(cublas##L##herkx, HERMITIAN, false, T, R, parts_of(type), type, I, end)
COMPLEX(HERK)

// --- a factor is a triangle ------------------------------------------------------------------------------------------
// c may be b: then b is kept in the workspace.
static Status trmm(cublasHandle_t h, cublasSideMode_t side, Fill fill, cublasOperation_t op, Ones diag, Count m,
                   Count n, const void *alpha, const void *a, Count lda, const void *b, Count ldb, void *c, Count ldc,
                   int type)
{
    NEEDS(h, alpha);
    const bool left = side == CUBLAS_SIDE_LEFT;
    const Count k = left ? m : n;
    const size_t bytes = bytes_of(type);
    if ((!left && side != CUBLAS_SIDE_RIGHT) || !is_fill(fill) || !is_op(op) || !is_diag(diag) || m < 0 || n < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lda < MAX(k, 1) || ldb < MAX(m, 1) || ldc < MAX(m, 1) || (b == c && ldb != ldc))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_STATUS_SUCCESS;
    if (b == c) {
        CUdeviceptr room;
        const Status status = workspace(h, (size_t)m * (size_t)n * bytes, &room);
        if (status) return status;
        const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                    .srcDevice = (CUdeviceptr)(uintptr_t)b,
                                    .srcPitch = (size_t)ldb * bytes,
                                    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                    .dstDevice = room,
                                    .dstPitch = (size_t)m * bytes,
                                    .WidthInBytes = (size_t)m * bytes,
                                    .Height = (size_t)n};
        const CUresult result = cuMemcpy2DAsync(&copy, h->stream);
        if (result != CUDA_SUCCESS) return status_of(result);
        b = (const void *)(uintptr_t)room, ldb = m;
    }
    const Matrix half_a = half(a, k, lda, fill, form_of(diag), op), other = whole(b, m, n, ldb, CUBLAS_OP_N);
    Product p = {.m = m, .n = n, .k = k, .count = 1, .c = whole(c, m, n, ldc, CUBLAS_OP_N)};
    p.a = left ? half_a : other, p.b = left ? other : half_a;
    p.alpha = scalar(h, alpha, type), p.beta = number(0);
    return product(h, &p, types_of(type));
}
#define TRMM(L, T, R, type, I, end)                                                                                   \
    cublasStatus_t cublas##L##trmm_v2##end(cublasHandle_t h, cublasSideMode_t side, Fill fill, cublasOperation_t op,  \
                                           Ones diag, I m, I n, const T *alpha, const T *a, I lda, const T *b, I ldb, \
                                           T *c, I ldc)                                                               \
    {                                                                                                                 \
        return trmm(h, side, fill, op, diag, m, n, alpha, a, lda, b, ldb, c, ldc, type);                              \
    }
ALL(TRMM)
