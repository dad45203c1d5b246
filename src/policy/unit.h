// unit.h: what the files of policy ask of each other. What other parts call stands in policy.h.
#ifndef POLICY_UNIT_H
#define POLICY_UNIT_H

#include "policy/policy.h"

// --- table.c ---------------------------------------------------------------------------------------------------------

// Why a type can't be used; null: it can.
const char *policy_wrong(const oc_policy_type *t);
const char *replacement_wrong(const oc_replacement_type *t);
const char *prefetcher_wrong(const oc_prefetcher_type *t);

#endif
