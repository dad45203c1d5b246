// lrr.c: loose round robin: from the last warp on, the next ready one in turn issues.
#include <onchip_policy.h>

static int pick(const oc_policy *p, uint32_t k, uint64_t ready) { return oc_next(p->sm->scheduler[k], ready); }

const oc_policy_type policy_lrr = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "lrr",
    .doc = "loose round robin: ready warps issue in turn",
    .pick = pick,
};
