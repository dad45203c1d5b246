// queue.c: launches that wait until somebody needs them done, and what is done with values in the order of a stream:
// they are written, or waited for.
//
// Where a value isn't there, what comes after it in its stream is held, until the program's processes or another stream
// have written it. Invariant: what is left behind queue_run is held, and each of it begins with such a wait.
#include "serve/unit.h"

#include <inttypes.h>
#include <string.h>

void serve_tell(const Serving *s) { s->o->tell(s->o->user, oc_error(s->device)); }

// What CUDA returns for a kernel's fault.
static const int of_fault[] = {
#define FAULT(id, place, cuda, text) [FAULT_##id] = cuda,
#include "exec/faults.def"
#undef FAULT
};

int serve_result(const Serving *s, oc_status status)
{
    switch (status) {
    case OC_OK: return SUCCESS;
    case OC_BAD_ARGUMENT: return INVALID_VALUE;
    case OC_BAD_FILE: return INVALID_PTX;
    case OC_UNSUPPORTED: return NOT_SUPPORTED;
    case OC_OUT_OF_MEMORY: return OUT_OF_MEMORY;
    case OC_FAULT: return of_fault[device_fault(s->device)];
    case OC_HANG:
    case OC_LIMIT:
    case OC_STOPPED: return TIMEOUT;
    }
    return INVALID_VALUE;
}

// --- what waits ------------------------------------------------------------------------------------------------------
void queue_add(Guest *g, const Waiting *w)
{
    Waiting all = *w;
    all.node = g->nodes, all.graph = g->graph;
    vec_push(&g->waiting, all);
    g->calls += !all.node;
    g->held = false;
}

static void release(Waiting *w) { mem_free(w->params), mem_free(w->args); }

void queue_drop(Guest *g)
{
    for (size_t k = 0; k < g->waiting.n; k++) release(&g->waiting.v[k]);
    g->waiting.n = 0;
    g->calls = 0;
    g->held = false;
}

static bool is_wait(const Waiting *w) { return !w->kernel && !(w->what & WIRE_PUTS); }
static uint32_t bytes_of(const Waiting *w) { return w->what & WIRE_LONG ? 8 : 4; }

// The default stream comes before and after all others.
static bool comes_after(const oc_stream *stream, const Waiting *held, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!stream || !held[k].stream || held[k].stream == stream) return true;
    return false;
}

bool queue_holds(const Guest *g, const oc_stream *stream)
{
    return g->held && comes_after(stream, g->waiting.v, g->waiting.n);
}

// --- values ----------------------------------------------------------------------------------------------------------
// CUstreamWaitValue_flags; the first comparison ignores that numbers wrap around.
static bool is_met(const Waiting *w, uint64_t there)
{
    enum { GREATER_OR_EQUAL, EQUAL, AND, NOR };
    const uint64_t all = w->what & WIRE_LONG ? UINT64_MAX : UINT32_MAX, sign = all / 2 + 1, value = w->value & all;
    switch (w->what & WIRE_COMPARISON) {
    case GREATER_OR_EQUAL: return !((there - value) & sign);
    case EQUAL: return there == value;
    case AND: return (there & value) != 0;
    default: return (~(there | value) & all) != 0;
    }
}

// False: the value isn't there.
static bool run_value(Serving *s, const Waiting *w, oc_status *status)
{
    uint64_t there;
    if (!is_wait(w)) {
        *status = device_value_put(s->device, w->at, bytes_of(w), w->value, w->stream);
        return true;
    }
    *status = device_value(s->device, w->at, bytes_of(w), &there);
    if (*status != OC_OK) return true;
    if (is_met(w, there)) return device_value_met(s->device, w->stream), true;
    return false;
}

// --- running ---------------------------------------------------------------------------------------------------------
static oc_status launch(Serving *s, Waiting *w)
{
    device_cooperate(s->device, w->cooperative ? s->guest->workspace : 0);
    oc_status status = oc_cluster(w->kernel, w->cluster);
    if (status == OC_OK) status = oc_launch(w->kernel, w->grid, w->block, w->smem, w->stream, w->args);
    return status;
}

static void keep_error(Serving *s, oc_status status)
{
    s->guest->failed = serve_result(s, status), serve_tell(s);
    s->guest->untold |= status != OC_LIMIT && status != OC_STOPPED;  // the user wanted these
    s->guest->sticky = status == OC_FAULT || status == OC_HANG || status == OC_LIMIT || status == OC_STOPPED;
}

// False: it is held.
static bool run_one(Serving *s, Waiting *w)
{
    oc_status status = OC_OK;
    if (!s->guest->failed) {
        device_node(s->device, w->node ? &w->graph : NULL);
        if (w->kernel)
            status = launch(s, w);
        else if (!run_value(s, w, &status))
            return false;
        if (status != OC_OK) keep_error(s, status);
        if (w->kernel) oc_forget(s->device, s->o->keep);
        if (w->kernel && s->o->ran) s->o->ran(s->o->user);
    }
    s->guest->calls -= !w->node;
    release(w);
    return true;
}

// What kernels print is for the process that has launched them.
static void take_printed(Serving *s)
{
    if (s->printed->n) text_add(&s->guest->printed, s->printed->v, s->printed->n);
    s->printed->n = 0;
}

// Returns how much is held.
static size_t run_once(Serving *s)
{
    Guest *g = s->guest;
    size_t held = 0;
    for (size_t k = 0; k < g->waiting.n; k++) {
        Waiting w = g->waiting.v[k];
        if (comes_after(w.stream, g->waiting.v, held) || !run_one(s, &w)) g->waiting.v[held++] = w;
    }
    return held;
}

// What has run may have written the value for which something before it is held.
void queue_run(Serving *s)
{
    Guest *g = s->guest;
    for (size_t before = SIZE_MAX; g->waiting.n && g->waiting.n < before;) {
        before = g->waiting.n;
        g->waiting.n = run_once(s);
    }
    g->held = g->waiting.n > 0;
    if (g->sticky) queue_drop(g);
    take_printed(s);
}

void queue_fail(Serving *s)
{
    Guest *g = s->guest;
    Text line = {0};
    uint64_t there = 0;
    size_t k = 0;
    while (k < g->waiting.n && !is_wait(&g->waiting.v[k])) k++;
    if (k == g->waiting.n) return;
    const Waiting *w = &g->waiting.v[k];
    device_value(s->device, w->at, bytes_of(w), &there);
    text_printf(
        &line,
        "a stream waits for a value at 0x%" PRIx64 " (%s %" PRIu64 "), where %" PRIu64
        " is: nothing that the program has asked for writes it, and nobody else does. Until a value is there, "
        "only launches and other values can come after it in its stream",
        w->at,
        ((const char *const[]){"at least", "exactly", "a bit of", "not all bits with"})[w->what & WIRE_COMPARISON],
        w->value, there);
    s->o->tell(s->o->user, line.v);
    text_free(&line);
    queue_drop(g);
    g->failed = TIMEOUT, g->sticky = g->untold = true;
}
