// curand_unit.h: what cuRAND's files share.
#ifndef TOOLKIT_CURAND_UNIT_H
#define TOOLKIT_CURAND_UNIT_H

#include "toolkit/kernels/curand/draw.h"
#include "toolkit/unit.h"

#include <curand.h>

// --- curand_sobol.c --------------------------------------------------------------------------------------------------
enum { SOBOL_DIMENSIONS = 20000 };
// Direction vectors of so many dimensions, of 32 or 64 words of so many bits each; with scramble, of the same sequences
// scrambled. Null: there is no memory; mem_free releases them.
void *sobol_vectors(unsigned dimensions, unsigned bits, bool scramble);
// A word of each dimension, to which a scrambled sequence is added.
void *sobol_constants(unsigned dimensions, unsigned bits);

#endif
