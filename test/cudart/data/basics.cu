// What a first program uses: templates, constants, variables of the device and managed ones, shared memory that a
// launch asks for, atomics, printf, streams and events, three dimensions, a struct by value, two host threads, malloc
// and assert in a kernel.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define MUST(call) must(__LINE__, call)
static void must(int line, cudaError_t error)
{
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorString(error));
    std::exit(99);
}

struct Pair {
    double factor;
    int add;
};
__constant__ Pair constants[2];
__device__ int count;
__managed__ int managed[4] = {1, 2, 3, 4};

template <typename T> __global__ void scale(T *x, int n, T by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

__global__ void shape(int *out, const __grid_constant__ Pair p)
{
    int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    atomicAdd(&out[i], t * (int)p.factor + constants[1].add + p.add);
    if (!t) atomicAdd(&count, 1);
}

__global__ void reverse(int *x)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void raise(int by)
{
    managed[threadIdx.x] += by;
    if (!threadIdx.x) printf("raised by %d, %.2f, %s\n", by, 1.5, "text");
}

__global__ void list(int *sum)
{
    int *mine = static_cast<int *>(malloc(sizeof *mine * (threadIdx.x + 1)));
    for (int k = 0; k <= threadIdx.x; k++) mine[k] = k;
    for (int k = 0; k <= threadIdx.x; k++) atomicAdd(sum, mine[k]);
    free(mine);
}

__global__ void insist(int value) { assert(value == 1); }

// Each of two threads of the host has a buffer of its own.
static void both()
{
    int wrong[2] = {0, 0};
    auto work = [&](int t) {
        int *x, host[64];
        MUST(cudaMalloc(&x, sizeof host));
        for (int round = 0; round < 50; round++) {
            for (int k = 0; k < 64; k++) host[k] = k + t;
            MUST(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
            scale<<<1, 64>>>(x, 64, round);
            MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
            for (int k = 0; k < 64; k++) wrong[t] += host[k] != (k + t) * round;
        }
        MUST(cudaFree(x));
    };
    std::thread one(work, 0), two(work, 1);
    one.join(), two.join();
    std::printf("threads: %d %d wrong\n", wrong[0], wrong[1]);
}

static void scales()
{
    std::vector<double> x(5000);
    std::vector<float> y(100, 2);
    double *dx;
    float *dy;
    int wrong = 0;
    for (int k = 0; k < 5000; k++) x[k] = k;
    MUST(cudaMalloc(&dx, 5000 * sizeof *dx));
    MUST(cudaMalloc(&dy, 100 * sizeof *dy));
    MUST(cudaMemcpy(dx, x.data(), 5000 * sizeof *dx, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dy, y.data(), 100 * sizeof *dy, cudaMemcpyHostToDevice));
    cudaStream_t s;
    cudaEvent_t begin, end;
    float ms = -1;
    MUST(cudaStreamCreate(&s));
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    MUST(cudaEventRecord(begin, s));
    scale<<<(5000 + 127) / 128, 128, 0, s>>>(dx, 5000, 0.5);
    scale<<<1, 128, 0, s>>>(dy, 100, 1.25f);
    MUST(cudaGetLastError());
    MUST(cudaEventRecord(end, s));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    MUST(cudaMemcpy(x.data(), dx, 5000 * sizeof *dx, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(y.data(), dy, 100 * sizeof *dy, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 5000; k++) wrong += x[k] != 0.5 * k;
    for (int k = 0; k < 100; k++) wrong += y[k] != 2.5f;
    std::printf("scale: %d wrong, took time %d\n", wrong, ms > 0);
    MUST(cudaFree(dx));
    MUST(cudaFree(dy));
}

int main(int argc, char **argv)
{
    scales();
    both();
    Pair pairs[2] = {{0, 0}, {0, 100}};
    int *out, host[24], zero = 0, blocks = 0, threads = 0;
    MUST(cudaMemcpyToSymbol(constants, pairs, sizeof pairs));
    MUST(cudaMemcpyToSymbol(count, &zero, sizeof zero));
    MUST(cudaMallocManaged(&out, sizeof host));
    MUST(cudaMemset(out, 0, sizeof host));
    shape<<<dim3(2, 3, 4), dim3(4, 2, 2)>>>(out, Pair{2, 5});
    MUST(cudaMemcpyFromSymbol(host, count, sizeof *host));
    int wrong = 0;
    for (int k = 0; k < 24; k++) wrong += out[k] != 2 * 120 + 16 * 105;  // the numbers below 16 sum up to 120
    std::printf("shape: %d wrong, %d blocks\n", wrong, host[0]);
    MUST(cudaMemcpy(out, host, sizeof host, cudaMemcpyDefault));
    for (int k = 0; k < 24; k++) out[k] = k;
    reverse<<<1, 24, sizeof host>>>(out);
    MUST(cudaDeviceSynchronize());
    std::printf("reverse: %d %d %d\n", out[0], out[1], out[23]);
    raise<<<1, 4>>>(10);
    MUST(cudaDeviceSynchronize());
    std::printf("managed: %d %d %d %d\n", managed[0], managed[1], managed[2], managed[3]);
    MUST(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, reverse));
    std::printf("occupancy: %d\n", blocks > 0 && threads > 0 && threads % 32 == 0);
    reverse<<<1, 2000>>>(out);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    MUST(cudaMemset(out, 0, sizeof *out));
    list<<<1, 10>>>(out);
    MUST(cudaDeviceSynchronize());
    std::printf("list: %d\n", *out);  // thread t sums up 0 to t: 10·11·9/6
    insist<<<1, 1>>>(2);
    std::printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
    std::printf(", %s\n", cudaGetErrorString(cudaFree(out)));
    if (argc > 1) std::printf("argument %s\n", argv[1]);
    return argc;
}
