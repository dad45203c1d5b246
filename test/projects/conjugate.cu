// conjugate.cu: the method of conjugate gradients on the Laplacian of a grid: products by cuSPARSE, vectors by cuBLAS.
// The right side is made on the host from a solution that is known.
#include "laplace.cuh"

#include <cublas_v2.h>
#include <cusparse.h>

int main(int argc, char **argv)
{
    const Csr a = laplacian(size_of(argc, argv, 24));
    const int n = a.n, most = 4 * n;
    const std::vector<double> solution = random_vector<double>(n), b = a.times(solution);
    Array<int> offsets(a.offsets), columns(a.columns);
    Array<double> values(a.values), x(n), r(b), p(b), q(n);

    cublasHandle_t blas;
    cusparseHandle_t sparse;
    MUST(cublasCreate(&blas));
    MUST(cusparseCreate(&sparse));
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    MUST(cusparseCreateCsr(&matrix, n, n, a.values.size(), offsets.at, columns.at, values.at, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&from, n, p.at, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&to, n, q.at, CUDA_R_64F));
    const double one = 1, zero = 0;
    size_t bytes = 0;
    MUST(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F,
                                 CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    Array<char> buffer(bytes + 1);

    double rr, pq, next, b_norm, r_norm = 0;
    int steps = 0;
    MUST(cublasDnrm2(blas, n, r, 1, &b_norm));
    MUST(cublasDdot(blas, n, r, 1, r, 1, &rr));
    NEAR(b_norm, std::sqrt(rr), 1e-10);
    while (steps < most) {
        MUST(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F,
                          CUSPARSE_SPMV_ALG_DEFAULT, buffer.at));
        MUST(cublasDdot(blas, n, p, 1, q, 1, &pq));
        const double alpha = rr / pq, back = -alpha;
        MUST(cublasDaxpy(blas, n, &alpha, p, 1, x, 1));
        MUST(cublasDaxpy(blas, n, &back, q, 1, r, 1));
        MUST(cublasDnrm2(blas, n, r, 1, &r_norm));
        steps++;
        if (r_norm < 1e-11 * b_norm) break;
        MUST(cublasDdot(blas, n, r, 1, r, 1, &next));
        const double beta = next / rr;
        rr = next;
        MUST(cublasDscal(blas, n, &beta, p, 1));
        MUST(cublasDaxpy(blas, n, &one, r, 1, p, 1));
    }
    CHECK(steps < n);  // exact arithmetic needs n at most
    const std::vector<double> got = x.get(), product = a.times(got);
    double left = 0;
    for (int i = 0; i < n; i++) {
        NEAR(got[i], solution[i], 1e-8);
        left += (b[i] - product[i]) * (b[i] - product[i]);
    }
    NEAR(std::sqrt(left) / b_norm, 0, 1e-10);
    MUST(cusparseDestroyDnVec(from));
    MUST(cusparseDestroyDnVec(to));
    MUST(cusparseDestroySpMat(matrix));
    MUST(cusparseDestroy(sparse));
    MUST(cublasDestroy(blas));
    return verdict();
}
