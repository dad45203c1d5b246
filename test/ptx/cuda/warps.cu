// Warps and synchronisation: shuffles, votes, match, reductions, barriers, fences, clocks, special registers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(int *a, float *f, double *d, long long *l, short *s) {
    int i = threadIdx.x, x = a[i];
    x += __shfl_sync(~0u, x, 3) + __shfl_up_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 2, 16) +
        __shfl_xor_sync(~0u, x, 4);
    a[i] = x;
    f[i] = __shfl_xor_sync(~0u, f[i], 1, 8);
    d[i] = __shfl_down_sync(~0u, d[i], 16);
    l[i] = __shfl_sync(__activemask(), l[i], i ^ 1);
    s[i] = (short)__shfl_sync(~0u, s[i], 0);
}

extern "C" __global__ void votes(int *a, unsigned *u, unsigned long long *v) {
    int i = threadIdx.x;
    u[i] = __ballot_sync(~0u, a[i] > 3) + __any_sync(~0u, a[i]) + __all_sync(~0u, a[i] < 5) +
        __uni_sync(~0u, a[i] & 1) + __activemask();
    int pred;
    u[i] += __match_any_sync(~0u, a[i]) + __match_all_sync(~0u, v[i], &pred) + __match_any_sync(~0u, v[i]);
    u[i] += pred;
    __syncwarp();
    __syncwarp(0xffff);
#if __CUDA_ARCH__ >= 800
    u[i] += __reduce_add_sync(~0u, u[i]) + __reduce_min_sync(~0u, a[i]) + __reduce_max_sync(~0u, u[i]) +
        __reduce_or_sync(~0u, u[i]);
    u[i] += __reduce_and_sync(~0u, u[i]) ^ __reduce_xor_sync(~0u, u[i]);
#endif
}

extern "C" __global__ void barriers(int *a) {
    __syncthreads();
    a[0] = __syncthreads_count(a[threadIdx.x]) + __syncthreads_and(a[1]) + __syncthreads_or(a[2]);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 64;");
    asm volatile("barrier.sync.aligned 3;");
    __nanosleep(100);
}

extern "C" __global__ void registers(unsigned *u, unsigned long long *v) {
    u[0] = threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z + blockDim.x + blockDim.y +
        blockDim.z +
           gridDim.x + gridDim.y + gridDim.z + warpSize + (unsigned)clock();
    v[0] = clock64();
}

extern "C" __global__ void asm_registers(unsigned *u, unsigned long long *v) {
#define READ(r)                                    \
    asm volatile("mov.u32 %0, " r ";" : "=r"(x)); \
    u[n++] = x
    unsigned x;
    int n = 0;
    READ("%%laneid"); READ("%%warpid"); READ("%%nwarpid"); READ("%%smid"); READ("%%nsmid"); READ("%%lanemask_eq");
    READ("%%lanemask_le");
    READ("%%lanemask_lt"); READ("%%lanemask_ge"); READ("%%lanemask_gt"); READ("%%clock"); READ("%%clock_hi");
    READ("%%globaltimer_lo");
    READ("%%globaltimer_hi"); READ("%%dynamic_smem_size"); READ("%%total_smem_size");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v[0]));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(v[1]));
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(v[2]));
}

extern "C" __global__ void groups(int *a) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int x = a[block.thread_rank()];
    for (int k = tile.size() / 2; k; k /= 2) x += tile.shfl_down(x, k);
    block.sync();
    x += cg::reduce(tile, x, cg::plus<int>()) + cg::inclusive_scan(tile, x);
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) a[0] = (int)active.size();
    tile.sync();
    a[block.thread_rank()] = x + tile.any(x) + (int)tile.ballot(x > 2) + (int)tile.meta_group_rank();
}
