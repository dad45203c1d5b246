// cuda.h: the driver's functions, for C and C++, as the CUDA Driver API reference has them for CUDA 12; also those of
// later versions of CUDA 12 and of CUDA 13 that onchip's libcuda.so.1 answers. A function that isn't there yet gives
// CUDA_ERROR_NOT_SUPPORTED (doc/reference/libcuda.md). Each of the headers below has a subject, with its types. Of GL,
// EGL, VDPAU and Windows nothing is here.
#ifndef ONCHIP_CUDA_H
#define ONCHIP_CUDA_H
#include "onchip/letters_off.h"
#define __cuda_cuda_h__

#define CUDA_VERSION 12000  // a number: clang reads it out of this line
#define CUDAAPI
#define CUDA_CB

// In the order of what they need of one another.
#include "onchip/cu_names.h"
#include "onchip/cu_basics.h"
#include "onchip/cu_memory.h"
#include "onchip/cu_modules.h"
#include "onchip/cu_streams.h"
#include "onchip/cu_launches.h"
#include "onchip/cu_textures.h"
#include "onchip/cu_graphs.h"
#include "onchip/cu_external.h"

#include "onchip/letters_back.h"
#endif
