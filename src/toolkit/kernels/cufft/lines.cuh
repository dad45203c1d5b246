// lines.cuh: Fourier transforms of lines in shared memory, by Stockham's algorithm: each stage joins R transforms of
// `done` points to one of R·done, from one half of the memory into the other (Van Loan, Computational Frameworks for
// the Fast Fourier Transform, 1992, section 1.7). All are forward ones; who conjugates both sides gets the inverse.
#ifndef TOOLKIT_LINES_H
#define TOOLKIT_LINES_H
#include "line.h"

template <class T> struct Complex {
    T x, y;
};
template <class T> static __device__ Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.x + b.x, a.y + b.y}; }
template <class T> static __device__ Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.x - b.x, a.y - b.y}; }
template <class T> static __device__ Complex<T> operator*(Complex<T> a, Complex<T> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class T> static __device__ Complex<T> conj(Complex<T> a) { return {a.x, -a.y}; }
template <class T> static __device__ Complex<T> turned(Complex<T> a) { return {a.y, -a.x}; }  // by -i

// --- transforms of a few points, in registers ------------------------------------------------------------------------
template <class T> static __device__ void four(Complex<T> &a, Complex<T> &b, Complex<T> &c, Complex<T> &d)
{
    const Complex<T> p = a + c, q = a - c, r = b + d, s = turned(b - d);
    a = p + r, b = q + s, c = p - r, d = q - s;
}
template <int R> struct Points {
    // By the definition; roots[k·apart] is e^(-2πik/R).
    template <class T> static __device__ void transform(Complex<T> *v, const Complex<T> *roots, int apart)
    {
        Complex<T> w[R], sum[R];
#pragma unroll
        for (int k = 0; k < R; k++) w[k] = roots[k * apart];
#pragma unroll
        for (int k = 0; k < R; k++) {
            sum[k] = v[0];
#pragma unroll
            for (int j = 1; j < R; j++) sum[k] = sum[k] + v[j] * w[j * k % R];
        }
#pragma unroll
        for (int k = 0; k < R; k++) v[k] = sum[k];
    }
};
template <> struct Points<2> {
    template <class T> static __device__ void transform(Complex<T> *v, const Complex<T> *, int)
    {
        const Complex<T> a = v[0], b = v[1];
        v[0] = a + b, v[1] = a - b;
    }
};
template <> struct Points<4> {
    template <class T> static __device__ void transform(Complex<T> *v, const Complex<T> *, int)
    {
        four(v[0], v[1], v[2], v[3]);
    }
};
template <> struct Points<8> {
    template <class T> static __device__ void transform(Complex<T> *v, const Complex<T> *, int)
    {
        const T h = (T)0.70710678118654752440;
        four(v[0], v[2], v[4], v[6]);
        four(v[1], v[3], v[5], v[7]);
        const Complex<T> odd[4] = {v[1], v[3] * Complex<T>{h, -h}, turned(v[5]), v[7] * Complex<T>{-h, -h}};
        const Complex<T> even[4] = {v[0], v[2], v[4], v[6]};
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = even[k] + odd[k], v[k + 4] = even[k] - odd[k];
    }
};

// --- a stage ---------------------------------------------------------------------------------------------------------
template <int R, class T>
static __device__ void stage(const Lines &l, int here, int done, const Complex<T> *from, Complex<T> *to)
{
    const Complex<T> *roots = (const Complex<T> *)l.roots;
    const int apart = l.points / R, turn = apart / done;
    for (int t = threadIdx.x; t < here * apart; t += blockDim.x) {
        const int line = t / apart, j = t - line * apart, group = j / done, k = j - group * done;
        const Complex<T> *in = from + line * l.points + j;
        Complex<T> *out = to + line * l.points + group * done * R + k, v[R];
#pragma unroll
        for (int r = 0; r < R; r++) v[r] = r && k ? in[r * apart] * roots[r * k * turn] : in[r * apart];
        Points<R>::transform(v, roots, apart);
#pragma unroll
        for (int r = 0; r < R; r++) out[r * done] = v[r];
    }
}
template <class T>
static __device__ void any_stage(const Lines &l, int radix, int here, int done, const Complex<T> *from, Complex<T> *to)
{
    switch (radix) {
    case 2: return stage<2>(l, here, done, from, to);
    case 3: return stage<3>(l, here, done, from, to);
    case 4: return stage<4>(l, here, done, from, to);
    case 5: return stage<5>(l, here, done, from, to);
    case 7: return stage<7>(l, here, done, from, to);
    case 8: return stage<8>(l, here, done, from, to);
    }
}

// --- memory ----------------------------------------------------------------------------------------------------------
struct Place {
    long long position, element;
};
struct LinePlace {
    Place in, out;
    long long turn;
};
static __device__ LinePlace place(const Lines &l, long long line)
{
    LinePlace p = {};
    for (int d = 0; d < LINE_DIMS; d++) {
        const long long index = line % l.size[d];
        line /= l.size[d];
        if (d < LINE_INNER)
            p.in.position += index * l.in.inner[d], p.out.position += index * l.out.inner[d];
        else
            p.in.element += index * l.in.outer[d - LINE_INNER], p.out.element += index * l.out.outer[d - LINE_INNER];
        if (!d) p.turn = index * l.turn;
    }
    return p;
}
template <class T> static __device__ Complex<T> load(const Lines &l, const Place &p, int k)
{
    const LineSide &s = l.in;
    const long long position = p.position + k * s.step;
    Complex<T> v = {0, 0};
    if (position >= s.count) return v;
    const bool mirror = s.kind == LINE_HALF && position > s.whole / 2;
    const long long element = p.element + (mirror ? s.whole - position : position) * s.stride;
    if (s.kind == LINE_REAL)
        v.x = ((const T *)s.at)[element];
    else
        v = ((const Complex<T> *)s.at)[element];
    // What must be real is taken as real.
    if (s.kind == LINE_HALF && (!position || 2 * position == s.whole)) v.y = 0;
    if (mirror != (s.conjugate != 0)) v = conj(v);
    return s.factor ? v * ((const Complex<T> *)s.factor)[position] : v;
}
template <class T> static __device__ void store(const Lines &l, const LinePlace &p, int k, Complex<T> v)
{
    const LineSide &s = l.out;
    const long long position = p.out.position + k * s.step, element = p.out.element + position * s.stride;
    if (position >= s.count) return;
    if (l.high && k && p.turn) {
        const long long turn = k * p.turn;
        v = v * ((const Complex<T> *)l.high)[turn >> 10];
        v = v * ((const Complex<T> *)l.low)[turn & 1023];
    }
    if (s.conjugate) v = conj(v);
    if (s.factor) v = v * ((const Complex<T> *)s.factor)[position];
    if (s.conjugate_last) v = conj(v);
    if (s.kind == LINE_REAL)
        ((T *)s.at)[element] = v.x;
    else
        ((Complex<T> *)s.at)[element] = v;
}

template <class T> static __device__ void transform(const Lines &l)
{
    extern __shared__ double room[];
    __shared__ LinePlace places[LINE_MOST];
    const long long first = (long long)blockIdx.x * l.together;
    const int here = (int)min((long long)l.together, l.lines - first), all = here * l.points;
    Complex<T> *from = (Complex<T> *)room, *to = from + l.together * l.points;
    for (int t = threadIdx.x; t < here; t += blockDim.x) places[t] = place(l, first + t);
    __syncthreads();
    for (int t = threadIdx.x; t < all; t += blockDim.x) {
        const int line = l.in.across ? t % here : t / l.points, k = l.in.across ? t / here : t - line * l.points;
        from[line * l.points + k] = load<T>(l, places[line].in, k);
    }
    int done = 1;
    for (int s = 0; s < l.stages; s++) {
        const int radix = l.radix[s];
        __syncthreads();
        any_stage(l, radix, here, done, from, to);
        done *= radix;
        Complex<T> *swap = from;
        from = to, to = swap;
    }
    __syncthreads();
    for (int t = threadIdx.x; t < all; t += blockDim.x) {
        const int line = l.out.across ? t % here : t / l.points, k = l.out.across ? t / here : t - line * l.points;
        store(l, places[line], k, from[line * l.points + k]);
    }
}
// A kernel's parameters aren't indexed where they lie: that would copy all of them for each thread.
#define KERNEL(name, T)                                                 \
    extern "C" __global__ void __launch_bounds__(256) name(Lines given) \
    {                                                                   \
        __shared__ Lines l;                                             \
        if (!threadIdx.x) l = given;                                    \
        __syncthreads();                                                \
        transform<T>(l);                                                \
    }
#endif
