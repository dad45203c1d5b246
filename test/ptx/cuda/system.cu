// What calls the system: printf, assert, malloc and free, trap, exit; textures and surfaces; asynchronous copies;
// directives.
#include <cassert>
#include <cstdio>
#include <cuda_pipeline.h>

extern "C" __global__ void prints(int n, double d, const char *s) {
    printf("hello\n");
    printf("%d %f %s %p %llu %c\n", n, d, "text", (void *)s, (unsigned long long)n, 'x');
    assert(n > 3);
    if (n == 4) __trap();
    if (n == 5) asm volatile("exit;");
    if (n == 6) __brkpt();
}

extern "C" __global__ void heap(int n, int **out) {
    int *p = (int *)malloc(sizeof(int) * n);
    if (p) p[0] = n, out[0] = p;
    int *q = new int[n];
    q[1] = 3;
    out[1] = q;
    free(p);
    delete[] q;
}

extern "C" __global__ void textures(cudaTextureObject_t a, cudaTextureObject_t b, float *f, int4 *n) {
    int i = threadIdx.x;
    f[i] = tex1Dfetch<float>(a, i) + tex2D<float>(b, i + 0.5f, 2.0f) + tex1D<float>(a, 0.25f);
    n[i] = tex1Dfetch<int4>(a, i);
    float4 g = tex2Dgather<float4>(b, 1.0f, 2.0f, 2);
    f[i + 32] = g.x + g.w;
    n[i + 32] = make_int4(tex2D<uchar4>(b, 1, 2).x, 0, 0, 0);
}

extern "C" __global__ void copies(const int4 *from, int *to) {
    __shared__ int4 a[64];
    __pipeline_memcpy_async(&a[threadIdx.x], &from[threadIdx.x], 16);
    __pipeline_memcpy_async((int *)&a[threadIdx.x + 32], (const int *)&from[threadIdx.x], 4);
    __pipeline_memcpy_async((int2 *)&a[threadIdx.x + 32] + 1, (const int2 *)&from[threadIdx.x], 8, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    to[threadIdx.x] = a[63 - threadIdx.x].x;
}

extern "C" __global__ void __launch_bounds__(128, 4) bounded(int *a) { a[threadIdx.x] = 1; }
extern "C" __global__ void __maxnreg__(40) limited(int *a) {
#pragma unroll 1
    for (int i = 0; i < 100; i++) a[threadIdx.x + i] += i;
}
extern "C" __global__ void grid_constant(const __grid_constant__ int4 big, int *a) {
    const int *p = (const int *)&big;
    a[0] = p[threadIdx.x & 3];
}
template <typename T> __global__ void templated(T *a, T b) { a[threadIdx.x] = b; }
template __global__ void templated<float>(float *, float);
template __global__ void templated<int2>(int2 *, int2);
