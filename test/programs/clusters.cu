// clusters.cu: blocks that see each other's shared memory, and copies of parts of tensors. Each block of a cluster
// reads, writes and adds to the next one's memory; a copy goes to all of them at once. Tensors are read and written by
// maps from one to five dimensions, beyond their edges too, with each swizzle.
#include "check.cuh"
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <cuda.h>

namespace cg = cooperative_groups;

static __device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
static __device__ void init(uint64_t *b, uint32_t n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory");
}
static __device__ void expect(uint64_t *b, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}
static __device__ void wait(uint64_t *b, uint32_t parity)
{
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(at(b)),
        "r"(parity)
        : "memory");
}
static __device__ uint32_t there(const void *p, uint32_t rank)
{
    uint32_t a;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(at(p)), "r"(rank));
    return a;
}

enum { BLOCKS = 4, THREADS = 64 };

// out: per block what its neighbours have left there
__global__ void __cluster_dims__(2, 2, 1) neighbours(uint32_t *out)
{
    __shared__ uint32_t mine[THREADS], written[THREADS], sum, sent[THREADS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    const uint32_t rank = c.block_rank(), next = (rank + 1) % BLOCKS, t = threadIdx.x;
    mine[t] = rank * 1000 + t;
    if (!t) init(&bar, 1), sum = 0, expect(&bar, 4 * THREADS);
    c.sync();
    const uint32_t *remote = c.map_shared_rank(mine, next);
    const uint32_t seen = remote[THREADS - 1 - t];
    c.map_shared_rank(written, next)[t] = rank * 100 + t;
    atomicAdd(c.map_shared_rank(&sum, 0), rank + 1);
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there(&sent[t], next)),
        "r"(rank * 7 + t), "r"(there(&bar, next))
        : "memory");
    wait(&bar, 0);
    c.sync();
    const uint32_t block = blockIdx.x + gridDim.x * blockIdx.y;
    uint32_t *o = out + block * THREADS * 4 + t * 4;
    o[0] = seen, o[1] = written[t], o[2] = sent[t], o[3] = c.map_shared_rank(&sum, 0)[0] + (rank << 16);
    c.sync();
}

// Threads that have exited aren't waited for, be they of this block or of another one.
__global__ void __cluster_dims__(4, 1, 1) leave(uint32_t *out)
{
    cg::cluster_group c = cg::this_cluster();
    if (c.block_rank() > 1 || threadIdx.x > 40) return;
    if (c.block_rank()) __nanosleep(3000);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (!threadIdx.x) out[blockIdx.x] = 1;
}

// Each block fetches a quarter, for all four.
__global__ void cast(const uint32_t *in, uint32_t *out)
{
    __shared__ alignas(128) uint32_t all[BLOCKS][256];
    __shared__ uint64_t bar;
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (!threadIdx.x) init(&bar, 1), expect(&bar, sizeof all);
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (!threadIdx.x)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(at(all[rank])),
                     "l"(in + rank * 256), "r"(1024), "r"(at(&bar)), "h"((uint16_t)15)
                     : "memory");
    wait(&bar, 0);
    for (int k = threadIdx.x; k < 1024; k += THREADS) out[blockIdx.x * 1024 + k] = all[k / 256][k % 256];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// A box of a tensor comes in, as it lies there, and goes out at another place of another tensor.
template <int RANK> static __device__ void in(void *to, const CUtensorMap *m, const int *c, uint64_t *b)
{
    if (RANK == 1)
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2}], [%3];" ::"r"(at(to)),
                     "l"(m), "r"(c[0]), "r"(at(b))
                     : "memory");
    if (RANK == 2)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                     "%3}], [%4];" ::"r"(at(to)),
                     "l"(m), "r"(c[0]), "r"(c[1]), "r"(at(b))
                     : "memory");
    if (RANK == 3)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                     "%4}], [%5];" ::"r"(at(to)),
                     "l"(m), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(at(b))
                     : "memory");
    if (RANK == 5)
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                     "%4, %5, %6}], [%7];" ::"r"(at(to)),
                     "l"(m), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(at(b))
                     : "memory");
}

struct Place {
    int c[5];
};

template <int RANK> __global__ void box(const __grid_constant__ CUtensorMap map, Place p, uint32_t bytes, uint32_t *out)
{
    __shared__ alignas(1024) uint32_t tile[4096];
    __shared__ uint64_t bar;
    if (!threadIdx.x) {
        init(&bar, 1), expect(&bar, bytes);
        in<RANK>(tile, &map, p.c, &bar);
    }
    __syncthreads();
    wait(&bar, 0);
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) out[k] = tile[k];
}

__global__ void put(const __grid_constant__ CUtensorMap map, int x, int y, int add)
{
    __shared__ alignas(1024) uint32_t tile[16][32];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) tile[k / 32][k % 32] = k + 1;
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (add)
        asm volatile(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
            "r"(x), "r"(y), "r"(at(tile))
            : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(x), "r"(y), "r"(at(tile))
                     : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// Pixels of a tensor of channels, width, height and images come with their channels, from a place on.
__global__ void pixels(const __grid_constant__ CUtensorMap map, Place p, uint16_t x, uint16_t y, uint32_t bytes,
                       uint32_t *out)
{
    __shared__ alignas(1024) uint32_t tile[1024];
    __shared__ uint64_t bar;
    if (!threadIdx.x) {
        init(&bar, 1), expect(&bar, bytes);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(at(tile)),
                     "l"(&map), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]), "r"(p.c[3]), "r"(at(&bar)), "h"(x), "h"(y)
                     : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) out[k] = tile[k];
}

typedef CUresult EncodePixels(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t, const cuuint32_t *,
                              CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                              CUtensorMapFloatOOBfill);

// A 3 × 3 convolution with a border of one: corners -1 and -1, so that the box has as many places as the image.
static void try_pixels(EncodePixels *encode_pixels, int w0, int h0, int n0, int x, int y)
{
    enum { C = 8, W = 7, H = 5, N = 3, PIXELS = 24 };
    const cuuint64_t size[] = {C, W, H, N}, stride[] = {4 * C, 4 * C * W, 4 * C * W * H};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    const cuuint32_t ones[] = {1, 1, 1, 1};
    uint32_t *data = shared_array<uint32_t>(C * W * H * N), *out = shared_array<uint32_t>(C * PIXELS);
    for (int k = 0; k < C * W * H * N; k++) data[k] = k + 1;
    CUtensorMap m;
    CHECK(!encode_pixels(&m, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, data, size, stride, lower, upper, C, PIXELS, ones,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    pixels<<<1, 64>>>(m, {{0, w0, h0, n0}}, (uint16_t)x, (uint16_t)y, 4 * C * PIXELS, out);
    MUST(cudaDeviceSynchronize());
    for (int p = 0; p < PIXELS; p++) {
        const int place = (w0 + 1) + W * (h0 + 1) + W * H * n0 + p;  // in the box, of W × H places an image
        const int w = place % W - 1 + x, h = place / W % H - 1 + y, n = place / (W * H);
        const bool inside = w >= 0 && w < W && h >= 0 && h < H && n < N;
        for (int c = 0; c < C; c++) CHECK(out[p * C + c] == (inside ? c + C * (w + W * (h + H * n)) + 1 : 0));
    }
}

typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                        const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static Encode *encode;

static CUtensorMap map_of(uint32_t *data, int rank, const uint64_t *size, const uint32_t *extent, const uint32_t *step,
                          int swizzle)
{
    CUtensorMap m;
    cuuint64_t stride[5];
    uint64_t all = 4;
    for (int k = 0; k < rank; k++) all *= size[k], stride[k] = all;
    CHECK(!encode(&m, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, data, size, stride, extent, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return m;
}

// A box, element by element, from the tensor's indices.
template <int RANK>
static void try_box(const uint64_t *size, const uint32_t *extent, const uint32_t *step, Place p, int swizzle)
{
    uint64_t all = 1;
    uint32_t n = 1, taken[5] = {1, 1, 1, 1, 1};
    for (int k = 0; k < RANK; k++) all *= size[k], taken[k] = (extent[k] + step[k] - 1) / step[k], n *= taken[k];
    uint32_t *data = shared_array<uint32_t>((int)all), *out = shared_array<uint32_t>((int)n);
    for (uint64_t k = 0; k < all; k++) data[k] = (uint32_t)k + 1;
    CUtensorMap m = map_of(data, RANK, size, extent, step, swizzle);
    box<RANK><<<1, 64>>>(m, p, 4 * n, out);
    MUST(cudaDeviceSynchronize());
    for (uint32_t e = 0; e < n; e++) {
        uint32_t rest = e;
        uint64_t index = 0, unit = 1;
        bool inside = true;
        for (int k = 0; k < RANK; k++) {
            const int64_t x = p.c[k] + (int64_t)(rest % taken[k]) * step[k];
            rest /= taken[k];
            inside &= x >= 0 && x < (int64_t)size[k];
            index += x * unit, unit *= size[k];
        }
        uint32_t byte = 4 * e;  // Swizzle<B, 4, 3> on addresses, with B = 1, 2, 3
        const uint32_t bits = (1u << swizzle) - 1;
        byte ^= (byte >> 7 & bits) << 4;
        CHECK(out[byte / 4] == (inside ? index + 1 : 0));
    }
}

int main()
{
    uint32_t *out = shared_array<uint32_t>(16 * THREADS * 4);
    neighbours<<<dim3(4, 4), THREADS>>>(out);
    MUST(cudaDeviceSynchronize());
    for (uint32_t b = 0; b < 16; b++) {
        const uint32_t rank = b % 4 % 2 + 2 * (b / 4 % 2), next = (rank + 1) % 4, before = (rank + 3) % 4;
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint32_t *o = out + b * THREADS * 4 + t * 4;
            CHECK(o[0] == next * 1000 + THREADS - 1 - t && o[1] == before * 100 + t && o[2] == before * 7 + t);
            CHECK(o[3] == (1 + 2 + 3 + 4) * THREADS + (rank << 16));
        }
    }
    uint32_t *left = shared_array<uint32_t>(8);
    leave<<<8, THREADS>>>(left);
    MUST(cudaDeviceSynchronize());
    for (int b = 0; b < 8; b++) CHECK(left[b] == (b % 4 < 2));
    uint32_t *data = shared_array<uint32_t>(1024), *copy = shared_array<uint32_t>(8 * 1024);
    for (int k = 0; k < 1024; k++) data[k] = k * 40503u;
    cudaLaunchAttribute a;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = 4, a.val.clusterDim.y = a.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8), config.blockDim = dim3(THREADS), config.attrs = &a, config.numAttrs = 1;
    MUST(cudaLaunchKernelEx(&config, cast, (const uint32_t *)data, copy));
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 8 * 1024; k++) CHECK(copy[k] == data[k % 1024]);
    a.val.clusterDim.x = 3;
    CHECK(cudaLaunchKernelEx(&config, cast, (const uint32_t *)data, copy) == cudaErrorInvalidClusterSize);

    cudaDriverEntryPointQueryResult found;
    MUST(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess);
    const uint32_t ones[5] = {1, 1, 1, 1, 1}, twos[5] = {1, 2, 1, 3, 1};
    try_box<1>((const uint64_t[]){100}, (const uint32_t[]){64}, ones, {{40}}, 0);
    try_box<1>((const uint64_t[]){100}, (const uint32_t[]){64}, ones, {{70}}, 0);
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        const uint32_t extent[] = {swizzle ? 4u << swizzle : 32, 32};
        try_box<2>((const uint64_t[]){64, 50}, extent, ones, {{8, 5}}, swizzle);
        try_box<2>((const uint64_t[]){64, 50}, extent, ones, {{-5, 30}}, swizzle);
        try_box<2>((const uint64_t[]){64, 50}, extent, twos, {{60, -3}}, swizzle);
    }
    try_box<3>((const uint64_t[]){20, 9, 7}, (const uint32_t[]){8, 4, 3}, ones, {{16, 7, -1}}, 0);
    try_box<5>((const uint64_t[]){8, 6, 5, 4, 3}, (const uint32_t[]){8, 3, 2, 3, 2}, twos, {{-2, 1, 4, 0, 2}}, 0);

    EncodePixels *encode_pixels;
    MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode_pixels, 12000, cudaEnableDefault,
                                          &found));
    try_pixels(encode_pixels, -1, -1, 0, 0, 0);
    try_pixels(encode_pixels, 2, 1, 1, 2, 1);
    try_pixels(encode_pixels, 5, 3, 2, 1, 2);

    uint32_t *to = shared_array<uint32_t>(64 * 20);
    CUtensorMap m = map_of(to, 2, (const uint64_t[]){64, 20}, (const uint32_t[]){32, 16}, ones, 0);
    put<<<1, 64>>>(m, 40, 10, 0);
    put<<<3, 64>>>(m, 8, -4, 1);
    MUST(cudaDeviceSynchronize());
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 64; x++) {
            uint32_t want = 0;
            if (x >= 40 && y >= 10) want = (y - 10) * 32 + x - 40 + 1;
            if (x >= 8 && x < 40 && y < 12) want += 3 * ((y + 4) * 32 + x - 8 + 1);
            CHECK(to[y * 64 + x] == want);
        }
    return verdict();
}
