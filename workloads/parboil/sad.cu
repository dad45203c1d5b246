// sad: sums of absolute differences, which the search for motion in H.264 starts from. A frame consists of macroblocks
// of 16x16 pixels. Each is compared with the frame before at 33x33 positions, up to 16 pixels away across and down. A
// SAD is the sum of the differences of a block's pixels at one position. It is wanted for blocks of seven sizes, from
// 16x16 down to 4x4. Parboil's definition: sad_4x4 computes the SADs of the 4x4 blocks, 61 threads for a block; sad_8x8
// and sad_16x16 add them up to larger blocks. The frame before is a texture, which goes on beyond its edges with the
// pixels there. Parboil keeps the 4x4 pixels and their SADs in shared memory. Here the pixels are in registers, and the
// SADs are written at once.
#include "cuda.h"

#define RANGE 16
#define ACROSS (2 * RANGE + 1)  // positions in a row, and rows
#define POSITIONS (ACROSS * ACROSS)
#define PADDED 1096                  // room for the SADs of a block, a multiple of 8 bytes
#define TRIPLES_ACROSS (ACROSS / 3)  // a triple is three positions side by side
#define TRIPLES (POSITIONS / 3)
#define SIDE 4
#define THREADS 61  // of a block of sad_4x4: six triples each

typedef unsigned short ushort;

// Where a macroblock's SADs for one size of blocks begin. The sizes follow one another, and in each the macroblocks do.
// A macroblock has `count` blocks of this size, and `before` blocks of the sizes before it.
static __device__ __forceinline__ int part(int macroblocks, int macroblock, int before, int count) {
    return PADDED * (macroblocks * before + macroblock * count);
}

// blockIdx says which 4x4 block.
extern "C" __global__ void sad_4x4(const ushort *frame, cudaTextureObject_t last, ushort *sads) {
    const int x = SIDE * blockIdx.x, y = SIDE * blockIdx.y, width = SIDE * gridDim.x;
    const int macroblock = gridDim.x / 4 * (blockIdx.y / 4) + blockIdx.x / 4;
    sads += part(gridDim.x / 4 * (gridDim.y / 4), macroblock, 25, 16) +
            PADDED * (4 * (blockIdx.y % 4) + blockIdx.x % 4);
    int pixel[SIDE][SIDE];
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        const uint2 four = *(const uint2 *)(frame + (y + i) * width + x);
        pixel[i][0] = four.x & 0xffff;
        pixel[i][1] = four.x >> 16;
        pixel[i][2] = four.y & 0xffff;
        pixel[i][3] = four.y >> 16;
    }

    // A texel is read once for the three positions that need it. Rows are read there and back, which saves registers.
    for (int t = threadIdx.x; t < TRIPLES; t += THREADS) {
        const int row = t / TRIPLES_ACROSS, column = t % TRIPLES_ACROSS * 3;
        float texel_x = x - RANGE + column, texel_y = y - RANGE + row;
        int sum[3] = {0, 0, 0};
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            const bool back = i % 2;
#pragma unroll
            for (int n = 0; n < SIDE + 2; n++) {
                const int j = back ? SIDE + 1 - n : n, texel = tex2D<ushort>(last, texel_x, texel_y);
                if (n < SIDE + 1) texel_x += back ? -1 : 1;
#pragma unroll
                for (int k = 0; k < 3; k++)
                    if (j >= k && j < k + SIDE) sum[k] += abs(texel - pixel[i][j - k]);
            }
            texel_y += 1;
        }
#pragma unroll
        for (int k = 0; k < 3; k++) sads[3 * t + k] = sum[k];
    }
}

// blockIdx says which macroblock; each row of 32 threads has one of its four 8x8 blocks. A thread adds the SADs of two
// neighbouring positions at a time, as the halves of one number: they don't overflow.
extern "C" __global__ void sad_8x8(ushort *sads) {
    const int macroblocks = gridDim.x * gridDim.y, macroblock = gridDim.x * blockIdx.y + blockIdx.x;
    const int x = threadIdx.y % 2, y = threadIdx.y / 2;
    const uint *of_4x4 = (uint *)(sads + part(macroblocks, macroblock, 25, 16) + PADDED * (8 * y + 2 * x));
    uint *to_4x8 = (uint *)(sads + part(macroblocks, macroblock, 17, 8) + PADDED * (4 * y + 2 * x));
    uint *to_8x4 = (uint *)(sads + part(macroblocks, macroblock, 9, 8) + PADDED * (4 * y + x));
    uint *to_8x8 = (uint *)(sads + part(macroblocks, macroblock, 5, 4) + PADDED * (2 * y + x));
    for (int i = threadIdx.x; i < (POSITIONS + 1) / 2; i += blockDim.x) {
        const uint a = of_4x4[i], b = of_4x4[PADDED / 2 + i];                       // the upper two
        const uint c = of_4x4[4 * PADDED / 2 + i], d = of_4x4[5 * PADDED / 2 + i];  // the lower two
        to_4x8[i] = a + c;
        to_4x8[PADDED / 2 + i] = b + d;
        to_8x4[i] = a + b;
        to_8x4[2 * PADDED / 2 + i] = c + d;
        to_8x8[i] = (a + b) + (c + d);
    }
}

// blockIdx says which macroblock.
extern "C" __global__ void sad_16x16(ushort *sads) {
    const int macroblocks = gridDim.x * gridDim.y, macroblock = gridDim.x * blockIdx.y + blockIdx.x;
    const uint *of_8x8 = (uint *)(sads + part(macroblocks, macroblock, 5, 4));
    uint *to_8x16 = (uint *)(sads + part(macroblocks, macroblock, 3, 2));
    uint *to_16x8 = (uint *)(sads + part(macroblocks, macroblock, 1, 2));
    uint *to_16x16 = (uint *)(sads + part(macroblocks, macroblock, 0, 1));
    for (int i = threadIdx.x; i < (POSITIONS + 1) / 2; i += blockDim.x) {
        const uint a = of_8x8[i], b = of_8x8[PADDED / 2 + i];
        const uint c = of_8x8[2 * PADDED / 2 + i], d = of_8x8[3 * PADDED / 2 + i];
        to_8x16[i] = a + c;
        to_8x16[PADDED / 2 + i] = b + d;
        to_16x8[i] = a + b;
        to_16x8[PADDED / 2 + i] = c + d;
        to_16x16[i] = (a + b) + (c + d);
    }
}
