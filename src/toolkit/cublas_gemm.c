// cublas_gemm.c: the functions of BLAS that multiply whole matrices (gemm).
#include "toolkit/cublas.h"

// What a function was given.
typedef struct Gemm {
    cublasOperation_t op_a, op_b;
    Count m, n, k, count;
    const void *alpha, *beta;
    int scale;  // the type of these two
    const void *a, *b;
    void *c;
    Count lda, ldb, ldc, stride_a, stride_b, stride_c;
    bool pointers;
} Gemm;

static Status gemm(cublasHandle_t h, Gemm g, Types t)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_op(g.op_a) || !is_op(g.op_b) || g.m < 0 || g.n < 0 || g.k < 0 || g.count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    Product p = {.m = g.m,
                 .n = g.n,
                 .k = g.k,
                 .count = g.count,
                 .a = operand(g.a, g.m, g.k, g.lda, g.op_a),
                 .b = operand(g.b, g.k, g.n, g.ldb, g.op_b),
                 .c = whole(g.c, g.m, g.n, g.ldc, CUBLAS_OP_N),
                 .pointers = g.pointers};
    if (!pitch(&p.a) || !pitch(&p.b) || !pitch(&p.c)) return CUBLAS_STATUS_INVALID_VALUE;
    if (!g.m || !g.n || !g.count) return CUBLAS_STATUS_SUCCESS;
    if (!g.alpha || !g.beta || !g.c) return CUBLAS_STATUS_INVALID_VALUE;
    p.a.stride = g.stride_a, p.b.stride = g.stride_b, p.c.stride = g.stride_c;
    p.alpha = scalar(h, g.alpha, g.scale), p.beta = scalar(h, g.beta, g.scale);
    if (is_number(p.alpha, 0)) p.k = 0;
    if (p.k && (!g.a || !g.b)) return CUBLAS_STATUS_INVALID_VALUE;
    return product(h, &p, t);
}

// The last parameters of the three forms, and what becomes of them.
#define ONE .count = 1, .a = a, .b = b, .c = c, .lda = lda, .ldb = ldb, .ldc = ldc
#define STRIDED                                                                                                 \
    .count = count, .a = a, .b = b, .c = c, .lda = lda, .ldb = ldb, .ldc = ldc, .stride_a = sa, .stride_b = sb, \
    .stride_c = sc
#define MANY \
    .count = count, .a = a, .b = b, .c = (void *)(uintptr_t)c, .lda = lda, .ldb = ldb, .ldc = ldc, .pointers = true
#define FIRST .op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta
#define OPS cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b
#define LONG long long

#define GEMM_AS(name, T, type, compute, I, end)                                                                       \
    cublasStatus_t name##end(OPS, I m, I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, \
                             T *c, I ldc)                                                                             \
    {                                                                                                                 \
        return gemm(h, (Gemm){FIRST, .scale = type, ONE}, (Types){type, type, compute});                              \
    }
#define GEMM_MANY(L, T, type, compute, I, end)                                                                         \
    cublasStatus_t cublas##L##gemmBatched##end(OPS, I m, I n, I k, const T *alpha, const T *const a[], I lda,          \
                                               const T *const b[], I ldb, const T *beta, T *const c[], I ldc, I count) \
    {                                                                                                                  \
        return gemm(h, (Gemm){FIRST, .scale = type, MANY}, (Types){type, type, compute});                              \
    }                                                                                                                  \
    cublasStatus_t cublas##L##gemmStridedBatched##end(OPS, I m, I n, I k, const T *alpha, const T *a, I lda, LONG sa,  \
                                                      const T *b, I ldb, LONG sb, const T *beta, T *c, I ldc, LONG sc, \
                                                      I count)                                                         \
    {                                                                                                                  \
        return gemm(h, (Gemm){FIRST, .scale = type, STRIDED}, (Types){type, type, compute});                           \
    }
// An f32 product may round its factors to TF32 where the handle allows it.
#define COMPUTE_S (h && h->math == CUBLAS_TF32_TENSOR_OP_MATH ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F)
#define COMPUTE_C CUBLAS_COMPUTE_32F
#define COMPUTE_D CUBLAS_COMPUTE_64F
#define COMPUTE_Z CUBLAS_COMPUTE_64F
#define GEMM(L, T, R, type, I, end)                           \
    GEMM_AS(cublas##L##gemm_v2, T, type, COMPUTE_##L, I, end) \
    GEMM_MANY(L, T, type, COMPUTE_##L, I, end)
ALL(GEMM)
#define GEMM_HALF(I, end)                                                       \
    GEMM_AS(cublasHgemm, struct __half, CUDA_R_16F, CUBLAS_COMPUTE_16F, I, end) \
    GEMM_MANY(H, struct __half, CUDA_R_16F, CUBLAS_COMPUTE_16F, I, end)
GEMM_HALF(int, )
GEMM_HALF(int64_t, _64)
// Three products of parts instead of four are a matter of speed.
#define GEMM_3M(L, T, R, type, I, end) GEMM_AS(cublas##L##gemm3m, T, type, COMPUTE_##L, I, end)
COMPLEX(GEMM_3M)

// --- with types as parameters ----------------------------------------------------------------------------------------
// ROW(type of a and b, of c, kind of sums), as the documentation of cublasGemmEx lists them.
enum { SUM_16F, SUM_32F, SUM_64F, SUM_32I };
static const int kinds[][3] = {
    {CUDA_R_16F, CUDA_R_16F, SUM_16F}, {CUDA_R_8I, CUDA_R_32I, SUM_32I},  {CUDA_R_16BF, CUDA_R_16BF, SUM_32F},
    {CUDA_R_16F, CUDA_R_16F, SUM_32F}, {CUDA_R_8I, CUDA_R_32F, SUM_32F},  {CUDA_R_16BF, CUDA_R_32F, SUM_32F},
    {CUDA_R_16F, CUDA_R_32F, SUM_32F}, {CUDA_R_32F, CUDA_R_32F, SUM_32F}, {CUDA_C_32F, CUDA_C_32F, SUM_32F},
    {CUDA_R_64F, CUDA_R_64F, SUM_64F}, {CUDA_C_64F, CUDA_C_64F, SUM_64F},
};
static int kind_of(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return SUM_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return SUM_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return SUM_64F;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32: return SUM_32F;
    default: return -1;
    }
}

static Status typed(cublasHandle_t h, const char *function, Gemm g, int a, int b, int c, cublasComputeType_t compute)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int kind = kind_of(compute);
    if (kind < 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (compute == CUBLAS_COMPUTE_32F && h->math == CUBLAS_TF32_TENSOR_OP_MATH) compute = CUBLAS_COMPUTE_32F_FAST_TF32;
    for (size_t j = 0; a == b && j < COUNT(kinds); j++) {
        if (kinds[j][0] != a || kinds[j][1] != c || kinds[j][2] != kind) continue;
        static const int scales[] = {CUDA_R_16F, CUDA_R_32F, CUDA_R_64F, CUDA_R_32I};
        g.scale = a == CUDA_C_32F || a == CUDA_C_64F ? a : scales[kind];
        return gemm(h, g, (Types){a, c, compute});
    }
    return not_there(h, function, "a product of these types");
}
// cublasSgemmEx and cublasCgemmEx compute as their names say.
#define SCALED(L, T, name, I, end)                                                                                   \
    cublasStatus_t cublas##L##gemmEx##end(OPS, I m, I n, I k, const T *alpha, const void *a, cudaDataType at, I lda, \
                                          const void *b, cudaDataType bt, I ldb, const T *beta, void *c,             \
                                          cudaDataType ct, I ldc)                                                    \
    {                                                                                                                \
        return typed(h, name, (Gemm){FIRST, ONE}, at, bt, ct, CUBLAS_COMPUTE_32F);                                   \
    }
#define TYPED(I, end)                                                                                              \
    SCALED(S, float, "cublasSgemmEx", I, end)                                                                      \
    SCALED(C, cuComplex, "cublasCgemmEx", I, end)                                                                  \
    cublasStatus_t cublasGemmEx##end(OPS, I m, I n, I k, const void *alpha, const void *a, cudaDataType at, I lda, \
                                     const void *b, cudaDataType bt, I ldb, const void *beta, void *c,             \
                                     cudaDataType ct, I ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo)   \
    {                                                                                                              \
        (void)algo;                                                                                                \
        return typed(h, "cublasGemmEx", (Gemm){FIRST, ONE}, at, bt, ct, compute);                                  \
    }                                                                                                              \
    cublasStatus_t cublasGemmBatchedEx##end(OPS, I m, I n, I k, const void *alpha, const void *const a[],          \
                                            cudaDataType at, I lda, const void *const b[], cudaDataType bt, I ldb, \
                                            const void *beta, void *const c[], cudaDataType ct, I ldc, I count,    \
                                            cublasComputeType_t compute, cublasGemmAlgo_t algo)                    \
    {                                                                                                              \
        (void)algo;                                                                                                \
        return typed(h, "cublasGemmBatchedEx", (Gemm){FIRST, MANY}, at, bt, ct, compute);                          \
    }                                                                                                              \
    cublasStatus_t cublasGemmStridedBatchedEx##end(                                                                \
        OPS, I m, I n, I k, const void *alpha, const void *a, cudaDataType at, I lda, LONG sa, const void *b,      \
        cudaDataType bt, I ldb, LONG sb, const void *beta, void *c, cudaDataType ct, I ldc, LONG sc, I count,      \
        cublasComputeType_t compute, cublasGemmAlgo_t algo)                                                        \
    {                                                                                                              \
        (void)algo;                                                                                                \
        return typed(h, "cublasGemmStridedBatchedEx", (Gemm){FIRST, STRIDED}, at, bt, ct, compute);                \
    }
TYPED(int, )
TYPED(int64_t, _64)
