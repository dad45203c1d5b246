// names.h: what a kernel is called. Compilers mangle names of C++; people write and read them as the source has them.
#ifndef NAMES_H
#define NAMES_H

#include "base/base.h"

// --- forms.c: the forms of a name -----------------------------------------------------------------------------------
typedef enum NameForm {
    NAME_FULL,    // void blas::saxpy<float>(int, float, float*)
    NAME_OWN,     // blas::saxpy<float>
    NAME_SCOPED,  // blas::saxpy
    NAME_PLAIN,   // saxpy
} NameForm;
// Adds a form of a mangled name, "_Z5saxpyifPf", to out. False: it isn't one, or has what kernels' names don't have.
bool demangle(const char *mangled, NameForm form, Text *out);
char *name_shown(const char *name);  // in full, or as it is; released with mem_free
// nvcc names a parameter after its kernel, "_Z5saxpyifPf_param_0": that is "param_0". Of a kernel of Numba's, the data
// of an array is "argument 1", by its place in the call. Released with mem_free.
char *param_shown(const char *kernel, const char *param);
const char *param_own(const char *kernel, const char *param);  // its part without the kernel's name in front
bool name_means(const char *name, const char *given);          // given is the name as it is, or one of its forms

#endif
