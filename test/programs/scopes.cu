// cuda::atomic and what is made of it: orders and scopes, a lock, a semaphore, a latch, and a message from one block to
// another by release and acquire (CUDA C++ Programming Guide, "CUDA C++ Standard Library").
#include "check.cuh"

#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>

struct Shared {
    cuda::atomic<int, cuda::thread_scope_device> sum, ready;
    cuda::atomic<unsigned long long, cuda::thread_scope_system> wide;
    cuda::atomic<int, cuda::thread_scope_device> lock;
    int under_lock, message[64], seen;
    float most;
};

__global__ void count(Shared *s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    s->sum.fetch_add(t, cuda::memory_order_relaxed);
    s->wide.fetch_or(1ull << t % 64);
    cuda::atomic_ref<float, cuda::thread_scope_device>(s->most).fetch_max(t * 0.5f);
    if (threadIdx.x % 32 == 0) {
        while (s->lock.exchange(1, cuda::memory_order_acquire)) __nanosleep(20);
        s->under_lock += 3;
        s->lock.store(0, cuda::memory_order_release);
    }
}

__global__ void tell(Shared *s)
{
    if (blockIdx.x == 1) {
        s->message[threadIdx.x] = threadIdx.x * 11;
        __syncthreads();
        if (!threadIdx.x) s->ready.store(1, cuda::memory_order_release);
    } else {
        while (!s->ready.load(cuda::memory_order_acquire)) {
        }
        atomicAdd(&s->seen, s->message[63 - threadIdx.x]);
    }
}

__global__ void meet(int *out)
{
    using Latch = cuda::latch<cuda::thread_scope_block>;
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 2>;
    __shared__ alignas(16) char room[2][64];
    __shared__ int inside, most, done;
    Latch &all = *(Latch *)room[0];
    Semaphore &two = *(Semaphore *)room[1];
    if (!threadIdx.x) new (&all) Latch(blockDim.x), new (&two) Semaphore(2), inside = most = done = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        two.acquire();
        atomicMax(&most, atomicAdd(&inside, 1) + 1);
        __nanosleep(100);
        atomicAdd(&inside, -1);
        two.release();
        atomicAdd(&done, 1);
    }
    all.arrive_and_wait();
    if (!threadIdx.x) out[0] = most, out[1] = done;
}

int main()
{
    Shared *s = new (shared_array<long long>(sizeof(Shared) / 8 + 1)) Shared();
    int *out = shared_array<int>(2);
    count<<<5, 96>>>(s);
    tell<<<2, 64>>>(s);
    meet<<<1, 256>>>(out);
    MUST(cudaDeviceSynchronize());
    CHECK(s->sum.load() == 479 * 480 / 2);
    CHECK(s->wide.load() == ~0ull);
    CHECK(s->most == 479 * 0.5f);
    CHECK(s->under_lock == 3 * 15);
    CHECK(s->seen == 11 * 63 * 32);
    CHECK(out[0] >= 1 && out[0] <= 2 && out[1] == 8);
    return verdict();
}
