// reduce.h: one value out of those of a group's threads, which all of them get.
//
// Operands keep the order of ranks, so that an operation need only be associative. 32-bit integers are reduced by one
// instruction from sm_80 on.
#ifndef ONCHIP_COOPERATIVE_GROUPS_REDUCE_H
#define ONCHIP_COOPERATIVE_GROUPS_REDUCE_H
#include "../onchip/letters_off.h"

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

#define ONCHIP_OPERATION(name, value)                                                                         \
    template <class Ty> struct name {                                                                         \
        __host__ __device__ __forceinline__ Ty operator()(const Ty &a, const Ty &b) const { return value; }   \
    };
ONCHIP_OPERATION(plus, a + b)
ONCHIP_OPERATION(less, b < a ? b : a)
ONCHIP_OPERATION(greater, a < b ? b : a)
ONCHIP_OPERATION(bit_and, a &b)
ONCHIP_OPERATION(bit_or, a | b)
ONCHIP_OPERATION(bit_xor, a ^ b)
#undef ONCHIP_OPERATION

// How many threads a group has, if its type says so; else 0.
template <class Group> struct onchip_threads {
    static constexpr unsigned n = 0;
};
template <unsigned int Size, class ParentT> struct onchip_threads<thread_block_tile<Size, ParentT>> {
    static constexpr unsigned n = Size;
};
// Of a warp's threads in the group: a tile of several warps is put together of what these have.
template <class Group> ONCHIP_FN auto onchip_warp_of(const Group &group)
{
    if constexpr (onchip_threads<Group>::n > 32)
        return thread_block_tile<32>(0, 1);
    else
        return group;
}

// The one instruction, where there is one.
template <class T, class Op> struct onchip_redux {
    static constexpr bool there = false;
};
#if ONCHIP_ARCH >= 800
#define ONCHIP_REDUX(T, op, as, name)                                                                         \
    template <> struct onchip_redux<T, op<T>> {                                                               \
        static constexpr bool there = true;                                                                   \
        __device__ __forceinline__ static T of(unsigned mask, T v) { return (T)__reduce_##name##_sync(mask, (as)v); } \
    };
ONCHIP_REDUX(int, plus, int, add)
ONCHIP_REDUX(int, less, int, min)
ONCHIP_REDUX(int, greater, int, max)
ONCHIP_REDUX(int, bit_and, unsigned, and)
ONCHIP_REDUX(int, bit_or, unsigned, or)
ONCHIP_REDUX(int, bit_xor, unsigned, xor)
ONCHIP_REDUX(unsigned, plus, unsigned, add)
ONCHIP_REDUX(unsigned, less, unsigned, min)
ONCHIP_REDUX(unsigned, greater, unsigned, max)
ONCHIP_REDUX(unsigned, bit_and, unsigned, and)
ONCHIP_REDUX(unsigned, bit_or, unsigned, or)
ONCHIP_REDUX(unsigned, bit_xor, unsigned, xor)
#undef ONCHIP_REDUX
#endif

// The thread of rank r has the value of r … r + d - 1, as far as there are these.
template <class Group, class T, class Op> ONCHIP_FN T onchip_reduce_warp(const Group &group, T v, Op &op)
{
    if constexpr (onchip_redux<T, Op>::there) {
        return onchip_redux<T, Op>::of(group.onchip_data().mask, v);
    } else {
        const unsigned rank = group.thread_rank(), n = group.num_threads();
        for (unsigned d = 1; d < (onchip_threads<Group>::n ? onchip_threads<Group>::n : 32); d *= 2) {
            if (onchip_threads<Group>::n == 0 && d >= n) break;
            const T other = group.shfl_down(v, d);
            if (rank + d < n) v = op(v, other);
        }
        return group.shfl(v, 0);
    }
}

template <class TyGroup, class TyArg, class TyOp>
ONCHIP_FN auto reduce(const TyGroup &group, TyArg &&val, TyOp &&op) -> std::decay_t<decltype(op(val, val))>
{
    using T = std::decay_t<decltype(op(val, val))>;
    std::decay_t<TyOp> by = op;
    T v = onchip_reduce_warp(onchip_warp_of(group), (T)val, by);
    if constexpr (onchip_threads<TyGroup>::n > 32) {
        group.put(v);
        group.sync();
        v = group.template get<T>(0);
        for (unsigned warp = 1; warp < onchip_threads<TyGroup>::n / 32; warp++) v = by(v, group.template get<T>(warp));
        group.sync();
    }
    return v;
}

}  // namespace cooperative_groups
#endif

#include "../onchip/letters_back.h"
#endif
