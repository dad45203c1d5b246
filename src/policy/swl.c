// swl.c: static warp limit (ciao §V-A, Best-SWL): of the SM's warps only the `limit` oldest issue. The limit is shared
// out evenly among the SM's schedulers, at least one warp each; issue is greedy then oldest among those. Warps at a
// barrier don't count: they wait for the younger ones, which else would never get there.
#include <onchip_policy.h>

enum { LIMIT };
static const oc_policy_param params[] = {
    [LIMIT] = {"limit", "warp", "how many warps of an SM may issue", 64, 1, 64, true, "as many as there can be"},
    {.name = NULL},
};

// Who may issue depends on who is there and who waits at a barrier.
static void choose_oldest(oc_policy *p, uint32_t k)
{
    p->issue[k] = oc_oldest_few(p->sm->scheduler[k], oc_share((uint32_t)p->param[LIMIT], p->sm->schedulers, k));
}

static void changed(oc_policy *p, uint32_t warp) { choose_oldest(p, oc_warp(p->sm, warp)->scheduler); }
static void waits(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to)
{
    if (from == OC_WAIT_BARRIER || to == OC_WAIT_BARRIER) changed(p, warp);
}

const oc_policy_type policy_swl = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "swl",
    .doc =
        "static warp limit: only the oldest sched.limit warps of an SM issue, greedy then oldest (ciao §V-A, Best-SWL)",
    .params = params,
    .pick = oc_pick_greedy,
    .start = changed,
    .stop = changed,
    .waits = waits,
};
