// sched_swl.c: static warp limit (ciao §V-A, Best-SWL): of the SM's warps only the `limit` oldest issue. The limit is
// shared out evenly among the SM's schedulers, at least one warp each; issue is greedy then oldest among those. Warps
// at a barrier don't count: they wait for the younger ones, which else would never get there.
#include "sm/sm.h"

static int pick(Sched *s, uint64_t ready)
{
    uint64_t allowed = 0, left = s->present & ~s->in[W_BARRIER];
    for (uint32_t n = 0; n < s->limit && left; n++) {
        int w = sched_oldest(s, left);
        allowed |= 1ull << w;
        left &= ~(1ull << w);
    }
    ready &= allowed;
    if (!ready) return -1;
    if (s->last >= 0 && ready >> s->last & 1) return s->last;
    return sched_oldest(s, ready);
}

static void nothing(Sched *s, int warp) { (void)s, (void)warp; }
static void stop(Sched *s, int warp)
{
    if (s->last == warp) s->last = -1;
}

const SchedOps sched_swl = {.pick = pick, .start = nothing, .stop = stop, .stall = nothing, .wake = nothing};
