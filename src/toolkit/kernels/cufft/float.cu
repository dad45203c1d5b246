// float.cu: transforms in single precision.
#include "lines.h"
KERNEL(lines_f, float)
