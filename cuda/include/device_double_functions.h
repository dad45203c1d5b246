// device_double_functions.h: what CUDA up to 11 has in this file is in math_functions.h.
#include "cuda_runtime.h"
