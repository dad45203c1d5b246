// host_defines.h: the words by which CUDA C++ says where code runs and data lies. Elsewhere than in CUDA source, as in a
// C file that calls the runtime, they mean nothing.
#ifndef ONCHIP_HOST_DEFINES_H
#define ONCHIP_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// What clang has no attribute for is an annotation, which src/compile/directives.c makes a directive of.
#define ONCHIP_DIRECTIVE(name, ...) __attribute__((annotate("onchip ." name, __VA_ARGS__)))
#define ONCHIP_BOUNDS_2(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define ONCHIP_BOUNDS_3(threads, blocks, rank)                                                                \
    __attribute__((launch_bounds(threads, blocks))) ONCHIP_DIRECTIVE("maxclusterrank", rank)
#define ONCHIP_BOUNDS_OF(a, b, c, BOUNDS, ...) BOUNDS
#define __launch_bounds__(...)                                                                                \
    ONCHIP_BOUNDS_OF(__VA_ARGS__, ONCHIP_BOUNDS_3, ONCHIP_BOUNDS_2, ONCHIP_BOUNDS_2, )(__VA_ARGS__)
#define __cluster_dims__(...) ONCHIP_DIRECTIVE("reqnctapercluster", __VA_ARGS__)
#define __maxnreg__(n) ONCHIP_DIRECTIVE("maxnreg", n)
#ifdef __CUDA_ARCH__
#define __grid_constant__ __attribute__((annotate("onchip .grid_constant")))
#else
#define __grid_constant__
#endif
// On the host it is reached through a pointer, which src/compile/managed.c puts there: the section names such variables.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((section("onchip_managed"), used))
#endif
#define __device_builtin__
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __cudart_builtin__
#define __nv_pure__ __attribute__((pure))
#ifndef __CUDACC__
#define __CUDACC__
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(n)
#define __grid_constant__
#define __device_builtin__
#define __cudart_builtin__
#endif

#define __restrict__ __restrict
#define __forceinline__ __inline__ __attribute__((always_inline))
// clang knows the word itself from 15 on. Before, libstdc++ must not see it (bits/shared_ptr_base.h).
#if defined(__clang__) && __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#elif !defined(__clang__)
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define __specialization_static static

// How these headers write a function of the device, and one of both sides. It has no debug information, so that its
// instructions count for the line that calls it.
#define ONCHIP_FN static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define ONCHIP_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
#define ONCHIP_HOST static __inline__ __attribute__((host, unused))

#endif
