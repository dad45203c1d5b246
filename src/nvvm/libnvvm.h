// libnvvm.h: libNVVM's interface (NVIDIA, "libNVVM API v4.0 Reference Manual"), which JIT compilers such as Numba's
// open by the name libnvvm.so: LLVM's intermediate form in, PTX out.
//
// Invariant: a call with a handle that nvvmCreateProgram hasn't given, or that was destroyed, fails and does nothing.
// Calls for different programs may come from any threads.
#ifndef NVVM_LIBNVVM_H
#define NVVM_LIBNVVM_H

#include <stddef.h>

typedef struct Program *nvvmProgram;
typedef enum {
#define RESULT(name, text) name,
#include "nvvm/results.def"
#undef RESULT
} nvvmResult;

const char *nvvmGetErrorString(nvvmResult result);
nvvmResult nvvmVersion(int *major, int *minor);
nvvmResult nvvmIRVersion(int *major, int *minor, int *debug_major, int *debug_minor);
nvvmResult nvvmCreateProgram(nvvmProgram *program);
nvvmResult nvvmDestroyProgram(nvvmProgram *program);
// The module's text or bitcode is copied. Of a lazily added one only what the others use becomes part of the result.
nvvmResult nvvmAddModuleToProgram(nvvmProgram program, const char *buffer, size_t size, const char *name);
nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram program, const char *buffer, size_t size, const char *name);
nvvmResult nvvmCompileProgram(nvvmProgram program, int count, const char **options);
nvvmResult nvvmVerifyProgram(nvvmProgram program, int count, const char **options);
// Sizes count the null at the end.
nvvmResult nvvmGetCompiledResultSize(nvvmProgram program, size_t *size);
nvvmResult nvvmGetCompiledResult(nvvmProgram program, char *buffer);
nvvmResult nvvmGetProgramLogSize(nvvmProgram program, size_t *size);
nvvmResult nvvmGetProgramLog(nvvmProgram program, char *buffer);

#endif
