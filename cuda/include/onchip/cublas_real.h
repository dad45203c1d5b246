// onchip/cublas_real.h: the functions of cuBLAS that there are for real T alone. cublas_functions.h reads it.
cublasStatus_t F(dot_v2)(cublasHandle_t handle, I n, const T *x, I incx, const T *y, I incy, T *result);
cublasStatus_t F(rotm_v2)(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const T *param);
cublasStatus_t F(ger_v2)(cublasHandle_t handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T
    *a, I lda);
cublasStatus_t F(sbmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, I k, const T *alpha, const T *a, I lda,
    const T *x, I incx, const T *beta, T *y, I incy);
cublasStatus_t F(spmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *ap, const T *x,
    I incx, const T *beta, T *y, I incy);
cublasStatus_t F(spr_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, T
    *ap);
cublasStatus_t F(spr2_v2)(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, const
    T *y, I incy, T *ap);
