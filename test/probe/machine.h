// machine.h: random memory hierarchies: one data cache and two TLBs, whose truth is known, as a subject for inference.
#ifndef MACHINE_H
#define MACHINE_H

#include "mem/mem.h"
#include "probe/infer.h"

typedef struct Machine {
    CacheCfg cache;
    TlbCfg first, second;  // TLBs
    uint32_t hit, miss;    // cycles: of a load that the cache serves, and of one that it doesn't when its page is known
    uint32_t late, walk;  // cycles more of a page that the L1 TLB doesn't have, and that the L2 TLB doesn't have either
    double sigma, outliers;  // noise: standard deviation as a part of the latency; how many loads are outliers
    uint64_t seed;
    Cache data, tlb[2];
    VEC(uint32_t) touched;  // sets
    uint64_t random, loads;
    Subject subject;
} Machine;
void machine_draw(Machine *m, uint64_t seed);  // a machine nobody tuned for
void machine_open(Machine *m);                 // of its configuration: what run needs
void machine_close(Machine *m);
void machine_print(const Machine *m, FILE *to);

#endif
