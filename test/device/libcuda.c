// libcuda.c: a stand-in for NVIDIA's driver: the functions that src/device/cuda*.c call, on a simulated GPU. What it
// can't know of a real driver is not tested with it; that names, arguments, structures and errors go where they should
// is.
#include "device/device.h"
#include "driver/driver.h"

#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static oc_device *device;  // "the" GPU
static int broken;         // after a fault every call fails with it
static int context;        // its address is the context's handle

#define ALIVE \
    if (broken) return broken

static int result_of(oc_status s)
{
    switch (s) {
    case OC_OK: return 0;
    case OC_BAD_ARGUMENT: return 1;
    case OC_OUT_OF_MEMORY: return 2;
    case OC_BAD_FILE: return 218;
    case OC_FAULT: return broken = 700;
    case OC_HANG: return broken = 702;
    default: return 801;
    }
}

CUresult cuInit(unsigned flags)
{
    if (getenv("STAND_IN_NO_GPU")) return 100;
    return flags ? 1 : 0;
}
CUresult cuDriverGetVersion(int *v) { return *v = 12040, 0; }
CUresult cuGetErrorName(CUresult r, const char **s)
{
    return *s = r == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : r == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR", 0;
}
CUresult cuGetErrorString(CUresult r, const char **s)
{
    return *s = r == 700 ? "an illegal memory access was encountered" : "an error", 0;
}
CUresult cuDeviceGetCount(int *n) { return *n = 1, 0; }
CUresult cuDeviceGet(CUdevice *d, int ordinal) { return *d = 7, ordinal ? 101 : 0; }
CUresult cuDeviceGetName(char *name, int n, CUdevice d)
{
    return snprintf(name, (size_t)n, "Stand-in"), d == 7 ? 0 : 101;
}
CUresult cuDeviceGetAttribute(int *v, int attribute, CUdevice d)
{
    oc_device_info i = oc_describe(device);
    *v = attribute == 16   ? (int)i.sms
         : attribute == 13 ? (int)(i.clock_mhz * 1000)
         : attribute == 75 ? 2
         : attribute == 76 ? 0
         : attribute == 38 ? (int)i.l2_bytes
         : attribute == 97 ? (int)i.shared_block
                           : 49152;
    return d == 7 ? 0 : 101;
}
CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { return *n = oc_describe(device).memory, d == 7 ? 0 : 101; }
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d)
{
    const char *const sets[] = {"shared.size=96KiB", "shared.max=96KiB", NULL};
    oc_config config = {.gpu = "gtx480", .sets = sets, .functional = true};
    *c = (CUcontext)&context;
    return d != 7 ? 101 : broken ? broken : device ? 0 : result_of(oc_open(&config, &device, NULL, 0));
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d)
{
    if (d != 7) return 101;
    oc_close(device);  // as the last release resets a real one
    device = NULL, broken = 0;
    return 0;
}
CUresult cuCtxSetCurrent(CUcontext c) { return c == (CUcontext)&context ? 0 : 201; }

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n)
{
    ALIVE;
    return result_of(oc_malloc(device, n, NULL, p));
}
CUresult cuMemFree_v2(CUdeviceptr p)
{
    ALIVE;
    return result_of(oc_free(device, p));
}
CUresult cuMemAllocHost_v2(void **p, size_t n)
{
    ALIVE;
    return result_of(device_pin(device, n, p));
}
CUresult cuMemFreeHost(void *p) { return device_unpin(device, p), 0; }
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s)
{
    ALIVE;
    return result_of(oc_write(device, to, from, n, (oc_stream *)s));
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s)
{
    ALIVE;
    return result_of(oc_read(device, to, from, n, (oc_stream *)s));
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
    ALIVE;
    return result_of(oc_copy(device, to, from, n, (oc_stream *)s));
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char v, size_t n, CUstream s)
{
    ALIVE;
    return result_of(oc_fill(device, to, v, n, (oc_stream *)s));
}

// As a real driver: a block has at most 48 KiB of shared memory, unless its kernel has asked for more.
static struct {
    CUfunction f;
    int dynamic;
} asked[64];
static int dynamic_of(CUfunction f)
{
    for (int k = 0; k < 64 && asked[k].f; k++)
        if (asked[k].f == f) return asked[k].dynamic;
    return 49152 - (int)oc_kernel_describe((oc_kernel *)f).shared_bytes;
}
static CUresult ask_dynamic(CUfunction f, int bytes)
{
    int k = 0;
    if (bytes < 0 ||
        (int64_t)bytes + oc_kernel_describe((oc_kernel *)f).shared_bytes > oc_describe(device).shared_block)
        return 1;
    while (k < 63 && asked[k].f && asked[k].f != f) k++;
    return asked[k].f = f, asked[k].dynamic = bytes, 0;
}

CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, int *options, void **values)
{
    ALIVE;
    oc_status s = oc_load(device, image, strlen(image), "jit", (oc_module **)m);
    char *log = NULL;
    size_t room = 0;
    for (unsigned k = 0; k < n; k++) {
        if (options[k] == 5) log = values[k];
        if (options[k] == 6) room = (size_t)(uintptr_t)values[k];
    }
    if (s != OC_OK && log && room) snprintf(log, room, "ptxas: %s", oc_error(device));
    return result_of(s);
}
CUresult cuModuleUnload(CUmodule m)
{
    memset(asked, 0, sizeof asked);  // kernels of another module may get the same addresses
    return oc_unload((oc_module *)m), 0;
}
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
    ALIVE;
    return oc_kernel_get((oc_module *)m, name, (oc_kernel **)f) ? 500 : 0;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *n, CUmodule m, const char *name)
{
    ALIVE;
    return oc_symbol((oc_module *)m, name, p, n) ? 500 : 0;
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *n, CUdeviceptr p)
{
    uint64_t bytes = 0;
    ALIVE;
    bool found = device_range(device, p, base, &bytes);
    return *n = bytes, found ? 0 : 500;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic)
{
    uint32_t n = 0;
    ALIVE;
    CUresult r = result_of(device_occupancy((oc_kernel *)f, (oc_dim3){(uint32_t)threads, 1, 1}, (uint32_t)dynamic, &n));
    return *blocks = (int)n, r;
}
CUresult cuFuncGetAttribute(int *v, int attribute, CUfunction f)
{
    oc_kernel_info i = oc_kernel_describe((oc_kernel *)f);
    *v = attribute == 0   ? (int)i.max_threads
         : attribute == 1 ? (int)i.shared_bytes
         : attribute == 3 ? (int)i.local_bytes
                          : (int)i.registers;
    return 0;
}
CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value)
{
    return attribute == 9 && value >= 0 && value <= 100 ? 0 : attribute == 8 ? ask_dynamic(f, value) : 1;
}
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream s, void **params, void **extra)
{
    ALIVE;
    if (extra || (int64_t)shared > dynamic_of(f)) return 1;
    return result_of(oc_launch((oc_kernel *)f, (oc_dim3){gx, gy, gz}, (oc_dim3){bx, by, bz}, shared, (oc_stream *)s,
                               (const void *const *)params));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
    unsigned size[3] = {0};
    ALIVE;
    for (unsigned k = 0; k < c->n; k++)
        if (c->attrs[k].id == LAUNCH_CLUSTER) memcpy(size, c->attrs[k].value.bytes, sizeof size);
    int bad = result_of(oc_cluster((oc_kernel *)f, (oc_dim3){size[0], size[1], size[2]}));
    if (!bad)
        bad = cuLaunchKernel(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->smem,
                             c->stream, params, extra);
    oc_cluster((oc_kernel *)f, (oc_dim3){0, 0, 0});
    return bad;
}

// As the driver's, for what a device of the library asks for.
CUresult cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *at, const uint64_t *size,
                                const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                int swizzle, int promotion, int fill)
{
    oc_tensor t = {.base = (uintptr_t)at, .type = (oc_tensor_type)type, .rank = rank, .nan = fill};
    ALIVE;
    if (rank > OC_TENSOR_RANK || interleave || promotion) return 1;
    for (uint32_t k = 0; k < rank; k++) {
        t.size[k] = size[k], t.box[k] = box[k], t.step[k] = step[k];
        if (k) t.stride[k] = stride[k - 1];
    }
    t.swizzle = swizzle ? 16u << swizzle : 0;
    return result_of(oc_tensor_map(device, &t, map));
}

CUresult cuStreamCreate(CUstream *s, unsigned flags)
{
    ALIVE;
    return flags ? 1 : result_of(oc_stream_create(device, (oc_stream **)s));
}
CUresult cuStreamDestroy_v2(CUstream s) { return oc_stream_destroy((oc_stream *)s), 0; }
CUresult cuStreamSynchronize(CUstream s)
{
    ALIVE;
    return (void)s, 0;
}
CUresult cuCtxSynchronize(void)
{
    ALIVE;
    return result_of(oc_synchronize(device, NULL));
}
CUresult cuEventCreate(CUevent *e, unsigned flags)
{
    ALIVE;
    return flags ? 1 : result_of(oc_event_create(device, (oc_event **)e));
}
CUresult cuEventDestroy_v2(CUevent e) { return oc_event_destroy((oc_event *)e), 0; }
CUresult cuEventRecord(CUevent e, CUstream s)
{
    ALIVE;
    return result_of(oc_event_record((oc_event *)e, (oc_stream *)s));
}
CUresult cuEventSynchronize(CUevent e)
{
    ALIVE;
    return e ? 0 : 400;
}
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b)
{
    double s;
    ALIVE;
    int r = result_of(oc_event_seconds((oc_event *)a, (oc_event *)b, &s));
    *ms = (float)(s * 1e3);
    return r;
}
CUresult cuTexObjectCreate(CUtexObject *t, const TextureResource *r, const TextureSampling *s, const void *view)
{
    ALIVE;
    oc_texture o = {.address = s->address[0] == 0   ? OC_TEX_WRAP
                               : s->address[0] == 1 ? OC_TEX_CLAMP
                               : s->address[0] == 2 ? OC_TEX_MIRROR
                                                    : OC_TEX_BORDER,
                    .linear = s->filter,
                    .normalized = s->flags & 2};
    static const oc_tex_format formats[] = {[1] = OC_TEX_U8,  [2] = OC_TEX_U16,  [3] = OC_TEX_U32,   [8] = OC_TEX_S8,
                                            [9] = OC_TEX_S16, [10] = OC_TEX_S32, [0x20] = OC_TEX_F32};
    static const uint32_t bytes[] = {[1] = 1, [2] = 2, [3] = 4, [8] = 1, [9] = 2, [10] = 4, [0x20] = 4};
    int format;
    if (view) return 1;
    if (r->type == 3) {
        o.base = r->of.pitch.base, o.channels = r->of.pitch.channels, format = r->of.pitch.format;
        o.width = (uint32_t)r->of.pitch.width, o.height = (uint32_t)r->of.pitch.height,
        o.pitch = (uint32_t)r->of.pitch.pitch;
    } else {
        o.base = r->of.linear.base, o.channels = r->of.linear.channels, format = r->of.linear.format;
        o.width = (uint32_t)(r->of.linear.bytes / bytes[r->of.linear.format] / o.channels);
    }
    o.format = formats[format];
    o.unit_float = format != 0x20 && !(s->flags & 1);
    uint64_t handle;
    int result = result_of(oc_texture_create(device, &o, &handle));
    *t = handle;
    return result;
}
CUresult cuTexObjectDestroy(CUtexObject t)
{
    ALIVE;
    return result_of(oc_texture_destroy(device, t));
}
