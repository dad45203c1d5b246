// copy.c: copies between the host, the device and arrays, and fills. What lies on the device by a function's name must
// lie there.
#include "libcuda/unit.h"

#include <string.h>

#define S(stream) ((cudaStream_t)(stream))

// --- runs of bytes ---------------------------------------------------------------------------------------------------
#define ON_DEVICE(p) \
    if (!memory_reachable(p)) return CUDA_ERROR_INVALID_VALUE

static CUresult copy(void *to, const void *from, size_t bytes, CUstream s)
{
    return ASKED(cudaMemcpyAsync(to, from, bytes, BY_ADDRESS, S(s)));
}

static CUresult copy_now(void *to, const void *from, size_t bytes)
{
    return ASKED(cudaMemcpy(to, from, bytes, BY_ADDRESS));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    CONTEXT();
    ON_DEVICE(to);
    return copy_now(pointer(to), from, bytes);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    CONTEXT();
    ON_DEVICE(from);
    return copy_now(to, pointer(from), bytes);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CONTEXT();
    ON_DEVICE(to);
    ON_DEVICE(from);
    return copy_now(pointer(to), pointer(from), bytes);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    CONTEXT();
    ON_DEVICE(to);
    return copy(pointer(to), from, bytes, s);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
    CONTEXT();
    ON_DEVICE(from);
    return copy(to, pointer(from), bytes, s);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    CONTEXT();
    ON_DEVICE(to);
    ON_DEVICE(from);
    return copy(pointer(to), pointer(from), bytes, s);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CONTEXT();
    return copy_now(pointer(to), pointer(from), bytes);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    CONTEXT();
    return copy(pointer(to), pointer(from), bytes, s);
}

// All contexts are of one device.
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes)
{
    (void)there, (void)here;
    return cuMemcpyDtoD_v2(to, from, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes, CUstream s)
{
    (void)there, (void)here;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, s);
}

// --- runs of an array's bytes ----------------------------------------------------------------------------------------
#define ARRAY(a) ((const Array *)(a))

CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t at, const void *from, size_t bytes, CUstream s)
{
    CONTEXT();
    return ASKED(cudaMemcpyToArrayAsync(ARRAY(to), at, 0, from, bytes, BY_ADDRESS, S(s)));
}

CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t at, size_t bytes, CUstream s)
{
    CONTEXT();
    return ASKED(cudaMemcpyFromArrayAsync(to, ARRAY(from), at, 0, bytes, BY_ADDRESS, S(s)));
}

CUresult cuMemcpyHtoA_v2(CUarray to, size_t at, const void *from, size_t bytes)
{
    CONTEXT();
    return ASKED(cudaMemcpyToArray(ARRAY(to), at, 0, from, bytes, BY_ADDRESS));
}

CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t at, size_t bytes)
{
    CONTEXT();
    return ASKED(cudaMemcpyFromArray(to, ARRAY(from), at, 0, bytes, BY_ADDRESS));
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t at, CUdeviceptr from, size_t bytes)
{
    CONTEXT();
    ON_DEVICE(from);
    return ASKED(cudaMemcpyToArray(ARRAY(to), at, 0, pointer(from), bytes, BY_ADDRESS));
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t at, size_t bytes)
{
    CONTEXT();
    ON_DEVICE(to);
    return ASKED(cudaMemcpyFromArray(pointer(to), ARRAY(from), at, 0, bytes, BY_ADDRESS));
}

CUresult cuMemcpyAtoA_v2(CUarray to, size_t at, CUarray from, size_t from_at, size_t bytes)
{
    CONTEXT();
    return ASKED(cudaMemcpyArrayToArray(ARRAY(to), at, 0, ARRAY(from), from_at, 0, bytes, BY_ADDRESS));
}

// --- rectangles and boxes --------------------------------------------------------------------------------------------
typedef struct End2D {
    size_t x, y;  // bytes; rows
    int type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch;
} End2D;
typedef struct Copy2D {  // CUDA_MEMCPY2D
    End2D from, to;
    size_t width, height;  // bytes; rows
} Copy2D;
_Static_assert(sizeof(Copy2D) == 128 && sizeof(Copy3D) == 200, "as in CUDA 13");

// The box of an end in memory, whose rows are close together where no pitch is given.
static CUresult linear(const End3D *e, cudaExtent size, Box *box)
{
    const uint64_t at = e->type == OF_HOST ? (uintptr_t)e->host : e->device;
    size_t slice, skip;
    *box =
        (Box){.pitch = e->pitch ? e->pitch : e->x + size.width, .height = e->height ? e->height : size.height + e->y};
    if (!at || (e->type == OF_DEVICE && !memory_reachable(at))) return CUDA_ERROR_INVALID_VALUE;
    if (e->x > box->pitch || size.width > box->pitch - e->x) return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(box->pitch, box->height, &slice) || __builtin_mul_overflow(slice, e->z, &skip) ||
        __builtin_mul_overflow(box->pitch, e->y, &slice) || slice > UINT64_MAX - skip ||
        skip + slice > UINT64_MAX - at || e->x > UINT64_MAX - at - skip - slice)
        return CUDA_ERROR_INVALID_VALUE;
    box->at = (uint8_t *)(uintptr_t)(at + skip + slice + e->x);
    return CUDA_SUCCESS;
}

static CUresult box_of(const End3D *e, cudaExtent size, Box *box)
{
    Array a;
    if (e->type == OF_HOST || e->type == OF_DEVICE || e->type == BY_POINTER) return linear(e, size, box);
    if (e->type != OF_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    if (!array_find(ARRAY(e->array), &a)) return CUDA_ERROR_INVALID_HANDLE;
    if (e->x % a.texel) return CUDA_ERROR_INVALID_VALUE;
    return ASKED(array_box(&a, (cudaPos){e->x / a.texel, e->y, e->z}, size, box));
}

CUresult boxes_of(const Copy3D *c, Box *to, Box *from)
{
    const cudaExtent size = {c->width, c->height, c->depth};
    if (c->from.level || c->to.level) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = box_of(&c->to, size, to);
    return result == CUDA_SUCCESS ? box_of(&c->from, size, from) : result;
}

static CUresult copy_box(const Copy3D *c, CUstream s, bool now)
{
    const cudaExtent size = {c->width, c->height, c->depth};
    Box to, from;
    if (!size.width || !size.height || !size.depth) return CUDA_SUCCESS;
    CUresult result = boxes_of(c, &to, &from);
    if (result != CUDA_SUCCESS) return result;
    return now ? ASKED(WAITING(box_copy(&to, &from, size, BY_ADDRESS, S(s))))
               : ASKED(box_copy(&to, &from, size, BY_ADDRESS, S(s)));
}

CUresult cuMemcpy3D_v2(const Copy3D *c)
{
    CONTEXT();
    return c ? copy_box(c, NULL, true) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DAsync_v2(const Copy3D *c, CUstream s)
{
    CONTEXT();
    return c ? copy_box(c, s, false) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DPeer(const Copy3D *c) { return cuMemcpy3D_v2(c); }
CUresult cuMemcpy3DPeerAsync(const Copy3D *c, CUstream s) { return cuMemcpy3DAsync_v2(c, s); }

static End3D end_of(const End2D *e)
{
    return (End3D){.x = e->x,
                   .y = e->y,
                   .type = e->type,
                   .host = e->host,
                   .device = e->device,
                   .array = e->array,
                   .pitch = e->pitch};
}

static CUresult copy_rectangle(const Copy2D *c, CUstream s, bool now)
{
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    const Copy3D all = {end_of(&c->from), end_of(&c->to), c->width, c->height, 1};
    return copy_box(&all, s, now);
}

CUresult cuMemcpy2D_v2(const Copy2D *c)
{
    CONTEXT();
    return copy_rectangle(c, NULL, true);
}

CUresult cuMemcpy2DUnaligned_v2(const Copy2D *c) { return cuMemcpy2D_v2(c); }

CUresult cuMemcpy2DAsync_v2(const Copy2D *c, CUstream s)
{
    CONTEXT();
    return copy_rectangle(c, s, false);
}

// --- fills -----------------------------------------------------------------------------------------------------------
static CUresult fill(CUdeviceptr to, size_t pitch, unsigned word, size_t size, size_t width, size_t height, CUstream s,
                     bool now)
{
    CONTEXT();
    memory_waits(now);
    return ASKED(memory_waited(rows_fill(pointer(to), pitch, word, size, width, height, S(s))));
}

#define FILLS(bits, type)                                                                                   \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type word, size_t n)                                      \
    {                                                                                                       \
        return fill(to, 0, word, sizeof(type), n, 1, NULL, true);                                           \
    }                                                                                                       \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type word, size_t n, CUstream s)                        \
    {                                                                                                       \
        return fill(to, 0, word, sizeof(type), n, 1, s, false);                                             \
    }                                                                                                       \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type word, size_t width, size_t height)   \
    {                                                                                                       \
        return fill(to, pitch, word, sizeof(type), width, height, NULL, true);                              \
    }                                                                                                       \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type word, size_t width, size_t height, \
                                      CUstream s)                                                           \
    {                                                                                                       \
        return fill(to, pitch, word, sizeof(type), width, height, s, false);                                \
    }
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
