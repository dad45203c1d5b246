// rows.h: what softmax, rmsnorm and topk share: a block has a row, and its warps put together what each has found.
#ifndef WORKLOADS_AI_ROWS_H
#define WORKLOADS_AI_ROWS_H

#include "tensor.h"

struct Max {
    FN float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
    FN float of(float a, float b) { return a + b; }
};

// All threads get the result. nothing: what changes no result.
template <class Op> FN float over_block(float x, float nothing, float *warps)
{
    const int lane = threadIdx.x % 32;
    for (int d = 16; d; d /= 2) x = Op::of(x, __shfl_xor_sync(~0u, x, d));
    __syncthreads();  // the last result was read
    if (lane == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = lane < blockDim.x / 32 ? warps[lane] : nothing;
    for (int d = 16; d; d /= 2) x = Op::of(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

#endif
