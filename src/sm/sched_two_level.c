// sched_two_level.c: the two-level scheduler of unified-memory §2.1: only warps of a small active set issue, in turn; a
// warp that meets a dependence on a long-latency operation leaves the set, and the inactive warp that has waited
// longest and isn't waiting for memory takes its place. Invariant: active, order[] and waiting partition the present
// warps: order[] holds the inactive ones that could be activated.
#include "sm/sm.h"

#include <string.h>

static void refill(Sched *s)
{
    while (s->order_n && (uint32_t)__builtin_popcountll(s->active) < s->active_size) {
        s->active |= 1ull << s->order[0];
        memmove(s->order, s->order + 1, --s->order_n);
    }
}

static int pick(Sched *s, uint64_t ready)
{
    ready &= s->active;
    if (!ready) return -1;
    uint64_t after = s->last < 0 ? ready : s->last == 63 ? 0 : ready & ~0ull << (s->last + 1);
    return __builtin_ctzll(after ? after : ready);
}

static void start(Sched *s, int warp)
{
    s->order[s->order_n++] = (uint8_t)warp;
    refill(s);
}

static void remove_from_order(Sched *s, int warp)
{
    for (uint32_t k = 0; k < s->order_n; k++)
        if (s->order[k] == warp) {
            memmove(s->order + k, s->order + k + 1, --s->order_n - k);
            return;
        }
}

static void stop(Sched *s, int warp)
{
    s->active &= ~(1ull << warp);
    s->waiting &= ~(1ull << warp);
    remove_from_order(s, warp);
    refill(s);
}

static void stall(Sched *s, int warp)
{
    if (!(s->active >> warp & 1)) return;
    s->active &= ~(1ull << warp);
    s->waiting |= 1ull << warp;
    refill(s);
}

static void wake(Sched *s, int warp)
{
    if (!(s->waiting >> warp & 1)) return;
    s->waiting &= ~(1ull << warp);
    s->order[s->order_n++] = (uint8_t)warp;
    refill(s);
}

const SchedOps sched_two_level = {.pick = pick, .start = start, .stop = stop, .stall = stall, .wake = wake};
