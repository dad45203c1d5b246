// tile.h: the main loop of gemm-mma and matmul8. Four warps make a tile of 128x128 sums, each a quarter of 64x64. A is
// stored by rows and B by columns, so both run along k; a stage holds 64 bytes of each of their 128 rows. Copies fill
// two stages while the third is multiplied.
#ifndef WORKLOADS_AI_TILE_H
#define WORKLOADS_AI_TILE_H

#include "tensor.h"

enum { TILE = 128, DEEP = 64, STAGES = 3, STAGE_BYTES = 2 * TILE * DEEP, TILE_THREADS = 128 };

// Where 16 bytes of a row lie. Two rows share the 128 bytes of the banks; the exclusive or puts the same chunk of eight
// rows into different banks, for ldmatrix.
FN uint tile_at(uint row, uint chunk) { return row * DEEP + (chunk ^ (row >> 1 & 3)) * 16; }

FN void tile_load(uint stage, const char *a, const char *b, size_t pitch)
{
    const uint chunk = threadIdx.x % 4;
#pragma unroll
    for (uint i = 0; i < 4; i++) {
        const uint row = threadIdx.x / 4 + 32 * i;
        copy_async(stage + tile_at(row, chunk), a + row * pitch + chunk * 16);
        copy_async(stage + TILE * DEEP + tile_at(row, chunk), b + row * pitch + chunk * 16);
    }
}

struct Fragments {
    uint a[4][4], b[4][4];
};

// 32 bytes along k.
FN void tile_read(Fragments &f, uint stage, uint k, uint top, uint left)
{
    const uint lane = threadIdx.x % 32;
#pragma unroll
    for (uint i = 0; i < 4; i++) {
        ldmatrix(f.a[i], stage + tile_at(top + 16 * i + lane % 16, 2 * k + lane / 16));
        ldmatrix(f.b[i], stage + TILE * DEEP + tile_at(left + 16 * i + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2));
    }
}

template <class T> FN void tile_multiply(T (&c)[4][8][4], const Fragments &f)
{
#pragma unroll
    for (uint i = 0; i < 4; i++)
#pragma unroll
        for (uint j = 0; j < 8; j++) mma(c[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
}

// a, b: the first rows of the block's tile; pitch: bytes of a row, a multiple of DEEP. While one half of a stage is
// multiplied, the next half is on its way to registers.
template <class T> FN void tile_product(T (&c)[4][8][4], uint shared, const char *a, const char *b, size_t pitch)
{
    const uint warp = threadIdx.x / 32, top = warp / 2 * 64, left = warp % 2 * 64;
    const int steps = pitch / DEEP;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) tile_load(shared + s * STAGE_BYTES, a + s * DEEP, b + s * DEEP, pitch);
        copy_commit();
    }
    uint full = 0, free = STAGES - 1;
    Fragments first, second;
    copy_wait<STAGES - 2>();
    __syncthreads();
    tile_read(first, shared, 0, top, left);
    for (int s = 0; s < steps; s++) {
        const int next = s + STAGES - 1;
        if (next < steps) tile_load(shared + free * STAGE_BYTES, a + next * DEEP, b + next * DEEP, pitch);
        copy_commit();
        tile_read(second, shared + full * STAGE_BYTES, 1, top, left);
        tile_multiply(c, first);
        free = full;
        full = full == STAGES - 1 ? 0 : full + 1;
        copy_wait<STAGES - 2>();
        __syncthreads();
        if (s + 1 < steps) tile_read(first, shared + full * STAGE_BYTES, 0, top, left);
        tile_multiply(c, second);
    }
}

#endif
