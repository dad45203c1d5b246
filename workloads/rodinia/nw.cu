// nw: the scores of the best alignments of all beginnings of two sequences. Needleman, Wunsch; Rodinia's definition: a
// block of 16 threads computes a tile of 16x16 scores in shared memory, an anti-diagonal at a time, from the row above,
// the column to the left and the letters' similarities. A launch has the tiles of one anti-diagonal: needle_grow in the
// half of the matrix where these grow, needle_shrink in the other. Tiles of 32x32 and 64x64 have kernels of their own.
#include "cuda.h"

static __device__ __forceinline__ int best(int a, int b, int c) { return max(max(a, b), c); }

// columns: of the scores, one more than letters; row 0 and column 0 are given. tile_x, tile_y: which tile it is.
template <int TILE>
static __device__ __forceinline__ void score(int columns, int penalty, int tile_x, int tile_y, const int *similarity,
                                             int *scores) {
    __shared__ int tile[TILE + 1][TILE + 1], similar[TILE][TILE];
    const int t = threadIdx.x, corner = columns * TILE * tile_y + TILE * tile_x, first = corner + columns + 1 + t;
    constexpr int at_once = TILE == 16 ? 16 : 1;  // rows; the loads of more of them would need more registers
    if (t == 0) tile[0][0] = scores[corner];
#pragma unroll at_once
    for (int y = 0; y < TILE; y++) similar[y][t] = similarity[first + columns * y];
    __syncthreads();
    tile[t + 1][0] = scores[corner + columns * (t + 1)];
    __syncthreads();
    tile[0][t + 1] = scores[corner + t + 1];
    __syncthreads();

    for (int d = 0; d < TILE; d++) {  // the anti-diagonals down to the longest one
        if (t <= d) {
            const int x = t + 1, y = d - t + 1;
            tile[y][x] = best(tile[y - 1][x - 1] + similar[y - 1][x - 1], tile[y][x - 1] - penalty,
                              tile[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int d = TILE - 2; d >= 0; d--) {  // and those after it
        if (t <= d) {
            const int x = t + TILE - d, y = TILE - t;
            tile[y][x] = best(tile[y - 1][x - 1] + similar[y - 1][x - 1], tile[y][x - 1] - penalty,
                              tile[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < TILE; y++) scores[first + columns * y] = tile[y + 1][t + 1];
}

// GROW: the anti-diagonal with `length` tiles, from the lower left to the upper right.
// SHRINK: the same, in a matrix of width x width tiles.
#define NEEDLE(TILE, GROW, SHRINK)                                                                              \
    extern "C" __global__ void GROW(int columns, int penalty, int length, const int *similarity, int *scores) { \
        score<TILE>(columns, penalty, blockIdx.x, length - 1 - blockIdx.x, similarity, scores);                 \
    }                                                                                                           \
    extern "C" __global__ void SHRINK(int columns, int penalty, int length, int width, const int *similarity,   \
                                      int *scores) {                                                            \
        score<TILE>(columns, penalty, width - length + blockIdx.x, width - 1 - blockIdx.x, similarity, scores); \
    }
NEEDLE(16, needle_grow, needle_shrink)
NEEDLE(32, needle_grow_32, needle_shrink_32)
NEEDLE(64, needle_grow_64, needle_shrink_64)
