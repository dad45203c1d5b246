// matmul8: C = A B of s8 by mma.sync with sums of s32, scaled by a factor for each row of A and each column of B, as
// layers with weights and activations of 8 bits have it (tile.h has the main loop).
// ptx: 7.0 sm_80
#include "tile.h"

extern "C" __global__ void __launch_bounds__(128)
    matmul8(int m, int n, int k, const char *a, const char *b, const float *scale_a, const float *scale_b, float *c) {
    __shared__ __align__(128) char tiles[STAGES * STAGE_BYTES];
    const uint2 tile = tile_of_block(m / TILE, n / TILE);
    const size_t row = tile.y * TILE, column = tile.x * TILE;
    int sums[4][8][4] = {};
    tile_product(sums, at(tiles), a + row * k, b + column * k, k);

    const uint warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t top = row + warp / 2 * 64 + lane / 4, left = column + warp % 2 * 64 + lane % 4 * 2;
    scale_a += top, scale_b += left, c += top * n + left;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float s = scale_a[16 * i + 8 * h];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const float2 t = *(const float2 *)&scale_b[8 * j];
                store2(&c[(size_t)(16 * i + 8 * h) * n + 8 * j], sums[i][j][2 * h] * s * t.x,
                       sums[i][j][2 * h + 1] * s * t.y);
            }
        }
}
