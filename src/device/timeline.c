// timeline.c: when things happen on a simulated device. A stream is a position in simulated time. Copies take the host
// link and a copy engine, kernels take the chip, each in the order in which they were issued. The default stream waits
// for all others, and they for it.
//
// The host has a clock in simulated time, too. A call that gives work to a stream, or that waits, moves it on by
// host.call; a wait also moves it on to what was waited for. Work begins no earlier than its call. An event in an idle
// stream marks the host's present, when its call returns. What the real host takes never enters.
#include "device/sim.h"

#include <string.h>

static SimStream *work_stream(Sim *d, oc_stream *stream) { return stream ? stream_of(stream) : &d->standard; }

// The end of all streams' work.
static double all_ends(const Sim *d)
{
    double end = d->standard.end;
    for (size_t k = 0; k < d->streams.n; k++) end = MAX(end, d->streams.v[k]->end);
    return end;
}

double sim_free_from(const Sim *d, oc_stream *stream, double engine)
{
    const SimStream *s = stream_of(stream);
    double start = !s || s == &d->standard ? all_ends(d) : MAX(s->end, d->standard.end);
    return MAX(MAX(start, engine), d->host);
}

void sim_call(Sim *d)
{
    if (!d->goes_on && !d->node) d->host += 1e-6 * d->gpu.call_us;
}

double device_graph(oc_device *base, uint64_t nodes)
{
    Sim *d = sim_of(base);
    const double began = d->host;
    d->host += 1e-6 * d->gpu.graph_us + 1e-9 * d->gpu.node_ns * (double)nodes;
    return began;
}

void device_node(oc_device *base, const double *began)
{
    Sim *d = sim_of(base);
    d->node = began;
    if (began) d->graph = *began;
}

void device_goes_on(oc_device *d, bool on) { sim_of(d)->goes_on = on; }

static void take_time(Sim *d, oc_stream *stream, double *engine, double seconds)
{
    *engine = sim_free_from(d, stream, *engine) + seconds;
    d->busy += seconds;
    work_stream(d, stream)->end = *engine;
}

// --- copies and fills ------------------------------------------------------------------------------------------------
// The time of a copy or a fill of what lies at `of`, which a trace shows.
static void take_copy(Sim *d, oc_stream *stream, double *engine, double seconds, const char *what, oc_ptr of,
                      size_t bytes)
{
    take_time(d, stream, engine, seconds);
    sim_call(d);
    work_stream(d, stream)->behind = false;
    const TraceSink *sink = sim_trace_sink(d);
    if (!sink) return;
    const Allocation *a = gmem_find(&d->memory, of);
    sink->work(sink->user, what, a ? a->label : NULL, bytes, *engine - seconds, *engine);
}

static double copy_seconds(const Sim *d, size_t bytes)
{
    return (d->goes_on ? 0 : d->gpu.host_us * 1e-6) + (double)bytes / (d->gpu.host_gbs * 1e9);
}

void device_shares(oc_device *base, oc_ptr at)
{
    Sim *d = sim_of(base);
    const Allocation *a = gmem_find(&d->memory, at);
    if (a) map_put(&d->on_host, (const char *)&a->id, sizeof a->id, 1);
}

bool device_on_host(const oc_device *base, oc_ptr at)
{
    const Sim *d = sim_of(base);
    int64_t is;
    const Allocation *a = gmem_find(&d->memory, at);
    return a && map_get(&d->on_host, (const char *)&a->id, sizeof a->id, &is);
}

// A copy between host and device; `at` is the device's end. One between two places of the host takes no time.
static void take_link(Sim *d, oc_stream *s, oc_ptr at, size_t bytes, bool to_device)
{
    if (device_on_host(&d->base, at)) {
        sim_call(d);
        return;
    }
    if (to_device && !d->config.functional) chip_copied(&d->chip, at, bytes);
    take_copy(d, s, &d->copy_free[!to_device && d->gpu.engines > 1], copy_seconds(d, bytes),
              to_device ? "copy to the device" : "copy to the host", at, bytes);
}

oc_status sim_write(oc_device *base, oc_ptr to, const void *from, size_t bytes, oc_stream *s)
{
    Sim *d = sim_of(base);
    void *p = sim_locate(d, to, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    if (bytes) memcpy(p, from, bytes);
    check_written(d->chip.check, to, bytes, true);
    take_link(d, s, to, bytes, true);
    return OC_OK;
}

oc_status sim_read(oc_device *base, void *to, oc_ptr from, size_t bytes, oc_stream *s)
{
    Sim *d = sim_of(base);
    void *p = sim_locate(d, from, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    if (bytes) memcpy(to, p, bytes);
    take_link(d, s, from, bytes, false);
    return OC_OK;
}

oc_status sim_copy(oc_device *base, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *s)
{
    Sim *d = sim_of(base);
    void *q = sim_locate(d, from, bytes), *p = sim_locate(d, to, bytes);
    if (!p || !q) return OC_BAD_ARGUMENT;
    memmove(p, q, bytes);
    check_copied(d->chip.check, to, from, bytes);
    if (device_on_host(base, from) || device_on_host(base, to)) {
        const bool up = device_on_host(base, from);
        take_link(d, s, up ? to : from, bytes, up);
        return OC_OK;
    }
    take_copy(d, s, &d->chip_free, 2.0 * (double)bytes / (d->gpu.dram_gbs * 1e9), "copy on the device", to, bytes);
    return OC_OK;
}

oc_status sim_fill(oc_device *base, oc_ptr to, uint8_t value, size_t bytes, oc_stream *s)
{
    Sim *d = sim_of(base);
    void *p = sim_locate(d, to, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    memset(p, value, bytes);
    check_written(d->chip.check, to, bytes, true);
    if (device_on_host(base, to))
        take_copy(d, s, &d->copy_free[d->gpu.engines > 1], copy_seconds(d, bytes), "fill", to, bytes);
    else
        take_copy(d, s, &d->chip_free, (double)bytes / (d->gpu.dram_gbs * 1e9), "fill", to, bytes);
    return OC_OK;
}

oc_status device_moved(oc_device *base, oc_ptr at, uint64_t bytes, bool to_device, oc_stream *s)
{
    Sim *d = sim_of(base);
    if (!sim_locate(d, at, bytes)) return OC_BAD_ARGUMENT;
    if (to_device) check_written(d->chip.check, at, bytes, true);
    take_link(d, s, at, bytes, to_device);
    return OC_OK;
}

void sim_gather(oc_device *base, size_t bytes, oc_stream *s)
{
    Sim *d = sim_of(base);
    take_time(d, s, &d->cpu_free, (double)bytes / (d->gpu.gather_gbs * 1e9));
    work_stream(d, s)->behind = false;
}

// --- streams ---------------------------------------------------------------------------------------------------------
oc_status sim_stream_create(oc_device *base, oc_stream **stream)
{
    Sim *d = sim_of(base);
    SimStream *s = mem_alloc(sizeof *s);
    *s = (SimStream){.base = {base}, .end = d->standard.end};
    vec_push(&d->streams, s);
    *stream = &s->base;
    return OC_OK;
}

void sim_stream_destroy(oc_stream *base)
{
    Sim *d = sim_of(base->device);
    vec_drop(&d->streams, (SimStream *)base);
    mem_free(base);
}

double sim_stream_time(const oc_stream *s) { return ((const SimStream *)s)->end; }

double device_now(const oc_device *base, uint64_t calls)
{
    const Sim *d = sim_of(base);
    return d->host + 1e-6 * d->gpu.call_us * (double)calls;
}

void device_until(oc_device *base, oc_stream *s)
{
    Sim *d = sim_of(base);
    d->host = MAX(d->host, s ? stream_of(s)->end : all_ends(d));
}

oc_status sim_wait(oc_device *base, oc_stream *s)
{
    sim_call(sim_of(base));
    device_until(base, s);
    return OC_OK;
}

// --- events ----------------------------------------------------------------------------------------------------------
oc_status sim_event_create(oc_device *base, oc_event **event)
{
    SimEvent *e = mem_alloc(sizeof *e);
    *e = (SimEvent){{base}, sim_of(base)->host};
    vec_push(&sim_of(base)->events, e);
    *event = &e->base;
    return OC_OK;
}

void sim_event_destroy(oc_event *base)
{
    Sim *d = sim_of(base->device);
    vec_drop(&d->events, (SimEvent *)base);
    mem_free(base);
}

// An event is work of its stream like any other, and takes no time there.
oc_status sim_event_record(oc_event *event, oc_stream *s)
{
    Sim *d = sim_of(event->device);
    sim_call(d);
    ((SimEvent *)event)->at = work_stream(d, s)->end = sim_free_from(d, s, 0);
    return OC_OK;
}

oc_status sim_event_wait(oc_event *event)
{
    Sim *d = sim_of(event->device);
    sim_call(d);
    d->host = MAX(d->host, ((SimEvent *)event)->at);
    return OC_OK;
}

void device_after(oc_device *base, oc_stream *s, const oc_event *event)
{
    Sim *d = sim_of(base);
    SimStream *stream = work_stream(d, s);
    sim_call(d);
    stream->end = MAX(stream->end, ((const SimEvent *)event)->at);
}

oc_status sim_event_seconds(oc_event *from, oc_event *to, double *seconds)
{
    *seconds = ((SimEvent *)to)->at - ((SimEvent *)from)->at;
    return OC_OK;
}

// --- values that streams write and wait for --------------------------------------------------------------------------
// They take no time. Who has waited for one begins behind all that were written so far: which of them let it go on
// isn't looked at.
oc_status device_value(oc_device *base, oc_ptr at, uint32_t bytes, uint64_t *value)
{
    const void *p = sim_locate(sim_of(base), at, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    *value = bytes == 8 ? __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE)
                        : __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
    return OC_OK;
}

oc_status device_value_put(oc_device *base, oc_ptr at, uint32_t bytes, uint64_t value, oc_stream *s)
{
    Sim *d = sim_of(base);
    void *p = sim_locate(d, at, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    if (bytes == 8)
        __atomic_store_n((uint64_t *)p, value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_RELEASE);
    check_written(d->chip.check, at, bytes, true);
    sim_call(d);
    work_stream(d, s)->end = sim_free_from(d, s, 0);
    d->value_put = MAX(d->value_put, work_stream(d, s)->end);
    return OC_OK;
}

void device_value_met(oc_device *base, oc_stream *s)
{
    Sim *d = sim_of(base);
    sim_call(d);
    work_stream(d, s)->end = MAX(sim_free_from(d, s, 0), d->value_put);
}
