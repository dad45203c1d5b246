// cuda_device.h: a real GPU's device, and what the files of this back end (cuda*.c) share. A call is complete when it
// returns: work on another stream may need its result, and a measurement must not overlap with earlier work. Only while
// device_queue is on, launches and copies just join their stream.
#ifndef DEVICE_CUDA_DEVICE_H
#define DEVICE_CUDA_DEVICE_H

#include "device/unit.h"
#include "driver/driver.h"
#include "ptx/ptx.h"

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

static inline CudaDevice *cuda_of(oc_device *d) { return (CudaDevice *)d; }
static inline const Driver *driver_of(oc_device *d) { return &cuda_of(d)->cu; }
static inline CUstream stream_of(oc_stream *s) { return s ? ((CudaStream *)s)->stream : NULL; }

// --- cuda.c: errors --------------------------------------------------------------------------------------------------
oc_status cuda_check(oc_device *d, CUresult r, const char *what);  // of a call; r 0: it went well
oc_status cuda_usable(oc_device *d);                               // else an earlier fault has ended it
#define TRY(d, call)                                   \
    do {                                               \
        oc_status tried_ = cuda_check(d, call, #call); \
        if (tried_ != OC_OK) return tried_;            \
    } while (0)
#define USABLE(d)                             \
    do {                                      \
        oc_status usable_ = cuda_usable(d);   \
        if (usable_ != OC_OK) return usable_; \
    } while (0)

// --- cuda_module.c ---------------------------------------------------------------------------------------------------
oc_status cuda_load(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **out);
void cuda_unload(oc_module *base);
oc_status cuda_kernel_get(oc_module *base, const char *name, oc_kernel **kernel);
size_t cuda_kernel_count(const oc_module *m);
oc_kernel *cuda_kernel_at(oc_module *m, size_t index);
oc_kernel_info cuda_kernel_describe(const oc_kernel *base);
const char *cuda_kernel_name(const oc_kernel *k);
uint32_t cuda_params(const oc_kernel *k);
oc_status cuda_carveout(oc_kernel *k, int percent);
oc_status cuda_symbol(oc_module *m, const char *name, oc_ptr *ptr, size_t *bytes);

// --- cuda_texture.c --------------------------------------------------------------------------------------------------
oc_status cuda_tensor_map(oc_device *base, const TensorMap *t, void *map);
oc_status cuda_texture_create(oc_device *d, const oc_texture *t, uint64_t *handle);
oc_status cuda_texture_destroy(oc_device *d, uint64_t handle);
oc_status cuda_surface_create(oc_device *d, const oc_texture *t, uint64_t *handle);
oc_status cuda_surface_destroy(oc_device *d, uint64_t handle);
oc_status cuda_reference_bind(oc_module *m, const char *name, const oc_texture *t, uint64_t *handle);

// --- cuda_stream.c ---------------------------------------------------------------------------------------------------
// The time between two events, once the second has come.
oc_status cuda_between(oc_device *d, CUevent from, CUevent to, double *seconds);
oc_status cuda_stream_create(oc_device *d, oc_stream **out);
void cuda_stream_destroy(oc_stream *base);
oc_status cuda_event_create(oc_device *d, oc_event **out);
void cuda_event_destroy(oc_event *base);
oc_status cuda_event_record(oc_event *e, oc_stream *s);
oc_status cuda_event_wait(oc_event *e);
oc_status cuda_event_seconds(oc_event *from, oc_event *to, double *seconds);
double cuda_stream_time(const oc_stream *s);

// --- cuda_launch.c ---------------------------------------------------------------------------------------------------
oc_status cuda_occupancy(oc_kernel *base, oc_dim3 block, uint32_t smem, uint32_t *blocks);
oc_status cuda_wait(oc_device *base, oc_stream *s);
void cuda_queue(oc_device *d, bool on);
void cuda_gather(oc_device *d, size_t bytes, oc_stream *s);
oc_status cuda_launch(oc_kernel *base, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *s,
                      const void *const *args);
size_t cuda_launches(const oc_device *d);
const char *cuda_launch_kernel(const oc_device *base, size_t n);
uint64_t cuda_launch_counter(const oc_device *d, size_t n, const char *name);
double cuda_launch_rate(const oc_device *base, size_t n, const char *name);
const char *cuda_counter_name(const oc_device *d, size_t index);
const char *cuda_rate_name(const oc_device *d, size_t index);
bool cuda_launch_structure(const oc_device *d, size_t n, size_t index, oc_structure *out);
bool cuda_launch_value(const oc_device *base, size_t n, const char *name, double *value);
void cuda_forget(oc_device *base, size_t keep);

#endif
