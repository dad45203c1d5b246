// nbody: bodies that attract each other; a launch is a step of time. CUDA SDK's definition: a thread has one body. It
// sums up the pulls of all n bodies on it, which are its acceleration, and moves it. The kernel nbody reads the bodies
// from global memory, where the lanes of a warp read the same one at a time. nbody_tiled does as the SDK: a block
// brings as many bodies to shared memory as it has threads, sums up their pulls, and goes on to the next ones.
#include "cuda.h"

__constant__ float softening;  // squared; it is added to squared distances, so that no pull is infinite

// Adds the pull of another body, whose mass is w. A body doesn't pull itself: its distance from itself is 0.
static __device__ __forceinline__ float3 add_pull(float3 sum, float4 at, float4 other) {
    const float x = other.x - at.x, y = other.y - at.y, z = other.z - at.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + softening);
    const float pull = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + pull * x, sum.y + pull * y, sum.z + pull * z);
}

// The fourth component is the mass of a position; of a velocity it means nothing.
static __device__ __forceinline__ void move(int i, float4 at, float3 sum, float time, float damping,
                                            const float4 *velocity, float4 *to, float4 *to_velocity) {
    float4 v = velocity[i];
    v.x = (v.x + sum.x * time) * damping;
    v.y = (v.y + sum.y * time) * damping;
    v.z = (v.z + sum.z * time) * damping;
    to[i] = make_float4(at.x + v.x * time, at.y + v.y * time, at.z + v.z * time, at.w);
    to_velocity[i] = v;
}

extern "C" __global__ void nbody(int n, float time, float damping, const float4 *from, const float4 *velocity,
                                 float4 *to, float4 *to_velocity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 at = from[i];
    float3 sum = {0, 0, 0};
#pragma unroll 4
    for (int j = 0; j < n; j++) sum = add_pull(sum, at, from[j]);
    move(i, at, sum, time, damping, velocity, to, to_velocity);
}

// Blocks begin with different tiles, their own, so that they don't all read the same memory at the same time.
extern "C" __global__ void nbody_tiled(int n, float time, float damping, const float4 *from, const float4 *velocity,
                                       float4 *to, float4 *to_velocity) {
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 none = {0, 0, 0, 0}, at = i < n ? from[i] : none;
    float3 sum = {0, 0, 0};
    for (int t = blockIdx.x; t < blockIdx.x + gridDim.x; t++) {
        const int j = (t < gridDim.x ? t : t - gridDim.x) * blockDim.x + threadIdx.x;
        tile[threadIdx.x] = j < n ? from[j] : none;  // without mass: no pull
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < blockDim.x; k++) sum = add_pull(sum, at, tile[k]);
        __syncthreads();
    }
    if (i < n) move(i, at, sum, time, damping, velocity, to, to_velocity);
}
