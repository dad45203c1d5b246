// unit.h: what the files of compare ask of each other. What other parts call stands in compare.h.
#ifndef COMPARE_UNIT_H
#define COMPARE_UNIT_H

#include "compare/compare.h"

// --- version.c: the form ---------------------------------------------------------------------------------------------
const char *version_text(Version *v, const char *text);  // a copy, with U+FFFD for what can't be shown
// The kernel of that name; it is made if there is none. Timed launches and others are apart. These return null where
// there are already VERSION_MOST others, which no program has.
enum { VERSION_MOST = 10000 };
VersionKernel *version_kernel(Version *v, const char *name, bool timed);
VersionArray *version_array(Version *v, VersionKernel *k, const char *name);
VersionLine *version_line(Version *v, VersionKernel *k, const char *file, uint64_t line);
// Makes the whole of the kernels. What a launch's rates tell of the GPU has been noted before.
void version_sum(Version *v);
bool version_tells(const Version *v, const VersionKernel *k, const char *metric);  // it lacks nothing for the metric
void version_gpu(Version *v, const uint64_t *count, double seconds, double occupancy, double dram);

#endif
