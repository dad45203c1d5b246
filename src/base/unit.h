// unit.h: what the files of base ask of each other. What other parts call stands in base.h.
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include "base/base.h"

// --- text.c: text that grows -----------------------------------------------------------------------------------------
// Returns the length of the well-formed UTF-8 sequence at s (Unicode 15, table 3-7). Returns 0 if there is none: for an
// overlong form, a surrogate or a stray byte. left: how many bytes there are, 1 or more.
size_t utf8_sequence(const char *s, size_t left);

#endif
