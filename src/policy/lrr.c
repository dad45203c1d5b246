// lrr.c: loose round robin: from the last warp on, the next in turn that can go.
#include "policy/policy.h"

static int pick(const Policy *p, uint32_t k, uint64_t ready) { return policy_next(p->sm->scheduler[k], ready); }

const PolicyOps policy_lrr = {.pick = pick};
