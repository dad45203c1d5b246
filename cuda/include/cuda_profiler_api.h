// cuda_profiler_api.h: what CUDA has in this file is in cuda_runtime_api.h.
#include "cuda_runtime_api.h"
