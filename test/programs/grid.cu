// Cooperative launches: all blocks of a grid wait for one another; as many blocks as the GPU has room for, and an error
// for more.
#include "check.cuh"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void rounds(int *a, int *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    if (!grid.is_valid() || grid.size() != gridDim.x * blockDim.x) return;
    for (int round = 0; round < 4; round++) {
        for (int k = grid.thread_rank(); k < n; k += grid.size()) b[k] = a[(k + 1) % n] + a[(k + n - 1) % n];
        grid.sync();
        int *swap = a;
        a = b, b = swap;
    }
}

int main()
{
    enum { N = 3000, T = 96 };
    int blocks, sms, there, *a = shared_array<int>(N), *b = shared_array<int>(N), n = N;
    MUST(cudaDeviceGetAttribute(&there, cudaDevAttrCooperativeLaunch, 0));
    CHECK(there == 1);
    MUST(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, T, 0));
    for (int k = 0; k < N; k++) a[k] = k == 1500;
    void *args[] = {&a, &b, &n};
    MUST(cudaLaunchCooperativeKernel(rounds, dim3(sms * 2), dim3(T), args));
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {  // four rounds are the fourth row of Pascal's triangle
        int d = k - 1500;
        CHECK(a[k] == (d == 0 ? 6 : d == 2 || d == -2 ? 4 : d == 4 || d == -4 ? 1 : 0));
    }
    CHECK(cudaLaunchCooperativeKernel(rounds, dim3(sms * blocks + 1), dim3(T), args) ==
          cudaErrorCooperativeLaunchTooLarge);
    return verdict();
}
