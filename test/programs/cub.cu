// CUB, which comes with CUDA: a sum, a scan and a sort of a block, and a sum of the whole device.
#include "check.cuh"

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>

enum { T = 64 };

__global__ void block(int *out, const int *in)
{
    using Sort = cub::BlockRadixSort<int, T, 2>;
    using Sum = cub::BlockReduce<int, T>;
    using Scan = cub::BlockScan<int, T>;
    __shared__ union {
        Sort::TempStorage sort;
        Sum::TempStorage sum;
        Scan::TempStorage scan;
    } room;
    int t = threadIdx.x, v[2] = {in[2 * t], in[2 * t + 1]}, before;
    int sum = Sum(room.sum).Sum(v);
    if (!t) out[2 * T] = sum;
    __syncthreads();
    Scan(room.scan).ExclusiveSum(v[0] + v[1], before);
    out[2 * T + 1 + t] = before;
    __syncthreads();
    Sort(room.sort).Sort(v);
    out[2 * t] = v[0], out[2 * t + 1] = v[1];
}

int main()
{
    const int N = 5000;
    int *in = shared_array<int>(N), *out = shared_array<int>(3 * T + 1), sum = 0;
    for (int k = 0; k < N; k++) in[k] = k * 89 % 128 - 40;
    block<<<1, T>>>(out, in);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 2 * T; k++) {
        CHECK(out[k] == k - 40);  // 89 is odd: the first 128 are a permutation
        if (k % 2 == 0) CHECK(out[2 * T + 1 + k / 2] == sum);
        sum += in[k];
    }
    CHECK(out[2 * T] == sum);
    for (int k = 2 * T; k < N; k++) sum += in[k];
    void *room = nullptr;
    size_t bytes = 0;
    MUST(cub::DeviceReduce::Sum(room, bytes, in, out, N));
    MUST(cudaMalloc(&room, bytes));
    MUST(cub::DeviceReduce::Sum(room, bytes, in, out, N));
    MUST(cudaDeviceSynchronize());
    CHECK(*out == sum);
    return verdict();
}
