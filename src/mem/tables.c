// tables.c: the counters' registry and the policies' table.
#include "mem/mem.h"

const CounterInfo counter_info[C_COUNT] = {
#define COUNTER(id, name, unit, ncu, differs, doc) [C_##id] = {name, unit, ncu, differs, doc},
#include "mem/counters.def"
#undef COUNTER
};

const Replacement replacements[REPLACE_COUNT] = {
#define REPLACE(id, name, fn, doc) [REPLACE_##id] = {name, doc, NULL, NULL, NULL},
#include "mem/replacement.def"
#undef REPLACE
};
