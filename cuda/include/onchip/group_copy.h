// group_copy.h: the share of one thread, the rank-th of `all`, in a copy. From global to shared memory it goes on
// meanwhile, from sm_80 on; elsewhere it is done when the function returns.
//
// Each thread copies pieces of 16, 8 or 4 bytes, as both addresses allow. What is left at the ends goes byte by byte.
#ifndef ONCHIP_GROUP_COPY_H
#define ONCHIP_GROUP_COPY_H

#include "../cuda_pipeline_primitives.h"
#include "aligned_size.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include <type_traits>

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
ONCHIP_BOTH void onchip_copy_bytes(unsigned rank, unsigned all, char *to, const char *from, size_t bytes)
{
    for (size_t k = rank; k < bytes; k += all) to[k] = from[k];
}
// Does it go on meanwhile?
template <size_t align>
ONCHIP_FN bool onchip_copy(unsigned rank, unsigned all, void *dst, const void *src, size_t bytes)
{
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
    return async;
}
template <size_t align>
ONCHIP_HOST bool onchip_copy(unsigned rank, unsigned all, void *dst, const void *src, size_t bytes)
{
    onchip_copy_bytes(rank, all, (char *)dst, (const char *)src, bytes);
    return false;
}
#endif

#endif
