// cuda_fp16.h: half and pairs of half, as the CUDA Math API has them: types, conversions and arithmetic on both sides, and
// mathematical functions, shuffles, atomics and hinted loads on the device.
//
// Arithmetic is one instruction from sm_53 on. Before, and on the host, it goes by way of float, and rounds as that
// instruction does. Bits are computed here; onchip/half_like.h makes classes and functions of them, and those of bfloat16.
#ifndef ONCHIP_CUDA_FP16_H
#define ONCHIP_CUDA_FP16_H
#include "onchip/letters_off.h"
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#include "vector_types.h"

#ifdef __cplusplus
#ifdef __CUDA__
#include "device_functions.h"
#include "onchip/half_math.h"
#endif
#include "onchip/narrow.h"

// --- on the host -----------------------------------------------------------------------------------------------------
ONCHIP_HOST float onchip_half_wide(unsigned short a) { return onchip_widen<5, 10>(a); }
#define ONCHIP_TO(T, as)                                                                                      \
    ONCHIP_HOST unsigned short onchip_half_of(T x, onchip_rounding r)                                         \
    {                                                                                                         \
        return (unsigned short)onchip_narrow<5, 10>(as(x), r);                                                \
    }
ONCHIP_TO(float, double)
ONCHIP_TO(double, double)
ONCHIP_TO(short, double)
ONCHIP_TO(unsigned short, double)
ONCHIP_TO(int, double)
ONCHIP_TO(unsigned, double)
ONCHIP_TO(long long, onchip_sticky)
ONCHIP_TO(unsigned long long, onchip_sticky)
#undef ONCHIP_TO
ONCHIP_BITS_BASIC(ONCHIP_HOST, half, float)
ONCHIP_BITS_RN(ONCHIP_HOST, half)
ONCHIP_BITS_SAT(ONCHIP_HOST, half)
ONCHIP_BITS_MINMAX(ONCHIP_HOST, half)
ONCHIP_BITS_COMPARE(ONCHIP_HOST, half)

#ifdef __CUDA__
// --- on the device ---------------------------------------------------------------------------------------------------
ONCHIP_FN float onchip_half_wide(unsigned short a)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));
    return r;
}
#define ONCHIP_TO(T, of, C)                                                                                   \
    ONCHIP_FN unsigned short onchip_half_of(T x, onchip_rounding r)                                           \
    {                                                                                                         \
        unsigned short h;                                                                                     \
        switch (r) {                                                                                          \
        case onchip_nearest: asm("cvt.rn.f16." of " %0, %1;" : "=h"(h) : C(x)); break;                        \
        case onchip_to_zero: asm("cvt.rz.f16." of " %0, %1;" : "=h"(h) : C(x)); break;                        \
        case onchip_down: asm("cvt.rm.f16." of " %0, %1;" : "=h"(h) : C(x)); break;                           \
        default: asm("cvt.rp.f16." of " %0, %1;" : "=h"(h) : C(x));                                           \
        }                                                                                                     \
        return h;                                                                                             \
    }
ONCHIP_TO(float, "f32", "f")
ONCHIP_TO(double, "f64", "d")
ONCHIP_TO(short, "s16", "h")
ONCHIP_TO(unsigned short, "u16", "h")
ONCHIP_TO(int, "s32", "r")
ONCHIP_TO(unsigned, "u32", "r")
ONCHIP_TO(long long, "s64", "l")
ONCHIP_TO(unsigned long long, "u64", "l")
#undef ONCHIP_TO
#define ONCHIP_2(name, op) ONCHIP_NATIVE_2(half, name, op ".f16 %0, %1, %2;", op ".f16x2 %0, %1, %2;")
#if ONCHIP_TARGET >= 530
ONCHIP_2(add, "add")
ONCHIP_2(sub, "sub")
ONCHIP_2(mul, "mul")
ONCHIP_2(add_rn, "add.rn")
ONCHIP_2(sub_rn, "sub.rn")
ONCHIP_2(mul_rn, "mul.rn")
ONCHIP_2(add_sat, "add.sat")
ONCHIP_2(sub_sat, "sub.sat")
ONCHIP_2(mul_sat, "mul.sat")
ONCHIP_NATIVE_3(half, fma, "fma.rn", "f16")
ONCHIP_NATIVE_3(half, fma_sat, "fma.rn.sat", "f16")
#define ONCHIP_COMPARE(name)                                                                                  \
    ONCHIP_FN bool onchip_half_##name(unsigned short a, unsigned short b)                                     \
    {                                                                                                         \
        int r;                                                                                                \
        asm("{ .reg .pred p; setp." #name ".f16 p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "h"(a), "h"(b)); \
        return r;                                                                                             \
    }
ONCHIP_COMPARE(eq) ONCHIP_COMPARE(ne) ONCHIP_COMPARE(lt) ONCHIP_COMPARE(le) ONCHIP_COMPARE(gt) ONCHIP_COMPARE(ge)
ONCHIP_COMPARE(equ) ONCHIP_COMPARE(neu) ONCHIP_COMPARE(ltu) ONCHIP_COMPARE(leu) ONCHIP_COMPARE(gtu) ONCHIP_COMPARE(geu)
#undef ONCHIP_COMPARE
#else
ONCHIP_BITS_BASIC(ONCHIP_FN, half, float)
ONCHIP_BITS_RN(ONCHIP_FN, half)
ONCHIP_BITS_SAT(ONCHIP_FN, half)
ONCHIP_BITS_COMPARE(ONCHIP_FN, half)
#endif
#if ONCHIP_TARGET >= 800
ONCHIP_2(min, "min")
ONCHIP_2(max, "max")
ONCHIP_2(min_nan, "min.NaN")
ONCHIP_2(max_nan, "max.NaN")
ONCHIP_NATIVE_3(half, fma_relu, "fma.rn.relu", "f16")
#else
ONCHIP_BITS_MINMAX(ONCHIP_FN, half)
#endif
#undef ONCHIP_2
#endif

// --- types and functions ---------------------------------------------------------------------------------------------
#define ONCHIP_T __half
#define ONCHIP_ONE 0x3c00u
#define ONCHIP_INFINITY 0x7c00u
#define ONCHIP_T2 __half2
#define ONCHIP_RAW __half_raw
#define ONCHIP_RAW2 __half2_raw
#define ONCHIP_BITS(name) onchip_half_##name
#define ONCHIP_N(before, after) before##half##after
#define ONCHIP_N2(before, after) before##half2##after
#ifndef __CUDA_NO_HALF_CONVERSIONS__
#define ONCHIP_CONVERSIONS
#endif
#ifndef __CUDA_NO_HALF_OPERATORS__
#define ONCHIP_OPERATORS
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define ONCHIP_OPERATORS2
#endif
#include "onchip/half_like.h"

ONCHIP_EITHER __half2 __half2half2(const __half a) { return __half2(a, a); }

#if defined(__CUDA__) && ONCHIP_TARGET >= 600
ONCHIP_FN __half2 atomicAdd(__half2 *const address, const __half2 val)
{
    unsigned r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r) : "l"(address), "r"(onchip_bits_of(val)) : "memory");
    return onchip_half2_of_bits(r);
}
#endif
#if defined(__CUDA__) && ONCHIP_TARGET >= 700
ONCHIP_FN __half atomicAdd(__half *const address, const __half val)
{
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(address), "h"(onchip_bits_of(val)) : "memory");
    return onchip_half_of_bits(r);
}
#endif

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)

typedef __half __nv_half, nv_half;
typedef __half2 __nv_half2, nv_half2;
#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
#endif

#include "onchip/letters_back.h"
#endif
