// ideals.c: how much of the time each of a kernel's habits costs at most. What can be idealised is run so, by a key
// ideal.* of the description (a trial of its own, which no change may join); what can't is told from counters of the
// run as it is. The line and the data structure are those with the largest part of what is lost.
#include "advise/unit.h"
#include "exec/launch.h"

#include <string.h>

typedef struct Habit {
    const char *key;    // of the description
    const char *what;   // that time is lost to
    const char *write;  // what is against it
} Habit;
enum { SECTORS, CONFLICTS, DIVERGENCE, SPILLS, BARRIERS, TAIL };
static const Habit habits[] = {
    [SECTORS] = {"ideal.coalesced=yes", "sectors of which little is used",
                 "let neighbouring threads take neighbouring words: threadIdx.x in the last index, an array for each "
                 "member of a structure, or a tile that is turned in shared memory"},
    [CONFLICTS] = {"ideal.conflicts=yes", "bank conflicts",
                   "pad the rows of the shared array, or swizzle it; which of these helps is below"},
    [DIVERGENCE] = {"ideal.divergence=yes", "lanes that a diverged warp leaves idle",
                    "let whole warps go one way: choose by threadIdx.x / 32, or sort the work"},
    [SPILLS] = {"ideal.spills=yes", "registers spilled to local memory",
                "__launch_bounds__ with fewer threads, or fewer values alive at once: a smaller #pragma unroll"},
    [BARRIERS] = {NULL, "waits at barriers",
                  "__syncwarp() where a warp's lanes are enough; smaller blocks, so that others work meanwhile"},
    [TAIL] = {NULL, "SMs without a block, at the grid's end or all the time",
              "smaller blocks, or a grid of a multiple of what all SMs hold at once"},
};

static void add(Ideals *out, int habit, double times)
{
    const Habit *h = &habits[habit];
    vec_push(out, ((Ideal){.what = h->what, .write = h->write, .set = h->key, .habit = habit, .times = times}));
}

// Those that are worth a run.
void ideals_find(const StoredRun *run, Ideals *out)
{
    const uint64_t *c = run->count;
    uint64_t sectors = 0, accesses = 0, spills = 0;
    for (size_t k = 0; k < run->kernels.n; k++)
        for (size_t s = 0; s < run->kernels.v[k].structures.n; s++) {
            const RunStructure *x = &run->kernels.v[k].structures.v[s];
            if (!strcmp(x->name, "local memory")) spills += x->transactions;
            sectors += x->sectors, accesses += x->loads + x->stores;
        }
    if (sectors > 5 * accesses) add(out, SECTORS, 0);  // 4 are what 32 lanes' words of 4 bytes fill
    if (c[C_SHARED_CONFLICTS] * 20 > c[C_SHARED_PASSES]) add(out, CONFLICTS, 0);
    if (c[C_THREAD_INSTS] * 20 < c[C_WARP_INSTS] * 19 * LANES) add(out, DIVERGENCE, 0);
    if (spills) add(out, SPILLS, 0);
}

// --- where it is lost ------------------------------------------------------------------------------------------------
static double excess(const RunLine *l, int habit)
{
    const double lanes = (double)l->lanes, issued = (double)l->issued;
    switch (habit) {
    case SECTORS: return l->array && strcmp(l->array, "shared memory") ? (double)l->sectors - lanes / 8 : 0;
    case CONFLICTS: return l->array && !strcmp(l->array, "shared memory") ? (double)l->transactions - issued : 0;
    case DIVERGENCE: return l->array ? 0 : issued * LANES - lanes;
    case SPILLS: return l->array && !strcmp(l->array, "local memory") ? (double)l->transactions : 0;
    default: return 0;
    }
}

void ideal_where(const StoredRun *run, const Ideal *i, Text *out)
{
    const RunLine *most = NULL;
    double all = 0, worst = 0;
    for (size_t k = 0; k < run->kernels.n; k++)
        for (size_t n = 0; n < run->kernels.v[k].lines.n; n++) {
            const RunLine *l = &run->kernels.v[k].lines.v[n];
            const double lost = excess(l, i->habit);
            if (lost <= 0) continue;
            all += lost;
            if (lost > worst) worst = lost, most = l;
        }
    if (!most || worst * 10 < all) return;
    const char *file = most->file ? base_name(most->file) : "";
    if (most->array && i->habit == SECTORS) text_printf(out, ", most of them of %s", most->array);
    if (*file && most->line) text_printf(out, " at %s:%llu", file, (unsigned long long)most->line);
}

// --- what counters tell ----------------------------------------------------------------------------------------------
void ideals_count(const StoredRun *run, uint32_t sms, Ideals *out)
{
    const uint64_t *c = run->count;
    const double slots = (double)c[C_ISSUE_SLOTS];
    const double all = (double)run->cycles * sms, busy = (double)c[C_SM_CYCLES], barrier = (double)c[C_STALL_BARRIER];
    const double by_barrier = barrier < slots ? slots / (slots - barrier) : 0, by_tail = busy > 0 ? all / busy : 0;
    if (by_barrier >= ADVISE_GAIN) add(out, BARRIERS, by_barrier);
    if (by_tail >= ADVISE_GAIN) add(out, TAIL, by_tail);
}
