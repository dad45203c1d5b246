// FFT of radix 2 with cuComplex in shared memory, its order reversed by __brev; and a convolution by it.
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cuComplex.h>
#include <cuda_runtime.h>
#include <math_constants.h>
#include <vector>

using cplx = std::complex<double>;
template <typename T> struct complex_of;
template <> struct complex_of<float> {
    using type = cuFloatComplex;
    static __device__ type make(float x, float y) { return make_cuFloatComplex(x, y); }
    static __device__ type mul(type a, type b) { return cuCmulf(a, b); }
    static __device__ type add(type a, type b) { return cuCaddf(a, b); }
    static __device__ type sub(type a, type b) { return cuCsubf(a, b); }
    static __device__ void twiddle(float t, type *w) { sincospif(t, &w->y, &w->x); }
};
template <> struct complex_of<double> {
    using type = cuDoubleComplex;
    static __device__ type make(double x, double y) { return make_cuDoubleComplex(x, y); }
    static __device__ type mul(type a, type b) { return cuCmul(a, b); }
    static __device__ type add(type a, type b) { return cuCadd(a, b); }
    static __device__ type sub(type a, type b) { return cuCsub(a, b); }
    static __device__ void twiddle(double t, type *w) { sincos(t * CUDART_PI, &w->y, &w->x); }
};

// One block transforms 1 << log2n numbers; direction -1 forward, 1 back.
template <typename T> __global__ void fft(typename complex_of<T>::type *data, int log2n, int direction)
{
    using C = complex_of<T>;
    using type = typename C::type;
    extern __shared__ unsigned char memory[];
    type *s = reinterpret_cast<type *>(memory);
    const unsigned n = 1u << log2n;
    data += blockIdx.x * n;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) s[__brev(i) >> (32 - log2n)] = data[i];
    __syncthreads();
    for (unsigned half = 1; half < n; half <<= 1) {
        for (unsigned i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const unsigned k = i & (half - 1), at = 2 * (i - k) + k;
            type w;
            C::twiddle(direction * (T)k / half, &w);
            const type even = s[at], odd = C::mul(s[at + half], w);
            s[at] = C::add(even, odd), s[at + half] = C::sub(even, odd);
        }
        __syncthreads();
    }
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}
__global__ void multiply(cuDoubleComplex *a, const cuDoubleComplex *b, int n, double scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = cuCmul(cuCmul(a[i], b[i]), make_cuDoubleComplex(scale, 0));
}

template <typename T> double compare(int log2n)
{
    using type = typename complex_of<T>::type;
    const int n = 1 << log2n, batch = 3;
    std::vector<type> in(n * batch), out(n * batch);
    for (auto &c : in) c.x = rand() / (T)RAND_MAX - (T)0.5, c.y = rand() / (T)RAND_MAX;
    type *d;
    cudaMalloc(&d, in.size() * sizeof(type));
    cudaMemcpy(d, in.data(), in.size() * sizeof(type), cudaMemcpyHostToDevice);
    fft<T><<<batch, 64, n * sizeof(type)>>>(d, log2n, -1);
    cudaMemcpy(out.data(), d, in.size() * sizeof(type), cudaMemcpyDeviceToHost);
    cudaFree(d);
    double worst = 0;
    for (int b = 0; b < batch; b++)
        for (int k = 0; k < n; k++) {
            cplx sum = 0;
            for (int j = 0; j < n; j++)
                sum += cplx(in[b * n + j].x, in[b * n + j].y) * std::polar(1.0, -2 * M_PI * (j * k % n) / n);
            worst = std::max(worst, std::abs(sum - cplx(out[b * n + k].x, out[b * n + k].y)) / sqrt(n));
        }
    return worst;
}

int main()
{
    const double single = compare<float>(8), twice = compare<double>(7);
    printf("errors: float %.2e, double %.2e\n", single, twice);

    const int n = 256;
    std::vector<cplx> a(n), b(n), c(n);
    for (int i = 0; i < n / 2; i++) a[i] = i % 10, b[i] = (i * 7) % 10;
    cuDoubleComplex *da, *db;
    cudaMalloc((void **)&da, n * sizeof *da);
    cudaMalloc((void **)&db, n * sizeof *db);
    cudaMemcpy(da, a.data(), n * sizeof *da, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof *db, cudaMemcpyHostToDevice);
    fft<double><<<1, 128, n * sizeof *da>>>(da, 8, -1);
    fft<double><<<1, 128, n * sizeof *db>>>(db, 8, -1);
    multiply<<<n / 64, 64>>>(da, db, n, 1.0 / n);
    fft<double><<<1, 128, n * sizeof *da>>>(da, 8, 1);
    cudaMemcpy(c.data(), da, n * sizeof *da, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        double want = 0;
        for (int i = 0; i <= k; i++)
            if (i < n / 2 && k - i < n / 2) want += a[i].real() * b[k - i].real();
        wrong += std::lround(c[k].real()) != want || fabs(c[k].imag()) > 1e-9;
    }
    printf("convolution: %d wrong\n", wrong);
    const bool ok = single < 1e-5 && twice < 1e-13 && !wrong && cudaGetLastError() == cudaSuccess;
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return !ok;
}
