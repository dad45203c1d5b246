// fatbin.h: PTX out of the containers in which CUDA's toolkit packs it.
#ifndef DRIVER_FATBIN_H
#define DRIVER_FATBIN_H

#include "base/base.h"

// --- fatbin.c: PTX out of the toolkit's containers -------------------------------------------------------------------
typedef enum ImageKind { IMAGE_PTX, IMAGE_CUBIN, IMAGE_FATBIN, IMAGE_UNKNOWN } ImageKind;
ImageKind image_kind(const void *image);
// Finds the PTX that a GPU of this capability (90: 9.0) would get if the container had no machine code. False: why says
// what is there instead.
bool fatbin_ptx(const void *image, uint32_t capability, Text *ptx, Text *why);
// Decompresses LZ4's block format. False: the data isn't in that format, or has another length.
bool lz4_decompress(const uint8_t *from, size_t n, uint8_t *to, size_t bytes);

#endif
