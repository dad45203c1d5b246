// array.c: SRAM in banks: registers, shared memory, the data of the L1. An access claims banks; it takes as many cycles
// as the bank that it asks most of needs for it (unified-memory §6.1). Whether a claim also waits for those before it
// is the array's: where it doesn't, only accesses of one claim compete.
#include "mem/mem.h"

void array_open(Array *a, const ArrayCfg *cfg) { *a = (Array){.cfg = *cfg}; }

uint64_t array_claim(Array *a, uint64_t now, const Claim *c, bool write)
{
    uint32_t a_cycle = write ? a->cfg.writes : a->cfg.reads;
    uint64_t start = now, end = now;
    for (uint64_t m = a->cfg.waits ? c->banks : 0; m; m &= m - 1) start = MAX(start, a->free[__builtin_ctzll(m)]);
    for (uint64_t m = c->banks; m; m &= m - 1) {
        int bank = __builtin_ctzll(m);
        a->free[bank] = start + (c->of[bank] + a_cycle - 1) / a_cycle;
        end = MAX(end, a->free[bank]);
    }
    a->last = MAX(a->last, end);
    return MAX(end, start + 1);
}

uint64_t array_pass_behind(Array *a, uint64_t now, uint32_t passes)
{
    uint64_t start = MAX(now, a->last);
    for (uint32_t k = 0; k < a->cfg.banks; k++) a->free[k] = start + passes;
    return a->last = start + passes;
}
