// calls.cuh: functions of calls_two.cu that calls.cu calls: arguments and results of all kinds that cross files.
#ifndef CALLS_CUH
#define CALLS_CUH

#include <cooperative_groups.h>

struct Big {
    double a[5];
    char c;
    short s[3];
};
struct alignas(16) Vector {
    float x, y, z, w;
};
union Either {
    int i;
    float f;
};
enum class Kind : unsigned char { LOW = 3, HIGH = 250 };
struct Base {
    int k = 1;
    __device__ virtual ~Base() {}
    __device__ virtual int f(int) const;
};
struct Other {
    __device__ virtual int g(int) const { return 7; }
};
struct Derived : Base, Other {
    __device__ int f(int) const override;
    __device__ int g(int) const override;
};

__device__ Big exchange(Big b, int k, char c, const Vector &v);
__device__ Vector product(Vector a, Vector b);
__device__ unsigned long long factorial(int n);
__device__ int even(int n);  // the two call each other over the files
__device__ int odd(int n);
__device__ void fill(int (&out)[8], int by);
__device__ bool all_right(bool b, Kind k, Either e, signed char small, unsigned short large);
__device__ int (*pick(int k))(int);
__device__ int by_lambda(int x);
__device__ float texel(cudaTextureObject_t t, float x);
__device__ int grid_total(const cooperative_groups::grid_group &g, int *sum);
__device__ Base *make_derived(void *where);
__device__ int other_count();
extern __device__ const Vector vectors[2];
extern __constant__ int numbers[];

template <class T> __device__ __noinline__ T one_more(T x)
{
    static T by = T(1);
    return x + by;
}
inline __device__ int shared_count()
{
    __shared__ int n;
    if (threadIdx.x == 0) n = 5;
    __syncthreads();
    return n;
}

#endif
