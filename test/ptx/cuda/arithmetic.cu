// Arithmetic: integers of every width, 128 bits, multiword carries, bit operations, float and double mathematics.
#include "cuda.h"

extern "C" __global__ void integers(int *a, unsigned *u, long long *l, unsigned long long *v, short *s,
    unsigned char *b) {
    int i = threadIdx.x;
    a[i] = a[i] / (a[i + 1] | 1) + a[i + 2] % 7 + (a[i + 3] >> (a[i + 4] & 31)) + (a[i] << 3) + abs(a[i + 5]) +
        min(a[i], a[i + 6]);
    u[i] = u[i] / (u[i + 1] | 1) + u[i + 2] % 10 + (u[i + 3] >> 5) + max(u[i], 17u) + (u[i] ^ ~u[i + 1] & 0xff00ff00);
    l[i] = l[i] / (l[i + 1] | 1) + l[i + 2] % 1000003 + (l[i + 3] >> 7) + l[i] * l[i + 4] + (l[i] < 0 ? -l[i] : l[i]);
    v[i] = v[i] / (v[i + 1] | 1) + v[i + 2] % 1000003 + (v[i + 3] << (v[i + 4] & 63));
    s[i] = (short)(s[i] * s[i + 1] + s[i + 2] / 3);
    b[i] = (unsigned char)((b[i] + b[i + 1]) >> 1);
}

extern "C" __global__ void bits(int *a, unsigned *u, unsigned long long *v) {
    int i = threadIdx.x;
    u[i] = __popc(u[i]) + __clz(a[i]) + __ffs(a[i + 1]) + __brev(u[i + 1]) + __byte_perm(u[i], u[i + 1], 0x3210);
    v[i] = __popcll(v[i]) + __clzll((long long)v[i + 1]) + __ffsll((long long)v[i + 2]) + __brevll(v[i + 3]);
    u[i + 1] = __funnelshift_l(u[i], u[i + 1], u[i + 2]) + __funnelshift_rc(u[i], u[i + 1], u[i + 2]);
    a[i] = __mul24(a[i], a[i + 1]) + __mulhi(a[i], a[i + 2]) + (int)__umulhi(u[i], u[i + 1]) + __hadd(a[i], 3) +
        __rhadd(a[i], 5);
    v[i + 1] = __umul64hi(v[i], v[i + 2]) + __mul64hi((long long)v[i], (long long)v[i + 3]);
    u[i + 2] = __sad(a[i], a[i + 1], u[i]) + __usad(u[i], u[i + 1], u[i + 2]) + __vabsdiffu4(u[i], u[i + 1]) +
        __vadd4(u[i], u[i + 1]);
    u[i + 3] = __dp4a(u[i], u[i + 1], u[i + 2]) + (unsigned)__dp4a(a[i], a[i + 1], a[i + 2]) +
        __dp2a_lo(u[i], u[i + 1], 0u);
    u[i + 4] = __vmaxs2(u[i], u[i + 1]) + __vminu2(u[i], u[i + 1]) + __viaddmax_s32_relu(a[i], a[i + 1], a[i + 2]);
}

extern "C" __global__ void wide(unsigned __int128 *a, __int128 *b) {
    int i = threadIdx.x;
    a[i] = a[i] * a[i + 1] + (a[i + 2] >> 3) - a[i + 3];
    b[i] = b[i] / (b[i + 1] | 1) + b[i + 2] % 12345;
}

extern "C" __global__ void floats(float *a, int *n) {
    int i = threadIdx.x;
    float x = a[i], y = a[i + 1];
    a[i] = x / y + sqrtf(x) + rsqrtf(y) + 1.0f / x + fmaf(x, y, 3.0f) + fabsf(x) - fminf(x, y) * fmaxf(x, 0.0f);
    a[i + 2] = sinf(x) + cosf(y) + tanf(x) + expf(x) + logf(y) + powf(x, y) + exp2f(x) + log2f(y) + tanhf(x) +
        atan2f(x, y);
    a[i + 3] = __sinf(x) + __cosf(y) + __expf(x) + __logf(y) + __powf(x, y) + __fdividef(x, y) + __frsqrt_rn(x);
    a[i + 4] = floorf(x) + ceilf(y) + rintf(x) + truncf(y) + roundf(x) + copysignf(x, y) + fmodf(x, y) + ldexpf(x, 3);
    a[i + 5] = __fadd_rz(x, y) + __fmul_ru(x, y) + __fmaf_rd(x, y, x) + __fdiv_rn(x, y) + __fsqrt_rz(x) + __frcp_ru(y) +
        __saturatef(x);
    n[i] = (int)x + __float2int_rn(y) + (int)__float2uint_rd(x) + (int)__float2ll_ru(y) + __float_as_int(x) + isnan(x) +
        isinf(y);
    a[i + 6] = (float)n[i] + __uint2float_rz((unsigned)n[i + 1]) + __ll2float_rd((long long)n[i]) +
        __int_as_float(n[i + 2]);
    a[i + 7] = erff(x) + lgammaf(y) + cbrtf(x) + expm1f(x) + log1pf(y) + norm3df(x, y, x) + j0f(x);
}

extern "C" __global__ void doubles(double *a, int *n, float *f) {
    int i = threadIdx.x;
    double x = a[i], y = a[i + 1];
    a[i] = x / y + sqrt(x) + rsqrt(y) + fma(x, y, 3.0) + fabs(x) - fmin(x, y) * fmax(x, 0.0);
    a[i + 2] = sin(x) + cos(y) + exp(x) + log(y) + pow(x, y) + tanh(x) + atan2(x, y) + erf(x) + cbrt(x) + tgamma(y);
    a[i + 3] = floor(x) + ceil(y) + rint(x) + round(y) + fmod(x, y) + copysign(x, y) + __drcp_rn(x) + __dsqrt_ru(y) +
        __ddiv_rz(x, y);
    n[i] = (int)x + __double2int_rn(y) + __double2hiint(x) + __double2loint(y) + (int)__double_as_longlong(x) +
        (x < y) + isfinite(x);
    f[i] = (float)x + __double2float_rz(y);
    a[i + 4] = (double)f[i] + (double)n[i] + __hiloint2double(n[i], n[i + 1]) + (double)(unsigned)n[i] +
        (double)(long long)n[i + 2];
}
