// trace.c: oc_trace: writes what happens over time in the trace event format that Perfetto, Chrome and speedscope open.
// Process 1 is the GPU: its kernels and copies are slices, and L2 and DRAM have curves. Every SM is a process of its
// own, with slices for its blocks and warps, a row for each place, and with curves: IPC, what became of the issue
// slots, warps (active, stalled, isolated), L1 hit rate, interference. What the scheduling policy does with a warp is
// an instant. Times are simulated microseconds. A curve falls to 0 where a kernel ends.
//
// speedscope (1.25) leaves out curves and instants, and each row's time begins at that row's first slice. So each row
// has an empty slice at 0, and rows are in step there, too.
#include "chip/chip.h"
#include "device/sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct Trace {
    TraceSink sink;
    FILE *out;
    char *path;
    double start, us_per_cycle;  // the launch under way
    double core_mhz;
    bool any, memory;               // memory: L2 and DRAM have curves in this launch
    VEC(bool) named, sampled, row;  // SMs: their process has a name; they have curves in this launch. Rows have names
    uint64_t slices;                // of blocks and warps
};

// Tracks of the GPU. What lies on one follows one another: on the chip (fills and copies within the device, too), on
// the way there, and on the way back.
enum { GPU = 1, FIRST_SM = 10, KERNELS = 1, TO_DEVICE = 2, TO_HOST = 3 };
// Rows of an SM: a block's place is a row, and so is a warp's. A file with more slices than MOST_SLICES wouldn't open.
enum { BLOCKS = 1, WARPS = 1000, ROWS = WARPS + OC_MOST_WARPS, MOST_SLICES = 1000000 };

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

// Names a row of slices, and begins it at 0.
static void name_slices(Trace *t, int process, int thread, const char *name)
{
    named(t, "thread_name", process, thread, name);
    begin(t, "X", "time 0", process, thread);
    put_time(t, "ts", tenths(0));
    put_time(t, "dur", 0);
    fputs(",\"args\":{}}", t->out);
}

static void curves(Trace *t, uint32_t sm, double at, const SmSample *s);
static void memory_curves(Trace *t, double at, double cycles, const uint64_t *grown);
static const uint64_t nothing[C_COUNT];

static void work(void *user, const char *what, const char *buffer, uint64_t bytes, double start, double end)
{
    Trace *t = user;
    if (end < 0) {  // a launch begins
        t->start = start * 1e6;
        return;
    }
    bool copy = bytes > 0;
    int track = !strcmp(what, "copy to the device") ? TO_DEVICE : !strcmp(what, "copy to the host") ? TO_HOST : KERNELS;
    Text name = {0};
    text_printf(&name, "%s%s%s", what, buffer ? ": " : "", buffer ? buffer : "");
    begin(t, "X", name.v, GPU, track);
    text_free(&name);
    put_time(t, "ts", tenths(start * 1e6));
    put_time(t, "dur", tenths(end * 1e6) - tenths(start * 1e6));
    if (copy) fprintf(t->out, ",\"args\":{\"bytes\":%llu}", (unsigned long long)bytes);
    fputs("}", t->out);
    for (uint32_t sm = 0; !copy && sm < t->sampled.n; sm++)
        if (t->sampled.v[sm])
            curves(t, sm, end * 1e6, &(SmSample){.to = 1, .grown = nothing}), t->sampled.v[sm] = false;
    if (!copy && t->memory) memory_curves(t, end * 1e6, 1, nothing), t->memory = false;
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
    uint64_t slots = s->grown[C_ISSUED];
    for (size_t k = 0; k < stall_cause_count; k++) slots += s->grown[stall_causes[k]];
    begin(t, "C", "issue slots, %", process_of(t, sm), 0);
    put_time(t, "ts", tenths(at));
    for (size_t k = 0; k <= stall_cause_count; k++) {
        Counter c = k ? stall_causes[k - 1] : C_ISSUED;
        fprintf(t->out, "%s\"%s\":%.4g", k ? "," : ",\"args\":{", strchr(counter_info[c].name, '.') + 1,
                slots ? 100.0 * (double)s->grown[c] / (double)slots : 0);
    }
    fputs("}}", t->out);
    begin(t, "C", "warps", process_of(t, sm), 0);
    put_time(t, "ts", tenths(at));
    fprintf(t->out, ",\"args\":{\"active\":%.4g,\"stalled\":%.4g,\"isolated\":%.4g}}", s->warps - s->stalled,
            s->stalled, s->isolated);
    curve(t, "L1 hit rate", sm, at, "%", s->l1_accesses ? 100.0 * (double)s->l1_hits / (double)s->l1_accesses : 0);
    curve(t, "interference", sm, at, "per 1000 instructions",
          s->instructions ? 1000.0 * (double)s->interference / (double)s->instructions : 0);
}

// L2 and DRAM from a time on.
static void memory_curves(Trace *t, double at, double cycles, const uint64_t *grown)
{
    const double gbs = t->core_mhz * 1e-3 / cycles;
    const struct {
        const char *name, *what[2];
        double value[2];
    } all[] = {{"L2 requests", {"per cycle"}, {(double)grown[C_L2_ACCESSES] / cycles}},
               {"L2 hit rate",
                {"%"},
                {grown[C_L2_ACCESSES] ? 100.0 * (double)grown[C_L2_HITS] / (double)grown[C_L2_ACCESSES] : 0}},
               {"DRAM, GB/s",
                {"read", "written"},
                {gbs * (double)grown[C_DRAM_READ_BYTES], gbs * (double)grown[C_DRAM_WRITE_BYTES]}}};
    for (size_t k = 0; k < COUNT(all); k++) {
        begin(t, "C", all[k].name, GPU, 0);
        put_time(t, "ts", tenths(at));
        fputs(",\"args\":{", t->out);
        for (int n = 0; n < 2 && all[k].what[n]; n++)
            fprintf(t->out, "%s\"%s\":%.6g", n ? "," : "", all[k].what[n], all[k].value[n]);
        fputs("}}", t->out);
    }
}

static void gpu(void *user, uint64_t from, uint64_t to, const uint64_t *grown)
{
    Trace *t = user;
    t->memory = true;
    memory_curves(t, t->start + (double)from * t->us_per_cycle, (double)(to - from), grown);
}

static void name_row(Trace *t, uint32_t sm, uint32_t row)
{
    size_t at = (size_t)sm * ROWS + row;
    char name[32];
    while (t->row.n <= at) vec_push(&t->row, false);
    if (t->row.v[at]) return;
    t->row.v[at] = true;
    snprintf(name, sizeof name, row < WARPS ? "block's place %u" : "warp's place %u",
             row < WARPS ? row - BLOCKS : row - WARPS);
    name_slices(t, process_of(t, sm), (int)row, name);
}

static void span(void *user, uint32_t sm, const SmSpan *s)
{
    Trace *t = user;
    bool block = s->warp == WHOLE_BLOCK;
    uint32_t row = (block ? BLOCKS : WARPS) + s->slot;
    double from = t->start + (double)s->from * t->us_per_cycle, to = t->start + (double)s->to * t->us_per_cycle;
    char name[64];
    if (t->slices++ >= MOST_SLICES) return;
    if (block)
        snprintf(name, sizeof name, "block %llu", (unsigned long long)s->block);
    else
        snprintf(name, sizeof name, "block %llu, warp %u", (unsigned long long)s->block, s->warp);
    name_row(t, sm, row);
    begin(t, "X", name, process_of(t, sm), (int)row);
    put_time(t, "ts", tenths(from));
    put_time(t, "dur", tenths(to) - tenths(from));
    fprintf(t->out, ",\"args\":{\"cycles\":%llu}}", (unsigned long long)(s->to - s->from));
    if (t->slices < MOST_SLICES) return;
    begin(t, "i", "later blocks and warps aren't shown", GPU, KERNELS);
    fputs(",\"s\":\"g\"", t->out);
    put_time(t, "ts", tenths(to));
    fputs("}", t->out);
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

oc_status sim_trace(oc_device *base, const char *path, uint64_t interval, const char *what)
{
    Sim *d = sim_of(base);
    oc_status status = sim_trace_end(d);
    if (!path) return status;
    if (d->foretell)
        return fail(d, OC_BAD_ARGUMENT, "a sampled run has no trace: a part of each launch isn't timed (sample)");
    FILE *out = fopen(path, "w");
    if (!out) return fail(d, OC_BAD_FILE, "can't write %s: %s", path, strerror(errno));
    Trace *t = d->trace = mem_alloc(sizeof *t);
    t->out = out;
    t->path = mem_text(path);
    t->core_mhz = d->gpu.core_mhz;
    t->us_per_cycle = 1 / t->core_mhz;
    t->sink = (TraceSink){.interval = interval ? interval : 1000,
                          .sample = sample,
                          .gpu = gpu,
                          .event = event,
                          .span = span,
                          .work = work,
                          .user = t};
    Json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    if (what) json_string(&j, "program", what);
    json_string(&j, "gpu", d->gpu.name);
    json_string(&j, "scheduler", d->gpu.sm.schedule->name);
    json_uint(&j, "interval", t->sink.interval);
    json_close(&j, '}');
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":%s,\"traceEvents\":[", j.text.v);
    json_free(&j);
    named(t, "process_name", GPU, 0, d->gpu.name);
    name_slices(t, GPU, KERNELS, "kernels");
    name_slices(t, GPU, TO_DEVICE, "copies to the device");
    name_slices(t, GPU, TO_HOST, "copies to the host");
    return status;
}

oc_status sim_trace_end(Sim *d)
{
    Trace *t = d->trace;
    if (!t) return OC_OK;
    d->trace = NULL;
    fputs("\n]}\n", t->out);
    bool ok = !ferror(t->out);
    ok &= fclose(t->out) == 0;
    oc_status status = ok ? OC_OK : fail(d, OC_BAD_FILE, "can't write %s: %s", t->path, strerror(errno));
    vec_free(&t->named), vec_free(&t->sampled), vec_free(&t->row);
    mem_free(t->path), mem_free(t);
    return status;
}

const TraceSink *sim_trace_sink(const Sim *d) { return d->trace ? &d->trace->sink : NULL; }
