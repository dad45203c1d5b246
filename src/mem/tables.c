// tables.c: the counters' registry and the policies' table.
#include "mem/mem.h"

const CounterInfo counter_info[C_COUNT] = {
#define COUNTER(id, name, unit, ncu, differs, doc) [C_##id] = {name, unit, ncu, differs, doc},
#include "mem/counters.def"
#undef COUNTER
};

const Policy policies[POLICY_COUNT] = {
#define POLICY(id, name, fn, doc) [POLICY_##id] = {name, doc, NULL, NULL, NULL},
#include "mem/policy.def"
#undef POLICY
};
