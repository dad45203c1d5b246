// topk: the k largest elements of each row in descending order, with their columns, as a sampler takes them of a
// model's logits; of equal ones the first come first. A block of 256 threads has a row. Keys of 64 bits are all
// different: the element's bits, in an order of unsigned numbers, over its column's complement. Counting them byte by
// byte, the highest first, finds the k-th largest (radix selection); those from it on are then sorted (bitonic).
#include "tensor.h"

#define MOST 1024

FN unsigned long long key_of(float x, uint column)
{
    const uint bits = __float_as_uint(x);
    return (unsigned long long)(bits >> 31 ? ~bits : bits | 0x80000000u) << 32 | ~column;
}

FN float value_of(unsigned long long key)
{
    const uint bits = (uint)(key >> 32);
    return __uint_as_float(bits >> 31 ? bits & 0x7fffffffu : ~bits);
}

// The least key that is among the k largest; less where a byte's count decides it early. volatile: clang 14 thinks that
// a barrier changes no variable whose address nobody has, and reads such a one before it.
FN unsigned long long kth_key(const float *x, int columns, int k, uint *counts, volatile unsigned long long *prefix,
                            volatile int *left)
{
    if (threadIdx.x == 0) *prefix = 0, *left = k;
    for (int shift = 56; shift >= 0; shift -= 8) {
        counts[threadIdx.x] = 0;
        __syncthreads();
        const unsigned long long known = *prefix, high = shift == 56 ? 0 : ~0ull << (shift + 8);
        const int need = *left;
        for (int i = threadIdx.x; i < columns; i += blockDim.x) {
            const unsigned long long key = key_of(x[i], i);
            if (((key ^ known) & high) == 0) atomicAdd(&counts[key >> shift & 255], 1u);
        }
        __syncthreads();
        uint above = 0;  // a thread for each value of the byte
        for (uint b = threadIdx.x + 1; b < 256; b++) above += counts[b];
        const uint mine = counts[threadIdx.x];
        if (above < (uint)need && above + mine >= (uint)need) {
            *prefix = known | (unsigned long long)threadIdx.x << shift;
            *left = need - above == mine ? 0 : need - above;
        }
        __syncthreads();
        if (*left == 0) break;
    }
    return *prefix;
}

extern "C" __global__ void __launch_bounds__(256)
    topk(int columns, int k, const float *x, float *values, uint *indices) {
    __shared__ unsigned long long keys[MOST];
    __shared__ volatile unsigned long long prefix;
    __shared__ uint counts[256], found;
    __shared__ volatile int left;
    x += (size_t)blockIdx.x * columns, values += (size_t)blockIdx.x * k, indices += (size_t)blockIdx.x * k;
    const unsigned long long least = kth_key(x, columns, k, counts, &prefix, &left);
    int size = 1;
    while (size < k) size *= 2;
    for (int i = threadIdx.x; i < size; i += blockDim.x) keys[i] = 0;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const unsigned long long key = key_of(x[i], i);
        if (key >= least) keys[atomicAdd(&found, 1u)] = key;
    }
    __syncthreads();
    for (int run = 2; run <= size; run *= 2)
        for (int d = run / 2; d; d /= 2) {
            for (int i = threadIdx.x; i < size; i += blockDim.x) {
                const int j = i ^ d;
                const unsigned long long a = keys[i], b = keys[j];
                if (j > i && (a < b) == ((i & run) == 0)) keys[i] = b, keys[j] = a;
            }
            __syncthreads();
        }
    for (int i = threadIdx.x; i < k; i += blockDim.x) values[i] = value_of(keys[i]), indices[i] = ~(uint)keys[i];
}
