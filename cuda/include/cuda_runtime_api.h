// cuda_runtime_api.h: the runtime's functions, for C and C++, as the CUDA Runtime API reference has them for CUDA 12.
// libcudart.so.12 answers them. What C++ has beyond them is in cuda_runtime.h.
#ifndef ONCHIP_CUDA_RUNTIME_API_H
#define ONCHIP_CUDA_RUNTIME_API_H
#include "onchip/letters_off.h"
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"
#include "onchip/per_thread.h"

#define CUDART_VERSION 12000
#define __CUDART_API_VERSION CUDART_VERSION
#ifdef __cplusplus
#define ONCHIP_OR(value) = value
extern "C" {
#else
#define ONCHIP_OR(value)
#endif

// --- devices -----------------------------------------------------------------------------------------------------------
#ifdef __CUDA__
__host__ __device__
#endif
    cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
// In CUDA 12 the function of the plain name fills the structure of CUDA 11.
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaProfilerInitialize(const char *settings, const char *out, cudaOutputMode_t mode);

// --- errors ------------------------------------------------------------------------------------------------------------
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

// --- streams and events ------------------------------------------------------------------------------------------------
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id, cudaStreamAttrValue *value);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id, const cudaStreamAttrValue *value);

// --- kernels -----------------------------------------------------------------------------------------------------------
cudaError_t cudaSetDoubleForDevice(double *value);
cudaError_t cudaSetDoubleForHost(double *value);

// --- memory ------------------------------------------------------------------------------------------------------------
cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t bytes, struct cudaMemLocation to, unsigned flags,
                                    cudaStream_t stream ONCHIP_OR(0));
cudaError_t cudaMemAdvise_v2(const void *p, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation to);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute attribute, const void *p,
                                     size_t of);

// --- textures and surfaces ---------------------------------------------------------------------------------------------
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

#ifdef __cplusplus
}
#endif
#include "onchip/graphs.h"
#ifdef __cplusplus
extern "C" {
#endif
// --- all others: the rows of the table, which has what each does -------------------------------------------------------
#define RUNTIME_CALL(name, params, what) cudaError_t name params;
#define RUNTIME_STREAM(name, params, args, what) cudaError_t name params ONCHIP_FORM(#name "_ptsz");
#define RUNTIME_WAITS(name, async, params, args, what) cudaError_t name params ONCHIP_FORM(#name "_ptds");
#define RUNTIME_OWN(name, form, params, what) cudaError_t name params ONCHIP_FORM(#name "_" #form);
#include "onchip/runtime.def"
#undef ONCHIP_NODE
#ifdef __cplusplus
}
#endif
#include "onchip/letters_back.h"
#endif
