// two_level.c: the two-level scheduler of unified-memory §2.1: only warps of a small active set issue, in turn; a warp
// that meets a dependence on a long-latency operation leaves the set, and the inactive warp that has waited longest and
// isn't waiting for memory takes its place. Invariant: the active set (the mask of those that may issue), order[] and
// waiting partition the present warps: order[] holds the inactive ones that could be activated.
#include "policy/policy.h"

#include <string.h>

typedef struct Queue {  // of a scheduler
    uint64_t waiting;   // warps that wait for memory or at a barrier
    uint8_t order[64];  // FIFO of inactive warps
    uint32_t n;
} Queue;

static Queue *queue_of(Policy *p, uint32_t warp) { return (Queue *)p->own + p->sm->warp[warp].scheduler; }

static void open(Policy *p)
{
    p->own = mem_alloc(sizeof(Queue) * p->sm->schedulers);
    memset(p->issue, 0, sizeof p->issue);
}

// Places are given to the first in the queue. The active warps are shared out evenly, without a remainder.
static void refill(Policy *p, uint32_t k)
{
    Queue *q = (Queue *)p->own + k;
    uint32_t size = MAX(p->sm->keys.active / p->sm->schedulers, 1u);
    while (q->n && (uint32_t)__builtin_popcountll(p->issue[k]) < size) {
        p->issue[k] |= 1ull << q->order[0];
        memmove(q->order, q->order + 1, --q->n);
    }
}

static void join(Policy *p, uint32_t warp)
{
    Queue *q = queue_of(p, warp);
    q->order[q->n++] = p->sm->warp[warp].bit;
    refill(p, p->sm->warp[warp].scheduler);
}

static int pick(const Policy *p, uint32_t k, uint64_t ready) { return policy_next(p->sm->scheduler[k], ready); }

static void stop(Policy *p, uint32_t warp)
{
    const WarpView *w = &p->sm->warp[warp];
    Queue *q = queue_of(p, warp);
    p->issue[w->scheduler] &= ~(1ull << w->bit);
    q->waiting &= ~(1ull << w->bit);
    for (uint32_t k = 0; k < q->n; k++)
        if (q->order[k] == w->bit) {
            memmove(q->order + k, q->order + k + 1, --q->n - k);
            break;
        }
    refill(p, w->scheduler);
}

static void stall(Policy *p, uint32_t warp)
{
    const WarpView *w = &p->sm->warp[warp];
    uint64_t bit = 1ull << w->bit;
    if (!(p->issue[w->scheduler] & bit)) return;
    p->issue[w->scheduler] &= ~bit;
    queue_of(p, warp)->waiting |= bit;
    refill(p, w->scheduler);
}

static void wake(Policy *p, uint32_t warp)
{
    uint64_t bit = 1ull << p->sm->warp[warp].bit;
    if (!(queue_of(p, warp)->waiting & bit)) return;
    queue_of(p, warp)->waiting &= ~bit;
    join(p, warp);
}

const PolicyOps policy_two_level = {
    .open = open, .pick = pick, .start = join, .stop = stop, .stall = stall, .wake = wake};
