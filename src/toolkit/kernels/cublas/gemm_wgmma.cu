// gemm_wgmma.cu: products of matrices of half and of bfloat16 by warpgroups. The transpose of c is computed, so that
// neighbours in a thread are neighbours in memory: c' = op(b)' op(a)'. A block makes 128 columns and 256 rows of c. One
// warp has boxes of both matrices copied into a ring of stages; two warpgroups multiply them, each 64 of the columns.
// ptx: 8.0 sm_90a
#include "hopper.cuh"
#include "pairs.cuh"

enum { COLUMNS = 128, ROWS = 256, DEEP = 64, STAGES = 4, WARPS = 8 };
enum { BYTES_B = COLUMNS * DEEP * 2, BYTES_A = ROWS * DEEP * 2, STAGE = BYTES_A + BYTES_B, BOX = 64 * DEEP * 2 };

extern __shared__ __align__(1024) char shared[];

// b lies in a stage before a. Where neighbours are along k, a box has all its rows; else it has 64 of them.
template <int TURN_A, int TURN_B>
FN void produce(const void *map_a, const void *map_b, long long m0, long long n0, int which, unsigned steps,
                unsigned tiles, unsigned full, unsigned empty)
{
    unsigned s = 0, round = 0;
    for (unsigned k = 0; k < steps; k++) {
        const unsigned b = tiles + s * STAGE, a = b + BYTES_B, done = full + 8 * s;
        if (round) barrier_wait(empty + 8 * s, (round - 1) & 1);
        barrier_expect(done, STAGE);
        if (TURN_B)
            for (int j = 0; j < COLUMNS / 64; j++)
                copy_box(b + j * BOX, map_b, (int)n0 + 64 * j, k * DEEP, which, done);
        else
            copy_box(b, map_b, k * DEEP, (int)n0, which, done);
        if (TURN_A)
            copy_box(a, map_a, k * DEEP, (int)m0, which, done);
        else
            for (int j = 0; j < ROWS / 64; j++) copy_box(a + j * BOX, map_a, (int)m0 + 64 * j, k * DEEP, which, done);
        if (++s == STAGES) s = 0, round++;
    }
}

// A stage is given back when the next one's products are under way.
template <class T, int TURN_A, int TURN_B>
FN void multiply(float (&sums)[128], unsigned steps, unsigned tiles, unsigned full, unsigned empty)
{
    const unsigned group = threadIdx.x / 128, lane = threadIdx.x % 32;
    unsigned s = 0, parity = 0, last = 0;
    for (unsigned k = 0; k < steps; k++) {
        barrier_wait(full + 8 * s, parity);
        const unsigned b = tiles + s * STAGE + group * BOX, a = tiles + s * STAGE + BYTES_B;
        product_fence();
#pragma unroll
        for (unsigned i = 0; i < DEEP / 16; i++)
            Narrow<T>::template product<TURN_B, !TURN_A>(sums, matrix(b + (TURN_B ? 2048 : 32) * i, BOX),
                                                         matrix(a + (TURN_A ? 32 : 2048) * i, BOX), k + i);
        product_commit();
        product_wait<1>(sums);
        if (k && !lane) barrier_arrive(empty + 8 * last);
        last = s;
        if (++s == STAGES) s = 0, parity ^= 1;
    }
    product_wait<0>(sums);
}

template <class T, int TURN_A, int TURN_B> FN void gemm(const Product &p, const void *map_a, const void *map_b)
{
    const unsigned tiles = at(shared), full = tiles + STAGES * STAGE, empty = full + 8 * STAGES;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint2 t = tile_of_block((unsigned)((p.n + COLUMNS - 1) / COLUMNS), (unsigned)((p.m + ROWS - 1) / ROWS));
    const long long n0 = (long long)t.x * COLUMNS, m0 = (long long)t.y * ROWS;
    const unsigned steps = (unsigned)((p.k + DEEP - 1) / DEEP);
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) barrier_init(full + 8 * s, 1), barrier_init(empty + 8 * s, WARPS);
        barrier_fence();
    }
    __syncthreads();
    if (warp == WARPS) {
        if (lane == 0) produce<TURN_A, TURN_B>(map_a, map_b, m0, n0, blockIdx.z, steps, tiles, full, empty);
        return;
    }
    float sums[128];
#pragma unroll
    for (int i = 0; i < 128; i++) sums[i] = 0;
    multiply<T, TURN_A, TURN_B>(sums, steps, tiles, full, empty);
    const Factors<float> f = factors<float>(p);
    void *const c = out_of_batch(p, blockIdx.z);
    const long long i0 = m0 + lane % 4 * 2, j0 = n0 + warp * 16 + lane / 4;
    if (p.plain) {
#pragma unroll
        for (int e = 0; e < 64; e++) put<T>(p, f, c, i0 + e / 2 * 8, j0 + e % 2 * 8, sums[2 * e], sums[2 * e + 1]);
        return;
    }
    float kept[128];
#pragma unroll
    for (int e = 0; e < 128; e++) kept[e] = sums[e];
#pragma unroll 1
    for (int e = 0; e < 128; e++) finish(p, f, c, blockIdx.z, i0 + e / 4 * 8 + e % 2, j0 + e / 2 % 2 * 8, kept[e]);
}

// The maps have to stay among the parameters: clang would copy them to where no map may be.
#define PARAMETER(to, name) asm("{ .reg .b64 t; mov.b64 t, " name "; cvta.param.u64 %0, t; }" : "=l"(to))
#define WGMMA(name, T, a, b)                                                                      \
    extern "C" __global__ void __launch_bounds__(288) name(const Product p, TensorMap, TensorMap) \
    {                                                                                             \
        const void *map_a, *map_b;                                                                \
        PARAMETER(map_a, #name "_param_1");                                                       \
        PARAMETER(map_b, #name "_param_2");                                                       \
        gemm<T, a, b>(p, map_a, map_b);                                                           \
    }
#define FOUR_WAYS(letter, T)          \
    WGMMA(wgmma_nn_##letter, T, 0, 0) \
    WGMMA(wgmma_nt_##letter, T, 0, 1) \
    WGMMA(wgmma_tn_##letter, T, 1, 0) \
    WGMMA(wgmma_tt_##letter, T, 1, 1)
FOUR_WAYS(h, __half) FOUR_WAYS(b, __nv_bfloat16)
