// common.cuh: numbers as kernels of cuBLAS see them: complex ones, narrow ones, and factors whose type is known at run
// time alone.
#ifndef COMMON_CUH
#define COMMON_CUH

#include "args.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>

#define FN static __device__ __forceinline__

template <class R> struct __align__(2 * sizeof(R)) Complex
{
    R x, y;
    Complex() = default;
    __device__ Complex(R re, R im = 0) : x(re), y(im) {}
};
template <class R> FN Complex<R> operator+(Complex<R> a, Complex<R> b) { return {a.x + b.x, a.y + b.y}; }
template <class R> FN Complex<R> operator-(Complex<R> a, Complex<R> b) { return {a.x - b.x, a.y - b.y}; }
template <class R> FN Complex<R> operator*(Complex<R> a, Complex<R> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class R> FN bool operator==(Complex<R> a, Complex<R> b) { return a.x == b.x && a.y == b.y; }
// Smith's, as of a division whose parts may be large (Algorithm 116).
template <class R> FN Complex<R> operator/(Complex<R> a, Complex<R> b)
{
    if ((b.x < 0 ? -b.x : b.x) >= (b.y < 0 ? -b.y : b.y)) {
        const R q = b.y / b.x, down = b.x + b.y * q;
        return {(a.x + a.y * q) / down, (a.y - a.x * q) / down};
    }
    const R q = b.x / b.y, down = b.x * q + b.y;
    return {(a.x * q + a.y) / down, (a.y * q - a.x) / down};
}
typedef Complex<float> C32;
typedef Complex<double> C64;

template <class T> struct Parts {
    typedef T Real;
    enum { COMPLEX = 0 };
};
template <class R> struct Parts<Complex<R>> {
    typedef R Real;
    enum { COMPLEX = 1 };
};
template <class T> using Real = typename Parts<T>::Real;

template <class T> FN T conj_of(T a) { return a; }
template <class R> FN Complex<R> conj_of(Complex<R> a) { return {a.x, -a.y}; }
template <class T> FN T conj_if(T a, bool on) { return on ? conj_of(a) : a; }
template <class T> FN T real_of(T a) { return a; }
template <class R> FN R real_of(Complex<R> a) { return a.x; }
template <class T> FN T imaginary_of(T) { return 0; }
template <class R> FN R imaginary_of(Complex<R> a) { return a.y; }
template <class T> FN T size_of(T a) { return a < 0 ? -a : a; }
// What asum and iamax take for a complex number's size (BLAS).
template <class R> FN R size_of(Complex<R> a) { return size_of(a.x) + size_of(a.y); }
template <class T> FN T fused(T a, T b, T c) { return a * b + c; }
template <class R> FN Complex<R> fused(Complex<R> a, Complex<R> b, Complex<R> c)
{
    return {c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x};
}

// To another type: a real number to a complex one, and narrow ones by way of float.
template <class To, class From> struct Convert {
    static __device__ To of(From a) { return To(a); }
};
template <class R, class From> struct Convert<Complex<R>, From> {
    static __device__ Complex<R> of(From a) { return Complex<R>(R(a)); }
};
template <class R, class Q> struct Convert<Complex<R>, Complex<Q>> {
    static __device__ Complex<R> of(Complex<Q> a) { return Complex<R>(R(a.x), R(a.y)); }
};
template <class To> struct Convert<To, __half> {
    static __device__ To of(__half a) { return To(__half2float(a)); }
};
template <class To> struct Convert<To, __nv_bfloat16> {
    static __device__ To of(__nv_bfloat16 a) { return To(__bfloat162float(a)); }
};
template <> struct Convert<__half, float> {
    static __device__ __half of(float a) { return __float2half_rn(a); }
};
template <> struct Convert<__half, __half> {
    static __device__ __half of(__half a) { return a; }
};
template <> struct Convert<__nv_bfloat16, float> {
    static __device__ __nv_bfloat16 of(float a) { return __float2bfloat16_rn(a); }
};
template <> struct Convert<__nv_bfloat16, __nv_bfloat16> {
    static __device__ __nv_bfloat16 of(__nv_bfloat16 a) { return a; }
};
// Rounded and held within the type.
template <> struct Convert<signed char, float> {
    static __device__ signed char of(float a)
    {
        const int r = __float2int_rn(a);
        return (signed char)(r < -128 ? -128 : r > 127 ? 127 : r);
    }
};
template <class To, class From> FN To as(From a) { return Convert<To, From>::of(a); }

template <class T> struct Made {
    static __device__ T of(double re, double) { return T(re); }
};
template <class R> struct Made<Complex<R>> {
    static __device__ Complex<R> of(double re, double im) { return {R(re), R(im)}; }
};
template <class T> FN T parts(double re, double im) { return Made<T>::of(re, im); }

// An element of memory whose type is known at run time alone.
template <class T> FN T load_any(const void *at, long long i, int type)
{
    switch (type) {
    case CUDA_R_32F: return as<T>(((const float *)at)[i]);
    case CUDA_R_64F: return parts<T>(((const double *)at)[i], 0);
    case CUDA_C_32F: return parts<T>(((const C32 *)at)[i].x, ((const C32 *)at)[i].y);
    case CUDA_C_64F: return parts<T>(((const C64 *)at)[i].x, ((const C64 *)at)[i].y);
    case CUDA_R_16F: return as<T>(__half2float(((const __half *)at)[i]));
    case CUDA_R_16BF: return as<T>(__bfloat162float(((const __nv_bfloat16 *)at)[i]));
    case CUDA_R_8I: return parts<T>(((const signed char *)at)[i], 0);
    default: return parts<T>(((const int *)at)[i], 0);
    }
}
template <class T> FN T value(const Scalar &s)
{
    return conj_if(s.at ? load_any<T>(s.at, 0, s.type) : parts<T>(s.re, s.im), s.conjugated);
}

FN long long first_thread() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
FN long long all_threads() { return (long long)gridDim.x * blockDim.x; }
#define EACH(i, n) for (long long i = first_thread(); i < (n); i += all_threads())

// A kernel for each of the types, and the letter at its name's end.
#define FOUR(K) K(s, float) K(d, double) K(c, C32) K(z, C64)
#define SIX(K) FOUR(K) K(h, __half) K(b, __nv_bfloat16)

#endif
