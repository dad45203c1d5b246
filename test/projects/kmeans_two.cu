// The second file of kmeans.cu.
#include "kmeans.cuh"

__constant__ Point centres[CLUSTERS];
__device__ unsigned moved;

__host__ __device__ long long distance(const Point &a, const Point &b)
{
    long long sum = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        const long long apart = a.x[d] - b.x[d];
        sum += apart * apart;
    }
    return sum;
}

__device__ int nearest(const Point &p)
{
    int best = 0;
    for (int k = 1; k < CLUSTERS; k++)
        if (distance(p, centres[k]) < distance(p, centres[best])) best = k;
    return best;
}

__global__ void sum_up(const Point *points, const int *owners, int n, unsigned long long *sums)
{
    __shared__ unsigned long long block[CLUSTERS * (DIMENSIONS + 1)];
    for (int k = threadIdx.x; k < CLUSTERS * (DIMENSIONS + 1); k += blockDim.x) block[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long *own = block + owners[i] * (DIMENSIONS + 1);
        for (int d = 0; d < DIMENSIONS; d++) atomicAdd(own + d, (unsigned long long)(long long)points[i].x[d]);
        atomicAdd(own + DIMENSIONS, 1ull);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < CLUSTERS * (DIMENSIONS + 1); k += blockDim.x) atomicAdd(sums + k, block[k]);
}
