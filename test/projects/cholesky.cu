// cholesky.cu: conjugate gradients with an incomplete Cholesky factor as the preconditioner: the host makes the factor,
// cuSPARSE solves with it and with its transpose (SpSV). A plain loop on the host takes the same steps.
#include "laplace.cuh"

#include <cublas_v2.h>
#include <cusparse.h>

// The factor that has entries only where the lower part of the matrix has.
static Csr incomplete(const Csr &a)
{
    Csr l;
    for (int i = 0; i < a.n; i++) {
        for (int k = a.offsets[i]; k < a.offsets[i + 1] && a.columns[k] <= i; k++) {
            const int j = a.columns[k], begin = l.offsets[i];
            double sum = a.values[k];
            for (int s = begin; s < (int)l.columns.size(); s++) {
                if (j == i) sum -= l.values[s] * l.values[s];
                for (int t = l.offsets[j]; j < i && t < l.offsets[j + 1]; t++)
                    if (l.columns[t] == l.columns[s] && l.columns[t] < j) sum -= l.values[s] * l.values[t];
            }
            l.add(j, j == i ? std::sqrt(sum) : sum / l.values[l.offsets[j + 1] - 1]);
        }
        l.end();
    }
    return l;
}

// z with L Lᵀ z = r
static std::vector<double> solve(const Csr &l, std::vector<double> z)
{
    for (int i = 0; i < l.n; i++) {
        const int last = l.offsets[i + 1] - 1;
        for (int k = l.offsets[i]; k < last; k++) z[i] -= l.values[k] * z[l.columns[k]];
        z[i] /= l.values[last];
    }
    for (int i = l.n; i-- > 0;) {
        const int last = l.offsets[i + 1] - 1;
        z[i] /= l.values[last];
        for (int k = l.offsets[i]; k < last; k++) z[l.columns[k]] -= l.values[k] * z[i];
    }
    return z;
}

int main(int argc, char **argv)
{
    const Csr a = laplacian(size_of(argc, argv, 20)), l = incomplete(a);
    const int n = a.n;
    const std::vector<double> solution = random_vector<double>(n), b = a.times(solution);
    Array<int> a_offsets(a.offsets), a_columns(a.columns), l_offsets(l.offsets), l_columns(l.columns);
    Array<double> a_values(a.values), l_values(l.values), x(n), r(b), p(n), q(n), y(n), z(n);
    cublasHandle_t blas;
    cusparseHandle_t sparse;
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cublasCreate(&blas));
    MUST(cublasSetStream(blas, stream));
    MUST(cusparseCreate(&sparse));
    MUST(cusparseSetStream(sparse, stream));

    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE, ops[] = {plain, CUSPARSE_OPERATION_TRANSPOSE};
    const double one = 1, zero = 0;
    cusparseSpMatDescr_t matrix, factor;
    MUST(cusparseCreateCsr(&matrix, n, n, a.values.size(), a_offsets.at, a_columns.at, a_values.at, index, index,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    MUST(cusparseCreateCsr(&factor, n, n, l.values.size(), l_offsets.at, l_columns.at, l_values.at, index, index,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t given = CUSPARSE_DIAG_TYPE_NON_UNIT;
    MUST(cusparseSpMatSetAttribute(factor, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    MUST(cusparseSpMatSetAttribute(factor, CUSPARSE_SPMAT_DIAG_TYPE, &given, sizeof given));
    cusparseDnVecDescr_t vp, vq, vr, vy, vz;
    MUST(cusparseCreateDnVec(&vp, n, p.at, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&vq, n, q.at, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&vr, n, r.at, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&vy, n, y.at, CUDA_R_64F));
    MUST(cusparseCreateDnVec(&vz, n, z.at, CUDA_R_64F));
    const cusparseDnVecDescr_t from[] = {vr, vy}, to[] = {vy, vz};
    size_t bytes[3];
    MUST(cusparseSpMV_bufferSize(sparse, plain, &one, matrix, vp, &zero, vq, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                 &bytes[2]));
    cusparseSpSVDescr_t plans[2];
    void *room[3];
    for (int k = 0; k < 2; k++) {
        MUST(cusparseSpSV_createDescr(&plans[k]));
        MUST(cusparseSpSV_bufferSize(sparse, ops[k], &one, factor, from[k], to[k], CUDA_R_64F,
                                     CUSPARSE_SPSV_ALG_DEFAULT, plans[k], &bytes[k]));
        MUST(cudaMalloc(&room[k], bytes[k] + 1));
        MUST(cusparseSpSV_analysis(sparse, ops[k], &one, factor, from[k], to[k], CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                   plans[k], room[k]));
    }
    MUST(cudaMalloc(&room[2], bytes[2] + 1));

    std::vector<double> hr = b, hp(n);
    double rz = 1, host_rz = 1, norm = 1;
    int steps = 0;
    for (; steps < 60 && norm > 1e-9; steps++) {
        for (int k = 0; k < 2; k++)
            MUST(cusparseSpSV_solve(sparse, ops[k], &one, factor, from[k], to[k], CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                    plans[k]));
        double next, pq, host_next = 0, host_pq = 0;
        MUST(cublasDdot(blas, n, r, 1, z, 1, &next));
        const double beta = steps ? next / rz : 0;
        rz = next;
        MUST(cublasDscal(blas, n, &beta, p, 1));
        MUST(cublasDaxpy(blas, n, &one, z, 1, p, 1));
        MUST(cusparseSpMV(sparse, plain, &one, matrix, vp, &zero, vq, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, room[2]));
        MUST(cublasDdot(blas, n, p, 1, q, 1, &pq));
        const double alpha = rz / pq, back = -alpha;
        MUST(cublasDaxpy(blas, n, &alpha, p, 1, x, 1));
        MUST(cublasDaxpy(blas, n, &back, q, 1, r, 1));
        MUST(cublasDnrm2(blas, n, r, 1, &norm));

        const std::vector<double> hz = solve(l, hr);
        for (int i = 0; i < n; i++) host_next += hr[i] * hz[i];
        for (int i = 0; i < n; i++) hp[i] = hz[i] + (steps ? host_next / host_rz : 0) * hp[i];
        host_rz = host_next;
        const std::vector<double> hq = a.times(hp);
        for (int i = 0; i < n; i++) host_pq += hp[i] * hq[i];
        for (int i = 0; i < n; i++) hr[i] -= host_rz / host_pq * hq[i];
        NEAR(rz, host_rz, 1e-5 * host_rz + 1e-13);
    }
    CHECK(steps < 60);
    const std::vector<double> got = x.get();
    for (int i = 0; i < n; i++) NEAR(got[i], solution[i], 1e-7);
    for (int k = 0; k < 2; k++) MUST(cusparseSpSV_destroyDescr(plans[k]));
    MUST(cusparseDestroySpMat(matrix));
    MUST(cusparseDestroySpMat(factor));
    MUST(cusparseDestroy(sparse));
    MUST(cublasDestroy(blas));
    return verdict();
}
