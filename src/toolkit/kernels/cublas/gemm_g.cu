// gemm_g.cu: products of matrices of bytes with a sign, added up as ints, and as floats.
#include "gemm.cuh"

GEMM_ANY(g, signed char, int, 16)
GEMM_ANY(f, signed char, float, 16)
