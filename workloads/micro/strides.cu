// strides: each thread loads eight elements again and again, and lanes are a stride apart.
#include "cuda.h"

template <typename T> __device__ void rake(const T *a, T *out, int stride, int zero, int turns)
{
    T sum = 0;
    const T *at = a + (threadIdx.x % 64) * stride;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        at += zero;  // unknown to the compiler, which would keep the elements otherwise
        sum += at[0] * at[4];
        sum += at[8] * at[12];
        sum += at[20] * at[16];
        sum += at[24] * at[28];
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void strides_f32(const float *a, float *out, int stride, int zero, int turns)
{
    rake(a, out, stride, zero, turns);
}

extern "C" __global__ void strides_f64(const double *a, double *out, int stride, int zero, int turns)
{
    rake(a, out, stride, zero, turns);
}
