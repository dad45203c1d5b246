// ray: an image of spheres over a plane, by ray tracing; a thread has a pixel. Ray tracing as in GPGPU-Sim's benchmarks
// (Bakhoda et al., ISPASS 2009), after a program by M. Boroujerdi: a ray is followed through up to five reflections. At
// each object that it meets, a second ray towards the light finds out whether the place is in shadow. Each of the two
// tries all objects, those they come from too. Objects and view are in constant memory. A pixel's colours of each level
// are in local memory, cleared first.
#include "cuda.h"

#define LEVELS 5
#define OBJECTS 256
#define FAR 10000.0f  // what is farther away isn't seen
#define NEAR 1e-4f    // a ray begins so far from the object that it comes from

typedef struct Object {
    float3 centre;  // of a plane, which is horizontal: a point on it
    float radius, red, green, blue, opacity;
    unsigned plane, unused;  // plane: not 0 if it is one
} Object;

typedef struct Ray {
    float3 from, direction;  // the direction's length is 1
} Ray;

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

static __device__ __forceinline__ float3 centre_of(int k, float shift) {
    const float3 c = objects[k].centre;
    return {c.x + shift, c.y, c.z};
}

// How far away a ray meets an object; 0: it doesn't. It may begin inside a sphere.
static __device__ __forceinline__ float meet(Ray ray, int k, float shift) {
    const float3 to = centre_of(k, shift) - ray.from;
    if (objects[k].plane) return fabsf(ray.direction.y) < 1e-4f ? 0 : fmaxf(to.y / ray.direction.y, 0);
    const float along = dot(to, ray.direction), away = dot(to, to);
    const float square = objects[k].radius * objects[k].radius;
    if (along < 0 && away > square) return 0;
    const float beside = away - along * along;  // from the place of the ray that is closest to the centre, squared
    if (beside > square) return 0;
    const float half = sqrtf(square - beside);
    return away > square ? along - half : along + half;
}

static __device__ __forceinline__ bool in_shadow(int n, Ray ray, float shift, float distance) {
    bool shadow = false;
    for (int k = 0; k < n && !shadow; k++) {
        const float t = meet(ray, k, shift);
        shadow = t > 0 && t < distance;
    }
    return shadow;
}

// The ray through a place of the image.
static __device__ __forceinline__ Ray ray_to(float across, float up, float focus) {
    float4 view[3];
    float3 row[3];
    for (int r = 0; r < 3; r++) {
        view[r] = camera[r];
        row[r] = {view[r].x, view[r].y, view[r].z};
    }
    return {{view[0].w, view[1].w, view[2].w}, unit(across * row[0] + up * row[1] + focus * row[2])};
}

static __device__ __forceinline__ unsigned byte_of(float x) { return (unsigned)(fminf(fmaxf(x, 0), 1) * 255); }

// focus: from the eye to the image, which is 2 high or wide. shift: all objects are so far to the right.
extern "C" __global__ void render(int n, int width, int height, float focus, float shift, unsigned *image) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float4 colours[LEVELS];
    for (int i = 0; i < LEVELS; i++) colours[i] = {0, 0, 0, 1};
    if (px >= width || py >= height) return;
    unsigned *const seen = image + py * width + px;
    *seen = 0;
    const float pixel = 2.0f / min(width, height);
    Ray ray = ray_to(pixel * (px - 0.5f * width), pixel * (py - 0.5f * height), focus);
    int met = 0;
    for (int level = 0; level < LEVELS && met == level; level++) {
        float distance = FAR;
        int last = 0;
        for (int k = 0; k < n; k++) {
            const float t = meet(ray, k, shift);
            if (t > 0 && t < distance) {
                distance = t;
                last = k;
            }
        }
        if (distance == FAR) break;
        met++;
        const Object *o = &objects[last];
        const float4 colour = {o->red, o->green, o->blue, o->opacity};
        const float3 place = ray.from + distance * ray.direction, to_light = make_float3(10, 10, 10) - place;
        const float3 shine = unit(to_light), back = unit(ray.from - place);
        const float3 normal = o->plane ? make_float3(0, 1, 0) : unit(place - centre_of(last, shift));
        const float3 outside = dot(back, normal) < 0 ? -1 * normal : normal;
        const float facing = dot(outside, shine);
        float4 *const here = colours + level;
        *here = 0.05f * colour;
        if (facing > 0 && !in_shadow(n, {place + NEAR * shine, shine}, shift, sqrtf(dot(to_light, to_light)))) {
            *here = *here + 0.3f * fminf(facing, 1) * colour;
            const float gloss = 0.8f * powf(fmaxf(fminf(dot(outside, unit(shine + back)), 1), 0), 50);
            here->x += gloss;
            here->y += gloss;
            here->z += gloss;
        }
        ray.direction = unit(2 * dot(normal, back) * normal - back);
        ray.from = place + NEAR * ray.direction;
    }
    for (int i = met - 1; i > 0; i--) colours[i - 1] = colours[i - 1] + 0.8f * colours[i];
    const float4 all = colours[0];
    *seen += byte_of(all.x) | byte_of(all.y) << 8 | byte_of(all.z) << 16 | byte_of(all.w) << 24;
}
