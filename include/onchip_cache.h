// onchip_cache.h: replacement policies and prefetchers for the simulated caches. A replacement policy decides which
// line of a set makes room, in each SM's L1 or in each slice of the L2. A prefetcher says which lines the L1 should
// fetch before anybody asks for them. Each is a constant: functions, parameters and counters, as a warp scheduler's
// (onchip_policy.h). A shared object that exports `onchip_replacement` or `onchip_prefetcher` is loaded by `onchip run
// … --set l1.replacement=./mine.so`, l2.replacement or l1.prefetch. doc/extend/writing-a-cache-policy.md builds one.
//
// Each cache has an object of its own, which sees this cache alone. It keeps its state in the memory that it is given
// and nowhere else: caches run side by side. A function that is left out isn't called.
#ifndef ONCHIP_CACHE_H
#define ONCHIP_CACHE_H

#include <onchip_policy.h>

#define ONCHIP_CACHE_VERSION 1  // of this header: what is made for another version is refused

enum {
    OC_MOST_WAYS = 64,    // of a set whose lines a plug-in replaces
    OC_MOST_FETCHES = 16  // lines that a prefetcher may ask for at a load; further ones are dropped
};
#define OC_NO_PC UINT32_MAX

// --- replacement -----------------------------------------------------------------------------------------------------
typedef struct oc_cache_view {
    uint32_t sets, lines;          // lines: of all sets
    uint32_t line_bytes, sectors;  // sectors: of a line
    const uint32_t *first, *ways;  // [sets]: the number of a set's first line in the cache; its ways, 1 to 64
    const uint64_t *tag;           // [lines]: the line that lies there, + 1; 0: none
} oc_cache_view;
// An access, or the line of one. The L2 knows no warps: there `warp` is OC_NO_WARP and `pc` is OC_NO_PC.
typedef struct oc_cache_access {
    uint64_t line;  // its address / the line's bytes; in the L2, the address within the slice
    uint32_t set;   // that it belongs to
    uint32_t way;   // where it lies; of no meaning to `victim` and `bypass`
    uint32_t warp;  // the warp that makes the access
    uint32_t pc;    // the instruction that does: its number in the kernel's code, from 0
    bool store;
    bool prefetch;  // a prefetcher does
} oc_cache_access;
typedef struct oc_misuse {  // of oc_line_state: the first line that isn't there
    uint32_t times, set, way;
} oc_misuse;
typedef struct oc_replacement {
    const struct oc_replacement_type *type;
    const oc_cache_view *cache;
    void *own;            // type->state bytes
    void *of_lines;       // type->line_state bytes for each line: see oc_line_state
    const double *param;  // values of type->params, in their order
    uint64_t *count;      // of type->counters: they begin at 0 with each launch
    uint64_t seed;        // another one for each cache
    oc_misuse *misuse;
} oc_replacement;

// victim is always there, every other function may be null. All state is 0 when the cache is empty; a cache that is
// kept from kernel to kernel keeps it. An access that must wait for a miss, a way or a link is looked up again later.
// So hit, bypass and victim may be called more than once for one access, and what they return may go unused: let fill
// do what must be done once.
typedef struct oc_replacement_type {
    uint32_t version;  // ONCHIP_CACHE_VERSION
    const char *name, *doc;
    size_t state;                                               // bytes of own; at most 16 MiB
    size_t line_state;                                          // bytes of each line; at most 256
    const oc_policy_param *params;                              // up to one without a name; null: none
    const oc_policy_counter *counters;                          // likewise
    void (*open)(oc_replacement *r);                            // the cache is empty, and all state is 0
    void (*hit)(oc_replacement *r, const oc_cache_access *a);   // the line is there, or on its way
    void (*fill)(oc_replacement *r, const oc_cache_access *a);  // the line moves in; the way's state is still that of
                                                                // the line that went, or 0
    // Which way makes room: a bit of `may`, which isn't 0. Ways that wait for their lines aren't in it. It is asked
    // only if no way is empty. Anything else that it returns ends the launch with an error.
    uint32_t (*victim)(const oc_replacement *r, const oc_cache_access *a, uint64_t may);
    // A load misses in the L1: true, it goes past the L1 and takes no line. The L2 doesn't ask.
    bool (*bypass)(const oc_replacement *r, const oc_cache_access *a);
} oc_replacement_type;

// The state of a line. A way that isn't there has a place, too, which nobody else uses; it ends the launch with an
// error.
static inline void *oc_line_state(const oc_replacement *r, uint32_t set, uint32_t way)
{
    const oc_cache_view *c = r->cache;
    uint32_t at = c->lines;
    if (set < c->sets && way < c->ways[set])
        at = c->first[set] + way;
    else if (!r->misuse->times++)
        r->misuse->set = set, r->misuse->way = way;
    return (char *)r->of_lines + at * r->type->line_state;
}
// The lowest way of a mask that isn't 0.
static inline uint32_t oc_first_way(uint64_t ways) { return (uint32_t)__builtin_ctzll(ways); }

// --- prefetchers -----------------------------------------------------------------------------------------------------
typedef struct oc_load_event {  // a load of the L1: one transaction
    uint64_t line;              // its address / the line's bytes
    uint32_t sectors;           // of the line, that it touches: a bit each
    uint32_t warp;              // the warp that loads
    uint32_t pc;                // the instruction: its number in the kernel's code, from 0
    uint8_t outcome;            // oc_outcome
    bool first;                 // it is the first load of a line that was prefetched
    bool local;                 // of local memory
} oc_load_event;
typedef struct oc_fetch {
    uint64_t line;
    uint32_t sectors;  // of the line: a bit each; 0: all
} oc_fetch;
typedef struct oc_prefetcher {
    const struct oc_prefetcher_type *type;
    void *own;                     // type->state bytes, 0 when the launch begins
    const double *param;           // values of type->params, in their order
    uint64_t *count;               // of type->counters
    const uint64_t *now;           // the cycle
    uint32_t sm, warps;            // the SM's number; warps: that can be resident
    uint32_t line_bytes, sectors;  // of the L1; sectors: of a line
    const uint32_t *mshrs_free;    // misses that the L1 can take now
    uint32_t fetches;              // that oc_ask put down at this load
    oc_fetch fetch[OC_MOST_FETCHES];
} oc_prefetcher;
typedef struct oc_prefetcher_type {
    uint32_t version;  // ONCHIP_CACHE_VERSION
    const char *name, *doc;
    size_t state;                                            // bytes of own; at most 16 MiB
    const oc_policy_param *params;                           // up to one without a name; null: none
    const oc_policy_counter *counters;                       // likewise
    void (*open)(oc_prefetcher *p);                          // a launch begins; may be null
    void (*load)(oc_prefetcher *p, const oc_load_event *e);  // the L1 has served a load, or has sent for its data
} oc_prefetcher_type;

// Asks for a line. The L1 fetches it as a miss does: it takes an MSHR, a way and the links. What has no room is
// dropped. A line that is there, or lies outside of memory, isn't fetched. Counters tell how many of each there were.
static inline void oc_ask(oc_prefetcher *p, uint64_t line, uint32_t sectors)
{
    if (p->fetches < OC_MOST_FETCHES) p->fetch[p->fetches] = (oc_fetch){line, sectors};
    p->fetches++;
}

#endif
