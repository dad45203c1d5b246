// philox.cu: numbers by Philox4x32-10.
#include "pseudo.cuh"
PSEUDO(curandStatePhilox4_32_10_t)
