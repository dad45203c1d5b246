// gemm_z.cu: products of matrices of complex numbers of doubles.
#include "gemm.cuh"

GEMM_ANY(z, C64, C64, 8)
