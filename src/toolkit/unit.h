// unit.h: stand-ins for the libraries that programs bring along with CUDA: cuBLAS, cuFFT and their like. Each is a
// shared library of its own, with the vendor's name, functions and numbers (cuda/include has its header), over the
// driver's functions and over kernels of ours. What they compute is right to the precision of its type; their time is
// that of our kernels.
//
// A kernel is CUDA source, kernels/LIBRARY/*.cu, which clang compiles while onchip is built; the library has the PTX
// inside of it. Modules are loaded when a kernel of theirs is first asked for, and belong to the handle that asked.
#ifndef TOOLKIT_UNIT_H
#define TOOLKIT_UNIT_H

#include "base/base.h"

#include <cuda.h>

// --- *.gen.c: what the build has made of a library's kernels ---------------------------------------------------------
// The last one's name is null.
typedef struct KernelText {
    const char *name;  // of its file, without the ending
    const char *ptx;
    size_t bytes;
} KernelText;
extern const KernelText kernel_texts[];

// --- kernels.c -------------------------------------------------------------------------------------------------------
typedef struct Kernels {
    VEC(CUmodule) modules;  // in the order of kernel_texts; null: not loaded
    CUcontext context;      // in which they are
} Kernels;
// The kernel of that name in kernels/…/FILE.cu. CUDA_ERROR_NOT_FOUND: there is no such one.
CUresult kernel_find(Kernels *k, const char *file, const char *name, CUfunction *out);
typedef struct Shape {
    unsigned grid[3], block[3];  // 0: 1
    unsigned shared;             // dynamic, in bytes; over 48 KiB the kernel is allowed so much
    CUstream stream;
} Shape;
// Launches it with so many parameters; args points to each.
CUresult kernel_launch(CUfunction f, const Shape *s, void *const *args);
// The same by name.
CUresult kernel_run(Kernels *k, const char *file, const char *name, const Shape *s, void *const *args);
void kernels_free(Kernels *k);
CUresult kernels_begin(void);  // a library's first call: if the thread has no context, it's the first device's
int kernels_capability(void);  // of the current device: 90 is 9.0; 0: there is none

#endif
