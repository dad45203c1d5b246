// description.c: see description.h.
#include "description.h"

#include "gpu/gpu.h"

bool description_read(const char *gpu, Text *out, Diag *diag) { return gpu_canonical(NULL, gpu, NULL, out, diag); }
