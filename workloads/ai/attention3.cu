// attention3: softmax(Q Kᵀ / √d) V in the manner of FlashAttention-3 (Shah et al. 2024): one warp has boxes of K and V
// copied into rings of stages. Warpgroups of 64 rows of Q each multiply by wgmma; a tile's scores are made while the
// last tile's exponentials are multiplied by V (§3.2). Two groups take turns, so that one has the tensor units while
// the other makes its exponentials (§3.1).
// ptx: 8.0 sm_90a
#include "attention.h"
#include "hopper.h"

enum { QUERIES = 64, KEYS = 128, COLUMN = KEYS * 128 };

__constant__ TensorMap map_q, map_k, map_v;
extern __shared__ __align__(1024) char shared[];

// Addresses in shared memory, and how many stages the rings have.
struct Room {
    uint q, k, v, got_q, full_k, full_v, empty_k, empty_v;
    uint stages;
};

template <int D, int GROUPS> FN Room rooms(uint stages)
{
    Room r;
    r.stages = stages;
    r.q = at(shared), r.k = r.q + GROUPS * QUERIES * D * 2, r.v = r.k + stages * KEYS * D * 2;
    r.got_q = r.v + stages * KEYS * D * 2, r.full_k = r.got_q + 8, r.full_v = r.full_k + 8 * stages;
    r.empty_k = r.full_v + 8 * stages, r.empty_v = r.empty_k + 8 * stages;
    return r;
}

template <int GROUPS> FN void begin(const Room &r)
{
    barrier_init(r.got_q, 1);
    for (uint s = 0; s < r.stages; s++) {
        barrier_init(r.full_k + 8 * s, 1), barrier_init(r.empty_k + 8 * s, 4 * GROUPS);
        barrier_init(r.full_v + 8 * s, 1), barrier_init(r.empty_v + 8 * s, 4 * GROUPS);
    }
    barrier_fence();
}

// A tile lies in columns of 64 elements, one behind the other.
template <int D> FN void copy_tile(uint to, const TensorMap *map, int row, uint full)
{
    barrier_expect(full, KEYS * D * 2);
#pragma unroll
    for (int x = 0; x < D / 64; x++) copy_box(to + x * COLUMN, map, x * 64, row, full);
}

template <int D, int GROUPS> FN void produce(const Room &r, int row_q, int row_k, int tiles)
{
    barrier_expect(r.got_q, GROUPS * QUERIES * D * 2);
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
        for (int x = 0; x < D / 64; x++)
            copy_box(r.q + (g * D / 64 + x) * QUERIES * 128, &map_q, x * 64, row_q + g * QUERIES, r.got_q);
    uint s = 0, parity = 1;  // the phase before the first counts as over
    for (int t = 0; t < tiles; t++) {
        barrier_wait(r.empty_k + 8 * s, parity);
        copy_tile<D>(r.k + s * KEYS * D * 2, &map_k, row_k + t * KEYS, r.full_k + 8 * s);
        barrier_wait(r.empty_v + 8 * s, parity);
        copy_tile<D>(r.v + s * KEYS * D * 2, &map_v, row_k + t * KEYS, r.full_v + 8 * s);
        if (++s == r.stages) s = 0, parity ^= 1;
    }
}

template <int D> FN void scores(float (&s)[KEYS / 2], uint q, uint k)
{
#pragma unroll
    for (uint i = 0; i < D / 16; i++)
        product(s, matrix(q + i / 4 * QUERIES * 128 + i % 4 * 32, 16), matrix(k + i / 4 * COLUMN + i % 4 * 32, 16), i);
    product_commit();
}

template <int D> FN void add_values(float (&o)[D / 2], const uint (&p)[KEYS / 16][4], uint v)
{
#pragma unroll
    for (uint i = 0; i < KEYS / 16; i++) product_add(o, p[i], matrix(v + i * 2048, COLUMN));
    product_commit();
}

// A group's turn: barrier 1 is the first group's, 2 the second's. Each ends the other's wait.
template <int GROUPS> FN void take_turn(uint group)
{
    if (GROUPS == 2) group_sync(1 + group, 256);
}
template <int GROUPS> FN void give_turn(uint group, bool last)
{
    if (GROUPS == 2 && !(group && last)) group_arrive(2 - group, 256);
}

template <int D, int GROUPS>
FN void consume(const Room &r, int first, int tiles, int causal, float factor, unsigned short *o)
{
    const uint group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    const int top = first + group * QUERIES, row = top + warp * 16 + lane / 4;  // among the head's rows
    const uint q = r.q + group * QUERIES * D * 2;
    float s[KEYS / 2], sums[D / 2], shrink[2];
    uint p[KEYS / 16][4];
    Rows rows;
    rows_begin(rows);
#pragma unroll
    for (int i = 0; i < D / 2; i++) sums[i] = 0;
#pragma unroll
    for (int i = 0; i < KEYS / 2; i++) s[i] = 0;
    if (GROUPS == 2 && group) group_arrive(1, 256);
    barrier_wait(r.got_q, 0);
    barrier_wait(r.full_k, 0);
    take_turn<GROUPS>(group);
    product_fence();
    scores<D>(s, q, r.k);
    give_turn<GROUPS>(group, tiles == 1);
    product_wait<0>(s);
    uint old = 0, old_parity = 0, stage = r.stages > 1, parity = !stage;
    for (int t = 1;; t++) {
        if (!lane) barrier_arrive(r.empty_k + 8 * old);
        if (causal && t * KEYS > top) mask_causal(s, row, (t - 1) * KEYS + lane % 4 * 2);
        softmax_step(s, rows, factor, shrink);
        product_wait<0>(sums);
        if (t > 1 && !lane) barrier_arrive(r.empty_v + 8 * (old ? old - 1 : r.stages - 1));
        scale_rows(sums, shrink);
#pragma unroll
        for (int i = 0; i < KEYS / 16; i++) fragment_of(p[i], s, i);
        if (t == tiles) break;
        barrier_wait(r.full_k + 8 * stage, parity);
        barrier_wait(r.full_v + 8 * old, old_parity);
        take_turn<GROUPS>(group);
        product_fence();
        scores<D>(s, q, r.k + stage * KEYS * D * 2);
        add_values<D>(sums, p, r.v + old * KEYS * D * 2);
        give_turn<GROUPS>(group, t + 1 == tiles);
        product_wait<1>(s);
        old = stage, old_parity = parity;
        if (++stage == r.stages) stage = 0, parity ^= 1;
    }
    barrier_wait(r.full_v + 8 * old, old_parity);
    product_fence();
    add_values<D>(sums, p, r.v + old * KEYS * D * 2);
    product_wait<0>(sums);
    put_rows<D / 2, D>(o + (size_t)row * D + lane % 4 * 2, sums, rows);
}

// Causal blocks with the longest rows come first. The last warpgroup makes the copies. Where two others multiply, it
// gives registers away to them.
template <int D, int GROUPS>
FN void attention(int length, int causal, float factor, uint stages, unsigned short *o)
{
    const Room r = rooms<D, GROUPS>(stages);
    const int queries = GROUPS * QUERIES, first = (gridDim.x - 1 - blockIdx.x) * queries, head = blockIdx.y * length;
    const int tiles = (causal ? first + queries + KEYS - 1 : length) / KEYS;
    if (threadIdx.x == 0) begin<GROUPS>(r);
    __syncthreads();
    if (threadIdx.x >= GROUPS * 128) {
        if (GROUPS == 2) asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == GROUPS * 128) produce<D, GROUPS>(r, head + first, head, tiles);
        return;
    }
    if (GROUPS == 2) asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    consume<D, GROUPS>(r, first, tiles, causal, factor, o + (size_t)head * D);
}

#define KERNEL(d, groups)                                                                           \
    extern "C" __global__ void __launch_bounds__((groups + 1) * 128)                                \
        attention3_##d##_##groups(int length, int causal, float factor, int stages, unsigned short *o) \
    {                                                                                               \
        attention<d, groups>(length, causal, factor, stages, o);                                    \
    }
KERNEL(64, 1)
KERNEL(64, 2)
KERNEL(128, 1)
KERNEL(128, 2)
