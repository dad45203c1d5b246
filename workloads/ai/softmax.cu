// softmax: each row of a matrix becomes exp(x - max) / sum. A block of 256 threads has a row.
#include "rows.h"

extern "C" __global__ void softmax(int columns, const float *x, float *y) {
    __shared__ float warps[32];
    x += (size_t)blockIdx.x * columns, y += (size_t)blockIdx.x * columns;
    float most = -__builtin_inff(), sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, x[i]);
    most = over_block<Max>(most, -__builtin_inff(), warps);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += __expf(x[i] - most);
    const float by = 1 / over_block<Sum>(sum, 0, warps);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = __expf(x[i] - most) * by;
}
