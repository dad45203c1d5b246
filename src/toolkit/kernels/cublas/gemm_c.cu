// gemm_c.cu: products of matrices of complex numbers of floats.
#include "gemm.cuh"

GEMM_ANY(c, C32, C32, 8)
