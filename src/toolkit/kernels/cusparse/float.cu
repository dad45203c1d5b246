// float.cu: values in single precision.
#include "values.cuh"
SPARSE_KERNELS(float)
