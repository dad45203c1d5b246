// triangle.cu: the solution of small triangular systems with many right sides: a step of trsm.
#include "matrix.cuh"

enum { SIZE = 32, THREADS = 64 };

// Unknowns first … first + size - 1 of op(a) x = alpha b, or with `right` of x op(a) = alpha b. Their values in one of
// the right sides are `step` apart in b, and the right sides `apart`. A thread has one of these. flip: the last unknown
// is found first.
template <class T>
FN void solve(const Matrix &a, const Matrix &b, const Scalar &alpha, long long first, int size, int flip, int right,
              long long n, long long step, long long apart, int pointers)
{
    __shared__ T known[SIZE][SIZE + 1];
    T *const at = of_batch<T>(a, blockIdx.z, pointers);
    for (int e = threadIdx.x; e < SIZE * SIZE; e += THREADS) {
        const int r = e % SIZE, c = e / SIZE;
        const long long i = first + (flip ? size - 1 - r : r), j = first + (flip ? size - 1 - c : c);
        T v = T(r == c);
        if (r < size && c <= r && !(r == c && a.form == UNIT_TRIANGLE))
            v = right ? used<T, T>(a, at, j, i) : used<T, T>(a, at, i, j);
        known[r][c] = v;
    }
    __syncthreads();
    const long long which = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (which >= n) return;
    T *const mine = of_batch<T>(b, blockIdx.z, pointers) + which * apart;
    const T by = value<T>(alpha);
    T x[SIZE];
#pragma unroll
    for (int r = 0; r < SIZE; r++) {
        T v = T(0);
        if (r < size && !(by == T(0))) v = by * mine[(first + (flip ? size - 1 - r : r)) * step];
#pragma unroll
        for (int c = 0; c < r; c++) v = v - known[r][c] * x[c];
        x[r] = a.form == UNIT_TRIANGLE ? v : v / known[r][r];
        if (r < size) mine[(first + (flip ? size - 1 - r : r)) * step] = x[r];
    }
}
#define TRIANGLE_OF(letter, T)                                                                                      \
    extern "C" __global__ void triangle_##letter(Matrix a, Matrix b, Scalar alpha, long long first, int size,       \
                                                 int flip, int right, long long n, long long step, long long apart, \
                                                 int pointers)                                                      \
    {                                                                                                               \
        solve<T>(a, b, alpha, first, size, flip, right, n, step, apart, pointers);                                  \
    }
FOUR(TRIANGLE_OF)
