// cuda_runtime_api.h: as CUDA has it beside cuda_runtime.h.
#include "cuda_runtime.h"
