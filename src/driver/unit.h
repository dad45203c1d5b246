// unit.h: how the toolkit's containers lie in memory, for what reads and what writes them. NVIDIA documents them
// nowhere. What stands here was inferred from the output of fatbinary 13.0, and agrees with what others found
// (cuda-fatbin-decompression, jiegec/fatbinary).
//
// A wrapper points to the container: a header with the bytes of all entries, and entries of machine code or PTX, each
// for a compute capability, plain, or compressed with LZ4 (before 12.8) or zstd. What follows an entry's header (a
// file's name, options) belongs to its header; then come its contents. Both are multiples of 8 bytes.
#ifndef DRIVER_UNIT_H
#define DRIVER_UNIT_H

#include "base/base.h"

enum { WRAPPER = 0x466243b1, CONTAINER = 0xba55ed50 };  // magic numbers
enum { KIND_PTX = 1, KIND_CODE = 2 };
enum { ENTRY_VERSION = 0x101 };
// Bits of Entry.flags. All that fatbinary 13.0 writes on Linux has the first two.
enum {
    BITS_64 = 1,
    ON_LINUX = 0x10,
    PACKED_LZ4 = 0x2000,
    PACKED_ZSTD = 0x8000,
    SPECIFIC = 0x100000,
    FAMILY = 0x200000
};

enum { WRAPPER_PLAIN = 1, WRAPPER_LINKED };  // by the device linker (nvcc -rdc=true)
typedef struct Wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *list;  // of a linked one: the objects' containers, which a null ends; null: there are none
} Wrapper;
typedef struct Header {
    uint32_t magic;
    uint16_t version, bytes;  // its own
    uint64_t rest;            // of what follows
} Header;
typedef struct Entry {
    uint16_t kind, version;
    uint32_t header;        // bytes of it, to the contents
    uint64_t bytes;         // of the contents, with padding
    uint32_t packed;        // bytes of the contents, if compressed
    uint32_t options;       // from the entry's beginning to its Options; 0: there are none
    uint16_t minor, major;  // of the contents' format: of PTX, its .version
    uint32_t capability;
    uint32_t name_at, name_bytes;
    uint64_t flags, reserved;
    uint64_t unpacked;  // bytes of what was compressed
} Entry;
typedef struct Options {  // what ptxas is to be called with; the text follows
    uint32_t at, bytes;   // from the entry's beginning to the text
} Options;
_Static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64 && sizeof(Options) == 8, "as they lie in memory");

// --- fatbin.c: reads containers --------------------------------------------------------------------------------------
const char *ptx_begin(const char *text);  // where .version stands, behind comments and space; null: it isn't PTX

#endif
