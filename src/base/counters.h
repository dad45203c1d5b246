// counters.h: what is counted, by all parts of the simulator. It stands apart from base.h, so that a new row in
// counters.def rebuilds only the files that count.
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stddef.h>

// --- counters.c ------------------------------------------------------------------------------------------------------
typedef enum Counter {
#define COUNTER(id, name, unit, ncu, differs, doc) C_##id,
#include "base/counters.def"
#undef COUNTER
    C_COUNT
} Counter;
typedef struct CounterInfo {
    const char *name, *unit, *ncu, *differs, *doc;
} CounterInfo;
extern const CounterInfo counter_info[C_COUNT];
extern const Counter stall_causes[];  // of empty issue slots; with C_ISSUED they sum up to C_ISSUE_SLOTS
extern const size_t stall_cause_count;

#endif
