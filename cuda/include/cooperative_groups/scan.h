// scan.h: each thread of a group gets what an operation makes of the values up to its own, or of those before it.
//
// What the first thread gets of those before it is the operation's neutral value, and zero for one that isn't of
// reduce.h.
#ifndef ONCHIP_COOPERATIVE_GROUPS_SCAN_H
#define ONCHIP_COOPERATIVE_GROUPS_SCAN_H
#include "../onchip/letters_off.h"

#include "reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include <limits>

namespace cooperative_groups {

template <class T, class Op> struct onchip_neutral {
    __device__ __forceinline__ static T of() { return T{}; }
};
#define ONCHIP_NEUTRAL(op, value)                                                                             \
    template <class T> struct onchip_neutral<T, op<T>> {                                                      \
        __device__ __forceinline__ static T of() { return value; }                                            \
    };
ONCHIP_NEUTRAL(less, std::numeric_limits<T>::max())
ONCHIP_NEUTRAL(greater, std::numeric_limits<T>::lowest())
ONCHIP_NEUTRAL(bit_and, (T)~T{})
#undef ONCHIP_NEUTRAL

template <class Group, class T, class Op> ONCHIP_FN T onchip_scan_warp(const Group &group, T v, Op &op)
{
    const unsigned rank = group.thread_rank(), n = group.num_threads();
    for (unsigned d = 1; d < (onchip_threads<Group>::n ? onchip_threads<Group>::n : 32); d *= 2) {
        if (onchip_threads<Group>::n == 0 && d >= n) break;
        const T other = group.shfl_up(v, d);
        if (rank >= d) v = op(other, v);
    }
    return v;
}

template <class Group, class T, class Op> ONCHIP_FN T onchip_scan(const Group &group, T v, Op op, bool inclusive)
{
    const auto warp = onchip_warp_of(group);
    const T up_to = onchip_scan_warp(warp, v, op);
    T r = up_to;
    if (!inclusive) {
        r = warp.shfl_up(up_to, 1);
        if (warp.thread_rank() == 0) r = onchip_neutral<T, Op>::of();
    }
    if constexpr (onchip_threads<Group>::n > 32) {
        if (warp.thread_rank() == 31) group.put(up_to);
        group.sync();
        const unsigned own = group.thread_rank() / 32;
        if (own) {
            T before = group.template get<T>(0);
            for (unsigned w = 1; w < own; w++) before = op(before, group.template get<T>(w));
            r = inclusive || warp.thread_rank() ? op(before, r) : before;
        }
        group.sync();
    }
    return r;
}

template <class TyGroup, class TyVal, class TyFn>
ONCHIP_FN auto inclusive_scan(const TyGroup &group, TyVal &&val, TyFn &&op) -> std::decay_t<decltype(op(val, val))>
{
    using T = std::decay_t<decltype(op(val, val))>;
    return onchip_scan<TyGroup, T, std::decay_t<TyFn>>(group, (T)val, op, true);
}
template <class TyGroup, class TyVal> ONCHIP_FN std::decay_t<TyVal> inclusive_scan(const TyGroup &group, TyVal &&val)
{
    return inclusive_scan(group, val, plus<std::decay_t<TyVal>>());
}
template <class TyGroup, class TyVal, class TyFn>
ONCHIP_FN auto exclusive_scan(const TyGroup &group, TyVal &&val, TyFn &&op) -> std::decay_t<decltype(op(val, val))>
{
    using T = std::decay_t<decltype(op(val, val))>;
    return onchip_scan<TyGroup, T, std::decay_t<TyFn>>(group, (T)val, op, false);
}
template <class TyGroup, class TyVal> ONCHIP_FN std::decay_t<TyVal> exclusive_scan(const TyGroup &group, TyVal &&val)
{
    return exclusive_scan(group, val, plus<std::decay_t<TyVal>>());
}

}  // namespace cooperative_groups
#endif

#include "../onchip/letters_back.h"
#endif
