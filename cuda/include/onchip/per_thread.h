// onchip/per_thread.h: with CUDA_API_PER_THREAD_DEFAULT_STREAM stream 0 is the host thread's own: a call means the function
// of the same name that ends in _ptds or _ptsz.
#ifndef ONCHIP_PER_THREAD_H
#define ONCHIP_PER_THREAD_H

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define ONCHIP_FORM(symbol) __asm__(symbol)
#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync_v2_ptsz
#define cudaStreamCopyAttributes cudaStreamCopyAttributes_ptsz
#define cudaStreamGetAttribute cudaStreamGetAttribute_ptsz
#define cudaStreamSetAttribute cudaStreamSetAttribute_ptsz
// clang's own calls, which <<<…>>> becomes, go by the plain name.
#if !defined(__CUDA_ARCH__)
__asm__("cudaLaunchKernel = cudaLaunchKernel_ptsz");
#endif
#else
#define ONCHIP_FORM(symbol)
#endif

#endif
