// Dynamic shared memory: one array that is shared by two types, beside static shared memory; and more than 48 KB, which
// a program must ask for (CUDA C++ Programming Guide, "Shared Memory", compute capability 7.x).
#include "check.cuh"

__global__ void two(int *out, int n)
{
    extern __shared__ double doubles[];
    __shared__ int first[32];
    float *floats = (float *)&doubles[n];
    int t = threadIdx.x;
    if (t < 32) first[t] = t;
    doubles[t] = t * 0.5, floats[t] = t * 2.0f;
    __syncthreads();
    int other = n - 1 - t;
    out[t] = (int)(doubles[other] * 2) + (int)floats[other] + first[t % 32];
}

__global__ void large(int *out, int words)
{
    extern __shared__ int box[];
    for (int k = threadIdx.x; k < words; k += blockDim.x) box[k] = k ^ blockIdx.x;
    __syncthreads();
    int sum = 0;
    for (int k = threadIdx.x; k < words; k += blockDim.x) sum += box[words - 1 - k] != ((words - 1 - k) ^ blockIdx.x);
    if (sum) atomicAdd(out, sum);
}

int main()
{
    int *out = shared_array<int>(256);
    two<<<1, 256, 256 * (sizeof(double) + sizeof(float))>>>(out, 256);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 256; k++) CHECK(out[k] == 3 * (255 - k) + k % 32);

    int most = 0, bytes = 60 * 1024;
    MUST(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(most >= bytes);
    *out = 0;
    large<<<2, 128, bytes>>>(out, bytes / 4);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    MUST(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    large<<<2, 128, bytes>>>(out, bytes / 4);
    MUST(cudaDeviceSynchronize());
    CHECK(*out == 0);
    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1) == cudaErrorInvalidValue);
    return verdict();
}
