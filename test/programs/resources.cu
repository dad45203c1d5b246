// A block that is larger than a kernel's registers allow: error 701 at the launch, and attributes and occupancy that
// agree with it. How many warps fit is computed from the kernel's register count as cuda_occupancy.h of CUDA's toolkit
// does it: registers come in pieces of 256 for a warp, and each quarter of an SM has a quarter of them.
#include "check.cuh"

// Many values that live across a barrier.
__global__ void heavy(const float *from, float *to)
{
    float v[96], sum = 0;
#pragma unroll
    for (int k = 0; k < 96; k++) v[k] = ((const volatile float *)from)[threadIdx.x + k * 7];
    __syncthreads();
#pragma unroll
    for (int k = 95; k >= 0; k--) sum = sum * 0.5f + v[k];
    to[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(128) bounded(float *to) { to[threadIdx.x] = 1; }
__global__ void light(float *to) { to[threadIdx.x] = 42; }

int main()
{
    float *from, *to, first = 0;
    int registers, blocks, grid, threads;
    cudaFuncAttributes of;
    MUST(cudaMalloc(&from, 1 << 16));
    MUST(cudaMalloc(&to, 1 << 16));
    MUST(cudaMemset(from, 0, 1 << 16));
    MUST(cudaFuncGetAttributes(&of, heavy));
    MUST(cudaDeviceGetAttribute(&registers, cudaDevAttrMaxRegistersPerMultiprocessor, 0));
    const int warp = (of.numRegs * 32 + 255) / 256 * 256, most = registers / 4 / warp * 4 * 32;
    CHECK(of.numRegs >= 96 && most < 1024);
    CHECK(of.maxThreadsPerBlock == most);
    heavy<<<1, most>>>(from, to);
    CHECK(cudaGetLastError() == cudaSuccess);
    MUST(cudaDeviceSynchronize());
    for (dim3 block : {dim3(1024), dim3(most + 1), dim3(32, most / 32 + 1), dim3(1, 16, 64)}) {
        heavy<<<1, block>>>(from, to);
        CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
    }
    bounded<<<1, 129>>>(to);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    // What comes then isn't touched by it.
    light<<<1, 1024>>>(to);
    MUST(cudaMemcpy(&first, to, sizeof first, cudaMemcpyDeviceToHost));
    CHECK(first == 42);

    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, most, 0));
    CHECK(blocks == 1);
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, most + 1, 0));
    CHECK(blocks == 0);
    MUST(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, heavy));
    CHECK(threads > 0 && threads <= most && grid > 0);
    heavy<<<1, threads>>>(from, to);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    return verdict();
}
