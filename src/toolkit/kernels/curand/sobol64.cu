// sobol64.cu: Sobol sequences of words of 64 bits.
#include "quasi.cuh"
QUASI(unsigned long long)
