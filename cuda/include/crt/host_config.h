// crt/host_config.h: editors put this name into sources, where CUDA has what host_config.h promises.
#include "../host_config.h"
