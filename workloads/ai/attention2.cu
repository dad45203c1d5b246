// attention2: softmax(Q Kᵀ / √d) V in the manner of FlashAttention-2 (Dao 2023): a block has 128 rows of Q and goes
// over K and V in tiles of 64 rows. Each of four warps makes 32 rows by mma.sync. V's tile comes while the scores are
// made, the next tile of K while V is multiplied.
// ptx: 7.0 sm_80
#include "attention.h"

enum { QUERIES = 128, KEYS = 64, THREADS = 128 };

extern __shared__ __align__(1024) char shared[];

// Chunks of 16 bytes change places, so that those of eight rows lie in different banks. Two chunks on is 32 more by an
// exclusive or.
template <int D> FN uint place(uint row, uint chunk) { return row * D * 2 + (chunk ^ row % 8) * 16; }

// Keeps the compiler from making all addresses before the loop. With rows of 128, registers are too few for them.
template <int D> FN uint anew(uint x) {
    if (D > 64) asm volatile("" : "+r"(x));
    return x;
}

template <int D, int ROWS> FN void load(uint to, const char *from)
{
    enum { CHUNKS = D / 8 };
#pragma unroll
    for (uint i = 0; i < ROWS * CHUNKS / THREADS; i++) {
        const uint n = threadIdx.x + i * THREADS;
        copy_async(to + place<D>(n / CHUNKS, n % CHUNKS), from + (size_t)n * 16);
    }
    copy_commit();
}

template <int D> struct Warp {
    float o[2][D / 2];
    Rows rows[2];
};

template <int N> FN void mma_at(float (&c)[N], int tile, const uint (&a)[4], uint b0, uint b1)
{
    mma(*(float(*)[4]) & c[4 * tile], a, b0, b1);
}

// Scores of the warp's 32 rows with a tile of K. q, k and v: where the lane's first rows lie.
template <int D> FN void scores(float (&s)[2][KEYS / 2], uint q, uint k)
{
#pragma unroll
    for (uint x = 0; x < D / 16; x++) {
        uint a[2][4], b[4];
#pragma unroll
        for (uint i = 0; i < 2; i++) ldmatrix(a[i], (q ^ 32 * x) + 16 * i * D * 2);
#pragma unroll
        for (uint j = 0; j < KEYS / 16; j++) {
            ldmatrix(b, (k ^ 32 * x) + 16 * j * D * 2);
#pragma unroll
            for (uint i = 0; i < 2; i++) {
                mma_at(s[i], 2 * j, a[i], b[0], b[1]);
                mma_at(s[i], 2 * j + 1, a[i], b[2], b[3]);
            }
        }
    }
}

template <int D> FN void add_values(Warp<D> &w, const float (&p)[2][KEYS / 2], uint v)
{
    const uint lane = threadIdx.x % 32;
#pragma unroll
    for (uint x = 0; x < KEYS / 16; x++) {
        uint a[2][4], b[4];
#pragma unroll
        for (uint i = 0; i < 2; i++) fragment_of(a[i], p[i], x);
#pragma unroll
        for (uint j = 0; j < D / 16; j++) {
            ldmatrix_trans(b, (v ^ 32 * j) + 16 * x * D * 2);
#pragma unroll
            for (uint i = 0; i < 2; i++) {
                mma_at(w.o[i], 2 * j, a[i], b[0], b[1]);
                mma_at(w.o[i], 2 * j + 1, a[i], b[2], b[3]);
            }
        }
    }
}

// All matrices have a head after the other, each of length rows.
template <int D>
FN void attention(int length, int causal, float factor, const char *q, const char *k, const char *v,
                         unsigned short *o)
{
    const uint sq = at(shared), sk = sq + QUERIES * D * 2, sv = sk + KEYS * D * 2;
    const uint warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int first = (gridDim.x - 1 - blockIdx.x) * QUERIES;  // of a causal product, the longest rows come first
    const int own = first + warp * 32, tiles = (causal ? first + QUERIES : length) / KEYS;
    const uint lane_q = sq + place<D>(warp * 32 + lane % 16, lane / 16), lane_v = sv + place<D>(lane % 16, lane / 16);
    const uint lane_k = sk + place<D>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
    const size_t head = (size_t)blockIdx.y * length * D * 2;
    Warp<D> w;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        rows_begin(w.rows[i]);
#pragma unroll
        for (int n = 0; n < D / 2; n++) w.o[i][n] = 0;
    }
    k += head, v += head;
    load<D, QUERIES>(sq, q + head + (size_t)first * D * 2);
    load<D, KEYS>(sk, k);
    for (int t = 0; t < tiles; t++) {
        copy_wait<0>();
        __syncthreads();
        load<D, KEYS>(sv, v + (size_t)t * KEYS * D * 2);
        float s[2][KEYS / 2] = {}, shrink[2];
        scores<D>(s, anew<D>(lane_q), anew<D>(lane_k));
        copy_wait<0>();
        __syncthreads();
        if (t + 1 < tiles) load<D, KEYS>(sk, k + (size_t)(t + 1) * KEYS * D * 2);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (causal && (t + 1) * KEYS > own) mask_causal(s[i], own + 16 * i + lane / 4, t * KEYS + lane % 4 * 2);
            softmax_step(s[i], w.rows[i], factor, shrink);
            scale_rows(w.o[i], shrink);
        }
        add_values<D>(w, s, anew<D>(lane_v));
    }
    o += head / 2 + (size_t)(own + lane / 4) * D + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2; i++) put_rows<D / 2, D>(o + 16 * i * D, w.o[i], w.rows[i]);
}

#define KERNEL(d)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(THREADS) attention2_##d(                                             \
        int length, int causal, float factor, const char *q, const char *k, const char *v, unsigned short *o)         \
    {                                                                                                                 \
        attention<d>(length, causal, factor, q, k, v, o);                                                             \
    }
KERNEL(64)
KERNEL(128)
