// replace_lru.c: least recently used, and first in first out: the smallest stamp goes; FIFO stamps fills only.
#include "mem/mem.h"

static void stamp(Cache *c, uint32_t set, uint32_t way) { c->lines[c->first[set] + way].stamp = ++c->clock; }
static void nothing(Cache *c, uint32_t set, uint32_t way) { (void)c, (void)set, (void)way; }

static uint32_t oldest(Cache *c, uint32_t set)
{
    const CacheLine *l = c->lines + c->first[set];
    uint32_t best = ALL_LOCKED;
    uint64_t least = UINT64_MAX;
    for (uint32_t w = 0; w < c->ways[set]; w++)
        if (!l[w].pending && l[w].stamp < least) least = l[w].stamp, best = w;
    return best;
}

const Replacement replace_lru = {.touch = stamp, .fill = stamp, .victim = oldest};
const Replacement replace_fifo = {.touch = nothing, .fill = stamp, .victim = oldest};
