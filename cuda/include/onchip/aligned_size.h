// aligned_size.h: a number of bytes of which it is promised that it, and the addresses it goes with, are aligned.
//
// libcu++ has a type of this name, too. cuda::aligned_size_t is that one where it is declared, before or after, since a
// name that a namespace only uses gives way to one that it has.
#ifndef ONCHIP_ALIGNED_SIZE_H
#define ONCHIP_ALIGNED_SIZE_H

#if defined(__CUDA__) && defined(__cplusplus)
#include <cstddef>

namespace onchip_cuda {
template <std::size_t Alignment> struct aligned_size_t {
    static constexpr std::size_t align = Alignment;
    std::size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(std::size_t size) : value(size) {}
    __host__ __device__ constexpr operator std::size_t() const { return value; }
};
}  // namespace onchip_cuda
namespace cuda {
using namespace onchip_cuda;
}
#endif

#endif
