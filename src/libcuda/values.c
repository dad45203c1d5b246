// values.c: values that a stream writes, or waits for, in its order. Whoever writes a value that is waited for is of no
// matter: another stream, a kernel, the host in memory that kernels reach.
#include "libcuda/unit.h"

#include <string.h>

enum { FLUSH = 1 << 30, NO_BARRIER = 1 };  // CU_STREAM_WAIT_VALUE_FLUSH, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER

// Managed memory isn't for this (CUDA Driver API, "Stream Memory Operations").
static CUresult place(CUdeviceptr at, uint32_t what)
{
    enum { MANAGED = 3 };  // cudaMemoryType
    int type;
    if (at % (what & WIRE_LONG ? sizeof(uint64_t) : sizeof(uint32_t))) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(memory_type(pointer(at), &type));
    if (result != CUDA_SUCCESS) return result;
    return !type || type == MANAGED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// What onchip is asked for. Writes of other devices, which a flush would wait for, there aren't.
static CUresult waiting(unsigned flags, uint32_t size, uint32_t *what)
{
    *what = size | (flags & WIRE_COMPARISON);
    if (flags & ~(unsigned)(FLUSH | WIRE_COMPARISON)) return CUDA_ERROR_INVALID_VALUE;
    return flags & FLUSH ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static CUresult writing(unsigned flags, uint32_t size, uint32_t *what)
{
    *what = size | WIRE_PUTS;
    return flags > NO_BARRIER ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult one(CUstream s, CUdeviceptr at, uint64_t value, CUresult flaw, uint32_t what)
{
    CONTEXT();
    CUresult result = flaw == CUDA_SUCCESS ? place(at, what) : flaw;
    return result == CUDA_SUCCESS ? ASKED(stream_value((cudaStream_t)s, at, value, what)) : result;
}

CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr at, uint32_t value, unsigned flags)
{
    uint32_t what;
    const CUresult flaw = waiting(flags, 0, &what);
    return one(s, at, value, flaw, what);
}

CUresult cuStreamWaitValue64_v2(CUstream s, CUdeviceptr at, uint64_t value, unsigned flags)
{
    uint32_t what;
    const CUresult flaw = waiting(flags, WIRE_LONG, &what);
    return one(s, at, value, flaw, what);
}

CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr at, uint32_t value, unsigned flags)
{
    uint32_t what;
    const CUresult flaw = writing(flags, 0, &what);
    return one(s, at, value, flaw, what);
}

CUresult cuStreamWriteValue64_v2(CUstream s, CUdeviceptr at, uint64_t value, unsigned flags)
{
    uint32_t what;
    const CUresult flaw = writing(flags, WIRE_LONG, &what);
    return one(s, at, value, flaw, what);
}

CUresult cuStreamWaitValue32(CUstream s, CUdeviceptr at, uint32_t value, unsigned flags)
{
    return cuStreamWaitValue32_v2(s, at, value, flags);
}

CUresult cuStreamWaitValue64(CUstream s, CUdeviceptr at, uint64_t value, unsigned flags)
{
    return cuStreamWaitValue64_v2(s, at, value, flags);
}

CUresult cuStreamWriteValue32(CUstream s, CUdeviceptr at, uint32_t value, unsigned flags)
{
    return cuStreamWriteValue32_v2(s, at, value, flags);
}

CUresult cuStreamWriteValue64(CUstream s, CUdeviceptr at, uint64_t value, unsigned flags)
{
    return cuStreamWriteValue64_v2(s, at, value, flags);
}

// --- several at once -------------------------------------------------------------------------------------------------
typedef union ValueOp {  // CUstreamBatchMemOpParams
    struct {
        int operation;
        CUdeviceptr at;
        uint64_t value;
        unsigned flags;
        CUdeviceptr alias;  // the driver's own
    } value;
    struct {
        int operation;
        unsigned flags;
    } barrier;
    uint64_t room[6];
} ValueOp;
_Static_assert(sizeof(ValueOp) == 48, "as in CUDA 13");
enum { WAIT_32 = 1, WRITE_32, FLUSH_WRITES, WAIT_64, WRITE_64, BARRIER };  // CUstreamBatchMemOpType

// A barrier comes anyway: what a stream does is over before the next thing.
static CUresult read_op(const ValueOp *op, uint32_t *what, bool *does)
{
    const bool is_long = op->value.operation >= WAIT_64;
    *does = true, *what = 0;
    CUresult result;
    switch (op->value.operation) {
    case WAIT_32:
    case WAIT_64: result = waiting(op->value.flags, is_long ? WIRE_LONG : 0, what); break;
    case WRITE_32:
    case WRITE_64: result = writing(op->value.flags, is_long ? WIRE_LONG : 0, what); break;
    case FLUSH_WRITES: return op->barrier.flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
    case BARRIER: *does = false; return op->barrier.flags > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return result == CUDA_SUCCESS ? place(op->value.at, *what) : result;
}

// None is done where one of them can't be.
CUresult cuStreamBatchMemOp_v2(CUstream s, unsigned n, const ValueOp *ops, unsigned flags)
{
    enum { MOST = 256 };
    uint32_t what;
    bool does;
    CUresult result = CUDA_SUCCESS;
    CONTEXT();
    if (!n || n > MOST || !ops || flags) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned k = 0; k < n && result == CUDA_SUCCESS; k++) result = read_op(&ops[k], &what, &does);
    for (unsigned k = 0; k < n && result == CUDA_SUCCESS; k++) {
        result = read_op(&ops[k], &what, &does);
        const uint64_t value = what & WIRE_LONG ? ops[k].value.value : (uint32_t)ops[k].value.value;
        if (result == CUDA_SUCCESS && does) result = ASKED(stream_value((cudaStream_t)s, ops[k].value.at, value, what));
    }
    return result;
}

CUresult cuStreamBatchMemOp(CUstream s, unsigned n, const ValueOp *ops, unsigned flags)
{
    return cuStreamBatchMemOp_v2(s, n, ops, flags);
}
