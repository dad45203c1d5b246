// memory.c: memory of the device, of the host and of both, and what is known of an address.
#include "libcuda/unit.h"

#include <string.h>

// --- of the device ---------------------------------------------------------------------------------------------------
static CUresult kept(CUresult result, Kind kind, uint64_t handle)
{
    if (result == CUDA_SUCCESS && handle) context_gets(kind, handle);
    return result;
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes)
{
    void *at = NULL;
    CONTEXT();
    if (!p || !bytes) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaMalloc(&at, bytes));
    *p = (uintptr_t)at;
    return kept(result, SOME_MEMORY, *p);
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
    STARTED();
    CUresult result = ASKED(cudaFree(pointer(p)));
    if (result == CUDA_SUCCESS) context_loses(SOME_MEMORY, p);
    return result;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element)
{
    void *at = NULL;
    CONTEXT();
    if (!p || !pitch || !width || !height) return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaMallocPitch(&at, pitch, width, height));
    *p = (uintptr_t)at;
    return kept(result, SOME_MEMORY, *p);
}

CUresult cuMemGetInfo_v2(size_t *room, size_t *total)
{
    CONTEXT();
    return ASKED(cudaMemGetInfo(room, total));
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags)
{
    void *at = NULL;
    CONTEXT();
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaMallocManaged(&at, bytes, flags));
    *p = (uintptr_t)at;
    return kept(result, SOME_MEMORY, *p);
}

// --- of the host -----------------------------------------------------------------------------------------------------
CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    CONTEXT();
    if (!p || !bytes) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaHostAlloc(p, bytes, flags));
    return kept(result, HOST_MEMORY, (uintptr_t)*p);
}

CUresult cuMemAllocHost_v2(void **p, size_t bytes) { return cuMemHostAlloc(p, bytes, 0); }
CUresult cuMemAllocHost(void **p, size_t bytes) { return cuMemHostAlloc(p, bytes, 0); }

CUresult cuMemFreeHost(void *p)
{
    STARTED();
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaFreeHost(p));
    if (result == CUDA_SUCCESS) context_loses(HOST_MEMORY, (uintptr_t)p);
    return result;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *p, void *host, unsigned flags)
{
    void *at = NULL;
    CONTEXT();
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaHostGetDevicePointer(&at, host, flags));
    *p = (uintptr_t)at;
    return result;
}

CUresult cuMemHostGetFlags(unsigned *flags, void *p)
{
    CONTEXT();
    return ASKED(cudaHostGetFlags(flags, p));
}

CUresult cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
    CONTEXT();
    return ASKED(cudaHostRegister(p, bytes, flags));
}

CUresult cuMemHostRegister(void *p, size_t bytes, unsigned flags) { return cuMemHostRegister_v2(p, bytes, flags); }

CUresult cuMemHostUnregister(void *p)
{
    CONTEXT();
    return ASKED(cudaHostUnregister(p));
}

// --- hints about managed memory --------------------------------------------------------------------------------------
CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, int advice, cudaMemLocation to)
{
    CONTEXT();
    return ASKED(cudaMemAdvise(pointer(p), bytes, advice, to));
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, int advice, CUdevice d)
{
    return cuMemAdvise_v2(p, bytes, advice, (cudaMemLocation){1, d});
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, cudaMemLocation to, unsigned flags, CUstream s)
{
    (void)to;
    CONTEXT();
    return flags ? CUDA_ERROR_INVALID_VALUE : ASKED(memory_prefetch(pointer(p), bytes, (cudaStream_t)s));
}

CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice d, CUstream s)
{
    return cuMemPrefetchAsync_v2(p, bytes, (cudaMemLocation){1, d}, 0, s);
}

// --- what an address is ----------------------------------------------------------------------------------------------
CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr p)
{
    uint64_t at, n;
    CONTEXT();
    CUresult result = ASKED(memory_range(p, &at, &n));
    if (result == CUDA_SUCCESS && !n) return CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_SUCCESS && start) *start = at;
    if (result == CUDA_SUCCESS && bytes) *bytes = n;
    return result;
}

typedef struct Place {
    int type;  // cudaMemoryType; 0: it isn't known
    uint64_t start, bytes;
    void *on_host, *on_device;
} Place;

static CUresult place_of(CUdeviceptr p, Place *to)
{
    enum { HOST = 1, DEVICE = 2 };
    *to = (Place){.on_device = pointer(p)};
    CUresult result = ASKED(memory_type(pointer(p), &to->type));
    if (result == CUDA_SUCCESS && to->type) result = ASKED(memory_range(p, &to->start, &to->bytes));
    if (!to->type && registered(pointer(p), NULL, &to->on_device)) to->type = HOST, to->start = p, to->bytes = 1;
    if (to->type != DEVICE) to->on_host = pointer(p);
    return result;
}

// Numbers of CUpointer_attribute. False: there is no such attribute, or not of this memory.
static bool attribute_of(const Place *p, int attribute, CUdeviceptr at, void *to)
{
    enum { MANAGED = 3, HOST_TYPE = 1, DEVICE_TYPE = 2, MOST_ACCESS = 3 };
    const int zero = 0;
    switch (attribute) {
    case 1: {  // the context
        CUcontext c = context_of(SOME_MEMORY, p->start);
        if (!c) c = context_of(HOST_MEMORY, p->start);
        if (!c) cuCtxGetCurrent(&c);
        return memcpy(to, &c, sizeof c);
    }
    case 2: return memcpy(to, &(unsigned){p->type == HOST_TYPE ? HOST_TYPE : DEVICE_TYPE}, sizeof(unsigned));
    case 3: return p->on_device && memcpy(to, &p->on_device, sizeof p->on_device);
    case 4: return p->on_host && memcpy(to, &p->on_host, sizeof p->on_host);
    case 6: return memcpy(to, &(unsigned){1}, sizeof(unsigned));  // copies of it wait
    case 7: return memcpy(to, &p->start, sizeof p->start);        // a number of its own
    case 8: return memcpy(to, &(unsigned){p->type == MANAGED}, sizeof(unsigned));
    case 9: return memcpy(to, &zero, sizeof zero);                                      // the device's number
    case 10: return memcpy(to, &(unsigned){p->type == DEVICE_TYPE}, sizeof(unsigned));  // other processes may have it
    case 11:
    case 19: return memcpy(to, &p->start, sizeof p->start);
    case 12:
    case 18: return memcpy(to, &p->bytes, sizeof p->bytes);
    case 13: return memcpy(to, &(unsigned){1}, sizeof(unsigned));  // mapped
    case 14: return memcpy(to, &(uint64_t){0}, sizeof(uint64_t));  // handles that it can be given as
    case 15: return memcpy(to, &zero, sizeof zero);                // other devices of the bus
    case 16: return memcpy(to, &(unsigned){MOST_ACCESS}, sizeof(unsigned));
    case 17: return memcpy(to, &(void *){NULL}, sizeof(void *));  // a pool
    case 20: return memcpy(to, &p->start, sizeof p->start);
    case 21: return memcpy(to, &zero, sizeof zero);
    default: return (void)at, false;
    }
}

CUresult cuPointerGetAttribute(void *to, int attribute, CUdeviceptr p)
{
    Place place;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = place_of(p, &place);
    if (result != CUDA_SUCCESS) return result;
    return place.type && attribute_of(&place, attribute, p, to) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// What can't be told is zero. The attributes' sizes are those of their types.
CUresult cuPointerGetAttributes(unsigned n, const int *attributes, void **to, CUdeviceptr p)
{
    static const uint8_t sizes[] = {0, 8, 4, 8, 8, 0, 4, 8, 4, 4, 4, 8, 8, 4, 8, 4, 4, 8, 8, 8, 8, 4};
    Place place;
    CONTEXT();
    if (!n || !attributes || !to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = place_of(p, &place);
    for (unsigned k = 0; k < n && result == CUDA_SUCCESS; k++) {
        if (attributes[k] < 1 || attributes[k] >= (int)COUNT(sizes) || !to[k]) return CUDA_ERROR_INVALID_VALUE;
        if (!place.type || !attribute_of(&place, attributes[k], p, to[k])) memset(to[k], 0, sizes[attributes[k]]);
        if (!place.type && attributes[k] == 9) memcpy(to[k], &(int){-2}, sizeof(int));  // CU_DEVICE_INVALID
    }
    return result;
}

// That copies of it wait is so anyway.
CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr p)
{
    enum { SYNC_COPIES = 6 };
    Place place;
    CONTEXT();
    if (!value || attribute != SYNC_COPIES) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = place_of(p, &place);
    return result == CUDA_SUCCESS && !place.type ? CUDA_ERROR_INVALID_VALUE : result;
}
