// mutate.h: changes PTX text token by token, so that much of what comes out still is PTX.
#ifndef MUTATE_H
#define MUTATE_H

#include "base/base.h"

// Deletes, doubles, swaps and replaces tokens and statements of the text, a few times. A token is replaced with another
// of its kind, of the text or of the tables of operations, types, modifiers and special registers; a number with one at
// the edge of a width. The result has at most max_size bytes and follows from the text and the seed alone.
void mutate_ptx(const char *text, size_t size, size_t max_size, uint32_t seed, Text *out);
// The same in place, as libFuzzer asks for it; the new size.
size_t mutate_input(uint8_t *data, size_t size, size_t max_size, uint32_t seed);

#endif
