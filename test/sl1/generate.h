// generate.h: random kernels for the software L1: PTX text, and what to launch it with. A kernel is free of races: an
// element of memory that is written belongs to one thread (its rank), the rank moves only across a barrier, and what
// other threads read is read-only or was published by a fence and an atomic. It ends, stays inside its allocations, and
// never looks at an undefined value, so that whatever executes it correctly leaves the same bytes. Neighbours' bytes
// often share a line.
#ifndef GENERATE_H
#define GENERATE_H

#include "base/base.h"

#include <onchip.h>

typedef struct Buffer {
    uint8_t *data;  // what is in it at first
    uint32_t bytes;
    const char *symbol;  // the module's variable that it is; null: an allocation
} Buffer;
typedef struct Pointer {  // 8 bytes of a buffer that hold an address
    uint32_t in, at;      // buffer and byte where it lies
    uint32_t to, offset;  // and where it leads
} Pointer;
typedef struct Argument {
    uint32_t bytes;
    int buffer;      // a pointer into it; −1: a number
    uint64_t value;  // the pointer's offset, or the number
} Argument;
typedef struct Launch {
    VEC(Buffer) buffers;
    VEC(Pointer) pointers;
    VEC(Argument) args;
    oc_dim3 grid, block;
    uint32_t smem;
    bool apart;  // no two pointer arguments lead into one buffer
    bool plain;  // and nothing else should be in the way of lines of 24 bytes
} Launch;

// Kernel "k" for a target: 20, 35, 75, 90, ….
void generate(uint64_t seed, uint32_t sm, Text *ptx, Launch *launch);
void launch_free(Launch *launch);

#endif
