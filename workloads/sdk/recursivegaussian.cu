// recursivegaussian: a picture is blurred by a recursive filter, which takes as long for a wide blur as for a narrow
// one (Deriche). CUDA SDK's definition: a thread filters a column. It goes down the column and writes the share of the
// pixel itself and of those above, then it goes up and adds the share of those below. transpose makes columns of rows,
// by tiles of 16x16 pixels in shared memory; the same filter then goes over them, and the result is transposed back.
#include "cuda.h"

#define TILE 16

// Four channels of a byte each, as numbers of [0, 1].
struct Pixel {
    float c[4];
    __device__ __forceinline__ Pixel(unsigned bytes) {
#pragma unroll
        for (int k = 0; k < 4; k++) c[k] = (bytes >> 8 * k & 255) * (1 / 255.0f);
    }
    __device__ __forceinline__ unsigned bytes() const {
        unsigned all = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) all |= (unsigned)(__saturatef(c[k]) * 255) << 8 * k;
        return all;
    }
};
static __device__ __forceinline__ Pixel operator*(float f, Pixel p) {
#pragma unroll
    for (int k = 0; k < 4; k++) p.c[k] *= f;
    return p;
}
static __device__ __forceinline__ Pixel operator+(Pixel p, Pixel q) {
#pragma unroll
    for (int k = 0; k < 4; k++) p.c[k] += q.c[k];
    return p;
}

// Going down, a result is a0 and a1 times this pixel and the one above, less b1 and b2 times the two results above.
// Going up, it is a2 and a3 times the two pixels below, less b1 and b2 times the two results below. `above` times a
// pixel is the result where all pixels so far are the same, `below` likewise.
extern "C" __global__ void recursivegaussian(int width, int height, float a0, float a1, float a2, float a3, float b1,
                                             float b2, float above, float below, const unsigned *from, unsigned *to) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    from += x;
    to += x;
    Pixel p1 = *from, r1 = above * p1, r2 = r1;  // the picture goes on above as its first row
    for (int y = 0; y < height; y++) {
        const Pixel p0 = *from, r0 = a0 * p0 + a1 * p1 + -b1 * r1 + -b2 * r2;
        *to = r0.bytes();
        from += width;
        to += width;
        p1 = p0;
        r2 = r1;
        r1 = r0;
    }
    from -= width;
    to -= width;
    Pixel p2 = *from;  // and below as its last row
    p1 = p2;
    r1 = r2 = below * p1;
    for (int y = 0; y < height; y++) {
        const Pixel p0 = *from, r0 = a2 * p1 + a3 * p2 + -b1 * r1 + -b2 * r2;
        *to = (Pixel(*to) + r0).bytes();
        from -= width;
        to -= width;
        p2 = p1;
        p1 = p0;
        r2 = r1;
        r1 = r0;
    }
}

// to[width][height] = from[height][width]. A row of the tile has a word more than pixels: so a column of the tile is
// in different banks.
extern "C" __global__ void transpose(int width, int height, const unsigned *from, unsigned *to) {
    __shared__ unsigned tile[TILE][TILE + 1];
    const int left = blockIdx.x * TILE, top = blockIdx.y * TILE, tx = threadIdx.x, ty = threadIdx.y;
    if (left + tx < width && top + ty < height) tile[ty][tx] = from[(top + ty) * width + left + tx];
    __syncthreads();
    if (top + tx < height && left + ty < width) to[(left + ty) * height + top + tx] = tile[tx][ty];
}
