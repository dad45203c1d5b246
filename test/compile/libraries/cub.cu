// CUB (libcub-dev): a block's sum and running sum, a device's histogram and selection, beside the host's.
#include <cub/cub.cuh>

#include "../../programs/check.cuh"

static const int T = 128, N = 5000;
__global__ void of_block(const int *in, int *sums, int *total)
{
    typedef cub::BlockScan<int, T> Scan;
    typedef cub::BlockReduce<int, T> Reduce;
    __shared__ typename Scan::TempStorage scan;
    __shared__ typename Reduce::TempStorage reduce;
    int sum;
    Scan(scan).InclusiveSum(in[threadIdx.x], sum);
    sums[threadIdx.x] = sum;
    sum = Reduce(reduce).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) *total = sum;
}

struct Odd {
    __host__ __device__ bool operator()(int v) const { return v & 1; }
};

int main()
{
    int *in = shared_array<int>(N), *out = shared_array<int>(N), *count = shared_array<int>(8);
    unsigned state = 1;
    for (int k = 0; k < N; k++) in[k] = (int)((state = state * 1664525u + 1013904223u) >> 24);
    of_block<<<1, T>>>(in, out, count);
    MUST(cudaDeviceSynchronize());
    int sum = 0;
    for (int k = 0; k < T; k++) CHECK(out[k] == (sum += in[k]));
    CHECK(*count == sum);

    size_t bytes = 0;
    void *room = nullptr;
    MUST(cub::DeviceHistogram::HistogramEven(room, bytes, in, count, 9, 0, 256, N));
    MUST(cudaMalloc(&room, bytes));
    MUST(cub::DeviceHistogram::HistogramEven(room, bytes, in, count, 9, 0, 256, N));
    MUST(cudaDeviceSynchronize());
    int want[8] = {0};
    for (int k = 0; k < N; k++) want[in[k] / 32]++;
    for (int k = 0; k < 8; k++) CHECK(count[k] == want[k]);

    bytes = 0;
    MUST(cub::DeviceSelect::If(nullptr, bytes, in, out, count, N, Odd()));
    MUST(cudaMalloc(&room, bytes));
    MUST(cub::DeviceSelect::If(room, bytes, in, out, count, N, Odd()));
    MUST(cudaDeviceSynchronize());
    int n = 0;
    for (int k = 0; k < N; k++)
        if (in[k] & 1) CHECK(out[n] == in[k]), n++;
    CHECK(*count == n);
    return verdict();
}
