// kmeans: the nearest of k centres for n points. Rodinia's definition: invert_mapping transposes the points' features,
// a thread a point. kmeans_point then finds the nearest centre, a thread a point again; thanks to the transposition the
// lanes of a warp read features that stand side by side. The centres are in constant memory. Rodinia reads the
// transposed features through a texture, as kmeans_point_texture does; kmeans_point reads them through the L1.
#include "cuda.h"

#define CENTRES 32
#define FEATURES 34

__constant__ float centres[CENTRES * FEATURES];

extern "C" __global__ void invert_mapping(int n, int features, const float *points, float *inverted) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int f = 0; f < features; f++) inverted[n * f + i] = points[features * i + f];
}

static __device__ __forceinline__ float feature(const float *inverted, int at) { return inverted[at]; }

static __device__ __forceinline__ float feature(cudaTextureObject_t inverted, int at) {
    return tex1Dfetch<float>(inverted, at);
}

template <class Source>
static __device__ __forceinline__ void choose(int n, int k, int features, Source inverted, int *membership) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int nearest = -1;
    float least = 3.40282347e+38f;  // the largest float
    for (int c = 0; c < k; c++) {
        float distance = 0;
        for (int f = 0; f < features; f++) {
            const float apart = feature(inverted, n * f + i) - centres[features * c + f];
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
    choose(n, k, features, inverted, membership);
}

extern "C" __global__ void kmeans_point_texture(int n, int k, int features, cudaTextureObject_t inverted,
                                                int *membership) {
    choose(n, k, features, inverted, membership);
}
