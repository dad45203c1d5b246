// odd.h: random caches that are outside of what the probe supposes. They share no code with the simulator's caches,
// nor with the random machines of machine.h. Most have no right answer but "none of mine".
#ifndef ODD_H
#define ODD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum Oddity {
    ODD_PREFETCH,  // a miss brings in the next line, too
    ODD_PAIR,      // a miss brings in a sector and the next one of the line
    ODD_VICTIM,    // what is replaced goes into a small buffer first, from which it comes back
    ODD_SLICES,    // a hash that isn't linear chooses a slice, and slices are unequally far away
    ODD_BEHIND,    // an ordinary cache, but the slices behind it are unequally far away
    ODD_NEAR,      // an ordinary cache whose misses take only 1.02 to 1.6 times as long as its hits
    ODD_WARPS,     // an ordinary cache that another warp uses, too
    ODDITIES
} Oddity;

// Infers `count` machines of each kind, from seed `first` on, and prints a table: what came out right, what
// undetermined, what wrong, and the residual. True if at most `wrong` values are wrong, and at least a share `found`
// of those of ODD_BEHIND and ODD_NEAR is found.
bool score_odd(uint64_t first, uint32_t count, uint32_t wrong, double found, FILE *to);

#endif
