// complex_float.cu: complex values in single precision.
#include "values.cuh"
SPARSE_KERNELS(Complex<float>)
