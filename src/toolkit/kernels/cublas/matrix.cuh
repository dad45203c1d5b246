// matrix.cuh: elements of a matrix, however it is stored and used (args.h).
#ifndef MATRIX_CUH
#define MATRIX_CUH

#include "common.cuh"

// Where the element lies; null: it is zero, and isn't stored. A triangle's other half is the caller's matter.
template <class T> FN T *stored(const Matrix &a, void *at, long long i, long long j)
{
    T *const p = (T *)at;
    if (a.layout == WHOLE) return p + i + j * a.ld;
    if (a.layout == BAND) return i - j <= a.kl && j - i <= a.ku ? p + a.ku + i - j + j * a.ld : 0;
    return p + (a.upper ? i + j * (j + 1) / 2 : i + j * (2 * a.rows - j - 1) / 2);
}
// The matrix's element, before it is transposed.
template <class To, class T> FN To entry(const Matrix &a, void *at, long long i, long long j)
{
    const bool inside = a.upper ? i <= j : i >= j;
    if (a.form >= TRIANGLE && !inside) return To(0);
    if (a.form == UNIT_TRIANGLE && i == j) return To(1);
    const bool mirrored = a.form != GENERAL && !inside;
    const T *const p = mirrored ? stored<T>(a, at, j, i) : stored<T>(a, at, i, j);
    if (!p) return To(0);
    const To v = as<To>(*p);
    if (a.form != HERMITIAN) return v;
    return i == j ? To(real_of(v)) : conj_if(v, mirrored);
}
FN bool is_transposed(const Matrix &a) { return a.op == 1 || a.op == 2; }
FN bool is_conjugated(const Matrix &a) { return a.op >= 2; }
// The same of op(a).
template <class To, class T> FN To used(const Matrix &a, void *at, long long i, long long j)
{
    const To v = is_transposed(a) ? entry<To, T>(a, at, j, i) : entry<To, T>(a, at, i, j);
    return conj_if(v, is_conjugated(a));
}
template <class T> FN T *of_batch(const Matrix &a, long long which, bool pointers)
{
    return (pointers ? ((T *const *)a.at)[which] : (T *)a.at + which * a.stride) + a.offset;
}

#endif
