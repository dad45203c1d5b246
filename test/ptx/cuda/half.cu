// Half precision: __half, __half2, __nv_bfloat16 arithmetic, comparisons and conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(__half *a, __half2 *b, float *f, int *n, double *d) {
    int i = threadIdx.x;
    __half x = a[i], y = a[i + 1];
    a[i] = x + y * x - y / x;
    a[i + 2] = __hfma(x, y, x) + hsqrt(y) + hexp(x) + hlog2(y) + hsin(x) + hrcp(y) + __habs(x) + __hmax(x, y) +
        __hmin(x, y);
    a[i + 3] = __hadd_sat(x, y) + __hfma_relu(x, y, x) + __hneg(x) + htanh(x);
    b[i] = __hfma2(b[i], b[i + 1], b[i + 2]) + h2exp2(b[i]) + __hmax2(b[i], b[i + 1]) + h2tanh(b[i]);
    b[i + 3] = __halves2half2(x, y) + __float2half2_rn(f[i]) + __lowhigh2highlow(b[i]);
    f[i] = __half2float(x) + __low2float(b[i]) + __high2float(b[i]);
    n[i] = __half2int_rn(x) + __half2short_rz(y) + (x < y) + (x == y) + __hisnan(x) + __hbeq2(b[i], b[i + 1]) +
        __half_as_ushort(x);
    a[i + 4] = __float2half_rz(f[i]) + __int2half_rn(n[i]) + __double2half(d[i]) +
        __ushort2half_rd((unsigned short)n[i]);
    b[i + 4] = __hlt2(b[i], b[i + 1]) + __heq2(b[i + 1], b[i + 2]);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
extern "C" __global__ void brains(__nv_bfloat16 *a, __nv_bfloat162 *b, float *f) {
    int i = threadIdx.x;
    __nv_bfloat16 x = a[i], y = a[i + 1];
    a[i] = x + y * x - y;
    a[i + 2] = __hfma(x, y, x) + __habs(x) + __hmax(x, y) + hexp(x) + hsqrt(y);
    b[i] = __hfma2(b[i], b[i + 1], b[i + 2]) + __hmin2(b[i], b[i + 1]);
    f[i] = __bfloat162float(x) + (x < y);
    a[i + 3] = __float2bfloat16(f[i]) + __float2bfloat16_rz(f[i + 1]) + __int2bfloat16_rn(i);
    b[i + 1] = __floats2bfloat162_rn(f[i], f[i + 1]);
}
#endif
