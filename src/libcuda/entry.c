// entry.c: functions of the driver that programs ask the runtime for.
#include "libcuda/unit.h"

static cudaError_t find(const char *name, void **function, int version, uint64_t flags, int *found)
{
    enum { PER_THREAD = 2 };  // cudaEnablePerThreadDefaultStream
    READY();
    if (!name || !function) return noted(cudaErrorInvalidValue);
    const Lookup is = driver_function(name, version, flags & PER_THREAD, function);
    if (found) *found = is;
    return is == FOUND || found ? cudaSuccess : noted(cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *found)
{
    int version;
    cudaRuntimeGetVersion(&version);
    return find(name, function, version, flags, found);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, uint64_t flags,
                                             int *found)
{
    return find(name, function, (int)version, flags, found);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **function, uint64_t flags, int *found)
{
    return cudaGetDriverEntryPoint(name, function, flags, found);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version, uint64_t flags,
                                                  int *found)
{
    return cudaGetDriverEntryPointByVersion(name, function, version, flags, found);
}
