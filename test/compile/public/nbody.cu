// All-pairs gravity in tiles of shared memory, float4 with overloaded operators, a struct of arrays on the host side.
#define SOFTENING 1e-3f
#define p 64
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#undef p

inline __host__ __device__ float3 operator+(const float3 &a, const float3 &b)
{
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ void operator+=(float3 &a, float3 b) { a.x += b.x, a.y += b.y, a.z += b.z; }
inline __host__ __device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Bodies {
    float4 *pos;
    float3 *vel;
};
struct Float4Less {
    __host__ __device__ bool operator()(const float4 &a, const float4 &b) const { return a.x < b.x; }
};

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
    float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
    float distSqr = dot(r, r) + SOFTENING;
    float invDist = rsqrtf(distSqr);
    float invDistCube = invDist * invDist * invDist;
    ai += (bj.w * invDistCube) * r;
    return ai;
}

extern __shared__ float4 shPosition[];
__device__ float3 tile_calculation(float4 myPosition, float3 accel)
{
#pragma unroll 8
    for (int i = 0; i < blockDim.x; i++) accel = bodyBodyInteraction(myPosition, shPosition[i], accel);
    return accel;
}
__global__ void integrate(Bodies b, float4 *next, int N, float dt)
{
    float3 acc = {0.0f, 0.0f, 0.0f};
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    float4 myPosition = b.pos[gtid];
    for (int tile = 0; tile * blockDim.x < N; tile++) {
        shPosition[threadIdx.x] = b.pos[tile * blockDim.x + threadIdx.x];
        __syncthreads();
        acc = tile_calculation(myPosition, acc);
        __syncthreads();
    }
    float3 v = b.vel[gtid] + dt * acc;
    b.vel[gtid] = v;
    next[gtid] = make_float4(fmaf(v.x, dt, myPosition.x), fmaf(v.y, dt, myPosition.y), fmaf(v.z, dt, myPosition.z),
                             myPosition.w);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 256, steps = 3, block = 64;
    const float dt = 0.01f;
    std::vector<double> x(n), y(n), z(n), u(n), v(n), w(n), m(n);
    std::vector<float4> pos(n);
    std::vector<float3> vel(n, make_float3(0, 0, 0));
    for (int i = 0; i < n; i++) {
        pos[i] = {sinf(i) * 2, cosf(i * 1.7f), sinf(i * 0.3f) - .5f, 1.0f / n};
        x[i] = pos[i].x, y[i] = pos[i].y, z[i] = pos[i].z, m[i] = pos[i].w;
    }
    Bodies d;
    float4 *next;
    cudaMalloc(&d.pos, n * sizeof(float4));
    cudaMalloc(&d.vel, n * sizeof(*d.vel));
    cudaMalloc(&next, n * sizeof(float4));
    cudaMemcpy(d.pos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(d.vel, vel.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) {
        integrate<<<n / block, block, block * sizeof(float4)>>>(d, next, n, dt);
        float4 *t = d.pos;
        d.pos = next, next = t;
    }
    cudaMemcpy(pos.data(), d.pos, n * sizeof(float4), cudaMemcpyDeviceToHost);

    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) {
            double ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; j++) {
                double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                double r2 = dx * dx + dy * dy + dz * dz + SOFTENING, f = m[j] / (r2 * sqrt(r2));
                ax += f * dx, ay += f * dy, az += f * dz;
            }
            u[i] += dt * ax, v[i] += dt * ay, w[i] += dt * az;
        }
        for (int i = 0; i < n; i++) x[i] += dt * u[i], y[i] += dt * v[i], z[i] += dt * w[i];
    }
    double err = 0;
    for (int i = 0; i < n; i++) err = fmax(err, fabs(pos[i].x - x[i]) + fabs(pos[i].y - y[i]) + fabs(pos[i].z - z[i]));
    printf("%d bodies, largest error %g: %s\n", n, err, err < 2e-5 ? "PASSED" : "FAILED");
    return err < 2e-5 ? 0 : 1;
}
