// cuda.c: the public interface on a real GPU, over the driver API. libcuda.so.1 is opened with dlopen, so that nothing
// of CUDA's is needed to build. Modules are PTX, as on the simulated GPU. A call is complete when it returns: work on
// another stream may need its result, and a measurement must not overlap with earlier work. Only while device_queue is
// on, launches and copies just join their stream. Times are the device's own, from events. There are no counters; a
// launch's record has its seconds.
#include "device/unit.h"

#include "driver/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pending {  // a queued launch, whose time isn't known yet
    CUevent from, to;
    size_t launch;
} Pending;
typedef struct Driver {
    void *library;
#define NONE(name)
#define CALL(name) name##_fn *name;
#define DRIVER(name, device, preload, parameters) device(name)
#include "driver/driver.def"
#undef CALL
} Driver;
typedef struct CudaDevice {
    oc_device base;
    Driver cu;
    CUdevice ordinal;
    CUcontext context;
    CUevent origin;  // marks the opening of the device, on the default stream
    char name[256];
    VEC(oc_module *) modules;
    VEC(oc_stream *) streams;
    VEC(oc_event *) events;
    VEC(char *) kernels;  // of the launches from number forgotten on
    VEC(double) seconds;
    size_t forgotten;
    VEC(Pending) pending;
    bool queued;
    oc_status lost;  // after a fault the context is gone
} CudaDevice;
typedef struct CudaModule {
    oc_module base;
    CUmodule module;
    Module *parsed;  // null: our parser doesn't understand it
    VEC(oc_kernel *) kernels;
} CudaModule;
typedef struct CudaKernel {
    oc_kernel base;
    CUfunction function;
    uint32_t shared;  // bytes of its own, static
    char *name;
    ParamTable params;
} CudaKernel;
typedef struct CudaStream {
    oc_stream base;
    CUstream stream;
} CudaStream;
typedef struct CudaEvent {
    oc_event base;
    CUevent event;
} CudaEvent;

static CudaDevice *cuda_of(oc_device *d) { return (CudaDevice *)d; }
static const Driver *driver_of(oc_device *d) { return &cuda_of(d)->cu; }
static CUstream stream_of(oc_stream *s) { return s ? ((CudaStream *)s)->stream : NULL; }

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

static oc_status check(oc_device *d, CUresult r, const char *what)
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

static oc_status usable(oc_device *d)
{
    if (cuda_of(d)->lost)
        return device_fail(d, cuda_of(d)->lost,
                           "an earlier kernel's fault has ended this device's context; open it anew");
    return check(d, driver_of(d)->cuCtxSetCurrent(cuda_of(d)->context), "cuCtxSetCurrent");
}

#define TRY(d, call)                              \
    do {                                          \
        oc_status tried_ = check(d, call, #call); \
        if (tried_ != OC_OK) return tried_;       \
    } while (0)
#define USABLE(d)                             \
    do {                                      \
        oc_status usable_ = usable(d);        \
        if (usable_ != OC_OK) return usable_; \
    } while (0)

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
                              : check(d, driver_of(d)->cuStreamSynchronize(stream_of(s)), "cuStreamSynchronize");
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

// --- modules ---------------------------------------------------------------------------------------------------------
static oc_kernel *new_kernel(CudaModule *m, CUfunction f, const char *name)
{
    CudaKernel *k = mem_alloc(sizeof *k);
    k->base.module = &m->base;
    int shared = 0;
    if (!driver_of(m->base.device)->cuFuncGetAttribute(&shared, FUNCTION_SHARED, f)) k->shared = (uint32_t)shared;
    k->function = f;
    k->name = mem_text(name);
    for (size_t n = 0; m->parsed && n < m->parsed->functions.n; n++) {
        const Function *g = m->parsed->functions.v[n];
        if (!g->entry || strcmp(g->symbol->name, name)) continue;
        params_read(&k->params, g);
    }
    vec_push(&m->kernels, &k->base);
    return &k->base;
}

static oc_status cuda_load(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **out)
{
    char errors[4096] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_BYTES};
    void *values[] = {errors, (void *)(uintptr_t)sizeof errors};
    USABLE(d);
    CudaModule *m = mem_alloc(sizeof *m);
    char *text = mem_alloc(length + 1);  // the driver wants a text that ends in a zero
    memcpy(text, ptx, length);
    CUresult r = driver_of(d)->cuModuleLoadDataEx(&m->module, text, COUNT(options), options, values);
    if (r) {
        oc_status status = check(d, r, name ? name : "PTX");
        if (errors[0]) status = device_fail(d, status, "%s: %s", name ? name : "PTX", errors);
        mem_free(m), mem_free(text);
        return status;
    }
    Diag diag = {0};
    m->base.device = d;
    m->parsed = ptx_parse_partly(text, length, name ? name : "PTX", &diag);  // for the kernels' names and parameters
    diag_free(&diag);
    mem_free(text);
    for (size_t n = 0; m->parsed && n < m->parsed->functions.n; n++) {
        CUfunction f;
        const Function *g = m->parsed->functions.v[n];
        if (g->entry && !driver_of(d)->cuModuleGetFunction(&f, m->module, g->symbol->name))
            new_kernel(m, f, g->symbol->name);
    }
    vec_push(&cuda_of(d)->modules, &m->base);
    *out = &m->base;
    return OC_OK;
}

static void cuda_unload(oc_module *base)
{
    CudaModule *m = (CudaModule *)base;
    CudaDevice *d = cuda_of(base->device);
    for (size_t k = 0; k < m->kernels.n; k++) {
        CudaKernel *kernel = (CudaKernel *)m->kernels.v[k];
        mem_free(kernel->name), params_free(&kernel->params), mem_free(kernel);
    }
    vec_free(&m->kernels);
    if (!d->lost) d->cu.cuModuleUnload(m->module);
    ptx_free(m->parsed);
    vec_drop(&d->modules, base);
    mem_free(m);
}

static oc_status cuda_kernel_get(oc_module *base, const char *name, oc_kernel **kernel)
{
    CudaModule *m = (CudaModule *)base;
    *kernel = NULL;
    for (size_t k = 0; k < m->kernels.n; k++)
        if (!strcmp(((CudaKernel *)m->kernels.v[k])->name, name)) return *kernel = m->kernels.v[k], OC_OK;
    CUfunction f;
    USABLE(base->device);
    if (driver_of(base->device)->cuModuleGetFunction(&f, m->module, name))
        return device_fail(base->device, OC_BAD_ARGUMENT, "no kernel '%s' in this module", name);
    *kernel = new_kernel(m, f, name);
    return OC_OK;
}

static size_t cuda_kernel_count(const oc_module *m) { return ((const CudaModule *)m)->kernels.n; }
static oc_kernel *cuda_kernel_at(oc_module *m, size_t index)
{
    return index < ((CudaModule *)m)->kernels.n ? ((CudaModule *)m)->kernels.v[index] : NULL;
}

static oc_kernel_info cuda_kernel_describe(const oc_kernel *base)
{
    const CudaKernel *k = (const CudaKernel *)base;
    oc_device *d = base->module->device;
    int v[4] = {0};
    static const int of[] = {FUNCTION_REGISTERS, FUNCTION_SHARED, FUNCTION_LOCAL, FUNCTION_MAX_THREADS};
    for (size_t n = 0; n < COUNT(of) && usable(d) == OC_OK; n++)
        driver_of(d)->cuFuncGetAttribute(&v[n], of[n], k->function);
    return (oc_kernel_info){.name = k->name,
                            .params = k->params.n,
                            .sizes = k->params.sizes,
                            .names = k->params.names,
                            .types = k->params.types,
                            .registers = (uint32_t)v[0],
                            .shared_bytes = (uint32_t)v[1],
                            .local_bytes = (uint32_t)v[2],
                            .max_threads = (uint32_t)v[3]};
}

static const char *cuda_kernel_name(const oc_kernel *k) { return ((const CudaKernel *)k)->name; }
static uint32_t cuda_params(const oc_kernel *k) { return ((const CudaKernel *)k)->params.n; }

static oc_status cuda_carveout(oc_kernel *k, int percent)
{
    oc_device *d = k->module->device;
    USABLE(d);
    TRY(d, driver_of(d)->cuFuncSetAttribute(((CudaKernel *)k)->function, FUNCTION_CARVEOUT, percent));
    return OC_OK;
}

static oc_status cuda_symbol(oc_module *m, const char *name, oc_ptr *ptr, size_t *bytes)
{
    size_t size;
    USABLE(m->device);
    TRY(m->device, driver_of(m->device)->cuModuleGetGlobal_v2(ptr, &size, ((CudaModule *)m)->module, name));
    if (bytes) *bytes = size;
    return OC_OK;
}

// --- textures --------------------------------------------------------------------------------------------------------
// Drivers before CUDA 12 have no tensor maps, so that it isn't in the list of what must be there.
static oc_status cuda_tensor_map(oc_device *base, const TensorMap *t, void *map)
{
    typedef CUresult Encode(void *map, int type, uint32_t rank, void *at, const uint64_t *size, const uint64_t *stride,
                            const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int promotion,
                            int fill);
    CudaDevice *d = cuda_of(base);
    Encode *encode;
    *(void **)&encode = dlsym(d->cu.library, "cuTensorMapEncodeTiled");
    USABLE(base);
    if (!encode) return device_fail(base, OC_UNSUPPORTED, "this GPU driver is too old: it has no tensor maps");
    return check(base,
                 encode(map, t->type, t->rank, (void *)(uintptr_t)t->base, t->size, t->stride + 1, t->box, t->step, 0,
                        t->swizzle, 0, t->nan),
                 "cuTensorMapEncodeTiled");
}

static oc_status cuda_texture_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    static const int formats[] = {[OC_TEX_F32] = 0x20, [OC_TEX_U32] = 3, [OC_TEX_S32] = 10, [OC_TEX_U8] = 1,
                                  [OC_TEX_S8] = 8,     [OC_TEX_U16] = 2, [OC_TEX_S16] = 9,  [OC_TEX_F16] = 0x10};
    static const size_t sizes[] = {[OC_TEX_F32] = 4, [OC_TEX_U32] = 4, [OC_TEX_S32] = 4, [OC_TEX_U8] = 1,
                                   [OC_TEX_S8] = 1,  [OC_TEX_U16] = 2, [OC_TEX_S16] = 2, [OC_TEX_F16] = 2};
    static const int modes[] = {[OC_TEX_WRAP] = 0, [OC_TEX_CLAMP] = 1, [OC_TEX_MIRROR] = 2, [OC_TEX_BORDER] = 3};
    if ((size_t)t->format >= COUNT(formats) || (size_t)t->address >= COUNT(modes))
        return device_fail(d, OC_BAD_ARGUMENT, "a texture's format or address mode is out of range");
    if (t->depth || t->layers || t->cube || t->levels > 1)
        return device_fail(d, OC_UNSUPPORTED,
                           "on a real GPU, only textures of one or two dimensions lie in memory as it is here");
    const oc_tex_address y = t->by_axis ? t->address_y : t->address;
    if ((size_t)y >= COUNT(modes)) return device_fail(d, OC_BAD_ARGUMENT, "a texture's address mode is out of range");
    TextureResource r = {.type = t->height ? RESOURCE_PITCH : RESOURCE_LINEAR};
    if (t->height) {
        r.of.pitch.base = t->base, r.of.pitch.format = formats[t->format], r.of.pitch.channels = t->channels;
        r.of.pitch.width = t->width, r.of.pitch.height = t->height, r.of.pitch.pitch = t->pitch;
    } else {
        r.of.linear.base = t->base, r.of.linear.format = formats[t->format], r.of.linear.channels = t->channels;
        r.of.linear.bytes = t->width * sizes[t->format] * t->channels;
    }
    TextureSampling s = {.address = {modes[t->address], modes[y], modes[y]}, .filter = t->linear};
    bool whole = t->format != OC_TEX_F32 && t->format != OC_TEX_F16 && !t->unit_float;
    s.flags = (whole ? READ_AS_INTEGER : 0u) | (t->normalized ? NORMALIZED_COORDINATES : 0u) | (t->srgb ? SRGB : 0u);
    memcpy(s.border, t->border, sizeof s.border);
    CUtexObject object = 0;
    USABLE(d);
    TRY(d, driver_of(d)->cuTexObjectCreate(&object, &r, &s, NULL));
    *handle = object;
    return OC_OK;
}

static oc_status cuda_texture_destroy(oc_device *d, uint64_t handle)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuTexObjectDestroy(handle));
    return OC_OK;
}

// Surfaces and references need arrays, in whose layout a program can't see its texels.
static oc_status cuda_surface_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    (void)t, (void)handle;
    return device_fail(d, OC_UNSUPPORTED, "on a real GPU there are no surfaces over memory, only over arrays");
}

static oc_status cuda_surface_destroy(oc_device *d, uint64_t handle)
{
    (void)handle;
    return device_fail(d, OC_BAD_ARGUMENT, "not a surface object");
}

static oc_status cuda_reference_bind(oc_module *m, const char *name, const oc_texture *t, uint64_t *handle)
{
    (void)t, (void)handle;
    return device_fail(m->device, OC_UNSUPPORTED, "'%s': references can't be bound on a real GPU; use objects", name);
}

// --- streams and events ----------------------------------------------------------------------------------------------
static oc_status cuda_stream_create(oc_device *d, oc_stream **out)
{
    USABLE(d);
    CudaStream *s = mem_alloc(sizeof *s);
    s->base.device = d;
    oc_status status = check(d, driver_of(d)->cuStreamCreate(&s->stream, 0), "cuStreamCreate");
    if (status != OC_OK) return mem_free(s), status;
    vec_push(&cuda_of(d)->streams, &s->base);
    *out = &s->base;
    return OC_OK;
}

static void cuda_stream_destroy(oc_stream *base)
{
    CudaDevice *d = cuda_of(base->device);
    if (!d->lost) d->cu.cuStreamDestroy_v2(((CudaStream *)base)->stream);
    vec_drop(&d->streams, base);
    mem_free(base);
}

static oc_status cuda_event_create(oc_device *d, oc_event **out)
{
    USABLE(d);
    CudaEvent *e = mem_alloc(sizeof *e);
    e->base.device = d;
    oc_status status = check(d, driver_of(d)->cuEventCreate(&e->event, 0), "cuEventCreate");
    if (status != OC_OK) return mem_free(e), status;
    vec_push(&cuda_of(d)->events, &e->base);
    *out = &e->base;
    return OC_OK;
}

static void cuda_event_destroy(oc_event *base)
{
    CudaDevice *d = cuda_of(base->device);
    if (!d->lost) d->cu.cuEventDestroy_v2(((CudaEvent *)base)->event);
    vec_drop(&d->events, base);
    mem_free(base);
}

static oc_status cuda_event_record(oc_event *e, oc_stream *s)
{
    USABLE(e->device);
    TRY(e->device, driver_of(e->device)->cuEventRecord(((CudaEvent *)e)->event, stream_of(s)));
    return OC_OK;
}

static oc_status between(oc_device *d, CUevent from, CUevent to, double *seconds)
{
    float ms = 0;
    TRY(d, driver_of(d)->cuEventSynchronize(to));
    TRY(d, driver_of(d)->cuEventElapsedTime(&ms, from, to));
    *seconds = (double)ms * 1e-3;
    return OC_OK;
}

static oc_status cuda_event_wait(oc_event *e)
{
    USABLE(e->device);
    TRY(e->device, driver_of(e->device)->cuEventSynchronize(((CudaEvent *)e)->event));
    return OC_OK;
}

static oc_status cuda_event_seconds(oc_event *from, oc_event *to, double *seconds)
{
    USABLE(from->device);
    return between(from->device, ((CudaEvent *)from)->event, ((CudaEvent *)to)->event, seconds);
}

static double cuda_stream_time(const oc_stream *s)
{
    oc_device *d = s->device;
    double seconds = 0;
    CUevent now;
    if (usable(d) != OC_OK || check(d, driver_of(d)->cuEventCreate(&now, 0), "cuEventCreate") != OC_OK) return 0;
    if (check(d, driver_of(d)->cuEventRecord(now, ((const CudaStream *)s)->stream), "cuEventRecord") == OC_OK)
        between(d, cuda_of(d)->origin, now, &seconds);
    driver_of(d)->cuEventDestroy_v2(now);
    return seconds;
}

// --- launches --------------------------------------------------------------------------------------------------------
// Lets a launch take so much dynamic shared memory. A block that has more than 48 KiB, with what is the kernel's own,
// must ask for it first (CUDA C++ Programming Guide, "Compute Capability 7.x", "Shared Memory").
static CUresult ask_shared(const CudaKernel *k, const Driver *cu, uint32_t smem)
{
    if ((uint64_t)k->shared + smem <= 48 * 1024) return CUDA_SUCCESS;
    return cu->cuFuncSetAttribute(k->function, FUNCTION_MAX_DYNAMIC, (int)MIN(smem, (uint32_t)INT32_MAX));
}

static oc_status cuda_occupancy(oc_kernel *base, oc_dim3 block, uint32_t smem, uint32_t *blocks)
{
    CudaKernel *k = (CudaKernel *)base;
    CudaDevice *d = cuda_of(base->module->device);
    int n = 0;
    *blocks = 0;
    USABLE(&d->base);
    if (ask_shared(k, &d->cu, smem) != CUDA_SUCCESS) return OC_OK;  // more bytes than there are
    TRY(&d->base,
        d->cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, k->function, (int)(block.x * block.y * block.z), smem));
    *blocks = (uint32_t)n;
    return OC_OK;
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
    if (memory && usable(d) == OC_OK) driver_of(d)->cuMemFreeHost(memory);
}

static oc_status cuda_wait(oc_device *base, oc_stream *s)
{
    CudaDevice *d = cuda_of(base);
    USABLE(base);
    if (s)
        TRY(base, d->cu.cuStreamSynchronize(stream_of(s)));
    else
        TRY(base, d->cu.cuCtxSynchronize());
    for (size_t p = 0; !s && p < d->pending.n; p++) {
        Pending *q = &d->pending.v[p];
        double unused, *seconds = q->launch < d->forgotten ? &unused : &d->seconds.v[q->launch - d->forgotten];
        oc_status status = between(base, q->from, q->to, seconds);
        if (status != OC_OK) return status;
        d->cu.cuEventDestroy_v2(q->from), d->cu.cuEventDestroy_v2(q->to);
    }
    if (!s) d->pending.n = 0;
    return OC_OK;
}

static void cuda_queue(oc_device *d, bool on)
{
    if (!on) cuda_wait(d, NULL);
    cuda_of(d)->queued = on;
}

static void cuda_gather(oc_device *d, size_t bytes, oc_stream *s) { (void)d, (void)bytes, (void)s; }

// As with tensor maps, drivers before CUDA 12 have no such call.
static CUresult launch_clusters(CudaDevice *d, const CudaKernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem,
                                CUstream stream, const void *const *args)
{
    enum { NOT_SUPPORTED = 801 };  // CUresult
    const oc_dim3 c = k->base.cluster;
    const unsigned size[3] = {c.x, c.y, c.z};
    CUlaunchAttribute attribute = {.id = LAUNCH_CLUSTER};
    CUlaunchConfig config = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, smem, stream, &attribute, 1};
    cuLaunchKernelEx_fn *launch;
    *(void **)&launch = dlsym(d->cu.library, "cuLaunchKernelEx");
    memcpy(attribute.value.bytes, size, sizeof size);
    return launch ? launch(&config, k->function, (void **)(uintptr_t)args, NULL) : NOT_SUPPORTED;
}

static oc_status cuda_launch(oc_kernel *base, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *s,
                             const void *const *args)
{
    CudaKernel *k = (CudaKernel *)base;
    CudaDevice *d = cuda_of(base->module->device);
    const Driver *cu = &d->cu;
    CUevent at[2] = {NULL, NULL};
    double seconds = 0;
    USABLE(&d->base);
    oc_status status = check(&d->base, ask_shared(k, cu, smem), k->name);
    if (status != OC_OK) return status;
    for (int n = 0; n < 2 && status == OC_OK; n++)
        status = check(&d->base, cu->cuEventCreate(&at[n], 0), "cuEventCreate");
    if (status == OC_OK) status = check(&d->base, cu->cuEventRecord(at[0], stream_of(s)), "cuEventRecord");
    if (status == OC_OK)
        status =
            check(&d->base,
                  base->cluster.x ? launch_clusters(d, k, grid, block, smem, stream_of(s), args)
                                  : cu->cuLaunchKernel(k->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                       smem, stream_of(s), (void **)(uintptr_t)args, NULL),
                  k->name);
    if (status == OC_OK) status = check(&d->base, cu->cuEventRecord(at[1], stream_of(s)), "cuEventRecord");
    bool later = status == OC_OK && d->queued;
    if (later) vec_push(&d->pending, ((Pending){at[0], at[1], d->forgotten + d->seconds.n}));
    if (status == OC_OK && !later) status = check(&d->base, cu->cuStreamSynchronize(stream_of(s)), k->name);
    if (status == OC_OK && !later) status = between(&d->base, at[0], at[1], &seconds);
    for (int n = 0; n < 2; n++)
        if (at[n] && !d->lost && !later) cu->cuEventDestroy_v2(at[n]);
    if (status == OC_OK) {
        vec_push(&d->kernels, mem_text(k->name));
        vec_push(&d->seconds, seconds);
    }
    return status;
}

static size_t cuda_launches(const oc_device *d)
{
    return ((const CudaDevice *)d)->forgotten + ((const CudaDevice *)d)->kernels.n;
}
static bool cuda_kept(const oc_device *d, size_t n)
{
    return n >= ((const CudaDevice *)d)->forgotten && n < cuda_launches(d);
}
static const char *cuda_launch_kernel(const oc_device *base, size_t n)
{
    const CudaDevice *d = (const CudaDevice *)base;
    return cuda_kept(base, n) ? d->kernels.v[n - d->forgotten] : "";
}
static uint64_t cuda_launch_counter(const oc_device *d, size_t n, const char *name)
{
    return (void)d, (void)n, (void)name, 0;
}
static double cuda_launch_rate(const oc_device *base, size_t n, const char *name)
{
    const CudaDevice *d = (const CudaDevice *)base;
    return cuda_kept(base, n) && !strcmp(name, "seconds") ? d->seconds.v[n - d->forgotten] : 0;
}
static const char *cuda_counter_name(const oc_device *d, size_t index) { return (void)d, (void)index, NULL; }
static const char *cuda_rate_name(const oc_device *d, size_t index) { return (void)d, index ? NULL : "seconds"; }
static bool cuda_launch_structure(const oc_device *d, size_t n, size_t index, oc_structure *out)
{
    return (void)d, (void)n, (void)index, (void)out, false;
}

static bool cuda_launch_value(const oc_device *base, size_t n, const char *name, double *value)
{
    if (!cuda_kept(base, n) || strcmp(name, "seconds")) return false;
    *value = cuda_launch_rate(base, n, name);
    return true;
}

static void cuda_forget(oc_device *base, size_t keep)
{
    CudaDevice *d = cuda_of(base);
    if (d->kernels.n <= keep || d->kernels.n - keep < keep) return;
    size_t n = d->kernels.n - keep;
    for (size_t k = 0; k < n; k++) mem_free(d->kernels.v[k]);
    memmove(d->kernels.v, d->kernels.v + n, keep * sizeof *d->kernels.v);
    memmove(d->seconds.v, d->seconds.v + n, keep * sizeof *d->seconds.v);
    d->kernels.n = d->seconds.n = keep;
    d->forgotten += n;
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
