// Two sorts of keys with values: bitonic in shared memory for a block, and a radix sort of one bit a pass with ballots.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <random>
#include <stdint.h>
#include <utility>
#include <vector>

namespace bitonic
{
template <typename T> __device__ __forceinline__ void swap(T &a, T &b)
{
    T t = a;
    a = b, b = t;
}
__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    if ((keyA > keyB) == dir) swap(keyA, keyB), swap(valA, valB);
}
template <uint SIZE> __global__ void sortShared(uint *d_Key, uint *d_Val, uint dir)
{
    __shared__ uint s_key[SIZE], s_val[SIZE];
    d_Key += blockIdx.x * SIZE, d_Val += blockIdx.x * SIZE;
    for (uint i = threadIdx.x; i < SIZE; i += blockDim.x) s_key[i] = d_Key[i], s_val[i] = d_Val[i];
    for (uint size = 2; size <= SIZE; size <<= 1) {
        uint ddd = dir ^ (size < SIZE && (threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    __syncthreads();
    for (uint i = threadIdx.x; i < SIZE; i += blockDim.x) d_Key[i] = s_key[i], d_Val[i] = s_val[i];
}
}  // namespace bitonic

namespace radix
{
static constexpr int kThreads = 256;
struct Tile {
    int warp_sums[kThreads / 32];
};
__device__ int exclusive_rank(Tile &tile, bool flag, int *total)
{
    const unsigned ballot = __ballot_sync(~0u, flag), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) tile.warp_sums[warp] = __popc(ballot);
    __syncthreads();
    int before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < kThreads / 32; ++w) {
        if (w < warp) before += tile.warp_sums[w];
        all += tile.warp_sums[w];
    }
    __syncthreads();
    *total = all;
    return before + __popc(ballot & ((1u << lane) - 1));
}
template <typename Key> __global__ void __launch_bounds__(kThreads) sort_block(Key *keys, int n)
{
    extern __shared__ __align__(sizeof(long long)) unsigned char raw[];
    Key *buffer = reinterpret_cast<Key *>(raw);
    __shared__ Tile tile;
    Key key = threadIdx.x < n ? keys[threadIdx.x] : static_cast<Key>(-1);
    for (unsigned bit = 0; bit < sizeof(Key) * 8; ++bit) {
        int zeros;
        const bool one = key >> bit & 1;
        const int rank = exclusive_rank(tile, !one, &zeros);
        buffer[one ? zeros + threadIdx.x - rank : rank] = key;
        __syncthreads();
        key = buffer[threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.x < n) keys[threadIdx.x] = key;
}
template <typename Key> bool test(int n)
{
    std::mt19937_64 random(n);
    std::vector<Key> keys(n), want;
    for (auto &k : keys) k = static_cast<Key>(random());
    want = keys;
    std::stable_sort(want.begin(), want.end());
    Key *d;
    cudaMalloc(&d, n * sizeof(Key));
    cudaMemcpy(d, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
    sort_block<Key><<<1, kThreads, kThreads * sizeof(Key)>>>(d, n);
    cudaMemcpy(keys.data(), d, n * sizeof(Key), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return keys == want;
}
}  // namespace radix

int main()
{
    const uint n = 2048, size = 512;
    std::vector<uint> key(n), val(n), k(n), v(n);
    for (uint i = 0; i < n; ++i) key[i] = (i * 2654435761u) % 1000, val[i] = i;
    uint *d_key, *d_val, bad = 0;
    cudaMalloc(&d_key, n * sizeof(uint));
    cudaMalloc(&d_val, n * sizeof(uint));
    for (uint dir : {0u, 1u}) {
        cudaMemcpy(d_key, key.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
        cudaMemcpy(d_val, val.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
        bitonic::sortShared<size><<<n / size, size / 2>>>(d_key, d_val, dir);
        cudaMemcpy(k.data(), d_key, n * sizeof(uint), cudaMemcpyDeviceToHost);
        cudaMemcpy(v.data(), d_val, n * sizeof(uint), cudaMemcpyDeviceToHost);
        for (uint b = 0; b < n; b += size) {
            std::vector<uint> want(key.begin() + b, key.begin() + b + size);
            std::sort(want.begin(), want.end(), [=](uint x, uint y) { return dir ? x < y : x > y; });
            bad += !std::equal(want.begin(), want.end(), k.begin() + b);
            for (uint i = b; i < b + size; ++i) bad += key[v[i]] != k[i];
        }
        printf("bitonic, %s: %u wrong\n", dir ? "ascending" : "descending", bad);
    }
    const bool radix = radix::test<unsigned char>(200) && radix::test<uint32_t>(256) && radix::test<uint64_t>(77);
    printf("radix %s\n", radix ? "sorted" : "not sorted");
    printf("%s\n", !bad && radix && cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
    return bad || !radix;
}
