// xorwow.cu: numbers by XORWOW.
#include "pseudo.cuh"
PSEUDO(curandStateXORWOW_t)
