// report_chart.c: the memory chart of a kernel: from shared memory down to DRAM, what each part was asked for, how much
// of its peak that is, how often it had the data, and where accesses were made to wait. Below it the roofline (Williams
// et al., CACM 2009), with warp instructions in the place of floating-point operations (Ding and Williams, PMBS 2019):
// what the kernel reached, beside what each level's bandwidth would allow at the kernel's instructions a byte.
#include "cli/cli.h"
#include "device/device.h"

#include <string.h>

static double over(double a, double b) { return b > 0 ? a / b : 0; }

// --- the chart -------------------------------------------------------------------------------------------------------
typedef struct Row {
    const char *name;
    double requests, bytes, peak;  // bytes < 0: they aren't counted; peak, a share; < 0: it has none
    double hits;                   // a share; < 0: it holds nothing
    Text waits;
} Row;

static void put_count(Table *t, double v)
{
    char text[32];
    format_count(text, v);
    table_add(t, text);
}

static void put_share(Table *t, double v)
{
    char text[32] = "";
    if (v >= 0) snprintf(text, sizeof text, "%.1f %%", 100 * v);
    table_add(t, text);
}

static void wait_for(Row *row, double cycles, double all, const char *what)
{
    double share = over(cycles, all);
    if (share >= 0.005) text_printf(&row->waits, "%s%s %.0f %%", row->waits.n ? ", " : "", what, 100 * share);
}

static double share_of(const uint64_t *c, Counter part, Counter all)
{
    return c[all] ? (double)c[part] / (double)c[all] : -1;
}

static void add_row(Table *t, Row *row)
{
    char text[32] = "";
    if (row->requests > 0) {
        table_add(t, row->name);
        put_count(t, row->requests);
        if (row->bytes >= 0) format_bytes(text, row->bytes);
        table_add(t, text);
        put_share(t, row->peak);
        put_share(t, row->hits);
        table_add(t, row->waits.n ? row->waits.v : "");
    }
    text_free(&row->waits);
}

static void put_chart(const uint64_t *c, const Gpu *g, const double peak[PEAKS], FILE *out)
{
    static const char *const heads[] = {"part",        "requests", "bytes",
                                        "of its peak", "hits",     "waits for, of the SMs' time"};
    const double sms = (double)c[C_SM_CYCLES], partitions = (double)c[C_CYCLES] * g->part.partitions;
    Table t = {.columns = COUNT(heads), .indent = 2, .width = SIZE_MAX};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    Row shared = {.name = "shared memory",
                  .requests = (double)(c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]),
                  .bytes = -1,
                  .peak = peak[PEAK_SHARED],
                  .hits = -1};
    wait_for(&shared, (double)c[C_SHARED_CONFLICTS], sms, "bank conflicts");
    add_row(&t, &shared);
    Row l1 = {.name = "L1",
              .requests = (double)c[C_L1_ACCESSES],
              .bytes = 32.0 * (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]),
              .peak = peak[PEAK_LSU],
              .hits = share_of(c, C_L1_HITS, C_L1_ACCESSES)};
    wait_for(&l1, (double)c[C_L1_REFUSED_MSHR], sms, "a free MSHR");
    wait_for(&l1, (double)c[C_L1_REFUSED_MERGE], sms, "room in an MSHR");
    wait_for(&l1, (double)c[C_L1_REFUSED_SET], sms, "a way of the set");
    wait_for(&l1, (double)c[C_L1_REFUSED_LINK], sms, "a credit of the link");
    wait_for(&l1, (double)c[C_L1_REFUSED_POLICY], sms, "the policy");
    add_row(&t, &l1);
    add_row(&t,
            &(Row){.name = "past the L1", .requests = (double)c[C_L1_BYPASSES], .bytes = -1, .peak = -1, .hits = -1});
    add_row(&t, &(Row){.name = "read-only cache",
                       .requests = (double)c[C_RO_ACCESSES],
                       .bytes = -1,
                       .peak = -1,
                       .hits = share_of(c, C_RO_HITS, C_RO_ACCESSES)});
    add_row(&t, &(Row){.name = "constant cache",
                       .requests = (double)c[C_CONST_ACCESSES],
                       .bytes = -1,
                       .peak = -1,
                       .hits = share_of(c, C_CONST_HITS, C_CONST_ACCESSES)});
    add_row(&t, &(Row){.name = "scratch cache",
                       .requests = (double)c[C_SCRATCH_ACCESSES],
                       .bytes = -1,
                       .peak = -1,
                       .hits = share_of(c, C_SCRATCH_HITS, C_SCRATCH_ACCESSES)});
    add_row(&t, &(Row){.name = "link, out",
                       .requests = (double)c[C_REQUESTS],
                       .bytes = (double)c[C_LINK_OUT],
                       .peak = link_out_share(c, g),
                       .hits = -1});
    add_row(&t, &(Row){.name = "link, in",
                       .requests = (double)c[C_REPLIES],
                       .bytes = (double)c[C_LINK_IN],
                       .peak = link_in_share(c, g),
                       .hits = -1});
    Row l2 = {.name = "L2",
              .requests = (double)c[C_L2_ACCESSES],
              .bytes = 32.0 * (double)c[C_L2_SECTORS],
              .peak = peak[PEAK_L2],
              .hits = share_of(c, C_L2_HITS, C_L2_ACCESSES)};
    double refused = over((double)c[C_L2_REFUSED], partitions);
    if (refused >= 0.005)
        text_printf(&l2.waits, "an MSHR or the DRAM's queue, %.0f %% of the partitions' time", 100 * refused);
    add_row(&t, &l2);
    Row dram = {.name = "DRAM",
                .requests = (double)(c[C_DRAM_READS] + c[C_DRAM_WRITES]),
                .bytes = dram_bytes(c),
                .peak = peak[PEAK_DRAM],
                .hits = -1};
    double rows = (double)(c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES]);
    if (rows > 0)
        text_printf(&dram.waits, "a row to open, %.0f %% of its requests",
                    100 * over((double)c[C_DRAM_ROW_MISSES], rows));
    add_row(&t, &dram);
    table_print(&t, out);
    table_free(&t);
}

// --- the roofline ----------------------------------------------------------------------------------------------------
enum { BAR = 40 };

static void put_roof(Table *t, const char *name, double intensity, double roof, double reached)
{
    char text[64] = "";
    table_add(t, name);
    if (intensity > 0) snprintf(text, sizeof text, "%.3g", intensity);
    table_add(t, text);
    snprintf(text, sizeof text, "%.3g", roof / 1e9);
    table_add(t, text);
    snprintf(text, sizeof text, "%.1f %%", 100 * over(reached, roof));
    table_add(t, text);
    int full = (int)(BAR * MIN(over(reached, roof), 1.0) + 0.5);
    Text bar = {0};
    for (int k = 0; k < BAR; k++) text_put(&bar, k < full ? "#" : ".");
    table_add(t, bar.v);
    text_free(&bar);
}

static void put_roofline(const uint64_t *c, const Gpu *g, const double peak[PEAKS], FILE *out)
{
    static const char *const heads[] = {"roof", "instr./byte", "G instr./s", "reached", ""};
    const double seconds = (double)c[C_CYCLES] / (g->core_mhz * 1e6), insts = (double)c[C_WARP_INSTS];
    const double reached = over(insts, seconds);
    const struct {
        const char *name;
        double bytes, peak;
    } levels[] = {{"L1", 32.0 * (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]), peak[PEAK_LSU]},
                  {"L2", 32.0 * (double)c[C_L2_SECTORS], peak[PEAK_L2]},
                  {"DRAM", dram_bytes(c), peak[PEAK_DRAM]}};
    Table t = {.columns = COUNT(heads), .indent = 2, .width = SIZE_MAX};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    // At these instructions a byte a level allows as many more as it has been used less than it could be.
    for (size_t k = 0; k < COUNT(levels); k++)
        if (levels[k].peak > 0)
            put_roof(&t, levels[k].name, over(insts, levels[k].bytes), reached / levels[k].peak, reached);
    if (peak[PEAK_ISSUE] > 0) put_roof(&t, "issue", 0, reached / peak[PEAK_ISSUE], reached);
    table_print(&t, out);
    table_free(&t);
    char text[32];
    format_count(text, reached);
    fprintf(out, "  reached: %s warp instructions/s\n", text);
}

void chart_text(const LaunchSum *sum, const Gpu *g, FILE *out)
{
    double peak[PEAKS];
    find_peaks(sum->count, g, peak);
    fprintf(out, "  memory chart\n");
    put_chart(sum->count, g, peak, out);
    fprintf(out, "  roofline\n");
    put_roofline(sum->count, g, peak, out);
}
