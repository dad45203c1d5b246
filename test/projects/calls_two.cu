// The second file of calls.cu.
#include "calls.cuh"

#include <new>

__device__ int anchor[4] = {1, 2, 77, 4};
__device__ const Vector vectors[2] = {{0, 0, 0, 0}, {5, 6, 7, 8}};
__constant__ int numbers[] = {11, 22, 33, 44};

__device__ Big exchange(Big b, int k, char c, const Vector &v)
{
    Big r = b;
    r.a[0] = b.a[k], r.a[k] = b.a[0], r.c = c;
    r.a[4] += v.x + v.y + v.z + v.w;
    return r;
}
__device__ Vector product(Vector a, Vector b) { return Vector{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
__device__ unsigned long long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__device__ void fill(int (&out)[8], int by)
{
    for (int i = 0; i < 8; i++) out[i] = by * i;
}
__device__ bool all_right(bool b, Kind k, Either e, signed char small, unsigned short large)
{
    return b && k == Kind::HIGH && e.i == 0x3f800000 && small == -5 && large == 65000;
}

static __device__ int plus(int x) { return x + 1; }
static __device__ int times(int x) { return x * 10; }
__device__ int (*pick(int k))(int)
{
    int (*const all[])(int) = {plus, times};
    return all[k];
}

template <class F> static __device__ int apply(F f, int x) { return f(x); }
__device__ int by_lambda(int x)
{
    return apply([=](int y) { return y * x + one_more(0); }, 7);
}
__device__ float texel(cudaTextureObject_t t, float x) { return tex1D<float>(t, x); }
__device__ int grid_total(const cooperative_groups::grid_group &g, int *sum)
{
    atomicAdd(sum, 1);
    g.sync();
    return *(volatile int *)sum;
}
__device__ int Base::f(int x) const { return x; }
__device__ int Derived::f(int x) const { return 1000 + x + k; }
__device__ int Derived::g(int x) const { return 50 + x; }
__device__ Base *make_derived(void *where) { return new (where) Derived; }
__device__ int other_count() { return shared_count(); }
