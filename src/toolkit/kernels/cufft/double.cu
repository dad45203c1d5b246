// double.cu: transforms in double precision.
#include "lines.cuh"
KERNEL(lines_d, double)
