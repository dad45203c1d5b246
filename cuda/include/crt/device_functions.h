// crt/device_functions.h: editors put this name into sources, where CUDA has what device_functions.h promises.
#include "../device_functions.h"
