// description.c: see description.h.
#include "description.h"

#include "chip/chip.h"

bool description_read(const char *gpu, Text *out, Diag *diag) { return gpu_canonical(NULL, gpu, NULL, out, diag); }
