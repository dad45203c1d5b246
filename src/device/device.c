// device.c: the functions of onchip.h, which call the device's back end. Only what is the same for all back ends is
// done here, above all the checks of arguments, so that no back end sees a null pointer or a handle of another device.
#include "device/unit.h"
#include "names/names.h"
#include "ptx/ir.h"

#include <errno.h>
#include <string.h>

// The function of onchip.h, as its callers know it, for "%.*s": oc_open_sized is what oc_open calls.
#define CALL called(__func__), __func__

// Checks a pointer that must not be null. what: its name in onchip.h. If the device itself is null, only the code can
// be returned.
#define NEED(d, pointer, what)                                                                  \
    do {                                                                                        \
        if (!(pointer)) return device_fail(d, OC_BAD_ARGUMENT, "%.*s: " what " is null", CALL); \
    } while (0)
#define SAME(d, s)                                                                                     \
    do {                                                                                               \
        if ((s) && (s)->device != (d))                                                                 \
            return device_fail(d, OC_BAD_ARGUMENT, "%.*s: the stream is one of another device", CALL); \
    } while (0)
// Refuses the call while the caller's progress or print is running: the launch that called it still needs all that the
// device has.
#define OUTSIDE(d)                                            \
    do {                                                      \
        if (in_callback(d, __func__)) return OC_BAD_ARGUMENT; \
    } while (0)

static int called(const char *call)
{
    const size_t n = strlen(call);
    return (int)(n > 6 && !strcmp(call + n - 6, "_sized") ? n - 6 : n);
}

static bool in_callback(oc_device *d, const char *call)
{
    if (!d->calling) return false;
    device_fail(d, OC_BAD_ARGUMENT,
                "%.*s: a callback of the device's launch may only ask the device (onchip.h says how)", called(call),
                call);
    return true;
}

// Takes a structure of a caller's who was compiled with another size of it. False: it has what this library doesn't
// know, and would be left out.
static bool take(void *ours, size_t size, const void *theirs, size_t given)
{
    const uint8_t *bytes = theirs;
    memset(ours, 0, size);
    memcpy(ours, theirs, MIN(size, given));
    for (size_t k = size; k < given; k++)
        if (bytes[k]) return false;
    return true;
}

// Fills a structure of such a caller's.
static void give(void *theirs, size_t given, const void *ours, size_t size)
{
    memcpy(theirs, ours, MIN(size, given));
    if (given > size) memset((uint8_t *)theirs + size, 0, given - size);
}

static const char newer[] = "the program was compiled for a newer library than this, and sets what this one hasn't got";

// Takes one from a caller, whom an error tells of what isn't known.
#define TAKE(d, ours, theirs, given)                                         \
    do {                                                                     \
        if (!take(&(ours), sizeof(ours), theirs, given))                     \
            return device_fail(d, OC_BAD_ARGUMENT, "%.*s: %s", CALL, newer); \
    } while (0)

uint32_t oc_version(void) { return OC_VERSION; }

oc_status device_fail(oc_device *d, oc_status status, const char *format, ...)
{
    va_list args;
    Text t = {0};
    if (!d) return status;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    mem_free(d->error);
    d->error = mem_text(t.v ? t.v : "");
    text_free(&t);
    return status;
}

void device_transform(oc_device *d, const Transform *transform) { d->transform = *transform; }
oc_status device_occupancy(oc_kernel *k, oc_dim3 block, uint32_t smem, uint32_t *blocks)
{
    return k->module->device->ops->occupancy(k, block, smem, blocks);
}
bool device_range(oc_device *d, oc_ptr ptr, oc_ptr *base, uint64_t *bytes)
{
    return d->ops->range(d, ptr, base, bytes);
}
oc_status device_pin(oc_device *d, size_t bytes, void **memory) { return d->ops->pin(d, bytes, memory); }
void device_unpin(oc_device *d, void *memory) { d->ops->unpin(d, memory); }
void device_queue(oc_device *d, bool on) { d->ops->queue(d, on); }
oc_status device_wait(oc_device *d, oc_stream *s) { return d->ops->info(d).real ? d->ops->wait(d, s) : OC_OK; }
void device_gather(oc_device *d, size_t bytes, oc_stream *s) { d->ops->gather(d, bytes, s); }

oc_status oc_open_sized(const oc_config *given, size_t size, oc_device **device, char *message, size_t capacity)
{
    Diag why = {0};
    oc_config own, *config = given ? &own : NULL;
    oc_status status = OC_BAD_ARGUMENT;
    if (device) *device = NULL;
    if (!config || !device)
        diag_error(&why, "oc_open: %s is null", config ? "device" : "config");
    else if (!take(&own, sizeof own, given, size))
        diag_error(&why, "oc_open: %s", newer);
    else if (config->device && strncmp(config->device, "cuda:", 5))
        diag_error(&why, "'%s' is not a device: cuda:0 is the first GPU", config->device);
    else
        status = (config->device ? cuda_open : sim_open)(config, device, &why);
    if (status != OC_OK && message && capacity) snprintf(message, capacity, "%s", why.text.v ? why.text.v : "");
    if (status == OC_OK) (*device)->stop = config->stop;
    diag_free(&why);
    return status;
}

void oc_close(oc_device *d)
{
    if (!d || in_callback(d, __func__)) return;
    char *error = d->error;
    d->ops->close(d);
    mem_free(error);
}

const char *oc_error(const oc_device *d) { return !d ? "the device is null" : d->error ? d->error : ""; }

void oc_describe_sized(const oc_device *d, oc_device_info *out, size_t size)
{
    const oc_device_info info = d ? d->ops->info(d) : (oc_device_info){.name = ""};
    if (out) give(out, size, &info, sizeof info);
}

oc_status oc_malloc(oc_device *d, size_t bytes, const char *label, oc_ptr *ptr)
{
    if (ptr) *ptr = 0;
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, ptr, "ptr");
    return bytes ? d->ops->alloc(d, bytes, label, ptr)
                 : device_fail(d, OC_BAD_ARGUMENT, "an allocation has at least 1 byte");
}

oc_status oc_free(oc_device *d, oc_ptr ptr)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    return ptr ? d->ops->release(d, ptr) : OC_OK;
}

oc_status oc_write(oc_device *d, oc_ptr to, const void *from, size_t bytes, oc_stream *s)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, from || !bytes, "from");
    SAME(d, s);
    return d->ops->write(d, to, from, bytes, s);
}

oc_status oc_read(oc_device *d, void *to, oc_ptr from, size_t bytes, oc_stream *s)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, to || !bytes, "to");
    SAME(d, s);
    return d->ops->read(d, to, from, bytes, s);
}

oc_status oc_copy(oc_device *d, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *s)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    SAME(d, s);
    return d->ops->copy(d, to, from, bytes, s);
}

oc_status oc_fill(oc_device *d, oc_ptr to, uint8_t value, size_t bytes, oc_stream *s)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    SAME(d, s);
    return d->ops->fill(d, to, value, bytes, s);
}

oc_status oc_load(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **m)
{
    if (m) *m = NULL;
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, ptx, "ptx");
    NEED(d, m, "module");
    const Transform *t = &d->transform;
    if (!name) name = "module.ptx";
    char *changed = t->rewrite ? t->rewrite(t->user, ptx, length, name) : NULL;
    oc_status status =
        changed ? d->ops->load(d, changed, strlen(changed), name, m) : d->ops->load(d, ptx, length, name, m);
    if (changed && status == OC_OK && t->loaded) t->loaded(t->user, *m);
    mem_free(changed);
    return status;
}

oc_status oc_load_file(oc_device *d, const char *path, oc_module **m)
{
    Text t = {0};
    if (m) *m = NULL;
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, path, "path");
    NEED(d, m, "module");
    if (!text_read_file(&t, path)) return device_fail(d, OC_BAD_FILE, "can't read %s: %s", path, strerror(errno));
    oc_status status = oc_load(d, t.v ? t.v : "", t.n, path, m);
    text_free(&t);
    return status;
}

void oc_unload(oc_module *m)
{
    if (!m || in_callback(m->device, __func__)) return;
    m->device->ops->unload(m);
}

// Gets the kernel that a name means which no kernel has in the PTX, if it means a single one. Else the back end's error
// stays, or names those that are meant.
static oc_status get_by_meaning(oc_module *m, const char *name, oc_kernel **k)
{
    const DeviceOps *ops = m->device->ops;
    Text means = {0};
    size_t n = 0;
    for (size_t i = 0; i < ops->kernel_count(m); i++) {
        oc_kernel *it = ops->kernel_at(m, i);
        if (!name_means(ops->kernel_name(it), name)) continue;
        char *shown = name_shown(ops->kernel_name(it));
        text_printf(&means, "\n  %s", shown);
        mem_free(shown);
        *k = it, n++;
    }
    if (n != 1) *k = NULL;
    if (n > 1)
        device_fail(m->device, OC_BAD_ARGUMENT, "%zu kernels are '%s'; write which one in full:%s", n, name, means.v);
    text_free(&means);
    return n == 1 ? OC_OK : OC_BAD_ARGUMENT;
}

oc_status oc_kernel_get(oc_module *m, const char *name, oc_kernel **k)
{
    oc_device *d = m ? m->device : NULL;
    if (k) *k = NULL;
    NEED(d, m, "module");
    NEED(d, name, "name");
    NEED(d, k, "kernel");
    oc_status status = d->ops->kernel_get(m, name, k);
    return status == OC_BAD_ARGUMENT ? get_by_meaning(m, name, k) : status;
}

size_t oc_kernel_count(const oc_module *m) { return m ? m->device->ops->kernel_count(m) : 0; }
oc_kernel *oc_kernel_at(oc_module *m, size_t index) { return m ? m->device->ops->kernel_at(m, index) : NULL; }

oc_status oc_symbol(oc_module *m, const char *name, oc_ptr *ptr, size_t *bytes)
{
    oc_device *d = m ? m->device : NULL;
    NEED(d, m, "module");
    NEED(d, name, "name");
    NEED(d, ptr, "ptr");
    return d->ops->symbol(m, name, ptr, bytes);
}

void oc_kernel_describe_sized(const oc_kernel *k, oc_kernel_info *out, size_t size)
{
    const oc_kernel_info info = k ? k->module->device->ops->kernel_describe(k) : (oc_kernel_info){.name = ""};
    if (out) give(out, size, &info, sizeof info);
}

const char *device_kernel_name(const oc_kernel *k) { return k->module->device->ops->kernel_name(k); }

oc_status oc_kernel_carveout(oc_kernel *k, int percent)
{
    oc_device *d = k ? k->module->device : NULL;
    NEED(d, k, "kernel");
    OUTSIDE(d);
    return percent >= 0 && percent <= 100 ? d->ops->carveout(k, percent)
                                          : device_fail(d, OC_BAD_ARGUMENT, "a carve-out is from 0 to 100 percent");
}

oc_status oc_texture_create_sized(oc_device *d, const oc_texture *given, size_t size, uint64_t *handle)
{
    oc_texture t;
    if (handle) *handle = 0;
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, given, "texture");
    NEED(d, handle, "handle");
    TAKE(d, t, given, size);
    return d->ops->texture_create(d, &t, handle);
}

oc_status oc_tensor_map_sized(oc_device *d, const oc_tensor *given, size_t size, void *map)
{
    oc_tensor own, *t = &own;
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, given, "tensor");
    NEED(d, map, "map");
    TAKE(d, own, given, size);
    TensorMap m = {.base = t->base, .type = (uint8_t)t->type, .nan = t->nan};
    while (m.swizzle < 4 && t->swizzle != (m.swizzle ? 16u << m.swizzle : 0)) m.swizzle++;
    m.rank = (uint8_t)MIN(t->rank, UINT8_MAX);
    for (uint32_t k = 0; k < MIN(t->rank, OC_TENSOR_RANK); k++) {
        m.size[k] = t->size[k], m.stride[k] = t->stride[k];
        m.box[k] = t->box[k], m.step[k] = t->step[k] ? t->step[k] : 1;
    }
    const char *flaw = tensor_map_flaw(&m);
    if (flaw) return device_fail(d, OC_BAD_ARGUMENT, "oc_tensor_map: %s", flaw);
    return d->ops->tensor_map(d, &m, map);
}

oc_status oc_texture_destroy(oc_device *d, uint64_t handle)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    return d->ops->texture_destroy(d, handle);
}

oc_status oc_surface_create_sized(oc_device *d, const oc_texture *given, size_t size, uint64_t *handle)
{
    oc_texture t;
    if (handle) *handle = 0;
    NEED(d, d, "device");
    OUTSIDE(d);
    NEED(d, given, "surface");
    NEED(d, handle, "handle");
    TAKE(d, t, given, size);
    return d->ops->surface_create(d, &t, handle);
}

oc_status oc_surface_destroy(oc_device *d, uint64_t handle)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    return d->ops->surface_destroy(d, handle);
}

oc_status oc_reference_bind_sized(oc_module *m, const char *name, const oc_texture *of, size_t size, uint64_t *handle)
{
    oc_device *d = m ? m->device : NULL;
    oc_texture t;
    uint64_t unused;
    if (handle) *handle = 0;
    NEED(d, m, "module");
    OUTSIDE(d);
    NEED(d, name, "name");
    if (of) TAKE(d, t, of, size);
    return d->ops->reference_bind(m, name, of ? &t : NULL, handle ? handle : &unused);
}

// A device's streams and events are made and given up alike.
#define CREATED(name)                                                   \
    oc_status oc_##name##_create(oc_device *d, oc_##name **created)     \
    {                                                                   \
        if (created) *created = NULL;                                   \
        NEED(d, d, "device");                                           \
        OUTSIDE(d);                                                     \
        NEED(d, created, #name);                                        \
        return d->ops->name##_create(d, created);                       \
    }                                                                   \
    void oc_##name##_destroy(oc_##name *created)                        \
    {                                                                   \
        if (!created || in_callback(created->device, __func__)) return; \
        created->device->ops->name##_destroy(created);                  \
    }
CREATED(stream)
CREATED(event)

oc_status oc_synchronize(oc_device *d, oc_stream *s)
{
    NEED(d, d, "device");
    OUTSIDE(d);
    SAME(d, s);
    return d->ops->wait(d, s);
}

double oc_stream_time(const oc_stream *s) { return s ? s->device->ops->stream_time(s) : 0; }

oc_status oc_event_record(oc_event *e, oc_stream *s)
{
    oc_device *d = e ? e->device : NULL;
    NEED(d, e, "event");
    OUTSIDE(d);
    SAME(d, s);
    return d->ops->event_record(e, s);
}

oc_status oc_event_synchronize(oc_event *e)
{
    oc_device *d = e ? e->device : NULL;
    NEED(d, e, "event");
    OUTSIDE(d);
    return d->ops->event_wait(e);
}

oc_status oc_event_seconds(oc_event *from, oc_event *to, double *seconds)
{
    oc_device *d = from ? from->device : to ? to->device : NULL;
    NEED(d, from, "from");
    NEED(d, to, "to");
    NEED(d, seconds, "seconds");
    if (to->device != d) return device_fail(d, OC_BAD_ARGUMENT, "the two events are of different devices");
    return d->ops->event_seconds(from, to, seconds);
}

oc_status oc_cluster(oc_kernel *k, oc_dim3 blocks)
{
    enum { MOST = 16 };
    oc_device *d = k ? k->module->device : NULL;
    NEED(d, k, "kernel");
    OUTSIDE(d);
    const bool none = !blocks.x && !blocks.y && !blocks.z;
    const uint64_t all = (uint64_t)blocks.x * blocks.y * blocks.z;
    if (!none && (!all || blocks.x > MOST || blocks.y > MOST || blocks.z > MOST || all > MOST))
        return device_fail(d, OC_BAD_ARGUMENT, "oc_cluster: a cluster has 1 to %d blocks", MOST);
    k->cluster = blocks;
    return OC_OK;
}

oc_status oc_launch(oc_kernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *s, const void *const *args)
{
    oc_device *d = k ? k->module->device : NULL;
    NEED(d, k, "kernel");
    OUTSIDE(d);
    SAME(d, s);
    uint32_t params = d->ops->params(k);
    NEED(d, args || !params, "args");
    for (uint32_t p = 0; p < params; p++)
        if (!args[p]) return device_fail(d, OC_BAD_ARGUMENT, "oc_launch: args[%u] is null", p);
    LaunchChange change = {k, smem, args};
    if (d->stop && *d->stop) return device_fail(d, OC_STOPPED, "interrupted before a launch");
    oc_status status = d->transform.launch ? d->transform.launch(d->transform.user, grid, block, &change) : OC_OK;
    return status == OC_OK ? d->ops->launch(change.kernel, grid, block, change.smem, s, change.args) : status;
}

size_t oc_launches(const oc_device *d) { return d ? d->ops->launches(d) : 0; }
const char *oc_launch_kernel(const oc_device *d, size_t launch) { return d ? d->ops->launch_kernel(d, launch) : ""; }
uint64_t oc_launch_counter(const oc_device *d, size_t launch, const char *name)
{
    return d && name ? d->ops->launch_counter(d, launch, name) : 0;
}
double oc_launch_rate(const oc_device *d, size_t launch, const char *name)
{
    return d && name ? d->ops->launch_rate(d, launch, name) : 0;
}

const char *oc_counter_name(const oc_device *d, size_t index) { return d ? d->ops->counter_name(d, index) : NULL; }
const char *oc_rate_name(const oc_device *d, size_t index) { return d ? d->ops->rate_name(d, index) : NULL; }
const char *oc_metric_name(const oc_device *d, size_t index)
{
    return d && d->ops->metric_name ? d->ops->metric_name(d, index) : NULL;
}

// The functions that fill one of a launch's rows.
#define FILLED(name)                                                                                            \
    bool oc_launch_##name##_sized(const oc_device *d, size_t launch, size_t index, oc_##name *out, size_t size) \
    {                                                                                                           \
        oc_##name row;                                                                                          \
        const bool there = d && out && d->ops->launch_##name && d->ops->launch_##name(d, launch, index, &row);  \
        if (there) give(out, size, &row, sizeof row);                                                           \
        return there;                                                                                           \
    }
FILLED(structure)
FILLED(misses)
FILLED(finding)
FILLED(line)

const char *oc_launch_unchecked(const oc_device *d, size_t launch)
{
    return d && d->ops->launch_unchecked ? d->ops->launch_unchecked(d, launch) : NULL;
}

size_t oc_launch_series(const oc_device *d, size_t launch, const char *counter, uint64_t *values, size_t capacity)
{
    if (!d || !counter || !d->ops->launch_series) return 0;
    return d->ops->launch_series(d, launch, counter, values, values ? capacity : 0);
}

oc_status oc_launch_value(const oc_device *d, size_t launch, const char *name, double *value)
{
    bool ok = d && name && value && d->ops->launch_value(d, launch, name, value);
    return ok ? OC_OK : OC_BAD_ARGUMENT;
}

oc_status oc_trace(oc_device *d, const char *path, uint64_t interval, const char *title)
{
    if (!d) return OC_BAD_ARGUMENT;
    OUTSIDE(d);
    if (!d->ops->trace) return device_fail(d, OC_UNSUPPORTED, "%.*s: a real GPU has no trace", CALL);
    return d->ops->trace(d, path, interval, title);
}

void oc_forget(oc_device *d, size_t keep)
{
    if (!d || in_callback(d, __func__)) return;
    d->ops->forget(d, keep);
}
