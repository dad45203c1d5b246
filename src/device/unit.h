// unit.h: what the files of device ask of each other. What other parts call stands in device.h.
#ifndef DEVICE_UNIT_H
#define DEVICE_UNIT_H

#include "device/device.h"

// sim.c, cuda.c
// Open a back end's device. On failure *device is null, and message says why.
oc_status sim_open(const oc_config *config, oc_device **device, Diag *diag);
oc_status cuda_open(const oc_config *config, oc_device **device, Diag *diag);

// params.c
// A kernel's parameters, as oc_kernel_info has them. The names belong to the function.
typedef struct ParamTable {
    uint32_t n, *sizes;
    const char **names, **types;
    const char **declared;  // null: the kernel's name doesn't say
    Arena arena;
} ParamTable;
struct Function;
void params_read(ParamTable *t, const struct Function *f);
void params_free(ParamTable *t);

// device.c
// Keeps the error's text if there is a device, and returns status.
oc_status device_fail(oc_device *d, oc_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
