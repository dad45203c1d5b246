// complex_double.cu: complex values in double precision.
#include "values.h"
SPARSE_KERNELS(Complex<double>)
