// xorwow.cu: numbers by XORWOW.
#include "pseudo.h"
PSEUDO(curandStateXORWOW_t)
