// tensor_map.c: tensor maps, the 128 bytes that cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col write and copies of
// tensors read. NVIDIA keeps their format to itself; this one is ours. It's memory of the program's, so that it may
// hold anything: what is read is checked as what is written.
#include "base/tensor_map.h"

#include <string.h>

#define MAGIC 0x314d544e434f0001ull  // of a map, and its version

// Bytes of an element, by CUDA's CUtensorMapDataType.
static const uint8_t bytes_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
enum { FLOATS_FROM = 6, SWIZZLES = 4 };

uint32_t tensor_map_bytes(const TensorMap *t) { return bytes_of[t->type]; }

#define NO_MAP "there is no map, or what it had was overwritten"
#define NO_TYPE "elemtype: there is no such type of elements"
#define NO_RANK "rank: a tensor has 1 to 5 dimensions"

// im2col's box has corners: they are within a range that depends on the dimensions, and leave some pixels between them
// (CUDA driver API, cuTensorMapEncodeIm2col).
static const char *corners_flaw(const TensorMap *t)
{
    if (t->rank < 3) return "rank: im2col needs 3 to 5 dimensions";
    if (t->channels < 1 || t->channels > 256) return "channels: im2col takes 1 to 256 of them";
    if (t->pixels < 1 || t->pixels > 1024) return "pixels: im2col takes 1 to 1024 of them";
    const int most = t->rank == 3 ? 1 << 15 : t->rank == 4 ? 1 << 7 : 1 << 4;
    for (int k = 0; k < t->rank - 2; k++) {
        if (t->lower[k] < -most || t->lower[k] >= most)
            return "lower corner: it is beyond what so many dimensions allow";
        if (t->upper[k] < -most || t->upper[k] >= most)
            return "upper corner: it is beyond what so many dimensions allow";
        if ((int64_t)t->size[k + 1] + t->upper[k] <= t->lower[k]) return "corners: there is no pixel between them";
    }
    return NULL;
}

static const char *box_flaw(const TensorMap *t)
{
    const uint32_t span[SWIZZLES] = {0, 32, 64, 128};
    for (int k = 0; k < t->rank; k++) {
        if (t->step[k] < 1 || t->step[k] > 8) return "element_stride: a step between elements is 1 to 8";
        if (!t->im2col && (t->box[k] < 1 || t->box[k] > 256))
            return "box_dim: a box has 1 to 256 elements in each dimension";
    }
    const char *flaw = t->im2col ? corners_flaw(t) : NULL;
    if (flaw) return flaw;
    const uint32_t elements = t->im2col ? t->channels : (t->box[0] + t->step[0] - 1) / t->step[0];
    const uint64_t inner = (uint64_t)tensor_map_bytes(t) * elements;
    if (inner % 16) return "box_dim: the box's innermost dimension has a multiple of 16 bytes";
    if (t->swizzle && inner > span[t->swizzle])
        return "swizzle_mode: the box's innermost dimension is at most as long as the swizzle";
    return NULL;
}

const char *tensor_map_flaw(const TensorMap *t)
{
    if (t->rank < 1 || t->rank > MAX_RANK) return NO_RANK;
    if (t->type >= sizeof bytes_of) return NO_TYPE;
    if (t->swizzle >= SWIZZLES) return "swizzle_mode: there is no such swizzle";
    if (t->base % 16) return "global_address: a tensor begins at a multiple of 16 bytes";
    if (t->nan && t->type < FLOATS_FROM) return "fill_mode: only floating-point elements can be NaN";
    for (int k = 0; k < t->rank; k++) {
        if (!t->size[k] || t->size[k] > 1ull << 32) return "global_dim: a dimension has 1 to 2^32 elements";
        if (k && (t->stride[k] % 16 || t->stride[k] >= 1ull << 40))
            return "global_stride: strides are multiples of 16 below 2^40";
    }
    return box_flaw(t);
}

typedef struct Stored {
    uint64_t magic, base;
    uint8_t type, rank, swizzle, flags;
    uint32_t size[MAX_RANK];  // less one
    uint64_t stride[MAX_RANK - 1];
    uint16_t box[MAX_RANK], step[MAX_RANK];
    int16_t lower[3], upper[3];
} Stored;
_Static_assert(sizeof(Stored) <= TENSOR_MAP_BYTES, "it fits");
enum { FLAG_IM2COL = 1, FLAG_NAN = 2 };

void tensor_map_write(const TensorMap *t, uint8_t to[TENSOR_MAP_BYTES])
{
    Stored s = {.magic = MAGIC,
                .base = t->base,
                .type = t->type,
                .rank = t->rank,
                .swizzle = t->swizzle,
                .flags = (uint8_t)((t->im2col ? FLAG_IM2COL : 0) | (t->nan ? FLAG_NAN : 0))};
    for (int k = 0; k < t->rank; k++) {
        s.size[k] = (uint32_t)(t->size[k] - 1);
        if (k) s.stride[k - 1] = t->stride[k];
        s.box[k] = (uint16_t)t->box[k], s.step[k] = (uint16_t)t->step[k];
    }
    if (t->im2col) s.box[0] = (uint16_t)t->channels, s.box[1] = (uint16_t)t->pixels;
    memcpy(s.lower, t->lower, sizeof s.lower), memcpy(s.upper, t->upper, sizeof s.upper);
    memset(to, 0, TENSOR_MAP_BYTES);
    memcpy(to, &s, sizeof s);
}

const char *tensor_map_read(TensorMap *t, const uint8_t from[TENSOR_MAP_BYTES])
{
    Stored s;
    memcpy(&s, from, sizeof s);
    if (s.magic != MAGIC || s.flags & ~(FLAG_IM2COL | FLAG_NAN)) return NO_MAP;
    if (s.rank < 1 || s.rank > MAX_RANK) return NO_RANK;
    if (s.type >= sizeof bytes_of) return NO_TYPE;
    *t = (TensorMap){.base = s.base,
                     .type = s.type,
                     .rank = s.rank,
                     .swizzle = s.swizzle,
                     .im2col = s.flags & FLAG_IM2COL,
                     .nan = s.flags & FLAG_NAN};
    for (int k = 0; k < t->rank; k++) {
        t->size[k] = (uint64_t)s.size[k] + 1;
        t->stride[k] = k ? s.stride[k - 1] : bytes_of[t->type];
        t->box[k] = t->im2col ? 1 : s.box[k], t->step[k] = s.step[k];
    }
    if (t->im2col) t->channels = s.box[0], t->pixels = s.box[1];
    memcpy(t->lower, s.lower, sizeof s.lower), memcpy(t->upper, s.upper, sizeof s.upper);
    return tensor_map_flaw(t);
}

const char *tensor_map_set(uint8_t map[TENSOR_MAP_BYTES], TensorField field, uint32_t k, uint64_t value)
{
    // PTX's numbers of types (ISA §9.7.9.27, table) as CUDA's
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    Stored s;
    memcpy(&s, map, sizeof s);
    if (s.magic != MAGIC) return NO_MAP;
    if (k >= MAX_RANK) return "a tensor has no such dimension";
    switch (field) {
    case TENSOR_ADDRESS: s.base = value; break;
    case TENSOR_RANK: s.rank = (uint8_t)(value < MAX_RANK ? value + 1 : 0); break;
    case TENSOR_BOX: s.box[k] = (uint16_t)(value <= 256 ? value : 0); break;
    case TENSOR_SIZE:
        if (!value || value > 1ull << 32) return "global_dim: a dimension has 1 to 2^32 elements";
        s.size[k] = (uint32_t)(value - 1);
        break;
    case TENSOR_STRIDE:
        if (k >= MAX_RANK - 1) return "global_stride: the last dimension but one has the last of them";
        s.stride[k] = value;
        break;
    case TENSOR_STEP: s.step[k] = (uint16_t)(value <= 8 ? value : 0); break;
    case TENSOR_TYPE: s.type = value < sizeof types ? types[value] : UINT8_MAX; break;
    case TENSOR_INTERLEAVE:
        if (value) return "interleave_layout: tensors are never interleaved here";
        break;
    case TENSOR_SWIZZLE: s.swizzle = (uint8_t)MIN(value, UINT8_MAX); break;
    case TENSOR_FILL: s.flags = (uint8_t)(value ? s.flags | FLAG_NAN : s.flags & ~FLAG_NAN); break;
    }
    memcpy(map, &s, sizeof s);
    return NULL;
}
