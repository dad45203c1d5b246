// limits.c: what limits a kernel, in words, and how near its units are to their peaks. Everything is a share of
// what the whole GPU could have done in the kernel's time. The first that holds is told, in this order:
//
//   1. SMs without a block: the grid is too small, or its last blocks run alone;
//   2. a unit at 60 % of its peak and more;
//   3. what most issue slots are lost to, where less than 60 % are used: latency, with too few warps to hide it;
//
// and then lanes that take no part, where a quarter of them don't.
#include "say/unit.h"

static const double idle_told = 0.2, uneven = 0.75, peak_told = 0.6, lost_told = 0.25, lanes_told = 0.75,
                    conflicts_told = 0.25;

static const char *const names[PEAKS] = {"issue", "L1", "shared memory", "link", "L2", "DRAM"};

static double over(double a, double b) { return b > 0 ? a / b : 0; }

static void add_phrase(Text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_phrase(Text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (out->n) text_put(out, "; ");
    text_vprintf(out, format, args);
    va_end(args);
}

// The blocks are those of the first launch.
static bool grid_text(const LaunchSum *sum, const Gpu *g, Text *out)
{
    const uint64_t *c = sum->count;
    double active = over((double)c[C_SM_CYCLES], (double)c[C_CYCLES] * g->sms);
    double blocks = (double)sum->info.grid[0] * sum->info.grid[1] * sum->info.grid[2];
    double waves = over(blocks, (double)sum->occupancy_blocks * g->sms);
    if (1 - active < idle_told) return false;
    add_phrase(out, "the grid: %.4g block%s for %u SMs, which have work for %.0f %% of the time", blocks,
               blocks > 1 ? "s" : "", g->sms, 100 * active);
    if (waves > 1) text_printf(out, ", in %.2g waves", waves);
    if (sum->sm_least && (double)sum->sm_least < uneven * (double)sum->sm_most)
        text_printf(out, "; the busiest SM for %.0f %%, the least busy one for %.0f %%",
                    100 * over((double)sum->sm_most, (double)c[C_CYCLES]),
                    100 * over((double)sum->sm_least, (double)c[C_CYCLES]));
    return true;
}

static bool unit_text(const uint64_t *c, const double peak[ALL_PEAKS], Text *out)
{
    int most = 0;
    for (int k = 1; k < PEAKS; k++)
        if (peak[k] > peak[most]) most = k;
    if (peak[most] < peak_told) return false;
    add_phrase(out, "%s: %.0f %% of its peak", most == PEAK_ISSUE ? "the issue of instructions" : names[most],
               100 * peak[most]);
    const double conflicts = over(bank_conflicts(c), (double)c[C_SHARED_PASSES]);
    if (most == PEAK_SHARED && conflicts > conflicts_told)
        text_printf(out, ", %.0f %% of it for bank conflicts", 100 * conflicts);
    return true;
}

// What the load-store unit waits for.
static void refused_text(const uint64_t *c, Text *out)
{
    static const struct {
        Counter of;
        const char *what;
    } causes[] = {{C_L1_REFUSED_MSHR, "for a free MSHR"},
                  {C_L1_REFUSED_MERGE, "for room for another request of a miss"},
                  {C_L1_REFUSED_SET, "because every way of its set is being filled"},
                  {C_L1_REFUSED_LINK, "for room on the way to the L2"},
                  {C_L1_REFUSED_POLICY, "for the policy"}};
    size_t most = 0;
    for (size_t k = 1; k < COUNT(causes); k++)
        if (c[causes[k].of] > c[causes[most].of]) most = k;
    double accesses = (double)(c[C_LD_GLOBAL] + c[C_ST_GLOBAL]);
    double lines = over((double)c[C_L1_ACCESSES], accesses);
    if (accesses > 0 && lines >= 2) text_printf(out, ", an instruction touching %.3g lines", lines);
    const double conflicts = over(bank_conflicts(c), (double)c[C_SHARED_PASSES]);
    if (conflicts > conflicts_told)
        text_printf(out, ", %.0f %% of the passes of shared memory for bank conflicts", 100 * conflicts);
    if (c[causes[most].of] * 4 > c[C_SM_CYCLES])
        text_printf(out, "; %.0f %% of the time an access waits %s",
                    100 * over((double)c[causes[most].of], (double)c[C_SM_CYCLES]), causes[most].what);
}

// Which of the units that compute it is.
static void busiest_text(const LaunchSum *sum, const Gpu *g, Text *out)
{
    Units u;
    units_find(sum, g, &u);
    const int most = units_busiest(&u);
    if (most >= 0) text_printf(out, ", most of all %s", unit_name(most));
}

static bool stall_text(const LaunchSum *sum, const Gpu *g, Text *out)
{
    const uint64_t *c = sum->count;
    static const struct {
        Counter of;
        const char *what;
    } words[] = {{C_STALL_MEMORY, "latency of memory"},  {C_STALL_SHARED, "latency of shared memory"},
                 {C_STALL_ALU, "latency of arithmetic"}, {C_STALL_PIPE, "busy units"},
                 {C_STALL_LSU, "the load-store unit"},   {C_STALL_BARRIER, "barriers"},
                 {C_STALL_BRANCH, "branches"},           {C_STALL_SCHED, "the scheduling policy"},
                 {C_STALL_SLEEP, "sleeping warps"},      {C_STALL_EMPTY, "schedulers without a warp"}};
    size_t most = 0;
    for (size_t k = 1; k < COUNT(words); k++)
        if (c[words[k].of] > c[words[most].of]) most = k;
    double lost = over((double)c[words[most].of], (double)c[C_ISSUE_SLOTS]);
    if (lost < lost_told || over((double)c[C_ISSUED], (double)c[C_ISSUE_SLOTS]) >= peak_told) return false;
    add_phrase(out, "%s: %.0f %% of the issue slots are lost to it", words[most].what, 100 * lost);
    if (words[most].of == C_STALL_LSU)
        refused_text(c, out);
    else if (words[most].of == C_STALL_PIPE)
        busiest_text(sum, g, out);
    else
        text_printf(out, ", with %.3g of %u warps on an SM", over((double)c[C_WARP_CYCLES], (double)c[C_SM_CYCLES]),
                    g->sm.max_warps);
    return true;
}

// The line at which most lanes took no part.
static void idle_text(const LaunchSum *sum, Text *out)
{
    LineStats lines = {0};
    uint64_t all = 0, most = 0;
    size_t worst = 0;
    lines_of(sum->code, sum->inst, &lines);
    for (size_t k = 0; k < lines.n; k++) {
        uint64_t idle = lines.v[k].stat.issued * LANES - lines.v[k].stat.lanes;
        all += idle;
        if (idle > most) most = idle, worst = k;
    }
    if (most) {
        const LineStat *l = &lines.v[worst];
        text_printf(out, ", %.0f %% of those that don't at %s:%u", 100 * over((double)most, (double)all),
                    base_name(l->at_file ? l->at_file : l->file), l->at_file ? l->at_line : l->line);
    }
    vec_free(&lines);
}

void limits_say(const LaunchSum *sum, const Gpu *g, Text *out)
{
    const uint64_t *c = sum->count;
    double peak[ALL_PEAKS], lanes = over((double)c[C_THREAD_INSTS], 32.0 * (double)c[C_WARP_INSTS]);
    find_peaks(c, g, peak);
    grid_text(sum, g, out);
    if (!unit_text(c, peak, out)) stall_text(sum, g, out);
    if (lanes < lanes_told) {
        add_phrase(out, "divergence: %.3g of 32 lanes take part", 32 * lanes);
        idle_text(sum, out);
    }
    if (!out->n) text_put(out, "nothing alone");
}

void peaks_say(const uint64_t *c, const Gpu *g, Text *out)
{
    double peak[ALL_PEAKS];
    find_peaks(c, g, peak);
    for (int k = 0; k < PEAKS; k++)
        if (peak[k] > 0) text_printf(out, "%s%s %.1f %%", out->n ? ", " : "", names[k], 100 * peak[k]);
}
