// metrics.c: onchip run --metrics: numbers of each kernel by name. A name is a counter's or a rate's; or one of Nsight
// Compute's: a counter that has such a name beside its own (counters.def), or a row of ratios[], which is computed as
// NVIDIA's table of nvprof's metrics and Nsight's says (Nsight Compute CLI, "Metric Comparison").
#include "cli/report.h"
#include "names/names.h"

#include <math.h>
#include <string.h>

static double over(double a, double b) { return b > 0 ? a / b : NAN; }
static double seconds(const uint64_t *c, const Gpu *g) { return (double)c[C_CYCLES] / (g->core_mhz * 1e6); }

static double time_ns(const uint64_t *c, const Gpu *g) { return 1e9 * seconds(c, g); }
static double warps_active(const uint64_t *c, const Gpu *g)
{
    return 100 * over((double)c[C_WARP_CYCLES], (double)c[C_SM_CYCLES] * g->sm.max_warps);
}
static double ipc_active(const uint64_t *c, const Gpu *g)
{
    return (void)g, over((double)c[C_WARP_INSTS], (double)c[C_SM_CYCLES]);
}
static double lanes(const uint64_t *c, const Gpu *g)
{
    return (void)g, over((double)c[C_THREAD_INSTS], (double)c[C_WARP_INSTS]);
}
static double load_sectors(const uint64_t *c, const Gpu *g)
{
    return (void)g, over((double)c[C_SECTORS_LOADED], (double)c[C_LD_GLOBAL]);
}
static double store_sectors(const uint64_t *c, const Gpu *g)
{
    return (void)g, over((double)c[C_SECTORS_STORED], (double)c[C_ST_GLOBAL]);
}
static double dram_all(const uint64_t *c, const Gpu *g) { return (void)g, dram_bytes(c); }
static double read_rate(const uint64_t *c, const Gpu *g) { return over((double)c[C_DRAM_READ_BYTES], seconds(c, g)); }
static double write_rate(const uint64_t *c, const Gpu *g) { return over((double)c[C_DRAM_WRITE_BYTES], seconds(c, g)); }
static double dram_rate(const uint64_t *c, const Gpu *g) { return over(dram_bytes(c), seconds(c, g)); }
static double dram_peak(const uint64_t *c, const Gpu *g) { return 100 * dram_rate(c, g) / (g->dram_gbs * 1e9); }

static const struct {
    const char *name, *unit;
    double (*of)(const uint64_t *c, const Gpu *g);
} ratios[] = {
    {"gpu__time_duration.sum", "nsecond", time_ns},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", warps_active},
    {"sm__inst_executed.avg.per_cycle_active", "inst/cycle", ipc_active},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "", lanes},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request", load_sectors},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request", store_sectors},
    {"dram__bytes.sum", "byte", dram_all},
    {"dram__bytes_read.sum.per_second", "byte/second", read_rate},
    {"dram__bytes_write.sum.per_second", "byte/second", write_rate},
    {"dram__bytes.sum.per_second", "byte/second", dram_rate},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", dram_peak},
};

typedef struct Metric {
    const char *name, *unit;
    double value;
} Metric;

// The number by that name. c null: only whether there is one.
static bool find(const char *name, const uint64_t *c, const Gpu *g, Metric *m)
{
    m->value = NAN;
    for (int k = 0; k < C_COUNT; k++)
        if (!strcmp(name, counter_info[k].name) || (*counter_info[k].ncu && !strcmp(name, counter_info[k].ncu))) {
            m->name = name, m->unit = counter_info[k].unit;
            if (c) m->value = (double)c[k];
            return true;
        }
    const Rate *rate = rate_called(name);
    if (rate) {
        m->name = name, m->unit = rate->unit;
        if (c) m->value = rate->value(c, g);
        return true;
    }
    for (size_t k = 0; k < COUNT(ratios); k++)
        if (!strcmp(name, ratios[k].name)) {
            m->name = name, m->unit = ratios[k].unit;
            if (c) m->value = ratios[k].of(c, g);
            return true;
        }
    return false;
}

bool metrics_read(const char *list, Diag *diag)
{
    const char *names[2 * C_COUNT + 64];
    size_t n = 0;
    char word[128], hint[160];
    Metric m;
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
        if (find(word, NULL, NULL, &m)) continue;
        for (int k = 0; k < C_COUNT; k++) {
            names[n++] = counter_info[k].name;
            if (*counter_info[k].ncu) names[n++] = counter_info[k].ncu;
        }
        for (size_t k = 0; k < RATES; k++) names[n++] = rates[k].name;
        for (size_t k = 0; k < COUNT(ratios); k++) names[n++] = ratios[k].name;
        diag_error(diag, "no metric '%s'%s (onchip list counters; doc/use/metrics.md)", word,
                   did_you_mean(word, names, n, hint));
        return false;
    }
    return true;
}

// As RFC 4180 has it, and as Nsight Compute quotes: every field.
static void put_field(const char *text, bool last, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputs(last ? "\"\n" : "\",", out);
}

// --- a format, which has a row for each number -----------------------------------------------------------------------
typedef struct Metrics {
    const char *list;
    bool csv;
    Table table;  // where it isn't CSV
} Metrics;

static void put_fields(const ReportRun *r, const char *const *fields, size_t n)
{
    Metrics *m = r->own;
    for (size_t k = 0; k < n; k++) m->csv ? put_field(fields[k], k + 1 == n, r->out) : table_add(&m->table, fields[k]);
}

static void begin(const ReportRun *r)
{
    static const char *const heads[] = {"Kernel Name", "Launches", "Metric Name", "Metric Unit", "Metric Value"};
    Metrics *m = r->own;
    m->table = (Table){.columns = COUNT(heads), .width = SIZE_MAX};
    put_fields(r, heads, COUNT(heads));
}

static void numbers(const ReportLaunch *l)
{
    const Metrics *all = l->run->own;
    char *name = name_shown(l->sum->kernel), launches[32];
    snprintf(launches, sizeof launches, "%llu", (unsigned long long)l->sum->launches);
    for (const char *p = all->list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        char word[128], value[64] = "n/a";
        Metric m = {0};
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
        if (!find(word, l->sum->count, l->run->gpu, &m)) continue;
        if (!isnan(m.value)) snprintf(value, sizeof value, "%.15g", m.value);
        const char *const fields[] = {name, l->which ? l->which : launches, m.name, m.unit, value};
        put_fields(l->run, fields, COUNT(fields));
    }
    mem_free(name);
}

static void end(const ReportRun *r)
{
    Metrics *m = r->own;
    if (!m->csv) table_print(&m->table, r->out);
    table_free(&m->table);
}

void metrics_put(const oc_device *d, const ReportInfo *info, const char *list, bool csv, FILE *out)
{
    static const ReportRow rows[] = {{HAS_TIME, numbers}};
    static const ReportFormat format = {.begin = begin, .rows = rows, .row_count = COUNT(rows), .end = end};
    Metrics m = {.list = list, .csv = csv};
    report_walk(&format, &(ReportRun){.device = d, .info = info, .out = out, .own = &m});
}
