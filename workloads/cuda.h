// cuda.h: what device code needs of CUDA when clang compiles it without a CUDA toolkit (-nocudainc -nocudalib).
// nvcc, and clang with a toolkit, bring their own: this file then adds nothing, and a .cu compiles the same either way.
// Functions carry no debug information (nodebug), so their instructions count for the source line that calls them.
// What clang 14 has a builtin for only from some PTX version on (.sync) is inline assembly: it needs no target feature.
#ifndef ONCHIP_CUDA_H
#define ONCHIP_CUDA_H

#if defined(__NVCC__) || defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
#include <stdio.h>
#else

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define ONCHIP_FN static inline __attribute__((device, always_inline, nodebug, unused))

typedef __SIZE_TYPE__ size_t;
typedef unsigned char uchar;
typedef unsigned int uint;
typedef long long longlong;
typedef unsigned long long ulonglong;

// --- Vector types ---------------------------------------------------------------------------------------------------

#define ONCHIP_VECTORS(T, A2, A4)                                   \
    struct T##1 { T x; };                                           \
    struct __align__(A2) T##2 { T x, y; };                          \
    struct T##3 { T x, y, z; };                                     \
    struct __align__(A4) T##4 { T x, y, z, w; };                    \
    ONCHIP_FN T##2 make_##T##2(T x, T y) { return {x, y}; }         \
    ONCHIP_FN T##3 make_##T##3(T x, T y, T z) { return {x, y, z}; } \
    ONCHIP_FN T##4 make_##T##4(T x, T y, T z, T w) { return {x, y, z, w}; }
ONCHIP_VECTORS(char, 2, 4)
ONCHIP_VECTORS(uchar, 2, 4)
ONCHIP_VECTORS(int, 8, 16)
ONCHIP_VECTORS(uint, 8, 16)
ONCHIP_VECTORS(longlong, 16, 16)
ONCHIP_VECTORS(ulonglong, 16, 16)
ONCHIP_VECTORS(float, 8, 16)
ONCHIP_VECTORS(double, 16, 16)

struct dim3 {
    uint x, y, z;
    __host__ __device__ constexpr dim3(uint a = 1, uint b = 1, uint c = 1) : x(a), y(b), z(c) {}
};

// --- Where a thread is ----------------------------------------------------------------------------------------------

#define ONCHIP_SREG(T, f, r)                                                                \
    ONCHIP_FN T f()                                                                         \
    {                                                                                       \
        return {(uint)__nvvm_read_ptx_sreg_##r##_x(), (uint)__nvvm_read_ptx_sreg_##r##_y(), \
                (uint)__nvvm_read_ptx_sreg_##r##_z()};                                      \
    }
ONCHIP_SREG(uint3, onchip_thread_idx, tid)
ONCHIP_SREG(uint3, onchip_block_idx, ctaid)
ONCHIP_SREG(dim3, onchip_block_dim, ntid)
ONCHIP_SREG(dim3, onchip_grid_dim, nctaid)
#define threadIdx (onchip_thread_idx())
#define blockIdx (onchip_block_idx())
#define blockDim (onchip_block_dim())
#define gridDim (onchip_grid_dim())
constexpr int warpSize = 32;

// --- Barriers, fences, clocks; __syncthreads itself is a builtin of clang -------------------------------------------

ONCHIP_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
ONCHIP_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
ONCHIP_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
ONCHIP_FN void __threadfence_block() { __nvvm_membar_cta(); }
ONCHIP_FN void __threadfence() { __nvvm_membar_gl(); }
ONCHIP_FN void __threadfence_system() { __nvvm_membar_sys(); }
ONCHIP_FN uint onchip_clock()
{
    uint t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
ONCHIP_FN long long clock64()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
#define clock() ((int)onchip_clock())  // a macro, since clock is a builtin's name in some clangs
#define __trap() asm volatile("trap;")
extern "C" __device__ int printf(const char *, ...);  // clang packs the arguments and calls vprintf

// --- Warps: shuffles, votes. Without .sync (before sm_70) the mask is not looked at ----------------------------------

#if __CUDA_ARCH__ >= 700
ONCHIP_FN void __syncwarp(uint mask = ~0u) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
#define ONCHIP_VOTE(f, mode)                                                                \
    ONCHIP_FN uint f##_sync(uint mask, int p)                                               \
    {                                                                                       \
        uint r;                                                                             \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; " mode(".sync", ", %2") " }" \
                     : "=r"(r)                                                              \
                     : "r"(p), "r"(mask));                                                  \
        return r;                                                                           \
    }
#define ONCHIP_SHFL_ASM(mode) \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(v), "r"(b), "r"(c), "r"(mask))
#else
// A warp's lanes are together without it. The mark says where the program relies on that: doc/use/sl1.md.
// (bar.warp.sync itself needs PTX 6.0, and clang writes an older one for these targets.)
ONCHIP_FN void __syncwarp(uint = ~0u) { asm volatile(".pragma \"onchip.syncwarp\";" ::: "memory"); }
#define ONCHIP_VOTE(f, mode)                                                                            \
    ONCHIP_FN uint f(int p)                                                                             \
    {                                                                                                   \
        uint r;                                                                                         \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; " mode("", "") " }" : "=r"(r) : "r"(p)); \
        return r;                                                                                       \
    }                                                                                                   \
    ONCHIP_FN uint f##_sync(uint, int p) { return f(p); }
#define ONCHIP_SHFL_ASM(mode) asm volatile("shfl." mode ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "r"(b), "r"(c))
#endif
#define ONCHIP_BALLOT(sync, mask) "vote" sync ".ballot.b32 %0, p" mask ";"
#define ONCHIP_ALL(sync, mask) "vote" sync ".all.pred q, p" mask "; selp.u32 %0, 1, 0, q;"
#define ONCHIP_ANY(sync, mask) "vote" sync ".any.pred q, p" mask "; selp.u32 %0, 1, 0, q;"
ONCHIP_VOTE(__ballot, ONCHIP_BALLOT)
ONCHIP_VOTE(__all, ONCHIP_ALL)
ONCHIP_VOTE(__any, ONCHIP_ANY)
#if __CUDA_ARCH__ >= 750
ONCHIP_FN uint __activemask()
{
    uint m;
    asm volatile("activemask.b32 %0;" : "=r"(m));
    return m;
}
#else  // activemask is of PTX 6.2, and clang writes 6.0 for sm_70
ONCHIP_FN uint __activemask()
{
    uint m;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; vote.ballot.b32 %0, p; }" : "=r"(m));
    return m;
}
#endif

// c holds the clamp lane and, from bit 8 on, which lane bits name the segment (PTX ISA, shfl).
#define ONCHIP_SHFL(f, mode, clamp)                                                           \
    ONCHIP_FN uint onchip##f([[maybe_unused]] uint mask, uint v, uint b, uint c)              \
    {                                                                                         \
        uint r;                                                                               \
        ONCHIP_SHFL_ASM(mode);                                                                \
        return r;                                                                             \
    }                                                                                         \
    template <class T> ONCHIP_FN T f##_sync(uint mask, T v, uint b, int width = 32)           \
    {                                                                                         \
        uint c = (uint)(32 - width) << 8 | clamp;                                             \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");        \
        if constexpr (sizeof(T) == 4) {                                                       \
            return __builtin_bit_cast(T, onchip##f(mask, __builtin_bit_cast(uint, v), b, c)); \
        } else {                                                                              \
            uint2 h = __builtin_bit_cast(uint2, v);                                           \
            h = {onchip##f(mask, h.x, b, c), onchip##f(mask, h.y, b, c)};                     \
            return __builtin_bit_cast(T, h);                                                  \
        }                                                                                     \
    }                                                                                         \
    template <class T> ONCHIP_FN T f(T v, uint b, int width = 32) { return f##_sync(~0u, v, b, width); }
ONCHIP_SHFL(__shfl, "idx", 31)
ONCHIP_SHFL(__shfl_up, "up", 0)
ONCHIP_SHFL(__shfl_down, "down", 31)
ONCHIP_SHFL(__shfl_xor, "bfly", 31)

// --- Atomics --------------------------------------------------------------------------------------------------------

#define ONCHIP_ATOM(T, f, builtin, B) \
    ONCHIP_FN T f(T *p, T v) { return (T)builtin((volatile B *)p, (B)v); }
#define ONCHIP_ATOMS(T, s, B, m)                                                                              \
    ONCHIP_ATOM(T, atomicAdd, __nvvm_atom_add_gen_##s, B)                                                     \
    ONCHIP_ATOM(T, atomicExch, __nvvm_atom_xchg_gen_##s, B)                                                   \
    ONCHIP_ATOM(T, atomicAnd, __nvvm_atom_and_gen_##s, B)                                                     \
    ONCHIP_ATOM(T, atomicOr, __nvvm_atom_or_gen_##s, B)                                                       \
    ONCHIP_ATOM(T, atomicXor, __nvvm_atom_xor_gen_##s, B)                                                     \
    ONCHIP_ATOM(T, atomicMin, __nvvm_atom_min_gen_##m, T)                                                     \
    ONCHIP_ATOM(T, atomicMax, __nvvm_atom_max_gen_##m, T)                                                     \
    ONCHIP_FN T atomicCAS(T *p, T o, T n) { return (T)__nvvm_atom_cas_gen_##s((volatile B *)p, (B)o, (B)n); } \
    ONCHIP_FN T atomicSub(T *p, T v) { return atomicAdd(p, (T)(0 - v)); }
ONCHIP_ATOMS(int, i, int, i)
ONCHIP_ATOMS(uint, i, int, ui)
ONCHIP_ATOMS(long long, ll, long long, ll)
ONCHIP_ATOMS(ulonglong, ll, long long, ull)
ONCHIP_ATOM(uint, atomicInc, __nvvm_atom_inc_gen_ui, uint)
ONCHIP_ATOM(uint, atomicDec, __nvvm_atom_dec_gen_ui, uint)
ONCHIP_ATOM(float, atomicAdd, __nvvm_atom_add_gen_f, float)
#if __CUDA_ARCH__ >= 600
ONCHIP_ATOM(double, atomicAdd, __nvvm_atom_add_gen_d, double)
#endif
ONCHIP_FN float atomicExch(float *p, float v)
{
    return __builtin_bit_cast(float, atomicExch((int *)p, __builtin_bit_cast(int, v)));
}

// --- Textures: objects, which kernels get as arguments --------------------------------------------------------------

typedef ulonglong cudaTextureObject_t;
template <class T> ONCHIP_FN T tex1Dfetch(cudaTextureObject_t texture, int i)
{
    static_assert(__is_same(T, float), "textures are of floats");
    float4 t;
    asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                 : "=f"(t.x), "=f"(t.y), "=f"(t.z), "=f"(t.w)
                 : "l"(texture), "r"(i));
    return t.x;
}
// As in CUDA, a texture of 16-bit texels gives them as unsigned shorts.
template <class T> ONCHIP_FN T tex2D(cudaTextureObject_t texture, float x, float y)
{
    static_assert(__is_same(T, float) || __is_same(T, unsigned short), "textures are of floats or unsigned shorts");
    if constexpr (__is_same(T, float)) {
        float4 t;
        asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                     : "=f"(t.x), "=f"(t.y), "=f"(t.z), "=f"(t.w)
                     : "l"(texture), "f"(x), "f"(y));
        return t.x;
    } else {
        uint4 t;
        asm volatile("tex.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                     : "=r"(t.x), "=r"(t.y), "=r"(t.z), "=r"(t.w)
                     : "l"(texture), "f"(x), "f"(y));
        return (T)t.x;
    }
}

#include "cuda_math.h"
#endif
#endif
