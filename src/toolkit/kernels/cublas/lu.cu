// lu.cu: LU factors of many small matrices, a block for each. Pivots count from 1, as LAPACK has them; null: none.
#include "matrix.cuh"

enum { THREADS = 128 };

// The row of the largest element of column k, from row k on.
template <class T> FN int pivot_of(const T *a, int n, int lda, int k)
{
    __shared__ Real<T> sizes[THREADS];
    __shared__ int places[THREADS];
    Real<T> size = -1;
    int place = k;
    for (int i = k + threadIdx.x; i < n; i += THREADS) {
        const Real<T> s = size_of(a[i + (long long)k * lda]);
        if (s > size) size = s, place = i;
    }
    sizes[threadIdx.x] = size, places[threadIdx.x] = place;
    for (unsigned half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        const unsigned o = threadIdx.x + half;
        if (sizes[o] > sizes[threadIdx.x] || (sizes[o] == sizes[threadIdx.x] && places[o] < places[threadIdx.x]))
            sizes[threadIdx.x] = sizes[o], places[threadIdx.x] = places[o];
    }
    __syncthreads();
    place = places[0];
    __syncthreads();
    return place;
}
template <class T> FN void exchange(T *a, int columns, int lda, int r, int s)
{
    for (int j = threadIdx.x; r != s && j < columns; j += THREADS) {
        T *const p = a + (long long)j * lda, kept = p[r];
        p[r] = p[s], p[s] = kept;
    }
    __syncthreads();
}
template <class T> FN void getrf(int n, T *const *all, int lda, int *pivots, int *info)
{
    T *const a = all[blockIdx.x];
    int singular = 0;
    for (int k = 0; k < n; k++) {
        if (pivots) {
            const int r = pivot_of(a, n, lda, k);
            if (!threadIdx.x) pivots[(long long)blockIdx.x * n + k] = r + 1;
            exchange(a, n, lda, k, r);
        }
        const T top = a[k + (long long)k * lda];
        if (top == T(0)) {
            if (!singular) singular = k + 1;
            continue;
        }
        for (int i = k + 1 + threadIdx.x; i < n; i += THREADS)
            a[i + (long long)k * lda] = a[i + (long long)k * lda] / top;
        __syncthreads();
        const int left = n - k - 1;
        for (int e = threadIdx.x; e < left * left; e += THREADS) {
            const long long i = k + 1 + e % left, j = k + 1 + e / left;
            a[i + j * lda] = a[i + j * lda] - a[i + (long long)k * lda] * a[k + j * lda];
        }
        __syncthreads();
    }
    if (!threadIdx.x) info[blockIdx.x] = singular;
}
// b's rows in the order of the pivots, or back.
template <class T> FN void order(int n, int columns, T *const *all, int ldb, const int *pivots, int back)
{
    T *const b = all[blockIdx.x];
    for (int step = 0; step < n; step++) {
        const int k = back ? n - 1 - step : step;
        exchange(b, columns, ldb, k, pivots[(long long)blockIdx.x * n + k] - 1);
    }
}
// c is 1, and info the first element of a's diagonal that is 0.
template <class T> FN void one(int n, const T *const *as, int lda, T *const *cs, int ldc, int *info)
{
    const T *const a = as[blockIdx.x];
    T *const c = cs[blockIdx.x];
    for (int e = threadIdx.x; e < n * n; e += THREADS) c[e % n + (long long)(e / n) * ldc] = T(e % n == e / n);
    if (threadIdx.x) return;
    int singular = 0;
    for (int k = n - 1; k >= 0; k--)
        if (a[k + (long long)k * lda] == T(0)) singular = k + 1;
    info[blockIdx.x] = singular;
}
// Copies of the matrices, one behind the other, and their addresses.
template <class T> FN void copies(int n, const T *const *as, int lda, T *room, T **addresses)
{
    const T *const a = as[blockIdx.x];
    T *const to = room + (long long)blockIdx.x * n * n;
    for (int e = threadIdx.x; e < n * n; e += THREADS) to[e] = a[e % n + (long long)(e / n) * lda];
    if (!threadIdx.x) addresses[blockIdx.x] = to;
}

#define LU(letter, T)                                                                                                \
    extern "C" __global__ void __launch_bounds__(128)                                                                \
        getrf_##letter(int n, T *const *a, int lda, int *pivots, int *info)                                          \
    {                                                                                                                \
        getrf(n, a, lda, pivots, info);                                                                              \
    }                                                                                                                \
    extern "C" __global__ void order_##letter(int n, int columns, T *const *b, int ldb, const int *pivots, int back) \
    {                                                                                                                \
        order(n, columns, b, ldb, pivots, back);                                                                     \
    }                                                                                                                \
    extern "C" __global__ void one_##letter(int n, const T *const *a, int lda, T *const *c, int ldc, int *info)      \
    {                                                                                                                \
        one(n, a, lda, c, ldc, info);                                                                                \
    }                                                                                                                \
    extern "C" __global__ void copies_##letter(int n, const T *const *a, int lda, T *room, T **addresses)            \
    {                                                                                                                \
        copies(n, a, lda, room, addresses);                                                                          \
    }
FOUR(LU)
