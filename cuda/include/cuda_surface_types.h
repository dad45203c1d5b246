// cuda_surface_types.h: what CUDA has in this file is in driver_types.h.
#include "driver_types.h"
