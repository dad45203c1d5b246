// replace_plru.c: tree pseudo-LRU. Node k of a set's tree has children 2k and 2k + 1 from the root 1 on; its bit says
// in which half the victim is looked for, and a use turns the bits on its path away from itself. Needs up to 32 ways, a
// power of two; a locked way is passed by for the next one that isn't.
#include "mem/cache.h"

static void use(Cache *c, uint32_t set, uint32_t way)
{
    uint32_t node = 1;
    c->stamps[c->first[set] + way] = ++c->clock;  // for cache_resize alone
    for (uint32_t half = c->ways[set] / 2; half; half /= 2) {
        uint32_t right = way / half & 1;
        if (right)
            c->tree[set] &= ~(1u << node);
        else
            c->tree[set] |= 1u << node;
        node = node * 2 + right;
    }
}

static uint32_t victim(Cache *c, uint32_t set)
{
    uint32_t node = 1, way = 0;
    for (uint32_t half = c->ways[set] / 2; half; half /= 2) {
        uint32_t right = c->tree[set] >> node & 1;
        way += right * half;
        node = node * 2 + right;
    }
    for (uint32_t passed = 0; passed < c->ways[set]; passed++, way = (way + 1) % c->ways[set])
        if (!c->lines[c->first[set] + way].pending) return way;
    return ALL_LOCKED;
}

const Replacement replace_plru = {.touch = use, .fill = use, .victim = victim};
