// double.cu: values in double precision.
#include "values.cuh"
SPARSE_KERNELS(double)
