// seam.h: policies of the tests: each is a file and a row below. A policy's file includes nothing else of the project.
#ifndef SEAM_H
#define SEAM_H

#include "policy/policy.h"

#include <string.h>

extern const PolicyOps policy_victim_tags;

struct oc_device;
struct SmCfg *sm_of(const struct oc_device *d);  // plug.c

#endif
