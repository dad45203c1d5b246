// replace_random.c: random replacement, with equal or with given probabilities (mei §IV-B: Fermi's L1 replaces its ways
// with 1/6, 1/2, 1/6, 1/6). The generator is the cache's own (xorshift64*), so runs repeat.
#include "mem/cache.h"

static uint32_t draw(Cache *c)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (uint32_t)((c->random * 0x2545F4914F6CDD1Dull) >> 32);
}

static uint32_t any(Cache *c, uint32_t set)
{
    const CacheLine *l = c->lines + c->first[set];
    uint32_t open = 0;
    for (uint32_t w = 0; w < c->ways[set]; w++) open += !l[w].pending;
    if (!open) return ALL_LOCKED;
    uint32_t k = (uint32_t)((uint64_t)draw(c) * open >> 32);
    for (uint32_t w = 0;; w++)
        if (!l[w].pending && k-- == 0) return w;
}

static uint32_t weighted(Cache *c, uint32_t set)
{
    const CacheLine *l = c->lines + c->first[set];
    double sum = 0;
    uint32_t last = ALL_LOCKED;
    for (uint32_t w = 0; w < c->ways[set]; w++)
        if (!l[w].pending) sum += c->cfg.weights[w % 32], last = w;
    if (last == ALL_LOCKED) return last;
    double x = (double)draw(c) / 4294967296.0 * sum;
    for (uint32_t w = 0; w < c->ways[set]; w++) {
        if (l[w].pending) continue;
        x -= c->cfg.weights[w % 32];
        if (x < 0) return w;
    }
    return last;
}

// The stamps are for cache_resize alone.
const Replacement replace_random = {.stamp_uses = true, .victim = any};
const Replacement replace_weighted = {.stamp_uses = true, .victim = weighted};
