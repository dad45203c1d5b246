// sm_20_atomic_functions.h: what CUDA has in this file is in device_functions.h.
#include "cuda_runtime.h"
