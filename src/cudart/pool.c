// pool.c: memory that is allocated and freed in the order of a stream. Launches are simulated in the order in which
// they are asked for, so that memory is there at once, and freed once all launches before are done. There is one pool,
// the device's own.
#include "cudart/unit.h"

#include <string.h>

static struct Pool {
    // As set, from any thread: 1 to 3 what may be used again, 4 from how many bytes on the pool gives back.
    _Atomic uint64_t attribute[5];
} pool = {{0, 1, 1, 1, 0}};
enum { SET_LAST = 4, THRESHOLD = 4 };  // cudaMemPoolAttr

static cudaError_t check(cudaMemPool_t p, int attribute, const void *value)
{
    if (p != &pool || !value || attribute < 1) return cudaErrorInvalidValue;
    return attribute > SET_LAST ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s)
{
    uint64_t number;
    READY();
    return stream_number(s, &number) ? cudaMalloc(p, bytes) : noted(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t from, cudaStream_t s)
{
    return from == &pool ? cudaMallocAsync(p, bytes, s) : noted(cudaErrorInvalidValue);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t s)
{
    uint64_t number;
    READY();
    return stream_number(s, &number) ? memory_free(p, false) : noted(cudaErrorInvalidResourceHandle);
}

static cudaError_t the_pool(cudaMemPool_t *p, int device)
{
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    if (device) return noted(cudaErrorInvalidDevice);
    *p = &pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int device) { return the_pool(p, device); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int device) { return the_pool(p, device); }

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t p)
{
    READY();
    return noted(device ? cudaErrorInvalidDevice : p == &pool ? cudaSuccess : cudaErrorInvalidValue);
}

// The threshold is a number of 64 bits, the others are ints.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, int attribute, void *value)
{
    READY();
    cudaError_t error = check(p, attribute, value);
    if (error) return noted(error);
    uint64_t given = 0;
    memcpy(&given, value, attribute == THRESHOLD ? sizeof given : sizeof(int));
    pool.attribute[attribute] = given;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, int attribute, void *value)
{
    READY();
    cudaError_t error = check(p, attribute, value);
    if (error) return noted(error);
    uint64_t set = pool.attribute[attribute];
    memcpy(value, &set, attribute == THRESHOLD ? sizeof set : sizeof(int));
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t keep)
{
    (void)keep;
    READY();
    return noted(p == &pool ? cudaSuccess : cudaErrorInvalidValue);
}
