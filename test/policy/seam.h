// seam.h: policies of the tests: each is a file and a row below. A policy's file includes nothing else of the project.
#ifndef SEAM_H
#define SEAM_H

#include "policy/policy.h"

#include <string.h>

extern const oc_policy_type policy_victim_tags;

struct oc_device;
// plug.c: a device whose SMs have a policy at the next launch, with the standard values of its parameters.
void plug(struct oc_device *d, const oc_policy_type *type);
struct Sm *sm_of(const struct oc_device *d);  // the first one

#endif
