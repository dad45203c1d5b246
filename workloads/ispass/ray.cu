// ray: an image of spheres over a plane, by ray tracing; a thread has a pixel. Ray tracing as in GPGPU-Sim's benchmarks
// (Bakhoda et al., ISPASS 2009), after a program by M. Boroujerdi: a ray is followed through up to five reflections. At
// each object that it meets, a second ray towards the light finds out whether the place is in shadow. Each of the two
// tries all objects. Objects and camera are in constant memory. A pixel's colours of each level are in local memory.
// They are cleared first, as is the pixel. So much of this program's traffic is what it stores there.
#include "cuda.h"

#define LEVELS 5
#define OBJECTS 256
#define FAR 10000.0f  // what is farther away isn't seen
#define NONE (-1)

typedef struct Object {
    float3 centre;  // of a plane, which is horizontal: a point on it
    float radius;   // of a plane: 0
    float4 colour;
} Object;

__constant__ Object objects[OBJECTS];
__constant__ float4 camera[3];  // to the right, up, ahead; the fourth elements are the eye's place

static __device__ __forceinline__ float3 operator+(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static __device__ __forceinline__ float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static __device__ __forceinline__ float3 operator*(float s, float3 a) { return {s * a.x, s * a.y, s * a.z}; }
static __device__ __forceinline__ float4 operator+(float4 a, float4 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
static __device__ __forceinline__ float4 operator*(float s, float4 a) { return {s * a.x, s * a.y, s * a.z, s * a.w}; }
static __device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static __device__ __forceinline__ float3 unit(float3 a) { return 1.0f / sqrtf(dot(a, a)) * a; }
static __device__ __forceinline__ float3 xyz(float4 a) { return {a.x, a.y, a.z}; }

// How far away a ray meets an object: the direction's length is 1. 0: it doesn't. The ray begins outside of the object.
static __device__ __forceinline__ float meet(float3 from, float3 direction, int k) {
    const float3 to = objects[k].centre - from;
    const float radius = objects[k].radius;
    if (radius == 0) return fabsf(direction.y) < 1e-4f ? 0 : fmaxf(to.y / direction.y, 0);
    const float along = dot(to, direction);
    const float3 beside = to - along * direction;  // from the place of the ray that is closest to the centre
    const float half = radius * radius - dot(beside, beside);
    return along > 0 && half >= 0 ? fmaxf(along - sqrtf(half), 0) : 0;
}

// The first object that a ray meets. Objects are convex, so that it can't meet the one it has come from.
static __device__ __forceinline__ int nearest(int n, float3 from, float3 direction, int without, float *distance) {
    int found = NONE;
    for (int k = 0; k < n; k++) {
        const float t = k == without ? 0 : meet(from, direction, k);
        if (t > 0 && t < *distance) {
            *distance = t;
            found = k;
        }
    }
    return found;
}

static __device__ __forceinline__ bool in_shadow(int n, float3 from, float3 direction, int without, float distance) {
    bool shadow = false;
    for (int k = 0; k < n && !shadow; k++) {
        const float t = k == without ? 0 : meet(from, direction, k);
        shadow = t > 0 && t < distance;
    }
    return shadow;
}

static __device__ __forceinline__ float power50(float x) {
    const float x2 = x * x, x4 = x2 * x2, x16 = x4 * x4 * x4 * x4;
    return x16 * x16 * x16 * x2;
}

static __device__ __forceinline__ unsigned byte_of(float x) { return (unsigned)(fminf(x, 1) * 255); }

extern "C" __global__ void render(int n, int width, int height, float focus, unsigned *image) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const float pixel = 2.0f / min(width, height);
    float3 from = {camera[0].w, camera[1].w, camera[2].w};
    float3 direction = unit(pixel * (px - 0.5f * width) * xyz(camera[0]) +
                            pixel * (py - 0.5f * height) * xyz(camera[1]) + focus * xyz(camera[2]));
    float4 colours[LEVELS];
    for (int i = 0; i < LEVELS; i++) colours[i] = {0, 0, 0, 0};
    unsigned *const seen = image + py * width + px;
    *seen = 0;
    int level = 0, last = NONE;
    for (; level < LEVELS; level++) {
        float distance = FAR;
        last = nearest(n, from, direction, last, &distance);
        if (last == NONE) break;
        from = from + distance * direction;
        const float3 normal = objects[last].radius == 0 ? make_float3(0, 1, 0) : unit(from - objects[last].centre);
        const float3 to_light = make_float3(10, 10, 10) - from;
        const float away = sqrtf(dot(to_light, to_light));
        const float3 shine = 1.0f / away * to_light;
        const float facing = dot(normal, shine);
        const float4 colour = objects[last].colour;
        float4 *const here = colours + level;
        *here = 0.05f * colour;
        if (facing > 0 && !in_shadow(n, from, shine, last, away)) {
            const float gloss = power50(fminf(fmaxf(dot(normal, unit(shine - direction)), 0), 1));
            *here = *here + 0.3f * fminf(facing, 1) * colour;
            *here = *here + 0.8f * gloss * make_float4(1, 1, 1, 0);
        }
        direction = unit(direction - 2 * dot(normal, direction) * normal);
    }
    for (int i = level - 1; i > 0; i--) colours[i - 1] = colours[i - 1] + 0.8f * colours[i];
    const float4 all = colours[0];
    *seen += byte_of(all.x) | byte_of(all.y) << 8 | byte_of(all.z) << 16 | byte_of(all.w) << 24;
}
