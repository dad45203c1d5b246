// blas.h: what the programs of this folder share. Each compares functions of cuBLAS with plain loops in double
// precision, over random shapes, and prints how much is wrong.
#ifndef BLAS_H
#define BLAS_H

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <type_traits>
#include <vector>

static int wrong;
#define CHECK(x)                                                                          \
    do {                                                                                  \
        if (!(x) && wrong++ < 20) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
    } while (0)
#define OK(x)                                                                                           \
    do {                                                                                                \
        const int status = (int)(x);                                                                    \
        if (status && wrong++ < 20) fprintf(stderr, "%s:%d: %d: %s\n", __FILE__, __LINE__, status, #x); \
    } while (0)

typedef std::complex<double> Z;
typedef std::complex<double> Number;

static unsigned long long seed = 1;
static unsigned draw(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}
static double draw_value() { return (int)draw(2001) / 1000.0 - 1; }

// --- numbers of each type --------------------------------------------------------------------------------------------
template <class T> struct Of {  // real ones
    static T from(Number z) { return (T)(float)z.real(); }
    static Number to(T x) { return (double)(float)x; }
    enum { COMPLEX = 0 };
};
template <> struct Of<double> {
    static double from(Number z) { return z.real(); }
    static Number to(double x) { return x; }
    enum { COMPLEX = 0 };
};
template <> struct Of<int> {
    static int from(Number z) { return (int)z.real(); }
    static Number to(int x) { return (double)x; }
    enum { COMPLEX = 0 };
};
template <> struct Of<signed char> {
    static signed char from(Number z) { return (signed char)(z.real() * 10); }
    static Number to(signed char x) { return (double)x; }
    enum { COMPLEX = 0 };
};
template <> struct Of<cuComplex> {
    static cuComplex from(Number z) { return make_cuComplex((float)z.real(), (float)z.imag()); }
    static Number to(cuComplex x) { return Number(x.x, x.y); }
    enum { COMPLEX = 1 };
};
template <> struct Of<cuDoubleComplex> {
    static cuDoubleComplex from(Number z) { return make_cuDoubleComplex(z.real(), z.imag()); }
    static Number to(cuDoubleComplex x) { return Number(x.x, x.y); }
    enum { COMPLEX = 1 };
};
template <class T> T draw_of()
{
    const double re = draw_value(), im = draw_value();
    return Of<T>::from(Number(re, im));
}
// How far a sum of n products may be off, relative to the largest.
template <class T> double precision()
{
    return std::is_same<T, double>::value || std::is_same<T, cuDoubleComplex>::value ? 1e-14
           : std::is_same<T, __half>::value                                          ? 2e-3
           : std::is_same<T, __nv_bfloat16>::value                                   ? 1.6e-2
           : std::is_same<T, int>::value                                             ? 0
                                                                                     : 1e-6;
}

// --- memory of host and device ---------------------------------------------------------------------------------------
// Elements on both sides; those that no function may touch keep their values.
template <class T> struct Array {
    std::vector<T> host;
    T *device;
    explicit Array(size_t n) : host(n), device(0)
    {
        for (T &x : host) x = draw_of<T>();
        OK(cudaMalloc(&device, (n + 1) * sizeof(T)));
        send();
    }
    Array(const Array &) = delete;
    ~Array() { cudaFree(device); }
    void send() { OK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> got() const
    {
        std::vector<T> v(host.size());
        OK(cudaMemcpy(v.data(), device, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
    Number operator[](size_t i) const { return Of<T>::to(host[i]); }
};
// The device's elements are those of `want`, up to a difference.
template <class T> bool agrees(const Array<T> &a, const std::vector<Number> &want, double most)
{
    const std::vector<T> got = a.got();
    for (size_t i = 0; i < want.size(); i++) {
        const Number x = Of<T>::to(got[i]);
        if (!(std::abs(x - want[i]) <= most * (1 + std::abs(want[i])))) {
            if (wrong < 20)
                fprintf(stderr, "element %zu: %g %g, not %g %g\n", i, x.real(), x.imag(), want[i].real(),
                        want[i].imag());
            return false;
        }
    }
    return true;
}
template <class T> std::vector<Number> values(const Array<T> &a)
{
    std::vector<Number> v(a.host.size());
    for (size_t i = 0; i < v.size(); i++) v[i] = a[i];
    return v;
}

// A factor, which a call gets from the host or from the device.
template <class T> struct Factor {
    Array<T> kept;
    const bool on_device;
    Factor(Number z, bool device) : kept(1), on_device(device)
    {
        kept.host[0] = Of<T>::from(z);
        kept.send();
    }
    const T *at() const { return on_device ? kept.device : kept.host.data(); }
    Number value() const { return kept[0]; }
};
static Number draw_factor(bool complex)
{
    switch (draw(4)) {
    case 0: return 0;
    case 1: return 1;
    default: return complex ? Number(draw_value(), draw_value()) : Number(draw_value());
    }
}
static void mode(cublasHandle_t h, bool device)
{
    OK(cublasSetPointerMode(h, device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
}
static int draw_step() { return (int)draw(2) ? 1 : (int)draw(7) - 3 ? (int)draw(3) + 1 : -(int)draw(3) - 1; }
// Where element i of a vector lies, as BLAS has it.
static size_t place(int i, int n, int step) { return (size_t)(step > 0 ? i * step : (n - 1 - i) * -step); }
static size_t room(int n, int step) { return (size_t)(n > 0 ? (n - 1) * abs(step) + 1 : 1); }
template <class T> cudaDataType type_of();
#define TYPE(T, type) \
    template <> cudaDataType type_of<T>() { return type; }
TYPE(float, CUDA_R_32F)
TYPE(double, CUDA_R_64F)
TYPE(cuComplex, CUDA_C_32F)
TYPE(cuDoubleComplex, CUDA_C_64F)
TYPE(__half, CUDA_R_16F)
TYPE(__nv_bfloat16, CUDA_R_16BF)
TYPE(signed char, CUDA_R_8I)
TYPE(int, CUDA_R_32I)

static int verdict()
{
    OK(cudaDeviceSynchronize());
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

#endif
