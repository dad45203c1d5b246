// float.cu: transforms in single precision.
#include "lines.cuh"
KERNEL(lines_f, float)
