// Vectors by helpers of both sides, as samples' helper_math.h has them: normalise, reflect, cross, lerp, rotations by
// turns, and functions of mathematics that CUDA has for the host, too.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned int uint;
typedef unsigned short ushort;

inline __host__ __device__ float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
inline __host__ __device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 make_float3(float s) { return make_float3(s, s, s); }
inline __host__ __device__ float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
inline __host__ __device__ float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ float3 normalize(float3 v)
{
    float invLen = rsqrtf(dot(v, v));
    return v * invLen;
}
inline __host__ __device__ float3 reflect(float3 i, float3 n) { return i - n * (2.0f * dot(n, i)); }
inline __host__ __device__ float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
inline __device__ __host__ float lerp(float a, float b, float t) { return a + t * (b - a); }
inline __device__ __host__ float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
inline __device__ __host__ uint clamp(uint f, uint a, uint b) { return max(a, min(f, b)); }

struct float3x3 {
    float3 m[3];
};
__host__ __device__ inline float3 mul(const float3x3 &M, const float3 &v)
{
    return make_float3(dot(v, M.m[0]), dot(v, M.m[1]), dot(v, M.m[2]));
}
__host__ __device__ float4 work(int i)
{
    const float3 v = normalize(make_float3(i + 1.0f, i % 7 - 3.0f, 2.0f)), up = make_float3(make_float4(0, 1, 0, 1));
    float s, c;
    sincospif(i / 16.0f, &s, &c);
    const float3x3 turn = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
    const float3 r = reflect(mul(turn, v), up), n = cross(r, normalize(make_float3(0.5f) + v));
    const uint k = clamp(umin(i, 50u), 3u, (uint)llmax(i, 4ll));
    return make_float4(n, lerp(clamp(n.x, -0.5f, 0.5f), rcbrtf(1.0f + i), fdividef(k, 64.0f)));
}
__host__ __device__ double tail(int i)
{
    return normcdf(i / 16.0 - 2) + sinpi(i / 6.0) * cospi(i / 3.0) * rhypot(3, i);
}
__global__ void kernel(float4 *o, double *t, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = work(i), t[i] = tail(i);
}

int main()
{
    const int n = 100;
    float4 *o, *h = (float4 *)malloc(n * sizeof *h);
    double *t, ht[n], worst = 0, exact = 0;
    cudaMalloc((void **)&o, n * sizeof *o);
    cudaMalloc((void **)&t, n * sizeof *t);
    kernel<<<(n + 31) / 32, 32>>>(o, t, n);
    cudaMemcpy(h, o, n * sizeof *o, cudaMemcpyDeviceToHost);
    cudaMemcpy(ht, t, n * sizeof *t, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        const float4 w = work(i);
        const double d[] = {w.x - h[i].x, w.y - h[i].y, w.z - h[i].z, w.w - h[i].w};
        for (double e : d) worst = fmax(worst, fabs(e));
        const double want =
            0.5 * erfc((2 - i / 16.0) / sqrt(2.0)) + sin(M_PI * i / 6) * cos(M_PI * i / 3) / hypot(3, i);
        exact = fmax(exact, fmax(fabs(want - ht[i]), fabs(want - tail(i))));
    }
    const bool turns =
        sinpi(1e15 + 0.5) == -cospi(1e15 + 1) && cospi(0.5) == 0 && sinpif(-3.0f) == 0 && cospif(7) == -1;
    printf("largest differences %g, %g\n", worst, exact);
    const bool ok = worst < 1e-6 && exact < 1e-13 && turns && cudaGetLastError() == cudaSuccess;
    printf("%s\n", ok ? "PASSED" : "FAILED");
    free(h);
    return ok ? 0 : 1;
}
