// Copies into shared memory that go on while a thread does: of a group, for every alignment of both ends and any size,
// nothing beside them being touched; a pipeline of stages by CUDA's primitives and by their classes, zeros filled in;
// and barriers in shared memory, by token and by parity, that wait for copies, too.
#include "../../programs/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

enum { T = 96, BOX = 512 };

// --- copies of a group ---------------------------------------------------------------------------------------------
__global__ void any_alignment(unsigned char *out, const unsigned char *in, unsigned to, unsigned from, unsigned bytes,
                              bool back)
{
    __shared__ __align__(16) unsigned char box[BOX];
    const auto block = cg::this_thread_block();
    for (unsigned k = threadIdx.x; k < BOX; k += T) box[k] = 0xee;
    block.sync();
    cg::memcpy_async(block, box + to, in + from, bytes);
    cg::wait(block);
    if (back) {
        cg::memcpy_async(block, out + from, box + to, (size_t)bytes);  // from shared to global memory
        cg::wait(block);
    } else {
        for (unsigned k = threadIdx.x; k < BOX; k += T) out[k] = box[k];
    }
}
static void test_alignment()
{
    unsigned char *in = shared_array<unsigned char>(BOX), *out = shared_array<unsigned char>(BOX);
    for (int k = 0; k < BOX; k++) in[k] = (unsigned char)(k * 7 + k / 256);
    unsigned draw = 1;
    for (unsigned n = 0; n < 128; n++) {
        draw = draw * 1664525 + 1013904223;
        const unsigned to = n % 16, from = n & 64 ? to + 16 : draw >> 28, bytes = draw >> 8 & (n & 32 ? 15 : 255);
        for (int k = 0; k < BOX; k++) out[k] = 0xee;
        any_alignment<<<1, T>>>(out, in, to, from, bytes, n % 3 == 0);
        MUST(cudaDeviceSynchronize());
        const unsigned first = n % 3 ? to : from;
        for (unsigned k = 0; k < BOX; k++) {
            const bool inside = k >= first && k < first + bytes;
            CHECK(out[k] == (inside ? in[from + k - first] : 0xee));
        }
    }
}

__global__ void stages(int *out, const int *in)
{
    __shared__ __align__(16) int box[3][T];
    __shared__ __align__(16) short few[64];
    __shared__ double one[4];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    int sum = 0;
    cg::memcpy_async(block, box[0], in, cuda::aligned_size_t<16>(sizeof box[0]));
    cg::memcpy_async(block, box[1], in + T, cuda::aligned_size_t<4>(sizeof box[0]));
    for (int part = 2; part < 8; part++) {
        if (part < 8) cg::memcpy_async(block, box[part % 3], T, in + part * T, (size_t)(T + 5));  // the lesser of two
        cg::wait_prior<2>(block);
        sum += box[(part - 2) % 3][T - 1 - threadIdx.x] * (part - 1);
        block.sync();
    }
    cg::wait_prior<1>(block);
    sum += box[0][T - 1 - threadIdx.x] * 7;
    cg::wait(block);
    sum += box[1][T - 1 - threadIdx.x] * 8;
    if (tile.meta_group_rank() == 1) {
        const cuda::aligned_size_t<8> elements(64);
        cg::memcpy_async(tile, few, elements, (const short *)in, elements);
        cg::memcpy_async(tile, (void *)one, (const void *)(in + 2), sizeof one);
        cg::wait(tile);
        sum += few[tile.thread_rank()] + (int)((const int *)one)[tile.thread_rank() % 8];
    }
    out[threadIdx.x] = sum;
}
static void test_stages(int *in, int *out)
{
    stages<<<1, T>>>(out, in);
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        int sum = 0;
        for (int part = 0; part < 8; part++) sum += in[part * T + T - 1 - t] * (part + 1);
        if (t / 32 == 1) sum += (short)(t % 2 ? in[t % 32 / 2] >> 16 : in[t % 32 / 2]) + in[2 + t % 8];
        CHECK(out[t] == sum);
    }
}

// --- primitives ----------------------------------------------------------------------------------------------------
// Each thread's own copies of 4, 8 and 16 bytes, of which the last bytes become zero.
__global__ void filled(unsigned *out, const unsigned *in)
{
    __shared__ __align__(16) unsigned box[T * 7];
    const unsigned t = threadIdx.x;
    unsigned *four = box + t * 4, *two = box + T * 4 + t * 2, *one = box + T * 6 + t;
    __pipeline_memcpy_async(four, in + t * 4, 16, t % 17);
    __pipeline_commit();
    __pipeline_memcpy_async(two, in + T * 4 + t * 2, 8, t % 9);
    __pipeline_memcpy_async(one, in + T * 6 + t, sizeof *one);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    for (int k = 0; k < 4; k++) out[t * 7 + k] = four[k];
    __pipeline_wait_prior(0);
    out[t * 7 + 4] = two[0], out[t * 7 + 5] = two[1], out[t * 7 + 6] = *one;
}
static void test_filled()
{
    unsigned *in = shared_array<unsigned>(T * 7), *out = shared_array<unsigned>(T * 7);
    for (unsigned k = 0; k < T * 7; k++) in[k] = k * 2654435761u | 0x01010101u;
    filled<<<1, T>>>(out, in);
    MUST(cudaDeviceSynchronize());
    auto byte = [](const unsigned *p, int k) { return p[k / 4] >> k % 4 * 8 & 255; };
    for (int t = 0; t < T; t++) {
        for (int k = 0; k < 16; k++) CHECK(byte(out + t * 7, k) == (k < 16 - t % 17 ? byte(in + t * 4, k) : 0));
        for (int k = 0; k < 8; k++)
            CHECK(byte(out + t * 7 + 4, k) == (k < 8 - t % 9 ? byte(in + T * 4 + t * 2, k) : 0));
        CHECK(out[t * 7 + 6] == in[T * 6 + t]);
    }
}

// --- barriers ------------------------------------------------------------------------------------------------------
__global__ void by_token(int *out, const int *in)
{
    __shared__ int box[T];
    __shared__ __mbarrier_t bar;
    const int t = threadIdx.x;
    if (!t) __mbarrier_init(&bar, T);
    __syncthreads();
    int sum = 0;
    for (int part = 0; part < 8; part++) {
        __pipeline_memcpy_async(&box[t], &in[part * T + t], 4);
        __pipeline_arrive_on(&bar);
        const __mbarrier_token_t token = __mbarrier_arrive(&bar);
        if (part % 2)
            while (!__mbarrier_test_wait(&bar, token)) {}
        else
            while (!__mbarrier_try_wait(&bar, token, 1000)) {}
        sum += box[T - 1 - t] * (part + 1);
        __syncthreads();
    }
    out[t] = sum;
}
// A third of the threads leaves after the second phase.
__global__ void by_parity(int *out, const int *in)
{
    __shared__ int box[T];
    __shared__ __mbarrier_t bar;
    const int t = threadIdx.x;
    if (!t) __mbarrier_init(&bar, T);
    __syncthreads();
    int sum = 0;
    for (int part = 0; part < 8; part++) {
        box[t] = in[part * T + t];
        if (part == 1 && t >= 64) {
            __mbarrier_arrive_and_drop(&bar);
            break;
        }
        __mbarrier_arrive(&bar);
        if (part % 3)
            while (!__mbarrier_test_wait_parity(&bar, part & 1)) {}
        else
            while (!__mbarrier_try_wait_parity(&bar, part & 1, 500)) {}
        sum += box[part < 2 ? T - 1 - t : 63 - t] * (part + 1);
        if (part == 0)
            __syncthreads();
        else if (t < 64)
            asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    if (t < 64) out[t] = sum;
    __syncthreads();
    if (!t) {
        __mbarrier_t *other = &bar;
        __mbarrier_inval(other);
        __mbarrier_init(other, 5);
        __mbarrier_arrive(other);
        out[64] = (int)__mbarrier_token_pending_count(__mbarrier_arrive(other));
        out[65] = (int)__mbarrier_maximum_count();
    }
}
__global__ void by_class(int *out, const int *in)
{
    using namespace nvcuda::experimental;
    __shared__ int box[2][T];
    __shared__ awbarrier bar;
    const int t = threadIdx.x;
    if (!t) init(&bar, T);
    __syncthreads();
    pipeline pipe;
    int sum = 0;
    memcpy_async(box[0][t], in[t], pipe);
    size_t batch = pipe.commit();
    for (int part = 0; part < 8; part++) {
        size_t next = batch;
        if (part < 7) {
            memcpy_async(box[(part + 1) % 2][t], in[(part + 1) * T + t], pipe);
            next = pipe.commit();
        }
        if (part % 2)
            pipe.wait(batch);
        else if (part < 7)
            pipe.wait_prior<1>();
        if (part == 4) pipe.arrive_on(bar);
        const auto token = bar.arrive();
        bar.wait(token);
        sum += box[part % 2][T - 1 - t] * (part + 1);
        bar.arrive_and_wait();
        batch = next;
    }
    out[t] = sum;
}
template <class Kernel> static void test_parts(Kernel kernel, int *in, int *out, int threads)
{
    MUST(cudaMemset(out, 0, T * sizeof *out));
    kernel<<<1, T>>>(out, in);
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++) {
        int sum = 0;
        for (int part = 0; part < 8; part++)
            sum += in[part * T + (threads == T || part < 2 ? T - 1 - t : 63 - t)] * (part + 1);
        CHECK(out[t] == sum);
    }
}

int main()
{
    int *in = shared_array<int>(9 * T), *out = shared_array<int>(T);
    for (int k = 0; k < 9 * T; k++) in[k] = k * k % 100003 * 31;
    test_alignment();
    test_stages(in, out);
    test_filled();
    test_parts(by_token, in, out, T);
    test_parts(by_class, in, out, T);
    test_parts(by_parity, in, out, 64);
    CHECK(out[64] == 4 && out[65] == (1 << 20) - 1);
    return verdict();
}
