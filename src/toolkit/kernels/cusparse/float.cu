// float.cu: values in single precision.
#include "values.h"
SPARSE_KERNELS(float)
