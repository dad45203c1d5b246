// sobol64.cu: Sobol sequences of words of 64 bits.
#include "quasi.h"
QUASI(unsigned long long)
