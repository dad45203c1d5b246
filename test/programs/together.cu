// Atomics of system scope: a kernel and the host change the same words of managed memory at the same time, and none of
// what they do is lost (CUDA C++ Programming Guide, "Atomic Functions").
#include "check.cuh"

enum { BLOCKS = 40, T = 128, ROUNDS = 300, ALL = BLOCKS * T * ROUNDS };

__global__ void add(unsigned *x, unsigned long long *y)
{
    for (int k = 0; k < ROUNDS; k++) {
        atomicAdd_system(x, 3);
        atomicXor_system(x + 1, 1u << (threadIdx.x + k) % 32);
        atomicAdd_system(y, 1ull << 32);
        atomicInc_system(x + 2, 6);
    }
    atomicAdd_system(x + 3, 1);
}

int main()
{
    unsigned *x = shared_array<unsigned>(4), flips[32] = {}, right = 0, n = 0;
    unsigned long long *y = shared_array<unsigned long long>(1);
    add<<<BLOCKS, T>>>(x, y);
    for (; __atomic_load_n(x + 3, __ATOMIC_SEQ_CST) < BLOCKS * T; n++) {
        __atomic_fetch_add(x, 5u, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(x + 1, 1u << n % 32, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(y, 1ull, __ATOMIC_SEQ_CST);
        unsigned old = __atomic_load_n(x + 2, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n(x + 2, &old, (old + 1) % 7, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        }
    }
    MUST(cudaDeviceSynchronize());
    for (unsigned k = 0; k < n; k++) flips[k % 32] ^= 1;
    for (int k = 0; k < T * ROUNDS; k++) flips[(k / ROUNDS + k % ROUNDS) % 32] ^= BLOCKS & 1;
    for (int k = 0; k < 32; k++) right |= flips[k] << k;
    CHECK(x[0] == 3u * ALL + 5 * n);
    CHECK(x[1] == right);
    CHECK(*y == ((unsigned long long)ALL << 32) + n);
    CHECK(x[2] == (ALL % 7 + n % 7) % 7);
    return verdict();
}
