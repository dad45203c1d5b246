// Cooperative groups: of a block, of tiles, of the threads that go one way; their ranks, sizes, shuffles and
// reductions.
#include "check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void work(int *sums, int *bad)
{
    __shared__ int box[128];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    auto warp = cg::tiled_partition<32>(block);
    int t = block.thread_rank();
    bool right = block.size() == 128 && block.group_index().x == blockIdx.x && tile.size() == 8 &&
                 tile.thread_rank() == t % 8 && tile.meta_group_rank() == t / 8 && tile.meta_group_size() == 16;
    right &= tile.shfl(t, 3) == t / 8 * 8 + 3 && tile.shfl_xor(t, 5) == (t ^ 5) && tile.any(t % 8 == 2);
    right &= cg::reduce(tile, t, cg::plus<int>()) == t / 8 * 64 + 28;
    right &= cg::reduce(warp, t % 9, cg::greater<int>()) == 8;
    right &= cg::inclusive_scan(warp, 2) == 2 * (t % 32 + 1);
    right &= cg::exclusive_scan(tile, t % 8) == (t % 8) * (t % 8 - 1) / 2;
    if (t % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        int first = t / 32 * 32, before = 0;
        for (int k = first; k < t; k++) before += k % 3 == 0;
        right &= (int)some.thread_rank() == before && some.size() >= 10 && some.shfl(t, 0) % 3 == 0;
    }
    auto labels = cg::labeled_partition(cg::coalesced_threads(), t % 2);
    right &= labels.size() == 16 && (int)labels.thread_rank() == t % 32 / 2;
    box[t] = t;
    block.sync();
    if (!right || box[127 - t] != 127 - t) atomicAdd(bad, 1);
    int sum = cg::reduce(tile, box[127 - t], cg::plus<int>());
    cg::invoke_one(tile, [&] { atomicAdd(&sums[blockIdx.x], sum); });
}

int main()
{
    int *sums = shared_array<int>(3), *bad = shared_array<int>(1);
    work<<<3, 128>>>(sums, bad);
    MUST(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    for (int k = 0; k < 3; k++) CHECK(sums[k] == 127 * 64);
    return verdict();
}
