// stride.c: a prefetcher that learns by how many lines each load instruction moves on. A warp and a program counter
// (PC) have an entry of a table with the last line and the distance to the one before it. When a distance has come
// `sure` times in a row, the lines that many distances ahead are asked for (the reference prediction table of Chen and
// Baer, "Effective hardware-based data prefetching", 1995, with warps in place of a processor). It is l1.prefetch =
// stride, and a plug-in:
//     cc -O2 -shared -fPIC -I include examples/stride.c -o stride.so
//     onchip run … --set l1.prefetch=./stride.so
#include <onchip_cache.h>

enum { DEGREE, SURE };
static const oc_policy_param params[] = {
    [DEGREE] = {"degree", "line", "lines that are asked for at once", 1, 1, 16, true, "assumed"},
    [SURE] = {"sure", "", "times that a distance has come before it is trusted", 2, 1, 8, true, "assumed"},
    {.name = NULL},
};
enum { LEARNT };
static const oc_policy_counter counters[] = {
    [LEARNT] = {"learnt", "", "distances that became trusted"},
    {.name = NULL},
};

enum { ENTRIES = 1024 };
typedef struct Entry {
    uint64_t line;
    int64_t distance;
    uint32_t tag, times;  // tag: the warp and the PC, + 1; 0: it is empty
} Entry;
typedef struct Own {
    Entry of[ENTRIES];
} Own;

static void load(oc_prefetcher *p, const oc_load_event *e)
{
    const uint32_t who = e->pc * OC_MOST_WARPS + e->warp;
    Entry *x = &((Own *)p->own)->of[(who ^ who >> 10) % ENTRIES];
    const int64_t distance = (int64_t)(e->line - x->line);
    if (x->tag != who + 1) {
        *x = (Entry){.line = e->line, .tag = who + 1};
        return;
    }
    if (!distance) return;  // another part of the same line
    if (distance != x->distance) x->times = 0;
    x->line = e->line, x->distance = distance;
    if (x->times < (uint32_t)p->param[SURE] && ++x->times == (uint32_t)p->param[SURE]) p->count[LEARNT]++;
    if (x->times < (uint32_t)p->param[SURE]) return;
    for (uint32_t k = 1; k <= (uint32_t)p->param[DEGREE]; k++) oc_ask(p, e->line + (uint64_t)(distance * k), 0);
}

const oc_prefetcher_type onchip_prefetcher = {
    .version = ONCHIP_CACHE_VERSION,
    .name = "stride",
    .doc = "learns by how many lines a warp's load instruction moves on, and asks for those ahead",
    .state = sizeof(Own),
    .params = params,
    .counters = counters,
    .load = load,
};
