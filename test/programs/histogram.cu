// A histogram: each block counts in shared memory, with a stride over the grid, and adds to the whole.
#include "check.cuh"

enum { BINS = 64 };

__global__ void count(unsigned *bins, const unsigned char *data, int n)
{
    __shared__ unsigned mine[BINS];
    for (int k = threadIdx.x; k < BINS; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    const uchar4 *four = (const uchar4 *)data;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 v = four[i];
        atomicAdd(&mine[v.x / 4], 1), atomicAdd(&mine[v.y / 4], 1);
        atomicAdd(&mine[v.z / 4], 1), atomicAdd(&mine[v.w / 4], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        if (mine[k]) atomicAdd(&bins[k], mine[k]);
}

int main()
{
    enum { N = 40000 };
    static unsigned char host[N];
    unsigned right[BINS] = {}, bins[BINS], *on_device, seed = 3;
    unsigned char *data;
    for (unsigned char &x : host) {
        seed = seed * 1103515245 + 12345, x = seed >> 16 & seed >> 20;
        right[x / 4]++;
    }
    MUST(cudaMalloc(&data, N));
    MUST(cudaMalloc(&on_device, sizeof bins));
    MUST(cudaMemcpy(data, host, N, cudaMemcpyHostToDevice));
    MUST(cudaMemset(on_device, 0, sizeof bins));
    count<<<7, 96>>>(on_device, data, N);
    MUST(cudaMemcpy(bins, on_device, sizeof bins, cudaMemcpyDeviceToHost));
    for (int k = 0; k < BINS; k++) CHECK(bins[k] == right[k]);
    MUST(cudaFree(data));
    MUST(cudaFree(on_device));
    return verdict();
}
