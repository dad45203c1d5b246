// Occupancy and a kernel's attributes, and bounds on launches: what the interface demands of any GPU, and what follows
// from sizes that a program chooses.
#include "check.cuh"

__global__ void plain(int *x) { x[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128, 2) bounded(int *x) { x[threadIdx.x] = 1; }
__constant__ int table[100];
__global__ void heavy(int *x, int i)
{
    __shared__ int a[3000];
    int local[64];
    for (int k = 0; k < 64; k++) local[k] = x[k];
    a[threadIdx.x] = local[i % 64];
    __syncthreads();
    x[threadIdx.x] = a[i] + local[(i + 1) % 64] + table[i];
}

struct Need {  // of dynamic shared memory for a block
    __host__ __device__ int operator()(int threads) const { return threads * 64; }
};

int main()
{
    int blocks, grid, threads, per_sm, shared_sm, *x = shared_array<int>(1024);
    cudaFuncAttributes a, b, c;
    MUST(cudaFuncGetAttributes(&a, plain));
    MUST(cudaFuncGetAttributes(&b, bounded));
    MUST(cudaFuncGetAttributes(&c, heavy));
    CHECK(a.maxThreadsPerBlock == 1024 && a.sharedSizeBytes == 0 && a.localSizeBytes == 0 && a.numRegs > 0);
    CHECK(b.maxThreadsPerBlock == 128);
    CHECK(c.sharedSizeBytes == 12000 && c.localSizeBytes >= 256 && c.constSizeBytes >= 400);
    CHECK(a.ptxVersion == TARGET && a.binaryVersion >= 20);
    CHECK(c.maxDynamicSharedSizeBytes == 49152 - 12000);
    bounded<<<1, 128>>>(x);
    MUST(cudaGetLastError());
    bounded<<<1, 129>>>(x);
    cudaError_t refused = cudaGetLastError();
    CHECK(refused == cudaErrorInvalidValue || refused == cudaErrorLaunchOutOfResources);
    MUST(cudaDeviceSynchronize());

    MUST(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    MUST(cudaDeviceGetAttribute(&shared_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
    CHECK(blocks == per_sm / 1024);
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    CHECK(blocks >= 2);
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 32, 0));
    CHECK(blocks >= 1 && blocks <= shared_sm / 12000);
    MUST(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, plain));
    CHECK(threads >= 32 && threads <= 1024 && threads % 32 == 0 && grid > 0);
    MUST(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, bounded));
    CHECK(threads <= 128);
    MUST(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, plain, Need()));
    CHECK(threads * 64 <= shared_sm);
    size_t dynamic;
    MUST(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 2, 128));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 128, dynamic));
    CHECK(blocks >= 2);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 0, 0) == cudaErrorInvalidValue);
    return verdict();
}
