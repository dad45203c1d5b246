// The third file of solids.cu: how heights are put together.
#include "solids.cuh"

static __device__ int mixed(int a, int b) { return a ^ b; }
__device__ int largest(int a, int b) { return a > b ? a : b; }
__device__ Combine combines[COMBINES] = {sum, largest, mixed};

__device__ int block_combine(int x, Combine f)
{
    room[threadIdx.x] = x;
    __syncthreads();
    int all = room[0];
    for (int k = 1; threadIdx.x == 0 && k < (int)blockDim.x; k++) all = f(all, room[k]);
    __syncthreads();
    return all;
}
