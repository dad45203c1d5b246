// doctored.h: simulated devices that do what a real GPU's driver may do.
#ifndef DOCTORED_H
#define DOCTORED_H

#include <onchip.h>

void device_is_real(oc_device *d);  // says that it is a real GPU
// That, and the driver's compiler reads the clock before the loaded value is there, in the kernel `chase` alone.
void device_reads_clock_early(oc_device *d);
void device_has_local(oc_device *d, uint32_t bytes);  // no kernel with more local memory can be launched
void device_is_honest(oc_device *d);                  // as it was; must be called before the device is closed

#endif
