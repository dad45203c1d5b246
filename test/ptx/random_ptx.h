// random_ptx.h: functions made up by chance, and an interpreter that tells whether two of them do the same.
#ifndef RANDOM_PTX_H
#define RANDOM_PTX_H

#include "ptx/flow.h"

uint32_t chance(uint64_t *state, uint32_t n);  // 0 … n - 1

// A module with one entry, k: up to 12 blocks that branch anywhere, registers of every width, guards, vectors, tables
// of branches, loops that count. size scales the blocks' length.
Module *random_module(uint64_t seed, int size);

// Where a register lies: in a cell of its own (null), or in 32-bit cells as slot or place of an Alloc say.
typedef struct Home {
    const uint32_t *at;
    uint32_t cells;
} Home;

// Runs one thread of f: what it stores is appended to out, until it ends or has branched 300 times, or stored 2,000.
// Memory begins with values by address, parameters by name, registers as zero. Fails the test at an operation that it
// doesn't know. False: it didn't end.
bool interpret(const Function *f, Home home, Text *out);

#endif
