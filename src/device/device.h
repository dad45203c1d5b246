// device.h: the simulated device behind onchip.h, as the program's own folders see it.
#ifndef DEVICE_H
#define DEVICE_H

#include "chip/chip.h"

#include <onchip.h>

// A transform rewrites a module's PTX before it is loaded: returns new text (released with mem_free), or null to leave
// it alone. The loader knows none of them.
typedef char *ModuleTransform(void *user, const char *ptx, size_t length, const char *name);

// Whose mistake a refused description is: what a file says is the file's; its name, or an override, is the caller's.
oc_status device_blame(const char *gpu, const Diag *diag);
const Gpu *device_gpu(const oc_device *d);
const Record *device_record(const oc_device *d, size_t launch);
double device_wall_seconds(const oc_device *d);     // host time spent simulating launches
uint64_t device_bytes(const oc_device *d);          // allocated in the device's memory, at most so far
// Which launches are timed: kernels whose name matches (null: all; a POSIX extended regular expression), after skip of
// them; the others are executed without time. False: the expression is malformed.
bool device_select(oc_device *d, const char *kernels, uint64_t skip);
void device_transform(oc_device *d, ModuleTransform *transform, void *user);
const Kernel *device_kernel(const oc_kernel *k);
const Module *device_module(const oc_module *m);

#endif
