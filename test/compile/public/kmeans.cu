// k-means of points in the plane: assignment by centroids in constant memory, sums by atomics, until nothing moves.
#include <algorithm>
#include <cassert>
#include <cfloat>
#include <cmath>
#include <cuda_runtime.h>
#include <iomanip>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#define gpuErrorCheck(ans, abort)                    \
    {                                                \
        gpuAssert((ans), __FILE__, __LINE__, abort); \
    }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "assert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) {
            exit(code);
        }
    }
}

constexpr int K = 5;
__constant__ float2 centroids[K];
__managed__ int moved;

struct Data {
    explicit Data(int n) : n(n)
    {
        cudaMallocManaged(&x, n * sizeof(float));
        cudaMallocManaged(&y, n * sizeof(float));
        cudaMallocManaged(&cluster, n * sizeof(int));
    }
    Data(const Data &) = delete;
    Data &operator=(const Data &) = delete;
    ~Data() { cudaFree(x), cudaFree(y), cudaFree(cluster); }
    int n;
    float *x{nullptr}, *y{nullptr};
    int *cluster{nullptr};
};

__host__ __device__ inline float squared_l2(float x1, float y1, float x2, float y2)
{
    return (x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2);
}

__global__ void assign(const float *__restrict__ x, const float *__restrict__ y, int *cluster, int n, float3 *sums)
{
    __shared__ float3 local[K];
    if (threadIdx.x < K) local[threadIdx.x] = float3{0, 0, 0};
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float best = FLT_MAX;
        int at = 0;
        for (int k = 0; k < K; ++k) {
            const float d = squared_l2(x[i], y[i], centroids[k].x, centroids[k].y);
            if (d < best) best = d, at = k;
        }
        if (cluster[i] != at) atomicAdd_system(&moved, 1);
        cluster[i] = at;
        atomicAdd(&local[at].x, x[i]);
        atomicAdd(&local[at].y, y[i]);
        atomicAdd(&local[at].z, 1.0f);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&sums[threadIdx.x].x, local[threadIdx.x].x);
        atomicAdd(&sums[threadIdx.x].y, local[threadIdx.x].y);
        atomicAdd(&sums[threadIdx.x].z, local[threadIdx.x].z);
    }
}
__global__ void divide(const float3 *sums, float2 *means)
{
    const float3 s = sums[threadIdx.x];
    means[threadIdx.x] = {s.x / max(1.0f, s.z), s.y / fmaxf(1, s.z)};
}

int main(int argc, const char *argv[])
{
    const int n = argc > 1 ? std::stoi(argv[1]) : 1500;
    Data data(n);
    std::mt19937 rng(std::mt19937::default_seed);
    std::normal_distribution<float> noise(0.f, 0.4f);
    for (int i = 0; i < n; ++i)
        data.x[i] = 4 * std::cos(1.2566f * (i % K)) + noise(rng),
        data.y[i] = 4 * std::sin(1.2566f * (i % K)) + noise(rng), data.cluster[i] = -1;
    std::vector<float2> means(K), host(K);
    for (int k = 0; k < K; ++k) host[k] = means[k] = make_float2(data.x[k], data.y[k]);
    float3 *sums = nullptr;
    float2 *d_means;
    gpuErrorCheck(cudaMalloc(&sums, K * sizeof(float3)), true);
    gpuErrorCheck(cudaMalloc((void **)&d_means, K * sizeof(float2)), true);
    int rounds = 0;
    do {
        moved = 0;
        cudaMemset(sums, 0, K * sizeof(float3));
        if (rounds == 0) cudaMemcpyToSymbol(centroids, means.data(), K * sizeof(float2));
        assign<<<(n + 127) / 128, 128>>>(data.x, data.y, data.cluster, n, sums);
        divide<<<1, K>>>(sums, d_means);
        cudaMemcpyToSymbol(centroids, d_means, K * sizeof(float2), 0, cudaMemcpyDeviceToDevice);
        gpuErrorCheck(cudaDeviceSynchronize(), false);
    } while (moved && ++rounds < 50);
    gpuErrorCheck(cudaMemcpyFromSymbol(means.data(), centroids, sizeof(centroids)), true);
    cudaFree(sums);

    for (int r = 0; r <= rounds; ++r) {
        std::vector<double> sx(K), sy(K), count(K);
        for (int i = 0; i < n; ++i) {
            const auto near = std::min_element(host.begin(), host.end(), [&](const float2 &a, const float2 &b) {
                return squared_l2(data.x[i], data.y[i], a.x, a.y) < squared_l2(data.x[i], data.y[i], b.x, b.y);
            });
            const int k = near - host.begin();
            sx[k] += data.x[i], sy[k] += data.y[i], ++count[k];
        }
        for (int k = 0; k < K; ++k) host[k] = make_float2(sx[k] / count[k], sy[k] / count[k]);
    }
    double worst = 0;
    std::cout << std::fixed << std::setprecision(3);
    for (int k = 0; k < K; ++k) {
        std::cout << "centroid " << k << ": " << std::setw(7) << means[k].x << std::setw(8) << means[k].y << '\n';
        worst = std::max<double>(worst, std::hypot(means[k].x - host[k].x, means[k].y - host[k].y));
    }
    std::cout << rounds << " rounds\n" << (worst < 1e-3 && rounds > 0 ? "PASSED" : "FAILED") << std::endl;
    return worst < 1e-3 ? 0 : 1;
}
