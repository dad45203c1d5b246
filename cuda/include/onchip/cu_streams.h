// onchip/cu_streams.h: streams and events, functions of the host, and words of memory that a stream waits for.
#ifndef ONCHIP_CU_STREAMS_H
#define ONCHIP_CU_STREAMS_H

#ifdef __cplusplus
extern "C" {
#endif

// --- streams ---------------------------------------------------------------------------------------------------------
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
typedef enum CUstream_flags_enum { CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING } CUstream_flags;
typedef void (CUDA_CB *CUstreamCallback)(CUstream stream, CUresult status, void *user);
typedef void (CUDA_CB *CUhostFn)(void *user);
CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *part);
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device);
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr at, size_t bytes, unsigned flags);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *user, unsigned flags);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user);

// --- events ----------------------------------------------------------------------------------------------------------
typedef enum CUevent_flags_enum {
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_EVENT_INTERPROCESS = 4
} CUevent_flags;
typedef enum CUevent_record_flags_enum { CU_EVENT_RECORD_DEFAULT, CU_EVENT_RECORD_EXTERNAL } CUevent_record_flags;
typedef enum CUevent_wait_flags_enum { CU_EVENT_WAIT_DEFAULT, CU_EVENT_WAIT_EXTERNAL } CUevent_wait_flags;
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to);

// --- words of memory -------------------------------------------------------------------------------------------------
typedef enum CUstreamWaitValue_flags_enum {
    CU_STREAM_WAIT_VALUE_GEQ = 0,
    CU_STREAM_WAIT_VALUE_EQ = 1,
    CU_STREAM_WAIT_VALUE_AND = 2,
    CU_STREAM_WAIT_VALUE_NOR = 3,
    CU_STREAM_WAIT_VALUE_FLUSH = 1 << 30
} CUstreamWaitValue_flags;
typedef enum CUstreamWriteValue_flags_enum {
    CU_STREAM_WRITE_VALUE_DEFAULT,
    CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
} CUstreamWriteValue_flags;
typedef enum CUstreamMemoryBarrier_flags_enum {
    CU_STREAM_MEMORY_BARRIER_TYPE_SYS,
    CU_STREAM_MEMORY_BARRIER_TYPE_GPU
} CUstreamMemoryBarrier_flags;
typedef enum CUstreamBatchMemOpType_enum {
    CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
    CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
    CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
    CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
    CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
    CU_STREAM_MEM_OP_BARRIER = 6
} CUstreamBatchMemOpType;
struct CUstreamMemOpWaitValueParams_st {
    CUstreamBatchMemOpType operation;
    CUdeviceptr address;
    union {
        cuuint32_t value;
        cuuint64_t value64;
    };
    unsigned flags;
    CUdeviceptr alias;
};
struct CUstreamMemOpWriteValueParams_st {
    CUstreamBatchMemOpType operation;
    CUdeviceptr address;
    union {
        cuuint32_t value;
        cuuint64_t value64;
    };
    unsigned flags;
    CUdeviceptr alias;
};
struct CUstreamMemOpFlushRemoteWritesParams_st {
    CUstreamBatchMemOpType operation;
    unsigned flags;
};
struct CUstreamMemOpMemoryBarrierParams_st {
    CUstreamBatchMemOpType operation;
    unsigned flags;
};
typedef union CUstreamBatchMemOpParams_union {
    CUstreamBatchMemOpType operation;
    struct CUstreamMemOpWaitValueParams_st waitValue;
    struct CUstreamMemOpWriteValueParams_st writeValue;
    struct CUstreamMemOpFlushRemoteWritesParams_st flushRemoteWrites;
    struct CUstreamMemOpMemoryBarrierParams_st memoryBarrier;
    cuuint64_t pad[6];
} CUstreamBatchMemOpParams;
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags);
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags);
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags);
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags);
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations, unsigned flags);

typedef enum CUflushGPUDirectRDMAWritesOptions_enum {
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST = 1,
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS = 2
} CUflushGPUDirectRDMAWritesOptions;
typedef enum CUGPUDirectRDMAWritesOrdering_enum {
    CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE = 0,
    CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER = 100,
    CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES = 200
} CUGPUDirectRDMAWritesOrdering;
typedef enum CUflushGPUDirectRDMAWritesScope_enum {
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200
} CUflushGPUDirectRDMAWritesScope;
typedef enum CUflushGPUDirectRDMAWritesTarget_enum {
    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0
} CUflushGPUDirectRDMAWritesTarget;
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope);

#ifdef __cplusplus
}
#endif
#endif
