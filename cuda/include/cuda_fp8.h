// cuda_fp8.h: floating-point numbers of 8 bits, as the CUDA Math API has them: e4m3 and e5m2, two and four of them in a
// word, and conversions, which are all that they can do. On both sides.
//
// e5m2 is the upper half of a half. e4m3 has no infinity: of its largest exponent one pattern alone is a NaN. What is too
// large becomes the largest number (__NV_SATFINITE), or infinity, which with e4m3 is the NaN.
#ifndef ONCHIP_CUDA_FP8_H
#define ONCHIP_CUDA_FP8_H
#include "onchip/letters_off.h"
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// --- to eight bits ---------------------------------------------------------------------------------------------------
ONCHIP_EITHER __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t as)
{
    const unsigned end = as == __NV_E4M3 ? 0x7f : 0x7c;
    const unsigned r = as == __NV_E4M3 ? onchip_narrow<4, 3, 0x7f>(x, onchip_nearest)
                                       : onchip_narrow<5, 2>(x, onchip_nearest);
    const bool large = saturate == __NV_SATFINITE && (r & 0x7f) == end && x == x;
    return (__nv_fp8_storage_t)(large ? r - 1 : r);
}
ONCHIP_EITHER __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate,
                                                             const __nv_fp8_interpretation_t as)
{
    const unsigned low = __nv_cvt_double_to_fp8(x.x, saturate, as);
    return (__nv_fp8x2_storage_t)(low | (unsigned)__nv_cvt_double_to_fp8(x.y, saturate, as) << 8);
}
#ifdef __CUDA__
ONCHIP_FN __nv_fp8x2_storage_t onchip_fp8x2_of(float low, float high, __nv_saturation_t saturate,
                                               __nv_fp8_interpretation_t as)
{
#if ONCHIP_TARGET >= 890
    unsigned short r;
    if (saturate == __NV_SATFINITE) {
        if (as == __NV_E4M3)
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low));
        else
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low));
        return r;
    }
#endif
    return __nv_cvt_double2_to_fp8x2(make_double2(low, high), saturate, as);
}
#endif
ONCHIP_HOST __nv_fp8x2_storage_t onchip_fp8x2_of(float low, float high, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t as)
{
    return __nv_cvt_double2_to_fp8x2(make_double2(low, high), saturate, as);
}
ONCHIP_EITHER __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate,
                                                            const __nv_fp8_interpretation_t as)
{
    return onchip_fp8x2_of(x.x, x.y, saturate, as);
}
ONCHIP_EITHER __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t as)
{
    return (__nv_fp8_storage_t)onchip_fp8x2_of(x, 0, saturate, as);
}
#define ONCHIP_FP8_OF(raw, wide)                                                                                       \
    ONCHIP_EITHER __nv_fp8_storage_t __nv_cvt_##raw##raw_to_fp8(const ONCHIP_RAW_##raw x,                              \
                                                                const __nv_saturation_t saturate,                      \
                                                                const __nv_fp8_interpretation_t as)                    \
    {                                                                                                                  \
        return __nv_cvt_float_to_fp8(wide(x.x), saturate, as);                                                         \
    }                                                                                                                  \
    ONCHIP_EITHER __nv_fp8x2_storage_t __nv_cvt_##raw##raw2_to_fp8x2(const ONCHIP_RAW2_##raw x,                        \
                                                                     const __nv_saturation_t saturate,                 \
                                                                     const __nv_fp8_interpretation_t as)               \
    {                                                                                                                  \
        return onchip_fp8x2_of(wide(x.x), wide(x.y), saturate, as);                                                    \
    }
#define ONCHIP_RAW_half __half_raw
#define ONCHIP_RAW2_half __half2_raw
#define ONCHIP_RAW_bfloat16 __nv_bfloat16_raw
#define ONCHIP_RAW2_bfloat16 __nv_bfloat162_raw
ONCHIP_FP8_OF(half, onchip_half_wide)
ONCHIP_FP8_OF(bfloat16, onchip_bfloat16_wide)
#undef ONCHIP_RAW_half
#undef ONCHIP_RAW2_half
#undef ONCHIP_RAW_bfloat16
#undef ONCHIP_RAW2_bfloat16
#undef ONCHIP_FP8_OF

// --- from eight bits, exactly ----------------------------------------------------------------------------------------
// An e4m3 has its exponent's bias of 7 where a half has 15, and a half's subnormals are as far below.
ONCHIP_EITHER __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t as)
{
    const unsigned size = x & 0x7f, sign = (unsigned)(x & 0x80) << 8;
    __half_raw r;
    if (as == __NV_E5M2)
        r.x = (unsigned short)(x << 8);
    else if (size == 0x7f)
        r.x = 0x7fff;
    else if (size >= 8)
        r.x = (unsigned short)(sign | ((size << 7) + (8 << 10)));
    else  // m · 2^-9, with m's first bit taken away
        r.x = (unsigned short)(sign | (size >= 4   ? 0x2000 | (size & 3) << 8
                                       : size >= 2 ? 0x1c00 | (size & 1) << 9
                                                   : size * 0x1800));
    return r;
}
ONCHIP_EITHER __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t as)
{
    __half2_raw r;
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, as).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), as).x;
    return r;
}
ONCHIP_EITHER float onchip_fp8_wide(unsigned x, __nv_fp8_interpretation_t as)
{
    return onchip_half_wide(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, as).x);
}

// --- types -----------------------------------------------------------------------------------------------------------
#define ONCHIP_FP8_FROM(T, F, as) \
    explicit ONCHIP_MEMBER T(const F v) : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, as)) {}
// By way of I, whose range is brought into that of To; a NaN becomes 0
#define ONCHIP_FP8_INTO(To, I, as)                                             \
    explicit ONCHIP_MEMBER operator To() const                                 \
    {                                                                          \
        const float v = onchip_fp8_wide(__x, as);                              \
        I r;                                                                   \
        onchip_integer(r, v == v ? v : 0, onchip_to_zero);                     \
        return onchip_into<To>(r);                                             \
    }
#define ONCHIP_FP8(T, T2, T4, as)                                                                                      \
    struct T {                                                                                                         \
        __nv_fp8_storage_t __x;                                                                                        \
        T() = default;                                                                                                 \
        explicit ONCHIP_MEMBER T(const float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, as)) {}                 \
        explicit ONCHIP_MEMBER T(const __half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, as)) {}              \
        explicit ONCHIP_MEMBER T(const __nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, as)) {}   \
        ONCHIP_FP8_FROM(T, double, as) ONCHIP_FP8_FROM(T, short, as) ONCHIP_FP8_FROM(T, unsigned short, as)            \
        ONCHIP_FP8_FROM(T, int, as) ONCHIP_FP8_FROM(T, unsigned, as) ONCHIP_FP8_FROM(T, long, as)                      \
        ONCHIP_FP8_FROM(T, unsigned long, as) ONCHIP_FP8_FROM(T, long long, as)                                        \
        ONCHIP_FP8_FROM(T, unsigned long long, as)                                                                     \
        explicit ONCHIP_MEMBER operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, as); }                    \
        explicit ONCHIP_MEMBER operator float() const { return onchip_fp8_wide(__x, as); }                             \
        explicit ONCHIP_MEMBER operator double() const { return onchip_fp8_wide(__x, as); }                            \
        explicit ONCHIP_MEMBER operator __nv_bfloat16() const { return __float2bfloat16(onchip_fp8_wide(__x, as)); }   \
        explicit ONCHIP_MEMBER operator bool() const { return (__x & 0x7f) != 0; }                                     \
        ONCHIP_FP8_INTO(char, int, as) ONCHIP_FP8_INTO(signed char, int, as) ONCHIP_FP8_INTO(unsigned char, int, as)   \
        ONCHIP_FP8_INTO(short, short, as) ONCHIP_FP8_INTO(unsigned short, unsigned short, as)                          \
        ONCHIP_FP8_INTO(int, int, as) ONCHIP_FP8_INTO(unsigned, unsigned, as) ONCHIP_FP8_INTO(long, long long, as)     \
        ONCHIP_FP8_INTO(unsigned long, unsigned long long, as) ONCHIP_FP8_INTO(long long, long long, as)               \
        ONCHIP_FP8_INTO(unsigned long long, unsigned long long, as)                                                    \
    };                                                                                                                 \
    struct __attribute__((aligned(2))) T2 {                                                                            \
        __nv_fp8x2_storage_t __x;                                                                                      \
        T2() = default;                                                                                                \
        explicit ONCHIP_MEMBER T2(const __half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, as)) {}         \
        explicit ONCHIP_MEMBER T2(const __nv_bfloat162 v)                                                              \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, as)) {}                                            \
        explicit ONCHIP_MEMBER T2(const float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, as)) {}            \
        explicit ONCHIP_MEMBER T2(const double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, as)) {}          \
        explicit ONCHIP_MEMBER operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, as); }                \
        explicit ONCHIP_MEMBER operator float2() const                                                                 \
        {                                                                                                              \
            return make_float2(onchip_fp8_wide(__x, as), onchip_fp8_wide(__x >> 8u, as));                              \
        }                                                                                                              \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) T4 {                                                                            \
        __nv_fp8x4_storage_t __x;                                                                                      \
        T4() = default;                                                                                                \
        ONCHIP_MEMBER T4(const T2 low, const T2 high) : __x(low.__x | (unsigned)high.__x << 16) {}                     \
        explicit ONCHIP_MEMBER T4(const __half2 low, const __half2 high) : T4(T2(low), T2(high)) {}                    \
        explicit ONCHIP_MEMBER T4(const __nv_bfloat162 low, const __nv_bfloat162 high) : T4(T2(low), T2(high)) {}      \
        explicit ONCHIP_MEMBER T4(const float4 v) : T4(T2(make_float2(v.x, v.y)), T2(make_float2(v.z, v.w))) {}        \
        explicit ONCHIP_MEMBER T4(const double4 v) : T4(T2(make_double2(v.x, v.y)), T2(make_double2(v.z, v.w))) {}     \
        explicit ONCHIP_MEMBER operator float4() const                                                                 \
        {                                                                                                              \
            return make_float4(onchip_fp8_wide(__x, as), onchip_fp8_wide(__x >> 8, as),                                \
                               onchip_fp8_wide(__x >> 16, as), onchip_fp8_wide(__x >> 24, as));                        \
        }                                                                                                              \
    };
ONCHIP_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
ONCHIP_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef ONCHIP_FP8
#undef ONCHIP_FP8_FROM
#undef ONCHIP_FP8_INTO
#endif

#include "onchip/letters_back.h"
#endif
