// tensor.c: maps of tensors. The kernels that use them run on the simulated GPU, so that the maps are ours
// (base/tensor_map.h). No context is needed to write one.
#include "libcuda/unit.h"

#include "base/tensor_map.h"

static CUresult put(const TensorMap *t, void *map)
{
    if (!map || tensor_map_flaw(t)) return CUDA_ERROR_INVALID_VALUE;
    tensor_map_write(t, map);
    return 0;
}

// What both kinds of maps have. Strides are those from the second dimension on.
static TensorMap tensor(int type, uint32_t rank, uint64_t at, const uint64_t *size, const uint64_t *stride,
                        const uint32_t *step, int swizzle, int fill)
{
    TensorMap t = {.base = at,
                   .type = (uint8_t)MIN((unsigned)type, UINT8_MAX),
                   .rank = (uint8_t)MIN(rank, UINT8_MAX),
                   .swizzle = (uint8_t)MIN((unsigned)swizzle, UINT8_MAX),
                   .nan = fill == 1};
    for (uint32_t k = 0; k < MIN(rank, (uint32_t)MAX_RANK); k++) {
        t.size[k] = size[k], t.step[k] = step[k], t.box[k] = 1;
        if (k) t.stride[k] = stride[k - 1];
    }
    return t;
}

CUresult cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *at, const uint64_t *size,
                                const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                int swizzle, int promotion, int fill)
{
    (void)promotion;  // a hint to the L2
    if (!size || !box || !step || (rank > 1 && !stride) || rank > MAX_RANK) return CUDA_ERROR_INVALID_VALUE;
    if (interleave) return CUDA_ERROR_NOT_SUPPORTED;
    TensorMap t = tensor(type, rank, (uintptr_t)at, size, stride, step, swizzle, fill);
    for (uint32_t k = 0; k < rank; k++) t.box[k] = box[k];
    return put(&t, map);
}

CUresult cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *at, const uint64_t *size,
                                 const uint64_t *stride, const int *lower, const int *upper, uint32_t channels,
                                 uint32_t pixels, const uint32_t *step, int interleave, int swizzle, int promotion,
                                 int fill)
{
    (void)promotion;
    if (!size || !lower || !upper || !step || !stride || rank < 3 || rank > MAX_RANK) return CUDA_ERROR_INVALID_VALUE;
    if (interleave) return CUDA_ERROR_NOT_SUPPORTED;
    TensorMap t = tensor(type, rank, (uintptr_t)at, size, stride, step, swizzle, fill);
    t.im2col = true;
    t.channels = channels, t.pixels = pixels;
    for (uint32_t k = 0; k + 2 < rank; k++) {
        if (lower[k] != (int16_t)lower[k] || upper[k] != (int16_t)upper[k]) return CUDA_ERROR_INVALID_VALUE;
        t.lower[k] = (int16_t)lower[k], t.upper[k] = (int16_t)upper[k];
    }
    return put(&t, map);
}

CUresult cuTensorMapReplaceAddress(void *map, void *at)
{
    TensorMap t;
    if (!map || tensor_map_read(&t, map)) return CUDA_ERROR_INVALID_VALUE;
    t.base = (uintptr_t)at;
    return put(&t, map);
}
