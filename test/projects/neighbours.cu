// neighbours.cu: a layer of a neural network on a graph: features times weights (cuBLAS), a score for each edge
// (SDDMM), softmax over a node's edges (a kernel of our own), and the weighted sum of the neighbours (SpMM). Two
// layers; the host does the same in doubles.
#include "check.cuh"

#include <cublas_v2.h>
#include <cusparse.h>

enum { FEATURES = 24, LAYERS = 2 };

__global__ void softmax(const int *offsets, float *values, int n)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    float most = -INFINITY, sum = 0;
    for (int k = offsets[i] + lane; k < offsets[i + 1]; k += 32) most = fmaxf(most, values[k]);
    for (int by = 16; by; by /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
    for (int k = offsets[i] + lane; k < offsets[i + 1]; k += 32) sum += values[k] = expf(values[k] - most);
    for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
    for (int k = offsets[i] + lane; k < offsets[i + 1]; k += 32) values[k] /= sum;
}

__global__ void positive(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0) x[i] *= 0.1f;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 150), f = FEATURES;
    std::vector<int> offsets{0}, columns;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (i == j || random_bits() % (unsigned)n < 6) columns.push_back(j);
        offsets.push_back((int)columns.size());
    }
    const int edges = (int)columns.size();
    const std::vector<float> x = random_vector<float>(n * f), w = random_vector<float>(LAYERS * f * f, 0.4);
    // Matrices lie by rows.
    Array<float> h(x), weights(w), z(n * f), scores(edges);
    Array<int> d_offsets(offsets), d_columns(columns);
    cublasHandle_t blas;
    cusparseHandle_t sparse;
    MUST(cublasCreate(&blas));
    MUST(cusparseCreate(&sparse));
    cusparseSpMatDescr_t graph;
    cusparseDnMatDescr_t rows, turned, next;
    MUST(cusparseCreateCsr(&graph, n, n, edges, d_offsets.at, d_columns.at, scores.at, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    MUST(cusparseCreateDnMat(&rows, n, f, f, z.at, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    MUST(cusparseCreateDnMat(&turned, f, n, f, z.at, CUDA_R_32F, CUSPARSE_ORDER_COL));
    MUST(cusparseCreateDnMat(&next, n, f, f, h.at, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float one = 1, zero = 0, scale = 1 / std::sqrt((float)f);
    size_t bytes[2];
    MUST(cusparseSDDMM_bufferSize(sparse, plain, plain, &scale, rows, turned, &zero, graph, CUDA_R_32F,
                                  CUSPARSE_SDDMM_ALG_DEFAULT, &bytes[0]));
    MUST(cusparseSpMM_bufferSize(sparse, plain, plain, &one, graph, rows, &zero, next, CUDA_R_32F,
                                 CUSPARSE_SPMM_CSR_ALG2, &bytes[1]));
    Array<char> buffer(bytes[0] + bytes[1] + 1);

    std::vector<double> host(x.begin(), x.end()), hz(n * f), he(edges);
    for (int layer = 0; layer < LAYERS; layer++) {
        // By columns that is zᵀ = wᵀ hᵀ.
        MUST(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, f, n, f, &one, weights + layer * f * f, f, h, f, &zero, z, f));
        MUST(cusparseSDDMM(sparse, plain, plain, &scale, rows, turned, &zero, graph, CUDA_R_32F,
                           CUSPARSE_SDDMM_ALG_DEFAULT, buffer.at));
        softmax<<<(n + 3) / 4, 128>>>(d_offsets, scores, n);
        MUST(cusparseSpMM(sparse, plain, plain, &one, graph, rows, &zero, next, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2,
                          buffer.at));
        positive<<<(n * f + 127) / 128, 128>>>(h, n * f);
        MUST(cudaGetLastError());

        for (int i = 0; i < n * f; i++) {
            hz[i] = 0;
            for (int k = 0; k < f; k++) hz[i] += host[i / f * f + k] * w[layer * f * f + k * f + i % f];
        }
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = offsets[i]; k < offsets[i + 1]; k++) {
                double dot = 0;
                for (int d = 0; d < f; d++) dot += hz[i * f + d] * hz[columns[k] * f + d];
                sum += he[k] = std::exp(dot / std::sqrt((double)f));
            }
            for (int k = offsets[i]; k < offsets[i + 1]; k++) he[k] /= sum;
        }
        const std::vector<float> got_z = z.get(), got_e = scores.get(), got = h.get();
        for (int k = 0; k < edges; k++) NEAR(got_e[k], he[k], 2e-5);
        for (int i = 0; i < n; i++)
            for (int d = 0; d < f; d++) {
                double sum = 0;
                for (int k = offsets[i]; k < offsets[i + 1]; k++) sum += he[k] * hz[columns[k] * f + d];
                host[i * f + d] = sum < 0 ? 0.1 * sum : sum;
                NEAR(got_z[i * f + d], hz[i * f + d], 2e-5);
                NEAR(got[i * f + d], host[i * f + d], 4e-5);
            }
    }
    MUST(cusparseDestroy(sparse));
    MUST(cublasDestroy(blas));
    return verdict();
}
