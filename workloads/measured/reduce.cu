// reduce: each block sums its part of X in shared memory. The seven ways differ in which threads add what (Harris,
// Optimizing parallel reduction in CUDA).
typedef unsigned uint;

// The last warp's sums, without barriers.
static __device__ void tail(volatile uint *P, uint t, uint d)
{
    if (d >= 64) P[t] += P[t + 32];
    if (d >= 32) P[t] += P[t + 16];
    if (d >= 16) P[t] += P[t + 8];
    if (d >= 8) P[t] += P[t + 4];
    if (d >= 4) P[t] += P[t + 2];
    if (d >= 2) P[t] += P[t + 1];
}

// 256, 128 and 64 threads add, each step written out.
static __device__ void upper(uint *P, uint t, uint d)
{
    if (d >= 512 && t < 256) P[t] += P[t + 256];
    __syncthreads();
    if (d >= 256 && t < 128) P[t] += P[t + 128];
    __syncthreads();
    if (d >= 128 && t < 64) P[t] += P[t + 64];
    __syncthreads();
}

extern "C" __global__ void reduce_modulo(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    P[t] = i < n ? X[i] : 0;
    __syncthreads();
    for (uint s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) P[t] += t + s < n ? P[t + s] : 0;
        __syncthreads();
    }
    if (t == 0) Y[blockIdx.x] = P[0];
}

extern "C" __global__ void reduce_strided(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    P[t] = i < n ? X[i] : 0;
    __syncthreads();
    for (uint s = 1; s < blockDim.x; s *= 2) {
        int j = 2 * s * t;
        if (j < blockDim.x) P[j] += j + s < n ? P[j + s] : 0;
        __syncthreads();
    }
    if (t == 0) Y[blockIdx.x] = P[0];
}

extern "C" __global__ void reduce_halving(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    P[t] = i < n ? X[i] : 0;
    __syncthreads();
    for (uint s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) P[t] += P[t + s];
        __syncthreads();
    }
    if (t == 0) Y[blockIdx.x] = P[0];
}

extern "C" __global__ void reduce_two_loads(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    P[t] = i < n ? X[i] : 0;
    P[t] += i + blockDim.x < n ? X[i + blockDim.x] : 0;
    __syncthreads();
    for (uint s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) P[t] += P[t + s];
        __syncthreads();
    }
    if (t == 0) Y[blockIdx.x] = P[0];
}

// There is no barrier behind the loads: the loop's first step is the threads' own.
extern "C" __global__ void reduce_last_warp(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    P[t] = i < n ? X[i] : 0;
    P[t] += i + blockDim.x < n ? X[i + blockDim.x] : 0;
    for (uint s = blockDim.x / 2; s > 32; s /= 2) {
        if (t < s) P[t] += P[t + s];
        __syncthreads();
    }
    if (t < 32) tail(P, t, blockDim.x);
    if (t == 0) Y[blockIdx.x] = P[0];
}

extern "C" __global__ void reduce_unrolled(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    P[t] = i < n ? X[i] : 0;
    P[t] += i + blockDim.x < n ? X[i + blockDim.x] : 0;
    __syncthreads();
    upper(P, t, blockDim.x);
    if (t < 32) tail(P, t, blockDim.x);
    if (t == 0) Y[blockIdx.x] = P[0];
}

extern "C" __global__ void reduce_grid_loop(uint *X, uint n, uint *Y)
{
    extern __shared__ uint P[];
    uint t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t, G = gridDim.x * (2 * blockDim.x);
    P[t] = 0;
    while (i < n) {
        P[t] += X[i];
        P[t] += i + blockDim.x < n ? X[i + blockDim.x] : 0;
        i += G;
    }
    __syncthreads();
    upper(P, t, blockDim.x);
    if (t < 32) tail(P, t, blockDim.x);
    if (t == 0) Y[blockIdx.x] = P[0];
}
