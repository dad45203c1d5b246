// texel.h: textures and surfaces as they lie in global memory. A handle names one; where its texels are, an object
// says.
#ifndef EXEC_TEXEL_H
#define EXEC_TEXEL_H

#include "base/base.h"

// --- texel.c, texture.c, surface.c: textures and surfaces ------------------------------------------------------------
#define MAX_LEVELS 28  // of a mipmap whose first has 2^27 texels in a row, the most
typedef struct TexLevel {
    uint64_t base, slice;  // slice: bytes from slice to slice, of a depth, of layers and of a cube's faces
    uint32_t pitch, width, height, depth;  // bytes from row to row; texels: 1 where there is no such direction
} TexLevel;
typedef struct Sampler {
    uint8_t address[3];  // an oc_tex_address for x, y and z
    bool linear, linear_levels, normalized;
    float border[4], bias, least, most;  // of the level
} Sampler;
typedef enum ObjectKind { OBJECT_NONE, OBJECT_TEXTURE, OBJECT_SURFACE, OBJECT_SAMPLER } ObjectKind;
// An object, or a reference of a module, to which one is bound. A sampler has its own part alone.
typedef struct Texture {
    uint8_t kind;              // an ObjectKind; OBJECT_NONE: the place is free
    bool reference, bound;     // bound: there is something to read
    uint8_t channels, format;  // format: as oc_texture
    uint8_t dimensions;        // of a level: 1 to 3
    bool cube, unit_float, srgb;
    uint32_t layers, slices;  // 0: it isn't layered; slices of each level that aren't its depth: six for a cube's layer
    uint32_t levels;
    TexLevel *level;
    Sampler sampler;
} Texture;
static inline uint32_t texel_channel_bytes(const Texture *t) { return t->format < 3 ? 4 : t->format < 5 ? 1 : 2; }
static inline uint32_t texel_bytes(const Texture *t) { return texel_channel_bytes(t) * t->channels; }
#define TEXTURE_TAG 0x7e00000000000000ull  // a handle is this plus the object's index

#endif
