// finish.cuh: what becomes of a sum before it is an element of c: factors, what c was, and an epilogue.
#ifndef FINISH_CUH
#define FINISH_CUH

#include "matrix.cuh"

template <class T> FN void store_any(void *at, long long i, int type, T v)
{
    switch (type) {
    case CUDA_R_32F: ((float *)at)[i] = (float)real_of(v); break;
    case CUDA_R_64F: ((double *)at)[i] = (double)real_of(v); break;
    case CUDA_C_32F: ((C32 *)at)[i] = {(float)real_of(v), (float)imaginary_of(v)}; break;
    case CUDA_C_64F: ((C64 *)at)[i] = {(double)real_of(v), (double)imaginary_of(v)}; break;
    case CUDA_R_16F: ((__half *)at)[i] = __float2half_rn((float)real_of(v)); break;
    case CUDA_R_16BF: ((__nv_bfloat16 *)at)[i] = __float2bfloat16_rn((float)real_of(v)); break;
    case CUDA_R_8I: ((signed char *)at)[i] = as<signed char>((float)real_of(v)); break;
    default: ((int *)at)[i] = (int)real_of(v); break;
    }
}

// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), the form of it that cuBLASLt documents, and its derivative.
FN float tanh_of(float x)
{
    const float e = exp2f(-2.885390082f * (x < 0 ? -x : x)), t = (1 - e) / (1 + e);
    return x < 0 ? -t : t;
}
FN float gelu(float x) { return 0.5f * x * (1 + tanh_of(0.7978845608f * (x + 0.044715f * x * x * x))); }
FN float dgelu(float x)
{
    const float t = tanh_of(0.7978845608f * (x + 0.044715f * x * x * x));
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

// The factors, read once by each thread.
template <class T> struct Factors {
    T alpha, beta;
    bool keeps;  // c counts
};
template <class T> FN T scaled(T a, const float *by) { return by ? a * T(*by) : a; }
template <class T> FN Factors<T> factors(const Product &p)
{
    Factors<T> f;
    f.alpha = scaled(scaled(value<T>(p.alpha), p.scale_a), p.scale_b);
    f.beta = value<T>(p.beta);
    f.keeps = !(f.beta == T(0));
    f.beta = scaled(f.beta, p.scale_c);
    return f;
}

// Bit j % 8 of byte j / 8 is element j's, where a mask is kept.
template <class T> FN T applied(const Product &p, long long which, long long i, long long j, T v)
{
    if (p.bias) v = v + load_any<T>(p.bias, i + which * p.bias_stride, p.bias_type);
    if (p.action == PLAIN) return v;
    const long long at = i + j * p.aux_ld + which * p.aux_stride;
    float x = (float)real_of(v);
    switch (p.action) {
    case RELU:
        if (p.aux) {
            unsigned *const word = (unsigned *)p.aux + at / 32, bit = 1u << at % 32;
            if (x > 0)
                atomicOr(word, bit);
            else
                atomicAnd(word, ~bit);
        }
        x = x > 0 ? x : 0;
        break;
    case GELU:
        if (p.aux) store_any(p.aux, at, p.aux_type, x);
        x = gelu(x);
        break;
    case DRELU: x = ((const unsigned *)p.aux)[at / 32] >> at % 32 & 1 ? x : 0; break;
    default: x *= dgelu(load_any<float>(p.aux, at, p.aux_type)); break;
    }
    return T(x);
}

// Element (i, j) of the batch's matrix `which`, whose c lies at c.
template <class T>
FN void finish(const Product &p, const Factors<T> &f, void *c, long long which, long long i, long long j, T sum)
{
    if (i >= p.m || j >= p.n || (p.half == 1 && i < j) || (p.half == 2 && i > j)) return;
    const long long at = i + j * p.c.ld;
    T v = f.alpha * sum;
    if (f.keeps && p.c_in) {
        v = fused(f.beta, load_any<T>(p.c_in, i + j * p.c_in_ld + which * p.c_in_stride, p.c_in_type), v);
    } else if (f.keeps) {
        T old = load_any<T>(c, at, p.d_type);
        if (p.real && i == j) old = T(real_of(old));
        v = fused(f.beta, old, v);
    }
    v = applied(p, which, i, j, v);
    if (p.scale_d) v = v * T(*p.scale_d);
    if (p.real && i == j) v = T(real_of(v));
    store_any(c, at, p.d_type, v);
}
FN int bytes_of(int type)
{
    switch (type) {
    case CUDA_R_8I: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 4;
    }
}

// Where the batch's matrix `which` of c lies.
FN void *out_of_batch(const Product &p, long long which)
{
    const int bytes = bytes_of(p.d_type);
    char *const at = p.pointers ? ((char *const *)p.c.at)[which] : (char *)p.c.at + which * p.c.stride * bytes;
    return at + p.c.offset * bytes;
}

// A block's tile, of rows times columns tiles. Blocks that run at the same time share eight rows of tiles.
FN uint2 tile_of_block(unsigned rows, unsigned columns)
{
    const unsigned band = blockIdx.x / (8 * columns), within = blockIdx.x % (8 * columns);
    const unsigned high = rows - 8 * band < 8 ? rows - 8 * band : 8;
    return make_uint2(8 * band + within % high, within / high);
}
// No element of a triangle is in it.
FN bool is_outside(const Product &p, long long row, long long column, int tile)
{
    return (p.half == 1 && row + tile <= column) || (p.half == 2 && column + tile <= row);
}

#endif
