// The series of reductions that the well-known slides teach: interleaved, sequential, first add at load, volatile last
// warp, complete unrolling by templates, shuffles, and one kernel with an atomic counter of finished blocks.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

typedef unsigned int uint;

template <class T> struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};
template <> struct SharedMemory<double> {
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

template <class T> __global__ void reduce0(T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
template <class T> __global__ void reduce3(T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}
template <class T, unsigned int blockSize> __device__ void warpReduce(volatile T *sdata, unsigned int tid)
{
    if (blockSize >= 64) sdata[tid] += sdata[tid + 32], __syncwarp();
#pragma unroll
    for (int s = 16; s > 0; s >>= 1) {
        T v = sdata[tid + s];
        __syncwarp();
        sdata[tid] += v;
        __syncwarp();
    }
}
template <class T, unsigned int blockSize> __global__ void reduce5(T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + tid, gridSize = blockSize * 2 * gridDim.x;
    sdata[tid] = 0;
    while (i < n) {
        sdata[tid] += g_idata[i] + (i + blockSize < n ? g_idata[i + blockSize] : 0);
        i += gridSize;
    }
    __syncthreads();
    if (blockSize >= 512) {
        if (tid < 256) {
            sdata[tid] += sdata[tid + 256];
        }
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128) {
            sdata[tid] += sdata[tid + 128];
        }
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64) {
            sdata[tid] += sdata[tid + 64];
        }
        __syncthreads();
    }
    if (tid < 32) warpReduce<T, blockSize>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
__device__ unsigned int retirementCount = 0;
template <class T> __global__ void reduceSinglePass(const T *__restrict__ g_idata, T *g_odata, unsigned int n)
{
    __shared__ bool amLast;
    __shared__ T partial[32];
    T sum = 0;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += __ldg(g_idata + i);
    for (int round = 0; round < 2; round++) {
        for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
        __syncthreads();
        sum = threadIdx.x < blockDim.x / warpSize ? partial[threadIdx.x] : T(0);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = partial[0];
        __threadfence();
        amLast = atomicInc(&retirementCount, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (amLast && threadIdx.x == 0) {
        T total = 0;
        for (uint b = 0; b < gridDim.x; b++) total += *(volatile T *)(g_odata + b);
        g_odata[0] = total, retirementCount = 0;
    }
}

template <class T> bool run(const char *type)
{
    const unsigned int n = 10001, threads = 128, blocks = (n + threads - 1) / threads;
    T *h = (T *)malloc(n * sizeof(T)), want = 0, *d_in, *d_out, out[blocks];
    for (unsigned int i = 0; i < n; i++) want += h[i] = (T)(rand() & 0x3F);
    cudaMalloc((void **)&d_in, n * sizeof(T));
    cudaMalloc((void **)&d_out, blocks * sizeof(T));
    cudaMemcpy(d_in, h, n * sizeof(T), cudaMemcpyHostToDevice);
    bool ok = true;
    for (int which = 0; which < 4; which++) {
        unsigned int g = which == 0 ? blocks : which == 1 ? (blocks + 1) / 2 : 16;
        int smemSize = (threads <= 32) ? 2 * threads * sizeof(T) : threads * sizeof(T);
        switch (which) {
        case 0: reduce0<T><<<g, threads, smemSize>>>(d_in, d_out, n); break;
        case 1: reduce3<T><<<g, threads, smemSize>>>(d_in, d_out, n); break;
        case 2: reduce5<T, threads><<<g, threads, smemSize>>>(d_in, d_out, n); break;
        case 3: reduceSinglePass<T><<<g, threads>>>(d_in, d_out, n), g = 1; break;
        }
        cudaMemcpy(out, d_out, g * sizeof(T), cudaMemcpyDeviceToHost);
        T got = 0;
        for (unsigned int b = 0; b < g; b++) got += out[b];
        printf("%s, kernel %d: %.0f of %.0f\n", type, which, (double)got, (double)want);
        ok = ok && got == want;
    }
    cudaFree(d_in), cudaFree(d_out), free(h);
    return ok && cudaGetLastError() == cudaSuccess;
}

int main()
{
    bool ok = run<int>("int") & run<float>("float") & run<double>("double");
    printf("Test %s\n", ok ? "PASSED" : "FAILED");
    exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
}
