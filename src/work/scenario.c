// scenario.c: runs a program whose input is larger than the GPU's memory, in the scenarios of S-L1, §4.3.
//
// All scenarios but the CPU's are one loop over chunks. A chunk that is under way has a slot: buffers and a stream.
// What is done to a chunk stands in its stream in order, so that only the engines decide what overlaps. With one slot
// nothing overlaps. With two, a copy and a kernel do (double buffering).
//
// BigKernel (Mokhtari and Stumm, IPDPS 2014) has more stages: the device lists the bytes that a chunk's threads will
// read, the CPU assembles these bytes, and only they are copied. An engine takes its work in the order in which it was
// given, so that work which waits for another stage would hold up the rest. That is why lists are asked for some chunks
// ahead, and results are fetched some chunks behind.
#include "work/stream.h"

#include "device/device.h"
#include "gpu/gpu.h"
#include "sl1/sl1.h"

#include <sched.h>
#include <string.h>

const char *const scenario_names[SCENARIOS + 1] = {"cpu", "single", "double", "bigkernel", "sl1", NULL};

#define STREAMED(name) extern const StreamProgram streamed_##name;
#include "work/stream.def"
#undef STREAMED
const StreamProgram *const stream_programs[] = {
#define STREAMED(name) &streamed_##name,
#include "work/stream.def"
#undef STREAMED
    NULL,
};
const char *const stream_names[] = {
#define STREAMED(name) #name,
#include "work/stream.def"
#undef STREAMED
    NULL,
};

typedef struct Slot {  // what a chunk that is under way has
    oc_stream *stream;
    StreamChunk chunk;
    WorkBuf data, index, lists, results;
    uint32_t *index_host, *lists_host;  // these and the next two are pinned memory of the host
    uint8_t *feed, *results_host;
    size_t feed_bytes;
} Slot;
typedef struct Span {  // the time that one piece of a stage's work took on a real device
    oc_event *from, *to;
    StreamStage stage;
} Span;
typedef struct Run {
    Work *work;
    oc_device *device;
    const StreamProgram *program;
    const StreamOptions *options;
    StreamReport *report;
    StreamInput in;
    oc_dim3 grid, block;
    uint32_t threads, unit;
    bool assembled;
    VEC(StreamChunk) chunks;
    VEC(Slot) slots;
    VEC(Span) spans;
    Crew *crew;
    uint32_t list_words;  // of a thread's list, at most
    uint32_t *head;       // of the feed that is being assembled
    void *got, *want;
    double busy;
} Run;

// --- the host's CPU --------------------------------------------------------------------------------------------------
static uint32_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

typedef struct CpuPass {
    const Run *run;
    int pass;
    uint32_t threads;
    void *result;
    uint8_t *partial;
} CpuPass;

// The byte at which the share of thread k of n begins. Where there are lines, it begins a line.
static size_t share_begin(const Run *r, uint32_t k, uint32_t n)
{
    size_t at = r->in.size / n * k + r->in.size % n * k / n;
    if (r->in.lines)
        while (at > 0 && at < r->in.size && r->in.bytes[at - 1] != '\n') at++;
    return at;
}

static uint8_t *partial_of(const CpuPass *p, uint32_t k)
{
    return p->partial + k * ((p->run->in.partial_bytes + 63) / 64 * 64);
}  // a cache line is one thread's

static void cpu_share(void *user, uint32_t k)
{
    const CpuPass *p = user;
    p->run->program->cpu(&p->run->in, p->pass, share_begin(p->run, k, p->threads),
                         share_begin(p->run, k + 1, p->threads), p->result, partial_of(p, k));
}

static double run_cpu(Run *r, Crew *crew, uint32_t threads, void *result)
{
    double start = seconds_now();
    for (int pass = 0; pass < r->program->passes; pass++) {
        CpuPass p = {r, pass, threads, result, mem_alloc(threads * (r->in.partial_bytes + 64))};
        crew_run(crew, 0, threads, cpu_share, &p);
        for (uint32_t k = 0; k < threads && r->in.partial_bytes; k++)
            r->program->merge(&r->in, pass, partial_of(&p, k), result);
        mem_free(p.partial);
    }
    return seconds_now() - start;
}

// --- stages ----------------------------------------------------------------------------------------------------------
// Time of a stage: a simulated device tells how long its engines are busy with what they were given. On a real device
// an event in the stream before the work and one behind it tell.
static void stage_begin(Run *r, Slot *s, StreamStage stage)
{
    Span span = {.stage = stage};
    if (!work_ok(r->work)) return;
    if (!oc_describe(r->device).real) {
        r->busy = device_busy_seconds(r->device);
        return;
    }
    work_good(r->work, oc_event_create(r->device, &span.from));
    if (work_ok(r->work)) work_good(r->work, oc_event_create(r->device, &span.to));
    if (work_ok(r->work)) work_good(r->work, oc_event_record(span.from, s->stream));
    vec_push(&r->spans, span);
}

static void stage_end(Run *r, Slot *s, StreamStage stage)
{
    if (!work_ok(r->work)) return;
    if (oc_describe(r->device).real)
        work_good(r->work, oc_event_record(r->spans.v[r->spans.n - 1].to, s->stream));
    else
        r->report->stage[stage] += device_busy_seconds(r->device) - r->busy;
}

static void add_spans(Run *r)
{
    for (size_t k = 0; k < r->spans.n; k++) {
        double seconds = 0;
        if (work_ok(r->work)) work_good(r->work, oc_event_seconds(r->spans.v[k].from, r->spans.v[k].to, &seconds));
        r->report->stage[r->spans.v[k].stage] += seconds;
        if (r->spans.v[k].from) oc_event_destroy(r->spans.v[k].from);
        if (r->spans.v[k].to) oc_event_destroy(r->spans.v[k].to);
    }
    vec_free(&r->spans);
}

static void copy_in(Run *r, Slot *s, WorkBuf to, const void *from, size_t bytes)
{
    stage_begin(r, s, STAGE_TRANSFER);
    work_write(r->work, to, from, bytes);
    stage_end(r, s, STAGE_TRANSFER);
}

static void copy_out(Run *r, Slot *s, void *to, WorkBuf from, size_t bytes)
{
    stage_begin(r, s, STAGE_TRANSFER);
    work_read(r->work, to, from, bytes);
    stage_end(r, s, STAGE_TRANSFER);
}

// Sends the chunk's part of the index to the device and has it make its threads' lists. answer copies them back.
static void ask(Run *r, Slot *s)
{
    const StreamChunk *c = &s->chunk;
    const bool lines = r->in.lines;
    const size_t n = lines ? c->lines : c->bytes;
    work_on(r->work, s->stream);
    if (lines) {
        size_t at = 0;
        for (size_t k = 0, t = 0; k <= n; k++) {
            for (; t < r->threads && MIN((size_t)t * c->each, n) == k; t++) s->index_host[t] = (uint32_t)at;
            if (k < n) at += (s->index_host[r->threads + k] = r->in.lines[c->line + k]) & STREAM_LINE_MAX;
        }
        copy_in(r, s, s->index, s->index_host, (r->threads + n) * sizeof(uint32_t));
    }
    stage_begin(r, s, STAGE_GATHER);
    work_launch(r->work, r->program->gather, r->grid, r->block, 0,
                ARGS(arg_i32((int64_t)n), arg_i32(c->each), arg_buf(s->index), arg_buf(s->lists)));
    stage_end(r, s, STAGE_GATHER);
}

static void answer(Run *r, Slot *s)
{
    work_on(r->work, s->stream);
    copy_out(r, s, s->lists_host, s->lists, (size_t)r->list_words * r->threads * sizeof(uint32_t));
}

static void pin(Run *r, size_t bytes, void *memory)
{
    if (work_ok(r->work)) work_good(r->work, device_pin(r->device, bytes, memory));
}

// How long a feed gets depends on how much the lanes differ, which isn't known before: buffers grow when they must.
static void make_room(Run *r, Slot *s, size_t bytes)
{
    if (bytes <= s->feed_bytes) return;
    bytes += bytes / 8;
    if (s->feed) device_unpin(r->device, s->feed);
    if (s->data.ptr) work_good(r->work, oc_free(r->device, s->data.ptr));
    r->report->buffers += bytes - s->feed_bytes;
    s->feed = NULL, s->data = (WorkBuf){0, bytes}, s->feed_bytes = bytes;
    pin(r, bytes, &s->feed);
    if (work_ok(r->work)) work_good(r->work, oc_malloc(r->device, bytes, "assembled", &s->data.ptr));
}

static void feed(Run *r, Slot *s)
{
    const uint8_t *chunk = r->in.bytes + s->chunk.at;
    stage_begin(r, s, STAGE_ASSEMBLE);
    const size_t bytes = assemble_measure(r->crew, s->lists_host, r->threads, r->unit, r->head);
    make_room(r, s, bytes);
    if (work_ok(r->work)) assemble(r->crew, s->lists_host, r->threads, r->unit, chunk, r->head, s->feed);
    if (work_ok(r->work)) device_gather(r->device, bytes, s->stream);
    stage_end(r, s, STAGE_ASSEMBLE);
    copy_in(r, s, s->data, s->feed, bytes);
}

static void compute(Run *r, Slot *s)
{
    StreamChunk *c = &s->chunk;
    work_on(r->work, s->stream);
    if (r->assembled) {
        if (work_ok(r->work)) work_good(r->work, device_wait(r->device, s->stream));  // until the lists are here
        if (work_ok(r->work)) feed(r, s);
    } else {
        copy_in(r, s, s->data, r->in.bytes + c->at, c->bytes);
    }
    c->data = s->data, c->results = s->results;
    stage_begin(r, s, STAGE_COMPUTE);
    if (r->program->room && r->program->blank)
        work_fill(r->work, (WorkBuf){s->results.ptr, r->program->room(&r->in, c)}, r->program->blank);
    (r->assembled ? r->program->compute : r->program->plain)(r->work, &r->in, c);
    stage_end(r, s, STAGE_COMPUTE);
}

static void take(Run *r, Slot *s)
{
    if (!r->program->room) return;
    work_on(r->work, s->stream);
    copy_out(r, s, s->results_host, s->results, r->program->room(&r->in, &s->chunk));
    if (work_ok(r->work)) work_good(r->work, device_wait(r->device, s->stream));
    if (work_ok(r->work)) r->program->take(&r->in, &s->chunk, s->results_host, r->got);
}

// --- chunks and buffers ----------------------------------------------------------------------------------------------
static void cut(Run *r)
{
    const StreamInput *in = &r->in;
    StreamChunk c = {
        .grid = r->grid, .block = r->block, .threads = r->threads, .assembled = r->assembled, .unit = r->unit};
    while (c.at < in->size && work_ok(r->work)) {
        c.bytes = in->lines ? 0 : MIN(r->options->chunk, in->size - c.at);
        c.lines = 0;
        for (; in->lines && c.line + c.lines < in->line_count; c.lines++) {
            const uint32_t bytes = in->lines[c.line + c.lines] & STREAM_LINE_MAX;
            if (c.bytes + bytes > r->options->chunk) break;
            c.bytes += bytes;
        }
        if (!c.bytes) work_fail(r->work, "a chunk of %zu bytes has no room for a line", r->options->chunk);
        c.each = (uint32_t)(((in->lines && r->assembled ? c.lines : c.bytes) + r->threads - 1) / r->threads);
        vec_push(&r->chunks, c);
        c.at += c.bytes, c.line += c.lines;
    }
}

static WorkBuf chunk_memory(Run *r, const char *label, size_t bytes)
{
    if (bytes) r->report->buffers += bytes;
    return bytes ? work_device(r->work, label, bytes) : (WorkBuf){0, 0};
}

static void open_slots(Run *r, uint32_t n)
{
    size_t lines = 0, bytes = 0, results = 0;
    uint32_t each = 0;
    for (size_t k = 0; k < r->chunks.n; k++) {
        const StreamChunk *c = &r->chunks.v[k];
        lines = MAX(lines, c->lines), bytes = MAX(bytes, c->bytes), each = MAX(each, c->each);
        if (r->program->room) results = MAX(results, r->program->room(&r->in, c));
    }
    // A thread that reads lines has a run for each; one that reads bytes has runs of at most 2^16 − 1 of them.
    r->list_words = (r->in.lines ? each : (each + 65534) / 65535) + 2;
    r->head = work_host(r->work, assemble_head(r->threads));
    for (uint32_t k = 0; k < n && work_ok(r->work); k++) {
        Slot s = {.stream = NULL};
        work_good(r->work, oc_stream_create(r->device, &s.stream));
        if (results) s.results = chunk_memory(r, "results", results), pin(r, results, &s.results_host);
        if (r->assembled && r->in.lines) {
            const size_t index = (r->threads + lines) * sizeof(uint32_t);
            s.index = chunk_memory(r, "index", index), pin(r, index, &s.index_host);
        }
        if (r->assembled) {
            const size_t of_lists = (size_t)r->list_words * r->threads * sizeof(uint32_t);
            s.lists = chunk_memory(r, "lists", of_lists), pin(r, of_lists, &s.lists_host);
        } else {
            s.data = chunk_memory(r, "chunk", bytes + r->threads);  // plain may fill up the shares of the last threads
        }
        vec_push(&r->slots, s);
    }
}

static void close_slots(Run *r)
{
    for (size_t k = 0; k < r->slots.n; k++) {
        Slot *s = &r->slots.v[k];
        device_unpin(r->device, s->index_host), device_unpin(r->device, s->lists_host);
        device_unpin(r->device, s->feed), device_unpin(r->device, s->results_host);
        if (r->assembled) oc_free(r->device, s->data.ptr);
        if (s->stream) oc_stream_destroy(s->stream);
    }
    vec_free(&r->slots);
}

// --- the loop --------------------------------------------------------------------------------------------------------
static void flow(Run *r, int pass)
{
    const size_t n = r->chunks.n, buffers = r->slots.n;
    // behind: steps of the loop from a chunk's lists to its results. ahead: steps from its lists to its computation.
    // Where there are buffers enough, one more is left free, so that the next lists needn't wait for results.
    const size_t behind = buffers > 3 ? buffers - 2 : buffers - 1, ahead = r->assembled && behind ? behind - 1 : 0;
    for (size_t s = 0; s < n + behind && work_ok(r->work); s++) {
        if (s < n) {
            Slot *slot = &r->slots.v[s % buffers];
            slot->chunk = r->chunks.v[s];
            slot->chunk.pass = pass;
            if (r->assembled) ask(r, slot);
            if (r->assembled && !ahead) answer(r, slot);
        }
        if (s >= ahead && s - ahead < n) compute(r, &r->slots.v[(s - ahead) % buffers]);
        // The lists come back behind the copy of an earlier chunk: they are made only after a chunk before is computed.
        if (s < n && r->assembled && ahead) answer(r, &r->slots.v[s % buffers]);
        if (s >= behind) take(r, &r->slots.v[(s - behind) % buffers]);
    }
    work_on(r->work, NULL);
    if (work_ok(r->work)) work_good(r->work, oc_synchronize(r->device, NULL));
}

static void run_device(Run *r)
{
    oc_event *from = NULL, *to = NULL;
    StreamReport *p = r->report;
    cut(r);
    open_slots(r, r->options->scenario == SCENARIO_SINGLE   ? 1
                  : r->options->scenario == SCENARIO_DOUBLE ? 2
                                                            : MAX(r->options->buffers, 1));
    if (work_ok(r->work)) work_good(r->work, oc_event_create(r->device, &from));
    if (work_ok(r->work)) work_good(r->work, oc_event_create(r->device, &to));
    if (work_ok(r->work)) work_good(r->work, oc_synchronize(r->device, NULL));
    const uint64_t to_device = work_moved(r->work, true), to_host = work_moved(r->work, false);
    if (work_ok(r->work)) work_good(r->work, oc_event_record(from, NULL));
    device_queue(r->device, true);
    for (int pass = 0; pass < r->program->passes; pass++) flow(r, pass);
    device_queue(r->device, false);
    if (work_ok(r->work) && r->program->finish) r->program->finish(r->work, &r->in, r->got);
    if (work_ok(r->work)) work_good(r->work, oc_event_record(to, NULL));
    if (work_ok(r->work)) work_good(r->work, oc_event_seconds(from, to, &p->seconds));
    add_spans(r);
    p->to_device = work_moved(r->work, true) - to_device, p->to_host = work_moved(r->work, false) - to_host;
    p->chunks = r->chunks.n;
    if (from) oc_event_destroy(from);
    if (to) oc_event_destroy(to);
    close_slots(r);
    vec_free(&r->chunks);
}

static void run_stream(Work *w, void *user)
{
    Run *r = user;
    const uint32_t cores = processors();
    uint8_t *pinned = NULL;
    r->work = w;
    r->grid = (oc_dim3){work_blocks(w, "blocks"), 1, 1}, r->block = (oc_dim3){(uint32_t)work_param(w, "threads"), 1, 1};
    r->threads = r->grid.x * r->block.x;
    if (r->block.x % 32) work_refuse(w, "threads", "a multiple of 32");
    r->program->make(w, &r->in);
    // The input lies in pinned memory, so that plain chunks are copied to the device from where they are.
    pin(r, r->in.size, &pinned);
    if (work_ok(w)) r->in.bytes = memcpy(pinned, r->in.bytes, r->in.size);
    r->got = work_host(w, r->in.result_bytes), r->want = work_host(w, r->in.result_bytes);
    if (work_ok(w)) {
        StreamReport *p = r->report;
        p->input = r->in.size, p->processors = cores;
        p->host_serial = run_cpu(r, NULL, 1, r->want);
        if (r->options->scenario == SCENARIO_CPU || oc_describe(r->device).real) r->crew = crew_open(cores);
        if (r->options->scenario == SCENARIO_CPU)
            p->seconds = p->host_parallel = run_cpu(r, r->crew, cores, r->got);
        else
            run_device(r);
        crew_close(r->crew);
    }
    if (work_ok(w)) r->program->check(w, &r->in, r->got, r->want);
    if (pinned) device_unpin(r->device, pinned);
}

bool stream_run(oc_device *device, const StreamProgram *program, const StreamOptions *o, StreamReport *report,
                WorkResult *result)
{
    const bool soft = o->scenario == SCENARIO_SL1;
    Run r = {.device = device,
             .program = program,
             .options = o,
             .report = report,
             .unit = o->unit ? o->unit
                     : soft  ? sl1_defaults.line
                             : 4,
             .assembled = soft || o->scenario == SCENARIO_BIGKERNEL};
    *report = (StreamReport){.seconds = 0};
    Sl1Options sl1 = sl1_defaults;
    if (o->threshold) sl1.threshold = o->threshold;
    SoftL1 *software = soft ? soft_l1_open(device, &sl1) : NULL;
    bool ok = workload_run(device, workload_find(program->workload),
                           &(WorkOptions){.params = o->params, .run = run_stream, .user = &r}, result);
    if (soft) device_transform(device, &(Transform){.user = NULL});
    soft_l1_close(software);
    return ok;
}
