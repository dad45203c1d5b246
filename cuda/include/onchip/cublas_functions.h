// onchip/cublas_functions.h: the functions of cuBLAS that count elements, for cublas_api.h. It is read once for each I, a
// type of counts; N(name) is what a function is called then.
#define F(name) N(cublasS##name)
#define T float
#define R float
#include "cublas_typed.h"
#include "cublas_real.h"
#undef F
#undef T
#undef R
#define F(name) N(cublasD##name)
#define T double
#define R double
#include "cublas_typed.h"
#include "cublas_real.h"
#undef F
#undef T
#undef R
#define F(name) N(cublasC##name)
#define T cuComplex
#define R float
#include "cublas_typed.h"
#include "cublas_complex.h"
#undef F
#undef T
#undef R
#define F(name) N(cublasZ##name)
#define T cuDoubleComplex
#define R double
#include "cublas_typed.h"
#include "cublas_complex.h"
#undef F
#undef T
#undef R

// --- level 1, whose names don't begin with the type's letter, or have two of them
cublasStatus_t N(cublasSnrm2_v2)(cublasHandle_t handle, I n, const float *x, I incx, float *result);
cublasStatus_t N(cublasDnrm2_v2)(cublasHandle_t handle, I n, const double *x, I incx, double *result);
cublasStatus_t N(cublasScnrm2_v2)(cublasHandle_t handle, I n, const cuComplex *x, I incx, float *result);
cublasStatus_t N(cublasDznrm2_v2)(cublasHandle_t handle, I n, const cuDoubleComplex *x, I incx, double *result);
cublasStatus_t N(cublasSasum_v2)(cublasHandle_t handle, I n, const float *x, I incx, float *result);
cublasStatus_t N(cublasDasum_v2)(cublasHandle_t handle, I n, const double *x, I incx, double *result);
cublasStatus_t N(cublasScasum_v2)(cublasHandle_t handle, I n, const cuComplex *x, I incx, float *result);
cublasStatus_t N(cublasDzasum_v2)(cublasHandle_t handle, I n, const cuDoubleComplex *x, I incx, double *result);
cublasStatus_t N(cublasIsamax_v2)(cublasHandle_t handle, I n, const float *x, I incx, I *result);
cublasStatus_t N(cublasIdamax_v2)(cublasHandle_t handle, I n, const double *x, I incx, I *result);
cublasStatus_t N(cublasIcamax_v2)(cublasHandle_t handle, I n, const cuComplex *x, I incx, I *result);
cublasStatus_t N(cublasIzamax_v2)(cublasHandle_t handle, I n, const cuDoubleComplex *x, I incx, I *result);
cublasStatus_t N(cublasIsamin_v2)(cublasHandle_t handle, I n, const float *x, I incx, I *result);
cublasStatus_t N(cublasIdamin_v2)(cublasHandle_t handle, I n, const double *x, I incx, I *result);
cublasStatus_t N(cublasIcamin_v2)(cublasHandle_t handle, I n, const cuComplex *x, I incx, I *result);
cublasStatus_t N(cublasIzamin_v2)(cublasHandle_t handle, I n, const cuDoubleComplex *x, I incx, I *result);
cublasStatus_t N(cublasCsscal_v2)(cublasHandle_t handle, I n, const float *alpha, cuComplex *x, I incx);
cublasStatus_t N(cublasCsrot_v2)(cublasHandle_t handle, I n, cuComplex *x, I incx, cuComplex *y, I incy, const float
    *c, const float *s);
cublasStatus_t N(cublasZdscal_v2)(cublasHandle_t handle, I n, const double *alpha, cuDoubleComplex *x, I incx);
cublasStatus_t N(cublasZdrot_v2)(cublasHandle_t handle, I n, cuDoubleComplex *x, I incx, cuDoubleComplex *y, I incy,
    const double *c, const double *s);

// --- with types as parameters
cublasStatus_t N(cublasAxpyEx)(cublasHandle_t handle, I n, const void *alpha, cudaDataType alpha_type, const void *x,
    cudaDataType x_type, I incx, void *y, cudaDataType y_type, I incy, cudaDataType execution);
cublasStatus_t N(cublasScalEx)(cublasHandle_t handle, I n, const void *alpha, cudaDataType alpha_type, void *x,
    cudaDataType x_type, I incx, cudaDataType execution);
cublasStatus_t N(cublasDotEx)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, const void *y,
    cudaDataType y_type, I incy, void *result, cudaDataType result_type, cudaDataType execution);
cublasStatus_t N(cublasDotcEx)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, const void *y,
    cudaDataType y_type, I incy, void *result, cudaDataType result_type, cudaDataType execution);
cublasStatus_t N(cublasNrm2Ex)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, void *result,
    cudaDataType result_type, cudaDataType execution);
cublasStatus_t N(cublasAsumEx)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, void *result,
    cudaDataType result_type, cudaDataType execution);
cublasStatus_t N(cublasCopyEx)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, void *y,
    cudaDataType y_type, I incy);
cublasStatus_t N(cublasSwapEx)(cublasHandle_t handle, I n, void *x, cudaDataType x_type, I incx, void *y, cudaDataType
    y_type, I incy);
cublasStatus_t N(cublasIamaxEx)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, I *result);
cublasStatus_t N(cublasIaminEx)(cublasHandle_t handle, I n, const void *x, cudaDataType x_type, I incx, I *result);
cublasStatus_t N(cublasGemmEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I
    k, const void *alpha, const void *a, cudaDataType a_type, I lda, const void *b, cudaDataType b_type, I ldb, const
    void *beta, void *c, cudaDataType c_type, I ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t N(cublasSgemmEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I
    k, const float *alpha, const void *a, cudaDataType a_type, I lda, const void *b, cudaDataType b_type, I ldb, const
    float *beta, void *c, cudaDataType c_type, I ldc);
cublasStatus_t N(cublasCgemmEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I
    k, const cuComplex *alpha, const void *a, cudaDataType a_type, I lda, const void *b, cudaDataType b_type, I ldb,
    const cuComplex *beta, void *c, cudaDataType c_type, I ldc);
cublasStatus_t N(cublasGemmBatchedEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m,
    I n, I k, const void *alpha, const void *const a[], cudaDataType a_type, I lda, const void *const b[],
    cudaDataType b_type, I ldb, const void *beta, void *const c[], cudaDataType c_type, I ldc, I count,
    cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t N(cublasGemmStridedBatchedEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t
    transb, I m, I n, I k, const void *alpha, const void *a, cudaDataType a_type, I lda, long long stridea, const void
    *b, cudaDataType b_type, I ldb, long long strideb, const void *beta, void *c, cudaDataType c_type, I ldc, long
    long stridec, I count, cublasComputeType_t compute, cublasGemmAlgo_t algo);

// --- half
cublasStatus_t N(cublasHgemm)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I
    k, const struct __half *alpha, const struct __half *a, I lda, const struct __half *b, I ldb, const struct __half *beta, struct __half *c, I ldc);
cublasStatus_t N(cublasHgemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I
    n, I k, const struct __half *alpha, const struct __half *const a[], I lda, const struct __half *const b[], I ldb,
    const struct __half *beta, struct __half *const c[], I ldc, I count);
cublasStatus_t N(cublasHgemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    I m, I n, I k, const struct __half *alpha, const struct __half *a, I lda, long long stridea, const struct __half
    *b, I ldb, long long strideb, const struct __half *beta, struct __half *c, I ldc, long long stridec, I count);

// --- copies between host and device
cublasStatus_t N(cublasSetVector)(I n, I size, const void *x, I incx, void *y, I incy);
cublasStatus_t N(cublasGetVector)(I n, I size, const void *x, I incx, void *y, I incy);
cublasStatus_t N(cublasSetVectorAsync)(I n, I size, const void *x, I incx, void *y, I incy, cudaStream_t stream);
cublasStatus_t N(cublasGetVectorAsync)(I n, I size, const void *x, I incx, void *y, I incy, cudaStream_t stream);
cublasStatus_t N(cublasSetMatrix)(I rows, I columns, I size, const void *a, I lda, void *b, I ldb);
cublasStatus_t N(cublasSetMatrixAsync)(I rows, I columns, I size, const void *a, I lda, void *b, I ldb, cudaStream_t
    stream);
cublasStatus_t N(cublasGetMatrix)(I rows, I columns, I size, const void *a, I lda, void *b, I ldb);
cublasStatus_t N(cublasGetMatrixAsync)(I rows, I columns, I size, const void *a, I lda, void *b, I ldb, cudaStream_t
    stream);
