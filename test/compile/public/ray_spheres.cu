// Spheres seen by parallel rays, as in the introductory book, and a small path tracer in one header-like class style.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <curand_kernel.h>
#include <iostream>
#include <time.h>

#define INF 2e10f
#define rnd(x) (x * rand() / RAND_MAX)
#define SPHERES 12
#define DIM 64

struct Sphere {
    float r, b, g;
    float radius;
    float x, y, z;
    __host__ __device__ float hit(float ox, float oy, float *n) const
    {
        float dx = ox - x, dy = oy - y;
        if (dx * dx + dy * dy < radius * radius) {
            float dz = sqrtf(radius * radius - dx * dx - dy * dy);
            *n = dz / sqrtf(radius * radius);
            return dz + z;
        }
        return -INF;
    }
};
__constant__ Sphere s[SPHERES];

__host__ __device__ inline uchar4 shade(const Sphere *all, int x, int y)
{
    float ox = (x - DIM / 2), oy = (y - DIM / 2), r = 0, g = 0, b = 0, maxz = -INF;
    for (int i = 0; i < SPHERES; i++) {
        float n, t = all[i].hit(ox, oy, &n);
        if (t > maxz) {
            float fscale = n;
            r = all[i].r * fscale, g = all[i].g * fscale, b = all[i].b * fscale, maxz = t;
        }
    }
    uchar4 c;
    c.x = (int)(r * 255), c.y = (int)(g * 255), c.z = (int)(b * 255), c.w = 255;
    return c;
}
__global__ void kernel(uchar4 *ptr)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    ptr[x + y * blockDim.x * gridDim.x] = shade(s, x, y);
}

class vec3
{
  public:
    __host__ __device__ vec3() {}
    __host__ __device__ vec3(float e0, float e1, float e2) : e{e0, e1, e2} {}
    __host__ __device__ inline float operator[](int i) const { return e[i]; }
    __host__ __device__ inline float &operator[](int i) { return e[i]; }
    __host__ __device__ inline vec3 operator-() const { return vec3(-e[0], -e[1], -e[2]); }
    __host__ __device__ inline float length() const { return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]); }
    float e[3];
};
inline std::ostream &operator<<(std::ostream &os, const vec3 &t)
{
    return os << t.e[0] << " " << t.e[1] << " " << t.e[2];
}
__host__ __device__ inline vec3 operator+(const vec3 &a, const vec3 &b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
__host__ __device__ inline vec3 operator*(float t, const vec3 &v) { return vec3(t * v.e[0], t * v.e[1], t * v.e[2]); }
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
__device__ vec3 random_in_unit_sphere(curandState *local)
{
    vec3 p;
    do {
        p = 2.0f * vec3(curand_uniform(local), curand_uniform(local), curand_uniform(local)) + vec3(-1, -1, -1);
    } while (dot(p, p) >= 1.0f);
    return p;
}
struct hitable {
    __device__ virtual bool hit(const vec3 &o, const vec3 &d, float &t) const = 0;
};
struct ground : public hitable {
    __device__ virtual bool hit(const vec3 &o, const vec3 &d, float &t) const
    {
        t = -o[1] / d[1];
        return t > 1e-3f;
    }
};
__global__ void create_world(hitable **d_list) { *d_list = new ground(); }
__global__ void free_world(hitable **d_list) { delete static_cast<ground *>(*d_list); }

// Light that a white floor scatters upwards: each path has to leave, and the mean height of its direction is 3/4 of 1.
__global__ void render(float *fb, int samples, hitable **world)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    curandState rand_state;
    curand_init(1984 + i, 0, 0, &rand_state);
    float sum = 0;
    for (int k = 0; k < samples; k++) {
        vec3 o(0, 1, 0), d(curand_uniform(&rand_state), -1, curand_normal(&rand_state));
        float t;
        for (int depth = 0; depth < 50 && (*world)->hit(o, d, t); depth++) {
            o = o + t * d;
            d = vec3(0, 1, 0) + random_in_unit_sphere(&rand_state);
        }
        sum += d[1];
    }
    fb[i] = sum / samples;
}

int main(void)
{
    Sphere *temp_s = (Sphere *)malloc(sizeof(Sphere) * SPHERES);
    for (int i = 0; i < SPHERES; i++) {
        temp_s[i].r = rnd(1.0f), temp_s[i].g = rnd(1.0f), temp_s[i].b = rnd(1.0f);
        temp_s[i].x = rnd(60.0f) - 30, temp_s[i].y = rnd(60.0f) - 30, temp_s[i].z = rnd(60.0f) - 30;
        temp_s[i].radius = rnd(10.0f) + 3;
    }
    uchar4 *dev_bitmap, bitmap[DIM * DIM];
    cudaMalloc((void **)&dev_bitmap, sizeof bitmap);
    cudaMemcpyToSymbol(s, temp_s, sizeof(Sphere) * SPHERES);
    dim3 grids(DIM / 16, DIM / 16), threads(16, 16);
    kernel<<<grids, threads>>>(dev_bitmap);
    cudaMemcpy(bitmap, dev_bitmap, sizeof bitmap, cudaMemcpyDeviceToHost);
    int differ = 0, lit = 0;
    for (int i = 0; i < DIM * DIM; i++) {
        const uchar4 want = shade(temp_s, i % DIM, i / DIM);
        lit += want.x || want.y || want.z;
        differ += abs(want.x - bitmap[i].x) > 1 || abs(want.y - bitmap[i].y) > 1 || abs(want.z - bitmap[i].z) > 1;
    }
    free(temp_s);
    const int paths = 256, samples = 8;
    float *fb, mean = 0;
    hitable **world;
    cudaMallocManaged((void **)&fb, paths * sizeof(float));
    cudaMalloc((void **)&world, sizeof(hitable *));
    create_world<<<1, 1>>>(world);
    render<<<paths / 64, 64>>>(fb, samples, world);
    free_world<<<1, 1>>>(world);
    cudaDeviceSynchronize();
    for (int i = 0; i < paths; i++) mean += fb[i] / paths;
    std::cout << lit << " pixels lit, " << differ << " differ; directions " << vec3(0, mean, 0) << std::endl;
    const bool ok = lit > 500 && differ <= 4 && fabs(mean - 1) < 0.05 && cudaGetLastError() == cudaSuccess;
    std::cout << (ok ? "PASSED" : "FAILED") << std::endl;
    return !ok;
}
