// kmeans.cuh: what the two files of kmeans.cu share.
#ifndef KMEANS_CUH
#define KMEANS_CUH

enum { DIMENSIONS = 4, CLUSTERS = 6 };
struct Point {
    int x[DIMENSIONS];
};

extern __constant__ Point centres[CLUSTERS];
extern __device__ unsigned moved;
__host__ __device__ long long distance(const Point &a, const Point &b);
__device__ int nearest(const Point &p);
__global__ void sum_up(const Point *points, const int *owners, int n, unsigned long long *sums);

#endif
