// complex_double.cu: complex values in double precision.
#include "values.cuh"
SPARSE_KERNELS(Complex<double>)
