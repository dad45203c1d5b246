// ptsz.c: what programs call that were built with -default-stream per-thread. Stream 0 is the thread's own one there.
// Names that end in _ptsz have a stream; those that end in _ptds have none, and use the thread's own.
#include "cudart/unit.h"

#define OWN ((cudaStream_t)2)  // cudaStreamPerThread
#define OF(s) ((s) ? (s) : OWN)
// The function of that name, which is declared here since no other file needs it.
#define PTSZ(name, params, args) \
    cudaError_t name params;     \
    cudaError_t name##_ptsz params { return name args; }
#define PTDS(name, with_stream, params, args) \
    cudaError_t name##_ptds params { return WAITING(with_stream args); }

// --- launches --------------------------------------------------------------------------------------------------------
PTSZ(cudaLaunchKernel, (const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
     (f, grid, block, args, shared, OF(s)))
PTSZ(__cudaLaunchKernel, (const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
     (f, grid, block, args, shared, OF(s)))
PTSZ(cudaLaunchCooperativeKernel, (const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
     (f, grid, block, args, shared, OF(s)))
PTSZ(cudaLaunchHostFunc, (cudaStream_t s, void (*function)(void *), void *data), (OF(s), function, data))
PTSZ(cudaStreamAddCallback,
     (cudaStream_t s, void (*function)(cudaStream_t, cudaError_t, void *), void *data, unsigned flags),
     (OF(s), function, data, flags))

// --- copies and fills ------------------------------------------------------------------------------------------------
PTSZ(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, cudaStream_t s),
     (to, from, bytes, kind, OF(s)))
PTDS(cudaMemcpy, cudaMemcpyAsync, (void *to, const void *from, size_t bytes, int kind), (to, from, bytes, kind, OWN))
PTSZ(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t s), (to, value, bytes, OF(s)))
PTDS(cudaMemset, cudaMemsetAsync, (void *to, int value, size_t bytes), (to, value, bytes, OWN))
PTSZ(cudaMemcpyToSymbolAsync,
     (const void *symbol, const void *from, size_t bytes, size_t offset, int kind, cudaStream_t s),
     (symbol, from, bytes, offset, kind, OF(s)))
PTDS(cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync,
     (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
     (symbol, from, bytes, offset, kind, OWN))
PTSZ(cudaMemcpyFromSymbolAsync, (void *to, const void *symbol, size_t bytes, size_t offset, int kind, cudaStream_t s),
     (to, symbol, bytes, offset, kind, OF(s)))
PTDS(cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync,
     (void *to, const void *symbol, size_t bytes, size_t offset, int kind), (to, symbol, bytes, offset, kind, OWN))
PTSZ(cudaMemcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind,
      cudaStream_t s),
     (to, to_pitch, from, from_pitch, width, height, kind, OF(s)))
PTDS(cudaMemcpy2D, cudaMemcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind),
     (to, to_pitch, from, from_pitch, width, height, kind, OWN))
PTSZ(cudaMemcpy3DAsync, (const CopyParams *copy, cudaStream_t s), (copy, OF(s)))
PTDS(cudaMemcpy3D, cudaMemcpy3DAsync, (const CopyParams *copy), (copy, OWN))
PTSZ(cudaMemset2DAsync, (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t s),
     (to, pitch, value, width, height, OF(s)))
PTDS(cudaMemset2D, cudaMemset2DAsync, (void *to, size_t pitch, int value, size_t width, size_t height),
     (to, pitch, value, width, height, OWN))
PTSZ(cudaMemset3DAsync, (cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t s), (p, value, e, OF(s)))
PTDS(cudaMemset3D, cudaMemset3DAsync, (cudaPitchedPtr p, int value, cudaExtent e), (p, value, e, OWN))

// --- arrays ----------------------------------------------------------------------------------------------------------
// An internal function that copies between arrays takes a stream, which CUDA's own doesn't.
cudaError_t array_to_array(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                           size_t width, size_t height, int kind, cudaStream_t s);
cudaError_t array_run_to_array(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                               size_t bytes, int kind, cudaStream_t s);
PTSZ(cudaMemcpy2DToArrayAsync,
     (const Array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, int kind,
      cudaStream_t s),
     (to, x, y, from, pitch, width, height, kind, OF(s)))
PTDS(cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync,
     (const Array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, int kind),
     (to, x, y, from, pitch, width, height, kind, OWN))
PTSZ(cudaMemcpy2DFromArrayAsync,
     (void *to, size_t pitch, const Array *from, size_t x, size_t y, size_t width, size_t height, int kind,
      cudaStream_t s),
     (to, pitch, from, x, y, width, height, kind, OF(s)))
PTDS(cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync,
     (void *to, size_t pitch, const Array *from, size_t x, size_t y, size_t width, size_t height, int kind),
     (to, pitch, from, x, y, width, height, kind, OWN))
PTDS(cudaMemcpy2DArrayToArray, array_to_array,
     (const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y, size_t width, size_t height,
      int kind),
     (to, x, y, from, from_x, from_y, width, height, kind, OWN))
PTSZ(cudaMemcpyToArrayAsync,
     (const Array *to, size_t x, size_t y, const void *from, size_t bytes, int kind, cudaStream_t s),
     (to, x, y, from, bytes, kind, OF(s)))
PTDS(cudaMemcpyToArray, cudaMemcpyToArrayAsync,
     (const Array *to, size_t x, size_t y, const void *from, size_t bytes, int kind),
     (to, x, y, from, bytes, kind, OWN))
PTSZ(cudaMemcpyFromArrayAsync,
     (void *to, const Array *from, size_t x, size_t y, size_t bytes, int kind, cudaStream_t s),
     (to, from, x, y, bytes, kind, OF(s)))
PTDS(cudaMemcpyFromArray, cudaMemcpyFromArrayAsync,
     (void *to, const Array *from, size_t x, size_t y, size_t bytes, int kind), (to, from, x, y, bytes, kind, OWN))
PTDS(cudaMemcpyArrayToArray, array_run_to_array,
     (const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y, size_t bytes, int kind),
     (to, x, y, from, from_x, from_y, bytes, kind, OWN))

// --- memory ----------------------------------------------------------------------------------------------------------
PTSZ(cudaMallocAsync, (void **p, size_t bytes, cudaStream_t s), (p, bytes, OF(s)))
PTSZ(cudaMallocFromPoolAsync, (void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s), (p, bytes, pool, OF(s)))
PTSZ(cudaFreeAsync, (void *p, cudaStream_t s), (p, OF(s)))
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation to, uintptr_t flags, cudaStream_t s);
cudaError_t cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, cudaMemLocation to, uintptr_t flags, cudaStream_t s)
{
    if (runtime_major() < 13) flags = (uintptr_t)OF((cudaStream_t)flags);  // the stream's place then
    return cudaMemPrefetchAsync(p, bytes, to, flags, OF(s));
}
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t bytes, unsigned flags), (OF(s), p, bytes, flags))

// --- streams and events ----------------------------------------------------------------------------------------------
PTSZ(cudaStreamSynchronize, (cudaStream_t s), (OF(s)))
PTSZ(cudaStreamQuery, (cudaStream_t s), (OF(s)))
PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags), (OF(s), flags))
PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *priority), (OF(s), priority))
PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *id), (OF(s), id))
PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *device), (OF(s), device))
PTSZ(cudaStreamIsCapturing, (cudaStream_t s, int *status), (OF(s), status))
PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (OF(s), e, flags))
PTSZ(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, OF(s)))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned flags), (e, OF(s), flags))

// --- graphs ----------------------------------------------------------------------------------------------------------
PTSZ(cudaGraphLaunch, (void *exec, cudaStream_t s), (exec, OF(s)))
PTSZ(cudaGraphUpload, (void *exec, cudaStream_t s), (exec, OF(s)))
PTSZ(cudaGraphInstantiateWithParams, (void **exec, void *g, void *params), (exec, g, params))
PTSZ(cudaStreamBeginCapture, (cudaStream_t s, int mode), (OF(s), mode))
PTSZ(cudaStreamBeginCaptureToGraph,
     (cudaStream_t s, void *g, void *const *after, const void *edges, size_t n, int mode),
     (OF(s), g, after, edges, n, mode))
PTSZ(cudaStreamEndCapture, (cudaStream_t s, void **g), (OF(s), g))
PTSZ(cudaStreamGetCaptureInfo,
     (cudaStream_t s, int *status, unsigned long long *id, void **g, void *const **last, const void **edges, size_t *n),
     (OF(s), status, id, g, last, edges, n))
PTSZ(cudaStreamGetCaptureInfo_v2,
     (cudaStream_t s, int *status, unsigned long long *id, void **g, void *const **last, size_t *n),
     (OF(s), status, id, g, last, n))
PTSZ(cudaStreamGetCaptureInfo_v3,
     (cudaStream_t s, int *status, unsigned long long *id, void **g, void *const **last, const void **edges, size_t *n),
     (OF(s), status, id, g, last, edges, n))
PTSZ(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t s, void *const *after, const void *edges, size_t n, unsigned flags), (OF(s), after, edges, n, flags))
PTSZ(cudaStreamUpdateCaptureDependencies_v2,
     (cudaStream_t s, void *const *after, const void *edges, size_t n, unsigned flags), (OF(s), after, edges, n, flags))
