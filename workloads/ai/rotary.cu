// rotary: turns pairs of elements of each head by an angle that grows with the position (Su et al. 2021, RoPE). Element
// i of a head pairs with element i + dim / 2. Cosines and sines come from a table, a row for each position.
#include "cuda.h"

// A block has a position, its threads the pairs of all its heads.
extern "C" __global__ void rotary(int heads, int dim, const float *cosines, const float *sines, float *x) {
    const int half = dim / 2, pairs = heads * half;
    x += (size_t)blockIdx.x * heads * dim;
    cosines += (size_t)blockIdx.x * half, sines += (size_t)blockIdx.x * half;
    for (int n = threadIdx.x; n < pairs; n += blockDim.x) {
        const int i = n % half;
        float *a = x + n / half * dim + i, *b = a + half;
        const float c = cosines[i], s = sines[i], u = *a, v = *b;
        *a = u * c - v * s;
        *b = v * c + u * s;
    }
}
