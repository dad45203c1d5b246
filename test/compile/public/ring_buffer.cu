// A queue between blocks: producers and consumers take tickets, each slot tells whose turn it is; locks by atomicCAS.
#include <climits>
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

template <typename T, unsigned SIZE> class RingBuffer
{
    static_assert((SIZE & (SIZE - 1)) == 0, "SIZE has to be a power of two");
    struct Slot {
        volatile unsigned turn;
        T item;
    };
    Slot slots[SIZE];
    unsigned head, tail;

  public:
    __host__ void reset()
    {
        head = tail = 0;
        for (unsigned k = 0; k < SIZE; ++k) slots[k].turn = k;
    }
    __device__ void push(const T &item)
    {
        const unsigned ticket = atomicAdd(&tail, 1);
        Slot &s = slots[ticket % SIZE];
        while (s.turn != ticket) __nanosleep(20);
        s.item = item;
        __threadfence();
        s.turn = ticket + 1;
    }
    __device__ T pop()
    {
        const unsigned ticket = atomicInc(&head, UINT_MAX);
        Slot &s = slots[ticket % SIZE];
        while (s.turn != ticket + 1)
            ;
        __threadfence();
        T item = *const_cast<T *>(&s.item);
        __threadfence();
        s.turn = ticket + SIZE;
        return item;
    }
};

struct Lock {
    int *mutex;
    Lock(void)
    {
        int state = 0;
        cudaMalloc((void **)&mutex, sizeof(int));
        cudaMemcpy(mutex, &state, sizeof(int), cudaMemcpyHostToDevice);
    }
    ~Lock(void) { cudaFree(mutex); }
    __device__ void lock(void)
    {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
    }
    __device__ void unlock(void)
    {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

struct Item {
    int from, value;
};
using Buffer = RingBuffer<Item, 8>;

__global__ void exchange(Buffer *buffer, int producers, int per, long long *sums, int *last, int *disorder)
{
    if (threadIdx.x) return;
    if (blockIdx.x < producers) {
        for (int k = 0; k < per; ++k) buffer->push({static_cast<int>(blockIdx.x), k});
    } else {
        for (int k = 0; k < per; ++k) {
            const Item item = buffer->pop();
            atomicAdd(reinterpret_cast<unsigned long long *>(sums + item.from), item.value);
            if (atomicMax(last + item.from, item.value) >= item.value) atomicAdd(disorder, 1);
        }
    }
}
__global__ void locked_sum(int *mutex_of, double *total, Lock lock, cuda::atomic<int, cuda::thread_scope_device> *count)
{
    if (threadIdx.x == 0) {
        lock.lock();
        *total += 1.0 / (1 << blockIdx.x % 4);
        lock.unlock();
    }
    count->fetch_add(1, cuda::std::memory_order_relaxed);
}

int main()
{
    const int producers = 3, per = 25;
    Buffer *buffer;
    long long *sums;
    int *last, *disorder;
    cudaMallocManaged(&buffer, sizeof *buffer);
    cudaMallocManaged(&sums, producers * sizeof *sums);
    cudaMallocManaged(&last, producers * sizeof *last);
    cudaMallocManaged(&disorder, sizeof *disorder);
    buffer->reset();
    for (int p = 0; p < producers; ++p) sums[p] = 0, last[p] = -1;
    *disorder = 0;
    exchange<<<2 * producers, 32>>>(buffer, producers, per, sums, last, disorder);
    cudaError_t status = cudaDeviceSynchronize();
    bool ok = status == cudaSuccess;
    for (int p = 0; ok && p < producers; ++p) ok = sums[p] == per * (per - 1) / 2 && last[p] == per - 1;
    std::cout << producers * per << " items, " << *disorder << " overtook, " << cudaGetErrorString(status) << std::endl;

    double *total;
    cuda::atomic<int, cuda::thread_scope_device> *count;
    cudaMallocManaged(&total, sizeof *total);
    cudaMallocManaged(&count, sizeof *count);
    new (count) cuda::atomic<int, cuda::thread_scope_device>(0);
    *total = 0;
    {
        Lock lock;
        locked_sum<<<16, 32>>>(lock.mutex, total, lock, count);
        ok &= cudaDeviceSynchronize() == cudaSuccess;
    }
    ok &= *total == 4 * 1.875 && count->load() == 16 * 32;
    std::cout << *total << " under the lock, " << count->load() << " counted\n" << (ok ? "PASSED" : "FAILED") << '\n';
    return !ok;
}
