// Memory: every state space, initialisers with addresses, volatile, vectors, cache operators, prefetch, unions.
#include "cuda.h"

struct Node {
    int value;
    Node *next;
};
__device__ int numbers[7] = {3, 1, 4, 1, 5, 9, 2};
__device__ double reals[3] = {1.5, -2.25, 1e300};
__device__ float2 pairs[2] = {{1.0f, 2.0f}, {3.0f, -4.0f}};
__device__ int *inside = &numbers[3];
__device__ int *const inside_too = &numbers[5];
__constant__ int *where[3] = {numbers, &numbers[1], nullptr};
__device__ Node third = {3, nullptr}, second = {2, &third}, first = {1, &second};
__constant__ char text[] = "text with \"quotes\" and \\";
__device__ const char *words[] = {"alpha", "beta", "gamma"};
struct __align__(16) Mixed {
    char c;
    short s;
    const int *p;
    float f;
    unsigned long long u;
};
__device__ Mixed mixed[2] = {{'a', -2, numbers + 2, 1.5f, 0xfedcba9876543210ull}, {'b', 3, nullptr, -0.0f, 1}};
struct __attribute__((packed)) Packed {
    char c;
    int *p;
};
__device__ Packed packed = {'x', numbers + 1};
__managed__ int managed = 5;
__device__ int zeros[4096];
__shared__ int module_shared[32];

extern "C" __global__ void spaces(int *out, int n, volatile int *flags) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    __shared__ double wide[8];
    int local[20];
    for (int i = 0; i < 20; i++) local[(i * 7 + n) % 20] = i + n;
    fixed[threadIdx.x] = numbers[n % 7] + *inside + *where[n % 2] + first.next->next->value;
    wide[threadIdx.x & 7] = reals[n % 3];
    dynamic[threadIdx.x] = local[n % 20] + text[n % 10] + words[n % 3][1];
    module_shared[threadIdx.x & 31] = managed;
    __syncthreads();
    int *any = n > 3 ? fixed : n > 2 ? dynamic : n > 1 ? local : numbers;
    out[threadIdx.x] = any[(threadIdx.x + 1) % 20] + (int)wide[0] + flags[0] + module_shared[0] + zeros[n] +
        *inside_too;
    flags[1] = (int)pairs[n & 1].y + (int)mixed[n & 1].u + *packed.p;
}

extern "C" __global__ void vectors(float4 *a, double2 *b, char4 *c, uchar2 *d, short *e, long long *f) {
    int i = threadIdx.x;
    float4 v = a[i];
    v.x += v.w;
    a[i + 32] = v;
    double2 w = b[i];
    b[i + 32] = make_double2(w.y, w.x);
    char4 x = c[i];
    c[i + 32] = make_char4(x.w, x.z, x.y, x.x);
    uchar2 y = d[i];
    y.x++;
    d[i + 32] = y;
    e[i + 32] = (short)(e[i] * 3);
    f[i + 32] = f[i] >> 3;
}

#ifdef __CUDACC__
extern "C" __global__ void caches(int *a, const int *__restrict__ b, float *f) {
    int i = threadIdx.x;
    a[i] = __ldg(&b[i]) + __ldca(&a[i + 1]) + __ldcg(&a[i + 2]) + __ldcs(&a[i + 3]) + __ldlu(&a[i + 4]) +
        __ldcv(&a[i + 5]);
    __stwb(&a[i + 6], 1), __stcg(&a[i + 7], 2), __stcs(&a[i + 8], 3), __stwt(&a[i + 9], 4);
    float4 v = __ldg((const float4 *)f + i);
    __stcs((float4 *)f + i + 32, v);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(a + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(a + i));
    int x;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.s32 %0, [%1];" : "=r"(x) : "l"(b + i));
    a[i + 10] = x;
}

extern "C" __global__ void generic(int *a, int n) {
    __shared__ int s[4];
    int l[4] = {n, n + 1, n + 2, n + 3};
    a[0] = __isShared(s) + __isGlobal(a) + __isLocal(l) + __isConstant(text);
    a[1] = (int)__cvta_generic_to_shared(&s[1]) + (int)__cvta_generic_to_global(a);
    *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s[n & 3])) = l[n & 3];
    __syncthreads();
    a[2] = s[0];
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p st.global.s32 [%0], %1; }" ::"l"(a + 4), "r"(n));
}
#endif
