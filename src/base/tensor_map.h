// tensor_map.h: tensor maps: what an instruction that copies a part of a tensor must know of it (PTX ISA §5.5).
#ifndef BASE_TENSOR_MAP_H
#define BASE_TENSOR_MAP_H

#include "base/base.h"

// tensor_map.c
// What cuTensorMapEncodeTiled describes: a tensor in global memory, and the box of it that an instruction copies. The
// first dimension is the one whose elements lie side by side.
enum { TENSOR_MAP_BYTES = 128, MAX_RANK = 5 };
typedef struct TensorMap {
    uint64_t base, size[MAX_RANK], stride[MAX_RANK];  // elements; bytes from one to the next
    uint32_t box[MAX_RANK], step[MAX_RANK];           // elements of the box; every so many of them are copied
    int16_t lower[3], upper[3];                       // im2col: corners of the box, of each inner dimension
    uint32_t channels, pixels;                        // im2col: of a box
    uint8_t rank, type, swizzle;                      // type, swizzle: as in CUDA's enumerations
    bool im2col, nan;                                 // nan: what lies outside is filled with NaN, else with zeros
} TensorMap;
// Null, or what is wrong with it, with the field's name as tensormap.replace has it (PTX ISA §9.7.9.27).
const char *tensor_map_flaw(const TensorMap *t);
void tensor_map_write(const TensorMap *t, uint8_t to[TENSOR_MAP_BYTES]);
const char *tensor_map_read(TensorMap *t, const uint8_t from[TENSOR_MAP_BYTES]);  // null, or what is wrong with it
// Changes a field of a map that need not be complete; k: a dimension. Null, or why not: it's no map, or the field can't
// have the value. What is only wrong with the map as a whole is found when it is read.
typedef enum TensorField {
    TENSOR_ADDRESS,
    TENSOR_RANK,
    TENSOR_BOX,
    TENSOR_SIZE,
    TENSOR_STRIDE,
    TENSOR_STEP,
    TENSOR_TYPE,
    TENSOR_INTERLEAVE,
    TENSOR_SWIZZLE,
    TENSOR_FILL
} TensorField;
const char *tensor_map_set(uint8_t map[TENSOR_MAP_BYTES], TensorField field, uint32_t k, uint64_t value);
uint32_t tensor_map_bytes(const TensorMap *t);  // of an element

#endif
