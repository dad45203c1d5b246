// cuda_awbarrier_primitives.h: barriers in shared memory at which threads arrive first and wait later (sm_70 and up).
//
// Before sm_80 there is no instruction for them. A barrier is then a word: 20 bits of what is still pending, 20 of what
// a phase expects, and the phase's parity on top. The last arrival of a phase begins the next.
#ifndef ONCHIP_CUDA_AWBARRIER_PRIMITIVES_H
#define ONCHIP_CUDA_AWBARRIER_PRIMITIVES_H
#include "onchip/letters_off.h"
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_runtime.h"

#include <cstdint>

#if ONCHIP_ARCH >= 700
typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

ONCHIP_FN uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }

#if ONCHIP_ARCH >= 800
ONCHIP_FN unsigned onchip_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
ONCHIP_FN void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(onchip_shared(barrier)), "r"(expected_count) : "memory");
}
ONCHIP_FN void __mbarrier_inval(__mbarrier_t *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(onchip_shared(barrier)) : "memory");
}
#define ONCHIP_ARRIVE(name, op)                                                                               \
    ONCHIP_FN __mbarrier_token_t name(__mbarrier_t *barrier)                                                  \
    {                                                                                                         \
        __mbarrier_token_t r;                                                                                 \
        asm volatile(op ".shared.b64 %0, [%1];" : "=l"(r) : "r"(onchip_shared(barrier)) : "memory");          \
        return r;                                                                                             \
    }
ONCHIP_ARRIVE(__mbarrier_arrive, "mbarrier.arrive")
ONCHIP_ARRIVE(__mbarrier_arrive_and_drop, "mbarrier.arrive_drop")
#undef ONCHIP_ARRIVE
// what: the token or the parity of a phase. Has it ended?
#define ONCHIP_TEST(name, T, C, op, more, ...)                                                                \
    ONCHIP_FN bool name(__mbarrier_t *barrier, T what __VA_ARGS__)                                            \
    {                                                                                                         \
        unsigned r;                                                                                           \
        asm volatile("{ .reg .pred p; " op ".shared.b64 p, [%1], %2" more "; selp.u32 %0, 1, 0, p; }"         \
                     : "=r"(r)                                                                                \
                     : "r"(onchip_shared(barrier)), C ONCHIP_HINT                                             \
                     : "memory");                                                                             \
        return r;                                                                                             \
    }
#define ONCHIP_HINT
ONCHIP_TEST(__mbarrier_test_wait, __mbarrier_token_t, "l"(what), "mbarrier.test_wait", "")
ONCHIP_TEST(__mbarrier_test_wait_parity, bool, "r"((unsigned)what), "mbarrier.test_wait.parity", "")
#undef ONCHIP_HINT
#if ONCHIP_ARCH >= 900
#define ONCHIP_HINT , "r"(max_sleep_nanosec)
#define ONCHIP_TRY(name, T, C, op) ONCHIP_TEST(name, T, C, op, ", %3", , uint32_t max_sleep_nanosec)
ONCHIP_TRY(__mbarrier_try_wait, __mbarrier_token_t, "l"(what), "mbarrier.try_wait")
ONCHIP_TRY(__mbarrier_try_wait_parity, bool, "r"((unsigned)what), "mbarrier.try_wait.parity")
#undef ONCHIP_TRY
#undef ONCHIP_HINT
#endif
#undef ONCHIP_TEST
ONCHIP_FN uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    uint32_t r;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(r) : "l"(token));
    return r;
}
#else
ONCHIP_FN void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count)
{
    *(volatile __mbarrier_t *)barrier = (uint64_t)expected_count << 20 | expected_count;
}
ONCHIP_FN void __mbarrier_inval(__mbarrier_t *barrier) { *(volatile __mbarrier_t *)barrier = 0; }
ONCHIP_FN uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) { return (uint32_t)token & 0xfffff; }
ONCHIP_FN __mbarrier_token_t onchip_arrive_at(__mbarrier_t *barrier, uint32_t dropped)
{
    __threadfence_block();
    unsigned long long *word = (unsigned long long *)barrier, was, found = *(volatile unsigned long long *)word;
    do {
        was = found;
        const uint64_t expected = (was >> 20 & 0xfffff) - dropped, pending = (was & 0xfffff) - 1, parity = was >> 63;
        const uint64_t now = pending ? parity << 63 | expected << 20 | pending
                                     : (parity ^ 1) << 63 | expected << 20 | expected;
        found = atomicCAS(word, was, now);
    } while (found != was);
    return was;
}
ONCHIP_FN __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) { return onchip_arrive_at(barrier, 0); }
ONCHIP_FN __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) { return onchip_arrive_at(barrier, 1); }
ONCHIP_FN bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity)
{
    const bool ended = (*(volatile __mbarrier_t *)barrier >> 63) != phase_parity;
    __threadfence_block();
    return ended;
}
ONCHIP_FN bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    return __mbarrier_test_wait_parity(barrier, token >> 63);
}
#endif

#if ONCHIP_ARCH < 900
// An instruction that waits for a while is there from sm_90 on.
#define ONCHIP_TRY(name, test, T)                                                                             \
    ONCHIP_FN bool name(__mbarrier_t *barrier, T what, uint32_t max_sleep_nanosec)                            \
    {                                                                                                         \
        const unsigned long long began = globaltimer();                                                       \
        bool ended = test(barrier, what);                                                                     \
        while (!ended && globaltimer() - began < max_sleep_nanosec) ended = test(barrier, what);              \
        return ended;                                                                                         \
    }
ONCHIP_TRY(__mbarrier_try_wait, __mbarrier_test_wait, __mbarrier_token_t)
ONCHIP_TRY(__mbarrier_try_wait_parity, __mbarrier_test_wait_parity, bool)
#undef ONCHIP_TRY
#endif
#endif
#endif

#include "onchip/letters_back.h"
#endif
