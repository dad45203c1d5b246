// memcpy_async.h: copies that a group's threads share. From global to shared memory they go on meanwhile, from sm_80
// on; others are done when the function returns.
//
// Each thread copies pieces of 16, 8 or 4 bytes, as both addresses allow. What is left at the ends goes byte by byte.
#ifndef ONCHIP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define ONCHIP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../onchip/letters_off.h"

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"
#include "../onchip/aligned_size.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include <type_traits>

namespace cooperative_groups {

// What a size promises: the alignment of an aligned_size_t, by its member.
template <class Size, class = void> struct onchip_promise {
    static constexpr size_t align = 1;
};
template <class Size> struct onchip_promise<Size, std::enable_if_t<(Size::align > 0)>> {
    static constexpr size_t align = Size::align;
};

template <unsigned piece>
ONCHIP_FN void onchip_copy_pieces(unsigned rank, unsigned all, char *to, const char *from, size_t bytes, bool async)
{
    struct __align__(piece) Piece { unsigned char byte[piece]; };
    if (async)
        for (size_t k = rank * (size_t)piece; k < bytes; k += all * (size_t)piece)
            onchip_copy_async<piece>(to + k, from + k);
    else
        for (size_t k = rank * (size_t)piece; k < bytes; k += all * (size_t)piece)
            *(Piece *)(to + k) = *(const Piece *)(from + k);
}
ONCHIP_FN void onchip_copy_bytes(unsigned rank, unsigned all, char *to, const char *from, size_t bytes)
{
    for (size_t k = rank; k < bytes; k += all) to[k] = from[k];
}
template <size_t align, class Group>
ONCHIP_FN void onchip_copy(const Group &group, void *dst, const void *src, size_t bytes)
{
    const unsigned rank = (unsigned)group.thread_rank(), all = (unsigned)group.num_threads();
    const bool async = ONCHIP_ARCH >= 800 && __isShared(dst) && __isGlobal(src);
    char *to = (char *)dst;
    const char *from = (const char *)src;
    if constexpr (align >= 16) {
        onchip_copy_pieces<16>(rank, all, to, from, bytes, async);
    } else if constexpr (align >= 8) {
        onchip_copy_pieces<8>(rank, all, to, from, bytes, async);
    } else if constexpr (align >= 4) {
        onchip_copy_pieces<4>(rank, all, to, from, bytes, async);
    } else {
        const size_t differ = (size_t)to ^ (size_t)from;
        const size_t piece = differ & 3 ? 1 : differ & 4 ? 4 : differ & 8 ? 8 : 16;
        size_t head = -(size_t)to & (piece - 1);
        if (head > bytes) head = bytes;
        const size_t middle = piece > 1 ? (bytes - head) & ~(piece - 1) : 0;
        onchip_copy_bytes(rank, all, to, from, head);
        to += head, from += head;
        if (piece == 16) onchip_copy_pieces<16>(rank, all, to, from, middle, async);
        if (piece == 8) onchip_copy_pieces<8>(rank, all, to, from, middle, async);
        if (piece == 4) onchip_copy_pieces<4>(rank, all, to, from, middle, async);
        onchip_copy_bytes(rank, all, to + middle, from + middle, bytes - head - middle);
    }
    __pipeline_commit();
}

// shape: bytes, as a number or as an aligned_size_t.
template <class TyGroup, class TyElem, class TyShape>
ONCHIP_FN void memcpy_async(const TyGroup &group, TyElem *__restrict__ dst, const TyElem *__restrict__ src,
                            const TyShape &shape)
{
    onchip_copy<onchip_promise<TyShape>::align>(group, dst, src, (size_t)shape);
}
template <class TyGroup, class TyShape>
ONCHIP_FN void memcpy_async(const TyGroup &group, void *__restrict__ dst, const void *__restrict__ src,
                            const TyShape &shape)
{
    onchip_copy<onchip_promise<TyShape>::align>(group, dst, src, (size_t)shape);
}
// Layouts count elements: as many are copied as both have.
template <class TyGroup, class TyElem, class TyDstLayout, class TySrcLayout>
ONCHIP_FN void memcpy_async(const TyGroup &group, TyElem *__restrict__ dst, const TyDstLayout &dstLayout,
                            const TyElem *__restrict__ src, const TySrcLayout &srcLayout)
{
    static_assert(onchip_promise<TyDstLayout>::align == onchip_promise<TySrcLayout>::align,
                  "both layouts promise the same alignment");
    const size_t to = (size_t)dstLayout, from = (size_t)srcLayout;
    onchip_copy<onchip_promise<TyDstLayout>::align>(group, dst, src, (to < from ? to : from) * sizeof(TyElem));
}

// The group waits for all of its copies but the latest NumStages.
template <unsigned int NumStages, class TyGroup> ONCHIP_FN void wait_prior(const TyGroup &group)
{
    __pipeline_wait_prior(NumStages);
    group.sync();
}
template <class TyGroup> ONCHIP_FN void wait(const TyGroup &group) { wait_prior<0>(group); }

}  // namespace cooperative_groups
#endif

#include "../onchip/letters_back.h"
#endif
