// gto.c: greedy then oldest (Rogers et al., used by ciao §V-A): a warp goes on until it can't, then the oldest that can
// takes over.
#include <onchip_policy.h>

const oc_policy_type policy_gto = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "gto",
    .doc = "greedy then oldest: the last warp issues as long as it can, then the oldest ready warp",
    .pick = oc_pick_greedy,
};
