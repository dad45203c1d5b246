// stream.c: streams and events, which are the runtime's.
#include "libcuda/unit.h"

#define S(stream) ((cudaStream_t)(stream))
#define E(event) ((cudaEvent_t)(event))

// --- streams ---------------------------------------------------------------------------------------------------------
CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority)
{
    CONTEXT();
    CUresult result = ASKED(cudaStreamCreateWithPriority((cudaStream_t *)s, flags, priority));
    if (result == CUDA_SUCCESS) context_gets(A_STREAM, (uintptr_t)*s);
    return result;
}

CUresult cuStreamCreate(CUstream *s, unsigned flags) { return cuStreamCreateWithPriority(s, flags, 0); }

CUresult cuStreamDestroy_v2(CUstream s)
{
    STARTED();
    CUresult result = ASKED(cudaStreamDestroy(S(s)));
    if (result == CUDA_SUCCESS) context_loses(A_STREAM, (uintptr_t)s);
    return result;
}

CUresult cuStreamDestroy(CUstream s) { return cuStreamDestroy_v2(s); }

CUresult cuStreamSynchronize(CUstream s)
{
    CONTEXT();
    return ASKED(cudaStreamSynchronize(S(s)));
}

CUresult cuStreamQuery(CUstream s)
{
    CONTEXT();
    return ASKED(cudaStreamQuery(S(s)));
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags)
{
    CONTEXT();
    return ASKED(cudaStreamWaitEvent(S(s), E(e), flags));
}

CUresult cuStreamGetFlags(CUstream s, unsigned *flags)
{
    CONTEXT();
    return ASKED(cudaStreamGetFlags(S(s), flags));
}

CUresult cuStreamGetPriority(CUstream s, int *priority)
{
    CONTEXT();
    return ASKED(cudaStreamGetPriority(S(s), priority));
}

cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id);
CUresult cuStreamGetId(CUstream s, unsigned long long *id)
{
    CONTEXT();
    return ASKED(cudaStreamGetId(S(s), id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t s, int *device);
CUresult cuStreamGetDevice(CUstream s, CUdevice *d)
{
    CONTEXT();
    return ASKED(cudaStreamGetDevice(S(s), d));
}

CUresult cuStreamGetCtx(CUstream s, CUcontext *c)
{
    uint64_t number;
    CONTEXT();
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    if (!stream_number(S(s), &number)) return CUDA_ERROR_INVALID_HANDLE;
    *c = context_of(A_STREAM, (uintptr_t)s);
    return *c ? CUDA_SUCCESS : cuCtxGetCurrent(c);
}

// A part of the SMs, which there isn't.
CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *c, void **part)
{
    if (part) *part = NULL;
    return cuStreamGetCtx(s, c);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, int *status);
CUresult cuStreamIsCapturing(CUstream s, int *status)
{
    CONTEXT();
    return ASKED(cudaStreamIsCapturing(S(s), status));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t bytes, unsigned flags);
CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t bytes, unsigned flags)
{
    CONTEXT();
    return ASKED(cudaStreamAttachMemAsync(S(s), pointer(p), bytes, flags));
}

// --- functions of the host, whose calls may call the driver ----------------------------------------------------------
CUresult cuStreamAddCallback(CUstream s, void (*function)(CUstream, CUresult, void *), void *data, unsigned flags)
{
    CONTEXT();
    if (!function || flags) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(launches_done(S(s)));
    if (result != CUDA_ERROR_INVALID_HANDLE) function(s, result, data);
    return result;
}

CUresult cuLaunchHostFunc(CUstream s, void (*function)(void *), void *data)
{
    CONTEXT();
    bool taken = false;
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = capture_on() ? ASKED(capture_host(function, data, S(s), &taken)) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS || taken) return result;
    result = ASKED(launches_done(S(s)));
    if (result == CUDA_SUCCESS) function(data);
    return result;
}

// --- events ----------------------------------------------------------------------------------------------------------
CUresult cuEventCreate(CUevent *e, unsigned flags)
{
    CONTEXT();
    CUresult result = ASKED(cudaEventCreateWithFlags((cudaEvent_t *)e, flags));
    if (result == CUDA_SUCCESS) context_gets(AN_EVENT, (uintptr_t)*e);
    return result;
}

CUresult cuEventDestroy_v2(CUevent e)
{
    STARTED();
    CUresult result = ASKED(cudaEventDestroy(E(e)));
    if (result == CUDA_SUCCESS) context_loses(AN_EVENT, (uintptr_t)e);
    return result;
}

CUresult cuEventDestroy(CUevent e) { return cuEventDestroy_v2(e); }

CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned flags)
{
    CONTEXT();
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : ASKED(cudaEventRecord(E(e), S(s)));
}

CUresult cuEventRecord(CUevent e, CUstream s) { return cuEventRecordWithFlags(e, s, 0); }

CUresult cuEventQuery(CUevent e)
{
    CONTEXT();
    return ASKED(cudaEventQuery(E(e)));
}

CUresult cuEventSynchronize(CUevent e)
{
    CONTEXT();
    return ASKED(cudaEventSynchronize(E(e)));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    CONTEXT();
    return ASKED(cudaEventElapsedTime(milliseconds, E(from), E(to)));
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to)
{
    return cuEventElapsedTime(milliseconds, from, to);
}
