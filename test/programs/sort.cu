// Two sorts: a bitonic one of many launches, and a radix sort of keys with values in one block, bit by bit, which keeps
// the order of equal keys.
#include "check.cuh"

#include <algorithm>
#include <vector>

__global__ void merge(unsigned *x, unsigned size, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = (i / stride) * stride * 2 + i % stride,
             high = low + stride;
    unsigned a = x[low], b = x[high];
    if ((a > b) == !(low & size)) x[low] = b, x[high] = a;
}

__global__ void radix(unsigned *keys, int *values, int n, unsigned bits)
{
    __shared__ int zeros;
    for (unsigned bit = 0; bit < bits; bit++) {
        int t = threadIdx.x;
        unsigned key = keys[t], one = key >> bit & 1;
        int value = values[t], before = 0;
        if (!t) zeros = 0;
        __syncthreads();
        if (!one) atomicAdd(&zeros, 1);
        for (int k = 0; k < t; k++) before += (keys[k] >> bit & 1) == one;
        __syncthreads();
        int to = one ? zeros + before : before;
        keys[to] = key, values[to] = value;
        __syncthreads();
    }
}

int main()
{
    enum { N = 2048, M = 128 };
    unsigned *x = shared_array<unsigned>(N), seed = 7;
    for (int k = 0; k < N; k++) x[k] = seed = seed * 1664525 + 1013904223;
    std::vector<unsigned> right(x, x + N);
    std::sort(right.begin(), right.end());
    for (unsigned size = 2; size <= N; size *= 2)
        for (unsigned stride = size / 2; stride; stride /= 2) merge<<<N / 2 / 128, 128>>>(x, size, stride);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) CHECK(x[k] == right[k]);

    int *values = shared_array<int>(M);
    std::vector<std::pair<unsigned, int>> pairs;
    for (int k = 0; k < M; k++) x[k] = k * 77 % 31, values[k] = k, pairs.emplace_back(x[k], k);
    std::stable_sort(pairs.begin(), pairs.end(), [](auto a, auto b) { return a.first < b.first; });
    radix<<<1, M>>>(x, values, M, 5);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < M; k++) CHECK(x[k] == pairs[k].first && values[k] == pairs[k].second);
    return verdict();
}
