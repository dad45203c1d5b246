// dct8x8: the discrete cosine transform of a picture's 8x8 blocks, the rounding of its coefficients, and the inverse
// transform, as JPEG has them. CUDA SDK, dct8x8, the first of its versions: 8x8 threads have a block of the picture,
// and each makes one coefficient. The picture is a texture, and the cosines are in constant memory. The SDK transforms
// first columns, then rows, and keeps the block between them in shared memory. Here a thread transforms all columns
// itself, as far as its own coefficient needs them, and shared memory isn't used.
#include "cuda.h"

#define SIDE 8

// basis[SIDE * k + i]: what value i counts for in coefficient k.
__constant__ float basis[SIDE * SIDE];
__constant__ float steps[SIDE * SIDE];  // of the coefficients

// Element (x, y) of the result is the sum of all elements (j, i) of the block, times factor(y, i) · factor(x, j).
// factor(k, i) is basis[K * k + I * i].
template <int K, int I>
static __device__ __forceinline__ void transform(int width, cudaTextureObject_t from, float *to) {
    const int left = SIDE * blockIdx.x, top = SIDE * blockIdx.y, x = threadIdx.x, y = threadIdx.y;
    const float texel_x = left + 0.5f, texel_y = top + 0.5f;  // the middle of the first texel
    float sum = 0;
#pragma unroll
    for (int j = 0; j < SIDE; j++) {
        float column = 0;
#pragma unroll
        for (int i = 0; i < SIDE; i++)
            column += basis[K * y + I * i] * tex2D<float>(from, texel_x + j, texel_y + i);
        sum += basis[K * x + I * j] * column;
    }
    to[(top + y) * width + left + x] = sum;
}

extern "C" __global__ void dct(int width, cudaTextureObject_t pixels, float *coefficients) {
    transform<SIDE, 1>(width, pixels, coefficients);
}

extern "C" __global__ void idct(int width, cudaTextureObject_t coefficients, float *pixels) {
    transform<1, SIDE>(width, coefficients, pixels);
}

// Each coefficient becomes the nearest multiple of its step.
extern "C" __global__ void quantize(int width, float *coefficients) {
    const int x = SIDE * blockIdx.x + threadIdx.x, y = SIDE * blockIdx.y + threadIdx.y;
    const float step = steps[SIDE * threadIdx.y + threadIdx.x];
    float *c = coefficients + y * width + x;
    *c = rintf(*c / step) * step;
}
