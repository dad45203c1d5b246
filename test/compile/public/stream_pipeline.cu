// Several streams that fork and join by events, several times; a function of the host sums what came back.
#include <array>
#include <chrono>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace
{
constexpr int kStreams = 3, kChunk = 2048, kRounds = 5;

void check(cudaError_t result, char const *const func, const char *const file, int const line)
{
    if (result) {
        std::cerr << "CUDA error at " << file << ":" << line << " code=" << static_cast<unsigned int>(result) << "("
                  << cudaGetErrorName(result) << ") \"" << func << "\" \n";
        exit(EXIT_FAILURE);
    }
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

struct HostData {
    std::vector<double> sums;
    const float *data;
};

void CUDART_CB myHostNodeCallback(void *data)
{
    auto *h = static_cast<HostData *>(data);
    h->sums.push_back(std::accumulate(h->data, h->data + kStreams * kChunk, 0.0));
}

template <typename T> __global__ void scale(T *__restrict__ data, const T factor, std::size_t n)
{
    for (auto i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) data[i] *= factor;
}
}  // namespace

int main()
{
    float *host = nullptr, *device = nullptr;
    checkCudaErrors(cudaMallocHost(&host, sizeof(float) * kStreams * kChunk));
    checkCudaErrors(cudaMalloc(&device, sizeof(float) * kStreams * kChunk));
    std::mt19937 gen(42);
    std::uniform_int_distribution<int> dist(-8, 8);
    std::generate(host, host + kStreams * kChunk, [&] { return static_cast<float>(dist(gen)); });
    const double first = std::accumulate(host, host + kStreams * kChunk, 0.0);

    std::array<cudaStream_t, kStreams> streams;
    std::array<cudaEvent_t, kStreams> joined;
    for (auto &s : streams) checkCudaErrors(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (auto &e : joined) checkCudaErrors(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

    HostData hostData{{}, host};
    const auto round = [&] {
        checkCudaErrors(cudaEventRecord(joined[0], streams[0]));
        for (int i = 0; i < kStreams; ++i) {
            if (i) checkCudaErrors(cudaStreamWaitEvent(streams[i], joined[0], 0));
            float *d = device + i * kChunk, *h = host + i * kChunk;
            checkCudaErrors(cudaMemcpyAsync(d, h, sizeof(float) * kChunk, cudaMemcpyHostToDevice, streams[i]));
            scale<float><<<8, 128, 0, streams[i]>>>(d, 2.0f, kChunk);
            checkCudaErrors(cudaMemcpyAsync(h, d, sizeof(float) * kChunk, cudaMemcpyDeviceToHost, streams[i]));
        }
        for (int i = 1; i < kStreams; ++i) {
            checkCudaErrors(cudaEventRecord(joined[i], streams[i]));
            checkCudaErrors(cudaStreamWaitEvent(streams[0], joined[i]));
        }
        checkCudaErrors(cudaLaunchHostFunc(streams[0], myHostNodeCallback, &hostData));
    };
    auto t0 = std::chrono::high_resolution_clock::now();
    for (int r = 0; r < kRounds; ++r) round();
    checkCudaErrors(cudaStreamSynchronize(streams[0]));
    std::chrono::duration<double, std::milli> ms = std::chrono::high_resolution_clock::now() - t0;
    std::cout << kRounds << " rounds took " << ms.count() << " ms" << std::endl;

    bool ok = hostData.sums.size() == kRounds;
    for (int r = 0; ok && r < kRounds; ++r) ok = hostData.sums[r] == first * (2 << r);
    for (auto s : streams) checkCudaErrors(cudaStreamDestroy(s));
    for (auto e : joined) checkCudaErrors(cudaEventDestroy(e));
    checkCudaErrors(cudaFreeHost(host));
    checkCudaErrors(cudaFree(device));
    std::cout << "stream pipeline: " << std::string(ok ? "PASSED" : "FAILED") << std::endl;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
