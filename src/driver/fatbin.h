// fatbin.h: PTX out of the containers in which CUDA's toolkit packs it, and into them; the programs that these lie in;
// the objects of our own.
#ifndef DRIVER_FATBIN_H
#define DRIVER_FATBIN_H

#include "base/base.h"

// --- fatbin.c: PTX out of the toolkit's containers -------------------------------------------------------------------
typedef enum ImageKind { IMAGE_PTX, IMAGE_CUBIN, IMAGE_FATBIN, IMAGE_UNKNOWN } ImageKind;
ImageKind image_kind(const void *image);
// What PTX is for: a capability (90: 9.0), and whether for that alone (kind 'a': sm_90a), for its family (kind 'f':
// sm_100f), or also for all later ones (kind 0).
typedef struct Target {
    uint32_t capability;
    char kind;
} Target;
bool target_read(const char *text, Target *t);  // "90", "90a", "sm_90a" or "compute_90a"; false: it is none
void target_put(Target t, Text *to);            // "90a"
// Which of several modules is wanted.
typedef struct Wish {
    uint32_t capability;  // of the GPU; 0: there is none, and the newest is wanted
    bool real;            // the GPU can't run PTX for later ones, and would take machine code first
    Target only;          // capability 0: any
} Wish;
// How well PTX for a target fits; 0: it can't be taken. The newest that isn't above the GPU fits best, and of one
// capability the most specific one. A simulated GPU runs what is for later ones, too: of those the oldest fits best.
uint64_t target_worth(Target t, const Wish *wish);
// The containers that a program's image stands for: those of the objects that a device link has joined (nvcc
// -rdc=true), or the one that it has or is. k counts from 0; null: there are no more, or, with why, it is of an unknown
// kind. The image is the program's own: where it points to isn't checked.
const void *fatbin_container(const void *image, size_t k, Diag *diag);
// Finds the PTX in a container that fits best, as if it had no machine code. False: why says what is there instead.
bool fatbin_ptx(const void *image, const Wish *wish, Text *ptx, Diag *diag);
// Calls each for every module of the container at v, of which n bytes may be read. Returns the bytes that the container
// takes; 0: there is none, or, with why, it is damaged.
typedef struct FatbinPart {
    bool ptx;  // else machine code
    Target of;
    const uint8_t *at;  // its entry in the container
} FatbinPart;
typedef void FatbinEach(void *user, const FatbinPart *part);
uint64_t fatbin_each(const uint8_t *v, uint64_t n, FatbinEach *each, void *user, Diag *diag);
bool fatbin_unpack(const FatbinPart *part, Text *out, Diag *diag);  // PTX without its null byte, or a cubin
// Decompresses LZ4's block format. False: the data isn't in that format, or has another length.
bool lz4_decompress(const uint8_t *from, size_t n, uint8_t *to, size_t bytes);

#define NEEDS_PTX "onchip needs PTX, which nvcc embeds with -arch=sm_75 or -gencode arch=compute_75,code=compute_75"

// --- fatbin_write.c: PTX into a container ----------------------------------------------------------------------------
typedef struct FatbinText {
    const char *ptx;
    Target of;
} FatbinText;
// Adds to out, which must lie at a multiple of 8 bytes in the end, a container of n modules, none compressed. False,
// and why: a text isn't PTX.
bool fatbin_write(const FatbinText *modules, size_t n, Text *out, Diag *diag);

// --- elf.c: programs, libraries and objects --------------------------------------------------------------------------
// All that is returned points into the bytes of the file.
typedef struct Elf {
    const uint8_t *v;
    uint64_t n;
    uint64_t entry;            // where it begins to run; 0: nowhere, as in a library
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
// Calls each for every function (STT_FUNC) or variable (STT_OBJECT) that a symbol table says is in the file: .symtab,
// or the dynamic one; at: its address before the file is loaded. False: there is no such table, as in a stripped
// program.
typedef void ElfEach(void *user, const char *name, uint64_t at, uint64_t bytes);
bool elf_symbols(const Elf *e, bool dynamic, unsigned type, ElfEach *each, void *user);
bool elf_has(const Elf *e, const char *section);  // a section of that name
// The name of a shared library that it asks for, and that begins so; null: it asks for none.
const char *elf_needs(const Elf *e, const char *prefix);
const char *elf_needed(const Elf *e, size_t k);  // the k-th; null: there are fewer
const char *elf_search(const Elf *e);            // the folders in which they are looked for, DT_RUNPATH; null: none
// Is there a program at path? Scripts begin with #!, executables are ELF files that begin to run somewhere. Libraries,
// objects and cubins don't.
bool elf_program(const char *path);

// --- object.c: PTX in an ELF file of machine 190, where tools expect a cubin -----------------------------------------
enum { OBJECT_HEAD = 64 };  // bytes from which can be told what follows
// Adds it; out must lie at a multiple of 8 in the end. capability: of the GPU that it is for (90: 9.0); 0: the text's.
void object_write(const char *ptx, size_t n, uint32_t capability, Text *out);
bool object_is(const void *head);         // of this or another version of onchip; reads 16 bytes
uint64_t object_bytes(const void *head);  // of the whole file; 0: it is no such object
// The text in an object of n bytes, which a null byte ends: it points into bytes. False, and why: it is none, it is
// damaged, or a version of onchip wrote it that has another format.
bool object_read(const void *bytes, size_t n, const char **ptx, size_t *length, Diag *diag);

// --- binary.c: device code in files ----------------------------------------------------------------------------------
// A file is PTX, alone or in an object of ours, a fat binary, a cubin, or a program, a library or an object with fat
// binaries in it.
typedef struct BinaryModule {
    uint32_t container;  // its number in the file, from 1 on; 0: the file is one module
    FatbinPart of;
    const uint8_t *v;  // the text or cubin of a file that is one module; else null
    uint64_t n;
} BinaryModule;
typedef VEC(BinaryModule) BinaryModules;
// Finds the modules of a file of n bytes, behind which a null byte stands if it isn't an ELF file. What is found points
// into it. False, and why: there are none.
bool binary_modules(const void *file, size_t n, BinaryModules *all, Diag *diag);
bool binary_text(const BinaryModule *m, Text *out, Diag *diag);
// Calls each for every kernel in the text of a module. stub: it does nothing but print and trap, so that the module has
// no code of it.
typedef void BinaryKernel(void *user, const char *name, bool stub);
void binary_kernels(const BinaryModule *m, const Text *text, BinaryKernel *each, void *user);
// The PTX of a file that isn't PTX itself: of the modules that have the kernel (null: of all) the one that fits best,
// one with code of it before one without. False, and why: there is none, or kernel is null and there are several.
bool binary_ptx(const Text *file, const char *kernel, const Wish *wish, Text *ptx, Diag *diag);

#endif
