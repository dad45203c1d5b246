// cuda_pipeline_primitives.h: copies from global into shared memory that go on while the thread does. They are
// committed in batches, and a thread waits for all but its latest ones.
//
// Below sm_80 a copy is done when its function returns, and there is nothing to wait for.
#ifndef ONCHIP_CUDA_PIPELINE_PRIMITIVES_H
#define ONCHIP_CUDA_PIPELINE_PRIMITIVES_H
#include "onchip/letters_off.h"
#define _CUDA_PIPELINE_PRIMITIVES_H_

#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_awbarrier_primitives.h"
#include "cuda_runtime.h"

// bytes is 4, 8 or 16, and both addresses are multiples of it.
template <unsigned bytes> ONCHIP_FN void onchip_copy_async(void *to, const void *from)
{
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "4, 8 or 16 bytes");
#if ONCHIP_ARCH >= 800
    const unsigned there = (unsigned)__cvta_generic_to_shared(to);
    const size_t here = __cvta_generic_to_global(from);
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(here) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(there), "l"(here), "n"(bytes) : "memory");
#else
    struct __align__(bytes) All { unsigned word[bytes / 4]; };
    *(All *)to = *(const All *)from;
#endif
}
// The same; the last zfill bytes become zero, and aren't read.
template <unsigned bytes> ONCHIP_FN void onchip_copy_async(void *to, const void *from, unsigned zfill)
{
    if (zfill == 0) return onchip_copy_async<bytes>(to, from);
    const unsigned read = bytes - zfill;
#if ONCHIP_ARCH >= 800
    const unsigned there = (unsigned)__cvta_generic_to_shared(to);
    const size_t here = __cvta_generic_to_global(from);
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(here), "r"(read) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(there), "l"(here), "r"(read), "n"(bytes)
                     : "memory");
#else
    unsigned word[bytes / 4] = {};
    for (unsigned k = 0; k < read; k++) word[k / 4] |= (unsigned)((const unsigned char *)from)[k] << k % 4 * 8;
    for (unsigned k = 0; k < bytes / 4; k++) ((unsigned *)to)[k] = word[k];
#endif
}
ONCHIP_FN void __pipeline_memcpy_async(void *__restrict__ dst_shared, const void *__restrict__ src_global,
                                       size_t size_and_align, size_t zfill = 0)
{
    switch (size_and_align) {
    case 4: return onchip_copy_async<4>(dst_shared, src_global, (unsigned)zfill);
    case 8: return onchip_copy_async<8>(dst_shared, src_global, (unsigned)zfill);
    case 16: return onchip_copy_async<16>(dst_shared, src_global, (unsigned)zfill);
    default: __trap();
    }
}
ONCHIP_FN void __pipeline_commit()
{
#if ONCHIP_ARCH >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <unsigned n> ONCHIP_FN void onchip_wait_prior()
{
#if ONCHIP_ARCH >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
#endif
}
// The instruction holds its number. To wait for more than is asked for is right, too.
ONCHIP_FN void __pipeline_wait_prior(size_t N)
{
    switch (N) {
    case 0: return onchip_wait_prior<0>();
    case 1: return onchip_wait_prior<1>();
    case 2: return onchip_wait_prior<2>();
    case 3: return onchip_wait_prior<3>();
    case 4: return onchip_wait_prior<4>();
    case 5: return onchip_wait_prior<5>();
    case 6: return onchip_wait_prior<6>();
    case 7: return onchip_wait_prior<7>();
    default: return onchip_wait_prior<8>();
    }
}
#if ONCHIP_ARCH >= 700
// The barrier waits for this thread's copies so far; what it expects is the same afterwards.
ONCHIP_FN void __pipeline_arrive_on(__mbarrier_t *barrier)
{
#if ONCHIP_ARCH >= 800
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
#else
    (void)barrier;
#endif
}
#endif
#endif

#include "onchip/letters_back.h"
#endif
