// table.h: many random machines, each inferred from its traces alone and scored against what it is.
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Machines from seed `first` on. Prints the table and every wrong value; true when no parameter is wrong more than
// `wrong` times and none is undetermined in more than a share `open` of the machines on which it can be told.
bool score_machines(uint64_t first, uint32_t count, uint32_t wrong, double open, FILE *to);

#endif
