// kmeans: the nearest of k centres for n points. Rodinia's definition: invert_mapping transposes the points' features,
// a thread a point. kmeans_point then finds the nearest centre, a thread a point again; thanks to the transposition the
// lanes of a warp read features that stand side by side. The centres are in constant memory. Rodinia reads the
// transposed features through a texture, as kmeans_point_texture does; kmeans_point reads them through the L1.
// kmeans_point_rows reads the points as they are, so that each lane goes through lines of its own.
#include "cuda.h"

#define CENTRES 32
#define FEATURES 34

__constant__ float centres[CENTRES * FEATURES];

extern "C" __global__ void invert_mapping(int n, int features, const float *points, float *inverted) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int f = 0; f < features; f++) inverted[n * f + i] = points[features * i + f];
}

// Feature f of point i.
struct Columns {
    const float *inverted;
    __device__ __forceinline__ float feature(int n, int, int i, int f) const { return inverted[n * f + i]; }
};
struct Texels {
    cudaTextureObject_t inverted;
    __device__ __forceinline__ float feature(int n, int, int i, int f) const {
        return tex1Dfetch<float>(inverted, n * f + i);
    }
};
struct Rows {
    const float *points;
    __device__ __forceinline__ float feature(int, int features, int i, int f) const { return points[features * i + f]; }
};

template <class Source>
static __device__ __forceinline__ void choose(int n, int k, int features, Source source, int *membership) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int nearest = -1;
    float least = 3.40282347e+38f;  // the largest float
    for (int c = 0; c < k; c++) {
        float distance = 0;
        for (int f = 0; f < features; f++) {
            const float apart = source.feature(n, features, i, f) - centres[features * c + f];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    membership[i] = nearest;
}

extern "C" __global__ void kmeans_point(int n, int k, int features, const float *inverted, int *membership) {
    choose(n, k, features, Columns{inverted}, membership);
}

extern "C" __global__ void kmeans_point_texture(int n, int k, int features, cudaTextureObject_t inverted,
                                                int *membership) {
    choose(n, k, features, Texels{inverted}, membership);
}

extern "C" __global__ void kmeans_point_rows(int n, int k, int features, const float *points, int *membership) {
    choose(n, k, features, Rows{points}, membership);
}
