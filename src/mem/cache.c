// cache.c: the tags of a cache (mem.h). A set's ways are searched in order, invalid ways are filled before any is
// replaced. Invariant: pending sectors of a line are those of exactly one miss (slot); valid, pending are disjoint.
#include "mem/mem.h"
#include "mem/replacement.h"

#include <stdlib.h>
#include <string.h>

#define REPLACE(id, name, ops, doc) extern const Replacement ops;
#include "mem/replacement.def"
#undef REPLACE
const ReplacementInfo replacements[REPLACE_COUNT] = {
#define REPLACE(id, name, ops, doc) [REPLACE_##id] = {name, doc, &ops},
#include "mem/replacement.def"
#undef REPLACE
};

static bool is_power(uint64_t x) { return x && !(x & (x - 1)); }
static uint32_t log2_of(uint64_t x) { return 63u - (uint32_t)__builtin_clzll(x); }

struct CacheShape {
    uint32_t users;  // caches that have it
    uint32_t *first, *ways, *deal;
    uint16_t (*part)[256];
    uint32_t lines, part_from, parts;  // lines: of all sets
    bool exact;
};

static bool deal(CacheShape *t, uint32_t sets)
{
    t->deal = mem_try(t->lines, sizeof *t->deal);
    for (uint32_t k = 0, round = 0; k < t->lines && t->deal; round++)
        for (uint32_t s = 0; s < sets; s++)
            if (round < t->ways[s]) t->deal[k++] = s;
    return t->deal;
}

// How many of index_bits make a set's number by themselves; 0: the sets are no power of two, or too many for that.
static uint32_t linear_bits(const CacheCfg *cfg)
{
    uint64_t sets = cfg->set_count ? cfg->set_count : cfg->size / cfg->line / cfg->ways;
    uint32_t bits = is_power(sets) ? log2_of(sets) : 0;
    return bits <= cfg->index_bit_count ? bits : 0;
}

// What is left of a mask without what the n masks before it say already; 0: nothing.
static uint64_t independent(uint64_t mask, const uint64_t *before, uint32_t n)
{
    for (bool less = true; less;) {
        less = false;
        for (uint32_t k = 0; k < n; k++)
            if ((mask ^ before[k]) < mask) mask ^= before[k], less = true;
    }
    return mask;
}

bool masks_independent(const uint64_t *masks, uint32_t n, uint64_t within)
{
    uint64_t seen[MOST_INDEX_BITS];
    for (uint32_t k = 0; k < n; k++)
        if (!(seen[k] = independent(masks[k] & within, seen, k))) return false;
    return true;
}

// Is a line in one set, and every set some line's?
static bool check_linear(const CacheCfg *cfg, const char **why)
{
    *why = cfg->index_bit_count ? NULL : "a linear index needs index_bits";
    if (!*why && !masks_independent(cfg->index_bits, linear_bits(cfg), ~(uint64_t)(cfg->line - 1)))
        *why = "index_bits are not independent: some sets would never be used";
    return !*why;
}

// Tables of what each 8 bits of an address add to the number. Where that isn't the set's, it is how many sets the line
// is moved on from where it would be by its own number; the lowest bit of each of index_bits is part of that.
static bool open_linear(CacheShape *t, const CacheCfg *cfg, uint32_t sets)
{
    uint64_t mask[MOST_INDEX_BITS], all = 0;
    uint32_t bits = linear_bits(cfg), n = bits ? bits : cfg->index_bit_count;
    t->exact = bits || sets == 1;
    for (uint32_t k = 0; k < n; k++) {
        mask[k] = cfg->index_bits[k] & ~(uint64_t)(cfg->line - 1);
        if (!t->exact) mask[k] &= mask[k] - 1;
        all |= mask[k];
    }
    t->part_from = all ? (uint32_t)__builtin_ctzll(all) : 0;
    t->parts = all && sets > 1 ? (log2_of(all) - t->part_from) / 8 + 1 : 0;
    t->part = mem_try(MAX(t->parts, 1u), sizeof *t->part);
    for (uint32_t p = 0; p < t->parts && t->part; p++)
        for (uint64_t v = 0; v < 256; v++)
            for (uint32_t k = 0; k < n; k++) {
                uint64_t picked = v << (t->part_from + 8 * p) & mask[k];
                t->part[p][v] |= (uint16_t)((__builtin_popcountll(picked) & 1) << k);
            }
    return t->part;
}

static uint32_t most_ways(const CacheCfg *cfg)
{
    uint32_t most = cfg->set_count ? 0 : cfg->ways;
    for (uint32_t s = 0; s < cfg->set_count; s++) most = MAX(most, cfg->sets[s]);
    return most;
}

bool cache_check(const CacheCfg *cfg, const char **why)
{
    *why = NULL;
    if (!cfg->size) return true;
    uint64_t lines = cfg->size / cfg->line;
    if (!is_power(cfg->line) || !is_power(cfg->sector) || cfg->sector > cfg->line)
        *why = "line and sector must be powers of two, and a sector at most a line";
    else if (cfg->line / cfg->sector > 32)
        *why = "a line has at most 32 sectors";
    else if (cfg->fill != cfg->line && cfg->fill != cfg->sector)
        *why = "fill is the size of a line or of a sector";
    else if (cfg->size % cfg->line || !lines)
        *why = "the size must be a multiple of the line";
    else if (!cfg->set_count && (!cfg->ways || lines % cfg->ways))
        *why = "the number of lines must be a multiple of the ways";
    else if (cfg->index == INDEX_LINEAR && !check_linear(cfg, why))
        return false;
    else if (cfg->replacement == REPLACE_PLRU && (!is_power(cfg->ways) || cfg->ways > 32 || cfg->set_count))
        *why = "plru needs a power of two of up to 32 ways";
    else if (cfg->plug && most_ways(cfg) > OC_MOST_WAYS)
        *why = "a plug-in replaces lines of sets with up to 64 ways";
    return !*why;
}

static const Replacement *ops_of(const CacheCfg *cfg)
{
    return cfg->plug ? &replace_plug : replacements[cfg->replacement].ops;
}

// What a line takes in the tables.
static size_t line_bytes(const Replacement *r)
{
    const Cache *c = NULL;  // for sizes alone
    return sizeof *c->lines + sizeof *c->tags + sizeof *c->stamps + (r->keeps ? sizeof *c->state : 0);
}

// One table behind the other in one mapping. That of another cache (null: there is none) is taken if it is large
// enough: launches that divide an SM's storage in another way follow one another.
static bool open_lines(Cache *c, uint32_t n, Cache *other)
{
    char *all = NULL;
    size_t bytes = line_bytes(c->replacement);
    if (other && other->lines && other->mapped >= n && line_bytes(other->replacement) == bytes) {
        all = (char *)other->lines, c->mapped = other->mapped, other->lines = NULL;
        if (other->used) memset(all, 0, c->mapped * bytes);
    } else {
        all = mem_map(c->mapped = n, bytes);
    }
    if (!all) return false;
    c->lines = (CacheLine *)all;
    c->tags = (uint64_t *)(all + n * sizeof *c->lines);
    c->stamps = c->tags + n;
    if (c->replacement->keeps) c->state = (uint32_t *)(c->stamps + n);
    return true;
}

// --- shapes ----------------------------------------------------------------------------------------------------------
static uint32_t sets_of(const CacheCfg *cfg)
{
    return cfg->set_count ? cfg->set_count : (uint32_t)(cfg->size / cfg->line / cfg->ways);
}

static void shape_leave(CacheShape *t)
{
    if (!t || --t->users) return;
    mem_free(t->first), mem_free(t->ways), mem_free(t->deal), mem_free(t->part), mem_free(t);
}

// Null: the host has no memory for it.
static CacheShape *shape_new(const CacheCfg *cfg)
{
    const uint32_t sets = sets_of(cfg);
    CacheShape *t = mem_try(1, sizeof *t);
    if (!t) return NULL;
    t->users = 1;
    t->first = mem_try(sets, sizeof *t->first);
    t->ways = mem_try(sets, sizeof *t->ways);
    for (uint32_t s = 0; s < sets && t->first && t->ways; s++) {
        t->first[s] = t->lines;
        t->ways[s] = cfg->set_count ? cfg->sets[s] : cfg->ways;
        t->lines += t->ways[s];
    }
    if (t->first && t->ways && (cfg->index != INDEX_DEALT || deal(t, sets)) &&
        (cfg->index != INDEX_LINEAR || open_linear(t, cfg, sets)))
        return t;
    shape_leave(t);
    return NULL;
}

static bool same_shape(const CacheCfg *a, const CacheCfg *b)
{
    return a->size == b->size && a->line == b->line && a->ways == b->ways && a->set_count == b->set_count &&
           !memcmp(a->sets, b->sets, sizeof *a->sets * a->set_count) && a->index == b->index &&
           a->index_bit_count == b->index_bit_count &&
           !memcmp(a->index_bits, b->index_bits, sizeof *a->index_bits * a->index_bit_count);
}

// --- opening ---------------------------------------------------------------------------------------------------------
// other: one that isn't used any more, whose lines are taken; null: with new ones. like: as in cache_open_like.
static bool open_with(Cache *c, const CacheCfg *cfg, uint64_t seed, Cache *other, const Cache *like, const char **why)
{
    *c = (Cache){.cfg = *cfg, .random = seed * 0x9E3779B97F4A7C15ull | 1};
    if (!cache_check(cfg, why)) return false;
    if (!cfg->size) return true;
    c->replacement = ops_of(cfg);
    c->line_shift = log2_of(cfg->line);
    c->sector_shift = log2_of(cfg->sector);
    c->sectors = cfg->line / cfg->sector;
    c->sets = sets_of(cfg);
    c->way_bits = !cfg->set_count && is_power(cfg->ways) ? log2_of(cfg->ways) : 32;
    c->set_bits = is_power(c->sets) ? log2_of(c->sets) : 0;
    c->index_shift = cfg->index_low ? cfg->index_low : c->line_shift;
    *why = mem_none;
    if (like && like->shape && same_shape(&like->cfg, cfg))
        c->shape = like->shape, c->shape->users++;
    else
        c->shape = shape_new(cfg);
    if (!c->shape) return false;
    const CacheShape *t = c->shape;
    c->first = t->first, c->ways = t->ways;
    c->deal = t->deal, c->entries = t->lines;
    c->part = (const uint16_t(*)[256])t->part, c->part_from = t->part_from, c->parts = t->parts, c->exact = t->exact;
    if (cfg->replacement == REPLACE_PLRU && !(c->tree = mem_try(c->sets, sizeof *c->tree))) return false;
    if (!open_lines(c, t->lines, other)) return false;
    if (cfg->plug && !plug_open(c, seed)) return false;
    *why = NULL;
    return true;
}

bool cache_open(Cache *c, const CacheCfg *cfg, uint64_t seed, const char **why)
{
    return cache_open_like(c, cfg, seed, NULL, why);
}

bool cache_open_like(Cache *c, const CacheCfg *cfg, uint64_t seed, const Cache *like, const char **why)
{
    const bool ok = open_with(c, cfg, seed, NULL, like, why);
    if (!ok) cache_close(c);
    return ok;
}

void cache_close(Cache *c)
{
    shape_leave(c->shape);
    mem_free(c->tree);
    plug_close(c);
    if (c->lines) mem_unmap(c->lines, c->mapped, line_bytes(c->replacement));
    *c = (Cache){0};
}

uint64_t cache_bytes(const CacheCfg *cfg)
{
    const Cache *c = NULL;  // for sizes alone
    if (!cfg->size) return 0;
    uint64_t tree = cfg->replacement == REPLACE_PLRU ? sets_of(cfg) * sizeof *c->tree : 0;
    return most_times(cfg->size / cfg->line, line_bytes(ops_of(cfg))) + tree + plug_bytes(cfg);
}

uint64_t cache_shape_bytes(const CacheCfg *cfg)
{
    const CacheShape *t = NULL;  // for sizes alone
    if (!cfg->size) return 0;
    uint64_t all = 0, bytes = sizeof *t + (uint64_t)sets_of(cfg) * (sizeof *t->first + sizeof *t->ways);
    if (cfg->index == INDEX_DEALT) bytes += most_times(cfg->size / cfg->line, sizeof *t->deal);
    for (uint32_t k = 0; k < cfg->index_bit_count; k++) all |= cfg->index_bits[k] & ~(uint64_t)(cfg->line - 1);
    if (cfg->index == INDEX_LINEAR && all) bytes += (log2_of(all) / 8 + 1) * sizeof *t->part;
    return bytes;
}

void cache_narrow(Cache *c, uint32_t sets)
{
    c->sets = sets;
    c->set_bits = is_power(sets) ? log2_of(sets) : 0;
}

uint32_t cache_line_count(const Cache *c)
{
    return c->lines && c->sets ? c->first[c->sets - 1] + c->ways[c->sets - 1] : 0;
}

void cache_flush(Cache *c)
{
    if (!c->lines || !c->used) return;
    uint32_t n = cache_line_count(c);
    memset(c->tags, 0, sizeof *c->tags * n);
    memset(c->stamps, 0, sizeof *c->stamps * n);
    memset(c->lines, 0, sizeof *c->lines * n);
    if (c->state) memset(c->state, 0, sizeof *c->state * n);
    if (c->tree) memset(c->tree, 0, sizeof *c->tree * c->sets);
    c->used = n < c->cfg.size / c->cfg.line;  // cache_narrow hides the others
    plug_clear(c);
}

struct CacheCopy {
    uint64_t *tags, *stamps, clock, random;
    uint32_t *state, *tree;
    CacheLine *lines;
    void *own, *of_lines;  // of a plug-in
};

static void *copy_of(const void *from, size_t n, size_t size)
{
    return from ? memcpy(mem_alloc(n * size), from, n * size) : NULL;
}

CacheCopy *cache_copy(const Cache *c)
{
    const uint32_t n = cache_line_count(c);
    if (!c->lines || !c->used) return NULL;
    CacheCopy *to = mem_alloc(sizeof *to);
    *to = (CacheCopy){.tags = copy_of(c->tags, n, sizeof *c->tags),
                      .stamps = copy_of(c->stamps, n, sizeof *c->stamps),
                      .clock = c->clock,
                      .random = c->random,
                      .state = copy_of(c->state, n, sizeof *c->state),
                      .tree = copy_of(c->tree, c->sets, sizeof *c->tree),
                      .lines = copy_of(c->lines, n, sizeof *c->lines)};
    if (c->plug) to->own = copy_of(c->plug->own, 1, c->plug->own_bytes);
    if (c->plug) to->of_lines = copy_of(c->plug->of_lines, 1, c->plug->line_bytes);
    return to;
}

void cache_hold(Cache *c, const CacheCopy *copy)
{
    const uint32_t n = cache_line_count(c);
    cache_flush(c);
    if (!copy) return;
    memcpy(c->tags, copy->tags, n * sizeof *c->tags);
    memcpy(c->stamps, copy->stamps, n * sizeof *c->stamps);
    memcpy(c->lines, copy->lines, n * sizeof *c->lines);
    if (c->state) memcpy(c->state, copy->state, n * sizeof *c->state);
    if (c->tree) memcpy(c->tree, copy->tree, c->sets * sizeof *c->tree);
    c->clock = copy->clock, c->random = copy->random, c->used = true;
    if (copy->own) memcpy(c->plug->own, copy->own, c->plug->own_bytes);
    if (copy->of_lines) memcpy(c->plug->of_lines, copy->of_lines, c->plug->line_bytes);
}

void cache_copy_free(CacheCopy *copy)
{
    if (!copy) return;
    mem_free(copy->tags), mem_free(copy->stamps), mem_free(copy->state), mem_free(copy->tree), mem_free(copy->lines);
    mem_free(copy->own), mem_free(copy->of_lines);
    mem_free(copy);
}

CacheLine *cache_peek(const Cache *c, uint64_t address)
{
    uint32_t set = cache_set(c, address), first = c->first[set];
    uint32_t way = cache_find(c->tags + first, c->ways[set], cache_tag(c, address));
    return way < c->ways[set] ? &c->lines[first + way] : NULL;
}

// The way with the smallest stamp: one that holds nothing has 0.
ALWAYS_INLINE uint32_t oldest_of_all(const Cache *c, uint32_t first, uint32_t ways)
{
    const uint64_t *stamps = c->stamps + first;
    uint32_t best = 0;
    uint64_t least = stamps[0];
    for (uint32_t w = 1; w < ways; w++) best = stamps[w] < least ? w : best, least = MIN(least, stamps[w]);
    return best;
}

// The same of the ways that aren't locked, or ALL_LOCKED.
static inline uint32_t oldest(const Cache *c, uint32_t first, uint32_t ways)
{
    const uint64_t *stamps = c->stamps + first;
    const CacheLine *lines = c->lines + first;
    uint32_t best = oldest_of_all(c, first, ways);
    if (!lines[best].pending) return best;
    uint64_t least = UINT64_MAX;
    best = ALL_LOCKED;
    for (uint32_t w = 0; w < ways; w++)
        if (!lines[w].pending && stamps[w] < least) least = stamps[w], best = w;
    return best;
}

Lookup cache_victim_of(Cache *c, uint64_t address, uint32_t set, CacheLine **line)
{
    uint32_t first = c->first[set], ways = c->ways[set], way;
    if (!c->replacement->victim) {
        way = oldest(c, first, ways);
    } else {
        way = cache_find(c->tags + first, ways, 0);
        if (c->plug) c->plug->now.line = address >> c->line_shift;
        if (way == ways) way = c->replacement->victim(c, set);
    }
    if (way == ALL_LOCKED && c->cfg.unlocked) way = oldest_of_all(c, first, ways);
    *line = way == ALL_LOCKED ? NULL : &c->lines[first + way];
    return *line ? MISS : NO_WAY;
}

Victim cache_victim(const Cache *c, const CacheLine *line)
{
    uint32_t at = (uint32_t)(line - c->lines);
    return c->tags[at] ? (Victim){cache_tagged(c, at), line->owner, line->dirty} : (Victim){NO_LINE, 0, 0};
}

Victim cache_take(Cache *c, CacheLine *line, uint64_t address)
{
    Victim gone = cache_victim(c, line);
    uint32_t at = (uint32_t)(line - c->lines);
    *line = (CacheLine){0};
    c->tags[at] = cache_tag(c, address);
    c->stamps[at] = ++c->clock;
    c->used = true;
    if (c->replacement->fill) {
        uint32_t set = c->way_bits < 32 ? at >> c->way_bits : cache_set(c, address);
        c->replacement->fill(c, set, at - c->first[set]);
    }
    return gone;
}

void cache_drop(Cache *c, CacheLine *line)
{
    uint32_t at = (uint32_t)(line - c->lines);
    *line = (CacheLine){0};
    c->tags[at] = 0;
    c->stamps[at] = 0;
    if (c->state) c->state[at] = 0;
    if (c->plug) plug_dropped(c, at);
}

// --- another size ----------------------------------------------------------------------------------------------------
typedef struct Stamped {
    uint64_t stamp;  // no two lines of a cache have the same
    uint32_t at;
} Stamped;

static int by_stamp(const void *a, const void *b)
{
    const Stamped *x = a, *y = b;
    return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

// Takes over the lines of another cache, the oldest first. Whatever the replacement, a line goes to the oldest way of
// its set, so that each set ends up with its youngest lines; the replacement learns of each as of one that is filled.
static void take_over(Cache *c, const Cache *from, const Stamped *order, uint32_t n, CacheLost *lost, void *user)
{
    for (uint32_t k = 0; k < n; k++) {
        uint64_t address = cache_tagged(from, order[k].at);
        Victim gone = {address, from->lines[order[k].at].owner, from->lines[order[k].at].dirty};
        if (c->lines) {
            uint32_t set = cache_set(c, address), first = c->first[set];
            CacheLine *line = &c->lines[first + oldest(c, first, c->ways[set])];
            gone = cache_take(c, line, address);
            *line = from->lines[order[k].at];
        }
        if (gone.address != NO_LINE) lost(user, from, &gone);
    }
    c->random = from->random;
}

bool cache_resize(Cache *c, const CacheCfg *cfg, uint64_t seed, const Cache *like, CacheLost *lost, void *user,
                  const char **why)
{
    Cache before = *c;
    uint32_t all = lost ? cache_line_count(c) : 0, n = 0;
    if (!open_with(c, cfg, seed, all ? NULL : &before, like, why)) return cache_close(&before), false;
    Stamped *order = all ? mem_try(all, sizeof *order) : NULL;
    for (uint32_t at = 0; order && at < all; at++)
        if (before.tags[at]) order[n++] = (Stamped){before.stamps[at], at};
    if (n) qsort(order, n, sizeof *order, by_stamp);
    if (order) take_over(c, &before, order, n, lost, user);
    bool ok = order || !all;
    if (!ok) *why = mem_none;
    mem_free(order);
    cache_close(&before);
    return ok;
}
