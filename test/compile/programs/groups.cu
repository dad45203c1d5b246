// Cooperative groups beside what the host makes of the same numbers: ranks and sizes of each kind of group, tiles of 1
// to 512 threads, threads of a warp in any pattern, partitions by label; shuffles, votes, reductions and scans of each,
// with an operation that doesn't commute, too; and a barrier of the grid in two halves.
#include "../../programs/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
#include <cuda_fp16.h>
#include <vector>
namespace cg = cooperative_groups;

enum { T = 1024, WIDTH = 24 };  // threads, and numbers that each leaves
typedef uint32_t u32;

static __host__ __device__ u32 mix(u32 x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// y = m x + c, one after the other: this doesn't commute.
struct Line {
    u32 m, c;
};
struct Then {
    __host__ __device__ Line operator()(Line a, Line b) const { return {a.m * b.m, a.c * b.m + b.c}; }
};
static __host__ __device__ Line line(u32 t) { return {mix(t) | 1, mix(t + 5000)}; }

struct Wide {
    char a;
    double b;
    short c[3];
};

// --- as a thread_group, by value -------------------------------------------------------------------------------------
static __device__ __noinline__ u32 sum_of(cg::thread_group g, int *box, u32 v)
{
    const u32 rank = (u32)g.thread_rank();
    for (u32 n = (u32)g.size() / 2; n; n /= 2) {
        box[rank] = v;
        g.sync();
        if (rank < n) v += box[rank + n];
        g.sync();
    }
    return v;
}
__global__ void by_value(u32 *out)
{
    __shared__ int box[256];
    cg::thread_block block = cg::this_thread_block();
    const u32 t = block.thread_rank();
    u32 *o = out + t * WIDTH;
    o[0] = sum_of(block, box, t);
    block.sync();
    o[1] = sum_of(cg::tiled_partition<16>(block), box + t / 16 * 16, t);
    block.sync();
    o[2] = sum_of(cg::tiled_partition<64>(block), box + t / 64 * 64, t);
    block.sync();
    cg::thread_group eight = cg::tiled_partition(block, 8), two = cg::tiled_partition(eight, 2);
    o[3] = sum_of(eight, box + t / 8 * 8, t);
    o[4] = (u32)(two.size() * 100 + two.thread_rank());
    o[5] = 0;
    if (t % 32 < 24) {
        cg::coalesced_group some = cg::coalesced_threads();
        cg::coalesced_group part = cg::tiled_partition(some, 16);
        o[5] = part.num_threads() * 10000 + part.thread_rank() * 100;
        o[5] += part.meta_group_rank() * 10 + part.meta_group_size();
    }
    o[6] = cg::this_thread().num_threads() * 10 + cg::this_thread().thread_rank();
    cg::this_thread().sync();
    o[7] = (u32)cg::group_size(eight) * 100 + (u32)cg::thread_rank(block) % 100;
    cg::sync(block);
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
}
static void test_by_value()
{
    u32 *out = shared_array<u32>(256 * WIDTH);
    by_value<<<1, 256>>>(out);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    auto sum = [](u32 first, u32 n) { return n * first + n * (n - 1) / 2; };
    for (u32 t = 0; t < 256; t++) {
        const u32 *o = out + t * WIDTH, l = t % 32;
        if (t == 0) CHECK(o[0] == sum(0, 256));
        if (t % 16 == 0) CHECK(o[1] == sum(t, 16));
        if (t % 64 == 0) CHECK(o[2] == sum(t, 64));
        if (t % 8 == 0) CHECK(o[3] == sum(t, 8));
        CHECK(o[4] == 200 + t % 2);
        CHECK(o[5] == (l < 16 ? 160002 + l * 100 : l < 24 ? 80012 + (l - 16) * 100 : 0));
        CHECK(o[6] == 10 && o[7] == 800 + t % 100);
    }
}

// --- places in blocks of three dimensions ----------------------------------------------------------------------------
__global__ void places(u32 *out)
{
    auto block = cg::this_thread_block();
    auto grid = cg::this_grid();
    const dim3 at = block.thread_index(), of = block.dim_threads(), b = block.group_index(), n = grid.dim_blocks();
    u32 *o = out + grid.thread_rank() * WIDTH;
    o[0] = (at.x + 100 * at.y + 10000 * at.z) == threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
    o[1] = of.x + 10 * of.y + 100 * of.z, o[2] = b.x + 10 * b.y + 100 * b.z, o[3] = n.x + 10 * n.y + 100 * n.z;
    o[4] = (u32)grid.num_threads(), o[5] = (u32)grid.num_blocks(), o[6] = (u32)grid.block_rank();
    o[7] = block.thread_rank(), o[8] = block.num_threads(), o[9] = grid.is_valid();
    const dim3 all = grid.thread_index();
    o[10] = all.x + 100 * all.y + 10000 * all.z;
    o[11] = at.x + 100 * at.y + 10000 * at.z;
}
static void test_places()
{
    const dim3 n(2, 3, 2), of(5, 2, 3);
    u32 *out = shared_array<u32>(360 * WIDTH), r = 0;
    places<<<n, of>>>(out);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    for (u32 b = 0; b < 12; b++)
        for (u32 t = 0; t < 30; t++, r++) {
            const u32 *o = out + r * WIDTH, x = t % 5, y = t / 5 % 2, z = t / 10;
            const u32 bx = b % 2, by = b / 2 % 3, bz = b / 6;
            CHECK(o[0] == 1 && o[1] == 325 && o[2] == bx + 10 * by + 100 * bz && o[3] == 232);
            CHECK(o[4] == 360 && o[5] == 12 && o[6] == b && o[7] == t && o[8] == 30 && o[9] == 0);
            CHECK(o[10] == bx * 5 + x + 100 * (by * 2 + y) + 10000 * (bz * 3 + z) && o[11] == x + 100 * y + 10000 * z);
        }
}

// --- tiles -----------------------------------------------------------------------------------------------------------
template <class Tile> static __device__ void common(const Tile &tile, u32 t, u32 *o)
{
    const u32 v = mix(t);
    o[0] = tile.size() * 10000 + tile.thread_rank();
    o[1] = tile.meta_group_rank() * 10000 + tile.meta_group_size();
    o[2] = tile.shfl(v, 3 % tile.size());
    o[3] = tile.any(v % 300 == 0) * 2 + tile.all(v % 300 != 1);
    o[4] = cg::reduce(tile, v, cg::plus<u32>());
    o[5] = (u32)cg::reduce(tile, (int)v, cg::less<int>());
    o[6] = cg::reduce(tile, v, cg::bit_xor<u32>());
    const uint64_t most = cg::reduce(tile, (uint64_t)v << 8 | t % 256, cg::greater<uint64_t>());
    o[7] = (u32)most ^ (u32)(most >> 32);
    const Line all = cg::reduce(tile, line(t), Then()), to = cg::inclusive_scan(tile, line(t), Then()),
               before = cg::exclusive_scan(tile, line(t), Then());
    o[8] = all.m ^ all.c, o[9] = to.m ^ to.c, o[10] = before.m ^ before.c;
    o[11] = cg::inclusive_scan(tile, v), o[12] = cg::exclusive_scan(tile, v);
    o[13] = (u32)cg::exclusive_scan(tile, (int)v, cg::greater<int>());
    o[14] = __float_as_uint(cg::reduce(tile, (float)(v % 64), cg::plus<float>()));
    o[15] = cg::invoke_one_broadcast(tile, [&] { return v + 1; });
    Wide w = {(char)v, v * 0.5, {(short)t, (short)(t + 1), (short)v}};
    w = tile.shfl(w, tile.size() - 1);
    o[16] = (u32)(w.a & 255) ^ (u32)w.b ^ (u32)(w.c[0] * 3 + w.c[1]) ^ (u32)w.c[2];
    o[17] = cg::reduce(tile, v | 0x10101u, cg::bit_and<u32>()) ^ cg::reduce(tile, v & 0x01010101u, cg::bit_or<u32>());
}
template <u32 N> __global__ void __launch_bounds__(T) tiles(u32 *out, bool own)
{
    __shared__ cg::block_tile_memory<T> memory;
    const auto block = own && N > 32 ? cg::this_thread_block(memory) : cg::this_thread_block();
    const u32 t = block.thread_rank();
    const auto tile = cg::tiled_partition<N>(block);
    u32 *o = out + t * WIDTH;
    common(tile, t, o);
    if constexpr (N <= 32) {
        o[18] = tile.shfl_up(t, 3) * 10000 + tile.shfl_down(t, 2), o[19] = tile.shfl_xor(t, N / 2);
        o[20] = tile.ballot(mix(t) & 1), o[21] = tile.match_any(mix(t) % 3);
        int same, differ;
        o[22] = tile.match_all(17, same), o[23] = tile.match_all(t, differ) * 4 + (u32)(same * 2 + differ);
    } else {
        const auto half = cg::tiled_partition<N / 2>(tile);
        o[18] = cg::reduce(half, t, cg::plus<u32>());
        o[19] = half.meta_group_rank() * 10 + half.meta_group_size();
        cg::thread_block_tile<4> few = cg::tiled_partition<4>(half);
        o[20] = cg::reduce(few, t, cg::plus<u32>()) + few.meta_group_size();
    }
}
// The numbers of common(), of a group whose members are these, for the one of this rank.
static void compare(const u32 *o, const std::vector<u32> &is, u32 rank)
{
    u32 sum = 0, bits = 0, up_to = 0, every = ~0u, some = 0;
    int least = INT32_MAX, most_before = INT32_MIN;
    uint64_t most = 0;
    bool any = false, all = true;
    float small = 0;
    Line way = line(is[0]), to = way, before = {0, 0};
    for (u32 k = 0; k < is.size(); k++) {
        const u32 v = mix(is[k]);
        if (k < rank && most_before < (int)v) most_before = (int)v;
        if (k <= rank) up_to += v;
        if (k == rank) before = k ? way : Line{0, 0};
        if (k) way = Then()(way, line(is[k]));
        if (k == rank) to = way;
        sum += v, bits ^= v, every &= v | 0x10101u, some |= v & 0x01010101u, small += (float)(v % 64);
        if ((int)v < least) least = (int)v;
        const uint64_t m = (uint64_t)v << 8 | is[k] % 256;
        if (m > most) most = m;
        any |= v % 300 == 0, all &= v % 300 != 1;
    }
    const u32 own = mix(is[rank]), last = is.back(), w = mix(last);
    CHECK(o[0] == is.size() * 10000 + rank);
    CHECK(o[2] == mix(is[3 % is.size()]) && o[3] == any * 2u + all);
    CHECK(o[4] == sum && o[5] == (u32)least && o[6] == bits && o[7] == ((u32)most ^ (u32)(most >> 32)));
    CHECK(o[8] == (way.m ^ way.c) && o[9] == (to.m ^ to.c) && o[10] == (before.m ^ before.c));
    CHECK(o[11] == up_to && o[12] == up_to - own && o[13] == (u32)most_before);
    CHECK(o[14] == __builtin_bit_cast(u32, small) && o[15] == mix(is[0]) + 1 && o[17] == (every ^ some));
    const u32 places = (u32)((short)last * 3 + (short)(last + 1));
    CHECK(o[16] == ((u32)((char)w & 255) ^ (u32)(w * 0.5) ^ places ^ (u32)(short)w));
}
template <u32 N> static void test_tiles(bool own)
{
    u32 *out = shared_array<u32>(T * WIDTH);
    tiles<N><<<1, T>>>(out, own);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    for (u32 t = 0; t < T; t++) {
        const u32 *o = out + t * WIDTH, first = t / N * N, rank = t % N;
        if (N > 32 && rank % 31 > 2) continue;
        std::vector<u32> is;
        for (u32 k = 0; k < N; k++) is.push_back(first + k);
        compare(o, is, rank);
        CHECK(o[1] == t / N * 10000 + T / N);
        if (N <= 32) {
            u32 odd = 0, same = 0;
            for (u32 k = 0; k < N; k++) odd |= (mix(is[k]) & 1) << k, same |= (u32)(mix(is[k]) % 3 == mix(t) % 3) << k;
            CHECK(o[18] == (rank < 3 ? t : t - 3) * 10000 + (rank + 2 < N ? t + 2 : t) && o[19] == (t ^ N / 2));
            CHECK(o[20] == odd && o[21] == same);
            const u32 full = (u32)((1ull << N) - 1);
            CHECK(o[22] == full && o[23] == (N == 1 ? 7u : 2u));
        } else {
            const u32 h = N / 2, four = t / 4 * 4;
            CHECK(o[18] == h * (t / h * h) + h * (h - 1) / 2 && o[19] == rank / h * 10 + 2);
            CHECK(o[20] == four * 4 + 6 + h / 4);
        }
    }
    MUST(cudaFree(out));
}

// --- threads of a warp in any pattern --------------------------------------------------------------------------------
__global__ void pattern(u32 *out, u32 lanes)
{
    const u32 t = threadIdx.x, l = t % 32;
    u32 *o = out + t * WIDTH;
    if (!(lanes >> l & 1)) return;
    const auto some = cg::coalesced_threads();
    common(some, t, o);
    o[18] = some.shfl_up(t, 2) * 10000 + some.shfl_down(t, 5);
    o[19] = some.ballot(mix(t) & 1), o[20] = some.match_any((uint64_t)(mix(t) % 3) << 40);
    int same;
    o[21] = some.match_all(t / 32, same) ^ (u32)same << 31;
    const auto part = cg::labeled_partition(some, mix(t) % 5);
    o[22] = part.meta_group_rank() * 1000000 + part.meta_group_size() * 10000 + part.thread_rank() * 100 + part.size();
    const auto two = cg::binary_partition(some, mix(t) % 3 == 0);
    o[23] = cg::reduce(two, t, cg::plus<u32>()) * 100 + two.meta_group_rank() * 10 + two.meta_group_size();
}
static void test_pattern(u32 lanes)
{
    u32 *out = shared_array<u32>(64 * WIDTH);
    pattern<<<1, 64>>>(out, lanes);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    for (u32 warp = 0; warp < 2; warp++) {
        std::vector<u32> is;
        for (u32 l = 0; l < 32; l++)
            if (lanes >> l & 1) is.push_back(warp * 32 + l);
        const u32 n = (u32)is.size();
        for (u32 rank = 0; rank < n; rank++) {
            const u32 t = is[rank], *o = out + t * WIDTH;
            compare(o, is, rank);
            CHECK(o[1] == 1);
            CHECK(o[18] == (rank < 2 ? t : is[rank - 2]) * 10000 + (rank + 5 < n ? is[rank + 5] : t));
            u32 odd = 0, same = 0, labels = 0, seen = 0, before = 0, size = 0, group = 0, sum = 0;
            for (u32 k = 0; k < n; k++) {
                const u32 v = mix(is[k]), label = v % 5;
                odd |= (v & 1) << k, same |= (u32)(v % 3 == mix(t) % 3) << k;
                if (label == mix(t) % 5 && !(seen >> label & 1)) group = labels;
                labels += !(seen >> label & 1), seen |= 1u << label;
                if (label == mix(t) % 5) before += k < rank, size++;
                if ((v % 3 == 0) == (mix(t) % 3 == 0)) sum += is[k];
            }
            CHECK(o[19] == odd && o[20] == same && o[21] == ((u32)((1ull << n) - 1) ^ 1u << 31));
            CHECK(o[22] == group * 1000000 + labels * 10000 + before * 100 + size);
            bool both = false;
            for (u32 m : is) both |= (mix(m) % 3 == 0) != (mix(is[0]) % 3 == 0);
            CHECK(o[23] == sum * 100 + ((mix(t) % 3 == 0) != (mix(is[0]) % 3 == 0)) * 10 + 1 + both);
        }
    }
}

// --- types, and one thread of a group --------------------------------------------------------------------------------
__global__ void others(u32 *out)
{
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const u32 t = block.thread_rank();
    out[0] = 0, out[1] = 0, out[2] = 0;
    block.sync();
    cg::invoke_one(block, [&](u32 n) { atomicAdd(&out[0], n); }, 5u);
    cg::invoke_one(warp, [&] { atomicAdd(&out[1], 1u); });
    if (t % 4 == 1) cg::invoke_one(cg::coalesced_threads(), [&] { atomicAdd(&out[2], 1u); });
    const __half h = cg::reduce(warp, __float2half((float)(t % 8)), cg::plus<__half>());
    const char c = cg::reduce(warp, (char)(t % 50), cg::greater<char>());
    const double d = cg::inclusive_scan(warp, 0.25 * (t % 32));
    const char up = warp.shfl_up((char)t, 1);
    if (t == 95) out[3] = (u32)__half2float(h), out[4] = (u32)c, out[5] = (u32)(d * 4), out[6] = (u32)up;
}
static void test_others()
{
    u32 *out = shared_array<u32>(8);
    others<<<1, 96>>>(out);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    CHECK(out[0] == 5 && out[1] == 3 && out[2] == 3);
    CHECK(out[3] == 4 * 28 && out[4] == 45 && out[5] == 31 * 16 && out[6] == 94);
}

// --- the grid's barrier ----------------------------------------------------------------------------------------------
__global__ void in_turn(u32 *sums, u32 *bad)
{
    cg::grid_group grid = cg::this_grid();
    for (u32 round = 0; round < 5; round++) {
        if (cg::this_thread_block().thread_rank() == 0) atomicAdd(&sums[round], (u32)grid.block_rank() + 1);
        auto token = grid.barrier_arrive();
        const u32 aside = mix(round);  // what needs nobody else
        grid.barrier_wait(std::move(token));
        const u32 n = (u32)grid.num_blocks();
        if (*(volatile u32 *)&sums[round] != n * (n + 1) / 2 || aside != mix(round) || !grid.is_valid()) *bad = 1;
        cg::thread_group any = grid;
        any.sync();
    }
}
static void test_grid(u32 blocks)
{
    u32 *sums = shared_array<u32>(5), *bad = shared_array<u32>(1);
    void *args[] = {&sums, &bad};
    MUST(cudaLaunchCooperativeKernel(in_turn, dim3(blocks), dim3(64), args));
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    CHECK(*bad == 0 && sums[4] == blocks * (blocks + 1) / 2);
}

int main()
{
    test_by_value();
    test_places();
    test_tiles<1>(false), test_tiles<8>(false), test_tiles<32>(false), test_tiles<64>(true), test_tiles<512>(false);
    for (u32 lanes : {~0u, 1u, 0x80000000u, 0x55555555u, 0x0ff00ff0u, 0xfffffffeu, 0x00080421u, 0x9e3779b9u})
        test_pattern(lanes);
    test_others();
    test_grid(7), test_grid(40), test_grid(1);
    return verdict();
}
