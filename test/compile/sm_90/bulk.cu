// Copies in bulk that a cuda::barrier counts by their bytes: into two stages by one thread, while the block sums up the
// other one. What a phase expects is said with an arrival, or before it; one arrival may stand for several.
#include "../../programs/check.cuh"

#include <cuda/barrier>
#include <utility>

enum { T = 64, PARTS = 6 };

__global__ void sums(int *out, const int *in, bool apart)
{
    __shared__ alignas(16) int box[2][T];
    __shared__ cuda::barrier<cuda::thread_scope_block> full[2];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], T);
        init(&full[1], T);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    int sum = 0;
    cuda::barrier<cuda::thread_scope_block>::arrival_token token[2];
    const auto ask = [&](int part) {
        auto &b = full[part % 2];
        if (t == 0) {
            if (apart) cuda::device::barrier_expect_tx(b, sizeof box[0]);
            const cuda::aligned_size_t<16> bytes(sizeof box[0]);
            token[part % 2] = apart ? b.arrive() : cuda::device::barrier_arrive_tx(b, 1, sizeof box[0]);
            cuda::device::memcpy_async_tx(box[part % 2], in + part * T, bytes, b);
        } else {
            token[part % 2] = b.arrive();
        }
    };
    ask(0);
    for (int part = 0; part < PARTS; part++) {
        if (part + 1 < PARTS) ask(part + 1);
        full[part % 2].wait(std::move(token[part % 2]));
        sum += box[part % 2][T - 1 - t] * (part + 1);
        __syncthreads();
    }
    out[t] = sum;
}

// One thread for all.
__global__ void several(int *out, const int *in)
{
    __shared__ alignas(16) int box[T];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    if (threadIdx.x == 0) {
        init(&full, 5);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        auto token = cuda::device::barrier_arrive_tx(full, 5, sizeof box);
        cuda::device::memcpy_async_tx(box, in, cuda::aligned_size_t<16>(sizeof box / 2), full);
        out[T] = full.try_wait_parity(false);
        cuda::device::memcpy_async_tx(box + T / 2, in + T / 2, cuda::aligned_size_t<16>(sizeof box / 2), full);
        full.wait(std::move(token));
    }
    __syncthreads();
    out[threadIdx.x] = box[threadIdx.x];
}

int main()
{
    int *in = shared_array<int>(PARTS * T), *out = shared_array<int>(T + 1);
    for (int k = 0; k < PARTS * T; k++) in[k] = k * k % 1009;
    for (int apart = 0; apart < 2; apart++) {
        sums<<<1, T>>>(out, in, apart);
        MUST(cudaDeviceSynchronize());
        for (int t = 0; t < T; t++) {
            int sum = 0;
            for (int part = 0; part < PARTS; part++) sum += in[part * T + T - 1 - t] * (part + 1);
            CHECK(out[t] == sum);
            out[t] = 0;
        }
    }
    several<<<1, T>>>(out, in);
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) CHECK(out[t] == in[t]);
    CHECK(out[T] == 0);
    return verdict();
}
