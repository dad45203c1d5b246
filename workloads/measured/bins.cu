// bins: a histogram: every thread adds to the bins in global memory; or a block to its own in shared memory first.
typedef unsigned uint;

extern "C" __global__ void hist_global(uint *in, uint *bins, uint n, uint nb)
{
    uint id = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint q = id; q < nb; q += blockDim.x * gridDim.x) bins[q] = 0;
    __syncthreads();
    for (uint i = id; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[in[i]], 1);
}

extern "C" __global__ void hist_private(uint *in, uint *bins, uint n, uint nb)
{
    extern __shared__ uint S[];
    for (uint q = threadIdx.x; q < nb; q += blockDim.x) S[q] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&S[in[i]], 1);
    __syncthreads();
    for (uint q = threadIdx.x; q < nb; q += blockDim.x) atomicAdd(&bins[q], S[q]);
}

extern "C" __global__ void hist_256(const uint *__restrict__ X, int N, uint *__restrict__ bins)
{
    extern __shared__ uint S[];
    int t = threadIdx.x;
    for (int q = t; q < 256; q += blockDim.x) S[q] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
        atomicAdd(&S[X[i] & 255], 1);
    __syncthreads();
    for (int q = t; q < 256; q += blockDim.x) atomicAdd(&bins[q], S[q]);
}
