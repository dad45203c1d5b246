// peaks.c: how near a launch's units came to their peaks, and what its memory chart and its roofline have. The terminal
// and the report's page both show what is computed here, so that their numbers are the same.
//
// The roofline (Williams et al., CACM 2009) counts warp instructions in the place of floating-point operations, and
// transactions in the place of bytes (Ding and Williams, PMBS 2019): of the L1 a cycle's, of the L2 an access, of DRAM
// 32 bytes.
// So each ceiling is the same for all kernels. A warp instruction takes an issue slot or more.
#include "gpu/gpu.h"

#include <math.h>

static double over(double a, double b) { return b > 0 ? a / b : 0; }

const PeakInfo peak_info[ALL_PEAKS] = {
    [PEAK_ISSUE] = {"peak.issue", "instructions issued, of the issue slots of all SMs"},
    [PEAK_LSU] = {"peak.l1", "cycles that accesses of the L1 take, and accesses past it, of all cycles of SMs"},
    [PEAK_SHARED] = {"peak.shared", "passes of shared memory, of one per SM and cycle"},
    [PEAK_LINK] = {"peak.link", "bytes between SMs and partitions in the direction that is nearer to its peak"},
    [PEAK_L2] = {"peak.l2", "look-ups in the L2, of those that its partitions can make"},
    [PEAK_DRAM] = {"peak.dram", "bytes read and written, of what DRAM can move"},
    [PEAK_LINK_OUT] = {"peak.link_out", "bytes from SMs to partitions, of what both can pass"},
    [PEAK_LINK_IN] = {"peak.link_in", "bytes from partitions to SMs, of what both can pass"},
    [PEAK_ALU] = {"peak.alu",
                  "warp instructions of all kinds, of the sums and products of .f32 that all SMs can start"},
    [PEAK_L2_WAITS] = {"peak.l2_waits",
                       "cycles of partitions in which a request lacked an MSHR or the DRAM's queue, of "
                       "all their cycles"},
    [PEAK_TENSOR] = {"peak.tensor", "multiply-adds of matrices, of those of .f16 that all SMs can do"},
};

double bank_conflicts(const uint64_t *c)
{
    return c[C_SHARED_CONFLICTS] > c[C_SHARED_WIDE] ? (double)(c[C_SHARED_CONFLICTS] - c[C_SHARED_WIDE]) : 0;
}

double dram_bytes(const uint64_t *c) { return (double)(c[C_DRAM_READ_BYTES] + c[C_DRAM_WRITE_BYTES]); }

// FMA instructions that an SM starts in a cycle: as its schedulers can, and as the unit can.
static double alu_rate(const SmCfg *sm)
{
    const ClassCfg *unit = &sm->unit[CLASS_FMA];
    double rate = over(sm->schedulers, MAX(unit->interval, 1u));
    return unit->per_cycle ? MIN(rate, unit->per_cycle) : rate;
}

void find_peaks(const uint64_t *c, const Gpu *g, double peak[ALL_PEAKS])
{
    const double cycles = (double)c[C_CYCLES], sms = cycles * g->sms, partitions = cycles * g->part.partitions;
    double slots = over((double)c[C_ISSUE_SLOTS], (double)c[C_SM_CYCLES]);  // of an SM in a cycle
    peak[PEAK_ISSUE] = over((double)c[C_ISSUED], slots * sms);
    peak[PEAK_LSU] = over((double)(c[C_L1_CYCLES] + c[C_L1_BYPASSES]), sms);
    peak[PEAK_SHARED] = over((double)c[C_SHARED_PASSES], sms);
    // What all SMs can take and what all partitions can give: the less of both.
    peak[PEAK_LINK_IN] =
        over((double)c[C_LINK_IN], MIN(g->sm.bytes_in * g->sms, g->part.bytes_out * g->part.partitions) * cycles);
    peak[PEAK_LINK_OUT] =
        over((double)c[C_LINK_OUT], MIN(g->sm.bytes_out * g->sms, g->part.bytes_in * g->part.partitions) * cycles);
    peak[PEAK_LINK] = MAX(peak[PEAK_LINK_IN], peak[PEAK_LINK_OUT]);
    peak[PEAK_L2] = over((double)c[C_L2_ACCESSES] * g->part.interval, partitions);
    peak[PEAK_DRAM] = over(dram_bytes(c) * g->core_mhz * 1e6, g->dram_gbs * 1e9 * cycles);
    peak[PEAK_ALU] = over((double)c[C_WARP_INSTS], alu_rate(&g->sm) * sms);
    peak[PEAK_TENSOR] = over((double)c[C_TENSOR_FMAS], MAX(g->sm.tensor.rate, g->sm.tensor.wgmma) * sms);
    peak[PEAK_L2_WAITS] = over((double)c[C_L2_REFUSED], partitions);
}

// --- the memory chart ------------------------------------------------------------------------------------------------
static double share_of(const uint64_t *c, Counter part, Counter all)
{
    return c[all] ? (double)c[part] / (double)c[all] : NAN;
}

static void wait_for(ChartPart *p, const char *what, double share)
{
    if (share >= 0.005) p->waits[p->waiting++] = (ChartWait){what, share};
}

static void put_cache(ChartPart *p, const char *name, const uint64_t *c, Counter accesses, Counter hits)
{
    *p = (ChartPart){
        .name = name, .requests = (double)c[accesses], .bytes = NAN, .peak = NAN, .hits = share_of(c, hits, accesses)};
}

static void put_link(ChartPart *p, const char *name, uint64_t packets, uint64_t bytes, double peak)
{
    *p = (ChartPart){.name = name, .requests = (double)packets, .bytes = (double)bytes, .peak = peak, .hits = NAN};
}

void memory_chart(const uint64_t *c, const double peak[ALL_PEAKS], ChartPart part[CHART_PARTS])
{
    const double sms = (double)c[C_SM_CYCLES];
    ChartPart *p = &part[CHART_SHARED];
    *p = (ChartPart){.name = "shared memory",
                     .requests = (double)(c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]),
                     .bytes = NAN,
                     .peak = peak[PEAK_SHARED],
                     .hits = NAN,
                     .of = "the SMs' time"};
    wait_for(p, "bank conflicts", over(bank_conflicts(c), sms));
    p = &part[CHART_L1];
    put_cache(p, "L1", c, C_L1_ACCESSES, C_L1_HITS);
    p->bytes = 32.0 * (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]);
    p->peak = peak[PEAK_LSU], p->of = "the SMs' time";
    wait_for(p, "a free MSHR", over((double)c[C_L1_REFUSED_MSHR], sms));
    wait_for(p, "room in an MSHR", over((double)c[C_L1_REFUSED_MERGE], sms));
    wait_for(p, "a way of the set", over((double)c[C_L1_REFUSED_SET], sms));
    wait_for(p, "a credit of the link", over((double)c[C_L1_REFUSED_LINK], sms));
    wait_for(p, "the policy", over((double)c[C_L1_REFUSED_POLICY], sms));
    put_link(&part[CHART_PAST], "past the L1", c[C_L1_BYPASSES], 0, NAN);
    part[CHART_PAST].bytes = NAN;
    put_cache(&part[CHART_READONLY], "read-only cache", c, C_RO_ACCESSES, C_RO_HITS);
    put_cache(&part[CHART_CONST], "constant cache", c, C_CONST_ACCESSES, C_CONST_HITS);
    put_cache(&part[CHART_SCRATCH], "scratch cache", c, C_SCRATCH_ACCESSES, C_SCRATCH_HITS);
    put_link(&part[CHART_OUT], "link, out", c[C_REQUESTS], c[C_LINK_OUT], peak[PEAK_LINK_OUT]);
    put_link(&part[CHART_IN], "link, in", c[C_REPLIES], c[C_LINK_IN], peak[PEAK_LINK_IN]);
    p = &part[CHART_L2];
    put_cache(p, "L2", c, C_L2_ACCESSES, C_L2_HITS);
    p->bytes = 32.0 * (double)c[C_L2_SECTORS], p->peak = peak[PEAK_L2], p->of = "the partitions' time";
    wait_for(p, "an MSHR or the DRAM's queue", peak[PEAK_L2_WAITS]);
    p = &part[CHART_DRAM];
    put_link(p, "DRAM", c[C_DRAM_READS] + c[C_DRAM_WRITES], 0, peak[PEAK_DRAM]);
    p->bytes = dram_bytes(c), p->of = "its requests";
    double rows = (double)(c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES]);
    if (rows > 0) p->waits[p->waiting++] = (ChartWait){"a row to open", over((double)c[C_DRAM_ROW_MISSES], rows)};
}

// --- the roofline ----------------------------------------------------------------------------------------------------
void roofline(const uint64_t *c, const double peak[ALL_PEAKS], double seconds, Roofline *out)
{
    const double insts = (double)c[C_WARP_INSTS];
    const struct {
        double bytes, transactions, peak;
    } levels[ROOFS] = {[ROOF_L1] = {32.0 * (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]),
                                    (double)(c[C_L1_CYCLES] + c[C_L1_BYPASSES]), peak[PEAK_LSU]},
                       [ROOF_L2] = {32.0 * (double)c[C_L2_SECTORS], (double)c[C_L2_ACCESSES], peak[PEAK_L2]},
                       [ROOF_DRAM] = {dram_bytes(c), dram_bytes(c) / 32, peak[PEAK_DRAM]},
                       [ROOF_ISSUE] = {0, (double)c[C_ISSUED], peak[PEAK_ISSUE]},
                       [ROOF_ALU] = {0, 0, peak[PEAK_ALU]}};
    static const char *const names[ROOFS] = {"L1", "L2", "DRAM", "issue", "FMA units"};
    out->reached = over(insts, seconds);
    // At these instructions a byte a level allows as many more as it has been used less than it could be.
    for (int k = 0; k < ROOFS; k++)
        out->roof[k] = (Roof){.name = names[k],
                              .intensity = over(insts, levels[k].bytes),
                              .per_transaction = over(insts, levels[k].transactions),
                              .transactions = over(over(levels[k].transactions, seconds), levels[k].peak),
                              .roof = over(out->reached, levels[k].peak),
                              .reached = levels[k].peak > 0 ? levels[k].peak : 0};
}

void tensor_roofline(const uint64_t *c, const double peak[ALL_PEAKS], double seconds, TensorRoofline *out)
{
    enum { PASS_BYTES = 128 };  // of the banks of cards that have tensor cores
    const double operations = 2 * (double)c[C_TENSOR_FMAS];
    const struct {
        const char *name;
        double bytes, peak;
    } levels[TENSOR_ROOFS] = {
        [TENSOR_SHARED] = {"shared memory", PASS_BYTES * (double)c[C_SHARED_PASSES], peak[PEAK_SHARED]},
        [TENSOR_L2] = {"L2", 32.0 * (double)c[C_L2_SECTORS], peak[PEAK_L2]},
        [TENSOR_DRAM] = {"DRAM", dram_bytes(c), peak[PEAK_DRAM]},
        [TENSOR_CORES] = {"tensor cores", 0, peak[PEAK_TENSOR]}};
    out->reached = over(operations, seconds);
    for (int k = 0; k < TENSOR_ROOFS; k++)
        out->roof[k] = (TensorRoof){.name = levels[k].name,
                                    .intensity = over(operations, levels[k].bytes),
                                    .bytes = over(over(levels[k].bytes, seconds), levels[k].peak),
                                    .roof = over(out->reached, levels[k].peak),
                                    .reached = levels[k].peak > 0 ? levels[k].peak : 0};
}
