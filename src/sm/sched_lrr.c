// sched_lrr.c: loose round robin: from the last warp on, the next in turn that can go.
#include "sm/sm.h"

static int pick(Sched *s, uint64_t ready)
{
    uint64_t after = s->last < 0 ? ready : s->last == 63 ? 0 : ready & ~0ull << (s->last + 1);
    return __builtin_ctzll(after ? after : ready);
}

static void nothing(Sched *s, int warp) { (void)s, (void)warp; }

const SchedOps sched_lrr = {.pick = pick, .start = nothing, .stop = nothing, .stall = nothing, .wake = nothing};
