// gemm_mma.cu: products of matrices of half and of bfloat16 by warps (mma.sync). The transpose of c is computed, so
// that neighbours in a thread are neighbours in memory: c' = op(b)' op(a)'. A block makes 128 columns and 128 rows of
// c; a warp has 64 of these columns and 32 rows. Three stages, 32 deep, are filled by copies that nobody waits for.
// ptx: 7.0 sm_80
#include "pairs.cuh"

enum { TILE = 128, DEEP = 32, STAGES = 3, BYTES = TILE * DEEP * 2, THREADS = 256 };

FN unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Where 8 elements of a tile lie, the first of them at `first` along m or n, and at k. Along k: rows of 64 bytes; else
// of 256. Chunks of 16 bytes are swapped so that eight rows lie in different banks.
template <bool ALONG_K> FN unsigned chunk(int first, int k)
{
    return ALONG_K ? first * 64 + ((k / 8) ^ (first / 2 & 3)) * 16 : k * 256 + ((first / 8) ^ (k & 7)) * 16;
}

// A stage of one matrix: op's elements from `from` along m or n, and from k. What is beyond it is 0.
template <class T, bool ALONG_K>
FN void fill(unsigned to, const T *a, long long ld, long long from, long long k, long long size, long long depth)
{
#pragma unroll
    for (int r = 0; r < BYTES / 16 / THREADS; r++) {
        const int e = threadIdx.x + r * THREADS;
        const int first = ALONG_K ? e / (DEEP / 8) : e % (TILE / 8) * 8,
                  deep = ALONG_K ? e % (DEEP / 8) * 8 : e / (TILE / 8);
        const long long i = from + first, j = k + deep, left = ALONG_K ? depth - j : size - i;
        const bool inside = i < size && j < depth;
        const T *const p = inside ? a + (ALONG_K ? j + i * ld : i + j * ld) : a;
        const int bytes = !inside ? 0 : left < 8 ? (int)left * 2 : 16;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + chunk<ALONG_K>(first, deep)), "l"(p),
                     "r"(bytes)
                     : "memory");
    }
}

// Four matrices of 8 x 8; a lane has the address of a row of one.
template <bool TURNED> FN void fetch(unsigned (&m)[4], unsigned row)
{
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                     : "r"(row)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                     : "r"(row)
                     : "memory");
}
#define MMA(T, name)                                                                                           \
    FN void mma(float(&c)[4], const unsigned(&a)[4], unsigned b0, unsigned b1, T)                              \
    {                                                                                                          \
        asm("mma.sync.aligned.m16n8k16.row.col.f32." name "." name ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
            "{%8, %9}, {%0, %1, %2, %3};"                                                                      \
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                   \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                   \
    }
MMA(__half, "f16")
MMA(__nv_bfloat16, "bf16")

// left: op(b)', right: op(a)', both in shared memory
template <class T, bool A_ALONG_K, bool B_ALONG_K>
FN void multiply(float (&sums)[4][4][4], unsigned left, unsigned right)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, q = lane / 8, r = lane % 8;
    const int n = warp % 2 * 64, m = warp / 2 * 32;
#pragma unroll
    for (int k = 0; k < DEEP; k += 16) {
        unsigned x[4][4], y[2][4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            fetch<!B_ALONG_K>(x[i], left + (B_ALONG_K ? chunk<true>(n + 16 * i + (q & 1) * 8 + r, k + q / 2 * 8)
                                                      : chunk<false>(n + 16 * i + (q & 1) * 8, k + q / 2 * 8 + r)));
#pragma unroll
        for (int j = 0; j < 2; j++)
            fetch<!A_ALONG_K>(y[j], right + (A_ALONG_K ? chunk<true>(m + 16 * j + q / 2 * 8 + r, k + (q & 1) * 8)
                                                       : chunk<false>(m + 16 * j + q / 2 * 8, k + (q & 1) * 8 + r)));
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) mma(sums[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1], T());
    }
}

template <class T, bool A_ALONG_K, bool B_ALONG_K>
FN void tile(const Product &p, const Factors<float> &f, unsigned shared, long long which, long long m0, long long n0)
{
    const T *const a = of_batch<T>(p.a, which, false), *const b = of_batch<T>(p.b, which, false);
    const long long depth = f.alpha == 0 ? 0 : p.k;
    const int steps = (int)((depth + DEEP - 1) / DEEP);
    float sums[4][4][4] = {};
    const auto fill_stage = [&](int step) {
        const unsigned to = shared + step % STAGES * 2 * BYTES;
        if (step < steps) {
            fill<T, B_ALONG_K>(to, b, p.b.ld, n0, (long long)step * DEEP, p.n, depth);
            fill<T, A_ALONG_K>(to + BYTES, a, p.a.ld, m0, (long long)step * DEEP, p.m, depth);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int s = 0; s < STAGES - 1; s++) fill_stage(s);
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        fill_stage(step + STAGES - 1);
        const unsigned from = shared + step % STAGES * 2 * BYTES;
        multiply<T, A_ALONG_K, B_ALONG_K>(sums, from, from + BYTES);
    }
    void *const c = out_of_batch(p, which);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const long long i0 = m0 + warp / 2 * 32 + lane % 4 * 2, j0 = n0 + warp % 2 * 64 + lane / 4;
    if (p.plain) {
#pragma unroll
        for (int e = 0; e < 32; e++)
            put<T>(p, f, c, i0 + e / 2 % 4 * 8, j0 + e / 8 * 16 + e % 2 * 8, sums[e / 8][e / 2 % 4][e % 2 * 2],
                   sums[e / 8][e / 2 % 4][e % 2 * 2 + 1]);
        return;
    }
    float kept[64];
#pragma unroll
    for (int e = 0; e < 64; e++) kept[e] = sums[e / 16][e / 4 % 4][e % 4];
#pragma unroll 1
    for (int e = 0; e < 64; e++)
        finish(p, f, c, which, i0 + e / 4 % 4 * 8 + e % 2, j0 + e / 16 * 16 + e / 2 % 2 * 8, kept[e]);
}

template <class T, bool A_ALONG_K, bool B_ALONG_K> FN void gemm(const Product &p)
{
    __shared__ __align__(128) char stages[STAGES * 2 * BYTES];
    const uint2 t = tile_of_block((unsigned)((p.n + TILE - 1) / TILE), (unsigned)((p.m + TILE - 1) / TILE));
    const long long n0 = (long long)t.x * TILE, m0 = (long long)t.y * TILE;
    if (is_outside(p, m0, n0, TILE)) return;
    const Factors<float> f = factors<float>(p);
    for (long long which = blockIdx.z; which < p.count; which += gridDim.z) {
        tile<T, A_ALONG_K, B_ALONG_K>(p, f, at(stages), which, m0, n0);
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
    }
}
#define GEMM(name, T, a, b) \
    extern "C" __global__ void __launch_bounds__(256) name(const Product p) { gemm<T, a, b>(p); }
#define FOUR_WAYS(letter, T)               \
    GEMM(mma_nn_##letter, T, false, true)  \
    GEMM(mma_nt_##letter, T, false, false) \
    GEMM(mma_tn_##letter, T, true, true)   \
    GEMM(mma_tt_##letter, T, true, false)
FOUR_WAYS(h, __half)
FOUR_WAYS(b, __nv_bfloat16)
