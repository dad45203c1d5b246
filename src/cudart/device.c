// device.c: the one GPU, number 0, and what it can do.
#include "cudart/unit.h"

#include <stdatomic.h>
#include <string.h>

enum { STACK = 1024, PRINTF = 1 << 20, HEAP = 8 << 20, LIMITS = 3 };  // bytes; as cudaLimit counts
static _Atomic size_t limits[LIMITS] = {STACK, PRINTF, HEAP};

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = runtime_begin();
    if (!count) return noted(cudaErrorInvalidValue);
    *count = !error;
    return noted(error);
}

cudaError_t cudaGetDevice(int *device)
{
    READY();
    if (!device) return noted(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    READY();
    return noted(device ? cudaErrorInvalidDevice : cudaSuccess);
}

// How a host thread waits; here it always does in the same way.
cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    enum { FLAGS = 0xff };
    READY();
    return noted(flags > FLAGS ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaDeviceReset(void)
{
    READY();
    registered_forget();
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_RESET}, NULL, NULL);
    modules_forget();
    things_forget();
    textures_forget();
    surfaces_forget();
    mipmaps_forget();
    arrays_forget();
    atomic_store(&limits[0], STACK), atomic_store(&limits[1], PRINTF), atomic_store(&limits[2], HEAP);
    return noted(error);
}

static cudaError_t put_version(int *version)
{
    if (!version) return noted(cudaErrorInvalidValue);
    const int major = runtime_major();
    *version = major == 13 ? 13000 : major == 12 ? 12090 : 11080;  // the last ones of 12 and 11
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) { return put_version(version); }
cudaError_t cudaRuntimeGetVersion(int *version) { return put_version(version); }

// What the simulated heap, stack and printf take isn't limited by these: they take what they need.
cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
    READY();
    if (!value) return noted(cudaErrorInvalidValue);
    if (limit < 0 || limit >= LIMITS) return noted(cudaErrorUnsupportedLimit);
    *value = atomic_load(&limits[limit]);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
    READY();
    if (limit < 0 || limit >= LIMITS) return noted(cudaErrorUnsupportedLimit);
    atomic_store(&limits[limit], value);
    return cudaSuccess;
}

// A hint, as in cudaFuncSetCacheConfig.
cudaError_t cudaDeviceSetCacheConfig(int cache)
{
    READY();
    return noted(cache < 0 || cache > 3 ? cudaErrorInvalidValue : cudaSuccess);
}

// --- attributes and properties ---------------------------------------------------------------------------------------
static int attribute_of(const WireDevice *d, int attribute)
{
    switch (attribute) {
#define ATTRIBUTE(number, it) \
    case number:              \
        return (int)(it);
#include "cudart/attributes.def"
#undef ATTRIBUTE
    default: return 0;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { LAST = 147 };  // cudaDevAttrMax − 1
    READY();
    if (!value || attribute < 1 || attribute > LAST) return noted(cudaErrorInvalidValue);
    if (device) return noted(cudaErrorInvalidDevice);
    *value = attribute_of(client_device(), attribute);
    return cudaSuccess;
}

static const struct {
    const char *name;
    uint32_t size, elements, attribute;
    int first, last;
} fields[] = {
#define PROP(type, name, elements, attribute, first, last) {#name, sizeof(type), elements, attribute, first, last},
#include "cudart/props.def"
#undef PROP
};

// Lays the struct out as C does: each field at a multiple of its size.
cudaError_t device_properties(void *properties, int device, int major)
{
    size_t at = 0, room, memory;
    uint8_t *to = properties;
    READY();
    if (!to) return noted(cudaErrorInvalidValue);
    if (device) return noted(cudaErrorInvalidDevice);
    cudaError_t error = cudaMemGetInfo(&room, &memory);
    if (error) return error;
    for (size_t f = 0; f < COUNT(fields); f++) {
        const size_t size = fields[f].size, bytes = size * fields[f].elements;
        if (major < fields[f].first || major > fields[f].last) continue;
        for (; at % size; at++) to[at] = 0;
        memset(to + at, 0, bytes);
        for (uint32_t k = 0; fields[f].attribute && k < fields[f].elements; k++) {
            int64_t value = attribute_of(client_device(), (int)(fields[f].attribute + k));
            memcpy(to + at + k * size, &value, size);  // the low bytes come first
        }
        if (!strcmp(fields[f].name, "name")) snprintf((char *)to + at, bytes, "%s", client_device()->name);
        if (!strcmp(fields[f].name, "uuid")) memcpy(to + at, "onchip", 6);
        if (!strcmp(fields[f].name, "totalGlobalMem")) memcpy(to + at, &memory, size);
        at += bytes;
    }
    return cudaSuccess;
}

// The plain name has the layout of CUDA 11 in CUDA 12, too: there the other one is cudaGetDeviceProperties_v2.
cudaError_t cudaGetDeviceProperties(void *properties, int device)
{
    return device_properties(properties, device, runtime_major() == 13 ? 13 : 11);
}
