// opened.h: simulated devices, and what a Subject needs to run pointer chases on them.
#ifndef OPENED_H
#define OPENED_H

#include "probe/measure.h"

oc_device *open_device(const char *gpu, const char *const *sets, uint32_t threads);  // threads: of the host
bool run_chase(void *chase, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
               uint32_t *latency, Diag *diag);
size_t window_of_chase(void *chase, size_t n);

#endif
