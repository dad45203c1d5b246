// measure.c: what a cell of the verb probe runs: a measurement of src/probe on its GPU. The results go to the store by name;
// what couldn't be measured is there as a text, the reason. A further measurement is a function and a row of the table.
#include "lab/lab.h"

#include "probe/probe.h"

#include <string.h>

// --- findings ---------------------------------------------------------------------------------------------------------------
// The first of a name stays: where two curves of a measurement cross, both have that point.
static void add(Findings *f, const char *name, const char *place, double value, const char *text)
{
    Text full = {0};
    int64_t before;
    text_printf(&full, *place ? "%s[%s]" : "%s", name, place);
    if (!map_get(&f->names, full.v, full.n, &before)) {
        map_put(&f->names, full.v, full.n, (int64_t)f->all.n);
        vec_push(&f->all, ((Finding){mem_text(full.v), text ? mem_text(text) : NULL, value}));
    }
    text_free(&full);
}

static void put(Findings *f, const char *name, const char *place, double value) { add(f, name, place, value, NULL); }
static void put_text(Findings *f, const char *name, const char *place, const char *text) { add(f, name, place, 0, text); }

// With its interval, as NAME.low and NAME.high.
static void put_value(Findings *f, const char *name, const char *place, Value v)
{
    char end[96];
    if (v.verdict != MEASURED) return put_text(f, name, place, v.why ? v.why : "absent");
    put(f, name, place, v.value);
    snprintf(end, sizeof end, "%s.low", name);
    put(f, end, place, v.low);
    snprintf(end, sizeof end, "%s.high", name);
    put(f, end, place, v.high);
}

void findings_free(Findings *f)
{
    for (size_t k = 0; k < f->all.n; k++) mem_free(f->all.v[k].name), mem_free(f->all.v[k].text);
    vec_free(&f->all);
    map_free(&f->names);
}

// --- measurements -----------------------------------------------------------------------------------------------------------
static void put_each(Findings *f, const char *name, const char *axis, uint32_t first, const double *values, size_t n)
{
    char place[32];
    for (size_t k = 0; k < n; k++) {
        snprintf(place, sizeof place, "%s=%zu", axis, first + k);
        put(f, name, place, values[k]);
    }
}

static bool measure_shared(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    SharedResult r;
    (void)params;
    if (!shared_measure(device, &r, diag)) return false;
    shared_infer(&r);
    put_each(f, "shared.stride_cycles", "stride", 0, r.stride, SHARED_STRIDES);
    put_each(f, "shared.pair_cycles", "word", 0, r.pair, SHARED_PAIRS);
    put_each(f, "shared.ways_cycles", "ways", 1, r.ways, SHARED_WAYS);
    put_value(f, "shared.latency_cycles", "", r.latency);
    put_value(f, "shared.conflict_cycles", "", r.conflict);
    put_value(f, "shared.bank_count", "", r.banks);
    put_value(f, "shared.width_bytes", "", r.width);
    put_value(f, "shared.mode_bytes", "", r.mode);
    put(f, "shared.residual_cycles", "", r.residual);
    put(f, "shared.unexplained_patterns", "", r.wrong);
    return true;
}

static bool measure_ops(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    OpTiming timing[OPS_KINDS];
    char place[32];
    (void)params;
    if (!ops_measure(device, timing, diag)) return false;
    for (int k = 0; k < OPS_KINDS; k++) {
        snprintf(place, sizeof place, "op=%s", timing[k].name);
        put_value(f, "ops.latency_cycles", place, timing[k].latency);
        put_value(f, "ops.threads_per_cycle", place, timing[k].rate);
    }
    return true;
}

// Words of shared memory have no coalescing.
static void put_ways(Text *place, const FlowCurve *c)
{
    static const char *const memories[] = {[FLOW_L2] = "l2", [FLOW_DRAM] = "dram", [FLOW_SHARED] = "shared"};
    place->n = 0;
    text_printf(place, "memory=%s", memories[c->kind]);
    if (c->kind != FLOW_SHARED) text_printf(place, " ways=%u", c->ways);
}

static void put_curve(Findings *f, const FlowCurve *c)
{
    static const char *const limits[] = {[LIMIT_UNKNOWN] = "unknown", [LIMIT_THREADS] = "threads", [LIMIT_SM] = "SM", [LIMIT_MEMORY] = "memory"};
    Text place = {0}, limit = {0};
    for (size_t k = 0; k < c->n; k++) {
        const FlowPoint *p = &c->points[k];
        put_ways(&place, c);
        text_printf(&place, " blocks=%u threads=%u", p->blocks, p->threads);
        if (p->why) {
            put_text(f, "throughput.moved_gbs", place.v, p->why);
            continue;
        }
        put(f, "throughput.moved_gbs", place.v, p->moved);
        put(f, "throughput.useful_gbs", place.v, p->useful);
    }
    put_ways(&place, c);
    text_printf(&place, c->along_blocks ? " threads=%u" : " blocks=%u", c->along_blocks ? c->points[0].threads : c->points[0].blocks);
    put_value(f, c->along_blocks ? "throughput.saturation_blocks" : "throughput.saturation_threads", place.v, c->knee.at);
    put_value(f, "throughput.peak_gbs", place.v, c->knee.peak);
    text_printf(&limit, "%s: %s", limits[c->limit], c->why ? c->why : "");
    put_text(f, "throughput.limit", place.v, limit.v);
    text_free(&place), text_free(&limit);
}

static bool measure_throughput(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    Throughput t;
    bool ok = throughput_measure(device, params[0], &t, diag);
    for (size_t k = 0; ok && k < t.curves.n; k++) put_curve(f, &t.curves.v[k]);
    throughput_free(&t);
    return ok;
}

static bool measure_hits(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    static const char *const caches[] = {[HITS_L1] = "l1", [HITS_READONLY] = "readonly", [HITS_TEXTURE] = "texture"};
    (void)params;
    for (int kind = 0; kind < (int)COUNT(caches); kind++) {
        HitCurve c;
        char place[64];
        if (!hits_measure(device, (HitKind)kind, &c, diag)) return false;
        snprintf(place, sizeof place, "cache=%s", caches[kind]);
        if (c.why) {
            put_text(f, "hits.rate", place, c.why);
            continue;
        }
        put_value(f, "hits.hit_cycles", place, c.hit);
        put_value(f, "hits.miss_cycles", place, c.miss);
        for (size_t k = 0; k < c.n; k++) {
            snprintf(place, sizeof place, "cache=%s threads=%u", caches[kind], c.points[k].threads);
            put_value(f, "hits.rate", place, c.points[k].rate);
        }
    }
    return true;
}

static const Measurement measurements[] = {
    {"shared", 1, measure_shared, {{NULL}}},
    {"ops", 1, measure_ops, {{NULL}}},
    {"throughput", 1, measure_throughput, {{"scale", 1, 0.25, 1}}},
    {"hits", 1, measure_hits, {{NULL}}},
};

// --- finding one ------------------------------------------------------------------------------------------------------------
const Measurement *measurement_find(const char *name)
{
    for (size_t k = 0; k < COUNT(measurements); k++)
        if (!strcmp(measurements[k].name, name)) return &measurements[k];
    return NULL;
}

bool measurement_unknown(const char *name, Diag *diag)
{
    Text all = {0};
    for (size_t k = 0; k < COUNT(measurements); k++) text_printf(&all, "%s%s", k ? ", " : "", measurements[k].name);
    diag_error(diag, "no measurement '%s'; there are: %s", name, all.v);
    text_free(&all);
    return false;
}

// The parameter that "name=value" is of; null: none.
static const MeasureParam *param_of(const Measurement *m, const char *given)
{
    for (const MeasureParam *p = m->params; p->name; p++)
        if (strlen(p->name) == strcspn(given, "=") && !strncmp(given, p->name, strlen(p->name))) return p;
    return NULL;
}

static bool no_param(const Measurement *m, const char *given, Diag *diag)
{
    Text all = {0};
    for (const MeasureParam *p = m->params; p->name; p++) text_printf(&all, "%s%s", p > m->params ? ", " : "", p->name);
    diag_error(diag, "%s has no parameter '%.*s'; it has: %s", m->name, (int)strcspn(given, "="), given, all.n ? all.v : "none");
    text_free(&all);
    return false;
}

bool measurement_params(const Measurement *m, const char *const *given, double values[MEASURE_PARAMS], Text *params, const char **wrong, Diag *diag)
{
    for (int k = 0; m->params[k].name; k++) values[k] = m->params[k].otherwise;
    for (; given && *given; given++) {
        const MeasureParam *p = param_of(m, *given);
        double v;
        *wrong = *given;
        if (!p) return no_param(m, *given, diag);
        const char *equals = strchr(*given, '=');
        if (!equals || !parse_double(equals + 1, &v) || !(v >= p->min && v <= p->max))
            return diag_error(diag, "%s: %s is refused: a number from %g to %g is expected", m->name, *given, p->min, p->max);
        values[p - m->params] = v;
    }
    text_put(params, "");
    for (int k = 0; m->params[k].name; k++) {
        text_printf(params, "%s%s=", k ? " " : "", m->params[k].name);
        text_number(params, values[k]);
    }
    return true;
}
