// about.c: small questions about the one device, a kernel or a stream, and settings that change nothing here.
#include "cudart/unit.h"

#include <string.h>

// What is asked of device 0 alone.
static cudaError_t asked(const void *to, int device)
{
    cudaError_t error = runtime_begin();
    if (!error && !to) error = cudaErrorInvalidValue;
    if (!error && device) error = cudaErrorInvalidDevice;
    return noted(error);
}

// --- the device ------------------------------------------------------------------------------------------------------
#define BUS "0000:01:00.0"  // domain, bus, device, function, as in attributes.def

cudaError_t cudaChooseDevice(int *device, const void *properties)
{
    cudaError_t error = asked(device && properties ? device : NULL, 0);
    if (!error) *device = 0;
    return error;
}

cudaError_t cudaSetValidDevices(const int *devices, int n)
{
    READY();
    if (n < 0 || (n && !devices)) return noted(cudaErrorInvalidValue);
    for (int k = 0; k < n; k++)
        if (devices[k]) return noted(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    return asked(flags > 1 ? NULL : &device, device);
}

cudaError_t cudaDeviceGetPCIBusId(char *to, int room, int device)
{
    cudaError_t error = asked(to, device);
    if (error) return error;
    if (room < (int)sizeof BUS) return noted(cudaErrorInvalidValue);
    memcpy(to, BUS, sizeof BUS);
    return cudaSuccess;
}

// The domain and the function may be left out.
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus)
{
    static const char *const forms[] = {BUS, "0000:01:00", "01:00.0", "01:00"};
    cudaError_t error = asked(bus ? device : NULL, 0);
    if (error) return error;
    for (size_t k = 0; k < COUNT(forms); k++)
        if (!strcmp(bus, forms[k])) return *device = 0, cudaSuccess;
    return noted(cudaErrorInvalidDevice);
}

// A device isn't its own peer.
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t error = asked(can, device | peer);
    if (!error) *can = 0;
    return error;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    READY();
    (void)peer;
    return noted(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    READY();
    (void)peer;
    return noted(cudaErrorInvalidDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t s)
{
    enum { BY_ADDRESS = 4 };  // cudaMemcpyDefault
    READY();
    if (to_device || from_device) return noted(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, BY_ADDRESS, s);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return WAITING(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL));
}

// --- hints: the description of the GPU says how large the L1 and how wide a bank of shared memory is -----------------
cudaError_t cudaDeviceGetCacheConfig(int *cache)
{
    cudaError_t error = asked(cache, 0);
    if (!error) *cache = 0;  // no preference
    return error;
}

static bool width_known(int width) { return width >= 0 && width <= 2; }  // cudaSharedMemBankSize…: as it is, 4, 8 bytes

cudaError_t cudaDeviceGetSharedMemConfig(int *width)
{
    cudaError_t error = asked(width, 0);
    if (!error) *width = 1;
    return error;
}

cudaError_t cudaDeviceSetSharedMemConfig(int width)
{
    READY();
    return noted(width_known(width) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *f, int width)
{
    Entry *e;
    READY();
    cudaError_t error = kernel_of(f, &e);
    return noted(error ? error : width_known(width) ? cudaSuccess : cudaErrorInvalidValue);
}

// --- kernels ---------------------------------------------------------------------------------------------------------
cudaError_t cudaFuncGetName(const char **name, const void *f)
{
    Entry *e;
    READY();
    if (!name) return noted(cudaErrorInvalidValue);
    cudaError_t error = kernel_of(f, &e);
    if (!error) *name = e->name;
    return noted(error);
}

cudaError_t cudaFuncGetParamInfo(const void *f, size_t index, size_t *at, size_t *bytes)
{
    Entry *e;
    READY();
    if (!at) return noted(cudaErrorInvalidValue);
    cudaError_t error = kernel_of(f, &e);
    if (!error && index >= e->info.params) error = cudaErrorInvalidValue;
    if (error) return noted(error);
    *at = e->params[index].at;
    if (bytes) *bytes = e->params[index].bytes;
    return cudaSuccess;
}

// A kernel's handle is the address of its host function (module.c).
static cudaError_t handle_of(const void **handle, const void *f)
{
    Entry *e;
    READY();
    if (!handle) return noted(cudaErrorInvalidValue);
    cudaError_t error = kernel_of(f, &e);
    *handle = error ? NULL : f;
    return noted(error);
}

cudaError_t cudaGetFuncBySymbol(const void **function, const void *f) { return handle_of(function, f); }
cudaError_t cudaGetKernel(const void **kernel, const void *f) { return handle_of(kernel, f); }

// More dynamic shared memory never makes room for more blocks: the most is found by halving.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *f, int blocks, int threads)
{
    Entry *e;
    int there;
    READY();
    if (!bytes || blocks < 1 || threads < 1) return noted(cudaErrorInvalidValue);
    cudaError_t error = kernel_of(f, &e);
    if (error) return noted(error);
    size_t low = 0, high = client_device()->shared_block - MIN(e->info.shared, client_device()->shared_block);
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&there, f, threads, 0, 0);
    if (error || there < blocks) return error ? error : noted(cudaErrorInvalidValue);
    while (low < high && !error) {
        size_t middle = low + (high - low + 1) / 2;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&there, f, threads, middle, 0);
        if (there >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *bytes = low;
    return error;
}

// --- streams ---------------------------------------------------------------------------------------------------------
cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id)
{
    uint64_t number;
    READY();
    if (!id) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    *id = number;
    return cudaSuccess;
}

static cudaError_t zero_of(cudaStream_t s, int *value)
{
    uint64_t number;
    READY();
    if (!value) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    *value = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t s, int *device) { return zero_of(s, device); }
