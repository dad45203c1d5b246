// Calls: structures by value, address-taken parameters, function pointers, virtual functions, recursion, switch tables.
#include "cuda.h"

struct Small {
    int a;
    char b;
};
struct Large {
    double d[5];
    Small s;
};

__device__ __noinline__ Large make(Large x, Small s) {
    x.s = s;
    x.d[s.a & 3] += s.b;
    return x;
}

__device__ __noinline__ int change(int *p) { return (*p)++; }
__device__ __noinline__ int twice(int a) {
    change(&a);
    return a * 2;
}
__device__ __noinline__ int thrice(int a) { return a * 3; }
__device__ __noinline__ int negate(int a) { return -a; }

typedef int (*Fn)(int);
__device__ Fn table[3] = {twice, thrice, negate};
__constant__ Fn fixed[2] = {negate, twice};

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
__device__ __noinline__ bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float a;
    __device__ Square(float x) : a(x) {}
    __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float x) : r(x) {}
    __device__ float area() const override { return 3.14f * r * r; }
};

__device__ __noinline__ float area(const Shape *s) { return s->area(); }

extern "C" __global__ void calls(Large x, Small s, int *out, int n) {
    Large y = make(x, s);
    out[0] = (int)y.d[1] + y.s.b;
    out[1] = table[n % 3](n);
    out[2] = fixed[n & 1](n + 1);
    out[3] = (int)ackermann(2, (unsigned)n);
    out[4] = even((unsigned)n);
    Fn local = n > 5 ? twice : thrice;
    out[5] = local(7);
}

extern "C" __global__ void shapes(float *out, float v) {
    Square a(v);
    Circle b(v);
    out[0] = area(&a) + area(&b);
}

extern "C" __global__ void switches(int *a, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = a[i];
    switch (n) {
    case 0: x += 7; break;
    case 1: x *= x; break;
    case 2: x ^= a[i + 1]; break;
    case 3: x -= a[i + 2]; break;
    case 4: x = x < 0 ? -x : x; break;
    case 5: x = __popc((unsigned)x);
    case 6: x += a[i + 5]; break;
    case 7: x = a[x & 15]; break;
    case 8: x >>= 3; break;
    case 9: x = x % 7; break;
    case 10: x = x / 5; break;
    case 11: return;
    default: x = 0;
    }
    a[i] = x;
}

extern "C" __global__ void big_switch(int *a) {
    int i = threadIdx.x, x = a[i];
    switch (x) {
#define C(n) \
    case n: a[i + (n)] = x * (n) + a[(n)*3]; break;
#define D(n) C(n) C(n + 1) C(n + 2) C(n + 3) C(n + 4) C(n + 5) C(n + 6) C(n + 7) C(n + 8) C(n + 9)
        D(0) D(10) D(20) D(30) D(40) D(50) D(60) D(70) D(80) D(90)
    default: a[i] = -1;
    }
}
