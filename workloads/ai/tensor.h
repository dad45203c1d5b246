// tensor.h: the instructions of PTX that these kernels are about, as functions: matrices from shared memory to
// registers, products by a warp, copies that don't wait. Clang 14 has no builtins for most of them.
#ifndef WORKLOADS_AI_TENSOR_H
#define WORKLOADS_AI_TENSOR_H

#include "cuda.h"

#define FN static __device__ __forceinline__

// An address in shared memory as instructions of its state space take it.
#ifdef __NVCC__
FN uint at(const void *p) { return (uint)__cvta_generic_to_shared(p); }
#else
FN uint at(const void *p) { return (uint)(size_t)(__attribute__((address_space(3))) const void *)p; }
#endif

// The tile of a product that a block makes, of rows times columns tiles. Blocks that run at the same time share eight
// rows of tiles, so that the L2 keeps what they read.
FN uint2 tile_of_block(uint rows, uint columns)
{
    const uint band = blockIdx.x / (8 * columns), within = blockIdx.x % (8 * columns);
    const uint high = rows - 8 * band < 8 ? rows - 8 * band : 8;
    return make_uint2(within / high, 8 * band + within % high);
}

// Four 8x8 matrices of 16-bit elements. Lane 8 i + r has the address of row r of matrix i.
FN void ldmatrix(uint (&m)[4], uint row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"(row)
                 : "memory");
}
FN void ldmatrix_trans(uint (&m)[4], uint row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"(row)
                 : "memory");
}

// c += a b: 16x16 by 16x8 of f16 with sums of f32, and 16x32 by 32x8 of s8 with sums of s32. Both have the same
// fragments, of 32 bytes along k.
FN void mma(float (&c)[4], const uint (&a)[4], uint b0, uint b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
FN void mma(int (&c)[4], const uint (&a)[4], uint b0, uint b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 16 bytes from global to shared memory, past the L1.
FN void copy_async(uint to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
FN void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> FN void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }

// Two floats by one store. Clang splits that of a float2 now and then.
FN void store2(float *to, float x, float y)
{
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(x), "f"(y) : "memory");
}

// Two floats as a pair of f16, the first in the lower half.
FN uint pack_f16(float low, float high)
{
    uint r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}
FN float from_f16(unsigned short bits)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(bits));
    return r;
}

#endif
