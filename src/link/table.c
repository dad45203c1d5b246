// table.c: names by their text: open addressing. Every name of every body is looked up here, so a look-up that finds
// nothing takes a few instructions. Invariant: at most half of the places are taken.
#include "link/unit.h"

#include <string.h>

uint32_t hash_begin(void) { return 2166136261u; }

uint32_t hash_text(const char *text, uint32_t n)
{
    uint32_t h = hash_begin();
    for (uint32_t k = 0; k < n; k++) h = hash_more(h, text[k]);
    return h;
}

// FNV's low bits know little of the first characters.
static uint32_t begin_of(const Table *t, uint32_t hash) { return (hash ^ hash >> 15) & t->mask; }

uint32_t lookup_find(const Table *t, const char *text, uint32_t n, uint32_t hash, TableSame *same, const void *user)
{
    if (!t->place) return NONE;
    for (uint32_t at = begin_of(t, hash); t->place[at]; at = (at + 1) & t->mask)
        if (same(user, t->place[at] - 1, text, n, hash)) return t->place[at] - 1;
    return NONE;
}

static void put(Table *t, uint32_t index, uint32_t hash)
{
    uint32_t at = begin_of(t, hash);
    while (t->place[at]) at = (at + 1) & t->mask;
    t->place[at] = index + 1;
}

void lookup_add(Table *t, uint32_t index, uint32_t hash, TableHash *of, const void *user)
{
    if (!t->place || 2 * (t->n + 1) > t->mask + 1) {
        Table more = {.mask = t->place ? 2 * t->mask + 1 : 63, .n = t->n};
        more.place = mem_alloc(sizeof *more.place * ((size_t)more.mask + 1));
        for (uint32_t k = 0; t->place && k <= t->mask; k++)
            if (t->place[k]) put(&more, t->place[k] - 1, of(user, t->place[k] - 1));
        mem_free(t->place);
        *t = more;
    }
    t->n++;
    put(t, index, hash);
}

void lookup_free(Table *t)
{
    mem_free(t->place);
    *t = (Table){.place = NULL};
}
