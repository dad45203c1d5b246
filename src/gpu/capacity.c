// capacity.c: unequal sets settle the capacity of a cache or a TLB: it is what they hold. Each file is settled when it
// has been read, and so is the command line; what is given there counts, and what is left of the files below. Whoever
// gives sets and a capacity side by side must give the same, unless the capacity is 0: then there is none.
#include "gpu/unit.h"

#include <string.h>

typedef struct Level {
    const char *section, *key, *unit;
} Level;
static const Level levels[CAPACITIES] = {{"l1", "size", "lines"},        {"readonly", "size", "lines"},
                                         {"const", "size", "lines"},     {"l2", "size", "lines"},
                                         {"tlb1", "entries", "entries"}, {"tlb2", "entries", "entries"}};

void capacity_note(Given *given, const Key *k, const Source *source, size_t at)
{
    for (int n = 0; n < CAPACITIES; n++) {
        if (strcmp(k->section, levels[n].section)) continue;
        if (!strcmp(k->key, levels[n].key)) given[n].capacity = (Place){*source, at};
        if (!strcmp(k->key, "sets")) given[n].sets = (Place){*source, at};
    }
}

// What the sets hold: `count` lines or entries in `sets` sets. Lines have bytes, and slices have sets each.
typedef struct Held {
    uint32_t sets, line, slices;
    uint64_t count, capacity;
} Held;

static Held held(const Gpu *g, int level)
{
    const CacheCfg *const caches[] = {&g->sm.l1, &g->sm.ro, &g->sm.cst, &g->part.l2};
    bool cache = level < (int)COUNT(caches);
    const TlbCfg *t = level == COUNT(caches) ? &g->sm.tlb : &g->tlb2;
    const uint32_t *sizes = cache ? caches[level]->sets : t->sets;
    Held h = {.sets = cache ? caches[level]->set_count : t->set_count,
              .line = cache ? caches[level]->line : 1,
              .slices = cache && caches[level] == &g->part.l2 ? g->part.partitions : 1};
    for (uint32_t s = 0; s < h.sets; s++) h.count += sizes[s];
    h.capacity = h.count * h.line * h.slices;
    return h;
}

static bool refuse_both(const Level *l, const Held *h, uint64_t capacity, const Place *at, Diag *diag)
{
    char sum[120];
    int n = snprintf(sum, sizeof sum, "%llu", (unsigned long long)h->count);
    if (h->line > 1) n += snprintf(sum + n, sizeof sum - (size_t)n, " lines of %u bytes", h->line);
    if (h->slices > 1) n += snprintf(sum + n, sizeof sum - (size_t)n, " in each of %u partitions", h->slices);
    if (h->line > 1) snprintf(sum + n, sizeof sum - (size_t)n, ": %llu", (unsigned long long)h->capacity);
    return diag_at(diag, &at->source, at->at, "the sets settle the capacity: give the sets alone, or both alike",
                   "%s.%s is %llu%s, and %s.sets add up to %s", l->section, l->key, (unsigned long long)capacity,
                   h->line > 1 ? " bytes" : "", l->section, sum);
}

// A single number may be meant as the number of sets.
static bool refuse_one(const Level *l, const Held *h, const Place *at, Diag *diag)
{
    char hint[160];
    snprintf(hint, sizeof hint,
             "sets has the %s of each set; for sets alike give %s and ways, for one set %s = %llu besides", l->unit,
             l->key, l->key, (unsigned long long)h->capacity);
    return diag_at(diag, &at->source, at->at, hint, "%s.sets: one set of %llu %s, and %s.%s isn't given beside it",
                   l->section, (unsigned long long)h->count, l->unit, l->section, l->key);
}

static bool settle(Gpu *g, int level, const Given *given, Diag *diag, EntryFn *seen, void *user)
{
    const Level *l = &levels[level];
    const Key *k = key_find(l->section, l->key);
    Held h = held(g, level);
    uint64_t capacity = (uint64_t)key_get(g, k);
    bool none = !capacity && (given->capacity.source.text || !given->sets.source.text);
    if (!h.sets || none || capacity == h.capacity) return true;
    if (given->capacity.source.text) return refuse_both(l, &h, capacity, &given->capacity, diag);
    if (given->sets.source.text && h.sets == 1) return refuse_one(l, &h, &given->sets, diag);
    char value[32];
    IniEntry e = {.section = l->section, .key = l->key, .value = value, .comment = "the sum of the sets"};
    Source sum = {.name = "the sum of the sets",
                  .text = value,
                  .length = (size_t)snprintf(value, sizeof value, "%llu", (unsigned long long)h.capacity)};
    Place at = given->sets.source.text ? given->sets : (Place){sum, 0};
    if (!key_set(g, k, value, &at.source, at.at, diag)) return false;
    if (seen) seen(user, k, &e);
    return true;
}

bool capacity_settle(Gpu *g, const Given *given, Diag *diag, EntryFn *seen, void *user)
{
    for (int n = 0; n < CAPACITIES; n++)
        if (!settle(g, n, &given[n], diag, seen, user)) return false;
    return true;
}
