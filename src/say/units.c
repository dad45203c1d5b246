// units.c: how busy each of an SM's units was, and how many operations of floating point were done. Both follow from
// how often each instruction was issued: a unit that takes a new instruction every so many cycles was busy for them,
// and a product with a sum is two operations of each lane.
#include "exec/code.h"
#include "ptx/ops.h"
#include "say/unit.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[CLASS_COUNT] = {[CLASS_ALU] = "ALU",
                                               [CLASS_MUL] = "integer products",
                                               [CLASS_FMA] = "FMA",
                                               [CLASS_F64] = "FP64",
                                               [CLASS_SFU] = "SFU",
                                               [CLASS_CVT] = "conversions",
                                               [CLASS_TENSOR] = "tensor cores"};

typedef struct Sums {
    double busy[CLASS_COUNT], starts[CLASS_COUNT];  // cycles of all units of a class; instructions
    double operations[FLOPS];
} Sums;

static bool is_float(Type t, Flops *kind, uint32_t *values)
{
    *values = t == TY_F16X2 || t == TY_BF16X2 || t == TY_F32X2 ? 2 : 1;
    *kind = t == TY_F64 ? FLOPS_F64 : t == TY_F32 || t == TY_F32X2 ? FLOPS_F32 : FLOPS_F16;
    return t == TY_F64 || t == TY_F32 || t == TY_F32X2 || t == TY_F16 || t == TY_F16X2 || t == TY_BF16 ||
           t == TY_BF16X2;
}

static void add(Sums *s, const Gpu *g, const Dinst *d, const InstStat *stat)
{
    const ClassCfg *unit = &g->sm.unit[d->class];
    const double times = d->slots > 1 && g->sm.count != COUNT_PTX ? d->units : 1;
    Flops kind;
    uint32_t values;
    s->busy[d->class] += (double)stat->issued * MAX(unit->interval, 1u) * times;
    s->starts[d->class] += (double)stat->issued * times;
    if (!is_float(d->inst->type, &kind, &values)) return;
    const uint32_t each =
        d->op == OP_FMA || d->op == OP_MAD ? 2 : d->op == OP_ADD || d->op == OP_SUB || d->op == OP_MUL;
    s->operations[kind] += (double)stat->lanes * each * values;
}

void units_find(const LaunchSum *sum, const Gpu *g, Units *out)
{
    Sums s = {0};
    *out = (Units){0};
    for (size_t c = 0; sum->code && sum->inst && c < sum->code->codes.n; c++) {
        const Code *code = sum->code->codes.v[c];
        for (uint32_t i = 0; i < code->n; i++)
            if (sum->inst[code->stat_base + i].issued) add(&s, g, &code->insts[i], &sum->inst[code->stat_base + i]);
    }
    const double cycles = (double)sum->count[C_CYCLES] * g->sms,
                 seconds = (double)sum->count[C_CYCLES] / (g->core_mhz * 1e6);
    for (int k = 0; k < CLASS_COUNT && cycles > 0; k++) {
        const ClassCfg *unit = &g->sm.unit[k];
        out->share[k] = s.busy[k] / (cycles * g->sm.schedulers);
        if (unit->per_cycle) out->share[k] = MAX(out->share[k], s.starts[k] / (cycles * unit->per_cycle));
    }
    for (int k = 0; k < FLOPS && seconds > 0; k++) out->flops[k] = s.operations[k] / seconds;
    out->flops[FLOPS_TENSOR] = seconds > 0 ? 2 * (double)sum->count[C_TENSOR_FMAS] / seconds : 0;
    const double lanes = 2.0 * LANES * g->sm.schedulers * g->sms * g->core_mhz * 1e6;
    out->peak[FLOPS_F32] = lanes / MAX(g->sm.unit[CLASS_FMA].interval, 1u);
    out->peak[FLOPS_F64] = lanes / MAX(g->sm.unit[CLASS_F64].interval, 1u);
    out->peak[FLOPS_TENSOR] = 2.0 * MAX(g->sm.tensor.rate, g->sm.tensor.wgmma) * g->sms * g->core_mhz * 1e6;
    // The peak is that of .f16: other types do more or fewer at a time.
    out->share[CLASS_TENSOR] = out->peak[FLOPS_TENSOR] > 0 ? out->flops[FLOPS_TENSOR] / out->peak[FLOPS_TENSOR] : 0;
}

int units_busiest(const Units *u)
{
    int most = -1;
    for (int k = 0; k < CLASS_COUNT; k++)
        if (names[k] && u->share[k] > 0 && (most < 0 || u->share[k] > u->share[most])) most = k;
    return most;
}

const char *unit_name(int class) { return class >= 0 && class < CLASS_COUNT ? names[class] : NULL; }

void units_say(const Units *u, Text *out)
{
    Units left = *u;
    for (int k; (k = units_busiest(&left)) >= 0 && left.share[k] >= 0.005; left.share[k] = 0)
        text_printf(out, "%s%s %.1f %%", out->n ? ", " : "", names[k], 100 * left.share[k]);
}

static const char *const kinds[FLOPS] = {"f16", "f32", "f64", "tensor cores"};

const char *flops_name(int kind) { return kind >= 0 && kind < FLOPS ? kinds[kind] : NULL; }

void flops_say(const Units *u, Text *out)
{
    for (int k = 0; k < FLOPS; k++) {
        if (u->flops[k] < 1e6) continue;
        const double unit = MAX(u->flops[k], u->peak[k]) >= 1e12 ? 1e12 : 1e9;
        text_printf(out, "%s%s %.3g", out->n ? ", " : "", kinds[k], u->flops[k] / unit);
        if (u->peak[k] > 0) text_printf(out, " of %.4g", u->peak[k] / unit);
        text_put(out, unit > 1e11 ? " TFLOP/s" : " GFLOP/s");
        if (u->peak[k] > 0) text_printf(out, " (%.1f %%)", 100 * u->flops[k] / u->peak[k]);
    }
}

// --- by Nsight Compute's names ---------------------------------------------------------------------------------------
// A pipe has the classes that NVIDIA says it executes (Nsight Compute, "Pipelines"). Of its peak in the cycles in which
// SMs had a block (active), or in all (elapsed).
static const struct {
    const char *name;
    Class of[4];
    size_t n;
} pipes[] = {{"sm__pipe_fma_cycles_active", {CLASS_FMA, CLASS_MUL}, 2},
             {"sm__pipe_alu_cycles_active", {CLASS_ALU}, 1},
             {"sm__pipe_fp64_cycles_active", {CLASS_F64}, 1},
             {"sm__pipe_tensor_cycles_active", {CLASS_TENSOR}, 1},
             {"sm__inst_executed_pipe_xu", {CLASS_SFU, CLASS_CVT}, 2},
             {"sm__inst_executed_pipe_lsu", {CLASS_LOAD, CLASS_STORE, CLASS_ATOMIC, CLASS_SHARED}, 4}};
#define PEAK_SHARE ".avg.pct_of_peak_sustained_"

bool unit_metric(const char *name, const LaunchSum *sum, const Gpu *g, double *percent)
{
    for (size_t p = 0; p < COUNT(pipes); p++) {
        const size_t n = strlen(pipes[p].name);
        const char *rest = name + n;
        if (strncmp(name, pipes[p].name, n)) continue;
        const bool active = !strcmp(rest, PEAK_SHARE "active");
        if (!active && strcmp(rest, PEAK_SHARE "elapsed") != 0) continue;
        if (!sum) return true;
        Units u;
        double share = 0;
        units_find(sum, g, &u);
        for (size_t k = 0; k < pipes[p].n; k++) share += u.share[pipes[p].of[k]];
        const double all = (double)sum->count[C_CYCLES] * g->sms, some = (double)sum->count[C_SM_CYCLES];
        if (active) share = some > 0 ? share * all / some : 0;
        *percent = 100 * MIN(share, 1.0);
        return true;
    }
    return false;
}

size_t unit_metrics(const char **names, size_t most)
{
    static const char *const both[] = {
#define BOTH(name) name PEAK_SHARE "active", name PEAK_SHARE "elapsed"
        BOTH("sm__pipe_fma_cycles_active"),    BOTH("sm__pipe_alu_cycles_active"), BOTH("sm__pipe_fp64_cycles_active"),
        BOTH("sm__pipe_tensor_cycles_active"), BOTH("sm__inst_executed_pipe_xu"),  BOTH("sm__inst_executed_pipe_lsu")};
#undef BOTH
    _Static_assert(COUNT(both) == 2 * COUNT(pipes), "each pipe has two names");
    size_t n = 0;
    for (; n < COUNT(both) && n < most; n++) names[n] = both[n];
    return n;
}
