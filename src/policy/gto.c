// gto.c: greedy then oldest (Rogers et al., used by ciao §V-A): a warp goes on until it can't, then the oldest that can
// takes over.
#include "policy/policy.h"

static int pick(const Policy *p, uint32_t k, uint64_t ready) { return policy_greedy(p->sm->scheduler[k], ready); }

const PolicyOps policy_gto = {.pick = pick};
