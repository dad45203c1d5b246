// sobol32.cu: Sobol sequences of words of 32 bits.
#include "quasi.cuh"
QUASI(unsigned)
