// level2.cuh: level 2 of BLAS, a matrix and vectors.
#ifndef LEVEL2_CUH
#define LEVEL2_CUH

#include "matrix.cuh"

template <class T> FN T *element(const Vector &v, long long i) { return (T *)v.at + i * v.step; }

template <class T> FN T moved(T a, int lane)
{
    int words[sizeof(T) / 4];
    memcpy(words, &a, sizeof a);
#pragma unroll
    for (int j = 0; j < (int)(sizeof(T) / 4); j++) words[j] = __shfl_xor_sync(~0u, words[j], lane);
    memcpy(&a, words, sizeof a);
    return a;
}
template <class T> FN T of_warp(T a)
{
#pragma unroll
    for (int lane = 16; lane; lane /= 2) a = a + moved(a, lane);
    return a;
}
template <class T> FN void put(const Vector &y, long long i, T alpha, T sum, T beta)
{
    T *const to = element<T>(y, i);
    *to = beta == T(0) ? alpha * sum : fused(beta, *to, alpha * sum);
}

// --- y = alpha op(a) x + beta y ---------------------------------------------------------------------------------------
template <class T> FN Vector of_batch(const Vector &v, long long stride, const Batch &b)
{
    return {b.pointers ? ((void *const *)v.at)[blockIdx.z] : (T *)v.at + blockIdx.z * stride, v.step};
}
// A vector whose step is negative begins at its other end, also where its address is known here alone.
template <class T> FN Vector turned(Vector v, long long n)
{
    if (v.step < 0) v.at = (T *)v.at + (1 - n) * v.step;
    return v;
}
// A whole matrix as it is: a block of 32 x 8 threads adds up 32 rows.
template <class T> FN void rows(const Matrix &a, const Scalar &alpha, Vector x, const Scalar &beta, Vector y, Batch b)
{
    __shared__ T sums[8][33];
    const T *const at = of_batch<T>(a, blockIdx.z, b.pointers);
    x = turned<T>(of_batch<T>(x, b.x, b), a.columns), y = turned<T>(of_batch<T>(y, b.y, b), a.rows);
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
    const T by = value<T>(alpha);
    T sum = T(0);
    if (i < a.rows && !(by == T(0)))
        for (long long j = threadIdx.y; j < a.columns; j += 8) sum = fused(at[i + j * a.ld], *element<T>(x, j), sum);
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y || i >= a.rows) return;
#pragma unroll
    for (int k = 1; k < 8; k++) sum = sum + sums[k][threadIdx.x];
    put(y, i, by, sum, value<T>(beta));
}
// The same of its transpose: a warp for each column.
template <class T>
FN void columns(const Matrix &a, const Scalar &alpha, Vector x, const Scalar &beta, Vector y, Batch b)
{
    const T *const at = of_batch<T>(a, blockIdx.z, b.pointers);
    x = turned<T>(of_batch<T>(x, b.x, b), a.rows), y = turned<T>(of_batch<T>(y, b.y, b), a.columns);
    const long long j = (long long)blockIdx.x * 8 + threadIdx.y;
    const T by = value<T>(alpha);
    T sum = T(0);
    if (j < a.columns && !(by == T(0)))
        for (long long i = threadIdx.x; i < a.rows; i += 32)
            sum = fused(conj_if(at[i + j * a.ld], is_conjugated(a)), *element<T>(x, i), sum);
    sum = of_warp(sum);
    if (!threadIdx.x && j < a.columns) put(y, j, by, sum, value<T>(beta));
}
// Any matrix: a warp for each row of op(a). Elements that lie beyond a band are not looked at.
template <class T>
FN void any(const Matrix &a, const Scalar &alpha, const Vector &x, const Scalar &beta, const Vector &y)
{
    const bool turn = is_transposed(a);
    const long long height = turn ? a.columns : a.rows, width = turn ? a.rows : a.columns;
    const long long i = (long long)blockIdx.x * 8 + threadIdx.y;
    if (i >= height) return;
    long long from = 0, to = width;
    if (a.layout == BAND) {
        const long long wide = a.form == GENERAL ? 0 : a.kl + a.ku;  // a band's other half is as wide
        const long long left = wide ? wide : turn ? a.ku : a.kl, right = wide ? wide : turn ? a.kl : a.ku;
        from = i > left ? i - left : 0, to = i + right + 1 < width ? i + right + 1 : width;
    }
    const T by = value<T>(alpha);
    T sum = T(0);
    if (!(by == T(0)))
        for (long long j = from + threadIdx.x; j < to; j += 32)
            sum = fused(used<T, T>(a, a.at, i, j), *element<T>(x, j), sum);
    sum = of_warp(sum);
    if (!threadIdx.x) put(y, i, by, sum, value<T>(beta));
}

// a += alpha x op(y) + op(alpha) y op(x), the second part where `both` is set, in what is stored of a. conjugates: op
// conjugates. Of a hermitian matrix the diagonal is real.
template <class T>
FN void update(const Matrix &a, const Scalar &alpha, const Vector &x, const Vector &y, int conjugates, int both)
{
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x, j = (long long)blockIdx.y * 8 + threadIdx.y;
    if (i >= a.rows || j >= a.columns) return;
    if (a.form != GENERAL && (a.upper ? i > j : i < j)) return;
    const T by = value<T>(alpha);
    if (by == T(0)) return;
    T *const to = stored<T>(a, a.at, i, j);
    T v = *to;
    v = fused(by * *element<T>(x, i), conj_if(*element<T>(y, j), conjugates), v);
    if (both) v = fused(conj_if(by, conjugates) * *element<T>(y, i), conj_if(*element<T>(x, j), conjugates), v);
    if (a.form == HERMITIAN && i == j) v = T(real_of(v));
    *to = v;
}

// Solves op(a) x = b in place, a triangular. One block: 32 unknowns at a time are found by a warp; then all threads take
// what they contribute from the other rows.
template <class T> FN void solve(const Matrix &a, const Vector &x)
{
    __shared__ T known[32];
    const bool up = (a.upper != 0) != is_transposed(a);  // op(a) is an upper triangle: the last unknown is first
    const long long n = a.rows;
    for (long long first = 0; first < n; first += 32) {
        const long long size = n - first < 32 ? n - first : 32;
        if (threadIdx.x < 32) {
            const long long mine = up ? n - 1 - first - threadIdx.x : first + threadIdx.x;
            T v = threadIdx.x < size ? *element<T>(x, mine) : T(0);
            for (int k = 0; k < size; k++) {
                const long long other = up ? n - 1 - first - k : first + k;
                if (threadIdx.x == k) known[k] = v = a.form == UNIT_TRIANGLE ? v : v / used<T, T>(a, a.at, mine, mine);
                __syncwarp();
                if (threadIdx.x > k && threadIdx.x < size) v = v - used<T, T>(a, a.at, mine, other) * known[k];
            }
            if (threadIdx.x < size) *element<T>(x, mine) = v;
        }
        __syncthreads();
        for (long long r = first + 32 + threadIdx.x; r < n; r += blockDim.x) {
            const long long i = up ? n - 1 - r : r;
            T sum = T(0);
            for (int k = 0; k < 32; k++)
                sum = fused(used<T, T>(a, a.at, i, up ? n - 1 - first - k : first + k), known[k], sum);
            *element<T>(x, i) = *element<T>(x, i) - sum;
        }
        __syncthreads();
    }
}

#define LEVEL2(letter, T)                                                                                         \
    extern "C" __global__ void rows_##letter(Matrix a, Scalar alpha, Vector x, Scalar beta, Vector y, Batch b)    \
    {                                                                                                             \
        rows<T>(a, alpha, x, beta, y, b);                                                                         \
    }                                                                                                             \
    extern "C" __global__ void columns_##letter(Matrix a, Scalar alpha, Vector x, Scalar beta, Vector y, Batch b) \
    {                                                                                                             \
        columns<T>(a, alpha, x, beta, y, b);                                                                      \
    }                                                                                                             \
    extern "C" __global__ void any_##letter(Matrix a, Scalar alpha, Vector x, Scalar beta, Vector y)              \
    {                                                                                                             \
        any<T>(a, alpha, x, beta, y);                                                                             \
    }                                                                                                             \
    extern "C" __global__ void update_##letter(Matrix a, Scalar alpha, Vector x, Vector y, int conj, int both)    \
    {                                                                                                             \
        update<T>(a, alpha, x, y, conj, both);                                                                    \
    }                                                                                                             \
    extern "C" __global__ void solve_##letter(Matrix a, Vector x) { solve<T>(a, x); }

#endif
