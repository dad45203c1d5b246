// plug.c: what a device's SMs will be configured as at the next launch, for tests that give them a policy of their own.
#include "device/sim.h"
#include "seam.h"

SmCfg *sm_of(const oc_device *d) { return &sim_of(d)->chip.gpu.sm; }
