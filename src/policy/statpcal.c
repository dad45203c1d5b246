// statpcal.c: static priority-based cache allocation (Li et al., HPCA 2015; ciao §V-A). The oldest `tokens` warps of an
// SM hold a token, and use the L1. Loads of the others go past it: they fetch the sectors that their lanes ask for, and
// wait for no miss status register of the L1. These warps run only while both L2 and DRAM are used less than `use`.
// Whether they are is looked at every `interval` cycles, over the interval that has passed. Warps at a barrier need no
// token, and hold up no one.
#include <onchip_policy.h>

enum { TOKENS, USE, INTERVAL };
static const oc_policy_param params[] = {
    [TOKENS] = {"tokens", "warp", "how many warps of an SM use its L1", 8, 1, 64, true,
                "assumed: the paper's authors choose it for each program"},
    [USE] = {"use", "", "utilisation of L2 and DRAM below which warps without a token may issue", 0.7, 0, 1, false,
             "assumed: the paper names no value"},
    [INTERVAL] = {"interval", "cycle", "how long the utilisation is measured", 1000, 1, 1e9, true, "assumed"},
    {.name = NULL},
};

enum { OPEN, SHUT };
static const oc_policy_counter counters[] = {
    [OPEN] = {"open", "interval", "intervals after which warps without a token could run"},
    [SHUT] = {"shut", "interval", "intervals after which warps without a token had to wait"},
    {.name = NULL},
};

typedef struct Own {
    oc_memory_use before;
    uint64_t tokens[OC_MOST_SCHEDULERS];
    bool shut;
} Own;

static void choose_active(oc_policy *p, uint32_t k)
{
    Own *o = p->own;
    o->tokens[k] = oc_oldest_few(p->sm->scheduler[k], oc_share((uint32_t)p->param[TOKENS], p->sm->schedulers, k));
    p->issue[k] = o->shut ? o->tokens[k] : UINT64_MAX;
}

static void open(oc_policy *p) { p->next_tick = (uint64_t)p->param[INTERVAL]; }
static void changed(oc_policy *p, uint32_t warp) { choose_active(p, oc_warp(p->sm, warp)->scheduler); }
static void waits(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to)
{
    if (from == OC_WAIT_BARRIER || to == OC_WAIT_BARRIER) changed(p, warp);
}

static void tick(oc_policy *p)
{
    Own *o = p->own;
    oc_memory_use now = p->sm->use, was = o->before;
    double most = p->param[USE] * (now.cycles - was.cycles);
    p->next_tick = *p->sm->now + (uint64_t)p->param[INTERVAL];
    if (now.cycles == was.cycles) return;  // no edge since
    o->shut = now.l2_busy - was.l2_busy >= most || now.dram_busy - was.dram_busy >= most;
    o->before = now;
    p->count[o->shut ? SHUT : OPEN]++;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) choose_active(p, k);
}

static oc_route route(oc_policy *p, uint32_t warp, const oc_access *a)
{
    const Own *o = p->own;
    return a->local || a->store || oc_has(p->sm, o->tokens, warp) ? OC_TO_L1 : OC_PAST_L1;
}

const oc_policy_type policy_statpcal = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "statpcal",
    .doc = "only sched.tokens warps use the L1; others go past it while L2 and DRAM have room (Li et al., HPCA 2015)",
    .wants = OC_WANTS_USE,
    .state = sizeof(Own),
    .params = params,
    .counters = counters,
    .open = open,
    .pick = oc_pick_greedy,
    .start = changed,
    .stop = changed,
    .waits = waits,
    .tick = tick,
    .route = route,
};
