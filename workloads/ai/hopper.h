// hopper.h: what sm_90a adds: barriers in shared memory that count bytes, copies of boxes of a tensor, and products by
// the four warps of a warpgroup. Matrices lie in shared memory in columns of 64 elements of f16, that is 128 bytes.
// Chunks of 16 bytes are swizzled as the copies do it.
#ifndef WORKLOADS_AI_HOPPER_H
#define WORKLOADS_AI_HOPPER_H

#include "tensor.h"

struct __align__(64) TensorMap { char bytes[128]; };

// --- Barriers -------------------------------------------------------------------------------------------------------

FN void barrier_init(uint b, uint arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(arrivals) : "memory");
}
FN void barrier_arrive(uint b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory"); }
// Arrives, and has the phase wait for so many bytes.
FN void barrier_expect(uint b, uint bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}
// parity: of the phase that must be over
FN void barrier_wait(uint b, uint parity)
{
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(b),
        "r"(parity)
        : "memory");
}
// What was initialised is seen by copies, too.
FN void barrier_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// Barriers of the whole block by number, for so many threads.
FN void group_sync(uint id, uint threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
FN void group_arrive(uint id, uint threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

// --- Copies ---------------------------------------------------------------------------------------------------------

// The box at column x and row y of a matrix; its bytes arrive at the barrier.
FN void copy_box(uint to, const TensorMap *map, int x, int y, uint barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

// --- Products -------------------------------------------------------------------------------------------------------

// The descriptor (PTX ISA, matrix-descriptor format) of a matrix swizzled by 128 bytes. Eight rows take 1,024 bytes.
// column: bytes from one column of 64 elements to the next; it counts where neighbours are not along k.
FN unsigned long long matrix(uint start, uint column)
{
    return (unsigned long long)((start & 0x3ffff) >> 4) | (unsigned long long)(column >> 4) << 16 | 64ull << 32 |
           1ull << 62;
}

FN void product_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
FN void product_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// A lane's sums, whose names in the assembly are %0, %1 and so on.
#define SUMS8(c, k)                                                                                                   \
    "+f"((c)[k]), "+f"((c)[(k) + 1]), "+f"((c)[(k) + 2]), "+f"((c)[(k) + 3]), "+f"((c)[(k) + 4]), "+f"((c)[(k) + 5]), \
        "+f"((c)[(k) + 6]), "+f"((c)[(k) + 7])
#define SUMS32(c, k) SUMS8(c, k), SUMS8(c, (k) + 8), SUMS8(c, (k) + 16), SUMS8(c, (k) + 24)
#define SUMS64(c) SUMS32(c, 0), SUMS32(c, 32)
#define NAMES32                                                               \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define NAMES64                                                                        \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "          \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

// Waits until all but the newest LEFT groups are done. The sums pass through, so that nobody reads them before.
template <int LEFT> FN void product_wait(float (&c)[32])
{
    asm volatile("wgmma.wait_group.sync.aligned %32;" : SUMS32(c, 0) : "n"(LEFT) : "memory");
}
template <int LEFT> FN void product_wait(float (&c)[64])
{
    asm volatile("wgmma.wait_group.sync.aligned %64;" : SUMS64(c) : "n"(LEFT) : "memory");
}

// c = a b, or c += a b where add isn't 0. Both matrices have neighbours along k.
FN void product(float (&c)[64], unsigned long long a, unsigned long long b, int add)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " NAMES64 ", %64, %65, p, 1, 1, 0, 0; }"
                 : SUMS64(c)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

// c += a b, a in registers. b has neighbours along n.
FN void product_add(float (&c)[32], const uint (&a)[4], unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES32
                 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : SUMS32(c, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
                 : "memory");
}
FN void product_add(float (&c)[64], const uint (&a)[4], unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " NAMES64
                 ", {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : SUMS64(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
                 : "memory");
}

#endif
