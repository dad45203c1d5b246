// cache.h: the tags of a cache. A look-up is what a simulation does most, so it is inline: the set, the way, the stamp.
#ifndef CACHE_H
#define CACHE_H

#include "base/base.h"

#include <onchip_cache.h>

// --- replace_*.c: replacement ----------------------------------------------------------------------------------------
typedef struct Cache Cache;
enum { ALL_LOCKED = UINT32_MAX };
typedef struct Replacement {
    // Null victim: the way with the smallest stamp goes. A line's stamp is the time at which it moved in, or, with
    // stamp_uses or a touch that stamps, at which it was used last: fifo alone has none of these.
    bool stamp_uses;
    bool keeps;  // a word of its own for each line, Cache.state, which is 0 while the line holds nothing
    void (*touch)(Cache *c, uint32_t set, uint32_t way);  // a hit; may be null
    void (*fill)(Cache *c, uint32_t set, uint32_t way);   // a line moved in; may be null
    // Among the ways that aren't locked, or ALL_LOCKED. The line that was looked up may stay outside all the same, so
    // this isn't the place to change `state`: fill is.
    uint32_t (*victim)(Cache *c, uint32_t set);
} Replacement;

// --- cache.c: tags of one cache --------------------------------------------------------------------------------------
// Serves as L1, texture, read-only, constant cache, L2 and TLB (a line is then a page). Limits: at most 32 sectors a
// line; a line that waits for a fill is locked and can't be replaced, unless `unlocked` is set.
// DEALT: consecutive lines are dealt to the sets in turn, sets that are full being passed over, until there is a line
// for every entry; then it begins anew (mei Fig. 10: 66 pages overflow a TLB's set of 17, each further page one of 8).
// LINEAR: each bit of the set's number is the XOR of some address bits (index_bits, of which the first ones count, as
// many as the number needs; address bits within a line don't). These may be unable to number the sets: the sets are no
// power of two, or too many. Then a line goes to the set of its own number modulo the sets, and some sets further on.
// How many is what the XORs give, without the lowest address bit of each, for the first of the lines that have another
// set each: so as many consecutive lines as the cache has fit.
typedef enum IndexKind { INDEX_BITS, INDEX_MODULO, INDEX_XOR, INDEX_DEALT, INDEX_LINEAR } IndexKind;
enum { MOST_INDEX_BITS = 16 };
typedef struct CacheCfg {
    uint64_t size;          // bytes; 0: no cache
    uint32_t line, sector;  // bytes, powers of two
    uint32_t fill;          // bytes fetched on a miss: line or sector
    uint32_t ways;
    uint32_t sets[64], set_count;          // sizes of unequal sets in ways; set_count 0: all sets have `ways`
    uint32_t index;                        // IndexKind
    uint32_t index_low;                    // INDEX_BITS: lowest address bit of the index; 0: just above the line
    uint64_t index_bits[MOST_INDEX_BITS];  // INDEX_LINEAR: address bits by bit of the set's number
    uint32_t index_bit_count;
    uint32_t replacement;    // ReplacementId (replacement.h)
    double weights[32];      // WEIGHTED: relative probability of each way
    uint32_t latency;        // cycles, load to use
    uint32_t mshrs, merges;  // misses under way; requests a miss can serve
    bool write_back;         // else write through
    bool write_allocate;
    bool write_evict;  // a store that hits drops the line (else it updates it)
    bool keep;         // kept between kernels
    bool unlocked;     // a line that waits for its fill may be replaced where no other line of its set can
    const oc_replacement_type *plug;  // that replaces lines; null: `replacement` does
    double plug_param[OC_MOST_PARAMS];
} CacheCfg;

typedef struct CacheLine {
    uint32_t valid, pending, dirty;  // sector masks
    uint32_t slot;                   // the miss it waits for
    uint8_t got[4];  // bytes that stores wrote of sectors that aren't valid, where such a cache counts them
    uint64_t owner;  // a word of whoever brought it, for his own use
} CacheLine;
#define NO_LINE UINT64_MAX
typedef struct CacheShape CacheShape;  // the tables that follow from a cache's description alone; caches alike share it
struct Cache {
    CacheCfg cfg;
    uint32_t sets, line_shift, sector_shift, sectors;  // sectors of a line
    CacheShape *shape;                                 // has first, ways, deal and part
    const uint32_t *first, *ways;                      // per set: index of its first line, number of ways
    uint64_t *tags;                                    // of each line: address / line + 1; 0: it holds none
    uint64_t *stamps;                                  // of each line; 0: it holds none
    uint32_t *state;                                   // of each line, the replacement's own; null where it keeps none
    CacheLine *lines;                                  // null: there is no cache
    uint32_t mapped;                                   // lines that the tables have room for
    uint32_t *tree;                                    // PLRU bits per set; null without PLRU
    const uint32_t *deal;                              // DEALT: set by line number modulo entries
    uint32_t entries;
    const uint16_t (*part)[256];  // LINEAR: what each 8 bits of an address add to the set's number
    uint32_t part_from, parts;    // by XOR: `parts` times 8 bits from this one on
    bool used;                    // a line was taken since the last flush
    bool exact;                   // LINEAR: that is the number; else it is added to the line's
    uint64_t clock, random;
    uint32_t set_bits, index_shift;  // set_bits: log2 of sets, 0 where they are no power of two, or one
    uint32_t way_bits;               // log2 of the ways of each set; 32 where they differ or are no power of two
    uint32_t page_shift;             // TLBs: addresses are shifted by this first
    const Replacement *replacement;
    struct CachePlug *plug;  // the plug-in that is; null: none is
};
// What an access to some sectors finds, at every level, whether it loads or stores (counters.def counts so): HIT, all
// of them valid; PENDING, none lacks, but some are under way; MISS_SECTOR, the line is there and a sector is neither;
// MISS, the line isn't there.
typedef enum Lookup { HIT, MISS, MISS_SECTOR, PENDING, NO_WAY } Lookup;
ALWAYS_INLINE Lookup line_has(const CacheLine *line, uint32_t sectors)
{
    if (!line) return MISS;
    if (!(sectors & ~line->valid)) return HIT;
    return sectors & ~(line->valid | line->pending) ? MISS_SECTOR : PENDING;
}
// Is no mask the XOR of others, as far as their bits in `within` go? At most MOST_INDEX_BITS masks.
bool masks_independent(const uint64_t *masks, uint32_t n, uint64_t within);
// False, with the reason in why, when the configuration makes no cache; cache_open also when the host has no memory.
bool cache_check(const CacheCfg *cfg, const char **why);
bool cache_open(Cache *c, const CacheCfg *cfg, uint64_t seed, const char **why);
// like: one that is open (null: none), whose shape is shared if it is the same. No two threads open or close such
// caches at once.
bool cache_open_like(Cache *c, const CacheCfg *cfg, uint64_t seed, const Cache *like, const char **why);
void cache_close(Cache *c);
uint64_t cache_bytes(const CacheCfg *cfg);        // that cache_open takes from the host, but for its shape
uint64_t cache_shape_bytes(const CacheCfg *cfg);  // at most, that its shape takes
void cache_flush(Cache *c);                       // invalidates everything
// What it holds, copied; null: nothing. cache_hold makes it hold that again, and forgets what came since.
typedef struct CacheCopy CacheCopy;
CacheCopy *cache_copy(const Cache *c);
void cache_hold(Cache *c, const CacheCopy *copy);
void cache_copy_free(CacheCopy *copy);
// Uses the first so many sets of those that it was opened with, 0 or more. What lay in others stays there, unseen.
void cache_narrow(Cache *c, uint32_t sets);
uint32_t cache_line_count(const Cache *c);  // of all sets; 0: it has none
// XOR: the index field and the three fields of the same width above it, folded: a hash of no card. Where the
// sets are no power of two a field is a digit of that base, and the digits are added instead: consecutive lines still
// lie in all sets in turn, from another one on in each round.
ALWAYS_INLINE uint32_t cache_folded(const Cache *c, uint64_t x)
{
    if (c->set_bits) {
        x ^= x >> c->set_bits;
        return (uint32_t)(x ^ x >> 2 * c->set_bits) & (c->sets - 1);
    }
    uint64_t sum = 0;
    for (int field = 0; field < 4; field++, x /= c->sets) sum += x % c->sets;
    return (uint32_t)(sum % c->sets);
}
ALWAYS_INLINE uint32_t cache_linear(const Cache *c, uint64_t address)
{
    uint32_t set = 0;
    address >>= c->part_from;
    for (uint32_t k = 0; k < c->parts; k++, address >>= 8) set ^= c->part[k][address & 255];
    return set;  // or, where !exact, how many sets further on
}
// The set of a line's number, where !exact. All lines of a row, which is one of each set, are moved on alike.
static inline uint32_t cache_moved_on(const Cache *c, uint64_t line)
{
    uint32_t in_row = (uint32_t)(line % c->sets);
    return (uint32_t)(((uint64_t)in_row + cache_linear(c, (line - in_row) << c->index_shift)) % c->sets);
}
ALWAYS_INLINE uint32_t cache_set(const Cache *c, uint64_t address)
{
    uint64_t x = address >> c->index_shift;
    switch (c->cfg.index) {
    case INDEX_LINEAR: return c->exact ? cache_linear(c, address) : cache_moved_on(c, x);
    case INDEX_DEALT: return c->deal[x % c->entries];
    case INDEX_XOR: return cache_folded(c, x);
    default: return (uint32_t)(c->set_bits ? x & (c->sets - 1) : x % c->sets);  // BITS, MODULO
    }
}
// What a line's tag is: one more than its number, so that memory of zeros is an empty cache, and a large one takes no
// memory of the host before it is used.
ALWAYS_INLINE uint64_t cache_tag(const Cache *c, uint64_t address) { return (address >> c->line_shift) + 1; }
static inline uint64_t cache_tagged(const Cache *c, uint32_t at)  // the address of a line that holds one
{
    return (c->tags[at] - 1) << c->line_shift;
}
// The set of a line that holds one.
static inline uint32_t cache_set_of(const Cache *c, const CacheLine *line)
{
    return cache_set(c, cache_tagged(c, (uint32_t)(line - c->lines)));
}
// The way of a set that has a tag; as many as there are: none has.
ALWAYS_INLINE uint32_t cache_find(const uint64_t *tags, uint32_t ways, uint64_t tag)
{
    uint32_t w = 0;
    for (; w + 4 <= ways; w += 4) {
        if (tags[w] == tag) return w;
        if (tags[w + 1] == tag) return w + 1;
        if (tags[w + 2] == tag) return w + 2;
        if (tags[w + 3] == tag) return w + 3;
    }
    while (w < ways && tags[w] != tag) w++;
    return w;
}
ALWAYS_INLINE void cache_touch(Cache *c, uint32_t set, uint32_t way)  // a line was used
{
    if (c->replacement->stamp_uses)
        c->stamps[c->first[set] + way] = ++c->clock;
    else if (c->replacement->touch)
        c->replacement->touch(c, set, way);
}
// The one to replace by the line at an address: MISS, or NO_WAY.
Lookup cache_victim_of(Cache *c, uint64_t address, uint32_t set, CacheLine **line);
// Looks up sectors (mask of the line at address). A line that is found is touched, whatever of it is valid. MISS: *line
// is the victim to replace, which waits for a fill only if `unlocked` is set; NO_WAY: every way of the set is locked.
// *line is null only for NO_WAY.
ALWAYS_INLINE Lookup cache_lookup(Cache *c, uint64_t address, uint32_t sectors, CacheLine **line)
{
    uint32_t set = cache_set(c, address), first = c->first[set], ways = c->ways[set];
    uint32_t way = cache_find(c->tags + first, ways, cache_tag(c, address));
    if (way == ways) return cache_victim_of(c, address, set, line);
    *line = &c->lines[first + way];
    cache_touch(c, set, way);
    return line_has(*line, sectors);
}
// A look-up of sectors that are all there; false: they aren't, and nothing has been touched.
ALWAYS_INLINE bool cache_hit(Cache *c, uint64_t address, uint32_t sectors)
{
    uint32_t set = cache_set(c, address), first = c->first[set], ways = c->ways[set];
    uint32_t way = cache_find(c->tags + first, ways, cache_tag(c, address));
    if (way == ways || sectors & ~c->lines[first + way].valid) return false;
    cache_touch(c, set, way);
    return true;
}
CacheLine *cache_peek(const Cache *c, uint64_t address);  // without touching; null: not there
// Is it sure, without drawing a victim, that a look-up would find MISS?
ALWAYS_INLINE bool cache_misses(const Cache *c, uint64_t address)
{
    const uint32_t set = cache_set(c, address), first = c->first[set], ways = c->ways[set];
    if (c->replacement->victim || cache_find(c->tags + first, ways, cache_tag(c, address)) < ways) return false;
    uint32_t way = 0;
    while (way < ways && c->lines[first + way].pending) way++;
    return way < ways || c->cfg.unlocked;
}
// What lay where a line moves in.
typedef struct Victim {
    uint64_t address;  // NO_LINE: nothing did
    uint64_t owner;
    uint32_t dirty;  // sectors
} Victim;
// Opens a cache anew with another size, sets or ways, its lines being as long as before; nothing is under way. lost:
// null, and it is empty then; or it holds what it held, dirty or not, as far as there is room: of the lines of each new
// set those of the latest stamps. Then lost hears of each that there is no room for. like: as in cache_open_like.
// False: as cache_open.
typedef void CacheLost(void *user, const Cache *before, const Victim *gone);
bool cache_resize(Cache *c, const CacheCfg *cfg, uint64_t seed, const Cache *like, CacheLost *lost, void *user,
                  const char **why);
Victim cache_victim(const Cache *c, const CacheLine *line);      // what would go if the line were taken now
Victim cache_take(Cache *c, CacheLine *line, uint64_t address);  // for the line at address, all of it invalid
void cache_drop(Cache *c, CacheLine *line);                      // it holds none now
static inline uint32_t cache_sectors(const Cache *c, uint64_t address, uint32_t bytes)  // the mask of an access
{
    uint32_t from = (uint32_t)(address & ((1ull << c->line_shift) - 1)) >> c->sector_shift;
    uint32_t to = (uint32_t)((address + bytes - 1) & ((1ull << c->line_shift) - 1)) >> c->sector_shift;
    return (to == 31 ? ~0u : (2u << to) - 1) & ~((1u << from) - 1);
}
// What a miss on sectors fetches: whole lines or those sectors.
static inline uint32_t cache_fetch(const Cache *c, uint32_t sectors)
{
    return c->cfg.fill == c->cfg.line ? (c->sectors == 32 ? ~0u : (1u << c->sectors) - 1) : sectors;
}

// --- replace_plug.c: replacement by a plug-in ------------------------------------------------------------------------
typedef struct CachePlug {
    oc_replacement view;
    oc_cache_view cache;
    oc_cache_access now;  // who makes the access at hand: whoever looks up says so
    void *own, *of_lines;
    size_t own_bytes, line_bytes;
    uint64_t count[OC_MOST_COUNTERS];
    oc_misuse misuse;
    bool wrong;  // victim returned no way that may go: this one, of these, in this set
    uint32_t wrong_way, wrong_set;
    uint64_t wrong_may;
} CachePlug;
extern const Replacement replace_plug;
bool plug_open(Cache *c, uint64_t seed);  // false: the host has no memory for it
void plug_close(Cache *c);
void plug_clear(Cache *c);                 // the cache is empty now
uint64_t plug_bytes(const CacheCfg *cfg);  // that plug_open takes from the host
void plug_dropped(Cache *c, uint32_t at);  // the line at this place is
bool plug_bypasses(Cache *c, uint64_t address);
// What it did wrong, in words; false: nothing.
bool plug_wrong(const Cache *c, const char *where, Text *out);
// Its counters, to the sums of others.
static inline void plug_add(const Cache *c, uint64_t *sums)
{
    for (int k = 0; k < OC_MOST_COUNTERS && c->plug; k++) sums[k] += c->plug->count[k];
}
static inline void plug_begin(Cache *c)  // a launch
{
    for (int k = 0; k < OC_MOST_COUNTERS && c->plug; k++) c->plug->count[k] = 0;
}

#endif
