// Copies into shared memory that go on while the block computes: cuda::memcpy_async with a barrier and with a pipeline
// of two stages, and cooperative_groups::memcpy_async (CUDA C++ Programming Guide, "Asynchronous Data Copies").
#include "check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

enum { T = 128, PARTS = 6 };

__global__ void by_barrier(int *out, const int *in)
{
    __shared__ alignas(16) int box[T];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    auto block = cg::this_thread_block();
    if (!block.thread_rank()) init(&full, block.size());
    block.sync();
    int sum = 0;
    for (int part = 0; part < PARTS; part++) {
        cuda::memcpy_async(block, box, in + part * T, cuda::aligned_size_t<16>(sizeof box), full);
        full.arrive_and_wait();
        sum += box[T - 1 - threadIdx.x] * (part + 1);
        block.sync();
    }
    out[threadIdx.x] = sum;
}

__global__ void by_pipeline(int *out, const int *in)
{
    __shared__ alignas(16) int box[2][T];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0, ahead = 0;
    for (int part = 0; part < PARTS; part++) {
        for (; ahead < PARTS && ahead < part + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, box[ahead % 2], in + ahead * T, sizeof box[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += box[part % 2][T - 1 - threadIdx.x] * (part + 1);
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void by_group(int *out, const int *in)
{
    __shared__ int box[T + 1];
    auto block = cg::this_thread_block();
    int sum = 0;
    for (int part = 0; part < PARTS; part++) {
        cg::memcpy_async(block, box + 1, in + part * T, T * sizeof(int));  // not aligned to more than a word
        cg::wait(block);
        sum += box[T - threadIdx.x] * (part + 1);
        block.sync();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    int *in = shared_array<int>(PARTS * T), *out = shared_array<int>(T);
    for (int k = 0; k < PARTS * T; k++) in[k] = k * k % 1009;
    for (auto kernel : {by_barrier, by_pipeline, by_group}) {
        MUST(cudaMemset(out, 0, T * sizeof *out));
        kernel<<<1, T>>>(out, in);
        MUST(cudaDeviceSynchronize());
        for (int t = 0; t < T; t++) {
            int sum = 0;
            for (int part = 0; part < PARTS; part++) sum += in[part * T + T - 1 - t] * (part + 1);
            CHECK(out[t] == sum);
        }
    }
    return verdict();
}
