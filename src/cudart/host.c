// host.c: functions of the program that run between its launches, and memory of the program that the GPU is told of.
// Whoever asks for a function is made to wait for all launches before it, and it runs at once: that is an order which
// CUDA allows, too.
#include "cudart/cudart.h"

#include <pthread.h>
#include <string.h>

cudaError_t cudaLaunchHostFunc(cudaStream_t s, void (*function)(void *), void *data)
{
    READY();
    if (!function) return noted(cudaErrorInvalidValue);
    cudaError_t error = cudaStreamSynchronize(s);
    if (!error) function(data);
    return error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t s, void (*function)(cudaStream_t, cudaError_t, void *), void *data,
                                  unsigned flags)
{
    READY();
    if (!function || flags) return noted(cudaErrorInvalidValue);
    cudaError_t error = cudaStreamSynchronize(s);
    if (error != cudaErrorInvalidResourceHandle) function(s, error, data);
    return error;
}

// --- memory of the program -------------------------------------------------------------------------------------------
// Registered memory is as fast as other memory here, and is copied as before. Kernels can't reach it: that would need
// it at a place that onchip has mapped, too.
typedef struct Range {
    uintptr_t from, to;
} Range;
static struct {
    pthread_mutex_t lock;
    VEC(Range) all;
} ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    enum { FLAGS = 15, MAPPED = 2, FOREIGN = 4 };  // cudaHostRegister…: portable, mapped, of a device, read only
    cudaError_t error = cudaSuccess;
    READY();
    uintptr_t from = (uintptr_t)p;
    if (!p || !bytes || flags & ~(unsigned)FLAGS || bytes > UINTPTR_MAX - from) return noted(cudaErrorInvalidValue);
    if (flags & FOREIGN) return client_missing("cudaHostRegister of another device's memory");
    if (flags & MAPPED) return client_missing("cudaHostRegister with cudaHostRegisterMapped");
    pthread_mutex_lock(&ranges.lock);
    for (size_t k = 0; k < ranges.all.n; k++)
        if (from < ranges.all.v[k].to && ranges.all.v[k].from < from + bytes)
            error = cudaErrorHostMemoryAlreadyRegistered;
    if (!error) vec_push(&ranges.all, ((Range){from, from + bytes}));
    pthread_mutex_unlock(&ranges.lock);
    return noted(error);
}

cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t error = cudaErrorHostMemoryNotRegistered;
    READY();
    pthread_mutex_lock(&ranges.lock);
    for (size_t k = 0; k < ranges.all.n && error; k++) {
        if (ranges.all.v[k].from != (uintptr_t)p) continue;
        ranges.all.v[k] = ranges.all.v[--ranges.all.n];
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&ranges.lock);
    return noted(error);
}

// --- hints, which change nothing here --------------------------------------------------------------------------------

// Managed memory has one place, for the host and for the GPU.
static cudaError_t hint(const void *p, size_t bytes)
{
    return noted(client_mapped((uintptr_t)p, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t memory_prefetch(const void *p, size_t bytes, cudaStream_t s)
{
    uint64_t number;
    READY();
    return stream_number(s, &number) ? hint(p, bytes) : noted(cudaErrorInvalidResourceHandle);
}

// Before CUDA 13 a device's number stood for the place, and the stream came behind it, where flags are now.
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation to, uintptr_t flags, cudaStream_t s)
{
    (void)to;
    if (runtime_major() < 13) return memory_prefetch(p, bytes, (cudaStream_t)flags);
    return (unsigned)flags ? noted(cudaErrorInvalidValue) : memory_prefetch(p, bytes, s);
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, cudaMemLocation to)
{
    enum { LAST = 6 };  // cudaMemAdviseUnsetAccessedBy
    (void)to;
    READY();
    return advice < 1 || advice > LAST ? noted(cudaErrorInvalidValue) : hint(p, bytes);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t bytes, unsigned flags)
{
    uint64_t number;
    READY();
    if (flags != 1 && flags != 2 && flags != 4) return noted(cudaErrorInvalidValue);
    return stream_number(s, &number) ? hint(p, bytes) : noted(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaProfilerStart(void)
{
    READY();
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    READY();
    return cudaSuccess;
}
