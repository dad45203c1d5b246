// rates.c: what is computed from counters: rates, and the conservation laws that every launch must keep.
#include "gpu/gpu.h"

#include <string.h>

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static double ipc(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_WARP_INSTS], (double)c[C_CYCLES]);
}
static double apki(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio(1000.0 * (double)c[C_L1_ACCESSES], (double)c[C_THREAD_INSTS]);
}
static double simd(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_THREAD_INSTS], 32.0 * (double)c[C_WARP_INSTS]);
}
static double l1_hits(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_L1_HITS], (double)c[C_L1_ACCESSES]);
}
static double l1_read_hits(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_L1_READ_HITS], (double)c[C_L1_READS]);
}
static double l2_hits(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_L2_HITS], (double)c[C_L2_ACCESSES]);
}
static double row_hits(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_DRAM_ROW_HITS], (double)(c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES]));
}
static double occupancy(const uint64_t *c, const Gpu *g)
{
    return ratio((double)c[C_WARP_CYCLES], (double)c[C_SM_CYCLES] * g->sm.max_warps);
}
static double seconds(const uint64_t *c, const Gpu *g) { return (double)c[C_CYCLES] / (g->core_mhz * 1e6); }
static double dram_gbs(const uint64_t *c, const Gpu *g)
{
    return ratio((double)(c[C_DRAM_READ_BYTES] + c[C_DRAM_WRITE_BYTES]), seconds(c, g)) / 1e9;
}
static double l2_gbs(const uint64_t *c, const Gpu *g)
{
    return ratio(32.0 * (double)c[C_L2_SECTORS], seconds(c, g)) / 1e9;
}
static double sectors(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_SECTORS_LOADED], (double)c[C_LD_GLOBAL]);
}
static double conflicts(const uint64_t *c, const Gpu *g)
{
    return (void)g, ratio((double)c[C_SHARED_PASSES], (double)(c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]));
}

const Rate rates[RATES] = {
#define RATE(id, name, unit, formula, value, doc) [R_##id] = {name, unit, formula, doc, value},
#include "gpu/rates.def"
#undef RATE
};

const Rate *rate_called(const char *name)
{
    for (size_t k = 0; k < RATES; k++)
        if (!strcmp(rates[k].name, name)) return &rates[k];
    return NULL;
}

const char *counters_broken(const uint64_t *c, Text *out)
{
    uint64_t used = c[C_ISSUED];
    for (size_t k = 0; k < stall_cause_count; k++) used += c[stall_causes[k]];
    const struct {
        const char *law;
        uint64_t left, right;
    } laws[] = {
        {"l1.hits + l1.misses + l1.merges = l1.accesses", c[C_L1_HITS] + c[C_L1_MISSES] + c[C_L1_MERGES],
         c[C_L1_ACCESSES]},
        {"l1.reads + l1.writes = l1.accesses", c[C_L1_READS] + c[C_L1_WRITES], c[C_L1_ACCESSES]},
        {"readonly.hits + misses + merges = accesses", c[C_RO_HITS] + c[C_RO_MISSES] + c[C_RO_MERGES],
         c[C_RO_ACCESSES]},
        {"const.hits + misses + merges = accesses", c[C_CONST_HITS] + c[C_CONST_MISSES] + c[C_CONST_MERGES],
         c[C_CONST_ACCESSES]},
        {"scratch.hits + misses + merges = accesses", c[C_SCRATCH_HITS] + c[C_SCRATCH_MISSES] + c[C_SCRATCH_MERGES],
         c[C_SCRATCH_ACCESSES]},
        {"l2.hits + l2.misses + l2.merges = l2.accesses", c[C_L2_HITS] + c[C_L2_MISSES] + c[C_L2_MERGES],
         c[C_L2_ACCESSES]},
        {"l2.reads + l2.writes + l2.atomics = l2.accesses", c[C_L2_READS] + c[C_L2_WRITES] + c[C_L2_ATOMICS],
         c[C_L2_ACCESSES]},
        {"tlb1.hits + misses = accesses", c[C_TLB1_HITS] + c[C_TLB1_MISSES], c[C_TLB1_ACCESSES]},
        {"tlb2.hits + misses + merges = accesses", c[C_TLB2_HITS] + c[C_TLB2_MISSES] + c[C_TLB2_MERGES],
         c[C_TLB2_ACCESSES]},
        {"tlb2.misses + tlb2.merges = tlb2.walks", c[C_TLB2_MISSES] + c[C_TLB2_MERGES], c[C_PAGE_WALKS]},
        {"link.requests + tlb2.walks + l2.splits = l2.accesses", c[C_REQUESTS] + c[C_PAGE_WALKS] + c[C_L2_SPLITS],
         c[C_L2_ACCESSES]},
        {"link.awaited = link.replies", c[C_AWAITED], c[C_REPLIES]},
        {"dram.row_hits + dram.row_misses = dram.reads + dram.writes, or none of the former",
         c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES] ? c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES]
                                                   : c[C_DRAM_READS] + c[C_DRAM_WRITES],
         c[C_DRAM_READS] + c[C_DRAM_WRITES]},
        {"issue.issued + stalls = issue.slots", used, c[C_ISSUE_SLOTS]},
    };
    for (size_t k = 0; k < COUNT(laws); k++) {
        if (laws[k].left == laws[k].right) continue;
        text_printf(out, "%s: %llu ≠ %llu", laws[k].law, (unsigned long long)laws[k].left,
                    (unsigned long long)laws[k].right);
        return laws[k].law;
    }
    return NULL;
}

static const char counters_head[] = "# Counters\n\n"
                                    "A counter says how often something happened in one launch, summed over SMs\n"
                                    "and partitions. A rate is a formula over counters. `onchip show counters`\n"
                                    "prints this page from src/base/counters.def and src/gpu/rates.def.\n\n"
                                    "Nsight Compute is NVIDIA's profiler. The third column names its metric that\n"
                                    "counts the same thing, if there is one. A difference that remains stands\n"
                                    "behind the metric. \"None\" stands before the reason why a similar metric\n"
                                    "isn't the same. One difference is everywhere: Nsight counts instructions of\n"
                                    "SASS, the machine code; onchip counts instructions of PTX.\n\n"
                                    "Two families of counters have no such metric:\n\n"
                                    "- **Stalls.** Nsight's warp states (`…issue_stalled…`) count every waiting\n"
                                    "  warp in every cycle. Our `stall.…` count every empty issue slot once,\n"
                                    "  under one cause.\n"
                                    "- **Hits and misses.** Nsight counts sectors, and a sector that is under\n"
                                    "  way is a miss. We count accesses, and accesses that wait for data that is\n"
                                    "  under way are merges, not misses.\n\n";
static const char outcomes[] = "\n## Hits, misses and merges\n\n"
                               "These words mean the same at every level, for loads and stores. An access\n"
                               "**hits** when all data that it touches is in the cache. It **merges** when\n"
                               "no data is missing, but some is still under way: an earlier miss brings it.\n"
                               "Otherwise it **misses**. So hits + misses + merges = accesses, and a hit\n"
                               "rate is hits / accesses. An access that passes a cache without a look-up is\n"
                               "a bypass (`l1.bypasses`), and isn't among the cache's accesses.\n\n"
                               "A store of whole sectors needs nothing of the old data, but it is counted in\n"
                               "the same way: where the sectors aren't in the cache, the store misses. Such a\n"
                               "miss fetches nothing into the L2, nor into the L1 for local memory. A store\n"
                               "that hits found its data in the cache; it may still be sent on.\n";
static const char laws_list[] =
    "\n## Conservation laws\n\n"
    "These equations hold for every launch. The tests check them, and `onchip run --laws` does:\n\n"
    "- hits + misses + merges = accesses, for every cache and TLB\n"
    "- misses + merges of the L2 TLB = page walks\n"
    "- requests that leave an SM, page walks, and look-ups of a request's further lines = requests the L2 looked up\n"
    "- requests that want an answer = answers\n"
    "- issued slots + stalls of every cause = issue slots\n";

// "a + b" → "`a` + `b`"
static void put_metrics(Text *out, const char *names)
{
    for (size_t n; *names; names += n) {
        n = strcspn(names, " ");
        text_printf(out, n > 1 ? "`%.*s`" : "%.*s", (int)n, names);
        if (names[n] == ' ') text_put(out, " "), n++;
    }
}

void counter_manual(Text *out)
{
    text_put(out, counters_head);
    text_put(out, "| counter | unit | Nsight Compute | |\n|---|---|---|---|\n");
    for (int k = 0; k < C_COUNT; k++) {
        const CounterInfo *c = &counter_info[k];
        text_printf(out, "| `%s` | %s | ", c->name, c->unit);
        put_metrics(out, c->ncu);
        text_printf(out, "%s%s | %s |\n", !*c->differs ? "" : *c->ncu ? "; " : "none: ", c->differs, c->doc);
    }
    text_put(out, outcomes);
    text_put(out, "\n## Rates\n\n| rate | unit | formula | |\n|---|---|---|---|\n");
    for (size_t k = 0; k < RATES; k++)
        text_printf(out, "| `%s` | %s | %s | %s |\n", rates[k].name, rates[k].unit, rates[k].formula, rates[k].doc);
    text_put(out, "\n## Shares of the peaks\n\nThe results store has these of each kernel beside its rates: `onchip db "
                  "list\n--kernels --columns` takes them, too. Each is a share of what the whole GPU could\nhave done "
                  "in the kernel's cycles.\n\n| share | |\n|---|---|\n");
    for (size_t k = 0; k < ALL_PEAKS; k++) text_printf(out, "| `%s` | %s |\n", peak_info[k].name, peak_info[k].doc);
    text_put(out, laws_list);
}
