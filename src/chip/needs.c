// needs.c: how much of the host's memory a chip takes when it is built, added up from its description before any of it
// is taken, and the key that asks for most. A test holds the sum to what is allocated.
// What waits in queues comes later, as packets do: the most that a queue between an SM and a partition usually has.
#include "chip/unit.h"

enum { QUEUES = 10, WAITING = 64 };  // between an SM and a partition, there and back; packets that each has room for

static void add(Needs *n, const char *key, uint64_t count, uint64_t bytes)
{
    uint64_t all = most_times(count, bytes);
    n->bytes = most_plus(n->bytes, all);
    if (all > n->most) n->most = all, n->key = key;
}

// A tree over so many queues (first_open).
static uint64_t first_bytes(uint32_t queues)
{
    uint64_t leaves = 1;
    while (leaves < queues) leaves *= 2;
    return 2 * leaves * sizeof(uint64_t);
}

static void add_sms(Needs *n, const Gpu *g)
{
    const SmCfg *s = &g->sm;
    uint64_t sms = g->sms, parts = g->part.partitions;
    add(n, "l1.size", sms, cache_bytes(&s->l1));
    if (s->l1_private && s->l1.size) add(n, "l1.private", sms * s->max_warps, sizeof(Port) + cache_bytes(&s->l1));
    add(n, "readonly.size", sms, cache_bytes(&s->ro));
    add(n, "const.size", sms, cache_bytes(&s->cst));
    add(n, "sched", sms, cache_bytes(&s->scratch) + s->schedule->state);
    add(n, "tlb1.entries", sms, tlb_bytes(&s->tlb));
    const CacheCfg *const caches[] = {&s->l1, &s->ro, &s->cst, &s->scratch};
    const char *const keys[] = {"l1.size", "readonly.size", "const.size", "sched"};
    for (size_t k = 0; k < COUNT(caches); k++) add(n, keys[k], 1, cache_shape_bytes(caches[k]));
    add(n, "l1.mshrs", sms * ((uint64_t)s->l1.mshrs + s->ro.mshrs + s->cst.mshrs), sizeof(Pend));
    add(n, "lsu.pending", sms * s->pending, sizeof(Pend));
    add(n, "copy.requests", sms * s->copy_requests, sizeof(Pend));
    add(n, "icache.size", sms, fetch_bytes(s));
    add(n, "lsu.queue", sms * (s->lsu_queue + 2ull), sizeof(LsuOp));
    add(n, "sm.warps", sms * s->max_warps, 64 * sizeof(Tracker) + sizeof(WarpSlot) + sizeof(oc_warp_view));
    add(n, "sm.blocks", sms * s->max_blocks, sizeof(Cta) + sizeof(oc_cta_view));
    add(n, "gpu.sms", sms,
        sizeof(Sm) + MAX_COPIES * sizeof(CopyJob) + WHEEL * OC_MOST_SCHEDULERS * sizeof(uint64_t) +
            2 * first_bytes((uint32_t)parts));
}

static void add_partitions(Needs *n, const Gpu *g)
{
    const PartitionCfg *p = &g->part;
    uint64_t parts = p->partitions, sms = g->sms;
    add(n, "l2.size", parts, cache_bytes(&p->l2));
    add(n, "l2.size", 1, cache_shape_bytes(&p->l2));
    add(n, "l2.mshrs", parts * p->l2.mshrs, sizeof(Miss));
    add(n, "dram.queue", parts / p->slices * p->dram.queue, sizeof(DramRequest));
    add(n, "dram.banks", parts / p->slices * MAX(p->dram.banks, 1u), sizeof(DramBank));
    add(n, "l2.partitions", parts, sizeof(Partition) + 2 * sizeof(Fifo) + first_bytes(g->sms + 2));
    // Each pair of an SM and a partition has wires there and back, queues at both ends, and pointers to them.
    uint64_t pair = 3 * sizeof(Wire) + 4 * sizeof(Fifo) + sizeof(uint32_t) + 3 * sizeof(Wire *);
    if (p->ordered) add(n, "gpu.sms", sms, sizeof(Wire));
    add(n, sms > parts ? "gpu.sms" : "l2.partitions", sms * parts, pair);
}

Needs chip_needs(const Gpu *g)
{
    Needs n = {.key = "gpu.sms"};
    add_sms(&n, g);
    add_partitions(&n, g);
    add(&n, "tlb2.entries", 1, tlb_bytes(&g->tlb2) + sizeof(uint64_t) * g->tlb2.entries);
    n.later = most_times((uint64_t)g->sms * g->part.partitions, (uint64_t)QUEUES * WAITING * sizeof(Packet));
    return n;
}

bool chip_affords(const Gpu *g, Text *message)
{
    char needs[32], left[32];
    Needs n = chip_needs(g);
    uint64_t all = most_plus(most_plus(n.bytes, n.later), MEM_SPARE);
    HostRoom room = mem_left("");
    if (all <= room.bytes && mem_maps(n.bytes)) return true;
    format_bytes(needs, (double)all), format_bytes(left, (double)room.bytes);
    text_printf(message, "the host has no memory for this GPU: it needs %s, and %s are left (%s)\n", needs, left,
                room.limit);
    text_printf(message, "hint: most of it is for %s; without time (--functional) none of it is needed", n.key);
    return false;
}
