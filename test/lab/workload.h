// workload.h: a run of a workload that has to be right.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "work/programs.h"

// Runs it with parameters that blanks separate; the test fails unless its result is verified. The device is left open,
// with its launches: oc_close.
oc_device *run_workload(const WorkloadEntry *entry, const char *params, bool small, const oc_config *config);

#endif
