// cublas_v2.h: cublas_api.h, whose functions have these names.
#ifndef ONCHIP_CUBLAS_V2_H
#define ONCHIP_CUBLAS_V2_H
#include "cublas_api.h"

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSscal cublasSscal_v2
#endif
