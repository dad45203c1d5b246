// elements.cu: matrices element by element: sums of two (geam), and rows or columns by a vector (dgmm).
#include "matrix.cuh"

template <class T>
FN void geam(long long m, long long n, const Scalar &alpha, const Matrix &a, const Scalar &beta, const Matrix &b, T *c,
             long long ldc)
{
    const T f = value<T>(alpha), g = value<T>(beta);
    EACH(e, m * n)
    {
        const long long i = e % m, j = e / m;
        T v = T(0);
        if (!(f == T(0))) v = f * used<T, T>(a, a.at, i, j);
        if (!(g == T(0))) v = fused(g, used<T, T>(b, b.at, i, j), v);
        c[i + j * ldc] = v;
    }
}
template <class T>
FN void dgmm(long long m, long long n, const T *a, long long lda, const Vector &x, int left, T *c, long long ldc)
{
    EACH(e, m * n)
    {
        const long long i = e % m, j = e / m;
        c[i + j * ldc] = a[i + j * lda] * ((const T *)x.at)[(left ? i : j) * x.step];
    }
}
#define ELEMENTS(letter, T)                                                                                           \
    extern "C" __global__ void geam_##letter(long long m, long long n, Scalar alpha, Matrix a, Scalar beta, Matrix b, \
                                             T *c, long long ldc)                                                     \
    {                                                                                                                 \
        geam(m, n, alpha, a, beta, b, c, ldc);                                                                        \
    }                                                                                                                 \
    extern "C" __global__ void dgmm_##letter(long long m, long long n, const T *a, long long lda, Vector x, int left, \
                                             T *c, long long ldc)                                                     \
    {                                                                                                                 \
        dgmm(m, n, a, lda, x, left, c, ldc);                                                                          \
    }
FOUR(ELEMENTS)
