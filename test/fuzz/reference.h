// reference.h: what a kernel must do, and whether that is defined at all. Kernels that a fuzzer makes up race, and look
// at what nobody wrote; then two correct runs may differ. Here each access is looked at, so that a kernel whose outcome
// is anybody's guess is told from one that must come out the same in every mode.
#ifndef REFERENCE_H
#define REFERENCE_H

#include "device/device.h"
#include "ptx/ir.h"

// Why no run of the module's kernels can be held against another, from its text alone, or null: clocks and places that
// they may read, lanes that happen to be together, accesses under way, addresses of local memory.
const char *open_ended(const Module *m);

// The module as text, with every register, carry flag, local variable and .param variable of a body set where the body
// begins. False: that isn't possible.
bool put_initialised(const Module *m, Text *out);

typedef struct Reference {
    bool ended, faulted;    // neither: it was cut short, or it hangs
    const char *undefined;  // why its outcome may differ, or null
    uint64_t insts;
} Reference;
// Runs blocks one after the other, at most limit instructions of their warps, on a device that executes kernels as they
// are written.
Reference reference_run(oc_device *device, oc_kernel *kernel, uint32_t blocks, oc_dim3 block, const void *const *args,
                        uint64_t limit);

#endif
