// unit.h: what the files of say ask of each other. What other parts call stands in say.h.
#ifndef SAY_UNIT_H
#define SAY_UNIT_H

#include "say/say.h"

// --- units.c ---------------------------------------------------------------------------------------------------------
int units_busiest(const Units *u);  // a Class; -1: none was used

#endif
