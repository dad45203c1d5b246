// forms.c: the functions of runtime.def whose names end in _ptsz or _ptds, for programs that were built with
// -default-stream per-thread: stream 0 is the thread's own one there. It is compiled with the header that programs are,
// since that is how the rows are written; so nothing else of cudart can be included. ptsz.c has forms of other kinds.
#undef CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cuda_runtime_api.h>
#include <stdbool.h>

// memory.c: this thread's copies and fills wait, until memory_waited.
void memory_waits(bool on);
cudaError_t memory_waited(cudaError_t error);

#define OWN ((cudaStream_t)2)  // cudaStreamPerThread
#define OF(s) ((s) ? (s) : OWN)
#define RUNTIME_STREAM(name, params, args, what) \
    cudaError_t name##_ptsz params { return name args; }
#define RUNTIME_WAITS(name, async, params, args, what) \
    cudaError_t name##_ptds params { return memory_waits(true), memory_waited(async args); }
#include "driver/runtime.def"
