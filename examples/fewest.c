// fewest.c: a warp scheduler that lets the warp with the fewest loads under way go first; of warps with equally many
// the oldest goes. So all warps have about as many loads under way, and none of them runs ahead. It is a plug-in:
//     cc -O2 -shared -fPIC -I include examples/fewest.c -o fewest.so
//     onchip run … --sched ./fewest.so
#include <onchip_policy.h>

// Counted when an instruction issues, since pick may be asked more than once for it.
enum { MEMORY, LOADS, PASSED };
static const oc_policy_counter counters[] = {
    [MEMORY] = {"memory", "inst", "memory instructions that issued"},
    [LOADS] = {"loads", "load", "loads that their warps had under way then, summed"},
    [PASSED] = {"passed", "inst", "memory instructions whose warp passed an older one that had more loads under way"},
    {.name = 0},
};

static uint32_t loads_of(const oc_policy *p, uint32_t scheduler, int bit)
{
    return oc_warp_of(p->sm, scheduler, (uint32_t)bit)->loads;
}

static int pick(const oc_policy *p, uint32_t scheduler, uint64_t ready)
{
    const oc_scheduler_view *s = p->sm->scheduler[scheduler];
    int best = oc_oldest(s, ready);
    for (uint64_t left = ready & ~(1ull << best); left;) {
        int next = oc_oldest(s, left);
        left &= ~(1ull << next);
        if (loads_of(p, scheduler, next) < loads_of(p, scheduler, best)) best = next;
    }
    return best;
}

static void issued(oc_policy *p, uint32_t warp, bool memory)
{
    const oc_warp_view *w = oc_warp(p->sm, warp);
    const oc_scheduler_view *s = p->sm->scheduler[w->scheduler];
    uint64_t older = s->memory & s->older[w->bit];  // that stand before a memory instruction, too
    bool passed = false;
    if (!memory) return;
    for (; older; older &= older - 1) passed |= loads_of(p, w->scheduler, __builtin_ctzll(older)) > w->loads;
    p->count[MEMORY]++, p->count[LOADS] += w->loads, p->count[PASSED] += passed;
}

const oc_policy_type onchip_policy = {
    .version = ONCHIP_POLICY_VERSION,
    .wants = OC_WANTS_MEMORY,
    .name = "fewest",
    .doc = "the warp with the fewest loads under way first",
    .counters = counters,
    .pick = pick,
    .issued = issued,
};
