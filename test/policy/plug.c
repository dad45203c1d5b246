// plug.c: gives a device's SMs a policy of a test's own.
#include "device/sim.h"
#include "seam.h"

void plug(oc_device *d, const oc_policy_type *type)
{
    SmCfg *sm = &sim_of(d)->chip.gpu.sm;
    sm->schedule = type;
    for (size_t k = 0; k < policy_params(type); k++) sm->param[k] = type->params[k].standard;
    scratch_configure(sm);
}

Sm *sm_of(const oc_device *d) { return &sim_of(d)->chip.sms[0]; }
