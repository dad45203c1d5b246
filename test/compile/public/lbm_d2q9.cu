// Lattice Boltzmann D2Q9 in a lid-driven cavity: a structure of arrays, weights in constant memory, a pull scheme.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#define Q 9
#define NX 32
#define NY 32
#define OMEGA 1.2
#define U_LID 0.1

typedef double real_t;
__constant__ int ex[Q], ey[Q], opposite[Q];
__constant__ real_t w[Q];
static const int h_ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, h_ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int h_opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const real_t h_w[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

struct Lattice {
    const int *ex, *ey, *opposite;
    const real_t *w;
};

template <typename T> __host__ __device__ __forceinline__ constexpr T sq(T x) { return x * x; }
__host__ __device__ inline size_t idx(int x, int y, int q) { return ((size_t)q * NY + y) * NX + x; }
template <typename T>
__host__ __device__ inline void cell(const Lattice &l, const T *__restrict__ in, T *__restrict__ out, int x, int y)
{
    static_assert(std::is_floating_point<T>::value, "a type of real numbers");
    T f[Q], rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < Q; ++q) {
        const int fx = x - l.ex[q], fy = y - l.ey[q];
        if (fy >= NY)  // the lid drags
            f[q] = in[idx(x, y, l.opposite[q])] + 6 * l.w[q] * l.ex[q] * U_LID;
        else if (fx < 0 || fx >= NX || fy < 0)
            f[q] = in[idx(x, y, l.opposite[q])];
        else
            f[q] = in[idx(fx, fy, q)];
        rho += f[q], ux += f[q] * l.ex[q], uy += f[q] * l.ey[q];
    }
    ux /= rho, uy /= rho;
    for (int q = 0; q < Q; ++q) {
        const T cu = 3 * (l.ex[q] * ux + l.ey[q] * uy);
        const T eq = l.w[q] * rho * (1 + cu + sq(cu) / 2 - T(1.5) * (sq(ux) + sq(uy)));
        out[idx(x, y, q)] = f[q] + OMEGA * (eq - f[q]);
    }
}
template <typename T> __global__ void collide_stream(const T *in, T *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const Lattice l = {ex, ey, opposite, w};
    if (x < NX && y < NY) cell(l, in, out, x, y);
}
__global__ void mass(const real_t *f, real_t *total)
{
    real_t sum = 0;
    for (int i = threadIdx.x; i < NX * NY * Q; i += blockDim.x) sum += f[i];
    sum += __shfl_down_sync(~0u, sum, 16);
    sum += __shfl_down_sync(~0u, sum, 8);
    sum += __shfl_down_sync(~0u, sum, 4);
    sum += __shfl_down_sync(~0u, sum, 2);
    sum += __shfl_down_sync(~0u, sum, 1);
    if (threadIdx.x == 0) *total = sum;
}

int main(int argc, char **argv)
{
    int steps = 40;
    if (argc > 1) std::istringstream(argv[1]) >> steps;
    const size_t bytes = sizeof(real_t) * NX * NY * Q;
    cudaMemcpyToSymbol(ex, h_ex, sizeof ex), cudaMemcpyToSymbol(ey, h_ey, sizeof ey);
    cudaMemcpyToSymbol(opposite, h_opposite, sizeof opposite), cudaMemcpyToSymbol(w, h_w, sizeof w);
    std::vector<real_t> a(NX * NY * Q), b(a), got(a);
    for (int q = 0; q < Q; ++q)
        for (int i = 0; i < NX * NY; ++i) a[q * NX * NY + i] = h_w[q];
    real_t *d_a, *d_b, *d_total, total;
    cudaMalloc(&d_a, bytes), cudaMalloc(&d_b, bytes), cudaMalloc(&d_total, sizeof total);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaEvent_t start, stop;
    cudaEventCreate(&start), cudaEventCreate(&stop, cudaEventBlockingSync);
    cudaEventRecord(start);
    const Lattice host = {h_ex, h_ey, h_opposite, h_w};
    for (int t = 0; t < steps; ++t) {
        collide_stream<<<dim3(NX / 32, NY / 4), dim3(32, 4)>>>(d_a, d_b);
        std::swap(d_a, d_b);
        for (int y = 0; y < NY; ++y)
            for (int x = 0; x < NX; ++x) cell(host, a.data(), b.data(), x, y);
        a.swap(b);
    }
    mass<<<1, 32>>>(d_a, d_total);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    cudaMemcpy(got.data(), d_a, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    double worst = 0, lid = 0;
    for (size_t i = 0; i < a.size(); ++i) worst = fmax(worst, fabs(a[i] - got[i]));
    for (int q = 0; q < Q; ++q) lid += h_ex[q] * got[idx(NX / 2, NY - 1, q)];
    printf("%d steps, %.1f MLUPS, mass %.6f, momentum below the lid %.4f, difference %g\n", steps,
           NX * NY * steps / 1e3 / (ms > 0 ? ms : 1), total, lid, worst);
    const bool ok = worst < 1e-13 && fabs(total - NX * NY) < 1e-6 && lid > 0.01;
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return !ok;
}
