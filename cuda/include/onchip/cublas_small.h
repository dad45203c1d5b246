// onchip/cublas_small.h: the functions of cuBLAS that have counts of int alone, for each T, real or complex, whose
// parts are R. cublas_api.h reads it.
cublasStatus_t F(rotg_v2)(cublasHandle_t handle, T *a, T *b, R *c, T *s);
cublasStatus_t F(getrfBatched)(cublasHandle_t handle, int n, T *const a[], int lda, int *pivots, int *info, int
    count);
cublasStatus_t F(getriBatched)(cublasHandle_t handle, int n, const T *const a[], int lda, const int *pivots, T *const
    c[], int ldc, int *info, int count);
cublasStatus_t F(getrsBatched)(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T *const a[],
    int lda, const int *pivots, T *const b[], int ldb, int *info, int count);
cublasStatus_t F(matinvBatched)(cublasHandle_t handle, int n, const T *const a[], int lda, T *const inverse[], int
    ldi, int *info, int count);
