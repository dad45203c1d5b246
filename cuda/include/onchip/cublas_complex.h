// onchip/cublas_complex.h: the functions of cuBLAS that there are for complex T alone, whose parts are R.
// cublas_functions.h reads it.
cublasStatus_t F(dotu_v2)(cublasHandle_t handle, I n, const T *x, I incx, const T *y, I incy, T *result);
cublasStatus_t F(dotc_v2)(cublasHandle_t handle, I n, const T *x, I incx, const T *y, I incy, T *result);
cublasStatus_t F(geru_v2)(cublasHandle_t handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T
    *a, I lda);
cublasStatus_t F(gerc_v2)(cublasHandle_t handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T
    *a, I lda);
cublasStatus_t F(hemv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *a, I lda, const
    T *x, I incx, const T *beta, T *y, I incy);
cublasStatus_t F(hbmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, I k, const T *alpha, const T *a, I lda,
    const T *x, I incx, const T *beta, T *y, I incy);
cublasStatus_t F(hpmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *ap, const T *x,
    I incx, const T *beta, T *y, I incy);
cublasStatus_t F(her_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const R *alpha, const T *x, I incx, T *a,
    I lda);
cublasStatus_t F(hpr_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const R *alpha, const T *x, I incx, T
    *ap);
cublasStatus_t F(her2_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, const
    T *y, I incy, T *a, I lda);
cublasStatus_t F(hpr2_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, const
    T *y, I incy, T *ap);
cublasStatus_t F(hemm_v2)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, I m, I n, const T
    *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
cublasStatus_t F(herk_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const R
    *alpha, const T *a, I lda, const R *beta, T *c, I ldc);
cublasStatus_t F(her2k_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T
    *alpha, const T *a, I lda, const T *b, I ldb, const R *beta, T *c, I ldc);
cublasStatus_t F(herkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T
    *alpha, const T *a, I lda, const T *b, I ldb, const R *beta, T *c, I ldc);
cublasStatus_t F(gemm3m)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,
    const T *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc);
