// unit.h: what the files of probe ask of each other. What other parts call stands in probe.h.
#ifndef PROBE_UNIT_H
#define PROBE_UNIT_H

#include "probe/probe.h"

// --- bound.c: how much a part may do ---------------------------------------------------------------------------------
bool bound_take(Bound *b, uint64_t n);  // false: n more would be too many. b may be null

// --- subject.c: a sequence of loads, and what it took ----------------------------------------------------------------
bool walk_inside(const Walk *w, uint64_t span);  // does all of it lie within the first `span` bytes?

#endif
