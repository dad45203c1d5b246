// device.c: the one GPU, number 0.
#include "libcuda/unit.h"

#include <string.h>

static CUresult device_ready(const void *to, CUdevice d)
{
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    return d ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
#define DEVICE(to, d)                      \
    do {                                   \
        CUresult r_ = device_ready(to, d); \
        if (r_ != CUDA_SUCCESS) return r_; \
    } while (0)

CUresult cuDeviceGetCount(int *count)
{
    DEVICE(count, 0);
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *d, int ordinal)
{
    DEVICE(d, ordinal);
    *d = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *to, int room, CUdevice d)
{
    DEVICE(to, d);
    if (room < 1) return CUDA_ERROR_INVALID_VALUE;
    snprintf(to, (size_t)room, "%s", client_device()->name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(void *to, CUdevice d)
{
    DEVICE(to, d);
    memcpy(to, "onchip\0\0\0\0\0\0\0\0\0", 16);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(void *to, CUdevice d) { return cuDeviceGetUuid(to, d); }

// Windows has such numbers.
CUresult cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice d)
{
    DEVICE(luid && mask ? luid : NULL, d);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice d)
{
    size_t room;
    DEVICE(bytes, d);
    return ASKED(cudaMemGetInfo(&room, bytes));
}

// The ABI of CUDA 3.1 has 32 bits for sizes. LLVM 14 looks this name up, and gives the room of a size_t that is 0.
CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice d)
{
    size_t all;
    DEVICE(bytes, d);
    CUresult result = cuDeviceTotalMem_v2(&all, d);
    *bytes = (unsigned)MIN(all, UINT32_MAX);
    return result;
}

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice d)
{
    DEVICE(value, d);
    return ASKED(cudaDeviceGetAttribute(value, attribute, d));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice d)
{
    DEVICE(major && minor ? major : NULL, d);
    *major = (int)client_device()->capability / 10, *minor = (int)client_device()->capability % 10;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(int *to, CUdevice d)
{
    // CUdevprop: threads of a block; sizes of a block and of a grid; shared, constant memory; warp; pitch; registers;
    // clock; alignment of textures
    static const int attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    DEVICE(to, d);
    for (size_t k = 0; k < COUNT(attributes); k++) cuDeviceGetAttribute(to + k, attributes[k], d);
    return CUDA_SUCCESS;
}

// --- its place -------------------------------------------------------------------------------------------------------
cudaError_t cudaDeviceGetPCIBusId(char *to, int room, int device);
CUresult cuDeviceGetPCIBusId(char *to, int room, CUdevice d)
{
    DEVICE(to, d);
    return ASKED(cudaDeviceGetPCIBusId(to, room, d));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus);
CUresult cuDeviceGetByPCIBusId(CUdevice *d, const char *bus)
{
    DEVICE(d, 0);
    return ASKED(cudaDeviceGetByPCIBusId(d, bus));
}

// --- its peers, which there aren't -----------------------------------------------------------------------------------
CUresult cuDeviceCanAccessPeer(int *can, CUdevice d, CUdevice peer)
{
    DEVICE(can, d | peer);
    *can = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice d, CUdevice peer)
{
    (void)attribute, (void)peer;
    DEVICE(value, d);
    return CUDA_ERROR_INVALID_DEVICE;  // a device isn't its own peer
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, int kind, CUdevice d)
{
    (void)kind;
    DEVICE(supported, d);
    *supported = 0;
    return CUDA_SUCCESS;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const ChannelDesc *desc, int device);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *texels, int format, unsigned channels, CUdevice d)
{
    ChannelDesc desc;
    DEVICE(texels, d);
    if (!channels_of(format, channels, &desc)) return CUDA_ERROR_INVALID_VALUE;
    return ASKED(cudaDeviceGetTexture1DLinearMaxWidth(texels, &desc, d));
}
