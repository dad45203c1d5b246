// table.c: the table of policies, and what they share.
#include "policy/policy.h"

#define POLICY(id, name, ops, doc) extern const PolicyOps ops;
#include "policy/policy.def"
#undef POLICY

const PolicyInfo policy_info[POLICY_COUNT] = {
#define POLICY(id, name, ops, doc) [POLICY_##id] = {name, doc, &ops},
#include "policy/policy.def"
#undef POLICY
};

uint32_t policy_events(const PolicyOps *o)
{
    return (o->stall ? ON_STALL : 0u) | (o->wake ? ON_WAKE : 0u) | (o->waits ? ON_WAITS : 0u) |
           (o->issued ? ON_ISSUED : 0u) | (o->seen ? ON_SEEN : 0u);
}

uint32_t policy_share(uint32_t all, uint32_t schedulers, uint32_t scheduler)
{
    return MAX(all / schedulers + (scheduler < all % schedulers), 1u);
}
