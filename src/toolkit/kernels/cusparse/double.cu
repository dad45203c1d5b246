// double.cu: values in double precision.
#include "values.h"
SPARSE_KERNELS(double)
