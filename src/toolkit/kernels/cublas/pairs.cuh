// pairs.cuh: sums of tensor instructions as elements of c: a thread has pairs of neighbours in a column.
#ifndef PAIRS_CUH
#define PAIRS_CUH

#include "finish.cuh"

FN unsigned pair(float low, float high, __half)
{
    unsigned r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}
FN unsigned pair(float low, float high, __nv_bfloat16)
{
    unsigned r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}
// Two rows of a column, in one store where they are both there and aligned. c is of floats, or of type T.
template <class T> FN float old(const void *c, long long i, bool wide)
{
    return wide ? ((const float *)c)[i] : as<float>(((const T *)c)[i]);
}
template <class T> FN void put_one(void *c, long long i, bool wide, float v)
{
    if (wide)
        ((float *)c)[i] = v;
    else
        ((T *)c)[i] = as<T>(v);
}
template <class T>
FN void put(const Product &p, const Factors<float> &f, void *c, long long i, long long j, float low, float high)
{
    if (i >= p.m || j >= p.n) return;
    const long long to = i + j * p.c.ld;
    const bool both = i + 1 < p.m, wide = p.d_type == CUDA_R_32F;
    low *= f.alpha, high *= f.alpha;
    if (f.keeps) {
        low += f.beta * old<T>(c, to, wide);
        if (both) high += f.beta * old<T>(c, to + 1, wide);
    }
    if (both && wide && (size_t)((float *)c + to) % 8 == 0) {
        *(float2 *)((float *)c + to) = make_float2(low, high);
    } else if (both && !wide && (size_t)((T *)c + to) % 4 == 0) {
        *(unsigned *)((T *)c + to) = pair(low, high, T());
    } else {
        put_one<T>(c, to, wide, low);
        if (both) put_one<T>(c, to + 1, wide, high);
    }
}

#endif
