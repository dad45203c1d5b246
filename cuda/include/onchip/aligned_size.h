// aligned_size.h: a number of bytes of which it is promised that it, and the addresses it goes with, are aligned. If
// libcu++ came first, its type of this name is the one.
#ifndef ONCHIP_ALIGNED_SIZE_H
#define ONCHIP_ALIGNED_SIZE_H

#if defined(__CUDA__) && defined(__cplusplus) && !defined(_LIBCUDACXX_CUDA_API_VERSION)
#include <cstddef>

namespace cuda {
template <std::size_t Alignment> struct aligned_size_t {
    static constexpr std::size_t align = Alignment;
    std::size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(std::size_t size) : value(size) {}
    __host__ __device__ constexpr operator std::size_t() const { return value; }
};
}  // namespace cuda
#endif

#endif
