// ptsz.c: what programs call that were built with -default-stream per-thread. Stream 0 is the thread's own one there.
// Names that end in _ptsz have a stream; those that end in _ptds have none, and use the thread's own. Most are made of
// their rows in runtime.def (forms.c); these take other parameters than programs of CUDA 12 give them.
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

// --- arrays ----------------------------------------------------------------------------------------------------------
// An internal function that copies between arrays takes a stream, which CUDA's own doesn't.
cudaError_t array_to_array(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                           size_t width, size_t height, int kind, cudaStream_t s);
cudaError_t array_run_to_array(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                               size_t bytes, int kind, cudaStream_t s);
PTDS(cudaMemcpy2DArrayToArray, array_to_array,
     (const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y, size_t width, size_t height,
      int kind),
     (to, x, y, from, from_x, from_y, width, height, kind, OWN))
PTDS(cudaMemcpyArrayToArray, array_run_to_array,
     (const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y, size_t bytes, int kind),
     (to, x, y, from, from_x, from_y, bytes, kind, OWN))

// --- memory ----------------------------------------------------------------------------------------------------------
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation to, uintptr_t flags, cudaStream_t s);
cudaError_t cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, cudaMemLocation to, uintptr_t flags, cudaStream_t s)
{
    if (runtime_major() < 13) flags = (uintptr_t)OF((cudaStream_t)flags);  // the stream's place then
    return cudaMemPrefetchAsync(p, bytes, to, flags, OF(s));
}

// --- graphs ----------------------------------------------------------------------------------------------------------
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
