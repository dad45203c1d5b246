// Parameters of kernels: structs of all alignments, by value and as __grid_constant__, more than 4 KB of them, and
// none; a kernel's copy is its own.
#include "check.cuh"

struct Small {
    char c;
};
struct Mixed {
    short s;
    double d;
    char c[5];
    float3 f;
    const int *p;
};
struct alignas(16) Wide {
    int v[4];
    char tail;
};
struct Large {
    int v[4500];  // 18,000 bytes; up to 32,764 are allowed from compute capability 7.0 on
};

__device__ int read(const Large &l, int i) { return l.v[i * 41 % 4500]; }

__global__ void mixed(double *out, char a, Small b, Mixed m, bool c, Wide w, unsigned char d, long long e)
{
    m.d += threadIdx.x;  // its own copy
    out[threadIdx.x] = a + b.c * 2 + m.s + m.d + m.c[4] + m.f.y + m.p[1] + c + w.v[3] + w.tail + d + (double)e;
}
__global__ void large(int *out, const __grid_constant__ Large l, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = read(l, i) + last;
}
__global__ void nothing() {}
__device__ int ran;
__global__ void count() { atomicAdd(&ran, 1); }

int main()
{
    double *out = shared_array<double>(32);
    int *list = shared_array<int>(2), *many = shared_array<int>(256);
    static Large l;
    list[1] = 1000;
    Mixed m = {-5, 0.25, {0, 0, 0, 0, 7}, {1, 2, 3}, list};
    mixed<<<1, 32>>>(out, 1, Small{2}, m, true, Wide{{1, 2, 3, 4}, 'x'}, 200, -1ll << 40);
    for (int k = 0; k < 4500; k++) l.v[k] = k * k;
    large<<<2, 128>>>(many, l, 9);
    for (int &x : l.v) x = 0;  // the launch has its values already
    nothing<<<1, 32>>>();
    count<<<3, 5>>>();
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK(out[t] == 1 + 4 - 5 + 0.25 + t + 7 + 2 + 1000 + 1 + 4 + 'x' + 200 - (double)(1ll << 40));
    for (int i = 0; i < 256; i++) CHECK(many[i] == (i * 41 % 4500) * (i * 41 % 4500) + 9);
    int times;
    MUST(cudaMemcpyFromSymbol(&times, ran, sizeof times));
    CHECK(times == 15);
    return verdict();
}
