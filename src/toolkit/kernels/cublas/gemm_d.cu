// gemm_d.cu: products of matrices of double.
#include "gemm.cuh"

GEMM_ANY(d, double, double, 16)
