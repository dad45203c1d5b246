// backprop: a step of training of a network with n input units and one hidden layer of 16. Rodinia's definition: a
// 16x16 block has 16 input units (y) and the 16 hidden units (x). layerforward multiplies the block's inputs and
// weights in shared memory and sums them by halves; adjust_weights then moves the weights. Row 0 and column 0 of the
// weights, and element 0 of the vectors, belong to the units' thresholds.
#include "cuda.h"

#define UNITS 16

// Where this thread's weight is, in a matrix with rows of hidden + 1 weights.
static __device__ __forceinline__ int weight_of(int hidden) {
    return (hidden + 1) * (UNITS * blockIdx.y + threadIdx.y + 1) + threadIdx.x + 1;
}

// As in Rodinia, the sums overwrite the weights, which the host therefore copies to the device again.
extern "C" __global__ void layerforward(int hidden, const float *input, float *weights, float *partial) {
    __shared__ float node[UNITS], product[UNITS][UNITS];
    const int tx = threadIdx.x, ty = threadIdx.y, at = weight_of(hidden);
    if (tx == 0) node[ty] = input[UNITS * blockIdx.y + ty + 1];
    __syncthreads();
    product[ty][tx] = weights[at];
    __syncthreads();
    product[ty][tx] *= node[ty];
    __syncthreads();
    for (int half = 1; half < UNITS; half *= 2) {
        if (ty % (2 * half) == 0) product[ty][tx] += product[ty + half][tx];
        __syncthreads();
    }
    weights[at] = product[ty][tx];
    __syncthreads();
    if (tx == 0) partial[hidden * blockIdx.y + ty] = product[tx][ty];
}

// As in Rodinia, the change is computed twice. The store to weights may have changed the other arrays, as far as the
// compiler knows, so that it reads them twice, too.
extern "C" __global__ void adjust_weights(int hidden, float rate, float momentum, const float *delta,
                                          const float *input, float *weights, float *change) {
    const int at = weight_of(hidden), x = threadIdx.x + 1, y = UNITS * blockIdx.y + threadIdx.y + 1;
    weights[at] += rate * delta[x] * input[y] + momentum * change[at];
    change[at] = rate * delta[x] * input[y] + momentum * change[at];
    __syncthreads();
    if (threadIdx.y == 0 && blockIdx.y == 0) {
        weights[x] += rate * delta[x] + momentum * change[x];
        change[x] = rate * delta[x] + momentum * change[x];
    }
}
