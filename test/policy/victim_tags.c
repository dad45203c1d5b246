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

static void open(Policy *p)
{
    Own *o = p->own = mem_alloc(sizeof *o);
    memset(o->tag, 0xff, sizeof o->tag);
    p->next = PERIOD;
}

static void start(Policy *p, uint32_t warp) { memset(((Own *)p->own)->tag[warp], 0xff, sizeof((Own *)0)->tag[0]); }

// The youngest of the mask: the one that no other of it is younger than.
static uint64_t youngest(const SchedulerView *s, uint64_t mask)
{
    uint64_t last = 0;
    while (mask) last = 1ull << policy_oldest(s, mask), mask &= ~last;
    return last;
}

static void seen(Policy *p, const L1Event *e)
{
    Own *o = p->own;
    if (e->victim != UINT64_MAX) o->tag[e->owner][o->next[e->owner]++ % TAGS] = e->victim;
    for (int k = 0; k < TAGS && e->outcome == L1_MISS && !e->store; k++) {
        if (o->tag[e->warp][k] != e->line) continue;
        o->tag[e->warp][k] = UINT64_MAX;
        o->lost++;
    }
}

static void tick(Policy *p)
{
    Own *o = p->own;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) {
        const SchedulerView *s = p->sm->scheduler[k];
        uint64_t may = s->present & p->memory[k], held = s->present & ~p->memory[k];
        if (o->lost >= MANY && (may & (may - 1)))
            p->memory[k] &= ~youngest(s, may);
        else if (!o->lost && held)
            p->memory[k] |= 1ull << policy_oldest(s, held);
    }
    o->lost = 0;
    p->next = *p->sm->now + PERIOD;
}

// A place that becomes free starts anew, and with nobody left to hold back others may go on.
static void stop(Policy *p, uint32_t warp)
{
    const WarpView *w = &p->sm->warp[warp];
    const SchedulerView *s = p->sm->scheduler[w->scheduler];
    p->memory[w->scheduler] |= 1ull << w->bit;
    if (!(s->present & p->memory[w->scheduler])) p->memory[w->scheduler] = UINT64_MAX;
}

static int pick(const Policy *p, uint32_t k, uint64_t ready) { return policy_greedy(p->sm->scheduler[k], ready); }

const PolicyOps policy_victim_tags = {
    .open = open, .pick = pick, .start = start, .stop = stop, .seen = seen, .tick = tick};
