// double.cu: transforms in double precision.
#include "lines.h"
KERNEL(lines_d, double)
