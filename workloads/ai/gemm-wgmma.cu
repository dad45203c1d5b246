// gemm-wgmma: C = A B of f16 with sums of f32. One warp has boxes of A and B copied into a ring of stages; two
// warpgroups multiply them, each 64 of the 128 rows of the block's tile. A is stored by rows and B by columns.
// ptx: 8.0 sm_90a
#include "hopper.h"

enum { TILE = 128, DEEP = 64, HALF = TILE * DEEP * 2, STAGE = 2 * HALF, WARPS = 8 };

__constant__ TensorMap map_a, map_b;
extern __shared__ __align__(1024) char shared[];

FN void produce(uint2 tile, uint steps, uint stages, uint tiles, uint full, uint empty)
{
    uint s = 0, round = 0;
    for (uint k = 0; k < steps; k++) {
        if (round) barrier_wait(empty + 8 * s, (round - 1) & 1);
        barrier_expect(full + 8 * s, STAGE);
        copy_box(tiles + s * STAGE, &map_a, k * DEEP, tile.y * TILE, full + 8 * s);
        copy_box(tiles + s * STAGE + HALF, &map_b, k * DEEP, tile.x * TILE, full + 8 * s);
        if (++s == stages) s = 0, round++;
    }
}

// A stage is given back when the next one's products are under way, or at once where there is only one.
FN void multiply(float (&sums)[64], uint steps, uint stages, uint tiles, uint full, uint empty)
{
    const uint group = threadIdx.x / 128, lane = threadIdx.x % 32;
    uint s = 0, parity = 0, last = 0;
    for (uint k = 0; k < steps; k++) {
        barrier_wait(full + 8 * s, parity);
        const uint a = tiles + s * STAGE + group * (HALF / 2), b = tiles + s * STAGE + HALF;
        product_fence();
#pragma unroll
        for (uint i = 0; i < DEEP / 16; i++)
            product(sums, matrix(a + 32 * i, 16), matrix(b + 32 * i, 16), k + i);
        product_commit();
        if (stages == 1) {
            product_wait<0>(sums);
            if (!lane) barrier_arrive(empty);
        } else {
            product_wait<1>(sums);
            if (k && !lane) barrier_arrive(empty + 8 * last);
        }
        last = s;
        if (++s == stages) s = 0, parity ^= 1;
    }
    product_wait<0>(sums);
}

extern "C" __global__ void __launch_bounds__(288) gemm_wgmma(int m, int n, int k, int stages, float *c) {
    const uint tiles = at(shared), full = tiles + stages * STAGE, empty = full + 8 * stages;
    const uint warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint2 tile = tile_of_block(m / TILE, n / TILE);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; s++) barrier_init(full + 8 * s, 1), barrier_init(empty + 8 * s, WARPS);
        barrier_fence();
    }
    __syncthreads();
    if (warp == WARPS) {
        if (lane == 0) produce(tile, k / DEEP, stages, tiles, full, empty);
        return;
    }
    float sums[64];
#pragma unroll
    for (int i = 0; i < 64; i++) sums[i] = 0;
    multiply(sums, k / DEEP, stages, tiles, full, empty);
    c += (size_t)(tile.y * TILE + warp * 16 + lane / 4) * n + tile.x * TILE + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 32; i++) store2(&c[(size_t)(i % 2 * 8) * n + i / 2 * 8], sums[2 * i], sums[2 * i + 1]);
}
