// crt/mma.h: editors put this name into sources, where CUDA has what mma.h promises.
#include "../mma.h"
