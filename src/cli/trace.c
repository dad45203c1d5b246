// trace.c: onchip run --trace: writes what happens over time in the trace event format that Perfetto and Chrome open.
// Process 1 is the GPU: its kernels and copies are slices. Every SM is a process of its own, with curves: IPC, warps
// (active, stalled, isolated), L1 hit rate, interference. What the scheduling policy does with a warp is an instant.
// Times are simulated microseconds. A curve falls to 0 where a kernel ends.
#include "chip/chip.h"
#include "cli/cli.h"
#include "device/device.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct Trace {
    TraceSink sink;
    FILE *out;
    double start, us_per_cycle;  // the launch under way
    bool any;
    VEC(bool) named, sampled;  // SMs: their process has a name; they have curves in this launch
};

// Tracks of the GPU. What lies on one follows one another: on the chip (fills and copies within the device, too), on
// the way there, and on the way back.
enum { GPU = 1, FIRST_SM = 10, KERNELS = 1, TO_DEVICE = 2, TO_HOST = 3 };

// A text, quoted as JSON needs it.
static void put_string(Trace *t, const char *text)
{
    Json j = {0};
    json_string(&j, NULL, text);
    fputs(j.text.v, t->out);
    json_free(&j);
}

// The beginning of an event, up to its own fields.
static void begin(Trace *t, const char *phase, const char *name, int process, int thread)
{
    fprintf(t->out, "%s\n{\"ph\":\"%s\",\"name\":", t->any ? "," : "", phase);
    put_string(t, name);
    fprintf(t->out, ",\"pid\":%d,\"tid\":%d", process, thread);
    t->any = true;
}

// Microseconds as they are written, in tenths of a nanosecond. Viewers multiply them as doubles and cut them to whole
// nanoseconds, which must not let a slice reach into the next one: so every time ends in an odd tenth, and lies at no
// edge. What lasts from one time to another is their difference as written.
static int64_t tenths(double us) { return (int64_t)floor(us * 5e3) * 2 + 1; }

static void put_time(Trace *t, const char *key, int64_t tenths)
{
    fprintf(t->out, ",\"%s\":%lld.%04lld", key, (long long)(tenths / 10000), (long long)(tenths % 10000));
}

static void named(Trace *t, const char *what, int process, int thread, const char *name)
{
    begin(t, "M", what, process, thread);
    fputs(",\"args\":{\"name\":", t->out);
    put_string(t, name);
    fputs("}}", t->out);
}

static void curves(Trace *t, uint32_t sm, double at, const SmSample *s);

static void work(void *user, const char *what, uint64_t bytes, double start, double end)
{
    Trace *t = user;
    if (end < 0) {  // a launch begins
        t->start = start * 1e6;
        return;
    }
    bool copy = bytes > 0;
    int track = !strcmp(what, "copy to the device") ? TO_DEVICE : !strcmp(what, "copy to the host") ? TO_HOST : KERNELS;
    begin(t, "X", what, GPU, track);
    put_time(t, "ts", tenths(start * 1e6));
    put_time(t, "dur", tenths(end * 1e6) - tenths(start * 1e6));
    if (copy) fprintf(t->out, ",\"args\":{\"bytes\":%llu}", (unsigned long long)bytes);
    fputs("}", t->out);
    for (uint32_t sm = 0; !copy && sm < t->sampled.n; sm++)
        if (t->sampled.v[sm]) curves(t, sm, end * 1e6, &(SmSample){.to = 1}), t->sampled.v[sm] = false;
}

static int process_of(Trace *t, uint32_t sm)
{
    while (t->named.n <= sm) vec_push(&t->named, false);
    if (!t->named.v[sm]) {
        char name[24];
        snprintf(name, sizeof name, "SM %u", sm);
        t->named.v[sm] = true;
        named(t, "process_name", FIRST_SM + (int)sm, 0, name);
    }
    return FIRST_SM + (int)sm;
}

static void curve(Trace *t, const char *name, uint32_t sm, double at, const char *what, double value)
{
    begin(t, "C", name, process_of(t, sm), 0);
    put_time(t, "ts", tenths(at));
    fprintf(t->out, ",\"args\":{\"%s\":%.6g}}", what, value);
}

// The curves' values from a time on.
static void curves(Trace *t, uint32_t sm, double at, const SmSample *s)
{
    curve(t, "IPC", sm, at, "instructions per cycle", (double)s->instructions / (double)(s->to - s->from));
    begin(t, "C", "warps", process_of(t, sm), 0);
    put_time(t, "ts", tenths(at));
    fprintf(t->out, ",\"args\":{\"active\":%.4g,\"stalled\":%.4g,\"isolated\":%.4g}}", s->warps - s->stalled,
            s->stalled, s->isolated);
    curve(t, "L1 hit rate", sm, at, "%", s->l1_accesses ? 100.0 * (double)s->l1_hits / (double)s->l1_accesses : 0);
    curve(t, "interference", sm, at, "per 1000 instructions",
          s->instructions ? 1000.0 * (double)s->interference / (double)s->instructions : 0);
}

static void sample(void *user, uint32_t sm, const SmSample *s)
{
    Trace *t = user;
    while (t->sampled.n <= sm) vec_push(&t->sampled, false);
    t->sampled.v[sm] = true;
    curves(t, sm, t->start + (double)s->from * t->us_per_cycle, s);
}

static void event(void *user, uint64_t cycle, uint32_t sm, uint32_t warp, TraceKind kind)
{
    static const char *const names[] = {
        [TRACE_STALL] = "stall", [TRACE_RELEASE] = "release", [TRACE_ISOLATE] = "isolate", [TRACE_RETURN] = "return"};
    Trace *t = user;
    begin(t, "i", names[kind], process_of(t, sm), 0);
    fputs(",\"s\":\"p\"", t->out);
    put_time(t, "ts", tenths(t->start + (double)cycle * t->us_per_cycle));
    fprintf(t->out, ",\"args\":{\"warp\":%u}}", warp);
}

Trace *trace_open(const char *path, uint64_t interval, oc_device *d, const char *what)
{
    FILE *out = fopen(path, "w");
    if (!out) return NULL;
    Trace *t = mem_alloc(sizeof *t);
    t->out = out;
    t->us_per_cycle = 1 / device_gpu(d)->core_mhz;
    t->sink = (TraceSink){.interval = interval, .sample = sample, .event = event, .work = work, .user = t};
    Json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    json_string(&j, "program", what);
    json_string(&j, "gpu", device_gpu(d)->name);
    json_string(&j, "scheduler", device_gpu(d)->sm.schedule->name);
    json_uint(&j, "interval", interval);
    json_close(&j, '}');
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":%s,\"traceEvents\":[", j.text.v);
    json_free(&j);
    named(t, "process_name", GPU, 0, device_gpu(d)->name);
    named(t, "thread_name", GPU, KERNELS, "kernels");
    named(t, "thread_name", GPU, TO_DEVICE, "copies to the device");
    named(t, "thread_name", GPU, TO_HOST, "copies to the host");
    device_trace(d, &t->sink);
    return t;
}

bool trace_close(Trace *t, oc_device *d)
{
    device_trace(d, NULL);
    fputs("\n]}\n", t->out);
    bool ok = !ferror(t->out);
    ok &= fclose(t->out) == 0;
    vec_free(&t->named), vec_free(&t->sampled);
    mem_free(t);
    return ok;
}
