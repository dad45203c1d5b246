// calls.cu: what cuBLAS answers to wrong arguments, and how its work follows streams and graphs.
#include "blas.h"
#include <cstring>

#define GIVES(status, x) CHECK((x) == CUBLAS_STATUS_##status)

static void wrong_arguments(cublasHandle_t h)
{
    const float one = 1;
    float *a;
    int version, value;
    OK(cudaMalloc(&a, 4096));
    GIVES(INVALID_VALUE, cublasCreate(NULL));
    GIVES(NOT_INITIALIZED, cublasDestroy(NULL));
    GIVES(NOT_INITIALIZED, cublasSaxpy(NULL, 1, &one, a, 1, a, 1));
    GIVES(INVALID_VALUE, cublasSaxpy(h, 1, NULL, a, 1, a, 1));
    GIVES(INVALID_VALUE, cublasSdot(h, 1, a, 1, a, 1, NULL));
    const cublasOperation_t n = CUBLAS_OP_N;
    GIVES(SUCCESS, cublasSgemm(h, n, n, 0, 4, 4, &one, a, 4, a, 4, &one, a, 4));
    GIVES(INVALID_VALUE, cublasSgemm(h, n, n, -1, 4, 4, &one, a, 4, a, 4, &one, a, 4));
    GIVES(INVALID_VALUE, cublasSgemm(h, n, n, 4, 4, 4, &one, a, 3, a, 4, &one, a, 4));
    GIVES(INVALID_VALUE, cublasSgemm(h, n, CUBLAS_OP_T, 4, 5, 4, &one, a, 4, a, 4, &one, a, 4));
    GIVES(INVALID_VALUE, cublasSgemm(h, n, n, 4, 4, 4, NULL, a, 4, a, 4, &one, a, 4));
    GIVES(INVALID_VALUE, cublasSgemm(h, (cublasOperation_t)9, n, 4, 4, 4, &one, a, 4, a, 4, &one, a, 4));
    GIVES(INVALID_VALUE, cublasSgemv(h, n, 4, 4, &one, a, 4, a, 0, &one, a, 1));
    GIVES(INVALID_VALUE,
          cublasStrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_FULL, n, CUBLAS_DIAG_UNIT, 4, 4, &one, a, 4, a, 4));
    GIVES(INVALID_VALUE, cublasSetVector(4, 4, a, 0, a, 1));
    GIVES(NOT_SUPPORTED, cublasGemmEx(h, n, n, 4, 4, 4, &one, a, CUDA_R_32F, 4, a, CUDA_R_16F, 4, &one, a, CUDA_R_32F,
                                      4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    GIVES(INVALID_VALUE, cublasSetPointerMode(h, (cublasPointerMode_t)2));
    GIVES(INVALID_VALUE, cublasGetVersion(h, NULL));
    OK(cublasGetVersion(h, &version));
    OK(cublasGetProperty(MAJOR_VERSION, &value));
    CHECK(version / 10000 == value);
    CHECK(!strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED"));
    OK(cudaFree(a));
}

// What is captured runs when the graph is launched, as often as that is; with the factors that were given then.
static void graphs(cublasHandle_t h)
{
    const int n = 40;
    Array<float> a(n * n), b(n * n), c(n * n), x(n), y(n);
    for (float &v : y.host) v = 0;
    y.send();
    std::vector<Number> want(n), before = values(y);
    cudaStream_t stream, set;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float alpha = 2, zero = 0, one = 1;
    OK(cudaStreamCreate(&stream));
    OK(cublasSetStream(h, stream));
    OK(cublasGetStream(h, &set));
    CHECK(set == stream);
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a.device, n, b.device, n, &zero, c.device, n));
    OK(cublasSgemv(h, CUBLAS_OP_N, n, n, &one, c.device, n, x.device, 1, &one, y.device, 1));
    OK(cublasStrmv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, a.device, n, x.device, 1));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(agrees(y, before, 0));
    alpha = 7;
    std::vector<Number> v = values(x);
    for (int round = 0; round < 2; round++) {
        OK(cudaGraphLaunch(exec, stream));
        std::vector<Number> next = v;
        for (int i = 0; i < n; i++) {
            Number product = 0;
            for (int j = 0; j < n; j++) {
                Number sum = 0;
                for (int k = 0; k < n; k++) sum += a[i + k * n] * b[k + j * n];
                product += 2.0 * sum * v[j];
                if (j < i) next[i] += a[i + j * n] * v[j];
            }
            want[i] += product;
        }
        v = next;
    }
    OK(cudaStreamSynchronize(stream));
    CHECK(agrees(y, want, 1e-4) && agrees(x, v, 1e-4));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cublasSetStream(h, 0));
    OK(cudaStreamDestroy(stream));
}

// Vectors and matrices with gaps, to the device and back.
static void copies()
{
    const int n = 10, ld = 13;
    std::vector<double> from(ld * n), to(ld * n, -1);
    for (size_t i = 0; i < from.size(); i++) from[i] = (double)i;
    double *device;
    OK(cudaMalloc(&device, 1000 * sizeof(double)));
    OK(cublasSetVector(n, sizeof(double), from.data(), 3, device, 2));
    OK(cublasGetVector_64(n, sizeof(double), device, 2, to.data(), 4));
    for (int i = 0; i < 4 * n - 3; i++) CHECK(to[i] == (i % 4 ? -1 : from[i / 4 * 3]));
    OK(cublasSetMatrix(n, n, sizeof(double), from.data(), ld, device, n));
    OK(cublasGetMatrixAsync(n, n, sizeof(double), device, n, to.data(), n, 0));
    OK(cudaDeviceSynchronize());
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) CHECK(to[i + j * n] == from[i + j * ld]);
    OK(cudaFree(device));
}

int main()
{
    cublasHandle_t h;
    OK(cublasCreate(&h));
    void *room;
    OK(cudaMalloc(&room, 1 << 16));
    OK(cublasSetWorkspace(h, room, 1 << 16));
    wrong_arguments(h);
    graphs(h);
    copies();
    OK(cublasDestroy(h));
    OK(cudaFree(room));
    return verdict();
}
