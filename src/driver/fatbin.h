// fatbin.h: PTX out of the containers in which CUDA's toolkit packs it, and the programs that these lie in.
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

// --- elf.c: programs, libraries and objects --------------------------------------------------------------------------
// All that is returned points into the bytes of the file.
typedef struct Elf {
    const uint8_t *v;
    uint64_t n;
    uint16_t machine, type;    // EM_…, ET_… of elf.h
    uint64_t at;               // of the table of sections
    uint32_t sections, names;  // how many; which has their names
} Elf;
typedef struct ElfSection {
    const uint8_t *v;  // its bytes; null: the file has none
    uint64_t n, address;
    uint32_t type, link, name;  // SHT_…; the section that it refers to; the name's place among names
} ElfSection;
bool elf_open(Elf *e, const void *bytes, size_t n);          // false: it is no file of 64 bits, little-endian
bool elf_section(const Elf *e, uint32_t k, ElfSection *s);   // false: there are fewer
const char *elf_text(const ElfSection *texts, uint64_t at);  // null: none begins and ends there
// Calls each for every function that the symbol table (.symtab) says is in the file; at: its address before the file is
// loaded. False: there is no such table, as in a stripped program.
typedef void ElfEach(void *user, const char *name, uint64_t at, uint64_t bytes);
bool elf_symbols(const Elf *e, ElfEach *each, void *user);
bool elf_needs(const Elf *e, const char *prefix);  // a shared library whose name begins so

#endif
