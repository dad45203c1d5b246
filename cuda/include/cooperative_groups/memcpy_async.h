// memcpy_async.h: copies that a group's threads share (onchip/group_copy.h).
#ifndef ONCHIP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define ONCHIP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../onchip/letters_off.h"

#include "../cooperative_groups.h"
#include "../onchip/group_copy.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

template <size_t align, class Group>
ONCHIP_FN void onchip_copy(const Group &group, void *dst, const void *src, size_t bytes)
{
    ::onchip_copy<align>((unsigned)group.thread_rank(), (unsigned)group.num_threads(), dst, src, bytes);
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
