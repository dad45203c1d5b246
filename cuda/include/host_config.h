// host_config.h: what CUDA says in this file of the host's compiler goes without saying; sources include it out of habit.
#include "host_defines.h"
