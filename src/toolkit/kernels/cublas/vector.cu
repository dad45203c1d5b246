// vector.cu: level 1 of BLAS that changes vectors. Narrow numbers are computed with as floats.
#include "common.cuh"

template <class T> struct Wide {
    typedef T Type;
};
template <> struct Wide<__half> {
    typedef float Type;
};
template <> struct Wide<__nv_bfloat16> {
    typedef float Type;
};

template <class T> FN T *element(const Vector &v, long long i) { return (T *)v.at + i * v.step; }

template <class T> FN void axpy(long long n, const Scalar &alpha, const Vector &x, const Vector &y)
{
    typedef typename Wide<T>::Type W;
    const W a = value<W>(alpha);
    EACH(i, n)
    {
        T *const to = element<T>(y, i);
        *to = as<T>(fused(a, as<W>(*element<T>(x, i)), as<W>(*to)));
    }
}
template <class T> FN void scal(long long n, const Scalar &alpha, const Vector &x)
{
    typedef typename Wide<T>::Type W;
    const W a = value<W>(alpha);
    EACH(i, n)
    {
        T *const to = element<T>(x, i);
        *to = as<T>(a * as<W>(*to));
    }
}
template <class T> FN void rot(long long n, const Vector &x, const Vector &y, const Scalar &c, const Scalar &s)
{
    typedef typename Wide<T>::Type W;
    const W cosine = value<W>(c), sine = value<W>(s);
    EACH(i, n)
    {
        T *const p = element<T>(x, i), *const q = element<T>(y, i);
        const W a = as<W>(*p), b = as<W>(*q);
        *p = as<T>(fused(sine, b, cosine * a));
        *q = as<T>(cosine * b - conj_of(sine) * a);
    }
}
#define VECTOR(letter, T)                                                                                   \
    extern "C" __global__ void axpy_##letter(long long n, Scalar alpha, Vector x, Vector y)                 \
    {                                                                                                       \
        axpy<T>(n, alpha, x, y);                                                                            \
    }                                                                                                       \
    extern "C" __global__ void scal_##letter(long long n, Scalar alpha, Vector x) { scal<T>(n, alpha, x); } \
    extern "C" __global__ void rot_##letter(long long n, Vector x, Vector y, Scalar c, Scalar s)            \
    {                                                                                                       \
        rot<T>(n, x, y, c, s);                                                                              \
    }
SIX(VECTOR)

// --- copies, which look at sizes alone -------------------------------------------------------------------------------
#define MOVE(bytes, T)                                                       \
    extern "C" __global__ void copy_##bytes(long long n, Vector x, Vector y) \
    {                                                                        \
        EACH(i, n) * element<T>(y, i) = *element<T>(x, i);                   \
    }                                                                        \
    extern "C" __global__ void swap_##bytes(long long n, Vector x, Vector y) \
    {                                                                        \
        EACH(i, n)                                                           \
        {                                                                    \
            T *const p = element<T>(x, i), *const q = element<T>(y, i);      \
            const T kept = *p;                                               \
            *p = *q, *q = kept;                                              \
        }                                                                    \
    }
MOVE(2, unsigned short)
MOVE(4, unsigned)
MOVE(8, uint2)
MOVE(16, uint4)

// --- modified rotations ----------------------------------------------------------------------------------------------
// h[0] says which of the matrix's four elements are given: -1 all, 0 those off the diagonal, which is 1, 1 those on it.
template <class T>
FN void rotm(long long n, const Vector &x, const Vector &y, const T *h)
{
const T flag = h[0];
if (flag == T(-2)) return;
const bool off = flag != T(1), on = flag != T(0);
const T h11 = on ? h[1] : T(1), h21 = off ? h[2] : T(-1), h12 = off ? h[3] : T(1), h22 = on ? h[4] : T(1);
EACH(i, n)
{
    T *const p = element<T>(x, i), *const q = element<T>(y, i);
    const T a = *p, b = *q;
    *p = h11 * a + h12 * b, *q = h21 * a + h22 * b;
}
}
extern "C" __global__ void rotm_s(long long n, Vector x, Vector y, const float *h) { rotm(n, x, y, h); }
extern "C" __global__ void rotm_d(long long n, Vector x, Vector y, const double *h) { rotm(n, x, y, h); }
