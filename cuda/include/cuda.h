// cuda.h: sources include it out of habit, for CUDA_VERSION and the runtime's types. The driver's own functions, cuInit and
// its like, aren't declared.
#ifndef ONCHIP_CUDA_H
#define ONCHIP_CUDA_H
#define __cuda_cuda_h__

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION

#endif
