// What CUDA's own headers make of barriers, pipelines and atomics: everything here is ordered as the PTX ISA's memory
// model demands, so that --check must find nothing. What comes out is computed by hand beside each kernel.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.cuh"

namespace cg = cooperative_groups;
constexpr int TILE = 256, TILES = 4;

// Blocks wait for one another, three times.
__global__ void grid(int *mine, int *sum)
{
    cg::grid_group all = cg::this_grid();
    const int i = (int)all.thread_rank(), n = (int)all.size();
    for (int k = 0; k < 3; k++) {
        mine[i] = i + k;
        all.sync();
        sum[i] += mine[(i + blockDim.x) % n];
        all.sync();
    }
}

__global__ void barriers(int *sum)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier both;
    __shared__ int words[128];
    const int t = threadIdx.x;
    if (t == 0) init(&both, 128);
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        words[t] = k + t;
        auto token = both.arrive();
        both.wait(std::move(token));
        sum[t] += words[127 - t];
        both.arrive_and_wait();
    }
}

// A block's pipeline of two stages, by mbarriers; then a thread's, by groups.
__global__ void block_pipeline(const int *from, int *sum)
{
    auto block = cg::this_thread_block();
    __shared__ alignas(16) int tile[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    for (int k = 0, asked = 0; k < TILES; k++) {
        for (; asked < TILES && asked < k + 2; asked++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[asked & 1], from + TILE * asked,
                               cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum[t] += tile[k & 1][TILE - 1 - t];
        pipe.consumer_release();
    }
}

__global__ void thread_pipeline(const int *from, int *sum)
{
    __shared__ alignas(16) int tile[2][TILE];
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    auto ask = [&](int k) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[k & 1][t], from + TILE * k + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
    };
    ask(0);
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES) {
            ask(k + 1);
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        __syncthreads();
        sum[t] += tile[k & 1][TILE - 1 - t];
        __syncthreads();
        pipe.consumer_release();
    }
}

// One block hands numbers to another through a ring of four.
__global__ void queue(int *ring, int *put, int *taken, int *sum, int n)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> head(*put), tail(*taken);
    if (threadIdx.x) return;
    for (int i = 0; i < n; i++) {
        if (blockIdx.x == 0) {
            while (i - tail.load(cuda::memory_order_acquire) >= 4) {}
            ring[i & 3] = i * i;
            head.store(i + 1, cuda::memory_order_release);
        } else {
            while (head.load(cuda::memory_order_acquire) <= i) {}
            *sum += ring[i & 3];
            tail.store(i + 1, cuda::memory_order_release);
        }
    }
}

__global__ void locked(int *lock, int *count)
{
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void tiles(int *first)
{
    auto eight = cg::tiled_partition<8>(cg::this_thread_block());
    __shared__ int words[64];
    const int t = threadIdx.x;
    words[t] = t;
    eight.sync();
    const int mirrored = words[(t & ~7) | (7 - (t & 7))];
    eight.sync();
    words[t] = mirrored;
    eight.sync();
    first[t] = words[t & ~7];
}

int main()
{
    constexpr int N = TILE * TILES;
    int *from = shared_array<int>(N), *a = shared_array<int>(N), *b = shared_array<int>(N), *c = shared_array<int>(N);
    int *d = shared_array<int>(N), *e = shared_array<int>(N), *f = shared_array<int>(N), *g = shared_array<int>(N);
    for (int k = 0; k < N; k++) from[k] = k;
    void *args[] = {&a, &b};
    MUST(cudaLaunchCooperativeKernel((void *)grid, dim3(8), dim3(64), args, 0, nullptr));
    barriers<<<1, 128>>>(c);
    block_pipeline<<<1, TILE>>>(from, d);
    thread_pipeline<<<1, TILE>>>(from, e);
    queue<<<2, 32>>>(f, f + 16, f + 32, f + 48, 64);
    locked<<<20, 32>>>(f + 64, f + 80);
    tiles<<<1, 64>>>(g);
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < 512; i++) CHECK(b[i] == 3 * ((i + 64) % 512) + 3);
    for (int t = 0; t < 128; t++) CHECK(c[t] == 3 * (127 - t) + 3);
    for (int t = 0; t < TILE; t++) CHECK(d[t] == 4 * (255 - t) + 6 * TILE && e[t] == d[t]);
    CHECK(f[48] == 85344);  // the squares up to 63
    CHECK(f[80] == 20);
    for (int t = 0; t < 64; t++) CHECK(g[t] == (t & ~7) + 7);
    return verdict();
}
