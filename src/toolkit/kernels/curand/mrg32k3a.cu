// mrg32k3a.cu: numbers by MRG32k3a.
#include "pseudo.cuh"
PSEUDO(curandStateMRG32k3a_t)
