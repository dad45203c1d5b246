// onchip/cublas_typed.h: the functions of cuBLAS that there are for each T, real or complex, whose parts are R.
// cublas_functions.h reads it.
cublasStatus_t F(axpy_v2)(cublasHandle_t handle, I n, const T *alpha, const T *x, I incx, T *y, I incy);
cublasStatus_t F(scal_v2)(cublasHandle_t handle, I n, const T *alpha, T *x, I incx);
cublasStatus_t F(copy_v2)(cublasHandle_t handle, I n, const T *x, I incx, T *y, I incy);
cublasStatus_t F(swap_v2)(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy);
cublasStatus_t F(rot_v2)(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const R *c, const T *s);
cublasStatus_t F(gemv_v2)(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T *a, I lda,
    const T *x, I incx, const T *beta, T *y, I incy);
cublasStatus_t F(gemvBatched)(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T *const
    a[], I lda, const T *const x[], I incx, const T *beta, T *const y[], I incy, I count);
cublasStatus_t F(gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T
    *a, I lda, long long stridea, const T *x, I incx, long long stridex, const T *beta, T *y, I incy, long long
    stridey, I count);
cublasStatus_t F(gbmv_v2)(cublasHandle_t handle, cublasOperation_t trans, I m, I n, I kl, I ku, const T *alpha, const
    T *a, I lda, const T *x, I incx, const T *beta, T *y, I incy);
cublasStatus_t F(trmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t
    diag, I n, const T *a, I lda, T *x, I incx);
cublasStatus_t F(tbmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t
    diag, I n, I k, const T *a, I lda, T *x, I incx);
cublasStatus_t F(tpmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t
    diag, I n, const T *ap, T *x, I incx);
cublasStatus_t F(trsv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t
    diag, I n, const T *a, I lda, T *x, I incx);
cublasStatus_t F(tbsv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t
    diag, I n, I k, const T *a, I lda, T *x, I incx);
cublasStatus_t F(tpsv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t
    diag, I n, const T *ap, T *x, I incx);
cublasStatus_t F(symv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *a, I lda, const
    T *x, I incx, const T *beta, T *y, I incy);
cublasStatus_t F(syr_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, T *a,
    I lda);
cublasStatus_t F(syr2_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, const
    T *y, I incy, T *a, I lda);
cublasStatus_t F(gemm_v2)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,
    const T *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
cublasStatus_t F(gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I
    k, const T *alpha, const T *const a[], I lda, const T *const b[], I ldb, const T *beta, T *const c[], I ldc, I
    count);
cublasStatus_t F(gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I
    n, I k, const T *alpha, const T *a, I lda, long long stridea, const T *b, I ldb, long long strideb, const T *beta,
    T *c, I ldc, long long stridec, I count);
cublasStatus_t F(symm_v2)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, I m, I n, const T
    *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
cublasStatus_t F(syrk_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T
    *alpha, const T *a, I lda, const T *beta, T *c, I ldc);
cublasStatus_t F(syr2k_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T
    *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
cublasStatus_t F(syrkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T
    *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
cublasStatus_t F(trmm_v2)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t
    trans, cublasDiagType_t diag, I m, I n, const T *alpha, const T *a, I lda, const T *b, I ldb, T *c, I ldc);
cublasStatus_t F(trsm_v2)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t
    trans, cublasDiagType_t diag, I m, I n, const T *alpha, const T *a, I lda, T *b, I ldb);
cublasStatus_t F(trsmBatched)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t
    trans, cublasDiagType_t diag, I m, I n, const T *alpha, const T *const a[], I lda, T *const b[], I ldb, I count);
cublasStatus_t F(geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, const T
    *alpha, const T *a, I lda, const T *beta, const T *b, I ldb, T *c, I ldc);
cublasStatus_t F(dgmm)(cublasHandle_t handle, cublasSideMode_t side, I m, I n, const T *a, I lda, const T *x, I incx,
    T *c, I ldc);
