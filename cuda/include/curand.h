// curand.h: CUDA has generators in this file that the host calls; they aren't here. Sources that make their numbers on
// the device include it out of habit, in front of curand_kernel.h.
#include "curand_kernel.h"
