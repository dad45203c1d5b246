// gemm_h.cu: products of matrices of half, added up as floats.
#include "gemm.cuh"

GEMM_ANY(h, __half, float, 16)
