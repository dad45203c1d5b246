// dsm: each block loads from the shared memory of its cluster's other block, or stores there. Its PTX is kept, since
// clang 14 knows no clusters.
// nvcc: compute_90 8.0 sm_90
enum { THREADS = 1024, EACH = 4 };

__device__ __forceinline__ unsigned neighbour(const unsigned *own)
{
    const unsigned here = (unsigned)__cvta_generic_to_shared(own);
    unsigned at, rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(here), "r"(rank ^ 1));
    return at;
}

__device__ __forceinline__ void meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2) dsm_load(unsigned *out, int turns)
{
    __shared__ unsigned words[THREADS * EACH];
    for (int k = 0; k < EACH; k++) words[threadIdx.x + k * THREADS] = blockIdx.x + threadIdx.x + k;
    const unsigned there = neighbour(&words[threadIdx.x]);
    meet();
    unsigned sum[EACH] = {};
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            unsigned x;
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(there + k * THREADS * 4));
            sum[k] += x;
        }
    meet();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

extern "C" __global__ void __cluster_dims__(2) dsm_store(unsigned *out, int turns)
{
    __shared__ unsigned words[THREADS * EACH];
    const unsigned there = neighbour(&words[threadIdx.x]);
    meet();
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < EACH; k++)
            asm volatile("st.shared::cluster.u32 [%0], %1;" : : "r"(there + k * THREADS * 4), "r"(blockIdx.x + t + k));
    meet();
    unsigned sum = 0;
    for (int k = 0; k < EACH; k++) sum += words[threadIdx.x + k * THREADS];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
