// crt/math_functions.h: editors put this name into sources, where CUDA has what math_functions.h promises.
#include "../math_functions.h"
