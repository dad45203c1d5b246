// hopper.cuh: what sm_90a adds: barriers in shared memory that count bytes, copies of boxes of a tensor, and products by
// the four warps of a warpgroup (PTX ISA, "Asynchronous warpgroup level matrix instructions").
#ifndef HOPPER_CUH
#define HOPPER_CUH

#include "finish.cuh"

struct __align__(64) TensorMap { char bytes[128]; };

FN unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// --- barriers --------------------------------------------------------------------------------------------------------
FN void barrier_init(unsigned b, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(arrivals) : "memory");
}
FN void barrier_arrive(unsigned b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory"); }
// Arrives, and has the phase wait for so many bytes.
FN void barrier_expect(unsigned b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}
// parity: of the phase that must be over
FN void barrier_wait(unsigned b, unsigned parity)
{
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(b),
        "r"(parity)
        : "memory");
}
// What was initialised is seen by copies, too.
FN void barrier_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// --- copies ----------------------------------------------------------------------------------------------------------
// The box at x, y of matrix z; its bytes arrive at the barrier. What is beyond the matrix is 0.
FN void copy_box(unsigned to, const void *map, int x, int y, int z, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}

// --- products --------------------------------------------------------------------------------------------------------
// The descriptor of a matrix swizzled by 128 bytes. Eight rows take 1,024 bytes. column: bytes from one column of 64
// elements to the next; it counts where neighbours are not along k.
FN unsigned long long matrix(unsigned start, unsigned column)
{
    return (unsigned long long)((start & 0x3ffff) >> 4) | (unsigned long long)(column >> 4) << 16 | 64ull << 32 |
           1ull << 62;
}
FN void product_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
FN void product_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// A thread's 128 sums, whose names in the assembly are %0, %1 and so on.
#define SUMS4(c, k) "+f"((c)[k]), "+f"((c)[(k) + 1]), "+f"((c)[(k) + 2]), "+f"((c)[(k) + 3])
#define SUMS16(c, k) SUMS4(c, k), SUMS4(c, (k) + 4), SUMS4(c, (k) + 8), SUMS4(c, (k) + 12)
#define SUMS64(c, k) SUMS16(c, k), SUMS16(c, (k) + 16), SUMS16(c, (k) + 32), SUMS16(c, (k) + 48)
#define SUMS128(c) SUMS64(c, 0), SUMS64(c, 64)
#define NAMES128                                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// Waits until all but the newest LEFT groups are done. The sums pass through, so that nobody reads them before.
template <int LEFT> FN void product_wait(float (&c)[128])
{
    asm volatile("wgmma.wait_group.sync.aligned %128;" : SUMS128(c) : "n"(LEFT) : "memory");
}

// c += a b, or c = a b where add is 0; 64 x 16 by 16 x 256. TURN_A, TURN_B: its neighbours are not along k.
template <class T> struct Narrow;
#define NARROW(T, name)                                                                                   \
    template <> struct Narrow<T> {                                                                        \
        template <int TURN_A, int TURN_B>                                                                 \
        FN void product(float (&c)[128], unsigned long long a, unsigned long long b, int add)             \
        {                                                                                                 \
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %130, 0;\n"                                      \
                         "wgmma.mma_async.sync.aligned.m64n256k16.f32." name "." name " {" NAMES128 "}, " \
                         "%128, %129, p, 1, 1, %131, %132; }"                                             \
                         : SUMS128(c)                                                                     \
                         : "l"(a), "l"(b), "r"(add), "n"(TURN_A), "n"(TURN_B)                             \
                         : "memory");                                                                     \
        }                                                                                                 \
    };
NARROW(__half, "f16")
NARROW(__nv_bfloat16, "bf16")

#endif
