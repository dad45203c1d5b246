// complex_float.cu: complex values in single precision.
#include "values.h"
SPARSE_KERNELS(Complex<float>)
