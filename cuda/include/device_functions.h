// device_functions.h: what a thread of the device does beyond C++: barriers, fences, votes, shuffles, atomics, loads with
// a hint, and arithmetic on bits. Names and meanings are those of the CUDA C++ Programming Guide and the CUDA Math API.
//
// What clang has a builtin for only with some PTX version, or not in each of its releases, is inline assembly.
#ifndef ONCHIP_DEVICE_FUNCTIONS_H
#define ONCHIP_DEVICE_FUNCTIONS_H
#define __DEVICE_FUNCTIONS_H__

#include "vector_functions.h"

#if defined(__CUDA__) && defined(__cplusplus)
#ifdef __CUDA_ARCH__
#define ONCHIP_ARCH __CUDA_ARCH__
#else
#define ONCHIP_ARCH 9000  // the host's pass reads all bodies, and makes nothing of them
#endif

// --- barriers, fences, clocks ------------------------------------------------------------------------------------------
// clang 14 takes a load of a scalar in shared memory before the barrier of its own __syncthreads()
// (findings/clang-shared-broadcast.sh); not before this one.
ONCHIP_FN void onchip_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() onchip_syncthreads()
#define ONCHIP_BAR_RED(name, op)                                                                       \
    ONCHIP_FN int name(int p)                                                                          \
    {                                                                                                  \
        int r;                                                                                         \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; " op " }" : "=r"(r) : "r"(p) : "memory"); \
        return r;                                                                                      \
    }
ONCHIP_BAR_RED(__syncthreads_count, "bar.red.popc.u32 %0, 0, p;")
ONCHIP_BAR_RED(__syncthreads_and, "bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q;")
ONCHIP_BAR_RED(__syncthreads_or, "bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q;")
#undef ONCHIP_BAR_RED
ONCHIP_FN void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
ONCHIP_FN void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
ONCHIP_FN void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
ONCHIP_FN void __brkpt() { asm volatile("brkpt;"); }
ONCHIP_FN void __prof_trigger(int) {}
#define __trap() asm volatile("trap;")
ONCHIP_FN long long clock64()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
ONCHIP_FN clock_t clock()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return (clock_t)(int)t;
}
ONCHIP_FN unsigned long long globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}
ONCHIP_FN void __nanosleep([[maybe_unused]] unsigned ns)
{
#if ONCHIP_ARCH >= 700
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
#endif
}

// --- warps: without .sync (before sm_70) the mask isn't looked at -------------------------------------------------------
#if ONCHIP_ARCH >= 700
ONCHIP_FN void __syncwarp(unsigned mask = ~0u) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
#define ONCHIP_SYNC ".sync"
#define ONCHIP_MASK ", %2"
#else
// A warp's lanes are together without it. The mark says where the program relies on that: doc/use/sl1.md.
ONCHIP_FN void __syncwarp(unsigned = ~0u) { asm volatile(".pragma \"onchip.syncwarp\";" ::: "memory"); }
#define ONCHIP_SYNC ""
#define ONCHIP_MASK ""
#endif
#define ONCHIP_VOTE(name, op)                                                                                 \
    ONCHIP_FN unsigned name##_sync(unsigned mask, int p)                                                      \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote" ONCHIP_SYNC op " }" : "=r"(r) : "r"(p), "r"(mask)); \
        return r;                                                                                             \
    }                                                                                                         \
    ONCHIP_FN unsigned name(int p) { return name##_sync(~0u, p); }
ONCHIP_VOTE(__ballot, ".ballot.b32 %0, p" ONCHIP_MASK ";")
ONCHIP_VOTE(onchip_all, ".all.pred q, p" ONCHIP_MASK "; selp.u32 %0, 1, 0, q;")
ONCHIP_VOTE(onchip_any, ".any.pred q, p" ONCHIP_MASK "; selp.u32 %0, 1, 0, q;")
ONCHIP_VOTE(onchip_uni, ".uni.pred q, p" ONCHIP_MASK "; selp.u32 %0, 1, 0, q;")
#undef ONCHIP_VOTE
ONCHIP_FN int __all_sync(unsigned mask, int p) { return (int)onchip_all_sync(mask, p); }
ONCHIP_FN int __any_sync(unsigned mask, int p) { return (int)onchip_any_sync(mask, p); }
ONCHIP_FN int __uni_sync(unsigned mask, int p) { return (int)onchip_uni_sync(mask, p); }
ONCHIP_FN int __all(int p) { return (int)onchip_all(p); }
ONCHIP_FN int __any(int p) { return (int)onchip_any(p); }
ONCHIP_FN unsigned __activemask()
{
    unsigned m;
#if ONCHIP_ARCH >= 700
    asm volatile("activemask.b32 %0;" : "=r"(m));
#else
    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; vote.ballot.b32 %0, p; }" : "=r"(m));
#endif
    return m;
}
ONCHIP_FN unsigned __lanemask_lt()
{
    unsigned m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}

// c holds the clamp lane and, from bit 8 on, which lane bits name the segment (PTX ISA, shfl). A value of 8 bytes goes
// in two halves.
#define ONCHIP_SHFL(name, mode, lane, clamp)                                                                     \
    ONCHIP_FN unsigned onchip##name([[maybe_unused]] unsigned mask, unsigned v, unsigned b, unsigned c)          \
    {                                                                                                            \
        unsigned r;                                                                                              \
        asm volatile("shfl" ONCHIP_SYNC "." mode ".b32 %0, %1, %2, %3" ONCHIP_SHFL_MASK ";"                      \
                     : "=r"(r)                                                                                   \
                     : "r"(v), "r"(b), "r"(c), "r"(mask));                                                       \
        return r;                                                                                                \
    }                                                                                                            \
    template <class T> ONCHIP_FN T onchip_of##name(unsigned mask, T v, unsigned b, int width)                    \
    {                                                                                                            \
        const unsigned c = (unsigned)(32 - width) << 8 | clamp;                                                  \
        if constexpr (sizeof(T) == 4) {                                                                          \
            return __builtin_bit_cast(T, onchip##name(mask, __builtin_bit_cast(unsigned, v), b, c));             \
        } else {                                                                                                 \
            struct Half { unsigned x, y; } h = __builtin_bit_cast(Half, v);                                      \
            h.x = onchip##name(mask, h.x, b, c), h.y = onchip##name(mask, h.y, b, c);                            \
            return __builtin_bit_cast(T, h);                                                                     \
        }                                                                                                        \
    }                                                                                                            \
    ONCHIP_SHFL_OF(name, lane, int) ONCHIP_SHFL_OF(name, lane, unsigned) ONCHIP_SHFL_OF(name, lane, long)        \
    ONCHIP_SHFL_OF(name, lane, unsigned long) ONCHIP_SHFL_OF(name, lane, long long)                              \
    ONCHIP_SHFL_OF(name, lane, unsigned long long) ONCHIP_SHFL_OF(name, lane, float) ONCHIP_SHFL_OF(name, lane, double)
#define ONCHIP_SHFL_OF(name, lane, T)                                                                            \
    ONCHIP_FN T name##_sync(unsigned mask, T v, lane b, int width = 32)                                          \
    {                                                                                                            \
        return onchip_of##name(mask, v, (unsigned)b, width);                                                     \
    }                                                                                                            \
    ONCHIP_FN T name(T v, lane b, int width = 32) { return onchip_of##name(~0u, v, (unsigned)b, width); }
#if ONCHIP_ARCH >= 700
#define ONCHIP_SHFL_MASK ", %4"
#else
#define ONCHIP_SHFL_MASK ""
#endif
ONCHIP_SHFL(__shfl, "idx", int, 31)
ONCHIP_SHFL(__shfl_up, "up", unsigned, 0)
ONCHIP_SHFL(__shfl_down, "down", unsigned, 31)
ONCHIP_SHFL(__shfl_xor, "bfly", int, 31)
#undef ONCHIP_SHFL
#undef ONCHIP_SHFL_OF
#undef ONCHIP_SHFL_MASK
#undef ONCHIP_SYNC
#undef ONCHIP_MASK

#if ONCHIP_ARCH >= 700
template <class T> ONCHIP_FN unsigned __match_any_sync(unsigned mask, T v)
{
    unsigned r;
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync compares values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4)
        asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, v)), "r"(mask));
    else
        asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(__builtin_bit_cast(unsigned long long, v)), "r"(mask));
    return r;
}
template <class T> ONCHIP_FN unsigned __match_all_sync(unsigned mask, T v, int *all)
{
    unsigned r;
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_all_sync compares values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4)
        asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(r), "=r"(*all)
                     : "r"(__builtin_bit_cast(unsigned, v)), "r"(mask));
    else
        asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(r), "=r"(*all)
                     : "l"(__builtin_bit_cast(unsigned long long, v)), "r"(mask));
    return r;
}
#endif
#if ONCHIP_ARCH >= 800
#define ONCHIP_REDUX(T, name, op)                                                                     \
    ONCHIP_FN T __reduce_##name##_sync(unsigned mask, T v)                                            \
    {                                                                                                 \
        T r;                                                                                          \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));                  \
        return r;                                                                                     \
    }
ONCHIP_REDUX(int, add, "add.s32")
ONCHIP_REDUX(unsigned, add, "add.u32")
ONCHIP_REDUX(int, min, "min.s32")
ONCHIP_REDUX(unsigned, min, "min.u32")
ONCHIP_REDUX(int, max, "max.s32")
ONCHIP_REDUX(unsigned, max, "max.u32")
ONCHIP_REDUX(unsigned, and, "and.b32")
ONCHIP_REDUX(unsigned, or, "or.b32")
ONCHIP_REDUX(unsigned, xor, "xor.b32")
#undef ONCHIP_REDUX
#endif

// --- atomics: of the device, and with _block and _system (sm_60 and up) --------------------------------------------------
// C: the constraint of the type in assembly; scope: "" is the device's.
#define ONCHIP_ATOM(T, name, op, C, scope)                                                            \
    ONCHIP_FN T name(T *p, T v)                                                                       \
    {                                                                                                 \
        T r;                                                                                          \
        asm volatile("atom" scope op " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory");          \
        return r;                                                                                     \
    }
#define ONCHIP_CAS(T, name, op, C, scope)                                                             \
    ONCHIP_FN T name(T *p, T was, T v)                                                                \
    {                                                                                                 \
        T r;                                                                                          \
        asm volatile("atom" scope op " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(was), C(v) : "memory"); \
        return r;                                                                                     \
    }
#define ONCHIP_ATOMS(s, scope)                                                                        \
    ONCHIP_ATOM(int, atomicAdd##s, ".add.s32", "r", scope)                                            \
    ONCHIP_ATOM(unsigned, atomicAdd##s, ".add.u32", "r", scope)                                       \
    ONCHIP_ATOM(unsigned long long, atomicAdd##s, ".add.u64", "l", scope)                             \
    ONCHIP_ATOM(float, atomicAdd##s, ".add.f32", "f", scope)                                          \
    ONCHIP_FN int atomicSub##s(int *p, int v) { return atomicAdd##s(p, (int)(0u - (unsigned)v)); }    \
    ONCHIP_FN unsigned atomicSub##s(unsigned *p, unsigned v) { return atomicAdd##s(p, 0u - v); }      \
    ONCHIP_ATOM(int, atomicExch##s, ".exch.b32", "r", scope)                                          \
    ONCHIP_ATOM(unsigned, atomicExch##s, ".exch.b32", "r", scope)                                     \
    ONCHIP_ATOM(float, atomicExch##s, ".exch.b32", "f", scope)                                        \
    ONCHIP_ATOM(unsigned long long, atomicExch##s, ".exch.b64", "l", scope)                           \
    ONCHIP_ATOM(int, atomicMin##s, ".min.s32", "r", scope)                                            \
    ONCHIP_ATOM(unsigned, atomicMin##s, ".min.u32", "r", scope)                                       \
    ONCHIP_ATOM(long long, atomicMin##s, ".min.s64", "l", scope)                                      \
    ONCHIP_ATOM(unsigned long long, atomicMin##s, ".min.u64", "l", scope)                             \
    ONCHIP_ATOM(int, atomicMax##s, ".max.s32", "r", scope)                                            \
    ONCHIP_ATOM(unsigned, atomicMax##s, ".max.u32", "r", scope)                                       \
    ONCHIP_ATOM(long long, atomicMax##s, ".max.s64", "l", scope)                                      \
    ONCHIP_ATOM(unsigned long long, atomicMax##s, ".max.u64", "l", scope)                             \
    ONCHIP_ATOM(unsigned, atomicInc##s, ".inc.u32", "r", scope)                                       \
    ONCHIP_ATOM(unsigned, atomicDec##s, ".dec.u32", "r", scope)                                       \
    ONCHIP_CAS(int, atomicCAS##s, ".cas.b32", "r", scope)                                             \
    ONCHIP_CAS(unsigned, atomicCAS##s, ".cas.b32", "r", scope)                                        \
    ONCHIP_CAS(unsigned long long, atomicCAS##s, ".cas.b64", "l", scope)                              \
    ONCHIP_ATOM(int, atomicAnd##s, ".and.b32", "r", scope)                                            \
    ONCHIP_ATOM(unsigned, atomicAnd##s, ".and.b32", "r", scope)                                       \
    ONCHIP_ATOM(unsigned long long, atomicAnd##s, ".and.b64", "l", scope)                             \
    ONCHIP_ATOM(int, atomicOr##s, ".or.b32", "r", scope)                                              \
    ONCHIP_ATOM(unsigned, atomicOr##s, ".or.b32", "r", scope)                                         \
    ONCHIP_ATOM(unsigned long long, atomicOr##s, ".or.b64", "l", scope)                               \
    ONCHIP_ATOM(int, atomicXor##s, ".xor.b32", "r", scope)                                            \
    ONCHIP_ATOM(unsigned, atomicXor##s, ".xor.b32", "r", scope)                                       \
    ONCHIP_ATOM(unsigned long long, atomicXor##s, ".xor.b64", "l", scope)
ONCHIP_ATOMS(, "")
#if ONCHIP_ARCH >= 600
ONCHIP_ATOMS(_block, ".cta")
ONCHIP_ATOMS(_system, ".sys")
ONCHIP_ATOM(double, atomicAdd, ".add.f64", "d", "")
ONCHIP_ATOM(double, atomicAdd_block, ".add.f64", "d", ".cta")
ONCHIP_ATOM(double, atomicAdd_system, ".add.f64", "d", ".sys")
#endif
#if ONCHIP_ARCH >= 700
ONCHIP_CAS(unsigned short, atomicCAS, ".cas.b16", "h", "")
#endif
#undef ONCHIP_ATOMS
#undef ONCHIP_ATOM
#undef ONCHIP_CAS

// --- loads and stores with a hint ----------------------------------------------------------------------------------------
// A type T, whose elements are E, is moved in registers of type R, with the constraint C, as the PTX type `of`. The list
// of them makes loads and stores: ONE, TWO and FOUR make a function for a type of so many elements.
#define ONCHIP_TYPES(ONE, TWO, FOUR, name, op)                                                        \
    ONE(name, op, char, int, "s8", "r")                                                               \
    ONE(name, op, signed char, int, "s8", "r")                                                        \
    ONE(name, op, unsigned char, unsigned, "u8", "r")                                                 \
    ONE(name, op, short, short, "s16", "h")                                                           \
    ONE(name, op, unsigned short, unsigned short, "u16", "h")                                         \
    ONE(name, op, int, int, "s32", "r")                                                               \
    ONE(name, op, unsigned, unsigned, "u32", "r")                                                     \
    ONE(name, op, long, long, "s64", "l")                                                             \
    ONE(name, op, unsigned long, unsigned long, "u64", "l")                                           \
    ONE(name, op, long long, long long, "s64", "l")                                                   \
    ONE(name, op, unsigned long long, unsigned long long, "u64", "l")                                 \
    ONE(name, op, float, float, "f32", "f")                                                           \
    ONE(name, op, double, double, "f64", "d")                                                         \
    TWO(name, op, char2, signed char, int, "s8", "r")                                                 \
    FOUR(name, op, char4, signed char, int, "s8", "r")                                                \
    TWO(name, op, uchar2, unsigned char, unsigned, "u8", "r")                                         \
    FOUR(name, op, uchar4, unsigned char, unsigned, "u8", "r")                                        \
    TWO(name, op, short2, short, short, "s16", "h")                                                   \
    FOUR(name, op, short4, short, short, "s16", "h")                                                  \
    TWO(name, op, ushort2, unsigned short, unsigned short, "u16", "h")                                \
    FOUR(name, op, ushort4, unsigned short, unsigned short, "u16", "h")                               \
    TWO(name, op, int2, int, int, "s32", "r")                                                         \
    FOUR(name, op, int4, int, int, "s32", "r")                                                        \
    TWO(name, op, uint2, unsigned, unsigned, "u32", "r")                                              \
    FOUR(name, op, uint4, unsigned, unsigned, "u32", "r")                                             \
    TWO(name, op, longlong2, long long, long long, "s64", "l")                                        \
    TWO(name, op, ulonglong2, unsigned long long, unsigned long long, "u64", "l")                     \
    TWO(name, op, float2, float, float, "f32", "f")                                                   \
    FOUR(name, op, float4, float, float, "f32", "f")                                                  \
    TWO(name, op, double2, double, double, "f64", "d")
#define ONCHIP_LOAD_OF(name, op, T, R, of, C)                                                         \
    ONCHIP_FN T name(const T *p)                                                                      \
    {                                                                                                 \
        R r;                                                                                          \
        asm volatile(op "." of " %0, [%1];" : "=" C(r) : "l"(p) : "memory");                          \
        return (T)r;                                                                                  \
    }
#define ONCHIP_LOAD_2(name, op, T, E, R, of, C)                                                       \
    ONCHIP_FN T name(const T *p)                                                                      \
    {                                                                                                 \
        R x, y;                                                                                       \
        asm volatile(op ".v2." of " {%0, %1}, [%2];" : "=" C(x), "=" C(y) : "l"(p) : "memory");       \
        return T{(E)x, (E)y};                                                                         \
    }
#define ONCHIP_LOAD_4(name, op, T, E, R, of, C)                                                       \
    ONCHIP_FN T name(const T *p)                                                                      \
    {                                                                                                 \
        R x, y, z, w;                                                                                 \
        asm volatile(op ".v4." of " {%0, %1, %2, %3}, [%4];"                                          \
                     : "=" C(x), "=" C(y), "=" C(z), "=" C(w) : "l"(p) : "memory");                   \
        return T{(E)x, (E)y, (E)z, (E)w};                                                             \
    }
#if ONCHIP_ARCH >= 320
#define ONCHIP_READ_ONLY "ld.global.nc"
#else
#define ONCHIP_READ_ONLY "ld.global"
#endif
ONCHIP_TYPES(ONCHIP_LOAD_OF, ONCHIP_LOAD_2, ONCHIP_LOAD_4, __ldg, ONCHIP_READ_ONLY)
ONCHIP_TYPES(ONCHIP_LOAD_OF, ONCHIP_LOAD_2, ONCHIP_LOAD_4, __ldcg, "ld.global.cg")
ONCHIP_TYPES(ONCHIP_LOAD_OF, ONCHIP_LOAD_2, ONCHIP_LOAD_4, __ldca, "ld.global.ca")
ONCHIP_TYPES(ONCHIP_LOAD_OF, ONCHIP_LOAD_2, ONCHIP_LOAD_4, __ldcs, "ld.global.cs")
ONCHIP_TYPES(ONCHIP_LOAD_OF, ONCHIP_LOAD_2, ONCHIP_LOAD_4, __ldlu, "ld.global.lu")
ONCHIP_TYPES(ONCHIP_LOAD_OF, ONCHIP_LOAD_2, ONCHIP_LOAD_4, __ldcv, "ld.global.cv")
#undef ONCHIP_LOAD_OF
#undef ONCHIP_LOAD_2
#undef ONCHIP_LOAD_4
#undef ONCHIP_READ_ONLY
#define ONCHIP_STORE_OF(name, op, T, R, of, C)                                                        \
    ONCHIP_FN void name(T *p, T v) { asm volatile(op "." of " [%0], %1;" ::"l"(p), C((R)v) : "memory"); }
#define ONCHIP_STORE_2(name, op, T, E, R, of, C)                                                      \
    ONCHIP_FN void name(T *p, T v)                                                                    \
    {                                                                                                 \
        asm volatile(op ".v2." of " [%0], {%1, %2};" ::"l"(p), C((R)v.x), C((R)v.y) : "memory");      \
    }
#define ONCHIP_STORE_4(name, op, T, E, R, of, C)                                                      \
    ONCHIP_FN void name(T *p, T v)                                                                    \
    {                                                                                                 \
        asm volatile(op ".v4." of " [%0], {%1, %2, %3, %4};" ::"l"(p), C((R)v.x), C((R)v.y), C((R)v.z), \
                     C((R)v.w) : "memory");                                                           \
    }
ONCHIP_TYPES(ONCHIP_STORE_OF, ONCHIP_STORE_2, ONCHIP_STORE_4, __stwb, "st.global.wb")
ONCHIP_TYPES(ONCHIP_STORE_OF, ONCHIP_STORE_2, ONCHIP_STORE_4, __stcg, "st.global.cg")
ONCHIP_TYPES(ONCHIP_STORE_OF, ONCHIP_STORE_2, ONCHIP_STORE_4, __stcs, "st.global.cs")
ONCHIP_TYPES(ONCHIP_STORE_OF, ONCHIP_STORE_2, ONCHIP_STORE_4, __stwt, "st.global.wt")
#undef ONCHIP_STORE_OF
#undef ONCHIP_STORE_2
#undef ONCHIP_STORE_4
#undef ONCHIP_TYPES

// --- which memory an address lies in -------------------------------------------------------------------------------------
#define ONCHIP_IS(name, space)                                                                                \
    ONCHIP_FN unsigned name(const void *p)                                                                    \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));          \
        return r;                                                                                             \
    }
ONCHIP_IS(__isGlobal, "global")
ONCHIP_IS(__isShared, "shared")
ONCHIP_IS(__isLocal, "local")
ONCHIP_IS(__isConstant, "const")
#undef ONCHIP_IS
#define ONCHIP_CONVERT(space)                                                                                 \
    ONCHIP_FN size_t __cvta_generic_to_##space(const void *p)                                                 \
    {                                                                                                         \
        size_t r;                                                                                             \
        asm("cvta.to." #space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                             \
        return r;                                                                                             \
    }                                                                                                         \
    ONCHIP_FN void *__cvta_##space##_to_generic(size_t p)                                                     \
    {                                                                                                         \
        void *r;                                                                                              \
        asm("cvta." #space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                                \
        return r;                                                                                             \
    }
ONCHIP_CONVERT(global)
ONCHIP_CONVERT(shared)
ONCHIP_CONVERT(local)
#undef ONCHIP_CONVERT

// --- bits, and products of integers --------------------------------------------------------------------------------------
ONCHIP_FN int __popc(unsigned x) { return __builtin_popcount(x); }
ONCHIP_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
ONCHIP_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
ONCHIP_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
ONCHIP_FN int __ffs(int x) { return __builtin_ffs(x); }
ONCHIP_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
ONCHIP_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
ONCHIP_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
ONCHIP_BOTH unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
ONCHIP_BOTH unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
ONCHIP_BOTH unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
ONCHIP_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    unsigned r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s & 0x7777));
    return r;
}
ONCHIP_FN unsigned __fns(unsigned mask, unsigned base, int offset)
{
    unsigned r;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
    return r;
}
ONCHIP_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
ONCHIP_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
ONCHIP_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n)
{
    return n < 32 ? __funnelshift_l(lo, hi, n) : lo;
}
ONCHIP_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n)
{
    return n < 32 ? __funnelshift_r(lo, hi, n) : hi;
}
ONCHIP_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
ONCHIP_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
ONCHIP_FN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
ONCHIP_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
ONCHIP_FN int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
ONCHIP_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
ONCHIP_FN int mul24(int a, int b) { return __mul24(a, b); }
ONCHIP_FN unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
ONCHIP_FN int mulhi(int a, int b) { return __mulhi(a, b); }
ONCHIP_FN unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
ONCHIP_FN unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a); }
ONCHIP_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
ONCHIP_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
ONCHIP_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
ONCHIP_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
ONCHIP_FN unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
#define ONCHIP_DP(name, T, A, op)                                                                             \
    ONCHIP_FN T name(A a, A b, T c)                                                                           \
    {                                                                                                         \
        T r;                                                                                                  \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                        \
        return r;                                                                                             \
    }
#if ONCHIP_ARCH >= 610
ONCHIP_DP(__dp4a, int, int, "dp4a.s32.s32")
ONCHIP_DP(__dp4a, unsigned, unsigned, "dp4a.u32.u32")
ONCHIP_FN int __dp4a(char4 a, char4 b, int c)
{
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
ONCHIP_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
ONCHIP_DP(__dp2a_lo, int, int, "dp2a.lo.s32.s32")
ONCHIP_DP(__dp2a_lo, unsigned, unsigned, "dp2a.lo.u32.u32")
ONCHIP_DP(__dp2a_hi, int, int, "dp2a.hi.s32.s32")
ONCHIP_DP(__dp2a_hi, unsigned, unsigned, "dp2a.hi.u32.u32")
#define ONCHIP_DP_2(name)                                                                                     \
    ONCHIP_FN int name(short2 a, char4 b, int c)                                                              \
    {                                                                                                         \
        return name(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);                               \
    }                                                                                                         \
    ONCHIP_FN unsigned name(ushort2 a, uchar4 b, unsigned c)                                                  \
    {                                                                                                         \
        return name(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);                     \
    }
ONCHIP_DP_2(__dp2a_lo)
ONCHIP_DP_2(__dp2a_hi)
#undef ONCHIP_DP_2
#endif
#undef ONCHIP_DP
ONCHIP_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
ONCHIP_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
ONCHIP_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
ONCHIP_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
ONCHIP_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
ONCHIP_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
ONCHIP_FN int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
ONCHIP_FN int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
ONCHIP_FN double __hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

#endif
#endif
