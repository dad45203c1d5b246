// driver.h: as much of CUDA's driver API as src/device calls and src/preload stands in front of, declared here so that
// nothing of NVIDIA's is needed to build. Names, values and layouts are the driver API's (CUDA Driver API reference,
// modules "Types" and the functions').
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdint.h>

#define SIMULATED "onchip_simulates"  // a symbol that only our own libcuda.so.1 has: a text, onchip's version

typedef int CUresult;  // 0: success
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;  // may stand for a CUfunction in launches and questions of occupancy
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUtexObject;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_SYMBOL_NOT_FOUND = 302,  // …SHARED_OBJECT_SYMBOL_NOT_FOUND
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702
};
enum {  // CUdevice_attribute
    DEVICE_SHARED_BLOCK = 8,
    DEVICE_CLOCK = 13,
    DEVICE_SMS = 16,
    DEVICE_L2 = 38,
    DEVICE_MAJOR = 75,
    DEVICE_MINOR = 76,
    DEVICE_SHARED_SM = 81,
    DEVICE_SHARED_OPTIN = 97
};
enum {  // CUfunction_attribute
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_SHARED = 1,
    FUNCTION_LOCAL = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_MAX_DYNAMIC = 8,
    FUNCTION_CARVEOUT = 9
};
enum { JIT_INFO_LOG = 3, JIT_INFO_BYTES = 4, JIT_ERROR_LOG = 5, JIT_ERROR_BYTES = 6 };  // CUjit_option
enum { RESOURCE_LINEAR = 2, RESOURCE_PITCH = 3 };                                       // CUresourcetype
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };                    // CU_TRSF_*
enum { PARAM_END = 0, PARAM_BUFFER = 1, PARAM_BYTES = 2 };                              // CU_LAUNCH_PARAM_*
enum {                                                                                  // CUlaunchAttributeID
    LAUNCH_COOPERATIVE = 2,
    LAUNCH_CLUSTER = 4,
    LAUNCH_PREFERRED_CLUSTER = 11,
    LAUNCH_UPDATABLE_NODE = 13
};
enum { PER_THREAD_STREAM = 2 };  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

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

typedef struct CUlaunchAttribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int cooperative;
    } value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig {
    unsigned grid[3], block[3], smem;
    CUstream stream;
    CUlaunchAttribute *attrs;
    unsigned n;
} CUlaunchConfig;

#define LAUNCH_PARAMETERS                                                                                       \
    (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned smem, \
     CUstream s, void **params, void **extra)
#define COOPERATIVE_PARAMETERS                                                                                  \
    (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned smem, \
     CUstream s, void **params)

// The type of each function: its name with _fn behind it.
#define DRIVER(name, device, preload, parameters) typedef CUresult name##_fn parameters;
#include "driver/driver.def"
#undef DRIVER

#endif
