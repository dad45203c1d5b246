// vector.cu: level 1 of BLAS, on vectors: x[i] is at x + i · incx.

template <class T> static __device__ void scale(long long n, const T *alpha, T *x, long long incx)
{
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) x[i * incx] *= *alpha;
}
extern "C" __global__ void scal_s(long long n, const float *alpha, float *x, long long incx)
{
    scale(n, alpha, x, incx);
}
extern "C" __global__ void scal_d(long long n, const double *alpha, double *x, long long incx)
{
    scale(n, alpha, x, incx);
}
