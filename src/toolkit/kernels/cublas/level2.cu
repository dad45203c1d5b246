// level2.cu: level 2 of BLAS, for all types.
#include "level2.cuh"

FOUR(LEVEL2)
