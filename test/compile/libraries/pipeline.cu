// cuda/barrier and cuda/pipeline on libcu++'s atomics: barriers of each scope, in shared and in global memory and on
// the host; pipelines whose threads do both, or only one; and every form of memcpy_async.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "../../programs/check.cuh"

namespace cg = cooperative_groups;
using namespace cuda::std::chrono_literals;
enum { T = 96, TURNS = 5 };

// --- barriers --------------------------------------------------------------------------------------------------------
// Between two waits each thread sees what its neighbour wrote before the first.
template <class Barrier> __device__ int turns(Barrier &b, volatile int *box, int t, int n)
{
    int right = 0;
    for (int k = 0; k < TURNS; k++) {
        box[t] = t + k;
        switch (k) {
        case 0: b.arrive_and_wait(); break;
        case 1: b.wait(b.arrive()); break;
        case 2: {
            auto token = b.arrive();
            while (!b.try_wait(std::move(token))) {}
            break;
        }
        case 3: {
            auto token = b.arrive();
            while (!b.try_wait_for(std::move(token), 20us)) {}
            break;
        }
        default: {
            auto token = b.arrive();
            while (!b.try_wait_until(std::move(token), cuda::std::chrono::high_resolution_clock::now() + 20us)) {}
        }
        }
        right += box[(t + 1) % n] == (t + 1) % n + k;
        b.arrive_and_wait();
    }
    return right;
}
template <cuda::thread_scope Scope> __global__ void in_shared(int *right)
{
    __shared__ cuda::barrier<Scope> b;
    __shared__ int box[T];
    if (threadIdx.x == 0) init(&b, T);
    __syncthreads();
    right[threadIdx.x] = turns(b, box, threadIdx.x, T);
}
template <class Barrier> __global__ void in_global(Barrier *b, int *box, int *right)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    right[t] = turns(*b, box, t, gridDim.x * blockDim.x);
}

// What runs at the end of a phase sees all, and is seen by all.
struct Sum {
    const int *of;
    int *sums, *phase;
    __device__ void operator()()
    {
        int sum = 0;
        for (int k = 0; k < T; k++) sum += of[k];
        sums[(*phase)++] = sum;
    }
};
__global__ void completes(int *right)
{
    __shared__ cuda::barrier<cuda::thread_scope_block, Sum> b;
    __shared__ int of[T], sums[2 * TURNS], phase;
    const int t = threadIdx.x;
    if (t == 0) {
        phase = 0;
        init(&b, T, Sum{of, sums, &phase});
    }
    __syncthreads();
    right[t] = 0;
    for (int k = 0; k < TURNS; k++) {
        of[t] = t * k;
        b.arrive_and_wait();
        right[t] += sums[2 * k] == k * T * (T - 1) / 2 && phase == 2 * k + 1;
        b.arrive_and_wait();
    }
}

// Threads leave, one a phase; one thread arrives for others; parities tell the phase.
__global__ void leave(cuda::barrier<cuda::thread_scope_block> *global, int *right)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> shared[2];
    __shared__ int count;
    for (auto *b : {shared, global}) {
        const int t = threadIdx.x;
        if (t == 0) {
            init(b, T);
            count = 0;
        }
        __syncthreads();
        bool out = false;
        int seen = 0;
        for (int k = 0; k < T - 1 && !out; k++) {
            if (t == k) {
                b->arrive_and_drop();
                out = true;
            } else {
                atomicAdd(&count, 1);
                b->arrive_and_wait();
                seen += atomicAdd(&count, 0) >= (k + 1) * (T - 1) - k * (k + 1) / 2;
            }
        }
        right[t] += seen == (t < T - 1 ? t : T - 1);
        __syncthreads();
        if (t == 0) {
            init(++b, 7);
            right[0] += b->try_wait_parity(true) && !b->try_wait_parity(false);
            (void)b->arrive(4);
            right[0] += !b->try_wait_parity_for(false, 1us);
            (void)b->arrive(3);
            right[0] += b->try_wait_parity(false) && !b->try_wait_parity(true);
            b->wait_parity(false);
            right[0] += b->max() >= (1 << 20) - 1;
        }
        __syncthreads();
    }
}

// --- copies with a barrier -------------------------------------------------------------------------------------------
struct alignas(16) Four { int x[4]; };

__global__ void copies(const char *from, int *right)
{
    auto block = cg::this_thread_block();
    __shared__ alignas(16) char to[1024];
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ cuda::barrier<cuda::thread_scope_device> wide;
    const int t = threadIdx.x;
    if (t == 0) {
        init(&b, T);
        init(&wide, T);
    }
    right[t] = 0;
    // Ends and insides of every alignment, by the whole block.
    for (int at = 0; at < 20; at++) {
        for (int k = t; k < 1024; k += T) to[k] = 0;
        __syncthreads();
        const int away = at * 7 % 16, bytes = 900 - at;
        if (at & 1)
            cuda::memcpy_async(block, (void *)(to + at), (const void *)(from + away), bytes, b);
        else
            cuda::memcpy_async(block, to + at, from + away, (size_t)bytes, wide);
        b.arrive_and_wait();
        wide.arrive_and_wait();
        bool good = true;
        for (int k = t; k < 1024; k += T) good &= to[k] == (k >= at && k < at + bytes ? from[k - at + away] : 0);
        right[t] += good;
        __syncthreads();
    }
    // Promised alignments; elements; and a thread for itself.
    const Four *fours = (const Four *)from;
    Four *box = (Four *)to;
    cuda::memcpy_async(block, box, fours, 32 * sizeof(Four), b);
    cuda::memcpy_async(block, (int *)(box + 32), (const int *)(fours + 32), cuda::aligned_size_t<4>(36), b);
    cuda::memcpy_async(block, (void *)(to + 552), (const void *)(from + 552), cuda::aligned_size_t<8>(40), b);
    if (t < 8) {
        cuda::memcpy_async((int *)to + 160 + t, (const int *)from + 160 + t, sizeof(int), b);
        cuda::memcpy_async((void *)(box + 44 + t), (const void *)(fours + 44 + t), cuda::aligned_size_t<16>(16), b);
    }
    b.arrive_and_wait();
    bool good = true;
    for (int k = t; k < 832; k += T)
        if (k < 512 + 36 || (k >= 552 && k < 592) || (k >= 640 && k < 672) || k >= 704) good &= to[k] == from[k];
    right[t] += good;
}

// --- pipelines -------------------------------------------------------------------------------------------------------
enum { PARTS = 7, STAGES = 3 };
enum How { ALL, COUNT, ROLE };

template <How how> __global__ void piped(const int *from, int *right)
{
    auto block = cg::this_thread_block();
    __shared__ int box[STAGES][T];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const int t = threadIdx.x;
    right[t] = 0;
    for (int again = 0; again < 2; again++) {
        const bool produces = how == ALL || (how == COUNT ? t < 32 : t % 3 == 1), consumes = how == ALL || !produces;
        auto pipe = [&] {
            if constexpr (how == ALL) return cuda::make_pipeline(block, &state);
            if constexpr (how == COUNT) return cuda::make_pipeline(block, &state, size_t{32});
            return cuda::make_pipeline(
                block, &state, t % 3 == 1 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
        }();
        int ahead = 0;
        const auto put = [&] {
            pipe.producer_acquire();
            int *to = box[ahead % STAGES];
            if (how == ALL)
                cuda::memcpy_async(block, to, from + ahead * T, sizeof box[0], pipe);
            else if (how == COUNT)
                cuda::memcpy_async(to + 3 * t, from + ahead * T + 3 * t, cuda::aligned_size_t<4>(12), pipe);
            else
                for (int k = t - 1; k < t + 2; k++)
                    cuda::memcpy_async((void *)(to + k), (const void *)(from + ahead * T + k), sizeof(int), pipe);
            pipe.producer_commit();
            ahead++;
        };
        const auto take = [&](int part) {
            if (part == 0)
                pipe.consumer_wait();
            else if (part == 1)
                while (!pipe.consumer_wait_for(20us)) {}
            else
                while (!pipe.consumer_wait_until(cuda::std::chrono::high_resolution_clock::now() + 20us)) {}
            bool good = true;
            for (int k = 0; k < T; k++) good &= box[part % STAGES][k] == from[part * T + k];
            right[t] += good;
            pipe.consumer_release();
        };
        for (int part = 0; part < PARTS; part++) {
            while (produces && ahead < PARTS && ahead < (how == ALL ? part + STAGES : PARTS)) put();
            if (consumes) take(part);
        }
        __shared__ int last;
        if (t == 0) last = 0;
        __syncthreads();
        if (pipe.quit()) atomicAdd(&last, 1);
        __syncthreads();
        right[t] += last == 1;
    }
    if (how == COUNT ? t < 32 : how == ROLE && t % 3 == 1) right[t] += 2 * PARTS;
}

// A grid's pipeline in global memory, whose stages are filled by plain copies, too.
__global__ void grid(cuda::pipeline_shared_state<cuda::thread_scope_device, 2> *state, const int *from, int *box,
                     int *right)
{
    auto all = cg::this_grid();
    auto pipe = cuda::make_pipeline(all, state);
    const int t = (int)all.thread_rank(), n = (int)all.size();
    right[t] = 0;
    for (int part = 0; part < PARTS; part++) {
        pipe.producer_acquire();
        cuda::memcpy_async(all, box + part % 2 * n, from + part * n, n * sizeof(int), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        right[t] += box[part % 2 * n + n - 1 - t] == from[part * n + n - 1 - t];
        pipe.consumer_release();
    }
}

// A thread's own; and its copies, waited for at a barrier.
__global__ void alone(const int *from, int *right)
{
    __shared__ int box[PARTS][T];
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    const int t = threadIdx.x;
    if (t == 0) init(&b, T);
    __syncthreads();
    auto pipe = cuda::make_pipeline();
    for (int k = 0; k < PARTS; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&box[k][t], from + k * T + t, sizeof(int), pipe);
        pipe.producer_commit();
    }
    right[t] = 0;
    for (int k = 0; k < 3; k++) {
        if (k == 1)
            right[t] += pipe.consumer_wait_for(1us);
        else
            pipe.consumer_wait();
        right[t] += box[k][t] == from[k * T + t];
        pipe.consumer_release();
    }
    cuda::pipeline_consumer_wait_prior<2>(pipe);
    right[t] += box[PARTS - 3][t] == from[(PARTS - 3) * T + t];
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    right[t] += box[PARTS - 1][t] == from[(PARTS - 1) * T + t];
    __syncthreads();
    cuda::memcpy_async(&box[0][t], from + T + t, cuda::aligned_size_t<4>(4), pipe);
    cuda::pipeline_producer_commit(pipe, b);
    b.arrive_and_wait();
    right[t] += box[0][T - 1 - t] == from[T + T - 1 - t];
    right[t] += pipe.quit();
}

static void on_host()
{
    cuda::barrier<cuda::thread_scope_block> b(3);
    auto token = b.arrive(2);
    CHECK(!b.try_wait_parity(false));
    b.arrive_and_drop();
    CHECK(b.try_wait_parity(false));
    b.wait(std::move(token));
    char to[5], from[5] = "four";
    cuda::memcpy_async(to, from, sizeof to, b);
    CHECK(to[3] == 'r' && to[4] == 0);
    b.wait(b.arrive(2));
    int ended = 0;
    auto end = [&ended] { ended++; };
    cuda::barrier<cuda::thread_scope_system, decltype(end)> e(1, end);
    e.arrive_and_wait();
    e.arrive_and_wait();
    CHECK(ended == 2);
    cuda::std::barrier<> s(1);
    s.arrive_and_wait();
}

// Each of n threads must have found so many things right.
static void found(int line, int *right, int n, int each)
{
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < n; t++) {
        check(line, right[t] == each);
        right[t] = 0;
    }
}

int main()
{
    using Block = cuda::barrier<cuda::thread_scope_block>;
    using Device = cuda::barrier<cuda::thread_scope_device>;
    using System = cuda::barrier<cuda::thread_scope_system>;
    static_assert(sizeof(Block) == 8 && std::is_trivially_default_constructible<Block>::value, "a word");
    static_assert(sizeof(System) == 8 && std::is_trivially_destructible<System>::value, "a word");
    int *right = shared_array<int>(4 * T), *box = shared_array<int>(4 * T);
    in_shared<cuda::thread_scope_block><<<1, T>>>(right);
    found(__LINE__, right, T, TURNS);
    in_shared<cuda::thread_scope_device><<<1, T>>>(right);
    found(__LINE__, right, T, TURNS);
    in_shared<cuda::thread_scope_system><<<1, T>>>(right);
    found(__LINE__, right, T, TURNS);
    void *word = shared_array<uint64_t>(2);
    in_global<<<1, T>>>(new (word) Block(T), box, right);
    found(__LINE__, right, T, TURNS);
    in_global<<<2, T>>>(new (word) Device(2 * T), box, right);
    found(__LINE__, right, 2 * T, TURNS);
    in_global<<<2, T>>>(new (word) System(2 * T), box, right);
    found(__LINE__, right, 2 * T, TURNS);
    completes<<<1, T>>>(right);
    found(__LINE__, right, T, TURNS);
    leave<<<1, T>>>((Block *)word, right);
    MUST(cudaDeviceSynchronize());
    right[0] -= 2 * 4;
    found(__LINE__, right, T, 2);

    int *from = shared_array<int>(PARTS * 2 * T);
    for (int k = 0; k < PARTS * 2 * T; k++) from[k] = (k + 1) * 0x01030507;
    copies<<<1, T>>>((const char *)from, right);
    found(__LINE__, right, T, 21);
    piped<ALL><<<1, T>>>(from, right);
    found(__LINE__, right, T, 2 * PARTS + 2);
    piped<COUNT><<<1, T>>>(from, right);
    found(__LINE__, right, T, 2 * PARTS + 2);
    piped<ROLE><<<1, T>>>(from, right);
    found(__LINE__, right, T, 2 * PARTS + 2);
    auto *state = (cuda::pipeline_shared_state<cuda::thread_scope_device, 2> *)shared_array<uint64_t>(6);
    static_assert(sizeof *state == 48, "in what was allocated");
    void *args[] = {&state, &from, &box, &right};
    MUST(cudaLaunchCooperativeKernel((void *)grid, dim3(2), dim3(T), args, 0, nullptr));
    found(__LINE__, right, 2 * T, PARTS);
    alone<<<1, T>>>(from, right);
    found(__LINE__, right, T, 8);
    on_host();
    return verdict();
}
