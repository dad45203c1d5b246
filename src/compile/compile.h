// compile.h: programs and kernels out of CUDA source, with Debian's clang, headers of ours in place of CUDA's (cuda/)
// and our libcudart: neither NVIDIA's toolkit nor a GPU is needed.
//
// A .cu file is compiled twice. The device's pass gives PTX, which goes into a fat binary; the host's pass embeds that
// and gives an object; and clang links the objects.
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "driver/fatbin.h"

typedef VEC(const char *) WordList;  // of a command

// --- source.c ------------------------------------------------------------------------------------------------------
bool is_cuda_source(const char *path);  // by its name, which ends in .cu
// Has the file a function main? It is looked for in the text, outside of comments and literals.
bool has_main(const char *path);

// --- kernels.c -----------------------------------------------------------------------------------------------------
typedef struct CompileWish {
    uint32_t capability;  // of the GPU; 90: 9.0
    bool toolkit;         // by NVIDIA's compiler, which has to be installed
    // Options of both compilers for both passes, "-DN=4" or "-Iinclude": so many.
    const char *const *options;
    size_t option_count;
} CompileWish;
// Compiles the kernels of a .cu file, or finds them among what was compiled before. False: the reason, or what the
// compiler says.
bool compile_cuda(const char *path, CompileWish wish, Text *ptx, Diag *diag);
// The same of a whole program: program gets the path of one that can be run, said the compiler's warnings. *own: the
// caller removes it with program_remove; else it lies in the cache.
bool compile_program(const char *path, CompileWish wish, Text *program, bool *own, Text *said, Diag *diag);
void program_remove(const Text *program);

// --- build.c: onchip cc --------------------------------------------------------------------------------------------
typedef enum BuildStep {
    BUILD_PROGRAM,      // compile and link
    BUILD_LIBRARY,      // -lib: compile, and put the objects into a library
    BUILD_OBJECT,       // -c
    BUILD_PTX,          // -ptx
    BUILD_FATBIN,       // -fatbin
    BUILD_DEVICE_LINK,  // -dlink: an object with the device code of others
    BUILD_PREPROCESS,   // -E
    BUILD_RULES         // -M, -MM: what make has to know
} BuildStep;
typedef enum BuildLanguage {
    LANGUAGE_BY_NAME,  // .cu is CUDA source, .c and .cpp are other source, the rest is for the linker
    LANGUAGE_CUDA,     // -x cu
    LANGUAGE_OTHER     // -x c++
} BuildLanguage;
typedef struct BuildInput {
    const char *path;
    BuildLanguage language;
} BuildInput;
typedef struct Build {
    BuildStep step;
    const char *output;      // null: the name that nvcc gives
    const char *clang;       // the one that is to be used; null: one that knows the targets
    VEC(BuildInput) inputs;  // sources, objects and libraries, in their order
    BuildLanguage language;  // of the next one
    WordList both;           // options for both passes of CUDA source, and for other source
    WordList device;         // for the device's pass alone
    WordList codegen;        // for its second step, in which PTX is made
    WordList host;           // for the host's pass alone, and for other source
    WordList link;           // for the linker
    VEC(Target) targets;     // none: sm_70, which all but the oldest GPUs run
    bool device_debug;       // -G: the device's code isn't optimised
    uint32_t registers;      // of a thread, where the kernel sets no bound; 0: no limit
    bool parts;              // -rdc: device code of several files is linked
    bool shared;             // -shared
    bool toolkit;            // NVIDIA's compiler does it
    bool show, dry;          // the commands are shown; they aren't run
    Arena arena;             // has the texts that are none of the command line's
} Build;
// Does what a Build says. said gets the compiler's warnings. False: the reason, or what the compiler says.
bool build_run(const Build *b, Text *said, Diag *diag);
void build_free(Build *b);

// --- nvcc.c: nvcc's command line -----------------------------------------------------------------------------------
typedef enum NvccWord { NVCC_BUILD, NVCC_HELP, NVCC_VERSION, NVCC_TOOLKIT } NvccWord;  // what it asks for
// Reads one. What has no effect here is told in said, a line each. False: an option isn't known, or its value is wrong.
bool nvcc_read(int argc, char **argv, Build *b, NvccWord *word, Text *said, Diag *diag);
// Adds the names of its k-th option, and gives what it does. False: there are fewer.
bool nvcc_option(size_t k, Text *names, const char **doc);

// --- assemble.c: what LLVM, Triton and their like call ptxas and nvlink ---------------------------------------------
// Each does what its command line says. The PTX is checked and stays PTX, in an object that our driver loads
// (driver/fatbin.h). said gets warnings, and what was asked to be told. False: the reason, with its place.
typedef enum MachineTool { TOOL_PTXAS, TOOL_NVLINK } MachineTool;
bool machine_run(MachineTool tool, int argc, char **argv, NvccWord *word, Text *said, Diag *diag);
bool machine_option(MachineTool tool, size_t k, Text *names, const char **doc);  // as nvcc_option

// --- toolkit.c -----------------------------------------------------------------------------------------------------
// The command that gives nvcc's command line to NVIDIA's nvcc, whose name is put into path: PTX has to be in the
// program, and is for sm_75 if no target is named. A null ends the words, which are path, of argv, or constant.
bool nvcc_toolkit(int argc, char **argv, char *path, size_t size, WordList *words, Diag *diag);

#endif
