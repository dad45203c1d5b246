// crt/host_defines.h: editors put this name into sources, where CUDA has what host_defines.h promises.
#include "../host_defines.h"
