// measure.c: the measurements that a cell of the verb probe can run. Each one calls src/probe on the cell's GPU and
// puts what was found into findings, which are stored by name. What couldn't be measured is a finding, too: its text is
// the reason. A new measurement is a function and a row of the table.
#include "work/stream.h"

#include "probe/probe.h"

#include <math.h>
#include <string.h>

// --- findings --------------------------------------------------------------------------------------------------------
// The first finding of a name stays: where two curves of a measurement cross, both have the point.
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
static void put_text(Findings *f, const char *name, const char *place, const char *text)
{
    add(f, name, place, 0, text);
}
void findings_put(Findings *f, const char *name, const char *place, double value) { put(f, name, place, value); }
void findings_put_text(Findings *f, const char *name, const char *place, const char *text)
{
    put_text(f, name, place, text);
}

// Puts the value, and its confidence interval as NAME.low and NAME.high.
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

// --- measurements ----------------------------------------------------------------------------------------------------
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

// Accesses of shared memory aren't coalesced, so that their places have no ways.
static void put_ways(Text *place, const FlowCurve *c)
{
    static const char *const memories[] = {[FLOW_L2] = "l2", [FLOW_DRAM] = "dram", [FLOW_SHARED] = "shared"};
    place->n = 0;
    text_printf(place, "memory=%s", memories[c->kind]);
    if (c->kind != FLOW_SHARED) text_printf(place, " ways=%u", c->ways);
}

static void put_curve(Findings *f, const FlowCurve *c)
{
    static const char *const limits[] = {
        [LIMIT_UNKNOWN] = "unknown", [LIMIT_THREADS] = "threads", [LIMIT_SM] = "SM", [LIMIT_MEMORY] = "memory"};
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
    text_printf(&place, c->along_blocks ? " threads=%u" : " blocks=%u",
                c->along_blocks ? c->points[0].threads : c->points[0].blocks);
    put_value(f, c->along_blocks ? "throughput.saturation_blocks" : "throughput.saturation_threads", place.v,
              c->knee.at);
    put_value(f, "throughput.peak_gbs", place.v, c->knee.peak);
    text_printf(&limit, "%s: %s", limits[c->limit], c->why ? c->why : "");
    put_text(f, "throughput.limit", place.v, limit.v);
    text_free(&place), text_free(&limit);
}

static bool measure_throughput(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    Throughput t;
    bool ok = throughput_measure(device, params[0], NULL, &t, diag);
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
        if (!hits_measure(device, (HitKind)kind, NULL, &c, diag)) return false;
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

// Puts the value; where a part of the probe found none and says why, the reason.
static void put_found(Findings *f, const char *name, const char *place, Value v, const char *why)
{
    if (v.verdict == ABSENT && !v.why) v.why = why;
    put_value(f, name, place, v);
}

// Puts what was found of a cache or a TLB; what: "cache" or "tlb".
static void put_structure(Findings *f, const char *what, const char *place, const Found *c, const char *why)
{
    const struct {
        const char *name;
        Value value;
    } all[] = {{"size_bytes", c->size},
               {"line_bytes", c->line},
               {"fill_bytes", c->fill},
               {"entry_count", c->entries},
               {"set_count", c->sets}};
    const Shape *s = &c->shape;
    const bool shaped = c->index.verdict == MEASURED, ruled = c->rule.verdict == MEASURED;
    Value least = c->index, most = c->index, lru = c->rule;
    char name[64];
    for (size_t k = 0; k < COUNT(all); k++) {
        snprintf(name, sizeof name, "%s.%s", what, all[k].name);
        put_found(f, name, place, all[k].value, why);
    }
    for (uint32_t k = 0; shaped && k < s->sets; k++) {
        if (!k || s->ways[k] < least.value) least = counted(s->ways[k]);
        if (!k || s->ways[k] > most.value) most = counted(s->ways[k]);
    }
    snprintf(name, sizeof name, "%s.least_ways", what), put_found(f, name, place, least, why);
    snprintf(name, sizeof name, "%s.most_ways", what), put_found(f, name, place, most, why);
    if (ruled)
        lru = c->rule.value == RULE_ANY ? undetermined("one way: there is nothing to choose")
                                        : counted(c->rule.value == RULE_LRU);
    snprintf(name, sizeof name, "%s.lru", what), put_found(f, name, place, lru, why);
    if (!ruled) return;
    snprintf(name, sizeof name, "%s.policy", what), put_text(f, name, place, rule_name((Rule)c->rule.value));
}

// Puts the set of each of the first lines, by the address of its first byte; and which address bits choose the set, if
// a bit field does (mei Fig. 12).
static void put_sets(Findings *f, const char *cache, const Found *c)
{
    enum { LINES = 32 };
    const Shape *s = &c->shape;
    Value low = c->index, high = c->index;
    Text place = {0};
    if (c->index.verdict == MEASURED) {
        const bool field = s->form == FORM_MODULO && !(s->sets & (s->sets - 1));
        const uint64_t line = (uint64_t)c->line.value;
        low = high = undetermined("no field of address bits chooses the set");
        if (field) low = counted(shape_low_bit(s, line)), high = counted(low.value + log2(s->sets) - 1);
        for (uint64_t k = 0; k < LINES; k++) {
            place.n = 0;
            text_printf(&place, "cache=%s byte=%llu", cache, (unsigned long long)(k * line));
            put(f, "cache.set", place.v, shape_set(s, k));
        }
    }
    place.n = 0;
    text_printf(&place, "cache=%s", cache);
    put_value(f, "cache.low_bit", place.v, low), put_value(f, "cache.high_bit", place.v, high);
    text_free(&place);
}

static void put_cache(Findings *f, const char *cache, const Found *c, const MissCurve *misses, const char *why)
{
    Text place = {0};
    text_printf(&place, "cache=%s", cache);
    put_structure(f, "cache", place.v, c, why);
    put_found(f, "cache.hit_cycles", place.v, c->low, why);
    put_found(f, "cache.miss_cycles", place.v, c->high, why);
    put_sets(f, cache, c);
    for (size_t k = 0; k < COUNT(c->weight) && c->weight[k].verdict == MEASURED; k++) {
        place.n = 0;
        text_printf(&place, "cache=%s way=%zu", cache, k + 1);
        put_value(f, "cache.weight", place.v, c->weight[k]);
    }
    for (size_t k = 0; k < misses->n; k++) {
        place.n = 0;
        text_printf(&place, "cache=%s kb=", cache);
        text_number(&place, (double)misses->point[k].bytes / 1024);
        put(f, "cache.miss_rate", place.v, misses->point[k].misses);
    }
    text_free(&place);
}

static void put_l2(Findings *f, const FoundL2 *c, const char *why)
{
    put_found(f, "cache.size_bytes", "cache=l2", c->size, why);
    put_found(f, "cache.line_bytes", "cache=l2", c->line, why);
    put_found(f, "cache.fill_bytes", "cache=l2", c->fill, why);
    put_found(f, "cache.hit_cycles", "cache=l2", c->hit, why);
    put_found(f, "cache.miss_cycles", "cache=l2", c->miss, why);
}

static void put_tlb(Findings *f, const Probe *p, int level)
{
    const MissCurve *misses = &p->tlb_misses[level];
    const char *why = p->part[PART_TLB].why;
    const double page = p->tlbs.page.value;
    Text place = {0};
    text_printf(&place, "level=%d", level + 1);
    put_structure(f, "tlb", place.v, &p->tlbs.level[level], why);
    put_found(f, "tlb.penalty_cycles", place.v, level ? p->tlbs.walk : p->tlbs.late, why);
    for (size_t k = 0; k < misses->n; k++) {
        const double pages = (double)misses->point[k].bytes / page;
        place.n = 0;
        text_printf(&place, "level=%d mb=", level + 1);
        text_number(&place, (double)misses->point[k].bytes / (1 << 20));
        put(f, "tlb.miss_rate", place.v, misses->point[k].misses);
        put(f, "tlb.missed_pages", place.v, misses->point[k].misses * pages);
        put(f, "tlb.page_count", place.v, pages);
    }
    text_free(&place);
}

static void put_tlbs(Findings *f, const Probe *p)
{
    const char *why = p->part[PART_TLB].why;
    for (int level = 0; level < 2; level++) put_tlb(f, p, level);
    put_found(f, "tlb.page_bytes", "", p->tlbs.page, why);
    put_found(f, "tlb.window_bytes", "", p->window, why);
    put_found(f, "tlb.switching_cycles", "", p->switching, why);
}

// Puts every pattern of every kind of load, so that a table can also name those that a GPU lacks.
static void put_spectra(Findings *f, const Probe *p)
{
    static const char *const finds[] = {"cache", "l2", "l2_late", "l2_walk", "dram", "dram_walk", "dram_switch"};
    static const struct {
        ChaseKind kind;
        const char *name;
    } loads[] = {{CHASE_GLOBAL, "global"}, {CHASE_L2, "past_l1"}, {CHASE_TEXTURE, "texture"}};
    char place[64];
    for (size_t l = 0; l < COUNT(loads); l++) {
        const Spectrum *s = NULL;
        for (size_t k = 0; k < p->spectra; k++)
            if (p->spectrum[k].kind == loads[l].kind) s = &p->spectrum[k];
        for (int k = 0; k < PATTERN_KINDS; k++) {
            snprintf(place, sizeof place, "load=%s finds=%s", loads[l].name, finds[k]);
            put_found(f, "load.latency_cycles", place, s ? s->pattern[k] : (Value){.verdict = ABSENT},
                      p->part[PART_SPECTRUM].why);
        }
    }
}

static bool probe_parts(oc_device *device, uint32_t parts, bool book, Probe *p, Diag *diag)
{
    const ProbeOptions options = {.parts = parts, .book = book};
    bool ok = probe_device(device, &options, p, diag);
    for (int k = 0; ok && k < PARTS; k++)
        if (p->part[k].state == PART_FAILED) ok = diag_error(diag, "%s: %s", part_info[k].name, p->part[k].why);
    return ok;
}

static void put_caches(Findings *f, const Probe *p, uint32_t parts)
{
    for (int k = 0; k < CACHES; k++)
        if (parts >> k & 1) put_cache(f, part_info[k].name, &p->cache[k], &p->misses[k], p->part[k].why);
}

static bool measure_caches(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    const uint32_t parts = (1u << CACHES) - 1;
    Probe p;
    (void)params;
    bool ok = probe_parts(device, parts, false, &p, diag);
    if (ok) put_caches(f, &p, parts);
    probe_free(&p);
    return ok;
}

// Latencies are told apart by the caches and TLBs that serve a load, so that these are measured first.
static bool measure_hierarchy(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    const uint32_t parts = 1u << PART_L1 | 1u << PART_TEXTURE | 1u << PART_L2 | 1u << PART_TLB | 1u << PART_SPECTRUM;
    Probe p;
    (void)params;
    bool ok = probe_parts(device, parts, false, &p, diag);
    if (ok) {
        put_caches(f, &p, parts);
        put_l2(f, &p.l2, p.part[PART_L2].why);
        put_tlbs(f, &p);
        put_spectra(f, &p);
    }
    probe_free(&p);
    return ok;
}

// Puts what the steps of mei §3.2 found of a cache, and the averages beside it.
static void put_book(Findings *f, const char *cache, const Book *b)
{
    const struct {
        const char *name;
        Value value;
    } all[] = {{"book.size_bytes", b->step[BOOK_SIZE]}, {"book.line_bytes", b->step[BOOK_LINE]},
               {"book.set_count", b->step[BOOK_SETS]},  {"book.way_count", b->ways},
               {"book.lru", b->step[BOOK_POLICY]},      {"book.line_by_strides", b->saavedra},
               {"book.line_by_sizes", b->wong},         {"book.sets_by_sizes", b->wong_sets}};
    Text place = {0};
    text_printf(&place, "cache=%s", cache);
    for (size_t k = 0; k < COUNT(all); k++)
        put_found(f, all[k].name, place.v, all[k].value, "the latencies of its hits and misses aren't known");
    for (size_t k = 0; k < b->points.n; k++) {
        place.n = 0;
        text_printf(&place, "cache=%s bytes=%llu", cache, (unsigned long long)b->points.v[k].bytes);
        put(f, "book.missed_lines", place.v, (double)b->points.v[k].missed);
        put(f, "book.mean_cycles", place.v, b->points.v[k].mean);
    }
    for (uint32_t k = 0; k < b->strides; k++) {
        place.n = 0;
        text_printf(&place, "cache=%s stride=%llu", cache, (unsigned long long)b->word << k);
        put(f, "book.stride_cycles", place.v, b->stride_mean[k]);
    }
    text_free(&place);
}

static const char *const book_caches[] = {"l1", "readonly", "texture", "constant", "local", NULL};
static bool measure_book(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    const Part part = (Part)params[0];
    Probe p;
    bool ok = probe_parts(device, 1u << part, true, &p, diag);
    if (ok) {
        put_cache(f, part_info[part].name, &p.cache[part], &p.misses[part], p.part[part].why);
        put_book(f, part_info[part].name, &p.book[part]);
    }
    probe_free(&p);
    return ok;
}

static const Measurement measurements[] = {
    {"shared", 1, measure_shared, {{.name = NULL}}},
    {"ops", 1, measure_ops, {{.name = NULL}}},
    {"throughput", 1, measure_throughput, {{"scale", 1, 0.25, 1, NULL}}},
    {"hits", 1, measure_hits, {{.name = NULL}}},
    {"caches", 2, measure_caches, {{.name = NULL}}},
    {"hierarchy", 2, measure_hierarchy, {{.name = NULL}}},
    {"book", 1, measure_book, {{"cache", PART_TEXTURE, 0, 0, book_caches}, {.name = NULL}}},
    {"bigkernel",
     2,
     measure_bigkernel,
     {[STREAM_APP] = {"app", 0, 0, 0, stream_names},
      [STREAM_SCENARIO] = {"scenario", SCENARIO_BIGKERNEL, 0, 0, scenario_names},
      [STREAM_BYTES] = {"bytes", 8 << 20, 1024, 1 << 30, NULL},
      [STREAM_CHUNK] = {"chunk", 1 << 20, 1024, 1 << 28, NULL},
      [STREAM_BLOCKS] = {"blocks", 15, 1, 65535, NULL},
      [STREAM_THREADS] = {"threads", 128, 32, 1024, NULL},
      [STREAM_BUFFERS] = {"buffers", 5, 1, 64, NULL},
      [STREAM_UNIT] = {"unit", 0, 0, 128, NULL},
      [STREAM_THRESHOLD] = {"threshold", 300, 1, 1 << 30, NULL},
      {.name = NULL}}},
};

// --- finding one -----------------------------------------------------------------------------------------------------
const Measurement *measurement_find(const char *name)
{
    for (size_t k = 0; k < COUNT(measurements); k++)
        if (!strcmp(measurements[k].name, name)) return &measurements[k];
    return NULL;
}

bool measurement_unknown(const char *name, Diag *diag)
{
    Text all = {0};
    const char *names[COUNT(measurements)];
    for (size_t k = 0; k < COUNT(measurements); k++)
        names[k] = measurements[k].name, text_printf(&all, "%s%s", k ? ", " : "", names[k]);
    char hint[100];
    did_you_mean(name, names, COUNT(names), hint);
    diag_error(diag, "no measurement '%s'%s%s %s", name, hint, *hint ? " There are" : "; there are", all.v);
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
    diag_error(diag, "%s has no parameter '%.*s'; it has: %s", m->name, (int)strcspn(given, "="), given,
               all.n ? all.v : "none");
    text_free(&all);
    return false;
}

// Reads a parameter's value from a cell's text: a name, a number, or a count of bytes. False: it is none that the
// parameter can have; expected says which it can.
static bool param_value(const MeasureParam *p, const char *text, double *v, Text *expected)
{
    uint64_t bytes;
    for (int k = 0; p->names && p->names[k]; k++) {
        if (text && !strcmp(text, p->names[k])) return *v = k, true;
        text_printf(expected, "%s%s", k ? ", " : "one of ", p->names[k]);
    }
    if (p->names) return false;
    text_printf(expected, "a number from %.10g to %.10g", p->min, p->max);
    if (!text) return false;
    if (!parse_double(text, v)) {
        if (!parse_size(text, &bytes)) return false;
        *v = (double)bytes;
    }
    return *v >= p->min && *v <= p->max;
}

bool measurement_params(const Measurement *m, const char *const *given, double values[MEASURE_PARAMS], Text *params,
                        const char **wrong, Diag *diag)
{
    for (int k = 0; m->params[k].name; k++) values[k] = m->params[k].otherwise;
    for (; given && *given; given++) {
        const MeasureParam *p = param_of(m, *given);
        double v;
        *wrong = *given;
        if (!p) return no_param(m, *given, diag);
        const char *equals = strchr(*given, '=');
        Text expected = {0};
        bool ok = param_value(p, equals ? equals + 1 : NULL, &v, &expected);
        if (!ok) diag_error(diag, "%s: %s is refused: %s is expected", m->name, *given, expected.v);
        text_free(&expected);
        if (!ok) return false;
        values[p - m->params] = v;
    }
    text_put(params, "");
    for (int k = 0; m->params[k].name; k++) {
        text_printf(params, "%s%s=", k ? " " : "", m->params[k].name);
        if (m->params[k].names)
            text_put(params, m->params[k].names[(int)values[k]]);
        else
            text_number(params, values[k]);
    }
    return true;
}
