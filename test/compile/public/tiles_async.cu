// Sums, scans and a stencil by groups of threads: asynchronous copies into shared memory in two stages, reduce and scan
// of tiles and of labelled threads.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <iostream>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;
constexpr int kBlock = 128, kBatch = 4;

template <int TileSize> __device__ int sum_tile(cg::thread_block_tile<TileSize> tile, int v)
{
    return cg::reduce(tile, v, cg::plus<int>());
}
__global__ void sums(const int *__restrict__ in, int *out, int *scans, int *evens, int n)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(warp);
    __shared__ int stage[2][kBlock];
    const int base = block.group_index().x * kBlock * kBatch;
    int total = 0;
    __pipeline_memcpy_async(&stage[0][block.thread_rank()], in + base + block.thread_rank(), sizeof(int));
    __pipeline_commit();
    for (int k = 0; k < kBatch; ++k) {
        if (k + 1 < kBatch)
            __pipeline_memcpy_async(&stage[(k + 1) % 2][block.thread_rank()],
                                    in + base + (k + 1) * kBlock + block.thread_rank(), sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        block.sync();
        const int v = stage[k % 2][kBlock - 1 - block.thread_rank()];
        total += sum_tile<4>(four, v) * (four.thread_rank() == 0);
        if (v % 2 == 0) {
            cg::coalesced_group even = cg::coalesced_threads();
            const int count = cg::reduce(even, 1, cg::plus<int>());
            if (even.thread_rank() == 0) atomicAdd(evens, count);
        }
        block.sync();
    }
    total = sum_tile<32>(warp, total);
    if (warp.thread_rank() == 0) atomicAdd(out, total);
    const auto by_three = cg::labeled_partition(warp, warp.thread_rank() % 3);
    scans[block.group_index().x * kBlock + block.thread_rank()] =
        cg::exclusive_scan(by_three, in[base + block.thread_rank()], cg::plus<int>());
}
__global__ void blur(const float *in, float *out, int n)
{
    auto block = cg::this_thread_block();
    extern __shared__ float tile[];
    const int start = blockIdx.x * (kBlock - 2);
    const int size = min(kBlock, n - start);
    cg::memcpy_async(block, tile, in + start, sizeof(float) * size);
    cg::wait(block);
    const int t = threadIdx.x;
    if (t > 0 && t < size - 1) out[start + t] = 0.25f * tile[t - 1] + 0.5f * tile[t] + 0.25f * tile[t + 1];
}

int main()
{
    const int blocks = 5, n = blocks * kBlock * kBatch;
    std::vector<int> h(n), scans(blocks * kBlock);
    std::vector<float> f(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 7919) % 1000, f[i] = h[i];
    int *in, *out, *d_scans, result[2];
    float *fin, *fout;
    cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, 2 * sizeof(int)),
        cudaMalloc(&d_scans, scans.size() * sizeof(int));
    cudaMalloc(&fin, n * sizeof(float)), cudaMalloc(&fout, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(fin, f.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 2 * sizeof(int));
    sums<<<blocks, kBlock>>>(in, out, d_scans, out + 1, n);
    blur<<<(n + kBlock - 3) / (kBlock - 2), kBlock, kBlock * sizeof(float)>>>(fin, fout, n);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(scans.data(), d_scans, scans.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(f.data(), fout, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = result[0] != std::accumulate(h.begin(), h.end(), 0), evens = 0;
    for (int x : h) evens += x % 2 == 0;
    wrong += result[1] != evens;
    for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < kBlock; ++t) {
            int want = 0;
            for (int k = t - 3; k >= t / 32 * 32; k -= 3) want += h[b * kBlock * kBatch + k];
            wrong += scans[b * kBlock + t] != want;
        }
    for (int i = 1; i < n - 1; ++i) wrong += f[i] != 0.25f * h[i - 1] + 0.5f * h[i] + 0.25f * h[i + 1];
    std::cout << "sum " << result[0] << ", even " << result[1] << ", " << wrong << " wrong, "
              << cudaGetErrorString(cudaGetLastError()) << '\n'
              << (wrong ? "FAILED" : "PASSED") << std::endl;
    return wrong;
}
