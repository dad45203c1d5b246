// workers.cu: four host threads, each with a stream, libraries' handles and a graph of its own, filter signals at the
// same time: a transform (cuFFT), weights (cuBLAS) and back. Threads take their jobs from one counter.
#include "check.cuh"

#include <atomic>
#include <cublas_v2.h>
#include <cufft.h>
#include <thread>

enum { N = 90, BATCH = 4, HALF = N / 2 + 1, THREADS = 4 };

static std::atomic<int> next_job;

// What a job's signal is, and how much of each frequency stays.
static float signal(int job, int i) { return (float)((job * 7919 + i * (i + job) * 31) % 211) / 100 - 1; }
static float weight(int k) { return k < 12 ? 1 : k < 20 ? 0.25f : 0; }

static void work(int jobs, std::vector<std::vector<float>> &results)
{
    cudaStream_t stream;
    cublasHandle_t blas;
    cufftHandle forward, back;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cublasCreate(&blas));
    MUST(cublasSetStream(blas, stream));
    MUST(cufftPlan1d(&forward, N, CUFFT_R2C, BATCH));
    MUST(cufftPlan1d(&back, N, CUFFT_C2R, BATCH));
    MUST(cufftSetStream(forward, stream));
    MUST(cufftSetStream(back, stream));
    std::vector<cuComplex> weights;
    for (int k = 0; k < HALF; k++) weights.push_back(make_cuComplex(weight(k) / N, 0));
    Array<cuComplex> w(weights), spectrum(HALF * BATCH), kept(HALF * BATCH);
    Array<float> data(N * BATCH);
    float *host;
    MUST(cudaMallocHost(&host, N * BATCH * sizeof *host));
    MUST(cudaStreamSynchronize(stream));

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    MUST(cudaMemcpyAsync(data, host, N * BATCH * sizeof *host, cudaMemcpyHostToDevice, stream));
    MUST(cufftExecR2C(forward, data, spectrum));
    MUST(cublasCdgmm(blas, CUBLAS_SIDE_LEFT, HALF, BATCH, spectrum, HALF, w, 1, kept, HALF));
    MUST(cufftExecC2R(back, kept, data));
    MUST(cudaMemcpyAsync(host, data, N * BATCH * sizeof *host, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int job; (job = next_job++) < jobs;) {
        for (int i = 0; i < N * BATCH; i++) host[i] = signal(job, i);
        MUST(cudaGraphLaunch(exec, stream));
        MUST(cudaStreamSynchronize(stream));
        results[job].assign(host, host + N * BATCH);
    }
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cufftDestroy(forward));
    MUST(cufftDestroy(back));
    MUST(cublasDestroy(blas));
    MUST(cudaFreeHost(host));
    MUST(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    const int jobs = size_of(argc, argv, 20);
    std::vector<std::vector<float>> results(jobs);
    std::vector<std::thread> threads;
    for (int k = 0; k < THREADS; k++) threads.emplace_back(work, jobs, std::ref(results));
    for (std::thread &t : threads) t.join();
    // The filter's answer to one impulse; a circular sum with it is the same filter.
    double answer[N];
    for (int i = 0; i < N; i++) {
        answer[i] = 0;
        for (int k = 0; k < N; k++)
            answer[i] += (double)weight(k < HALF ? k : N - k) / N * std::cos(2 * 3.14159265358979323846 * k * i / N);
    }
    for (int job = 0; job < jobs; job++) {
        CHECK(results[job].size() == N * BATCH);
        for (int i = 0; i < (int)results[job].size(); i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += signal(job, i / N * N + j) * answer[(i % N - j + N) % N];
            NEAR(results[job][i], sum, 1e-5);
        }
    }
    return verdict();
}
