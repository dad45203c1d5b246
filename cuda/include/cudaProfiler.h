// cudaProfiler.h: calls for a profiler, which there isn't.
#ifndef ONCHIP_CUDA_PROFILER_H
#define ONCHIP_CUDA_PROFILER_H
#define __CUDA_PROFILER_H__

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUoutput_mode_enum { CU_OUT_KEY_VALUE_PAIR, CU_OUT_CSV } CUoutput_mode;
CUresult cuProfilerInitialize(const char *settings, const char *out, CUoutput_mode mode);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif
