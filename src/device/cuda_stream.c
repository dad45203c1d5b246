// cuda_stream.c: streams and events on a real GPU. Times are the device's own, from events.
#include "device/cuda_device.h"

oc_status cuda_stream_create(oc_device *d, oc_stream **out)
{
    USABLE(d);
    CudaStream *s = mem_alloc(sizeof *s);
    s->base.device = d;
    oc_status status = cuda_check(d, driver_of(d)->cuStreamCreate(&s->stream, 0), "cuStreamCreate");
    if (status != OC_OK) return mem_free(s), status;
    vec_push(&cuda_of(d)->streams, &s->base);
    *out = &s->base;
    return OC_OK;
}

void cuda_stream_destroy(oc_stream *base)
{
    CudaDevice *d = cuda_of(base->device);
    if (!d->lost) d->cu.cuStreamDestroy_v2(((CudaStream *)base)->stream);
    vec_drop(&d->streams, base);
    mem_free(base);
}

oc_status cuda_event_create(oc_device *d, oc_event **out)
{
    USABLE(d);
    CudaEvent *e = mem_alloc(sizeof *e);
    e->base.device = d;
    oc_status status = cuda_check(d, driver_of(d)->cuEventCreate(&e->event, 0), "cuEventCreate");
    if (status != OC_OK) return mem_free(e), status;
    vec_push(&cuda_of(d)->events, &e->base);
    *out = &e->base;
    return OC_OK;
}

void cuda_event_destroy(oc_event *base)
{
    CudaDevice *d = cuda_of(base->device);
    if (!d->lost) d->cu.cuEventDestroy_v2(((CudaEvent *)base)->event);
    vec_drop(&d->events, base);
    mem_free(base);
}

oc_status cuda_event_record(oc_event *e, oc_stream *s)
{
    USABLE(e->device);
    TRY(e->device, driver_of(e->device)->cuEventRecord(((CudaEvent *)e)->event, stream_of(s)));
    return OC_OK;
}

oc_status cuda_between(oc_device *d, CUevent from, CUevent to, double *seconds)
{
    float ms = 0;
    TRY(d, driver_of(d)->cuEventSynchronize(to));
    TRY(d, driver_of(d)->cuEventElapsedTime(&ms, from, to));
    *seconds = (double)ms * 1e-3;
    return OC_OK;
}

oc_status cuda_event_wait(oc_event *e)
{
    USABLE(e->device);
    TRY(e->device, driver_of(e->device)->cuEventSynchronize(((CudaEvent *)e)->event));
    return OC_OK;
}

oc_status cuda_event_seconds(oc_event *from, oc_event *to, double *seconds)
{
    USABLE(from->device);
    return cuda_between(from->device, ((CudaEvent *)from)->event, ((CudaEvent *)to)->event, seconds);
}

double cuda_stream_time(const oc_stream *s)
{
    oc_device *d = s->device;
    double seconds = 0;
    CUevent now;
    if (cuda_usable(d) != OC_OK || cuda_check(d, driver_of(d)->cuEventCreate(&now, 0), "cuEventCreate") != OC_OK)
        return 0;
    if (cuda_check(d, driver_of(d)->cuEventRecord(now, ((const CudaStream *)s)->stream), "cuEventRecord") == OC_OK)
        cuda_between(d, cuda_of(d)->origin, now, &seconds);
    driver_of(d)->cuEventDestroy_v2(now);
    return seconds;
}
