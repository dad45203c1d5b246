// nvtx3/nvToolsExtCudaRt.h: what CUDA has in this file is in nvToolsExtCudaRt.h.
#include "../nvToolsExtCudaRt.h"
