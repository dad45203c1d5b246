// gemm-mma: C = A B of f16 with sums of f32, by mma.sync, ldmatrix and a pipeline of cp.async (tile.h).
// ptx: 7.0 sm_80
#include "tile.h"

extern "C" __global__ void __launch_bounds__(128)
    gemm_mma(int m, int n, int k, const char *a, const char *b, float *c) {
    __shared__ __align__(128) char tiles[STAGES * STAGE_BYTES];
    const uint2 tile = tile_of_block(m / TILE, n / TILE);
    const size_t row = tile.y * TILE, column = tile.x * TILE, pitch = (size_t)k * 2;
    float sums[4][8][4] = {};
    tile_product(sums, at(tiles), a + row * pitch, b + column * pitch, pitch);

    const uint warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    c += (row + warp / 2 * 64 + lane / 4) * n + column + warp % 2 * 64 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                store2(&c[(size_t)(16 * i + 8 * h) * n + 8 * j], sums[i][j][2 * h], sums[i][j][2 * h + 1]);
}
