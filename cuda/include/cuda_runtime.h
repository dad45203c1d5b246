// cuda_runtime.h: CUDA C++ for a compiler without NVIDIA's toolkit: the language's words, what a thread of the device can
// do, and the runtime. onchip puts it in front of each .cu file, as nvcc does with its own.
//
// Invariant: it comes before the first header of C++, since clang's wrapper of <new> calls malloc and free of both sides,
// and since <cmath> must find the device's overloads (math_forward.h).
#ifndef ONCHIP_CUDA_RUNTIME_H
#define ONCHIP_CUDA_RUNTIME_H
#include "onchip/letters_off.h"
#define __CUDA_RUNTIME_H__

#include "host_defines.h"

#if defined(__CUDA__) && defined(__cplusplus)
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern "C" {
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ int printf(const char *, ...);  // clang packs the arguments and calls vprintf
__device__ void __assertfail(const char *what, const char *file, unsigned line, const char *function, size_t);
__device__ static __inline__ __attribute__((nodebug, unused)) void __assert_fail(const char *what, const char *file,
                                                                               unsigned line, const char *function)
{
    __assertfail(what, file, line, function, 1);
}
// What stands in the table of virtual functions of a class for one that has no body.
__device__ inline __attribute__((nodebug)) void __cxa_pure_virtual() { __builtin_trap(); }
__device__ inline __attribute__((nodebug)) void __cxa_deleted_virtual() { __builtin_trap(); }
}

ONCHIP_FN void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
ONCHIP_FN void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
ONCHIP_FN void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }

#include "math_forward.h"
#include <cmath>
#include <math.h>
#include <new>
#include <utility>
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include <__clang_cuda_builtin_vars.h>
// clang declares these conversions, and leaves their bodies to us.
#define ONCHIP_CONVERSION(name, T)                                                                            \
    __device__ __forceinline__ __cuda_builtin_##name##_t::operator T() const { return {x, y, z}; }
ONCHIP_CONVERSION(threadIdx, dim3) ONCHIP_CONVERSION(threadIdx, uint3)
ONCHIP_CONVERSION(blockIdx, dim3) ONCHIP_CONVERSION(blockIdx, uint3)
ONCHIP_CONVERSION(blockDim, dim3) ONCHIP_CONVERSION(blockDim, uint3)
ONCHIP_CONVERSION(gridDim, dim3) ONCHIP_CONVERSION(gridDim, uint3)
#undef ONCHIP_CONVERSION

#include "cuda_device_runtime_api.h"
#include "device_functions.h"
#include "math_functions.h"
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"

// --- what clang makes of <<<…>>> ---------------------------------------------------------------------------------------
extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
}
#endif

#ifdef __cplusplus
// --- what C++ adds to the runtime's functions ----------------------------------------------------------------------------
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t bytes) { return cudaMalloc((void **)p, bytes); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc((void **)p, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)p, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)p, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)p, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)p, bytes, pool, stream);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
// A symbol is a variable of the device, by itself; the host knows it by the address of its shadow.
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(T **p, const T &symbol)
{
    return cudaGetSymbolAddress((void **)p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                                      cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *kernel, void **args)
{
    return cudaLaunchKernelExC(config, (const void *)kernel, args);
}
template <class... Of, class... Given>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Of...), Given &&...given)
{
    return [&](Of... args) {
        void *all[] = {(void *)&args..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, all);
    }(static_cast<Given &&>(given)...);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads,
                                                                        size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int threads,
                                                                                 size_t shared, unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads, shared, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks, int threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel, const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel, const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
// Of all sizes of a block, by warps, the one that keeps most threads on an SM; of equal ones the largest.
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T kernel, Shared shared,
                                                                         int limit = 0)
{
    int device, sms, warp, best = 0;
    cudaFuncAttributes of;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!error) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (!error) error = cudaFuncGetAttributes(&of, (const void *)kernel);
    if (error) return error;
    const int most = limit > 0 && limit < of.maxThreadsPerBlock ? limit : of.maxThreadsPerBlock;
    *grid = *block = 0;
    for (int round = (most + warp - 1) / warp * warp; round > 0; round -= warp) {
        const int threads = round < most ? round : most;
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, threads, shared(threads));
        if (error) return error;
        if (blocks * threads > best) best = blocks * threads, *block = threads, *grid = blocks * sms;
    }
    return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared = 0,
                                                             int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared; }, limit);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
template <class T> static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t bytes = 0,
                                                                     unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, (void *)p, bytes, flags);
}
// As CUDA 13 has them.
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation to, unsigned flags,
                                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync_v2(p, bytes, to, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation to)
{
    return cudaMemAdvise_v2(p, bytes, advice, to);
}
// As CUDA 11 has it.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t)
{
    return cudaGraphInstantiate(exec, graph, 0ull);
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t width, size_t height)
{
    return {p, pitch, width, height};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }

// --- the channels of a type ----------------------------------------------------------------------------------------------
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define ONCHIP_CHANNELS(T, bits, kind, n)                                                                     \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>()                                       \
    {                                                                                                         \
        return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, cudaChannelFormatKind##kind};     \
    }
#define ONCHIP_CHANNELS_OF(T, bits, kind)                                                                     \
    ONCHIP_CHANNELS(T##1, bits, kind, 1)                                                                      \
    ONCHIP_CHANNELS(T##2, bits, kind, 2)                                                                      \
    ONCHIP_CHANNELS(T##4, bits, kind, 4)
ONCHIP_CHANNELS(char, 8, Signed, 1)
ONCHIP_CHANNELS(signed char, 8, Signed, 1)
ONCHIP_CHANNELS(unsigned char, 8, Unsigned, 1)
ONCHIP_CHANNELS(short, 16, Signed, 1)
ONCHIP_CHANNELS(unsigned short, 16, Unsigned, 1)
ONCHIP_CHANNELS(int, 32, Signed, 1)
ONCHIP_CHANNELS(unsigned, 32, Unsigned, 1)
ONCHIP_CHANNELS(float, 32, Float, 1)
ONCHIP_CHANNELS_OF(char, 8, Signed)
ONCHIP_CHANNELS_OF(uchar, 8, Unsigned)
ONCHIP_CHANNELS_OF(short, 16, Signed)
ONCHIP_CHANNELS_OF(ushort, 16, Unsigned)
ONCHIP_CHANNELS_OF(int, 32, Signed)
ONCHIP_CHANNELS_OF(uint, 32, Unsigned)
ONCHIP_CHANNELS_OF(float, 32, Float)
#undef ONCHIP_CHANNELS_OF
#undef ONCHIP_CHANNELS
#endif

#if defined(__CUDA__) && defined(__cplusplus)
// nvcc takes `__shared__ alignas(16) char x[64]`; clang takes no alignas behind another word of a declaration, but an
// attribute. The alignment is a number or a type.
template <class T> __host__ __device__ constexpr size_t onchip_alignment() { return alignof(T); }
template <size_t bytes> __host__ __device__ constexpr size_t onchip_alignment() { return bytes; }
#define alignas(...) __attribute__((aligned(onchip_alignment<__VA_ARGS__>())))
#endif

#include "onchip/letters_back.h"
#endif
