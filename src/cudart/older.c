// older.c: what programs of CUDA 12 and 11 call, and CUDA 13 doesn't have any more (older.def). Where a function kept
// its name and changed its structures or arguments, it asks runtime_major for which of them it is called.
//
// The libraries of CUDA 12 and 11 export them (front/front.c). Programs that have the runtime inside of them call them
// too (redirect.c), whose version is known only then.
#include "cudart/unit.h"

#include <string.h>

static int major = 13;
int runtime_major(void) { return major; }
void runtime_is(int version) { major = version; }
void onchip_runtime_is(int version);
void onchip_runtime_is(int version) { runtime_is(version); }

#define MISSING(name)       \
    cudaError_t name(void); \
    cudaError_t name(void) { return client_missing(#name); }
#define OLDER(name)
#include "driver/older.def"
#undef MISSING
#undef OLDER
#define FUNCTION(type, name, params) \
    type name params;                \
    type name params

// Names of CUDA 4 and before.
FUNCTION(cudaError_t, cudaThreadSynchronize, (void)) { return cudaDeviceSynchronize(); }
FUNCTION(cudaError_t, cudaThreadExit, (void)) { return cudaDeviceReset(); }
FUNCTION(cudaError_t, cudaThreadSetLimit, (int limit, size_t value)) { return cudaDeviceSetLimit(limit, value); }
FUNCTION(cudaError_t, cudaThreadGetLimit, (size_t * value, int limit)) { return cudaDeviceGetLimit(value, limit); }
FUNCTION(cudaError_t, cudaThreadSetCacheConfig, (int cache)) { return cudaDeviceSetCacheConfig(cache); }
FUNCTION(cudaError_t, cudaThreadGetCacheConfig, (int *cache)) { return cudaDeviceGetCacheConfig(cache); }

// For GPUs without doubles.
FUNCTION(cudaError_t, cudaSetDoubleForDevice, (double *value)) { return (void)value, cudaSuccess; }
FUNCTION(cudaError_t, cudaSetDoubleForHost, (double *value)) { return (void)value, cudaSuccess; }

FUNCTION(cudaError_t, cudaProfilerInitialize, (const char *settings, const char *out, int mode))
{
    (void)settings, (void)out, (void)mode;
    return noted(cudaErrorNotSupported);
}

FUNCTION(cudaError_t, cudaGetDeviceProperties_v2, (void *properties, int device))
{
    return device_properties(properties, device, 12);
}

// In CUDA 12 these have the arguments that CUDA 13 gave to the plain names.
FUNCTION(cudaError_t, cudaMemAdvise_v2, (const void *p, size_t bytes, int advice, cudaMemLocation to))
{
    return cudaMemAdvise(p, bytes, advice, to);
}

FUNCTION(cudaError_t, cudaMemPrefetchAsync_v2,
         (const void *p, size_t bytes, cudaMemLocation to, unsigned flags, cudaStream_t s))
{
    (void)to;
    return flags ? noted(cudaErrorInvalidValue) : memory_prefetch(p, bytes, s);
}

FUNCTION(cudaError_t, cudaMemPrefetchAsync_v2_ptsz,
         (const void *p, size_t bytes, cudaMemLocation to, unsigned flags, cudaStream_t s))
{
    enum { OF_THREAD = 2 };  // cudaStreamPerThread
    return cudaMemPrefetchAsync_v2(p, bytes, to, flags, s ? s : (cudaStream_t)OF_THREAD);
}

// References to textures and surfaces (reference.c).
FUNCTION(void, __cudaRegisterTexture,
         (void **handle, const void *host, const void **device, const char *name, int dim, int norm, int ext))
{
    (void)device, (void)dim, (void)ext;
    reference_register(handle, host, name, norm);
}

FUNCTION(void, __cudaRegisterSurface,
         (void **handle, const void *host, const void **device, const char *name, int dim, int ext))
{
    (void)device, (void)dim, (void)ext;
    reference_register(handle, host, name, 0);
}

FUNCTION(cudaError_t, cudaBindTexture,
         (size_t * offset, const TextureReference *t, const void *at, const ChannelDesc *desc, size_t bytes))
{
    return reference_bind_linear(offset, t, at, desc, bytes);
}

FUNCTION(cudaError_t, cudaBindTexture2D,
         (size_t * offset, const TextureReference *t, const void *at, const ChannelDesc *desc, size_t width,
          size_t height, size_t pitch))
{
    return reference_bind_rows(offset, t, at, desc, width, height, pitch);
}

FUNCTION(cudaError_t, cudaBindTextureToArray, (const TextureReference *t, const Array *array, const ChannelDesc *desc))
{
    return (void)desc, reference_bind_array(t, array);
}

FUNCTION(cudaError_t, cudaBindTextureToMipmappedArray,
         (const TextureReference *t, const Mipmap *mipmap, const ChannelDesc *desc))
{
    return (void)desc, reference_bind_mipmap(t, mipmap);
}

FUNCTION(cudaError_t, cudaBindSurfaceToArray, (const void *surface, const Array *array, const ChannelDesc *desc))
{
    return (void)desc, reference_bind_surface(surface, array);
}

FUNCTION(cudaError_t, cudaUnbindTexture, (const TextureReference *t)) { return reference_unbind(t); }
FUNCTION(cudaError_t, cudaGetTextureAlignmentOffset, (size_t * offset, const TextureReference *t))
{
    return reference_offset(offset, t);
}

FUNCTION(cudaError_t, cudaGetTextureReference, (const void **t, const void *symbol))
{
    return reference_of(t, symbol, cudaErrorInvalidTexture);
}

FUNCTION(cudaError_t, cudaGetSurfaceReference, (const void **s, const void *symbol))
{
    return reference_of(s, symbol, cudaErrorInvalidSurface);
}
