// common_functions.h: what CUDA has in this file is in cuda_runtime.h.
#include "cuda_runtime.h"
