// values.cuh: cuSPARSE's kernels for one type of values, float, double or complex ones of these.
#ifndef TOOLKIT_SPARSE_VALUES_H
#define TOOLKIT_SPARSE_VALUES_H
#include "indices.cuh"

template <class T> struct Complex {
    T x, y;
};
template <class T> static __device__ Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.x + b.x, a.y + b.y}; }
template <class T> static __device__ Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.x - b.x, a.y - b.y}; }
template <class T> static __device__ Complex<T> operator*(Complex<T> a, Complex<T> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
// With scaled parts (Smith, Algorithm 116, 1962).
template <class T> static __device__ Complex<T> operator/(Complex<T> a, Complex<T> b)
{
    if (fabs(b.x) >= fabs(b.y)) {
        const T q = b.y / b.x, down = b.x + b.y * q;
        return {(a.x + a.y * q) / down, (a.y - a.x * q) / down};
    }
    const T q = b.x / b.y, down = b.x * q + b.y;
    return {(a.x * q + a.y) / down, (a.y * q - a.x) / down};
}
static __device__ float conj(float a) { return a; }
static __device__ double conj(double a) { return a; }
template <class T> static __device__ Complex<T> conj(Complex<T> a) { return {a.x, -a.y}; }
static __device__ bool zero(float a) { return a == 0; }
static __device__ bool zero(double a) { return a == 0; }
template <class T> static __device__ bool zero(Complex<T> a) { return a.x == 0 && a.y == 0; }
static __device__ float magnitude(float a) { return fabsf(a); }
static __device__ double magnitude(double a) { return fabs(a); }
template <class T> static __device__ T magnitude(Complex<T> a) { return fabs(a.x) + fabs(a.y); }
static __device__ void add_to(float *to, float a) { atomicAdd(to, a); }
static __device__ void add_to(double *to, double a)  // GPUs up to 5.3 have no such addition
{
    unsigned long long *at = (unsigned long long *)to, was = 0, seen;  // 0: a guess
    while ((seen = atomicCAS(at, was, __double_as_longlong(__longlong_as_double(was) + a))) != was) was = seen;
}
template <class T> static __device__ void add_to(Complex<T> *to, Complex<T> a)
{
    add_to(&to->x, a.x), add_to(&to->y, a.y);
}
static __device__ float from_lane(float a, int by) { return __shfl_down_sync(~0u, a, by); }
static __device__ double from_lane(double a, int by) { return __shfl_down_sync(~0u, a, by); }
template <class T> static __device__ Complex<T> from_lane(Complex<T> a, int by)
{
    return {from_lane(a.x, by), from_lane(a.y, by)};
}
template <class T> static __device__ T warp_sum(T a)
{
    for (int by = 16; by; by /= 2) a = a + from_lane(a, by);
    return a;
}

template <class T> static __device__ T scalar(const SparseScalar &s)
{
    return s.at ? *(const T *)s.at : *(const T *)s.here;
}
template <class T> static __device__ T turned(T a, int turn) { return turn ? conj(a) : a; }
template <class T> static __device__ T *element(const SparseDense &d, long long i, long long j)
{
    return (T *)d.at + i * d.down + j * d.right;
}
template <class T> static __device__ T value(const SparseDense &d, long long i, long long j)
{
    return turned(*element<T>(d, i, j), d.turn);
}
template <class T> static __device__ T entry(const SparseMatrix &a, long long e) { return ((const T *)a.values)[e]; }
// Without reading what was there if beta is 0.
template <class T> static __device__ void put(T *to, T x, T beta) { *to = zero(beta) ? x : x + beta * *to; }

// --- products with dense matrices ------------------------------------------------------------------------------------
// A warp for each row of a matrix that has offsets, and one column.
template <class T> static __device__ void row_products(const SparseProduct &p)
{
    const T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
    const long long warps = threads_all() / 32;
    for (long long row = thread_first() / 32; row < p.rows; row += warps) {
        T sum = {};
        for (long long e = line_begin(p.a, row) + threadIdx.x % 32; e < line_begin(p.a, row + 1); e += 32)
            sum = sum + turned(entry<T>(p.a, e), p.turn) * value<T>(p.from, index_of(p.a.minors, e), 0);
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) put(element<T>(p.to, row, 0), alpha * sum, beta);
    }
}
// A thread for each element.
template <class T> static __device__ void element_products(const SparseProduct &p)
{
    const T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
    for (long long t = thread_first(); t < p.rows * p.columns; t += threads_all()) {
        const long long row = t / p.columns, column = t % p.columns;
        T sum = {};
        for (long long e = line_begin(p.a, row); e < line_begin(p.a, row + 1); e++)
            sum = sum + turned(entry<T>(p.a, e), p.turn) * value<T>(p.from, index_of(p.a.minors, e), column);
        put(element<T>(p.to, row, column), alpha * sum, beta);
    }
}
template <class T> static __device__ void scale(const SparseProduct &p)
{
    const T beta = scalar<T>(p.beta);
    for (long long t = thread_first(); t < p.rows * p.columns; t += threads_all())
        put(element<T>(p.to, t / p.columns, t % p.columns), T{}, beta);
}
// A thread for each entry and column adds to what has been scaled.
template <class T> static __device__ void add_products(const SparseProduct &p)
{
    const T alpha = scalar<T>(p.alpha);
    for (long long t = thread_first(); t < p.a.entries * p.columns; t += threads_all()) {
        const long long e = t / p.columns, column = t % p.columns;
        const long long major = major_of(p.a, e), minor = index_of(p.a.minors, e);
        const T x = value<T>(p.from, p.across ? major : minor, column);
        add_to(element<T>(p.to, p.across ? minor : major, column), alpha * turned(entry<T>(p.a, e), p.turn) * x);
    }
}
// A warp for each entry of c, whose value becomes alpha · (a · b) + beta · itself. along: of a's columns.
template <class T>
static __device__ void sampled(const SparseMatrix &c, const SparseDense &a, const SparseDense &b,
                               const SparseScalar &alpha, const SparseScalar &beta, long long along, int columns_major)
{
    for (long long e = thread_first() / 32; e < c.entries; e += threads_all() / 32) {
        const long long major = major_of(c, e), minor = index_of(c.minors, e);
        const long long row = columns_major ? minor : major, column = columns_major ? major : minor;
        T sum = {};
        for (long long k = threadIdx.x % 32; k < along; k += 32)
            sum = sum + value<T>(a, row, k) * value<T>(b, k, column);
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) put((T *)c.values + e, scalar<T>(alpha) * sum, scalar<T>(beta));
    }
}

// --- vectors ---------------------------------------------------------------------------------------------------------
enum { VECTOR_ADD, VECTOR_GATHER, VECTOR_SCATTER };
// A sparse vector x is a matrix of one line; y is a column.
template <class T>
static __device__ void with_vector(const SparseMatrix &x, const SparseDense &y, const SparseScalar &alpha, int what)
{
    T *own = (T *)x.values;
    for (long long e = thread_first(); e < x.entries; e += threads_all()) {
        T *other = element<T>(y, index_of(x.minors, e), 0);
        if (what == VECTOR_ADD) *other = *other + scalar<T>(alpha) * own[e];
        if (what == VECTOR_GATHER) own[e] = *other;
        if (what == VECTOR_SCATTER) *other = own[e];
    }
}
// One block.
template <class T> static __device__ void dot(const SparseMatrix &x, const SparseDense &y, int turn, T *result)
{
    __shared__ T sums[32];
    T sum = {};
    for (long long e = threadIdx.x; e < x.entries; e += blockDim.x)
        sum = sum + turned(entry<T>(x, e), turn) * value<T>(y, index_of(x.minors, e), 0);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < (int)blockDim.x / 32; w++) sum = sum + sums[w];
    *result = sum;
}

// --- sparse and dense ------------------------------------------------------------------------------------------------
// d is the matrix with its major index first.
template <class T> static __device__ void spread(const SparseMatrix &a, const SparseDense &d)
{
    for (long long e = thread_first(); e < a.entries; e += threads_all())
        *element<T>(d, major_of(a, e), index_of(a.minors, e)) = entry<T>(a, e);
}
template <class T> static __device__ void clear(const SparseDense &d, long long rows, long long columns)
{
    for (long long t = thread_first(); t < rows * columns; t += threads_all())
        *element<T>(d, t / columns, t % columns) = T{};
}
// How many elements of each line aren't 0; and they, from starts[line] on.
template <class T> static __device__ void count(const SparseMatrix &a, const SparseDense &d, long long *counts)
{
    for (long long i = thread_first(); i < a.major; i += threads_all()) {
        long long n = 0;
        for (long long j = 0; j < a.minor; j++) n += !zero(*element<T>(d, i, j));
        counts[i] = n;
    }
}
template <class T> static __device__ void collect(const SparseMatrix &a, const SparseDense &d, const long long *starts)
{
    for (long long i = thread_first(); i < a.major; i += threads_all()) {
        long long e = starts[i];
        for (long long j = 0; j < a.minor; j++) {
            const T x = *element<T>(d, i, j);
            if (zero(x)) continue;
            ((T *)a.values)[e] = x;
            if (a.majors.at) put_index(a.majors, e, i);
            put_index(a.minors, e++, j);
        }
    }
}

// --- triangular systems ----------------------------------------------------------------------------------------------
template <class T> static __device__ void solve_row(const SparseSolve &s, long long row, long long side)
{
    const long long *starts = (const long long *)s.starts, *columns = (const long long *)s.columns;
    const long long *places = (const long long *)s.places, own = ((const long long *)s.diagonal)[row];
    const T *values = (const T *)s.values;
    T x = scalar<T>(s.alpha) * value<T>(s.from, row, side);
    for (long long e = starts[row]; e < starts[row + 1]; e++)
        x = x - turned(values[places[e]], s.turn) * *element<T>(s.to, columns[e], side);
    *element<T>(s.to, row, side) = own < 0 ? x : x / turned(values[own], s.turn);
}
// One level with many blocks, or several ones with one.
template <class T> static __device__ void solve(const SparseSolve &s)
{
    const long long *order = (const long long *)s.order, *level = (const long long *)s.level;
    for (long long l = s.first; l < s.last; l++) {
        const long long rows = level[l + 1] - level[l];
        for (long long t = thread_first(); t < rows * s.right_sides; t += threads_all())
            solve_row<T>(s, order[level[l] + t / s.right_sides], t % s.right_sides);
        __syncthreads();
    }
}
template <class T> static __device__ void set_diagonal(const long long *places, T *values, const T *given, long long n)
{
    for (long long i = thread_first(); i < n; i += threads_all())
        if (places[i] >= 0) values[places[i]] = given[i];
}

// --- products of sparse matrices -------------------------------------------------------------------------------------
// A warp for each row of c = alpha · a · b, whose entries are known, by column: an entry of a at a time, so that the
// lanes never add to the same one.
template <class T>
static __device__ void multiply(const SparseMatrix &a, const SparseMatrix &b, const SparseMatrix &c,
                                const SparseScalar &alpha)
{
    T *to = (T *)c.values;
    for (long long row = thread_first() / 32; row < c.major; row += threads_all() / 32) {
        const long long first = line_begin(c, row), last = line_begin(c, row + 1);
        for (long long e = first + threadIdx.x % 32; e < last; e += 32) to[e] = T{};
        __syncwarp();
        for (long long e = line_begin(a, row); e < line_begin(a, row + 1); e++) {
            const T x = scalar<T>(alpha) * entry<T>(a, e);
            const long long k = index_of(a.minors, e);
            for (long long f = line_begin(b, k) + threadIdx.x % 32; f < line_begin(b, k + 1); f += 32) {
                T *sum = to + index_find(c.minors, index_of(b.minors, f), first, last);
                *sum = *sum + x * entry<T>(b, f);
            }
            __syncwarp();
        }
    }
}
// to = from + beta · to
template <class T> static __device__ void sum(T *to, const T *from, const SparseScalar &beta, long long n)
{
    for (long long i = thread_first(); i < n; i += threads_all()) put(to + i, from[i], scalar<T>(beta));
}

// --- tridiagonal systems ---------------------------------------------------------------------------------------------
// A thread for each, by elimination, with rows exchanged where that makes a divisor larger if `pivot`. The diagonals
// are copied into `room`, which has four lines of n for each matrix: what an exchange puts right of them is the fourth.
template <class T> struct Bands {
    T *lower, *own, *upper, *far;
};
template <class T> static __device__ void eliminate(const Bands<T> &m, T *x, long long n, int pivot)
{
    for (long long i = 0; i + 1 < n; i++) {
        if (pivot && magnitude(m.lower[i + 1]) > magnitude(m.own[i])) {
            const T own = m.own[i], upper = m.upper[i], right = x[i];
            m.own[i] = m.lower[i + 1], m.upper[i] = m.own[i + 1], m.far[i] = m.upper[i + 1];
            const T by = own / m.own[i];
            m.own[i + 1] = upper - by * m.upper[i], m.upper[i + 1] = T{} - by * m.far[i];
            x[i] = x[i + 1], x[i + 1] = right - by * x[i];
        } else {
            const T by = m.lower[i + 1] / m.own[i];
            m.own[i + 1] = m.own[i + 1] - by * m.upper[i];
            x[i + 1] = x[i + 1] - by * x[i];
        }
    }
    for (long long i = n - 1; i >= 0; i--) {
        T sum = x[i];
        if (i + 1 < n) sum = sum - m.upper[i] * x[i + 1];
        if (i + 2 < n) sum = sum - m.far[i] * x[i + 2];
        x[i] = sum / m.own[i];
    }
}
// matrices: their distance; 0: there is one, for all right sides.
template <class T>
static __device__ void tridiagonal(const T *lower, const T *own, const T *upper, T *x, long long n, long long sides,
                                   long long apart, long long matrices, T *room, int pivot)
{
    for (long long side = thread_first(); side < sides; side += threads_all()) {
        const Bands<T> m = {room + side * 4 * n, room + (side * 4 + 1) * n, room + (side * 4 + 2) * n,
                            room + (side * 4 + 3) * n};
        for (long long i = 0; i < n; i++) {
            const long long at = side * matrices + i;
            m.lower[i] = i ? lower[at] : T{}, m.own[i] = own[at], m.upper[i] = i + 1 < n ? upper[at] : T{},
            m.far[i] = T{};
        }
        eliminate(m, x + side * apart, n, pivot);
    }
}

#define KERNEL(name, parameters, call) \
    extern "C" __global__ void __launch_bounds__(256) name parameters { call; }
#define SPARSE_KERNELS(T)                                                                                            \
    KERNEL(row_product, (SparseProduct p), row_products<T>(p))                                                       \
    KERNEL(element_product, (SparseProduct p), element_products<T>(p))                                               \
    KERNEL(scale_product, (SparseProduct p), scale<T>(p))                                                            \
    KERNEL(add_product, (SparseProduct p), add_products<T>(p))                                                       \
    KERNEL(sample,                                                                                                   \
           (SparseMatrix c, SparseDense a, SparseDense b, SparseScalar alpha, SparseScalar beta, long long along,    \
            int major),                                                                                              \
           sampled<T>(c, a, b, alpha, beta, along, major))                                                           \
    KERNEL(vector, (SparseMatrix x, SparseDense y, SparseScalar alpha, int what), with_vector<T>(x, y, alpha, what)) \
    KERNEL(dot_product, (SparseMatrix x, SparseDense y, int turn, T *result), dot<T>(x, y, turn, result))            \
    KERNEL(spread_matrix, (SparseMatrix a, SparseDense d), spread<T>(a, d))                                          \
    KERNEL(clear_matrix, (SparseDense d, long long rows, long long columns), clear<T>(d, rows, columns))             \
    KERNEL(count_lines, (SparseMatrix a, SparseDense d, long long *counts), count<T>(a, d, counts))                  \
    KERNEL(collect_lines, (SparseMatrix a, SparseDense d, const long long *starts), collect<T>(a, d, starts))        \
    KERNEL(solve_levels, (SparseSolve s), solve<T>(s))                                                               \
    KERNEL(new_diagonal, (const long long *places, T *values, const T *given, long long n),                          \
           set_diagonal(places, values, given, n))                                                                   \
    KERNEL(multiply_rows, (SparseMatrix a, SparseMatrix b, SparseMatrix c, SparseScalar alpha),                      \
           multiply<T>(a, b, c, alpha))                                                                              \
    KERNEL(add_values, (T * to, const T *from, SparseScalar beta, long long n), sum<T>(to, from, beta, n))           \
    KERNEL(tridiagonals,                                                                                             \
           (const T *lower, const T *own, const T *upper, T *x, long long n, long long sides, long long apart,       \
            long long matrices, T *room, int pivot),                                                                 \
           tridiagonal(lower, own, upper, x, n, sides, apart, matrices, room, pivot))
#endif
