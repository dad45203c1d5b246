// trace.c: what a launch does over time, for a sink: per SM a sample every so many cycles, and an event whenever the
// scheduling policy has stalled, released, isolated or sent back a warp. Both are looked at when a window is over, so
// that an event's time is that of an edge, and nothing of it costs when nobody asks.
#include "chip/chip.h"

typedef struct SmTrace {
    uint64_t present[OC_MOST_SCHEDULERS], stalled[OC_MOST_SCHEDULERS], isolated[OC_MOST_SCHEDULERS];
    uint64_t started[OC_MOST_WARPS];  // of the warp in each slot
    uint64_t count[C_COUNT];
} SmTrace;
struct Tracer {
    const TraceSink *sink;
    uint64_t from;  // the last sample's end
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
            uint64_t started = sm->issue.view.warp[slot].started;
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
                  .isolated = (double)grown[C_WATCH_ISOLATED] / cycles};
    t->sink->sample(t->sink->user, sm->index, &s);
}

void tracer_edge(Tracer *t, const Chip *c, uint64_t now, bool last)
{
    bool due = now / t->sink->interval != t->from / t->sink->interval || last;
    for (uint32_t s = 0; s < c->used; s++) {
        compare(t, &c->sms[s], now);
        if (due && now > t->from) sample(t, &c->sms[s], now);
    }
    if (due) t->from = now;
}
