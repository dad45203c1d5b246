// Matrix product on tensor cores: half inputs, float sums. M, N and K as such programs name them.
#define M 64
#define N 48
#define K 32
#define WMMA_M 16
#define WMMA_N 16
#define WMMA_K 16
#include <cuda_fp16.h>
#include <mma.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

using namespace nvcuda;

#define cudaErrCheck(stat)                         \
    do {                                           \
        cudaErrCheck_((stat), __FILE__, __LINE__); \
    } while (0)
void cudaErrCheck_(cudaError_t stat, const char *file, int line)
{
    if (stat != cudaSuccess) fprintf(stderr, "CUDA Error: %s %s %d\n", cudaGetErrorString(stat), file, line);
}

__global__ void convertFp32ToFp16(half *out, const float *in, int n)
{
    int idx = blockDim.x * blockIdx.x + threadIdx.x;
    if (idx < n) out[idx] = __float2half(in[idx]);
}

__global__ void wmma_example(half *a, half *b, float *c, float alpha, float beta)
{
    int lda = K, ldb = K, ldc = N;
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = (blockIdx.y * blockDim.y + threadIdx.y);
    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc_frag, c_frag;
    wmma::fill_fragment(acc_frag, 0.0f);
    int aRow = warpM * WMMA_M, bCol = warpN * WMMA_N;
    if (aRow >= M || bCol >= N) return;
    for (int i = 0; i < K; i += WMMA_K) {
        wmma::load_matrix_sync(a_frag, a + i + aRow * lda, lda);
        wmma::load_matrix_sync(b_frag, b + i + bCol * ldb, ldb);
        wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
    }
    wmma::load_matrix_sync(c_frag, c + bCol + aRow * ldc, ldc, wmma::mem_row_major);
    for (int i = 0; i < c_frag.num_elements; i++) c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
    wmma::store_matrix_sync(c + bCol + aRow * ldc, c_frag, ldc, wmma::mem_row_major);
}

int main(int argc, char *argv[])
{
    float alpha = 2.0f, beta = 0.5f;
    std::vector<float> a(M * K), b(K * N), c(M * N), got(M * N);
    for (auto &v : a) v = (rand() % 17 - 8) / 8.0f;
    for (auto &v : b) v = (rand() % 17 - 8) / 8.0f;
    for (auto &v : c) v = rand() % 5;
    float *d_a32, *d_b32, *d_c;
    half *d_a, *d_b;
    cudaErrCheck(cudaMalloc((void **)&d_a32, M * K * sizeof(float)));
    cudaErrCheck(cudaMalloc((void **)&d_b32, K * N * sizeof(float)));
    cudaErrCheck(cudaMalloc((void **)&d_a, M * K * sizeof(half)));
    cudaErrCheck(cudaMalloc((void **)&d_b, K * N * sizeof(half)));
    cudaErrCheck(cudaMalloc((void **)&d_c, M * N * sizeof(float)));
    cudaErrCheck(cudaMemcpy(d_a32, a.data(), M * K * sizeof(float), cudaMemcpyHostToDevice));
    cudaErrCheck(cudaMemcpy(d_b32, b.data(), K * N * sizeof(float), cudaMemcpyHostToDevice));
    cudaErrCheck(cudaMemcpy(d_c, c.data(), M * N * sizeof(float), cudaMemcpyHostToDevice));
    convertFp32ToFp16<<<(M * K + 255) / 256, 256>>>(d_a, d_a32, M * K);
    convertFp32ToFp16<<<(K * N + 255) / 256, 256>>>(d_b, d_b32, K * N);

    cudaEvent_t startWMMA, stopWMMA;
    cudaErrCheck(cudaEventCreate(&startWMMA));
    cudaErrCheck(cudaEventCreate(&stopWMMA));
    dim3 gridDim, blockDim;
    blockDim.x = 64, blockDim.y = 2;
    gridDim.x = (M + (WMMA_M * blockDim.x / 32 - 1)) / (WMMA_M * blockDim.x / 32);
    gridDim.y = (N + WMMA_N * blockDim.y - 1) / (WMMA_N * blockDim.y);
    cudaErrCheck(cudaEventRecord(startWMMA));
    wmma_example<<<gridDim, blockDim>>>(d_a, d_b, d_c, alpha, beta);
    cudaErrCheck(cudaEventRecord(stopWMMA));
    cudaErrCheck(cudaEventSynchronize(stopWMMA));
    cudaErrCheck(cudaMemcpy(got.data(), d_c, M * N * sizeof(float), cudaMemcpyDeviceToHost));
    float wmmaTime;
    cudaErrCheck(cudaEventElapsedTime(&wmmaTime, startWMMA, stopWMMA));
    printf("M = %d, N = %d, K = %d. alpha = %f, beta = %f: wmma took %fms\n", M, N, K, alpha, beta, wmmaTime);

    int errors = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += a[i * K + k] * b[k + j * K];
            if (got[i * N + j] != alpha * sum + beta * c[i * N + j] && errors++ < 10)
                printf("%d,%d: %f, not %f\n", i, j, got[i * N + j], alpha * sum + beta * c[i * N + j]);
        }
    printf("Results verified: %s\n", errors ? "FAILED" : "PASSED");
    cudaErrCheck(cudaDeviceReset());
    return errors != 0;
}
