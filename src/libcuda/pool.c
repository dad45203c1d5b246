// pool.c: memory in the order of a stream, and memory of other processes: as the runtime has them.
#include "libcuda/unit.h"

#define S(stream) ((cudaStream_t)(stream))
struct PoolProps;
struct Access;
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s);
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t from, cudaStream_t s);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const struct PoolProps *props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t p);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t p);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, int attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, int attribute, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t keep);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p, const struct Access *list, size_t n);
cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t p, const cudaMemLocation *at);

static CUresult given(CUresult result, CUdeviceptr *p, void *at)
{
    if (result != CUDA_SUCCESS) return result;
    *p = (uintptr_t)at;
    context_gets(SOME_MEMORY, *p);
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *p, size_t bytes, CUstream s)
{
    void *at = NULL;
    CONTEXT();
    if (!p || !bytes) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaMallocAsync(&at, bytes, S(s)));
    return given(result, p, at);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t bytes, cudaMemPool_t from, CUstream s)
{
    void *at = NULL;
    CONTEXT();
    if (!p || !bytes) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaMallocFromPoolAsync(&at, bytes, from, S(s)));
    return given(result, p, at);
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s)
{
    STARTED();
    CUresult result = ASKED(cudaFreeAsync(pointer(p), S(s)));
    if (result == CUDA_SUCCESS) context_loses(SOME_MEMORY, p);
    return result;
}

CUresult cuMemPoolCreate(cudaMemPool_t *p, const struct PoolProps *props)
{
    CONTEXT();
    return ASKED(cudaMemPoolCreate(p, props));
}

CUresult cuMemPoolDestroy(cudaMemPool_t p)
{
    STARTED();
    return ASKED(cudaMemPoolDestroy(p));
}

CUresult cuMemPoolSetAttribute(cudaMemPool_t p, int attribute, void *value)
{
    CONTEXT();
    return ASKED(cudaMemPoolSetAttribute(p, attribute, value));
}

CUresult cuMemPoolGetAttribute(cudaMemPool_t p, int attribute, void *value)
{
    CONTEXT();
    return ASKED(cudaMemPoolGetAttribute(p, attribute, value));
}

CUresult cuMemPoolTrimTo(cudaMemPool_t p, size_t keep)
{
    CONTEXT();
    return ASKED(cudaMemPoolTrimTo(p, keep));
}

CUresult cuMemPoolSetAccess(cudaMemPool_t p, const struct Access *list, size_t n)
{
    CONTEXT();
    return ASKED(cudaMemPoolSetAccess(p, list, n));
}

CUresult cuMemPoolGetAccess(int *flags, cudaMemPool_t p, const cudaMemLocation *at)
{
    CONTEXT();
    return ASKED(cudaMemPoolGetAccess(flags, p, at));
}

CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t *p, CUdevice d)
{
    return initialised() ? ASKED(cudaDeviceGetDefaultMemPool(p, d)) : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDeviceGetMemPool(cudaMemPool_t *p, CUdevice d)
{
    return initialised() ? ASKED(cudaDeviceGetMemPool(p, d)) : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDeviceSetMemPool(CUdevice d, cudaMemPool_t p)
{
    return initialised() ? ASKED(cudaDeviceSetMemPool(d, p)) : CUDA_ERROR_NOT_INITIALIZED;
}

// --- other processes -------------------------------------------------------------------------------------------------
typedef struct IpcHandle {
    char room[64];
} IpcHandle;
cudaError_t cudaIpcGetMemHandle(IpcHandle *h, void *p);
cudaError_t cudaIpcOpenMemHandle(void **p, IpcHandle h, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *p);

CUresult cuIpcGetMemHandle(IpcHandle *h, CUdeviceptr p)
{
    CONTEXT();
    return ASKED(cudaIpcGetMemHandle(h, pointer(p)));
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *p, IpcHandle h, unsigned flags)
{
    void *at = NULL;
    CONTEXT();
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaIpcOpenMemHandle(&at, h, flags));
    *p = (uintptr_t)at;
    return result;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *p, IpcHandle h, unsigned flags) { return cuIpcOpenMemHandle_v2(p, h, flags); }

CUresult cuIpcCloseMemHandle(CUdeviceptr p)
{
    STARTED();
    return ASKED(cudaIpcCloseMemHandle(pointer(p)));
}

cudaError_t cudaIpcGetEventHandle(IpcHandle *h, cudaEvent_t event);
CUresult cuIpcGetEventHandle(IpcHandle *h, CUevent event)
{
    CONTEXT();
    return ASKED(cudaIpcGetEventHandle(h, (cudaEvent_t)event));
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, IpcHandle h);
CUresult cuIpcOpenEventHandle(CUevent *event, IpcHandle h)
{
    CONTEXT();
    CUresult result = ASKED(cudaIpcOpenEventHandle((cudaEvent_t *)event, h));
    if (result == CUDA_SUCCESS) context_gets(AN_EVENT, (uintptr_t)*event);
    return result;
}
