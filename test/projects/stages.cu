// stages.cu: a graph of stages, each a captured graph that became a child: a product (cuBLAS), random numbers (cuRAND)
// and a transform (cuFFT) among copies. The copies and a child are changed in the executable graph, another stream
// waits for an event that the graph records, and the graph waits for one that a stream records.
#include "check.cuh"

#include <cstring>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

enum { N = 32 };

#if CUDART_VERSION >= 13000
#define NO_EDGES nullptr,
#else
#define NO_EDGES
#endif

__global__ void add_noise(float *x, const float *noise, float by) { x[threadIdx.x] += by * noise[threadIdx.x]; }

static cudaStream_t s, other;

template <class F> static cudaGraph_t captured(F f)
{
    cudaGraph_t g;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    f();
    MUST(cudaStreamEndCapture(s, &g));
    return g;
}

int main()
{
    const std::vector<float> a = random_vector<float>(N * N), x = random_vector<float>(2 * N);
    Array<float> matrix(a), from(N), y(N), noise(N), extra(N);
    Array<cufftComplex> spectrum(N / 2 + 1);
    std::vector<cufftComplex> got(N / 2 + 1);
    std::vector<float> got_y(N), got_noise(N), late(N, 0);
    cublasHandle_t blas;
    curandGenerator_t random;
    cufftHandle fft;
    cudaEvent_t begin, half;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
    MUST(cublasCreate(&blas));
    MUST(cublasSetStream(blas, s));
    MUST(curandCreateGenerator(&random, CURAND_RNG_PSEUDO_XORWOW));
    MUST(curandSetStream(random, s));
    MUST(cufftPlan1d(&fft, N, CUFFT_R2C, 1));
    MUST(cufftSetStream(fft, s));
    MUST(curandGenerateUniform(random, noise, N));
    got_noise = noise.get();

    const float one = 1, two = 2, zero = 0;
    auto product = [&](const float &alpha) {
        return captured([&] {
            MUST(cublasSgemv(blas, CUBLAS_OP_T, N, N, &alpha, matrix, N, from, 1, &zero, y, 1));
            add_noise<<<1, N, 0, s>>>(y, noise, 0.5f);
        });
    };
    cudaGraph_t first = product(one), changed = product(two),
                last = captured([&] { MUST(cufftExecR2C(fft, y, spectrum)); });
    cudaGraph_t g;
    cudaGraphNode_t wait, up, stage, record, end, down, down_y;
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphAddEventWaitNode(&wait, g, nullptr, 0, begin));
    MUST(cudaGraphAddMemcpyNode1D(&up, g, &wait, 1, from, x.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaGraphAddChildGraphNode(&stage, g, &up, 1, first));
    MUST(cudaGraphAddEventRecordNode(&record, g, &stage, 1, half));
    MUST(cudaGraphAddChildGraphNode(&end, g, &stage, 1, last));
    MUST(cudaGraphAddMemcpyNode1D(&down, g, &end, 1, got.data(), spectrum.at, got.size() * sizeof got[0],
                                  cudaMemcpyDeviceToHost));
    MUST(
        cudaGraphAddMemcpyNode1D(&down_y, g, &stage, 1, got_y.data(), y.at, N * sizeof(float), cudaMemcpyDeviceToHost));
    MUST(cudaGraphAddDependencies(g, &record, &down_y, NO_EDGES 1));
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, g, 0));
    MUST(cudaGraphUpload(exec, s));

    for (int round = 0; round < 4; round++) {
        const float *in = x.data() + (round % 2 ? N : 0);
        MUST(cudaGraphExecMemcpyNodeSetParams1D(exec, up, from, in, N * sizeof(float), cudaMemcpyHostToDevice));
        MUST(cudaGraphExecChildGraphNodeSetParams(exec, stage, round < 2 ? first : changed));
        // The noise of a round comes from another stream; the graph waits for it.
        const std::vector<float> fresh = random_vector<float>(N);
        MUST(cudaMemcpyAsync(noise, fresh.data(), N * sizeof(float), cudaMemcpyHostToDevice, other));
        MUST(cudaEventRecord(begin, other));
        MUST(cudaGraphLaunch(exec, s));
        MUST(cudaStreamWaitEvent(other, half, 0));
        MUST(cudaMemcpyAsync(late.data(), y, N * sizeof(float), cudaMemcpyDeviceToHost, other));
        MUST(cudaStreamSynchronize(s));
        MUST(cudaStreamSynchronize(other));
        std::vector<double> want(N);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < N; k++) want[i] += (round < 2 ? 1.0 : 2.0) * a[i * N + k] * in[k];
            want[i] += 0.5 * fresh[i];
            NEAR(got_y[i], want[i], 1e-5);
            CHECK(late[i] == got_y[i]);
            CHECK(got_noise[i] > 0 && got_noise[i] <= 1);
        }
        for (int k = 0; k <= N / 2; k++) {
            double re = 0, im = 0;
            for (int i = 0; i < N; i++) {
                const double angle = -2 * 3.14159265358979323846 * i * k / N;
                re += want[i] * std::cos(angle), im += want[i] * std::sin(angle);
            }
            NEAR(got[k].x, re, 5e-5);
            NEAR(got[k].y, im, 5e-5);
        }
    }
    for (cudaGraph_t graph : {first, changed, last, g}) MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cufftDestroy(fft));
    MUST(curandDestroyGenerator(random));
    MUST(cublasDestroy(blas));
    return verdict();
}
