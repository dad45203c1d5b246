// Monte Carlo estimate of pi, the state of each thread's generator kept between launches, and a normal distribution.
#include <ctime>
#include <curand.h>
#include <curand_kernel.h>
#include <iostream>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCKS 32
#define THREADS 64
#define PI 3.1415926535

#define CUDA_CALL(x)                                        \
    do {                                                    \
        if ((x) != cudaSuccess) {                           \
            printf("Error at %s:%d\n", __FILE__, __LINE__); \
            return EXIT_FAILURE;                            \
        }                                                   \
    } while (0)

__global__ void setup_kernel(curandState *state, unsigned long seed)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(seed, id, 0, &state[id]);
}
__global__ void monte_carlo(curandState *state, unsigned int *count, int m)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    __shared__ unsigned int cache[THREADS];
    unsigned int hits = 0;
    curandState localState = state[id];
    for (int i = 0; i < m; i++) {
        float x = curand_uniform(&localState);
        float y = curand_uniform(&localState);
        if (x * x + y * y <= 1.0f) hits++;
    }
    state[id] = localState;
    cache[threadIdx.x] = hits;
    __syncthreads();
    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(count, cache[0]);
}
__global__ void moments(curandStatePhilox4_32_10_t *state, double *sums, int m)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(1234ULL, id, 0, &state[id]);
    double s1 = 0, s2 = 0;
    for (int i = 0; i < m; i += 4) {
        float4 v = curand_normal4(&state[id]);
        s1 += v.x + v.y + v.z + v.w;
        s2 += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    atomicAdd(&sums[0], s1);
    atomicAdd(&sums[1], s2);
}

int main(int argc, char *argv[])
{
    unsigned int n = BLOCKS * THREADS, m = argc > 1 ? atoi(argv[1]) : 100, h_count = 0, *d_count;
    curandState *d_state;
    curandStatePhilox4_32_10_t *d_philox;
    double *d_sums, sums[2];
    CUDA_CALL(cudaMalloc((void **)&d_count, sizeof(unsigned int)));
    CUDA_CALL(cudaMalloc((void **)&d_state, n * sizeof(curandState)));
    CUDA_CALL(cudaMalloc((void **)&d_philox, n * sizeof(curandStatePhilox4_32_10_t)));
    CUDA_CALL(cudaMalloc((void **)&d_sums, 2 * sizeof(double)));
    CUDA_CALL(cudaMemset(d_count, 0, sizeof(unsigned int)));
    CUDA_CALL(cudaMemset(d_sums, 0, 2 * sizeof(double)));

    float gpu_elapsed_time;
    cudaEvent_t gpu_start, gpu_stop;
    cudaEventCreate(&gpu_start);
    cudaEventCreate(&gpu_stop);
    cudaEventRecord(gpu_start, 0);
    setup_kernel<<<BLOCKS, THREADS>>>(d_state, 20240229UL);
    for (int round = 0; round < 4; round++) monte_carlo<<<BLOCKS, THREADS>>>(d_state, d_count, m);
    moments<<<BLOCKS, THREADS>>>(d_philox, d_sums, m);
    cudaMemcpy(&h_count, d_count, sizeof(unsigned int), cudaMemcpyDeviceToHost);
    CUDA_CALL(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    cudaEventRecord(gpu_stop, 0);
    cudaEventSynchronize(gpu_stop);
    cudaEventElapsedTime(&gpu_elapsed_time, gpu_start, gpu_stop);
    cudaEventDestroy(gpu_start);
    cudaEventDestroy(gpu_stop);

    double points = 4.0 * n * m, pi = 4.0 * h_count / points, mean = sums[0] / (n * m), var = sums[1] / (n * m);
    std::cout << "Approximate pi calculated on GPU is: " << pi << ", calculation took " << gpu_elapsed_time << " ms\n";
    std::cout << "normal numbers: mean " << mean << ", variance " << var << std::endl;
    // four standard deviations each
    bool ok = fabs(pi - PI) < 4 * 1.64 / sqrt(points) && fabs(mean) < 4 / sqrt((double)n * m) &&
              fabs(var - 1) < 4 * sqrt(2.0 / n / m);
    CUDA_CALL(cudaFree(d_count));
    CUDA_CALL(cudaFree(d_state));
    CUDA_CALL(cudaFree(d_philox));
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? 0 : 1;
}
