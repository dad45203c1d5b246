// replace_srrip.c: static re-reference interval prediction with 2 bits and hit priority (Jaleel et al., ISCA 2010). The
// paper gives each line a value: 0 after a hit, 2 when it moves in. The first line with the value 3 makes room. While
// no line has 3, all values grow by 1.
//
// A line's state is 3 minus its value. So an empty line, whose state is 0, counts as one with the value 3, and doesn't
// let other lines age. Lines age when a new line moves in, not at the look-up before, which may change nothing. The
// line that made room had the highest value. All lines age by what that value lacked to 3.
#include "mem/cache.h"

enum { SOON = 3, LATER = 1 };  // states: after a hit, and of a line that moved in

static void stamp(Cache *c, uint32_t at) { c->stamps[at] = ++c->clock; }  // for cache_resize and `unlocked` alone

static void hit(Cache *c, uint32_t set, uint32_t way)
{
    c->state[c->first[set] + way] = SOON;
    stamp(c, c->first[set] + way);
}

static void move_in(Cache *c, uint32_t set, uint32_t way)
{
    uint32_t *state = c->state + c->first[set], by = state[way];
    for (uint32_t w = 0; w < c->ways[set]; w++) state[w] -= MIN(state[w], by);
    state[way] = LATER;
}

static uint32_t furthest(Cache *c, uint32_t set)
{
    const CacheLine *lines = c->lines + c->first[set];
    const uint32_t *state = c->state + c->first[set];
    uint32_t best = ALL_LOCKED;
    for (uint32_t w = 0; w < c->ways[set]; w++)
        if (!lines[w].pending && (best == ALL_LOCKED || state[w] < state[best])) best = w;
    return best;
}

const Replacement replace_srrip = {.keeps = true, .touch = hit, .fill = move_in, .victim = furthest};
