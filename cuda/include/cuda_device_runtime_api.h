// cuda_device_runtime_api.h: launches by the device itself, as templates of Thrust and CUB name them. A program that calls
// one is told that it has no body.
#ifndef ONCHIP_CUDA_DEVICE_RUNTIME_API_H
#define ONCHIP_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"
#include "vector_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t bytes);
__device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared,
                                        cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
__device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);  // this one is there (graphs.h)
}
#endif

#endif
