// counters.c: the registry of what is counted (counters.def), as a table.
#include "base/base.h"

const CounterInfo counter_info[C_COUNT] = {
#define COUNTER(id, name, unit, ncu, differs, doc) [C_##id] = {name, unit, ncu, differs, doc},
#include "base/counters.def"
#undef COUNTER
};
