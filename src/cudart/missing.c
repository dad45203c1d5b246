// missing.c: the functions of libcudart.so.13 that aren't there yet. A program that calls one goes on, with an error,
// and a line names the function. Whatever its parameters are, nothing is done with them.
#include "cudart/unit.h"

#define RUNTIME_MISSING(name) \
    cudaError_t name(void) { return client_missing(#name); }
#include "driver/runtime.def"
