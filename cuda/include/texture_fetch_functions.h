// texture_fetch_functions.h: what CUDA up to 11 has in this file is in texture_indirect_functions.h.
#include "cuda_runtime.h"
