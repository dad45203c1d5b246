// Atomic functions of each kind and type, in global and in shared memory, of a block, the device and the system. Sums
// of integers, and of floats that are exact, don't depend on the order.
#include "check.cuh"

#include <climits>

struct Out {
    int add, sub, min, max, exchange, bits_and, bits_or, bits_xor, lock;
    unsigned inc, dec, umax;
    unsigned long long add64, or64, cas64;
    long long min64;
    float addf;
    double addd;
};

template <typename T> __device__ void multiply(T *at, T by)
{
    T old = *at, seen;
    do seen = old, old = atomicCAS(at, seen, seen * by);
    while (seen != old);
}

__device__ void all(Out *o, int t)
{
    atomicAdd(&o->add, t), atomicSub(&o->sub, 2), atomicMin(&o->min, 50 - t), atomicMax(&o->max, t * 3);
    atomicExch(&o->exchange, 77), atomicAnd(&o->bits_and, ~(1 << t % 20)), atomicOr(&o->bits_or, 1 << t % 20);
    atomicXor(&o->bits_xor, t), atomicInc(&o->inc, 9), atomicDec(&o->dec, 9), atomicMax(&o->umax, ~0u - t);
    atomicAdd(&o->add64, 1ull << 33), atomicOr(&o->or64, 1ull << t % 64), atomicMin(&o->min64, -(long long)t << 34);
    atomicAdd(&o->addf, 0.25f), atomicAdd(&o->addd, t * 0.5);
    if (t < 20) multiply(&o->cas64, 3ull);
    atomicAdd_block(&o->lock, 1), atomicAdd_system(&o->lock, 1);
}

__global__ void work(Out *global, Out *out)
{
    __shared__ Out mine;
    int t = threadIdx.x;
    if (!t) mine = *global, mine.lock = 0;
    __syncthreads();
    all(&mine, t);
    all(global, t);
    __syncthreads();
    if (!t) out[blockIdx.x] = mine;
}

int main()
{
    enum { T = 128 };
    Out *global = shared_array<Out>(1), *out = shared_array<Out>(1);
    global->min = 1000, global->bits_and = -1, global->cas64 = 1, global->min64 = LLONG_MAX;
    work<<<1, T>>>(global, out);
    MUST(cudaDeviceSynchronize());
    int bits = 0;
    unsigned dec = 0;
    for (int t = 0; t < T; t++) bits ^= t, dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    for (const Out *o : {global, out}) {
        CHECK(o->add == T * (T - 1) / 2 && o->sub == -2 * T && o->min == 51 - T && o->max == 3 * (T - 1));
        CHECK(o->exchange == 77 && o->bits_and == ~0xfffff && o->bits_or == 0xfffff && o->bits_xor == bits);
        CHECK(o->inc == T % 10 && o->dec == dec && o->umax == ~0u);
        CHECK(o->add64 == (unsigned long long)T << 33 && o->or64 == ~0ull && o->cas64 == 3486784401ull);
        CHECK(o->min64 == -(long long)(T - 1) << 34 && o->addf == T * 0.25f && o->addd == T * (T - 1) / 4.0);
        CHECK(o->lock == 2 * T);
    }
    return verdict();
}
