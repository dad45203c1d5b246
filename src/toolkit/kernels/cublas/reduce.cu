// reduce.cu: level 1 of BLAS whose result is one number. Each block adds up a part, and keeps it in `parts`, or, where
// it is the only block, has the result. A second kernel, of one block, merges the parts. The order is always the same.
#include "common.cuh"

enum { THREADS = 256 };

template <class T> FN T *element(const Vector &v, long long i) { return (T *)v.at + i * v.step; }
template <class T> struct Wide {
    typedef T Type;
};
template <> struct Wide<__half> {
    typedef float Type;
};
template <> struct Wide<__nv_bfloat16> {
    typedef float Type;
};

// --- what is added up ------------------------------------------------------------------------------------------------
template <class T, bool CONJUGATED> struct Dot {
    typedef typename Wide<T>::Type Sum;
    typedef T Result;
    FN Sum none() { return Sum(0); }
    FN void add(Sum &s, const Vector &x, const Vector &y, long long i)
    {
        s = fused(conj_if(as<Sum>(*element<T>(x, i)), CONJUGATED), as<Sum>(*element<T>(y, i)), s);
    }
    FN Sum merged(Sum a, Sum b) { return a + b; }
    FN Result result(Sum s) { return as<T>(s); }
};
template <class T> struct Asum {
    typedef Real<typename Wide<T>::Type> Sum;
    typedef Real<T> Result;
    FN Sum none() { return 0; }
    FN void add(Sum &s, const Vector &x, const Vector &, long long i)
    {
        s += size_of(as<typename Wide<T>::Type>(*element<T>(x, i)));
    }
    FN Sum merged(Sum a, Sum b) { return a + b; }
    FN Result result(Sum s) { return as<Result>(s); }
};
// Large numbers are made smaller before they are squared, and small ones larger (Blue, ACM TOMS 4, 1978).
template <class R> struct Scale;
template <> struct Scale<float> {
    FN float large() { return 0x1p52f; }
    FN float small() { return 0x1p-50f; }
    FN float down() { return 0x1p-80f; }
    FN float up() { return 0x1p75f; }
};
template <> struct Scale<double> {
    FN double large() { return 0x1p485; }
    FN double small() { return 0x1p-485; }
    FN double down() { return 0x1p-540; }
    FN double up() { return 0x1p540; }
};
template <class R> struct Squares {
    R large, usual, small;
};
template <class T> struct Nrm2 {
    typedef Real<typename Wide<T>::Type> R;
    typedef Squares<R> Sum;
    typedef Real<T> Result;
    FN Sum none() { return {0, 0, 0}; }
    FN void square(Sum &s, R a)
    {
        const R size = size_of(a);
        if (size > Scale<R>::large())
            s.large += size * Scale<R>::down() * (size * Scale<R>::down());
        else if (size < Scale<R>::small())
            s.small += size * Scale<R>::up() * (size * Scale<R>::up());
        else
            s.usual += size * size;
    }
    FN void add(Sum &s, const Vector &x, const Vector &, long long i)
    {
        const typename Wide<T>::Type a = as<typename Wide<T>::Type>(*element<T>(x, i));
        square(s, real_of(a));
        if (Parts<T>::COMPLEX) square(s, imaginary_of(a));
    }
    FN Sum merged(Sum a, Sum b) { return {a.large + b.large, a.usual + b.usual, a.small + b.small}; }
    FN R root(R a) { return R(sqrt(double(a))); }
    FN Result result(Sum s)
    {
        if (s.large > R(0)) {
            const R usual = root(s.usual) * Scale<R>::down();
            return as<Result>(root(s.large + usual * usual) / Scale<R>::down());
        }
        if (s.usual > R(0) || s.usual != s.usual) {
            const R small = root(s.small) / Scale<R>::up();
            return as<Result>(root(s.usual + small * small));
        }
        return as<Result>(root(s.small) / Scale<R>::up());
    }
};
// The first of the largest or smallest; at counts from 1, and is 0 where there is none.
template <class R> struct Place {
    R size;
    long long at;
};
template <class T, bool LARGEST> struct Extreme {
    typedef Place<Real<typename Wide<T>::Type>> Sum;
    typedef long long Result;
    FN Sum none() { return {0, 0}; }
    FN Sum merged(Sum a, Sum b)
    {
        if (!a.at || !b.at) return a.at ? a : b;
        if (LARGEST ? a.size > b.size : a.size < b.size) return a;
        if (LARGEST ? b.size > a.size : b.size < a.size) return b;
        return a.at < b.at ? a : b;
    }
    FN void add(Sum &s, const Vector &x, const Vector &, long long i)
    {
        s = merged(s, {size_of(as<typename Wide<T>::Type>(*element<T>(x, i))), i + 1});
    }
    FN Result result(Sum s) { return s.at; }
};

// --- how -------------------------------------------------------------------------------------------------------------
template <class Of> FN typename Of::Sum of_block(typename Of::Sum mine)
{
    __shared__ typename Of::Sum sums[THREADS];
    sums[threadIdx.x] = mine;
    for (unsigned half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] = Of::merged(sums[threadIdx.x], sums[threadIdx.x + half]);
    }
    return sums[0];
}
FN void put(long long *to, long long a, int bytes)
{
    if (bytes == 4)
        *(int *)to = (int)a;
    else
        *to = a;
}
template <class T> FN void put(T *to, T a, int) { *to = a; }

template <class Of> FN void reduce(long long n, const Vector &x, const Vector &y, void *parts, void *result, int bytes)
{
    typename Of::Sum s = Of::none();
    EACH(i, n) Of::add(s, x, y, i);
    s = of_block<Of>(s);
    if (threadIdx.x) return;
    if (gridDim.x > 1)
        ((typename Of::Sum *)parts)[blockIdx.x] = s;
    else
        put((typename Of::Result *)result, Of::result(s), bytes);
}
template <class Of> FN void merge(long long n, const void *parts, void *result, int bytes)
{
    typename Of::Sum s = Of::none();
    for (long long i = threadIdx.x; i < n; i += THREADS) s = Of::merged(s, ((const typename Of::Sum *)parts)[i]);
    s = of_block<Of>(s);
    if (!threadIdx.x) put((typename Of::Result *)result, Of::result(s), bytes);
}

#define KERNELS(name, ...)                                                                                 \
    extern "C" __global__ void name(long long n, Vector x, Vector y, void *parts, void *result, int bytes) \
    {                                                                                                      \
        reduce<__VA_ARGS__>(n, x, y, parts, result, bytes);                                                \
    }                                                                                                      \
    extern "C" __global__ void name##_end(long long n, const void *parts, void *result, int bytes)         \
    {                                                                                                      \
        merge<__VA_ARGS__>(n, parts, result, bytes);                                                       \
    }
#define REDUCTIONS(letter, T)                \
    KERNELS(dot_##letter, Dot<T, false>)     \
    KERNELS(asum_##letter, Asum<T>)          \
    KERNELS(nrm2_##letter, Nrm2<T>)          \
    KERNELS(amax_##letter, Extreme<T, true>) \
    KERNELS(amin_##letter, Extreme<T, false>)
SIX(REDUCTIONS)
KERNELS(dotc_c, Dot<C32, true>) KERNELS(dotc_z, Dot<C64, true>)
