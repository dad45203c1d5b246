// cuda_pipeline.h: the copies of cuda_pipeline_primitives.h as a class of C++, as CUDA 11.0 had it.
#ifndef ONCHIP_CUDA_PIPELINE_H
#define ONCHIP_CUDA_PIPELINE_H
#include "onchip/letters_off.h"
#define _CUDA_PIPELINE_H_

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus) && ONCHIP_ARCH >= 700
#define ONCHIP_IN __attribute__((device, always_inline, nodebug))
namespace nvcuda {
namespace experimental {

class pipeline {
public:
    pipeline() = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    ONCHIP_IN size_t commit()
    {
        __pipeline_commit();
        return batches++;
    }
    ONCHIP_IN void commit_and_wait()
    {
        commit();
        wait_prior<0>();
    }
    template <unsigned N> ONCHIP_IN void wait_prior() { __pipeline_wait_prior(N); }
    // Until this batch, by the number that commit gave it, and those before it are there.
    ONCHIP_IN void wait(size_t batch) { __pipeline_wait_prior(batches > batch ? batches - 1 - batch : 0); }
    ONCHIP_IN void arrive_on(awbarrier &barrier) { __pipeline_arrive_on(barrier.onchip_handle()); }

private:
    size_t batches = 0;
};

template <class T> ONCHIP_FN void memcpy_async(T &dst, const T &src, pipeline &)
{
    constexpr unsigned part = sizeof(T) % 16 == 0 && alignof(T) >= 16 ? 16
                              : sizeof(T) % 8 == 0 && alignof(T) >= 8 ? 8
                              : sizeof(T) % 4 == 0 && alignof(T) >= 4 ? 4
                                                                      : 0;
    if constexpr (part == 0)
        dst = src;
    else
        for (unsigned k = 0; k < sizeof(T); k += part)
            onchip_copy_async<part>((char *)&dst + k, (const char *)&src + k);
}

}  // namespace experimental
}  // namespace nvcuda
#undef ONCHIP_IN
#endif

#include "onchip/letters_back.h"
#endif
