// Launches in one, two and three dimensions: every thread runs once, and knows its place (CUDA C++ Programming Guide,
// "Thread Hierarchy").
#include "check.cuh"

__global__ void mark(unsigned *seen, unsigned *bad, dim3 grid, dim3 block)
{
    unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    bool same = gridDim.x == grid.x && gridDim.y == grid.y && gridDim.z == grid.z && blockDim.x == block.x &&
                blockDim.y == block.y && blockDim.z == block.z && warpSize == 32;
    if (!same) atomicAdd(bad, 1);
    atomicAdd(&seen[b * (blockDim.x * blockDim.y * blockDim.z) + t], 1 + t % 3);
}

int main()
{
    const dim3 shapes[][2] = {{{1}, {1}},
                              {{7}, {33}},
                              {{1}, {1024}},
                              {{3, 5}, {8, 4}},
                              {{2, 3, 4}, {5, 3, 2}},
                              {{1, 1, 9}, {1, 1, 64}},
                              {{1, 11}, {1, 1024}},
                              {{4}, {2, 2, 7}}};
    unsigned *seen = shared_array<unsigned>(16384), *bad = shared_array<unsigned>(1);
    for (const auto &s : shapes) {
        unsigned block = s[1].x * s[1].y * s[1].z, all = s[0].x * s[0].y * s[0].z * block;
        MUST(cudaMemset(seen, 0, 16384 * sizeof *seen));
        mark<<<s[0], s[1]>>>(seen, bad, s[0], s[1]);
        MUST(cudaDeviceSynchronize());
        for (unsigned k = 0; k < 16384; k++) CHECK(seen[k] == (k < all ? 1 + k % block % 3 : 0));
    }
    CHECK(*bad == 0);
    return verdict();
}
