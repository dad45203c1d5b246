// two_level.c: the two-level scheduler of unified-memory §2.1: only warps of a small active set issue; a warp
// that meets a dependence on a long-latency operation leaves the set, and the inactive warp that has waited longest and
// isn't waiting for memory takes its place. Invariant: the active set (the mask of those that may issue), order[] and
// waiting partition the present warps: order[] holds the inactive ones that could be activated.
#include <onchip_policy.h>
#include <string.h>

enum { ACTIVE, GREEDY };
static const oc_policy_param params[] = {
    [ACTIVE] = {"active", "warp", "how many warps of an SM may issue", 8, 1, 64, true, "unified-memory §2.1"},
    [GREEDY] = {"greedy", "",
                "1 lets one active warp issue as long as it can, then the oldest; 0 lets active warps issue in turn", 0,
                0, 1, true, "assumed: unified-memory §2.1 doesn't say"},
    {.name = NULL},
};

typedef struct Queue {  // of a scheduler
    uint64_t waiting;   // warps that wait for memory or at a barrier
    uint8_t order[64];  // FIFO of inactive warps
    uint32_t n;
} Queue;

static Queue *queue_of(oc_policy *p, uint32_t warp) { return (Queue *)p->own + oc_warp(p->sm, warp)->scheduler; }

static void open(oc_policy *p) { memset(p->issue, 0, sizeof p->issue); }

// Places are given to the first in the queue. The active warps are shared out evenly, without a remainder.
static void refill(oc_policy *p, uint32_t k)
{
    Queue *q = (Queue *)p->own + k;
    uint32_t size = (uint32_t)p->param[ACTIVE] / p->sm->schedulers;
    if (!size) size = 1;
    while (q->n && (uint32_t)__builtin_popcountll(p->issue[k]) < size) {
        p->issue[k] |= 1ull << q->order[0];
        memmove(q->order, q->order + 1, --q->n);
    }
}

static void join(oc_policy *p, uint32_t warp)
{
    Queue *q = queue_of(p, warp);
    q->order[q->n++] = oc_warp(p->sm, warp)->bit;
    refill(p, oc_warp(p->sm, warp)->scheduler);
}

static int pick(const oc_policy *p, uint32_t k, uint64_t ready)
{
    const oc_scheduler_view *s = p->sm->scheduler[k];
    return p->param[GREEDY] != 0 ? oc_greedy(s, ready) : oc_next(s, ready);
}

static void stop(oc_policy *p, uint32_t warp)
{
    const oc_warp_view *w = oc_warp(p->sm, warp);
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

static void stall(oc_policy *p, uint32_t warp)
{
    const oc_warp_view *w = oc_warp(p->sm, warp);
    uint64_t bit = 1ull << w->bit;
    if (!(p->issue[w->scheduler] & bit)) return;
    p->issue[w->scheduler] &= ~bit;
    queue_of(p, warp)->waiting |= bit;
    refill(p, w->scheduler);
}

static void wake(oc_policy *p, uint32_t warp)
{
    uint64_t bit = 1ull << oc_warp(p->sm, warp)->bit;
    if (!(queue_of(p, warp)->waiting & bit)) return;
    queue_of(p, warp)->waiting &= ~bit;
    join(p, warp);
}

const oc_policy_type policy_two_level = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "two-level",
    .doc = "only an active set of sched.active warps issues; a warp that waits for memory leaves the set "
           "(unified-memory §2.1)",
    .state = sizeof(Queue) * OC_MOST_SCHEDULERS,
    .params = params,
    .open = open,
    .pick = pick,
    .start = join,
    .stop = stop,
    .stall = stall,
    .wake = wake,
};
