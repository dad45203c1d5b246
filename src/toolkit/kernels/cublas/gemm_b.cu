// gemm_b.cu: products of matrices of bfloat16, added up as floats.
#include "gemm.cuh"

GEMM_ANY(b, __nv_bfloat16, float, 16)
