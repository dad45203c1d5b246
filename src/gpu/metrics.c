// metrics.c: numbers of a launch by name. A name is a counter's or a rate's; or one of Nsight Compute's: a counter that
// has such a name beside its own (counters.def), or a row of ratios[], which is computed as NVIDIA's table of nvprof's
// metrics and Nsight's says (Nsight Compute CLI, "Metric Comparison"), but for dram.bytes, which is a sum of counters.
#include "gpu/gpu.h"

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
static double issue_active(const uint64_t *c, const Gpu *g)
{
    return (void)g, 100 * over((double)c[C_ISSUED], (double)c[C_ISSUE_SLOTS]);
}
static double conflicts(const uint64_t *c, const Gpu *g) { return (void)g, bank_conflicts(c); }
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
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%", issue_active},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "pass", conflicts},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "", lanes},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request", load_sectors},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request", store_sectors},
    {"dram__bytes.sum", "byte", dram_all},
    {"dram.bytes", "byte", dram_all},  // the same, as the counters of its parts are called
    {"dram__bytes_read.sum.per_second", "byte/second", read_rate},
    {"dram__bytes_write.sum.per_second", "byte/second", write_rate},
    {"dram__bytes.sum.per_second", "byte/second", dram_rate},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", dram_peak},
};

bool metric_find(const char *name, const uint64_t *c, const Gpu *g, Metric *m)
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

size_t metric_names(const char *names[METRIC_NAMES])
{
    _Static_assert(METRIC_NAMES >= 2 * C_COUNT + RATES + COUNT(ratios), "each has room");
    size_t n = 0;
    for (int k = 0; k < C_COUNT; k++) {
        names[n++] = counter_info[k].name;
        if (*counter_info[k].ncu) names[n++] = counter_info[k].ncu;
    }
    for (size_t k = 0; k < RATES; k++) names[n++] = rates[k].name;
    for (size_t k = 0; k < COUNT(ratios); k++) names[n++] = ratios[k].name;
    return n;
}
