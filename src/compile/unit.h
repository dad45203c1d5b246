// unit.h: what the files of this folder share.
#ifndef COMPILE_UNIT_H
#define COMPILE_UNIT_H

#include "compile/compile.h"

#include <time.h>

// --- option.c: options as nvcc's tools write them -------------------------------------------------------------------
typedef struct OptionRow {
    const char *name, *brief;  // --name, -brief; the same: there is no short one
    const char *takes;         // what stands behind it; null: nothing
    const char *doc;
} OptionRow;
// Which of n rows a word is, and where its value stands in it, null: not in it. −1: none. The letters of joined may
// have their value right behind them, as in -O3.
int option_find(const OptionRow *rows, size_t n, const char *joined, const char *word, const char **value);
bool option_unknown(const OptionRow *rows, size_t n, const char *word, const char *help, Diag *diag);  // returns false
bool option_put(const OptionRow *row, Text *names, const char **doc);  // for a list of them; returns true

// --- clang.c: which clang there is, and what it can -----------------------------------------------------------------
typedef struct Clang {
    char path[4096];   // of its file
    uint32_t release;  // 14
    Target most;       // the highest that it knows
    uint32_t ptx;      // the version of the PTX ISA that it is told to write, in tenths
} Clang;
// The first of those that are installed which knows the targets, or the first of all; or the one that is named.
bool clang_find(const char *name, const Target *targets, size_t n, Clang *c, Diag *diag);
// The target among clang's that code for t is made for: t, or the one below it.
Target clang_target(const Clang *c, Target t);
// A text that is another one for another clang: its path, size and date. "": none is installed.
void clang_stamp(const char *name, Text *stamp);

// --- tools.c: the words of a command, and its run -------------------------------------------------------------------
void words_add(WordList *w, const char *first, ...) __attribute__((sentinel));  // a null ends those that are added
void words_join(WordList *w, const WordList *more);
typedef struct Tool {
    const Build *build;
    const Clang *clang;
    const char *headers;  // the folder of our headers
    const char *folder;   // where it may write
    Text *said;           // gets warnings, and the commands if they are shown
} Tool;
// Runs a program with the words behind its name. what: "a.cu doesn't compile", which begins the reason if it fails;
// what the program says, and a hint, follow.
bool tool_run(const Tool *t, const char *what, const char *program, const WordList *words, Diag *diag);
bool own_folder(const char *name, Text *path, Diag *diag);  // "cuda", or "cuda/include": where it lies beside onchip

// --- passes.c: the device's and the host's pass ---------------------------------------------------------------------
// depend: gets the names of all files that the source includes, as a rule of make; may be null.
bool pass_ir(const Tool *t, const char *source, Target target, const char *ir, const char *depend, Diag *diag);
// PTX of it, in which the kernels' parameters have their names. whole: no function lacks a body.
bool pass_ptx(const Tool *t, const char *source, Target target, const char *ir, bool whole, Text *ptx, Diag *diag);
// The object's name may end in .s or .ll: then it is assembly, or LLVM's intermediate form of a shared library's code;
// and the source's, which was made by an earlier pass.
bool pass_host(const Tool *t, const char *source, const char *fatbin, const char *object, const char *depend,
               Diag *diag);
bool pass_read(const Tool *t, const char *source, bool cuda, Diag *diag);  // -E, -M
bool pass_link(const Tool *t, const WordList *objects, const char *output, Diag *diag);

// --- build.c: files for a while, and what is made of a source -------------------------------------------------------
typedef struct Work {
    const Build *b;
    Tool tool;
    Clang clang;
    VEC(Target) targets;
    Text headers, folder;
    Arena arena;
    WordList made;                          // files of the folder, which work_close removes
    const char *device_rules, *host_rules;  // files that get what each pass reads, as rules of make; may be null
    Diag *diag;
} Work;
// False: the reason. Whatever it returns, work_close releases it.
bool work_open(Work *w, const Build *b, Text *said, Diag *diag);
void work_close(Work *w);
const char *work_file(Work *w, const char *name);  // a file for a while, whose name ends so
Target work_target(const Work *w);                 // the highest
bool write_file(const Text *text, const char *path, Diag *diag);
bool make_ptx(Work *w, const char *source, Target t, Text *ptx);
bool make_object(Work *w, const BuildInput *i, const char *object);

// --- managed.c: __managed__ variables -------------------------------------------------------------------------------
// Makes the object, which pass_host has made of the source, anew where the source has some.
bool managed_put(Work *w, const char *source, const char *fatbin, const char *object);

// --- toolkit.c: NVIDIA's compiler -----------------------------------------------------------------------------------
bool toolkit_find(char *path, size_t size, Diag *diag);
// Makes a program, or else PTX, for the first target; rules gets what it reads, as a rule of make.
bool toolkit_make(Work *w, const char *source, bool program, const char *output, const char *rules);

// --- parts.c: the link of device code -------------------------------------------------------------------------------
bool make_part(Work *w, const char *source, const char *object);  // compiles CUDA source
// Links the device code of objects that were made with -rdc, and of libraries of such, among them those that -l names;
// and adds an object with it to them. None has some: nothing is done; or always: an empty one is made. output: its
// name; null: a file for a while.
bool link_device(Work *w, WordList *objects, bool always, const char *output);

// --- signature.c: parameters of CUDA source -------------------------------------------------------------------------
// Gives the kernels' parameters in the PTX the names that LLVM's intermediate form has, and adds what they are.
void signatures_put(const char *ir, Text *ptx);
bool in_name(char c);  // a letter of an identifier, in PTX and in LLVM's intermediate form

// --- directives.c: what CUDA source says of a kernel, and clang doesn't write ----------------------------------------
typedef struct Directive {
    const char *kernel;
    Text text;  // ".maxnreg 32\n"; "" if it is none
} Directive;
typedef struct Directives {
    VEC(Directive) list;
    bool taken;  // there was something
    Arena arena;
} Directives;
void directives_take(Text *ir, Directives *all);  // out of LLVM's intermediate form
void directives_put(const Directives *all, Text *ptx);
void directives_limit(uint32_t registers, Text *ptx);  // of kernels without a bound of their own
void directives_free(Directives *all);

// --- cache.c: what was compiled before ------------------------------------------------------------------------------
bool cache_folder(Text *path);  // makes it where it isn't there; false: it can't
// A key is made of what the result depends on besides the files, and the files' names stand in the cache beside it.
typedef struct CacheKey {
    char text[33];
} CacheKey;
CacheKey cache_key(const Text *of);
// Finds what was kept under the key, of that kind ("ptx"), if all files that it was made of are as they were.
bool cache_find(const char *folder, const CacheKey *key, const char *kind, Text *path);
// Keeps a copy of a file, made of those that the rules of make name, none of which may be newer than `began`; path gets
// its name. False: it isn't kept.
bool cache_keep(const char *folder, const CacheKey *key, const char *kind, const char *file, const Text *rules,
                const struct timespec *began, Text *path);

#endif
