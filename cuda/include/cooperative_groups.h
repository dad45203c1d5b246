// cooperative_groups.h: groups of threads as values: a block, a grid, a cluster, tiles of a block, the threads of a
// warp that go one way. Names and meanings are those of the CUDA C++ Programming Guide.
//
// Every group is a thread_group by its data, so that it can be passed as one by value; its type knows more, and all of
// that is folded when functions are inlined. Threads of one warp are a mask of lanes, ranked from the lowest. A tile of
// several warps has a barrier and a slot per warp in shared memory.
#ifndef ONCHIP_COOPERATIVE_GROUPS_H
#define ONCHIP_COOPERATIVE_GROUPS_H
#include "onchip/letters_off.h"
#define _COOPERATIVE_GROUPS_H_

#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_runtime.h"

#include <type_traits>

#define ONCHIP_IN __attribute__((device, always_inline, nodebug))

namespace cooperative_groups {

// --- shared memory of tiles of several warps -------------------------------------------------------------------------
struct __align__(16) onchip_tiles {
    unsigned barrier[32][2];  // of a tile of n threads, the r-th of its block: 1024 / n + r; arrivals and generation
    ONCHIP_IN void *slot(unsigned warp) { return (unsigned char *)(this + 1) + 32 * warp; }
};
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    static_assert(MaxBlockSize > 0 && MaxBlockSize <= 1024, "a block has at most 1024 threads");
    onchip_tiles tiles;
    unsigned char slots[(MaxBlockSize + 31) / 32][32];
};

// The last of n to arrive lets all go on. Every generation leaves the count at 0. The generation is read before the
// arrival, since it may end right after.
template <bool grid> ONCHIP_FN void onchip_fence()
{
    if constexpr (grid)
        __threadfence();
    else
        __threadfence_block();
}
template <bool grid> ONCHIP_FN unsigned onchip_arrive(unsigned *barrier, unsigned n)
{
    const unsigned generation = *(volatile unsigned *)&barrier[1];
    onchip_fence<grid>();
    if (atomicInc(&barrier[0], n - 1) == n - 1) {
        onchip_fence<grid>();
        *(volatile unsigned *)&barrier[1] = generation + 1;
    }
    return generation;
}
template <bool grid> ONCHIP_FN void onchip_wait(const unsigned *barrier, unsigned generation)
{
    while (*(const volatile unsigned *)&barrier[1] == generation) {}
    onchip_fence<grid>();
}

// --- threads, blocks, lanes ------------------------------------------------------------------------------------------
ONCHIP_FN unsigned onchip_lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
ONCHIP_FN unsigned onchip_block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
ONCHIP_FN unsigned onchip_block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
ONCHIP_FN unsigned onchip_tile_mask(unsigned lane, unsigned n)
{
    return n >= 32 ? ~0u : ((1u << n) - 1) << (lane & ~(n - 1));
}
// The lane of a rank among those of a mask.
ONCHIP_FN unsigned onchip_lane_of(unsigned mask, unsigned rank)
{
    return mask == ~0u ? rank : __fns(mask, 0, (int)rank + 1);
}

enum onchip_shuffles { onchip_idx, onchip_up, onchip_down, onchip_xor };
template <onchip_shuffles how> ONCHIP_FN unsigned onchip_shuffle_word(unsigned mask, unsigned v, unsigned b, unsigned c)
{
    if constexpr (how == onchip_idx) return onchip__shfl(mask, v, b, c | 31);
    if constexpr (how == onchip_up) return onchip__shfl_up(mask, v, b, c);
    if constexpr (how == onchip_down) return onchip__shfl_down(mask, v, b, c | 31);
    return onchip__shfl_xor(mask, v, b, c | 31);
}
template <onchip_shuffles how, class T>
ONCHIP_FN T onchip_shuffle(unsigned mask, const T &v, unsigned b, unsigned width)
{
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 32, "at most 32 bytes, trivially copyable");
    const unsigned c = (32 - width) << 8;
    unsigned word[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(word, &v, sizeof(T));
    for (unsigned k = 0; k < sizeof word / 4; k++) word[k] = onchip_shuffle_word<how>(mask, word[k], b, c);
    T r = v;
    __builtin_memcpy(&r, word, sizeof(T));
    return r;
}

// --- any group -------------------------------------------------------------------------------------------------------
enum onchip_kinds : unsigned { onchip_of_block, onchip_of_grid, onchip_of_cluster, onchip_of_lanes, onchip_of_warps };
struct onchip_group {
    onchip_kinds kind;
    unsigned mask;                 // of lanes; of warps: how many threads
    unsigned meta_rank, meta_size;  // which of how many its parent was cut into
    onchip_tiles *tiles;           // of a block and of warps; may be 0
};

ONCHIP_FN void onchip_sync_grid();
ONCHIP_FN void onchip_sync_cluster();
ONCHIP_FN unsigned onchip_cluster_blocks();
ONCHIP_FN unsigned onchip_cluster_block_rank();
ONCHIP_FN unsigned long long onchip_grid_block_rank();
ONCHIP_FN void onchip_sync_warps(onchip_tiles *tiles, unsigned size)
{
    __syncwarp();
    if (onchip_lane() == 0) {
        unsigned *barrier = tiles->barrier[1024 / size + onchip_block_rank() / size];
        onchip_wait<false>(barrier, onchip_arrive<false>(barrier, size / 32));
    }
    __syncwarp();
}

class thread_group {
public:
    ONCHIP_IN explicit thread_group(const onchip_group &g) : of(g) {}
    ONCHIP_IN unsigned long long num_threads() const
    {
        switch (of.kind) {
        case onchip_of_block: return onchip_block_threads();
        case onchip_of_grid: return (unsigned long long)onchip_block_threads() * gridDim.x * gridDim.y * gridDim.z;
        case onchip_of_cluster: return onchip_block_threads() * onchip_cluster_blocks();
        case onchip_of_lanes: return (unsigned)__popc(of.mask);
        default: return of.mask;
        }
    }
    ONCHIP_IN unsigned long long size() const { return num_threads(); }
    ONCHIP_IN unsigned long long thread_rank() const
    {
        switch (of.kind) {
        case onchip_of_block: return onchip_block_rank();
        case onchip_of_grid: return onchip_grid_block_rank() * onchip_block_threads() + onchip_block_rank();
        case onchip_of_cluster: return onchip_cluster_block_rank() * onchip_block_threads() + onchip_block_rank();
        case onchip_of_lanes: return (unsigned)__popc(of.mask & __lanemask_lt());
        default: return onchip_block_rank() & (of.mask - 1);
        }
    }
    ONCHIP_IN void sync() const
    {
        switch (of.kind) {
        case onchip_of_block: return __syncthreads();
        case onchip_of_grid: return onchip_sync_grid();
        case onchip_of_cluster: return onchip_sync_cluster();
        case onchip_of_lanes: return __syncwarp(of.mask);
        default: return onchip_sync_warps(of.tiles, of.mask);
        }
    }
    ONCHIP_IN bool is_valid() const;
    ONCHIP_IN const onchip_group &onchip_data() const { return of; }

protected:
    onchip_group of;
};

// --- a block ---------------------------------------------------------------------------------------------------------
class thread_block : public thread_group {
public:
    struct arrival_token {};
    ONCHIP_IN explicit thread_block(onchip_tiles *tiles) : thread_group({onchip_of_block, 0, 0, 1, tiles}) {}
    ONCHIP_IN static void sync() { __syncthreads(); }
    // All of a block's threads come to barrier_wait, too: the barrier is there.
    ONCHIP_IN static arrival_token barrier_arrive()
    {
        __threadfence_block();
        return {};
    }
    ONCHIP_IN static void barrier_wait(arrival_token &&) { __syncthreads(); }
    ONCHIP_IN static unsigned thread_rank() { return onchip_block_rank(); }
    ONCHIP_IN static unsigned num_threads() { return onchip_block_threads(); }
    ONCHIP_IN static unsigned size() { return num_threads(); }
    ONCHIP_IN static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    ONCHIP_IN static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    ONCHIP_IN static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
    ONCHIP_IN static dim3 group_dim() { return dim_threads(); }
};
ONCHIP_FN thread_block this_thread_block() { return thread_block(nullptr); }

// The block's threads come here together, and none before all have left the tiles' barriers.
ONCHIP_FN void onchip_clear(onchip_tiles *tiles)
{
    __syncthreads();
    for (unsigned k = onchip_block_rank(); k < 64; k += onchip_block_threads()) tiles->barrier[k / 2][k % 2] = 0;
    __syncthreads();
}
template <unsigned int MaxBlockSize> ONCHIP_FN thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory)
{
    onchip_clear(&memory.tiles);
    return thread_block(&memory.tiles);
}

// --- a cluster -------------------------------------------------------------------------------------------------------
#if ONCHIP_ARCH >= 900
#define ONCHIP_SPECIAL(name, of)                                                                              \
    ONCHIP_FN unsigned name()                                                                                 \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm("mov.u32 %0, %%" of ";" : "=r"(r));                                                               \
        return r;                                                                                             \
    }
#define ONCHIP_SPECIAL_3(name, of)                                                                            \
    ONCHIP_SPECIAL(name##_x, of ".x")                                                                         \
    ONCHIP_SPECIAL(name##_y, of ".y")                                                                         \
    ONCHIP_SPECIAL(name##_z, of ".z")                                                                         \
    ONCHIP_FN dim3 name() { return {name##_x(), name##_y(), name##_z()}; }
ONCHIP_SPECIAL(onchip_cluster_blocks, "cluster_nctarank")
ONCHIP_SPECIAL(onchip_cluster_block_rank, "cluster_ctarank")
ONCHIP_SPECIAL_3(onchip_cluster_at, "clusterid")
ONCHIP_SPECIAL_3(onchip_clusters, "nclusterid")
ONCHIP_SPECIAL_3(onchip_cluster_block, "cluster_ctaid")
ONCHIP_SPECIAL_3(onchip_cluster_dim, "cluster_nctaid")
#undef ONCHIP_SPECIAL_3
#undef ONCHIP_SPECIAL

class cluster_group : public thread_group {
public:
    struct arrival_token {};
    ONCHIP_IN cluster_group() : thread_group(onchip_group{onchip_of_cluster, 0, 0, 1, nullptr}) {}
    ONCHIP_IN static void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    ONCHIP_IN static arrival_token barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return {};
    }
    ONCHIP_IN static void barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
    ONCHIP_IN static void barrier_wait(arrival_token &&) { barrier_wait(); }
    ONCHIP_IN static unsigned thread_rank() { return block_rank() * onchip_block_threads() + onchip_block_rank(); }
    ONCHIP_IN static unsigned num_threads() { return num_blocks() * onchip_block_threads(); }
    ONCHIP_IN static unsigned size() { return num_threads(); }
    ONCHIP_IN static unsigned block_rank() { return onchip_cluster_block_rank(); }
    ONCHIP_IN static unsigned num_blocks() { return onchip_cluster_blocks(); }
    ONCHIP_IN static dim3 block_index() { return onchip_cluster_block(); }
    ONCHIP_IN static dim3 dim_blocks() { return onchip_cluster_dim(); }
    ONCHIP_IN static dim3 dim_threads()
    {
        const dim3 d = dim_blocks();
        return {d.x * blockDim.x, d.y * blockDim.y, d.z * blockDim.z};
    }
    ONCHIP_IN static dim3 thread_index()
    {
        const dim3 b = block_index();
        return {b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z};
    }
    // The block whose shared memory an address lies in, and the address of the same variable in another block's.
    ONCHIP_IN static unsigned query_shared_rank(const void *address)
    {
        unsigned r;
        asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(address));
        return r;
    }
    template <class T> ONCHIP_IN static T *map_shared_rank(T *address, int rank)
    {
        T *r;
        asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(address), "r"(rank));
        return r;
    }
};
ONCHIP_FN cluster_group this_cluster() { return cluster_group(); }
ONCHIP_FN void onchip_sync_cluster() { cluster_group::sync(); }
#else
ONCHIP_FN void onchip_sync_cluster() {}
ONCHIP_FN unsigned onchip_cluster_blocks() { return 1; }
ONCHIP_FN unsigned onchip_cluster_block_rank() { return 0; }
#endif

// --- a grid ----------------------------------------------------------------------------------------------------------
// A cooperative launch has memory for the blocks' barrier, whose address the driver gives in two registers.
ONCHIP_FN unsigned *onchip_grid_memory()
{
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned *)((unsigned long long)high << 32 | low);
}
ONCHIP_FN unsigned long long onchip_grid_block_rank()
{
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

class grid_group : public thread_group {
public:
    struct arrival_token {
        unsigned generation;
    };
    ONCHIP_IN grid_group() : thread_group(onchip_group{onchip_of_grid, 0, 0, 1, nullptr}) {}
    ONCHIP_IN static bool is_valid() { return onchip_grid_memory() != nullptr; }
    ONCHIP_IN static void sync() { barrier_wait(barrier_arrive()); }
    // One thread arrives and waits for its block.
    ONCHIP_IN static arrival_token barrier_arrive()
    {
        if (!is_valid()) __trap();
        __syncthreads();
        arrival_token token = {0};
        if (onchip_block_rank() == 0)
            token.generation = onchip_arrive<true>(onchip_grid_memory(), (unsigned)num_blocks());
        return token;
    }
    ONCHIP_IN static void barrier_wait(arrival_token &&token)
    {
        if (onchip_block_rank() == 0) onchip_wait<true>(onchip_grid_memory(), token.generation);
        __syncthreads();
    }
    ONCHIP_IN static unsigned long long thread_rank()
    {
        return block_rank() * onchip_block_threads() + onchip_block_rank();
    }
    ONCHIP_IN static unsigned long long num_threads() { return num_blocks() * onchip_block_threads(); }
    ONCHIP_IN static unsigned long long size() { return num_threads(); }
    ONCHIP_IN static unsigned long long block_rank() { return onchip_grid_block_rank(); }
    ONCHIP_IN static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    ONCHIP_IN static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    ONCHIP_IN static dim3 dim_blocks() { return {gridDim.x, gridDim.y, gridDim.z}; }
    ONCHIP_IN static dim3 group_dim() { return dim_blocks(); }
    ONCHIP_IN static dim3 thread_index()
    {
        return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z};
    }
#if ONCHIP_ARCH >= 900
    ONCHIP_IN static dim3 cluster_index() { return onchip_cluster_at(); }
    ONCHIP_IN static dim3 dim_clusters() { return onchip_clusters(); }
    ONCHIP_IN static unsigned long long cluster_rank()
    {
        const dim3 c = cluster_index(), n = dim_clusters();
        return ((unsigned long long)c.z * n.y + c.y) * n.x + c.x;
    }
    ONCHIP_IN static unsigned long long num_clusters()
    {
        const dim3 n = dim_clusters();
        return (unsigned long long)n.x * n.y * n.z;
    }
#endif
};
ONCHIP_FN grid_group this_grid() { return grid_group(); }
ONCHIP_FN void onchip_sync_grid() { grid_group::sync(); }
ONCHIP_IN inline bool thread_group::is_valid() const { return of.kind != onchip_of_grid || grid_group::is_valid(); }

// --- threads of a warp -----------------------------------------------------------------------------------------------
class coalesced_group : public thread_group {
public:
    ONCHIP_IN coalesced_group(unsigned mask, unsigned meta_rank, unsigned meta_size)
        : thread_group(onchip_group{onchip_of_lanes, mask, meta_rank, meta_size, nullptr})
    {
    }
    ONCHIP_IN void sync() const { __syncwarp(of.mask); }
    ONCHIP_IN unsigned num_threads() const { return (unsigned)__popc(of.mask); }
    ONCHIP_IN unsigned size() const { return num_threads(); }
    ONCHIP_IN unsigned thread_rank() const { return (unsigned)__popc(of.mask & __lanemask_lt()); }
    ONCHIP_IN unsigned meta_group_size() const { return of.meta_size; }
    ONCHIP_IN unsigned meta_group_rank() const { return of.meta_rank; }
    template <class T> ONCHIP_IN T shfl(T var, unsigned src_rank) const
    {
        return onchip_shuffle<onchip_idx>(of.mask, var, onchip_lane_of(of.mask, src_rank), 32);
    }
    // Beyond the group's ends a thread gets its own.
    template <class T> ONCHIP_IN T shfl_up(T var, unsigned delta) const
    {
        if (of.mask == ~0u) return onchip_shuffle<onchip_up>(of.mask, var, delta, 32);
        const unsigned rank = thread_rank();
        const unsigned from = rank >= delta ? onchip_lane_of(of.mask, rank - delta) : onchip_lane();
        return onchip_shuffle<onchip_idx>(of.mask, var, from, 32);
    }
    template <class T> ONCHIP_IN T shfl_down(T var, unsigned delta) const
    {
        if (of.mask == ~0u) return onchip_shuffle<onchip_down>(of.mask, var, delta, 32);
        const unsigned rank = thread_rank();
        const unsigned from = delta < num_threads() - rank ? onchip_lane_of(of.mask, rank + delta) : onchip_lane();
        return onchip_shuffle<onchip_idx>(of.mask, var, from, 32);
    }
    ONCHIP_IN int any(int predicate) const { return (__ballot_sync(of.mask, predicate) & of.mask) != 0; }
    ONCHIP_IN int all(int predicate) const { return (__ballot_sync(of.mask, predicate) & of.mask) == of.mask; }
    ONCHIP_IN unsigned ballot(int predicate) const { return packed(__ballot_sync(of.mask, predicate)); }
#if ONCHIP_ARCH >= 700
    template <class T> ONCHIP_IN unsigned match_any(T value) const { return packed(__match_any_sync(of.mask, value)); }
    template <class T> ONCHIP_IN unsigned match_all(T value, int &predicate) const
    {
        return packed(__match_all_sync(of.mask, value, &predicate));
    }
#endif

private:
    // Bits of lanes become bits of ranks.
    ONCHIP_IN unsigned packed(unsigned lanes) const
    {
        lanes &= of.mask;
        if (of.mask == ~0u) return lanes;
        unsigned r = 0, rank = 0;
        for (unsigned rest = of.mask; rest; rest &= rest - 1, rank++)
            r |= (lanes >> (__ffs((int)rest) - 1) & 1) << rank;
        return r;
    }
};
ONCHIP_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask(), 0, 1); }

// --- tiles -----------------------------------------------------------------------------------------------------------
// ParentT is what it was cut from; void: it isn't said.
template <unsigned int Size, typename ParentT = void> class thread_block_tile;

template <unsigned int Size> class thread_block_tile<Size, void> : public thread_group {
    static_assert(Size && !(Size & (Size - 1)) && Size <= 512, "a tile has 1, 2, 4, …, 512 threads");

public:
    ONCHIP_IN thread_block_tile(unsigned meta_rank, unsigned meta_size, onchip_tiles *tiles = nullptr)
        : thread_group(Size > 32
                           ? onchip_group{onchip_of_warps, Size, meta_rank, meta_size, tiles}
                           : onchip_group{onchip_of_lanes, onchip_tile_mask(onchip_lane(), Size), meta_rank, meta_size,
                                          nullptr})
    {
    }
    ONCHIP_IN void sync() const
    {
        if constexpr (Size > 32)
            onchip_sync_warps(of.tiles, Size);
        else
            __syncwarp(of.mask);
    }
    ONCHIP_IN static constexpr unsigned num_threads() { return Size; }
    ONCHIP_IN static constexpr unsigned size() { return Size; }
    ONCHIP_IN static unsigned thread_rank() { return (Size > 32 ? onchip_block_rank() : onchip_lane()) & (Size - 1); }
    ONCHIP_IN unsigned meta_group_size() const { return of.meta_size; }
    ONCHIP_IN unsigned meta_group_rank() const { return of.meta_rank; }
    template <class T> ONCHIP_IN T shfl(T var, int src_rank) const
    {
        if constexpr (Size > 32) {
            const unsigned from = (unsigned)src_rank & (Size - 1);
            if (thread_rank() == from) put(var);
            sync();
            const T r = get<T>(from / 32);
            sync();
            return r;
        } else {
            return onchip_shuffle<onchip_idx>(of.mask, var, (unsigned)src_rank, Size);
        }
    }
    template <class T> ONCHIP_IN T shfl_up(T var, unsigned delta) const
    {
        return onchip_shuffle<onchip_up>(warp_mask(), var, delta, Size);
    }
    template <class T> ONCHIP_IN T shfl_down(T var, unsigned delta) const
    {
        return onchip_shuffle<onchip_down>(warp_mask(), var, delta, Size);
    }
    template <class T> ONCHIP_IN T shfl_xor(T var, unsigned lane_mask) const
    {
        return onchip_shuffle<onchip_xor>(warp_mask(), var, lane_mask, Size);
    }
    ONCHIP_IN int any(int predicate) const
    {
        if constexpr (Size > 32) return votes([](unsigned v) { return v != 0; }, predicate) != 0;
        return (__ballot_sync(of.mask, predicate) & of.mask) != 0;
    }
    ONCHIP_IN int all(int predicate) const
    {
        if constexpr (Size > 32) return votes([](unsigned v) { return v == ~0u; }, predicate) == Size / 32;
        return (__ballot_sync(of.mask, predicate) & of.mask) == of.mask;
    }
    ONCHIP_IN unsigned ballot(int predicate) const { return ranks(__ballot_sync(warp_mask(), predicate)); }
#if ONCHIP_ARCH >= 700
    template <class T> ONCHIP_IN unsigned match_any(T value) const
    {
        return ranks(__match_any_sync(warp_mask(), value));
    }
    template <class T> ONCHIP_IN unsigned match_all(T value, int &predicate) const
    {
        return ranks(__match_all_sync(warp_mask(), value, &predicate));
    }
#endif
    // The warp's slot, and that of one of the tile's warps. Between put and get, and get and put, the tile is in step.
    template <class T> ONCHIP_IN void put(const T &v) const
    {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 32, "at most 32 bytes, trivially copyable");
        __builtin_memcpy(of.tiles->slot(onchip_block_rank() / 32), &v, sizeof(T));
    }
    template <class T> ONCHIP_IN T get(unsigned warp) const
    {
        alignas(T) unsigned char r[sizeof(T)];
        __builtin_memcpy(r, of.tiles->slot(onchip_block_rank() / Size * (Size / 32) + warp), sizeof(T));
        return __builtin_bit_cast(T, r);
    }

private:
    ONCHIP_IN unsigned warp_mask() const
    {
        static_assert(Size <= 32, "only a tile of at most 32 threads has this function");
        return of.mask;
    }
    ONCHIP_IN static unsigned ranks(unsigned lanes)
    {
        return lanes >> (onchip_lane() & ~(Size - 1) & 31) & onchip_tile_mask(0, Size);
    }
    // How many warps' votes are such.
    template <class Is> ONCHIP_IN unsigned votes(Is is, int predicate) const
    {
        put(__ballot_sync(~0u, predicate));
        sync();
        unsigned n = 0;
        for (unsigned warp = 0; warp < Size / 32; warp++) n += is(get<unsigned>(warp));
        sync();
        return n;
    }
};
template <unsigned int Size, typename ParentT> class thread_block_tile : public thread_block_tile<Size, void> {
public:
    using thread_block_tile<Size, void>::thread_block_tile;
};

ONCHIP_FN thread_block_tile<1> this_thread() { return thread_block_tile<1>(0, 1); }

// --- partitions ------------------------------------------------------------------------------------------------------
// For a block that brought none.
ONCHIP_FN onchip_tiles *onchip_own_tiles()
{
    __shared__ block_tile_memory<1024> memory;
    return &memory.tiles;
}
template <unsigned int Size> ONCHIP_FN thread_block_tile<Size, thread_block> tiled_partition(const thread_block &parent)
{
    onchip_tiles *tiles = nullptr;
    if constexpr (Size > 32) {
        tiles = parent.onchip_data().tiles;
        if (!tiles) onchip_clear(tiles = onchip_own_tiles());
    }
    return {onchip_block_rank() / Size, (onchip_block_threads() + Size - 1) / Size, tiles};
}
template <unsigned int Size, unsigned int Of, typename ParentT>
ONCHIP_FN thread_block_tile<Size, thread_block_tile<Of, ParentT>>
tiled_partition(const thread_block_tile<Of, ParentT> &parent)
{
    static_assert(Size <= Of, "a tile's part isn't larger");
    return {parent.thread_rank() / Size, Of / Size, parent.onchip_data().tiles};
}

// size is a power of two up to 32, and divides the block.
ONCHIP_FN coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
    const unsigned mask = parent.onchip_data().mask, rank = parent.thread_rank() / size;
    unsigned rest = mask, r = 0;
    for (unsigned k = 0; k < rank * size; k++) rest &= rest - 1;
    for (unsigned k = 0; k < size && rest; k++, rest &= rest - 1) r |= rest & -rest;
    return coalesced_group(r, rank, (parent.num_threads() + size - 1) / size);
}
ONCHIP_FN thread_group tiled_partition(const thread_block &, unsigned int size)
{
    const unsigned n = (onchip_block_threads() + size - 1) / size;
    return coalesced_group(onchip_tile_mask(onchip_lane(), size), onchip_block_rank() / size, n);
}
ONCHIP_FN thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    const onchip_group &of = parent.onchip_data();
    if (of.kind == onchip_of_lanes)
        return tiled_partition(coalesced_group(of.mask, of.meta_rank, of.meta_size), size);
    return tiled_partition(this_thread_block(), size);
}

#if ONCHIP_ARCH >= 700
// Each thread is in the group of the lanes that are its own; groups are ranked by their first.
ONCHIP_FN coalesced_group onchip_parted(unsigned mask, unsigned own)
{
    const unsigned first = own & -own, leaders = __ballot_sync(mask, onchip_lane() == (unsigned)__ffs((int)own) - 1);
    return coalesced_group(own, (unsigned)__popc(leaders & (first - 1)), (unsigned)__popc(leaders));
}
template <class Group, class Label> ONCHIP_FN coalesced_group labeled_partition(const Group &parent, Label label)
{
    static_assert(std::is_integral<Label>::value, "a label is an integer");
    const unsigned mask = parent.onchip_data().mask;
    if constexpr (sizeof(Label) > 4)
        return onchip_parted(mask, __match_any_sync(mask, (long long)label) & mask);
    else
        return onchip_parted(mask, __match_any_sync(mask, (int)label) & mask);
}
template <class Group> ONCHIP_FN coalesced_group binary_partition(const Group &parent, bool pred)
{
    const unsigned mask = parent.onchip_data().mask, yes = __ballot_sync(mask, pred) & mask;
    return onchip_parted(mask, pred ? yes : mask & ~yes);
}
#endif

// --- functions of any group ------------------------------------------------------------------------------------------
template <class Group> ONCHIP_FN void sync(const Group &group) { group.sync(); }
template <class Group> ONCHIP_FN auto thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> ONCHIP_FN auto group_size(const Group &group) { return group.num_threads(); }
template <class Group> ONCHIP_FN bool is_valid(const Group &group) { return group.is_valid(); }
ONCHIP_FN dim3 group_index(const thread_block &group) { return group.group_index(); }
ONCHIP_FN dim3 thread_index(const thread_block &group) { return group.thread_index(); }
ONCHIP_FN dim3 group_dim(const thread_block &group) { return group.group_dim(); }

// One thread of the group calls fn: the first, or of a warp's threads from sm_90 on the one that is elected.
template <class Group> ONCHIP_FN bool onchip_chosen(const Group &group)
{
#if ONCHIP_ARCH >= 900
    if (group.onchip_data().kind == onchip_of_lanes) {
        unsigned r;
        asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }"
                     : "=r"(r)
                     : "r"(group.onchip_data().mask));
        return r;
    }
#endif
    return group.thread_rank() == 0;
}
template <class Group, class Fn, class... Args>
ONCHIP_FN void invoke_one(const Group &group, Fn &&fn, Args &&...args)
{
    if (onchip_chosen(group)) static_cast<Fn &&>(fn)(static_cast<Args &&>(args)...);
}
template <class Group, class Fn, class... Args>
ONCHIP_FN auto invoke_one_broadcast(const Group &group, Fn &&fn, Args &&...args)
{
    using R = std::remove_reference_t<decltype(fn(static_cast<Args &&>(args)...))>;
    alignas(R) unsigned char r[sizeof(R)] = {};
    if (group.thread_rank() == 0) {
        const R v = static_cast<Fn &&>(fn)(static_cast<Args &&>(args)...);
        __builtin_memcpy(r, &v, sizeof(R));
    }
    return group.shfl(__builtin_bit_cast(R, r), 0);
}

}  // namespace cooperative_groups

#undef ONCHIP_IN
#endif

#include "onchip/letters_back.h"
#endif
