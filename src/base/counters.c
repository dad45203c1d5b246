// counters.c: the registry of what is counted (counters.def), as a table.
#include "base/counters.h"

#include "base/base.h"

const CounterInfo counter_info[C_COUNT] = {
#define COUNTER(id, name, unit, ncu, differs, doc) [C_##id] = {name, unit, ncu, differs, doc},
#include "base/counters.def"
#undef COUNTER
};

const Counter stall_causes[] = {
#define COUNTER(id, name, unit, ncu, differs, doc)
#define STALL(id, name, unit, ncu, differs, doc) C_##id,
#include "base/counters.def"
#undef COUNTER
};
const size_t stall_cause_count = COUNT(stall_causes);
