// unit.h: what the files of say ask of each other. What other parts call stands in say.h.
#ifndef SAY_UNIT_H
#define SAY_UNIT_H

#include "ptx/ops.h"
#include "say/say.h"

// --- columns.c -------------------------------------------------------------------------------------------------------
void put_within(FILE *out, size_t columns, size_t column, size_t indent, Break at, const char *text);  // put_wrapped

// --- units.c ---------------------------------------------------------------------------------------------------------
int units_busiest(const Units *u);  // a Class; -1: none was used

// --- waits.c ---------------------------------------------------------------------------------------------------------
const char *wait_for_copies(Op op);  // what warps wait for at this instruction, in words; null: for no copies

#endif
