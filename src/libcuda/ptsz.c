// ptsz.c: what programs call that were built with --default-stream per-thread. Stream 0 is the thread's own one there.
// Names that end in _ptsz have a stream; those that end in _ptds have none, and use the thread's own.
#include "libcuda/unit.h"

#define OWN ((CUstream)2)  // CU_STREAM_PER_THREAD
#define OF(s) ((s) ? (s) : OWN)
#define PTSZ(name, params, args) \
    CUresult name params;        \
    CUresult name##_ptsz params { return name args; }
// of: the function with a stream that does the same; its copies and fills wait.
#define PTDS(name, of, params, args) \
    CUresult of;                     \
    CUresult name##_ptds params { return (memory_waits(true), waited(args)); }
static CUresult waited(CUresult result) { return memory_waited(0), result; }

// --- launches, functions, streams, events ----------------------------------------------------------------------------
CUresult cuLaunchKernel LAUNCH_PARAMETERS;
CUresult cuLaunchKernel_ptsz LAUNCH_PARAMETERS
{
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, smem, OF(s), params, extra);
}

CUresult cuLaunchCooperativeKernel COOPERATIVE_PARAMETERS;
CUresult cuLaunchCooperativeKernel_ptsz COOPERATIVE_PARAMETERS
{
    return cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, smem, OF(s), params);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    if (!config || config->stream) return cuLaunchKernelEx(config, f, params, extra);
    CUlaunchConfig c = *config;
    c.stream = OWN;
    return cuLaunchKernelEx(&c, f, params, extra);
}

PTSZ(cuLaunchHostFunc, (CUstream s, void (*function)(void *), void *data), (OF(s), function, data))
PTSZ(cuStreamAddCallback, (CUstream s, void (*function)(CUstream, CUresult, void *), void *data, unsigned flags),
     (OF(s), function, data, flags))
PTSZ(cuStreamSynchronize, (CUstream s), (OF(s)))
PTSZ(cuStreamQuery, (CUstream s), (OF(s)))
PTSZ(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags), (OF(s), e, flags))
PTSZ(cuStreamGetFlags, (CUstream s, unsigned *flags), (OF(s), flags))
PTSZ(cuStreamGetPriority, (CUstream s, int *priority), (OF(s), priority))
PTSZ(cuStreamGetId, (CUstream s, unsigned long long *id), (OF(s), id))
PTSZ(cuStreamGetDevice, (CUstream s, CUdevice *d), (OF(s), d))
PTSZ(cuStreamGetCtx, (CUstream s, CUcontext *c), (OF(s), c))
PTSZ(cuStreamGetCtx_v2, (CUstream s, CUcontext *c, void **part), (OF(s), c, part))
PTSZ(cuStreamIsCapturing, (CUstream s, int *status), (OF(s), status))
PTSZ(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr p, size_t bytes, unsigned flags), (OF(s), p, bytes, flags))
PTSZ(cuEventRecord, (CUevent e, CUstream s), (e, OF(s)))
PTSZ(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags), (e, OF(s), flags))

// --- values that streams write and wait for --------------------------------------------------------------------------
#define VALUES(name, type)                                                                          \
    PTSZ(name, (CUstream s, CUdeviceptr at, type value, unsigned flags), (OF(s), at, value, flags)) \
    PTSZ(name##_v2, (CUstream s, CUdeviceptr at, type value, unsigned flags), (OF(s), at, value, flags))
VALUES(cuStreamWaitValue32, uint32_t)
VALUES(cuStreamWaitValue64, uint64_t)
VALUES(cuStreamWriteValue32, uint32_t)
VALUES(cuStreamWriteValue64, uint64_t)
PTSZ(cuStreamBatchMemOp, (CUstream s, unsigned n, const void *ops, unsigned flags), (OF(s), n, ops, flags))
PTSZ(cuStreamBatchMemOp_v2, (CUstream s, unsigned n, const void *ops, unsigned flags), (OF(s), n, ops, flags))

// --- memory ----------------------------------------------------------------------------------------------------------
PTSZ(cuMemPrefetchAsync, (CUdeviceptr p, size_t bytes, CUdevice d, CUstream s), (p, bytes, d, OF(s)))
PTSZ(cuMemPrefetchAsync_v2, (CUdeviceptr p, size_t bytes, cudaMemLocation to, unsigned flags, CUstream s),
     (p, bytes, to, flags, OF(s)))

PTSZ(cuMemAllocAsync, (CUdeviceptr * p, size_t bytes, CUstream s), (p, bytes, OF(s)))
PTSZ(cuMemAllocFromPoolAsync, (CUdeviceptr * p, size_t bytes, cudaMemPool_t pool, CUstream s), (p, bytes, pool, OF(s)))
PTSZ(cuMemFreeAsync, (CUdeviceptr p, CUstream s), (p, OF(s)))

// --- copies ----------------------------------------------------------------------------------------------------------
PTSZ(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s), (to, from, bytes, OF(s)))
PTSZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream s), (to, from, bytes, OF(s)))
PTSZ(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream s), (to, from, bytes, OF(s)))
PTSZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s), (to, from, bytes, OF(s)))
PTSZ(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes, CUstream s),
     (to, there, from, here, bytes, OF(s)))
PTSZ(cuMemcpyHtoAAsync_v2, (CUarray to, size_t at, const void *from, size_t bytes, CUstream s),
     (to, at, from, bytes, OF(s)))
PTSZ(cuMemcpyAtoHAsync_v2, (void *to, CUarray from, size_t at, size_t bytes, CUstream s), (to, from, at, bytes, OF(s)))
PTSZ(cuMemcpy2DAsync_v2, (const void *copy, CUstream s), (copy, OF(s)))
PTSZ(cuMemcpy3DAsync_v2, (const void *copy, CUstream s), (copy, OF(s)))
PTSZ(cuMemcpy3DPeerAsync, (const void *copy, CUstream s), (copy, OF(s)))

PTDS(cuMemcpy, cuMemcpyAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream),
     (CUdeviceptr to, CUdeviceptr from, size_t bytes), cuMemcpyAsync(to, from, bytes, OWN))
PTDS(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2(CUdeviceptr, const void *, size_t, CUstream),
     (CUdeviceptr to, const void *from, size_t bytes), cuMemcpyHtoDAsync_v2(to, from, bytes, OWN))
PTDS(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t, CUstream),
     (void *to, CUdeviceptr from, size_t bytes), cuMemcpyDtoHAsync_v2(to, from, bytes, OWN))
PTDS(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, size_t, CUstream),
     (CUdeviceptr to, CUdeviceptr from, size_t bytes), cuMemcpyDtoDAsync_v2(to, from, bytes, OWN))
PTDS(cuMemcpyPeer, cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream),
     (CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes),
     cuMemcpyPeerAsync(to, there, from, here, bytes, OWN))
PTDS(cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2(CUarray, size_t, const void *, size_t, CUstream),
     (CUarray to, size_t at, const void *from, size_t bytes), cuMemcpyHtoAAsync_v2(to, at, from, bytes, OWN))
PTDS(cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2(void *, CUarray, size_t, size_t, CUstream),
     (void *to, CUarray from, size_t at, size_t bytes), cuMemcpyAtoHAsync_v2(to, from, at, bytes, OWN))
PTDS(cuMemcpyDtoA_v2, cuMemcpyHtoAAsync_v2(CUarray, size_t, const void *, size_t, CUstream),
     (CUarray to, size_t at, CUdeviceptr from, size_t bytes), cuMemcpyHtoAAsync_v2(to, at, pointer(from), bytes, OWN))
PTDS(cuMemcpyAtoD_v2, cuMemcpyAtoHAsync_v2(void *, CUarray, size_t, size_t, CUstream),
     (CUdeviceptr to, CUarray from, size_t at, size_t bytes), cuMemcpyAtoHAsync_v2(pointer(to), from, at, bytes, OWN))
CUresult cuMemcpyAtoA_v2(CUarray to, size_t at, CUarray from, size_t from_at, size_t bytes);
CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t at, CUarray from, size_t from_at, size_t bytes)
{
    return cuMemcpyAtoA_v2(to, at, from, from_at, bytes);
}
PTDS(cuMemcpy2D_v2, cuMemcpy2DAsync_v2(const void *, CUstream), (const void *copy), cuMemcpy2DAsync_v2(copy, OWN))
PTDS(cuMemcpy2DUnaligned_v2, cuMemcpy2DAsync_v2(const void *, CUstream), (const void *copy),
     cuMemcpy2DAsync_v2(copy, OWN))
PTDS(cuMemcpy3D_v2, cuMemcpy3DAsync_v2(const void *, CUstream), (const void *copy), cuMemcpy3DAsync_v2(copy, OWN))
PTDS(cuMemcpy3DPeer, cuMemcpy3DPeerAsync(const void *, CUstream), (const void *copy), cuMemcpy3DPeerAsync(copy, OWN))

// --- fills -----------------------------------------------------------------------------------------------------------
#define FILLS(bits, type)                                                                                              \
    PTSZ(cuMemsetD##bits##Async, (CUdeviceptr to, type word, size_t n, CUstream s), (to, word, n, OF(s)))              \
    PTSZ(cuMemsetD2D##bits##Async, (CUdeviceptr to, size_t pitch, type word, size_t width, size_t height, CUstream s), \
         (to, pitch, word, width, height, OF(s)))                                                                      \
    PTDS(cuMemsetD##bits##_v2, cuMemsetD##bits##Async(CUdeviceptr, type, size_t, CUstream),                            \
         (CUdeviceptr to, type word, size_t n), cuMemsetD##bits##Async(to, word, n, OWN))                              \
    PTDS(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##Async(CUdeviceptr, size_t, type, size_t, size_t, CUstream),        \
         (CUdeviceptr to, size_t pitch, type word, size_t width, size_t height),                                       \
         cuMemsetD2D##bits##Async(to, pitch, word, width, height, OWN))
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
