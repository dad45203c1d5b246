// cuda.c: the public interface on a real GPU, over the driver API: how it is opened, its errors and its memory.
// libcuda.so.1 is opened with dlopen, so that nothing of CUDA's is needed to build. After a fault the driver's context
// is gone, and every later call fails.
#include "device/cuda_device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// --- errors ----------------------------------------------------------------------------------------------------------
static oc_status status_of(CUresult r)
{
    switch (r) {
    case 0: return OC_OK;
    case 2: return OC_OUT_OF_MEMORY;
    case 1:
    case 101:
    case 200:
    case 201:
    case 400:
    case 500: return OC_BAD_ARGUMENT;  // invalid value, device, handle; not found
    case 209:
    case 218:
    case 222:
    case 300: return OC_BAD_FILE;  // no binary for this GPU, invalid PTX, its version, source
    case 702: return OC_HANG;
    default: return r >= 700 ? OC_FAULT : OC_UNSUPPORTED;
    }
}

oc_status cuda_check(oc_device *d, CUresult r, const char *what)
{
    if (!r) return OC_OK;
    const char *name = NULL, *text = NULL;
    driver_of(d)->cuGetErrorName(r, &name);
    driver_of(d)->cuGetErrorString(r, &text);
    oc_status status = status_of(r);
    if (r >= 700) cuda_of(d)->lost = status;
    return device_fail(d, status, "%s: %s (%s)%s", what, text ? text : "unknown error", name ? name : "?",
                       r >= 700 ? "; the device must be opened anew" : "");
}

oc_status cuda_usable(oc_device *d)
{
    if (cuda_of(d)->lost)
        return device_fail(d, cuda_of(d)->lost,
                           "an earlier kernel's fault has ended this device's context; open it anew");
    return cuda_check(d, driver_of(d)->cuCtxSetCurrent(cuda_of(d)->context), "cuCtxSetCurrent");
}

// --- memory ----------------------------------------------------------------------------------------------------------
static oc_status cuda_alloc(oc_device *d, size_t bytes, const char *label, oc_ptr *ptr)
{
    (void)label;
    USABLE(d);
    TRY(d, driver_of(d)->cuMemAlloc_v2(ptr, bytes));
    return OC_OK;
}

static oc_status cuda_release(oc_device *d, oc_ptr ptr)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuMemFree_v2(ptr));
    return OC_OK;
}

static oc_status wait_for(oc_device *d, oc_stream *s)
{
    return cuda_of(d)->queued ? OC_OK
                              : cuda_check(d, driver_of(d)->cuStreamSynchronize(stream_of(s)), "cuStreamSynchronize");
}

static oc_status cuda_write(oc_device *d, oc_ptr to, const void *from, size_t bytes, oc_stream *s)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuMemcpyHtoDAsync_v2(to, from, bytes, stream_of(s)));
    return wait_for(d, s);
}

static oc_status cuda_read(oc_device *d, void *to, oc_ptr from, size_t bytes, oc_stream *s)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuMemcpyDtoHAsync_v2(to, from, bytes, stream_of(s)));
    return wait_for(d, s);
}

static oc_status cuda_copy(oc_device *d, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *s)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuMemcpyDtoDAsync_v2(to, from, bytes, stream_of(s)));
    return wait_for(d, s);
}

static oc_status cuda_fill(oc_device *d, oc_ptr to, uint8_t value, size_t bytes, oc_stream *s)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuMemsetD8Async(to, value, bytes, stream_of(s)));
    return wait_for(d, s);
}

static bool cuda_range(oc_device *base, oc_ptr ptr, oc_ptr *start, uint64_t *bytes)
{
    CudaDevice *d = cuda_of(base);
    CUdeviceptr at;
    size_t size;
    if (d->lost || d->cu.cuMemGetAddressRange_v2(&at, &size, ptr) != CUDA_SUCCESS) return false;
    *start = at, *bytes = size;
    return true;
}

static oc_status cuda_pin(oc_device *d, size_t bytes, void **memory)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuMemAllocHost_v2(memory, bytes));
    return OC_OK;
}

static void cuda_unpin(oc_device *d, void *memory)
{
    if (memory && cuda_usable(d) == OC_OK) driver_of(d)->cuMemFreeHost(memory);
}

// --- opening ---------------------------------------------------------------------------------------------------------
static oc_device_info cuda_info(const oc_device *base)
{
    CudaDevice *d = (CudaDevice *)(uintptr_t)base;
    int v[8] = {0}, version = 0;
    static const int of[] = {DEVICE_SMS, DEVICE_CLOCK,     DEVICE_MAJOR,       DEVICE_MINOR,
                             DEVICE_L2,  DEVICE_SHARED_SM, DEVICE_SHARED_OPTIN};
    for (size_t n = 0; n < COUNT(of); n++) d->cu.cuDeviceGetAttribute(&v[n], of[n], d->ordinal);
    size_t memory = 0;
    d->cu.cuDeviceTotalMem_v2(&memory, d->ordinal);
    d->cu.cuDriverGetVersion(&version);
    return (oc_device_info){.name = d->name,
                            .real = true,
                            .sms = (uint32_t)v[0],
                            .clock_mhz = v[1] / 1000.0,
                            .capability = (uint32_t)(v[2] * 10 + v[3]),
                            .memory = memory,
                            .l2_bytes = (uint64_t)v[4],
                            .shared_sm = (uint32_t)v[5],
                            .shared_block = (uint32_t)v[6],
                            .driver = (uint32_t)version};
}

static void cuda_close(oc_device *base)
{
    CudaDevice *d = cuda_of(base);
    if (d->context) d->cu.cuCtxSetCurrent(d->context);
    while (d->modules.n) cuda_unload(d->modules.v[d->modules.n - 1]);
    while (d->events.n) cuda_event_destroy(d->events.v[d->events.n - 1]);
    while (d->streams.n) cuda_stream_destroy(d->streams.v[d->streams.n - 1]);
    if (d->origin && !d->lost) d->cu.cuEventDestroy_v2(d->origin);
    if (d->context) d->cu.cuDevicePrimaryCtxRelease_v2(d->ordinal);
    for (size_t k = 0; k < d->kernels.n; k++) mem_free(d->kernels.v[k]);
    vec_free(&d->modules), vec_free(&d->events), vec_free(&d->streams), vec_free(&d->kernels), vec_free(&d->seconds),
        vec_free(&d->pending);
    if (d->cu.library) dlclose(d->cu.library);
    mem_free(d);
}

static const DeviceOps cuda_ops = {
    .close = cuda_close,
    .info = cuda_info,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .load = cuda_load,
    .unload = cuda_unload,
    .kernel_get = cuda_kernel_get,
    .kernel_count = cuda_kernel_count,
    .kernel_at = cuda_kernel_at,
    .kernel_describe = cuda_kernel_describe,
    .kernel_name = cuda_kernel_name,
    .params = cuda_params,
    .carveout = cuda_carveout,
    .symbol = cuda_symbol,
    .tensor_map = cuda_tensor_map,
    .texture_create = cuda_texture_create,
    .texture_destroy = cuda_texture_destroy,
    .surface_create = cuda_surface_create,
    .surface_destroy = cuda_surface_destroy,
    .reference_bind = cuda_reference_bind,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .stream_time = cuda_stream_time,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_seconds = cuda_event_seconds,
    .occupancy = cuda_occupancy,
    .range = cuda_range,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .queue = cuda_queue,
    .wait = cuda_wait,
    .event_wait = cuda_event_wait,
    .gather = cuda_gather,
    .launch = cuda_launch,
    .launches = cuda_launches,
    .launch_kernel = cuda_launch_kernel,
    .launch_counter = cuda_launch_counter,
    .launch_rate = cuda_launch_rate,
    .counter_name = cuda_counter_name,
    .rate_name = cuda_rate_name,
    .launch_structure = cuda_launch_structure,
    .launch_value = cuda_launch_value,
    .forget = cuda_forget,
};

// Finds every function of the driver; returns the name of the first that it lacks, or null.
static const char *load_driver(Driver *cu)
{
    struct {
        const char *name;
        void **to;
    } of[] = {
#define CALL(name) {#name, (void **)(void *)&cu->name},
#include "driver/driver.def"
#undef DRIVER
#undef CALL
#undef NONE
    };
    for (size_t k = 0; k < COUNT(of); k++)
        if (!(*of[k].to = dlsym(cu->library, of[k].name))) return of[k].name;
    return NULL;
}

oc_status cuda_open(const oc_config *config, oc_device **out, Diag *diag)
{
    char *end;
    long ordinal = strtol(config->device + strlen("cuda:"), &end, 10);
    *out = NULL;
    if (end == config->device + strlen("cuda:") || *end || ordinal < 0)
        return diag_error(diag, "'%s' is not a device: cuda:0 is the first GPU", config->device), OC_BAD_ARGUMENT;
    CudaDevice *d = mem_alloc(sizeof *d);
    d->base.ops = &cuda_ops;
    const char *lacks = NULL;
    int count = 0;
    oc_status status = OC_UNSUPPORTED;
    if (!(d->cu.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)))
        diag_error(diag, "no GPU driver here: libcuda.so.1 can't be loaded");
    else if (dlsym(d->cu.library, SIMULATED))
        diag_error(diag, "the libcuda.so.1 here is onchip's own, which simulates a GPU: %s is a real one",
                   config->device);
    else if ((lacks = load_driver(&d->cu)))
        diag_error(diag, "this GPU driver is too old: it has no %s", lacks);
    else if (d->cu.cuInit(0) || d->cu.cuDeviceGetCount(&count) || !count)
        diag_error(diag, "the GPU driver finds no GPU");
    else if (ordinal >= count)
        diag_error(diag, "there is no %s: the driver finds %d GPU%s", config->device, count, count == 1 ? "" : "s"),
            status = OC_BAD_ARGUMENT;
    else if (d->cu.cuDeviceGet(&d->ordinal, (int)ordinal) ||
             d->cu.cuDeviceGetName(d->name, sizeof d->name, d->ordinal) ||
             d->cu.cuDevicePrimaryCtxRetain(&d->context, d->ordinal) || d->cu.cuCtxSetCurrent(d->context) ||
             d->cu.cuEventCreate(&d->origin, 0) || d->cu.cuEventRecord(d->origin, NULL))
        diag_error(diag, "%s can't be opened; is it in use exclusively?", config->device);
    else
        return *out = &d->base, OC_OK;
    cuda_close(&d->base);
    return status;
}
