// rmsnorm: each row is divided by the root of its mean square and multiplied by weights, as layers of language models
// are normalised (Zhang and Sennrich 2019). A block of 256 threads has a row, and takes four elements at once.
#include "rows.h"

extern "C" __global__ void rmsnorm(int columns, float epsilon, const float4 *x, const float4 *weight, float4 *y) {
    __shared__ float warps[32];
    const int fours = columns / 4;
    x += (size_t)blockIdx.x * fours, y += (size_t)blockIdx.x * fours;
    float sum = 0;
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        const float4 v = x[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float by = rsqrtf(over_block<Sum>(sum, 0, warps) / columns + epsilon);
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        const float4 v = x[i], w = weight[i];
        y[i] = make_float4(v.x * by * w.x, v.y * by * w.y, v.z * by * w.z, v.w * by * w.w);
    }
}
