// victim_tags.c: a small scheduler that knows the cache, after CCWS (Rogers et al., MICRO 2012). Each warp keeps the
// tags of its lines that were pushed out. A miss that finds its tag there lost locality. After a period with many such
// losses the youngest warp that may load no longer may; after one without any, the oldest that may not is let in again.
#include "seam.h"

enum { TAGS = 16, PERIOD = 400, MANY = 4, MOST = 256 };

typedef struct Own {
    uint64_t tag[MOST][TAGS];  // FIFO by warp
    uint32_t next[MOST];
    uint32_t lost;  // since the last tick
} Own;

static void open(oc_policy *p)
{
    memset(((Own *)p->own)->tag, 0xff, sizeof((Own *)0)->tag);
    p->next_tick = PERIOD;
}

static void start(oc_policy *p, uint32_t warp) { memset(((Own *)p->own)->tag[warp], 0xff, sizeof((Own *)0)->tag[0]); }

// The youngest of the mask: the one that no other of it is younger than.
static uint64_t youngest(const oc_scheduler_view *s, uint64_t mask)
{
    uint64_t last = 0;
    while (mask) last = 1ull << oc_oldest(s, mask), mask &= ~last;
    return last;
}

static void seen(oc_policy *p, const oc_access_event *e)
{
    Own *o = p->own;
    if (e->victim != OC_NO_LINE) o->tag[e->owner][o->next[e->owner]++ % TAGS] = e->victim;
    for (int k = 0; k < TAGS && e->outcome == OC_MISS && !e->store; k++) {
        if (o->tag[e->warp][k] != e->line) continue;
        o->tag[e->warp][k] = UINT64_MAX;
        o->lost++;
    }
}

static void tick(oc_policy *p)
{
    Own *o = p->own;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) {
        const oc_scheduler_view *s = p->sm->scheduler[k];
        uint64_t may = s->present & p->load[k], held = s->present & ~p->load[k];
        if (o->lost >= MANY && (may & (may - 1)))
            p->load[k] &= ~youngest(s, may);
        else if (!o->lost && held)
            p->load[k] |= 1ull << oc_oldest(s, held);
    }
    o->lost = 0;
    p->next_tick = *p->sm->now + PERIOD;
}

// A place that becomes free starts anew, and with nobody left to hold back others may go on.
static void stop(oc_policy *p, uint32_t warp)
{
    const oc_warp_view *w = oc_warp(p->sm, warp);
    const oc_scheduler_view *s = p->sm->scheduler[w->scheduler];
    p->load[w->scheduler] |= 1ull << w->bit;
    if (!(s->present & p->load[w->scheduler])) p->load[w->scheduler] = UINT64_MAX;
}

static int pick(const oc_policy *p, uint32_t k, uint64_t ready) { return oc_greedy(p->sm->scheduler[k], ready); }

const oc_policy_type policy_victim_tags = {.version = ONCHIP_POLICY_VERSION,
                                           .name = "victim-tags",
                                           .doc = "a small CCWS",
                                           .state = sizeof(Own),
                                           .open = open,
                                           .pick = pick,
                                           .start = start,
                                           .stop = stop,
                                           .seen = seen,
                                           .tick = tick};
