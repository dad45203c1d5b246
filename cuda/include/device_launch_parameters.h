// device_launch_parameters.h: as CUDA has it beside cuda_runtime.h.
#include "cuda_runtime.h"
