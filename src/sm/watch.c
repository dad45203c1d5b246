// watch.c: what is counted of an SM only where somebody asks for a run's course over time: how many of its warps the
// policy stalls or isolates, and whose loads push out whose lines. Nobody watches: it costs a test an access.
#include "sm/unit.h"

#include <string.h>

bool watch_begin(Sm *sm, bool on)
{
    SmWatch *w = &sm->watch;
    if (on && !w->seen) w->seen = mem_try(1, sizeof *w->seen);
    if (!on) mem_free(w->seen), w->seen = NULL;
    return !on || w->seen;
}

void watch_close(Sm *sm) { mem_free(sm->watch.seen); }

void watch_reset(Sm *sm)
{
    SmWatch *w = &sm->watch;
    if (w->seen) *w->seen = (Seen){0};
    memset(w->warps, 0, sizeof w->warps);
    w->since = 0;
}

void watch_warp(Sm *sm, uint32_t slot)
{
    if (sm->watch.seen) oc_victims_clear(&sm->watch.seen->lost, slot);
}

void watch_warps(Sm *sm, uint64_t now)
{
    static const Counter counter[WATCH_COUNT] = {C_WATCH_WARPS, C_WATCH_STALLED, C_WATCH_ISOLATED};
    SmWatch *w = &sm->watch;
    uint32_t n[WATCH_COUNT] = {0};
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        n[WATCH_ALL] += (uint32_t)__builtin_popcountll(sm->issue.sched[k].view.present);
        n[WATCH_STALLED] += (uint32_t)__builtin_popcountll(issue_stalled(&sm->issue, k));
        n[WATCH_ISOLATED] += (uint32_t)__builtin_popcountll(issue_isolated(&sm->issue, k));
    }
    for (int k = 0; k < WATCH_COUNT; k++) {
        sm->count[counter[k]] += w->warps[k] * (now - w->since);
        w->warps[k] = n[k];
    }
    w->since = now;
}

void watch_lost(Sm *sm, const oc_access_event *e)
{
    Seen *s = sm->watch.seen;
    if (e->victim != OC_NO_LINE) oc_victims_add(&s->lost, WATCHED_TAGS, e->owner, e->victim, e->warp);
    uint32_t by = e->outcome == OC_MISS ? oc_victims_take(&s->lost, WATCHED_TAGS, e->warp, e->line) : OC_NO_WARP;
    if (by != OC_NO_WARP) sm->count[C_WATCH_INTERFERENCE]++, s->pair[e->warp][by]++;
}
