// cuda_bf16.h: bfloat16 and pairs of it, as the CUDA Math API has them: types, conversions and arithmetic on both sides,
// and mathematical functions, shuffles, atomics and hinted loads on the device.
//
// A bfloat16 is the upper half of a float. From sm_80 on arithmetic is one instruction; a sum and a product are fused
// multiply-adds there, since add and mul came with sm_90. Before, and on the host, it goes by way of float.
#ifndef ONCHIP_CUDA_BF16_H
#define ONCHIP_CUDA_BF16_H
#include "onchip/letters_off.h"
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#include "vector_types.h"

#ifdef __cplusplus
#ifdef __CUDA__
#include "device_functions.h"
#include "onchip/half_math.h"
#endif
#include "onchip/narrow.h"

// --- bits ------------------------------------------------------------------------------------------------------------
ONCHIP_EITHER float onchip_bfloat16_wide(unsigned short a) { return onchip_float_of((unsigned)a << 16); }
ONCHIP_EITHER unsigned short onchip_bfloat16_upper(float x, onchip_rounding r)
{
    const unsigned u = onchip_bits_of(x), rest = u & 0xffff, minus = u >> 31;
    if (x != x) return 0x7fff;
    const bool more = r == onchip_nearest ? rest + (u >> 16 & 1) > 0x8000
                      : r == onchip_up    ? !minus && rest
                                          : r == onchip_down && minus && rest;
    return (unsigned short)((u >> 16) + more);
}
#define ONCHIP_TO(T, as)                                                                                      \
    ONCHIP_EITHER unsigned short onchip_bfloat16_of(T x, onchip_rounding r)                                   \
    {                                                                                                         \
        return (unsigned short)onchip_narrow<8, 7>(as(x), r);                                                 \
    }
ONCHIP_TO(double, double)
ONCHIP_TO(int, double)
ONCHIP_TO(unsigned, double)
ONCHIP_TO(long long, onchip_sticky)
ONCHIP_TO(unsigned long long, onchip_sticky)
#undef ONCHIP_TO
ONCHIP_HOST unsigned short onchip_bfloat16_of(float x, onchip_rounding r) { return onchip_bfloat16_upper(x, r); }
#ifdef __CUDA__
ONCHIP_FN unsigned short onchip_bfloat16_of(float x, onchip_rounding r)
{
#if ONCHIP_TARGET >= 800
    unsigned short h;
    if (r == onchip_nearest) {
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
        return h;
    }
    if (r == onchip_to_zero) {
        asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
        return h;
    }
#endif
    return onchip_bfloat16_upper(x, r);
}
#endif
// These fit a float.
ONCHIP_EITHER unsigned short onchip_bfloat16_of(short x, onchip_rounding r) { return onchip_bfloat16_of((float)x, r); }
ONCHIP_EITHER unsigned short onchip_bfloat16_of(unsigned short x, onchip_rounding r)
{
    return onchip_bfloat16_of((float)x, r);
}

ONCHIP_BITS_BASIC(ONCHIP_HOST, bfloat16, double)
ONCHIP_BITS_RN(ONCHIP_HOST, bfloat16)
ONCHIP_BITS_SAT(ONCHIP_HOST, bfloat16)
ONCHIP_BITS_MINMAX(ONCHIP_HOST, bfloat16)
ONCHIP_BITS_COMPARE(ONCHIP_HOST, bfloat16)
#ifdef __CUDA__
#if ONCHIP_TARGET >= 800
#define ONCHIP_2(name, op) ONCHIP_NATIVE_2(bfloat16, name, op ".bf16 %0, %1, %2;", op ".bf16x2 %0, %1, %2;")
#define ONCHIP_BY_FMA(name, c, args)                                                                          \
    ONCHIP_NATIVE_2(bfloat16, name, "{ .reg .b16 c; mov.b16 c, 0x" c "; fma.rn.bf16 " args "; }",             \
                    "{ .reg .b32 c; mov.b32 c, 0x" c c "; fma.rn.bf16x2 " args "; }")
ONCHIP_BY_FMA(add, "3f80", "%0, %1, c, %2")
ONCHIP_BY_FMA(sub, "bf80", "%0, %2, c, %1")
ONCHIP_BY_FMA(mul, "8000", "%0, %1, %2, c")
ONCHIP_NATIVE_3(bfloat16, fma, "fma.rn", "bf16")
ONCHIP_NATIVE_3(bfloat16, fma_relu, "fma.rn.relu", "bf16")
ONCHIP_2(min, "min")
ONCHIP_2(max, "max")
ONCHIP_2(min_nan, "min.NaN")
ONCHIP_2(max_nan, "max.NaN")
#undef ONCHIP_BY_FMA
#undef ONCHIP_2
#else
ONCHIP_BITS_BASIC(ONCHIP_FN, bfloat16, double)
ONCHIP_BITS_MINMAX(ONCHIP_FN, bfloat16)
#endif
ONCHIP_BITS_RN(ONCHIP_FN, bfloat16)
ONCHIP_BITS_SAT(ONCHIP_FN, bfloat16)
ONCHIP_BITS_COMPARE(ONCHIP_FN, bfloat16)
#endif

// --- types and functions ---------------------------------------------------------------------------------------------
#define ONCHIP_T __nv_bfloat16
#define ONCHIP_ONE 0x3f80u
#define ONCHIP_INFINITY 0x7f80u
#define ONCHIP_T2 __nv_bfloat162
#define ONCHIP_RAW __nv_bfloat16_raw
#define ONCHIP_RAW2 __nv_bfloat162_raw
#define ONCHIP_BITS(name) onchip_bfloat16_##name
#define ONCHIP_N(before, after) before##bfloat16##after
#define ONCHIP_N2(before, after) before##bfloat162##after
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define ONCHIP_CONVERSIONS
#endif
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define ONCHIP_OPERATORS
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define ONCHIP_OPERATORS2
#endif
#include "onchip/half_like.h"

ONCHIP_EITHER __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 a) { return __nv_bfloat162(a, a); }

#if defined(__CUDA__) && ONCHIP_TARGET >= 900
ONCHIP_FN __nv_bfloat162 atomicAdd(__nv_bfloat162 *const address, const __nv_bfloat162 val)
{
    unsigned r;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(r) : "l"(address), "r"(onchip_bits_of(val)) : "memory");
    return onchip_bfloat162_of_bits(r);
}
ONCHIP_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *const address, const __nv_bfloat16 val)
{
    unsigned short r;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(address), "h"(onchip_bits_of(val)) : "memory");
    return onchip_bfloat16_of_bits(r);
}
#elif defined(__CUDA__) && ONCHIP_TARGET >= 800
ONCHIP_FN __nv_bfloat162 atomicAdd(__nv_bfloat162 *const address, const __nv_bfloat162 val)
{
    unsigned was = *(volatile unsigned *)address, seen;
    while ((seen = atomicCAS((unsigned *)address, was, onchip_bfloat16_add2(was, onchip_bits_of(val)))) != was) was = seen;
    return onchip_bfloat162_of_bits(was);
}
ONCHIP_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *const address, const __nv_bfloat16 val)
{
    unsigned short *const p = (unsigned short *)address;
    unsigned short was = *(volatile unsigned short *)p, seen;
    while ((seen = atomicCAS(p, was, onchip_bfloat16_add(was, onchip_bits_of(val)))) != was) was = seen;
    return onchip_bfloat16_of_bits(was);
}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif

#include "onchip/letters_back.h"
#endif
