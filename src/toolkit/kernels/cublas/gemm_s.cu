// gemm_s.cu: products of matrices of float.
#include "gemm.cuh"

GEMM(gemm128_nn_s, float, float, ALONG_FIRST, ALONG_SECOND, 128, 8, 8)
GEMM(gemm128_nt_s, float, float, ALONG_FIRST, ALONG_FIRST, 128, 8, 8)
GEMM(gemm128_tn_s, float, float, ALONG_SECOND, ALONG_SECOND, 128, 8, 8)
GEMM(gemm128_tt_s, float, float, ALONG_SECOND, ALONG_FIRST, 128, 8, 8)
GEMM_ANY(s, float, float, 16)
