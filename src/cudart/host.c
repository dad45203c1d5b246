// host.c: functions of the program that run between its launches, and hints about its memory. Whoever asks for a
// function is made to wait for all launches before it, and it runs at once: that is an order which CUDA allows, too.
#include "cudart/unit.h"

static void host_call(void (*function)(void *), void *data)
{
    const int depth = clock_outside();
    function(data);
    clock_inside(depth);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, void (*function)(void *), void *data)
{
    READY();
    bool taken = false;
    if (!function) return noted(cudaErrorInvalidValue);
    cudaError_t error = capture_on() ? capture_host(function, data, s, &taken) : cudaSuccess;
    if (error || taken) return noted(error);
    error = launches_done(s);
    if (!error) host_call(function, data);
    return error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t s, void (*function)(cudaStream_t, cudaError_t, void *), void *data,
                                  unsigned flags)
{
    READY();
    if (!function || flags) return noted(cudaErrorInvalidValue);
    cudaError_t error = capture_forbids(s);
    if (error) return noted(error);
    error = launches_done(s);
    if (error == cudaErrorInvalidResourceHandle) return error;
    const int depth = clock_outside();
    function(s, error, data);
    clock_inside(depth);
    return error;
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
