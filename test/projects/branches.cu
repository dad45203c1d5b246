// branches.cu: a capture that forks into three streams and joins: a product of matrices (cuBLAS), a spectrum (cuFFT)
// and a sparse product (cuSPARSE), with memory of the graph's own, then a kernel that takes all three. It is launched
// with other inputs each time, and the host adds the same sums.
#include "check.cuh"

#include <cublas_v2.h>
#include <cufft.h>
#include <cusparse.h>

enum { N = 48 };

// out[i] = a row's sum of c, and the power of a frequency, and a product's element
__global__ void gather(const float *c, const cufftComplex *spectrum, const float *y, const float *extra, float *out)
{
    const int i = threadIdx.x;
    float sum = 0;
    for (int j = 0; j < N; j++) sum += c[j * N + i];
    out[i] = sum;
    out[N + i] = spectrum[i].x * spectrum[i].x + spectrum[i].y * spectrum[i].y;
    out[2 * N + i] = y[i] + extra[i];
}
__global__ void squares(const float *x, float *to) { to[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }

int main()
{
    Array<float> a(N * N), b(N * N), c(N * N), signal(N), y(N), out(3 * N), extra(N);
    Array<cufftComplex> spectrum(N);
    // A sparse matrix with three entries a row.
    std::vector<int> offsets{0}, columns;
    const std::vector<float> values = random_vector<float>(3 * N);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) columns.push_back((i * 7 + k * 13) % N);
        offsets.push_back(3 * (i + 1));
    }
    Array<int> d_offsets(offsets), d_columns(columns);
    Array<float> d_values(values);

    cudaStream_t streams[3];
    cudaEvent_t fork, joins[2];
    for (cudaStream_t &s : streams) MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    for (cudaEvent_t &e : joins) MUST(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    cublasHandle_t blas;
    cusparseHandle_t sparse;
    cufftHandle fft;
    MUST(cublasCreate(&blas));
    MUST(cusparseCreate(&sparse));
    MUST(cufftPlan1d(&fft, N, CUFFT_R2C, 1));
    MUST(cublasSetStream(blas, streams[0]));
    MUST(cufftSetStream(fft, streams[1]));
    MUST(cusparseSetStream(sparse, streams[2]));
    Array<char> workspace(1 << 16);
    MUST(cublasSetWorkspace(blas, workspace.at, workspace.n));
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    const float one = 1, half = 0.5f, zero = 0;
    MUST(cusparseCreateCsr(&matrix, N, N, 3 * N, d_offsets.at, d_columns.at, d_values.at, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    MUST(cusparseCreateDnVec(&from, N, signal.at, CUDA_R_32F));
    MUST(cusparseCreateDnVec(&to, N, y.at, CUDA_R_32F));
    size_t bytes = 0;
    MUST(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_32F,
                                 CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    Array<char> buffer(bytes + 1);

    float *inside, *input, *output;
    MUST(cudaMallocHost(&input, (2 * N * N + N) * sizeof *input));
    MUST(cudaMallocHost(&output, 3 * N * sizeof *output));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    MUST(cudaMemcpyAsync(signal, input + 2 * N * N, N * sizeof(float), cudaMemcpyHostToDevice, streams[0]));
    MUST(cudaEventRecord(fork, streams[0]));
    for (int k = 1; k < 3; k++) MUST(cudaStreamWaitEvent(streams[k], fork, 0));
    MUST(cudaMemcpyAsync(a, input, N * N * sizeof(float), cudaMemcpyHostToDevice, streams[0]));
    MUST(cudaMemcpyAsync(b, input + N * N, N * N * sizeof(float), cudaMemcpyHostToDevice, streams[0]));
    MUST(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &half, a, N, b, N, &zero, c, N));
    MUST(cufftExecR2C(fft, signal, spectrum));
    MUST(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_32F,
                      CUSPARSE_SPMV_ALG_DEFAULT, buffer.at));
    MUST(cudaMallocAsync(&inside, N * sizeof(float), streams[2]));
    squares<<<1, N, 0, streams[2]>>>(signal, inside);
    MUST(cudaMemcpyAsync(extra, inside, N * sizeof(float), cudaMemcpyDeviceToDevice, streams[2]));
    MUST(cudaFreeAsync(inside, streams[2]));
    for (int k = 1; k < 3; k++) {
        MUST(cudaEventRecord(joins[k - 1], streams[k]));
        MUST(cudaStreamWaitEvent(streams[0], joins[k - 1], 0));
    }
    // The upper half of the spectrum is never written, and is 0.
    gather<<<1, N, 0, streams[0]>>>(c, spectrum, y, extra, out);
    MUST(cudaMemcpyAsync(output, out, 3 * N * sizeof(float), cudaMemcpyDeviceToHost, streams[0]));
    MUST(cudaStreamEndCapture(streams[0], &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));

    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 2 * N * N + N; k++) input[k] = (float)random_part();
        const float *ha = input, *hb = input + N * N, *x = input + 2 * N * N;
        MUST(cudaGraphLaunch(exec, streams[0]));
        MUST(cudaStreamSynchronize(streams[0]));
        for (int i = 0; i < N; i++) {
            double sum = 0, re = 0, im = 0, product = (double)x[i] * x[i];
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < N; k++) sum += 0.5 * ha[k * N + i] * hb[k * N + j];
                const double angle = -2 * 3.14159265358979 * i * j / N;
                if (i <= N / 2) re += x[j] * std::cos(angle), im += x[j] * std::sin(angle);
            }
            for (int k = 0; k < 3; k++) product += (double)values[3 * i + k] * x[columns[3 * i + k]];
            NEAR(output[i], sum, 1e-4);
            NEAR(output[N + i], re * re + im * im, 1e-4 * (1 + re * re + im * im));
            NEAR(output[2 * N + i], product, 1e-5);
        }
    }
    MUST(cudaGraphExecDestroy(exec));
    MUST(cusparseDestroy(sparse));
    MUST(cufftDestroy(fft));
    MUST(cublasDestroy(blas));
    return verdict();
}
