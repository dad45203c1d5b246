// power.cu: the largest eigenvalue by power iteration. A step is captured from cuBLAS with scalars on the device, and
// the graph is launched over and over. The matrix is a reflection of a diagonal one, so its eigenvalues are known.
#include "check.cuh"

#include <cublas_v2.h>

__global__ void inverse(const float *norm, float *factor) { *factor = 1 / *norm; }

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 96);
    // H D H with H = 1 - 2 v vᵀ: the eigenvalues are those of D, and H's first column is the eigenvector of the first.
    std::vector<double> v = random_vector<double>(n), d(n);
    double length = 0;
    for (double x : v) length += x * x;
    for (double &x : v) x /= std::sqrt(length);
    for (int i = 0; i < n; i++) d[i] = i ? 4 * random_part() : 9;
    auto h = [&](int i, int j) { return (i == j) - 2 * v[i] * v[j]; };
    std::vector<float> a(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += h(i, k) * d[k] * h(k, j);
            a[i * n + j] = (float)sum;
        }
    const float numbers[] = {1, 0};
    Array<float> matrix(a), x(random_vector<float>(n)), y(n), scalars(std::vector<float>{1, 0, 0, 0, 0});
    float *one = scalars, *zero = one + 1, *norm = one + 2, *factor = one + 3, *value = one + 4;

    cublasHandle_t blas;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t step;
    MUST(cudaStreamCreate(&stream));
    MUST(cublasCreate(&blas));
    MUST(cublasSetStream(blas, stream));
    MUST(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    MUST(cublasSnrm2(blas, n, x, 1, norm));
    inverse<<<1, 1, 0, stream>>>(norm, factor);
    MUST(cublasSscal(blas, n, factor, x, 1));
    MUST(cublasSsymv(blas, CUBLAS_FILL_MODE_UPPER, n, one, matrix, n, x, 1, zero, y, 1));
    MUST(cublasSdot(blas, n, x, 1, y, 1, value));
    MUST(cublasScopy(blas, n, y, 1, x, 1));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&step, graph, 0));
    size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes >= 6);
    for (int k = 0; k < 40; k++) MUST(cudaGraphLaunch(step, stream));
    // The last step's vector has the eigenvalue's length.
    MUST(cublasSnrm2(blas, n, x, 1, norm));
    MUST(cudaStreamSynchronize(stream));

    const std::vector<float> got = scalars.get(), vector = x.get();
    NEAR(got[0], numbers[0], 0);
    NEAR(got[1], numbers[1], 0);
    NEAR(got[2], 9, 1e-4);
    NEAR(got[4], 9, 1e-4);
    const double sign = vector[0] * h(0, 0) < 0 ? -1 : 1;
    for (int i = 0; i < n; i++) NEAR(sign * vector[i] / got[2], h(i, 0), 1e-5);
    MUST(cudaGraphExecDestroy(step));
    MUST(cudaGraphDestroy(graph));
    MUST(cublasDestroy(blas));
    return verdict();
}
