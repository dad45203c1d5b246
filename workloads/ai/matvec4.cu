// matvec4: y = A x, A in blocks of 32 weights of 4 bits with a scale of f16, as inference libraries store them. x is
// made blocks of 8 bits first, so that dp4a multiplies four elements at once.
// ptx: 7.0 sm_80
#include "tensor.h"

// Weight i of 0 to 15 is the low half of byte i, weight 16 + i its high half; a weight is that less 8, times the scale.
struct Weights {
    unsigned short scale, pairs[8];
};
struct Block {
    float scale;
    int sum;  // of its elements
    int fours[8];
};

FN int dp4a(int a, int b, int c) {
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

// A warp makes a block, a lane one element.
extern "C" __global__ void matvec4_round(int blocks, const float *x, Block *to) {
    const int block = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (block >= blocks) return;
    const float v = x[block * 32 + lane];
    float most = fabsf(v);
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    const float scale = most / 127;
    const int q = most > 0 ? (int)rintf(v / scale) : 0;
    int sum = q;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    ((char *)to[block].fours)[lane] = (char)q;
    if (lane == 0) to[block].scale = scale, to[block].sum = sum;
}

// A warp makes a row. Two lanes share a block: each has 8 bytes, 16 weights.
extern "C" __global__ void __launch_bounds__(128)
    matvec4(int rows, int blocks, const Weights *a, const Block *x, float *y) {
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, half = lane % 2;
    if (row >= rows) return;
    float sum = 0;
    for (int k = lane / 2; k < blocks; k += 16) {
        const Weights *w = &a[(size_t)row * blocks + k];
        const Block *b = &x[k];
        int n = half ? 0 : -8 * b->sum;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int at = 2 * half + i;
            const uint four = w->pairs[2 * at] | (uint)w->pairs[2 * at + 1] << 16;
            n = dp4a(four & 0x0f0f0f0f, b->fours[at], n);
            n = dp4a(four >> 4 & 0x0f0f0f0f, b->fours[4 + at], n);
        }
        sum += from_f16(w->scale) * b->scale * n;
    }
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
