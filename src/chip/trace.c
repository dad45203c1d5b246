// trace.c: what a launch does over time, for a sink: per SM a sample every so many cycles, one of L2 and DRAM, blocks
// and warps when they are over, and an event whenever the scheduling policy has stalled, released, isolated or sent
// back a warp. All is looked at when a window is over. So an event's time is that of an edge; a block and a warp know
// their own cycles. Nothing of it costs when nobody asks.
#include "chip/unit.h"

typedef struct SmTrace {
    uint64_t present[OC_MOST_SCHEDULERS], stalled[OC_MOST_SCHEDULERS], isolated[OC_MOST_SCHEDULERS];
    uint64_t started[OC_MOST_WARPS];  // of the warp in each slot
    uint64_t count[C_COUNT];
} SmTrace;
struct Tracer {
    const TraceSink *sink;
    uint64_t from;             // the last sample's end
    uint64_t memory[C_COUNT];  // of L2 and DRAM until then
    SmTrace sm[];
};

Tracer *tracer_open(const TraceSink *sink, const Chip *c)
{
    Tracer *t = mem_try(1, sizeof *t + c->used * sizeof t->sm[0]);
    if (t) t->sink = sink;
    return t;
}

void tracer_close(Tracer *t) { mem_free(t); }

// The warps that a mask has and had not, of those that are the ones they were.
static void tell(const Tracer *t, const Sm *sm, uint32_t k, uint64_t warps, uint64_t now, TraceKind kind)
{
    for (; warps; warps &= warps - 1) {
        uint32_t slot = oc_slot(&sm->issue.view, k, (uint32_t)__builtin_ctzll(warps));
        t->sink->event(t->sink->user, now, sm->index, slot, kind);
    }
}

static void compare(Tracer *t, const Sm *sm, uint64_t now)
{
    SmTrace *was = &t->sm[sm->index];
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        uint64_t present = sm->issue.sched[k].view.present, stalled = issue_stalled(&sm->issue, k),
                 isolated = issue_isolated(&sm->issue, k);
        uint64_t same = 0;
        for (uint64_t m = present; m; m &= m - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(m), slot = oc_slot(&sm->issue.view, k, bit);
            uint64_t started = sm->issue.view.by_slot[slot].started;
            if (was->present[k] >> bit & 1 && was->started[slot] == started) same |= 1ull << bit;
            was->started[slot] = started;
        }
        uint64_t stalled_before = was->stalled[k] & same, isolated_before = was->isolated[k] & same;
        tell(t, sm, k, isolated & ~isolated_before, now, TRACE_ISOLATE);
        tell(t, sm, k, stalled & ~stalled_before, now, TRACE_STALL);
        tell(t, sm, k, stalled_before & ~stalled, now, TRACE_RELEASE);
        tell(t, sm, k, isolated_before & ~isolated, now, TRACE_RETURN);
        was->present[k] = present, was->stalled[k] = stalled, was->isolated[k] = isolated;
    }
}

static void sample(Tracer *t, const Sm *sm, uint64_t now)
{
    uint64_t *was = t->sm[sm->index].count, grown[C_COUNT];
    double cycles = (double)(now - t->from);
    for (int c = 0; c < C_COUNT; c++) grown[c] = sm->count[c] - was[c], was[c] = sm->count[c];
    SmSample s = {.from = t->from,
                  .to = now,
                  .instructions = grown[C_WARP_INSTS],
                  .l1_accesses = grown[C_L1_ACCESSES],
                  .l1_hits = grown[C_L1_HITS],
                  .interference = grown[C_WATCH_INTERFERENCE],
                  .warps = (double)grown[C_WATCH_WARPS] / cycles,
                  .stalled = (double)grown[C_WATCH_STALLED] / cycles,
                  .isolated = (double)grown[C_WATCH_ISOLATED] / cycles,
                  .grown = grown};
    t->sink->sample(t->sink->user, sm->index, &s);
}

static void sample_memory(Tracer *t, const Chip *c, uint64_t now)
{
    uint64_t grown[C_COUNT] = {0};
    EACH_AWAKE(c, p)
    for (int k = 0; k < C_COUNT; k++) grown[k] += p->count[k];
    for (int k = 0; k < C_COUNT; k++) {
        uint64_t all = grown[k];
        grown[k] -= t->memory[k], t->memory[k] = all;
    }
    t->sink->gpu(t->sink->user, t->from, now, grown);
}

// What is over; at the end of a launch that was cut short, also what isn't.
static void spans(Tracer *t, Sm *sm, uint64_t now, bool last)
{
    const Issue *i = &sm->issue;
    for (uint32_t s = 0; last && s < i->slot_count; s++) {
        const WarpSlot *ws = &i->slots[s];
        if (!ws->warp || now <= ws->started) continue;
        uint64_t block = i->view.cta[i->view.by_slot[s].cta].number;
        vec_push(&sm->spans, ((SmSpan){block, ws->started, now, s, ws->warp->in_cta}));
    }
    for (uint32_t c = 0; last && c < i->view.ctas; c++) {
        const oc_cta_view *cta = &i->view.cta[c];
        if (cta->running && now > cta->started)
            vec_push(&sm->spans, ((SmSpan){cta->number, cta->started, now, c, WHOLE_BLOCK}));
    }
    for (size_t k = 0; k < sm->spans.n; k++) t->sink->span(t->sink->user, sm->index, &sm->spans.v[k]);
    sm->spans.n = 0;
}

void tracer_edge(Tracer *t, const Chip *c, uint64_t now, bool last)
{
    bool due = now / t->sink->interval != t->from / t->sink->interval || last;
    for (uint32_t s = 0; s < c->used; s++) {
        compare(t, &c->sms[s], now);
        spans(t, &c->sms[s], now, last);
        if (due && now > t->from) sample(t, &c->sms[s], now);
    }
    if (due && now > t->from) sample_memory(t, c, now);
    if (due) t->from = now;
}
