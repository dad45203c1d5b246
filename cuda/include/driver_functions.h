// driver_functions.h: what CUDA up to 11 has in this file is in cuda_runtime.h.
#include "cuda_runtime.h"
