// rotation.cu: one thread finds a plane rotation (rotg) or a modified one (rotmg), as BLAS defines them.
#include "common.cuh"

// LAPACK Working Note 148; the signs and z are those of reference BLAS.
template <class T> FN void rotg(T *a, T *b, T *c, T *s)
{
    const T f = *a, g = *b, scale = size_of(f) > size_of(g) ? size_of(f) : size_of(g);
    const T sign = size_of(f) > size_of(g) ? (f < 0 ? T(-1) : T(1)) : (g < 0 ? T(-1) : T(1));
    if (scale == T(0)) {
        *c = 1, *s = 0, *a = 0, *b = 0;
        return;
    }
    const T u = f / scale, v = g / scale, r = sign * scale * T(sqrt(double(u * u + v * v)));
    *c = f / r, *s = g / r;
    *b = size_of(f) > size_of(g) ? *s : *c != T(0) ? T(1) / *c : T(1);
    *a = r;
}
template <class R> FN R length(Complex<R> a)
{
    const R big = size_of(a.x) > size_of(a.y) ? size_of(a.x) : size_of(a.y);
    if (big == R(0)) return 0;
    const R u = a.x / big, v = a.y / big;
    return big * R(sqrt(double(u * u + v * v)));
}
template <class R> FN void rotg(Complex<R> *a, Complex<R> *b, R *c, Complex<R> *s)
{
    const R size = length(*a), other = length(*b);
    if (size == R(0)) {
        *c = 0, *s = {1, 0}, *a = *b;
        return;
    }
    const R norm = length(Complex<R>(size, other));
    const Complex<R> phase = {a->x / size, a->y / size};
    *c = size / norm;
    const Complex<R> t = phase * conj_of(*b);
    *s = {t.x / norm, t.y / norm};
    *a = {phase.x * norm, phase.y * norm};
}

// Keeps a factor within 1 / 4096² and 4096² (Lawson, Hanson, Kincaid, Krogh 1979).
template <class T> FN void rescale(T *d, T *x, T *h1, T *h2)
{
    const T far = T(4096) * T(4096);
    for (int i = 0; i < 64 && *d != T(0) && size_of(*d) <= T(1) / far; i++)
        *d *= far, *x /= T(4096), *h1 /= T(4096), *h2 /= T(4096);
    for (int i = 0; i < 64 && size_of(*d) >= far && size_of(*d) < T(3e38); i++)
        *d /= far, *x *= T(4096), *h1 *= T(4096), *h2 *= T(4096);
}
template <class T> FN void rotmg(T *d1, T *d2, T *x1, T y, T *out)
{
    T h[4] = {0, 0, 0, 0}, flag = 0;  // 11, 21, 12, 22
    const T p2 = *d2 * y, p1 = *d1 * *x1, q2 = p2 * y, q1 = p1 * *x1;
    if (*d1 >= T(0) && p2 == T(0)) {
        out[0] = -2;
        return;
    }
    if (*d1 < T(0)) {
        flag = -1, *d1 = *d2 = *x1 = 0;
    } else if (size_of(q1) > size_of(q2)) {
        h[1] = -y / *x1, h[2] = p2 / p1;
        const T u = 1 - h[2] * h[1];
        if (u > T(0)) {
            *d1 /= u, *d2 /= u, *x1 *= u;
        } else {
            flag = -1, h[1] = h[2] = 0, *d1 = *d2 = *x1 = 0;
        }
    } else if (q2 < T(0)) {
        flag = -1, *d1 = *d2 = *x1 = 0;
    } else {
        flag = 1, h[0] = p1 / p2, h[3] = *x1 / y;
        const T u = 1 + h[0] * h[3], d = *d2 / u;
        *d2 = *d1 / u, *d1 = d, *x1 = y * u;
    }
    const T far = T(4096) * T(4096);
    const bool off1 = *d1 != T(0) && (size_of(*d1) <= T(1) / far || size_of(*d1) >= far);
    const bool off2 = *d2 != T(0) && (size_of(*d2) <= T(1) / far || size_of(*d2) >= far);
    if ((off1 || off2) && flag != T(-1)) {
        if (flag == T(0))
            h[0] = h[3] = 1;
        else
            h[1] = -1, h[2] = 1;
        flag = -1;
    }
    T none = 0;
    rescale(d1, x1, &h[0], &h[2]);
    rescale(d2, &none, &h[1], &h[3]);
    out[0] = flag;
    if (flag != T(1)) out[2] = h[1], out[3] = h[2];
    if (flag != T(0)) out[1] = h[0], out[4] = h[3];
}

#define ROTG(letter, T) \
    extern "C" __global__ void rotg_##letter(T *a, T *b, Real<T> *c, T *s) { rotg(a, b, c, s); }
FOUR(ROTG)
#define ROTMG(letter, T) \
    extern "C" __global__ void rotmg_##letter(T *d1, T *d2, T *x1, const T *y1, T *out) { rotmg(d1, d2, x1, *y1, out); }
ROTMG(s, float) ROTMG(d, double)
