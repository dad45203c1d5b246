// gty.c: greedy then youngest, as Huerta et al. found it on NVIDIA's cards (MICRO 2025, Dissecting and Modeling the
// Architecture of Modern GPU Cores): a warp goes on until it can't, then the youngest that can takes over.
#include <onchip_policy.h>

static int pick(const oc_policy *p, uint32_t scheduler, uint64_t ready)
{
    const oc_scheduler_view *s = p->sm->scheduler[scheduler];
    return s->last >= 0 && ready >> s->last & 1 ? s->last : oc_youngest(s, ready);
}

const oc_policy_type policy_gty = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "gty",
    .doc = "greedy then youngest: the last warp issues as long as it can, then the youngest ready warp",
    .pick = pick,
};
