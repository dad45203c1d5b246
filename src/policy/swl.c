// swl.c: static warp limit (ciao §V-A, Best-SWL): of the SM's warps only the `limit` oldest issue. The limit is shared
// out evenly among the SM's schedulers, at least one warp each; issue is greedy then oldest among those. Warps at a
// barrier don't count: they wait for the younger ones, which else would never get there.
#include "policy/policy.h"

// Who may issue hangs on who is there and who waits at a barrier.
static void choose(Policy *p, uint32_t k)
{
    const SchedulerView *s = p->sm->scheduler[k];
    uint64_t left = s->present & ~s->in[W_BARRIER];
    p->issue[k] = 0;
    for (uint32_t n = policy_share(p->sm->keys.limit, p->sm->schedulers, k); n && left; n--) {
        uint64_t bit = 1ull << policy_oldest(s, left);
        p->issue[k] |= bit;
        left &= ~bit;
    }
}

static int pick(const Policy *p, uint32_t k, uint64_t ready) { return policy_greedy(p->sm->scheduler[k], ready); }
static void changed(Policy *p, uint32_t warp) { choose(p, p->sm->warp[warp].scheduler); }
static void waits(Policy *p, uint32_t warp, Wait from, Wait to)
{
    if (from == W_BARRIER || to == W_BARRIER) changed(p, warp);
}

const PolicyOps policy_swl = {.pick = pick, .start = changed, .stop = changed, .waits = waits};
