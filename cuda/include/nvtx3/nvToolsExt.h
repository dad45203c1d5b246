// nvtx3/nvToolsExt.h: what CUDA has in this file is in nvToolsExt.h.
#include "../nvToolsExt.h"
