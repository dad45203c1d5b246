// driver.h: declares as much of CUDA's driver API as cuda.c calls, so that nothing of NVIDIA's is needed to build.
// Names, values and layouts are those of the CUDA Driver API reference.
#ifndef DEVICE_DRIVER_H
#define DEVICE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;  // 0: success
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUtexObject;

enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_LAUNCH_TIMEOUT = 702 };
enum {  // CUdevice_attribute
    ATTRIBUTE_SHARED_BLOCK = 8,
    ATTRIBUTE_CLOCK = 13,
    ATTRIBUTE_SMS = 16,
    ATTRIBUTE_L2 = 38,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    ATTRIBUTE_SHARED_SM = 81,
    ATTRIBUTE_SHARED_OPTIN = 97
};
enum {
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_SHARED = 1,
    FUNCTION_LOCAL = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_MAX_DYNAMIC = 8,
    FUNCTION_CARVEOUT = 9
};                                                                                      // CUfunction_attribute
enum { JIT_INFO_LOG = 3, JIT_INFO_BYTES = 4, JIT_ERROR_LOG = 5, JIT_ERROR_BYTES = 6 };  // CUjit_option
enum { RESOURCE_LINEAR = 2, RESOURCE_PITCH = 3 };                                       // CUresourcetype
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 };                               // CU_TRSF_*

typedef struct TextureResource {  // CUDA_RESOURCE_DESC
    int type;
    union {
        struct {
            CUdeviceptr base;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr base;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} TextureResource;
typedef struct TextureSampling {  // CUDA_TEXTURE_DESC
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max, border[4];
    int reserved[12];
} TextureSampling;

// Every function: its name in the library, and its parameters.
#define DRIVER_FUNCTIONS(F)                                                                                      \
    F(cuInit, (unsigned flags))                                                                                  \
    F(cuDriverGetVersion, (int *version))                                                                        \
    F(cuGetErrorName, (CUresult, const char **))                                                                 \
    F(cuGetErrorString, (CUresult, const char **))                                                               \
    F(cuDeviceGetCount, (int *))                                                                                 \
    F(cuDeviceGet, (CUdevice *, int ordinal))                                                                    \
    F(cuDeviceGetName, (char *, int, CUdevice))                                                                  \
    F(cuDeviceGetAttribute, (int *, int attribute, CUdevice))                                                    \
    F(cuDeviceTotalMem_v2, (size_t *, CUdevice))                                                                 \
    F(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                         \
    F(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                                  \
    F(cuCtxSetCurrent, (CUcontext))                                                                              \
    F(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                                    \
    F(cuMemFree_v2, (CUdeviceptr))                                                                               \
    F(cuMemAllocHost_v2, (void **, size_t))                                                                      \
    F(cuMemFreeHost, (void *))                                                                                   \
    F(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))                                       \
    F(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                                             \
    F(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                        \
    F(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                                           \
    F(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *options, void **values))                     \
    F(cuModuleUnload, (CUmodule))                                                                                \
    F(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                               \
    F(cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *))                                   \
    F(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t * bytes, CUdeviceptr))                                \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction, int threads, size_t dynamic))       \
    F(cuFuncGetAttribute, (int *, int attribute, CUfunction))                                                    \
    F(cuFuncSetAttribute, (CUfunction, int attribute, int value))                                                \
    F(cuLaunchKernel, (CUfunction, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
                       unsigned shared, CUstream, void **params, void **extra))                                  \
    F(cuStreamCreate, (CUstream *, unsigned flags))                                                              \
    F(cuStreamDestroy_v2, (CUstream))                                                                            \
    F(cuStreamSynchronize, (CUstream))                                                                           \
    F(cuEventCreate, (CUevent *, unsigned flags))                                                                \
    F(cuEventDestroy_v2, (CUevent))                                                                              \
    F(cuCtxSynchronize, (void))                                                                                  \
    F(cuEventRecord, (CUevent, CUstream))                                                                        \
    F(cuEventSynchronize, (CUevent))                                                                             \
    F(cuEventElapsedTime, (float *milliseconds, CUevent, CUevent))                                               \
    F(cuTexObjectCreate, (CUtexObject *, const TextureResource *, const TextureSampling *, const void *view))    \
    F(cuTexObjectDestroy, (CUtexObject))

typedef struct Driver {
    void *library;
#define F(name, parameters) CUresult(*name) parameters;
    DRIVER_FUNCTIONS(F)
#undef F
} Driver;

#endif
