// cuda_awbarrier.h: the barriers of cuda_awbarrier_primitives.h as a class of C++, as CUDA 11.0 had it.
#ifndef ONCHIP_CUDA_AWBARRIER_H
#define ONCHIP_CUDA_AWBARRIER_H
#include "onchip/letters_off.h"
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus) && ONCHIP_ARCH >= 700
#define ONCHIP_IN __attribute__((device, always_inline, nodebug))
namespace nvcuda {
namespace experimental {

class awbarrier {
public:
    typedef __mbarrier_token_t arrival_token;
    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;
    ONCHIP_IN arrival_token arrive() { return __mbarrier_arrive(&word); }
    ONCHIP_IN void wait(arrival_token token)
    {
        while (!__mbarrier_test_wait(&word, token)) {}
    }
    ONCHIP_IN void arrive_and_wait() { wait(arrive()); }
    ONCHIP_IN void arrive_and_drop() { __mbarrier_arrive_and_drop(&word); }
    ONCHIP_IN static constexpr ptrdiff_t max() { return (1 << 20) - 1; }
    ONCHIP_IN __mbarrier_t *onchip_handle() { return &word; }

private:
    __mbarrier_t word;
};
ONCHIP_FN void init(awbarrier *barrier, int expected_count)
{
    __mbarrier_init(barrier->onchip_handle(), (uint32_t)expected_count);
}

}  // namespace experimental
}  // namespace nvcuda
#undef ONCHIP_IN
#endif

#include "onchip/letters_back.h"
#endif
