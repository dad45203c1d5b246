// The cluster as a group: places and sizes of two dimensions, shared memory of other blocks, the barrier in two halves,
// and the same as a thread_group. It needs sm_90.
#include "../../programs/check.cuh"

#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

enum { T = 64, WIDTH = 16 };

__global__ void work(unsigned *out)
{
    __shared__ unsigned mine[T], written[T], sum;
    const cg::cluster_group c = cg::this_cluster();
    const cg::grid_group grid = cg::this_grid();
    const unsigned t = threadIdx.x, rank = c.block_rank(), next = (rank + 1) % c.num_blocks();
    unsigned *o = out + ((blockIdx.y * gridDim.x + blockIdx.x) * T + t) * WIDTH;
    mine[t] = rank * 1000 + t;
    if (!t) sum = 0;
    c.sync();
    o[0] = c.map_shared_rank(mine, next)[T - 1 - t];
    c.map_shared_rank(written, next)[t] = rank * 100 + t;
    atomicAdd(c.map_shared_rank(&sum, 0), rank + 1);
    auto token = c.barrier_arrive();
    o[3] = c.query_shared_rank(c.map_shared_rank(&sum, next));
    c.barrier_wait(std::move(token));
    o[1] = written[t], o[2] = *c.map_shared_rank(&sum, 0);
    o[4] = rank, o[5] = c.num_blocks(), o[6] = c.thread_rank(), o[7] = c.num_threads();
    const dim3 b = c.block_index(), n = c.dim_blocks(), d = c.dim_threads(), at = grid.cluster_index(),
               of = grid.dim_clusters(), thread = c.thread_index();
    o[8] = b.x + 10 * b.y, o[9] = n.x + 10 * n.y, o[10] = d.x + 1000 * d.y, o[11] = at.x + 10 * at.y;
    o[12] = of.x + 10 * of.y, o[13] = (unsigned)(grid.cluster_rank() * 10 + grid.num_clusters());
    o[14] = thread.x + 1000 * thread.y;
    const cg::thread_group any = c;
    any.sync();
    o[15] = (unsigned)(any.size() * 1000 + any.thread_rank());
}

int main()
{
    unsigned *out = shared_array<unsigned>(16 * T * WIDTH);
    cudaLaunchAttribute a;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = a.val.clusterDim.y = 2, a.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4, 4), config.blockDim = dim3(T), config.attrs = &a, config.numAttrs = 1;
    MUST(cudaLaunchKernelEx(&config, work, out));
    MUST(cudaDeviceSynchronize());
    for (unsigned k = 0; k < 16 * T; k++) {
        const unsigned t = k % T, x = k / T % 4, y = k / T / 4, rank = x % 2 + y % 2 * 2, next = (rank + 1) % 4;
        const unsigned *o = out + k * WIDTH;
        CHECK(o[0] == next * 1000 + T - 1 - t && o[1] == (rank + 3) % 4 * 100 + t && o[2] == 10 * T && o[3] == next);
        CHECK(o[4] == rank && o[5] == 4 && o[6] == rank * T + t && o[7] == 4 * T);
        CHECK(o[8] == x % 2 + 10 * (y % 2) && o[9] == 22 && o[10] == 2 * T + 2000 && o[11] == x / 2 + 10 * (y / 2));
        CHECK(o[12] == 22 && o[13] == (x / 2 + y / 2 * 2) * 10 + 4 && o[14] == x % 2 * T + t + 1000 * (y % 2));
        CHECK(o[15] == 4 * T * 1000 + rank * T + t);
    }
    return verdict();
}
