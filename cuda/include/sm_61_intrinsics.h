// sm_61_intrinsics.h: what CUDA has in this file is in device_functions.h.
#include "cuda_runtime.h"
