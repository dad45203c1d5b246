// prefetchers.c: the table of prefetchers, and what is counted of each. A prefetcher of ours is a plug-in of examples/
// that is built in: CMakeLists.txt gives its onchip_prefetcher the name that stands here.
#include "policy/policy.h"

#define PREFETCHER(type) extern const oc_prefetcher_type type;
#include "policy/prefetchers.def"
#undef PREFETCHER

const oc_prefetcher_type *const prefetchers[] = {
#define PREFETCHER(type) &type,
#include "policy/prefetchers.def"
#undef PREFETCHER
};
const size_t prefetcher_count = COUNT(prefetchers);

const oc_policy_counter prefetch_counters[PREFETCH_COUNTS + 1] = {
    [PREFETCH_ASKED] = {"asked", "line", "lines that the prefetcher asked for"},
    [PREFETCH_THERE] = {"there", "line", "those of them that the L1 had, or that were on their way"},
    [PREFETCH_OUTSIDE] = {"outside", "line", "those that lie outside of memory, and aren't fetched"},
    [PREFETCH_DROPPED] = {"dropped", "line", "those for which an MSHR, a way or a place on a link was missing"},
    [PREFETCH_ISSUED] = {"issued", "line", "those that were fetched"},
    [PREFETCH_USEFUL] = {"useful", "line", "fetched lines that a load hit"},
    [PREFETCH_LATE] = {"late", "line", "fetched lines that were still on their way when a load asked for them"},
    [PREFETCH_UNUSED] = {"unused", "line", "fetched lines that were replaced before any load asked for them"},
    {.name = NULL},
};
