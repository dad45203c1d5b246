// next_line.c: a prefetcher that asks for the lines behind the one that a load misses, or hits for the first time since
// it was prefetched (tagged prefetching; A. J. Smith, "Cache memories", 1982). So a warp that walks through memory
// finds each next line there. It is l1.prefetch = next-line, and a plug-in:
//     cc -O2 -shared -fPIC -I include examples/next_line.c -o next_line.so
//     onchip run … --set l1.prefetch=./next_line.so
#include <onchip_cache.h>

enum { DEGREE };
static const oc_policy_param params[] = {
    [DEGREE] = {"degree", "line", "lines that are asked for at once", 1, 1, 16, true, "assumed"},
    {.name = NULL},
};

static void load(oc_prefetcher *p, const oc_load_event *e)
{
    if (e->outcome == OC_HIT && !e->first) return;
    for (uint32_t k = 1; k <= (uint32_t)p->param[DEGREE]; k++) oc_ask(p, e->line + k, 0);
}

const oc_prefetcher_type onchip_prefetcher = {
    .version = ONCHIP_CACHE_VERSION,
    .name = "next-line",
    .doc = "asks for the lines behind one that misses, or is hit for the first time since it was prefetched",
    .params = params,
    .load = load,
};
