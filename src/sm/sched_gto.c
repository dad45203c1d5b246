// sched_gto.c: greedy then oldest (Rogers et al., used by ciao §V-A): a warp goes on until it can't, then the oldest
// that can takes over.
#include "sm/sm.h"

static int pick(Sched *s, uint64_t ready)
{
    if (s->last >= 0 && ready >> s->last & 1) return s->last;
    return sched_oldest(s, ready);
}

static void nothing(Sched *s, int warp) { (void)s, (void)warp; }
static void stop(Sched *s, int warp)
{
    if (s->last == warp) s->last = -1;
}

const SchedOps sched_gto = {.pick = pick, .start = nothing, .stop = stop, .stall = nothing, .wake = nothing};
