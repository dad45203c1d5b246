// cufftXt.h: cuFFT's plans by the types of their data (cuFFT documentation). Of the half of it that spreads a transform
// over several GPUs nothing is here.
#ifndef ONCHIP_CUFFT_XT_H
#define ONCHIP_CUFFT_XT_H
#define _CUFFTXT_H_
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
                                long long odist, cudaDataType outputtype, long long batch, size_t *workSize,
                                cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
                               long long odist, cudaDataType outputtype, long long batch, size_t *workSize,
                               cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);
#ifdef __cplusplus
}
#endif
#endif
