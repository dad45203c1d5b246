// llvm.c: finds LLVM 14's functions in its shared library. Others of its releases have other intermediate forms: typed
// pointers, which NVVM IR has, are in none after 16, and 14 is the one with which all that Numba writes was tried.
#include "nvvm/llvm.h"

#include <dlfcn.h>

bool llvm_open(Llvm *l, Diag *diag)
{
    void *library = dlopen("libLLVM-14.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return diag_error(diag,
                          "libLLVM-14.so.1, which compiles NVVM IR, can't be opened: %s\nhint: apt install libllvm14",
                          dlerror());
        // It stays open: LLVM doesn't take being closed.
#define LLVM(type, name, parameters)                                                                              \
    if (!(*(void **)&l->name = dlsym(library, "LLVM" #name)))                                                     \
        return diag_error(diag, "libLLVM-14.so.1 lacks LLVM%s, which LLVM 14.0 has\nhint: apt install libllvm14", \
                          #name);
#include "nvvm/llvm.def"
#undef LLVM
    return true;
}
