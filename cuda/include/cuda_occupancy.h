// cuda_occupancy.h: CUDA has a calculator of occupancy in this file, which needs no runtime; it isn't here. Sources include
// the file out of habit, and ask cudaOccupancyMaxActiveBlocksPerMultiprocessor.
#include "cuda_runtime_api.h"
