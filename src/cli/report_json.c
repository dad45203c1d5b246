// report_json.c: a run as JSON: an object for each launch, with every counter. doc/reference/json.md describes the
// schema. Its version goes up when a field is removed or changes its meaning. A field's name isn't a counter's label:
// it stays.
#include "cli/report.h"
#include "exec/code.h"
#include "names/names.h"

#include <math.h>
#include <string.h>

enum { JSON_VERSION = 2 };

static void shape(const char *name, const uint32_t of[3], Json *j)
{
    json_open(j, name, '[');
    for (int k = 0; k < 3; k++) json_uint(j, NULL, of[k]);
    json_close(j, ']');
}

static void interval(const char *name, Interval i, Json *j)
{
    json_open(j, name, '{');
    json_double(j, "low", MAX(i.low, 0)), json_double(j, "high", i.high);
    json_close(j, '}');
}

// --- the rows of a launch --------------------------------------------------------------------------------------------
static void begin_launch(const ReportLaunch *l)
{
    const Record *r = l->record;
    Json *j = l->run->json;
    Text demangled = {0};
    json_open(j, NULL, '{');
    json_string(j, "name", r->kernel);
    if (demangle(r->kernel, NAME_FULL, &demangled)) json_string(j, "demangled", demangled.v);
    text_free(&demangled);
    json_bool(j, "functional", r->functional);
    json_bool(j, "partial", r->partial);
}

static void end_launch(const ReportLaunch *l) { json_close(l->run->json, '}'); }

static void sampled(const ReportLaunch *l)
{
    const Record *r = l->record;
    const Sampled *s = r->sampled;
    Json *j = l->run->json;
    json_open(j, "sampled", '{');
    json_bool(j, "timed", s->launches_timed);
    json_uint(j, "blocks", s->blocks), json_uint(j, "blocks_timed", s->blocks_timed);
    json_open(j, "counters", '{');
    for (int k = 0; k < C_COUNT; k++) interval(counter_info[k].name, sampled_counter(s, r->count, (Counter)k), j);
    json_close(j, '}');
    json_open(j, "rates", '{');
    for (size_t k = 0; k < RATES; k++)
        interval(rates[k].name, sampled_interval(s, r->count, l->run->gpu, rates[k].value), j);
    json_close(j, '}');
    json_close(j, '}');
}

static void undefined(const ReportLaunch *l) { json_string(l->run->json, "undefined_shuffle", l->record->undefined); }

static void overread(const ReportLaunch *l)
{
    json_uint(l->run->json, "overreads", l->record->overreads);
    json_string(l->run->json, "overread", l->record->overread);
}

static void summary(const ReportLaunch *l)
{
    const Record *r = l->record;
    Json *j = l->run->json;
    shape("grid", r->info.grid, j);
    shape("block", r->info.block, j);
    json_uint(j, "dynamic_shared", r->info.dynamic_shared);
    json_uint(j, "cycles", r->count[C_CYCLES]);
    json_uint(j, "warp_instructions", r->count[C_WARP_INSTS]);
    json_uint(j, "thread_instructions", r->count[C_THREAD_INSTS]);
    json_double(j, "ipc", rate_of(R_IPC, r->count, l->run->gpu));
    json_double(j, "l1_hit_rate", rate_of(R_L1_HIT_RATE, r->count, l->run->gpu));
    json_double(j, "start_seconds", r->start);
    json_double(j, "end_seconds", r->end);
    json_uint(j, "occupancy_blocks", r->occupancy_blocks);
    json_uint(j, "occupancy_warps", r->occupancy_warps);
    json_string(j, "occupancy_limit", r->occupancy_limit ? r->occupancy_limit : "");
    if (l->sum->code) json_uint(j, "registers", l->sum->code->registers);
}

static void counters(const ReportLaunch *l)
{
    OwnCounter own;
    Json *j = l->run->json;
    json_open(j, "counters", '{');
    for (int k = 0; k < C_COUNT; k++) json_uint(j, counter_info[k].name, l->record->count[k]);
    for (size_t k = 0; gpu_own(l->run->gpu, k, &own); k++) json_uint(j, own.name, l->record->own[own.at]);
    json_close(j, '}');
    json_open(j, "rates", '{');
    for (size_t k = 0; k < RATES; k++) json_double(j, rates[k].name, rates[k].value(l->record->count, l->run->gpu));
    json_close(j, '}');
}

static void limits(const ReportLaunch *l)
{
    static const char *const names[PEAKS] = {"issue", "l1", "shared", "link", "l2", "dram"};
    Json *j = l->run->json;
    double peak[ALL_PEAKS];
    Text t = {0};
    Units u;
    limits_say(l->sum, l->run->gpu, &t);
    units_find(l->sum, l->run->gpu, &u);
    json_open(j, "units", '{');
    for (int k = 0; k < CLASS_COUNT; k++)
        if (unit_name(k)) json_double(j, unit_name(k), u.share[k]);
    json_close(j, '}');
    json_open(j, "flops", '{');
    for (int k = 0; k < FLOPS; k++) json_double(j, flops_name(k), u.flops[k]);
    json_close(j, '}');
    json_string(j, "limited_by", t.v);
    find_peaks(l->sum->count, l->run->gpu, peak);
    json_open(j, "peaks", '{');
    for (int k = 0; k < PEAKS; k++) json_double(j, names[k], peak[k]);
    json_close(j, '}');
    text_free(&t);
}

static void expected(const ReportLaunch *l)
{
    Json *j = l->run->json;
    double peak[ALL_PEAKS];
    Expected e;
    Text t = {0};
    find_peaks(l->record->count, l->run->gpu, peak);
    expect_find(l->record->count, peak, l->run->gpu->name, &e);
    expect_words(&e, &t);
    json_open(j, "expected", '{');
    json_string(j, "class", e.class);
    json_uint(j, "launches", e.launches);
    if (e.launches) json_double(j, "within", e.within);
    json_string(j, "says", t.v);
    json_close(j, '}');
    text_free(&t);
}

// The relative standard error of a share of the sampled loads can't be larger.
static double most_error(uint64_t loads) { return loads ? 0.5 / sqrt((double)loads) : 1; }

static void why(const LaunchSum *sum, const SumStructure *s, Json *j)
{
    static const char *const classes[WHY_CLASSES] = {[WHY_FIRST] = "first_touch",
                                                     [WHY_CAPACITY] = "capacity",
                                                     [WHY_CONFLICT] = "conflict",
                                                     [WHY_DROPPED] = "dropped"};
    static const char *const shadows[WHY_SHADOWS] = {[WHY_FULL] = "fully_associative",
                                                     [WHY_TWICE] = "twice",
                                                     [WHY_FOUR] = "four_times",
                                                     [WHY_HASHED] = "hashed",
                                                     [WHY_ALONE] = "alone"};
    const WhyStat *w = &s->why;
    json_open(j, "why", '{');
    json_uint(j, "loads", w->reads);
    json_uint(j, "served", w->served);
    for (int k = 0; k < WHY_CLASSES; k++) json_double(j, classes[k], why_missed(w, (WhyClass)k));
    json_open(j, "served_by", '{');
    for (int k = 0; k < WHY_SHADOWS; k++)
        if (sum->why.can[k]) json_uint(j, shadows[k], w->shadow[k]);
    json_close(j, '}');
    json_open(j, "evicted_by", '{');
    for (size_t k = 0; k < s->evicted.n; k++)
        if (s->evicted.v[k]) json_uint(j, sum->structures.v[k].name, s->evicted.v[k]);
    json_close(j, '}');
    json_open(j, "reuse", '[');
    for (int k = 0; k < WHY_DISTANCES; k++) json_uint(j, NULL, w->reuse[k]);
    json_close(j, ']');
    json_double(j, "reuse_error", most_error(w->sampled));
    json_close(j, '}');
}

static void structures(const ReportLaunch *l)
{
    const Record *r = l->record;
    const LaunchSum *sum = l->sum;
    Json *j = l->run->json;
    json_open(j, "structures", '[');
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        const StructStat *s = &r->structure[k];
        const char *name = r->structure_name[k] ? r->structure_name[k] : "?";
        if (!structure_used(r, k)) continue;
        json_open(j, NULL, '{');
        json_string(j, "name", name);
        json_uint(j, "loads", s->loads);
        json_uint(j, "stores", s->stores);
        json_uint(j, "atomics", s->atomics);
        json_uint(j, "transactions", s->transactions);
        json_uint(j, "sectors", s->sectors);
        json_uint(j, "l1_accesses", s->l1_accesses);
        json_uint(j, "l1_hits", s->l1_hits);
        json_uint(j, "dram_bytes", r->structure_dram[k]);
        json_uint(j, "l1_energy", r->structure_energy[k].l1);
        json_uint(j, "dram_energy", r->structure_energy[k].dram);
        for (size_t n = 0; (l->has & HAS_WHY) && n < sum->structures.n; n++)
            if (!strcmp(sum->structures.v[n].name, name)) why(sum, &sum->structures.v[n], j);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void finding(const Flaw *f, Json *j)
{
    json_open(j, NULL, '{');
    json_string(j, "kind", flaw_names[f->kind]);
    json_uint(j, "count", f->count);
    if (f->space) json_string(j, "space", f->space);
    if (f->name) {
        json_string(j, "structure", f->name);
        json_double(j, "offset", (double)(int64_t)f->offset);
        json_uint(j, "bytes", f->bytes);
    }
    json_string(j, "cure", f->cure);
    json_open(j, "places", '[');
    for (int n = 0; n < 2; n++) {
        const FlawSide *s = &f->side[n];
        if (!s->access) continue;
        json_open(j, NULL, '{');
        json_string(j, "access", s->access);
        json_string(j, "place", s->place);
        json_string(j, "instruction", s->inst);
        shape("block", s->block, j), shape("thread", s->thread, j);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void check(const ReportLaunch *l)
{
    const Record *r = l->record;
    Json *j = l->run->json;
    json_open(j, "findings", '[');
    for (size_t k = 0; k < r->flaws.n; k++) finding(&r->flaws.v[k], j);
    json_close(j, ']');
    if (r->unchecked) json_string(j, "unchecked", r->unchecked);
}

static void lines(const ReportLaunch *l)
{
    Json *j = l->run->json;
    LineStats all = {0};
    Text source = {0};
    const char *file = NULL;  // that source has
    lines_of(l->record->code, l->record->inst, &all);
    json_open(j, "lines", '[');
    for (size_t k = 0; k < all.n; k++) {
        const LineStat *line = &all.v[k];
        json_open(j, NULL, '{');
        json_string(j, "file", line->file);
        json_uint(j, "line", line->line);
        if (!file || strcmp(file, line->file)) {
            file = line->file;
            if (!source_of(l->record->code, file, &source)) source.n = 0;
        }
        char *text = source_line(&source, line->line);
        if (text && *text) json_string(j, "text", text);
        mem_free(text);
        json_uint(j, "issued", line->stat.issued);
        if (line->at_file) json_string(j, "at_file", line->at_file), json_uint(j, "at_line", line->at_line);
        json_uint(j, "stall_slots", line->stat.stalls + line->stat.queued);
        json_uint(j, "queue_slots", line->stat.queued);
        json_uint(j, "transactions", line->stat.transactions);
        json_uint(j, "sectors", line->stat.sectors);
        json_uint(j, "l1_accesses", line->stat.l1_accesses);
        json_uint(j, "l1_hits", line->stat.l1_hits);
        json_close(j, '}');
    }
    json_close(j, ']');
    vec_free(&all), text_free(&source);
}

static void series(const ReportLaunch *l)
{
    const Record *r = l->record;
    Json *j = l->run->json;
    json_open(j, "series", '{');
    for (int k = 0; k < C_COUNT; k++) {
        json_open(j, counter_info[k].name, '[');
        for (size_t s = 0; s * C_COUNT < r->samples.n; s++) json_uint(j, NULL, r->samples.v[s * C_COUNT + (size_t)k]);
        json_close(j, ']');
    }
    json_close(j, '}');
}

static void interference(const ReportLaunch *l)
{
    const Record *r = l->record;
    Json *j = l->run->json;
    json_open(j, "interference", '[');
    for (size_t k = 0; k < r->pairs.n; k++) {
        json_open(j, NULL, '{');
        json_uint(j, "warp", r->pairs.v[k].warp);
        json_uint(j, "by", r->pairs.v[k].by);
        json_uint(j, "misses", r->pairs.v[k].misses);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static const ReportRow rows[] = {
    {ALWAYS, begin_launch},
    {HAS_SAMPLED, sampled},
    {HAS_UNDEFINED, undefined},
    {HAS_OVERREAD, overread},
    {ALWAYS, summary},
    {ALWAYS, counters},
    {HAS_TIME, limits},
    {HAS_TIME, expected},
    {ALWAYS, structures},
    {HAS_CHECK, check},
    {WANTS_LINES, lines},
    {HAS_SERIES, series},
    {HAS_INTERFERENCE, interference},
    {ALWAYS, end_launch},
};

// --- the run ---------------------------------------------------------------------------------------------------------
static void begin(const ReportRun *r)
{
    const oc_device *d = r->device;
    const ReportInfo *info = r->info;
    Json *j = r->json;
    json_string(j, "onchip", ONCHIP_VERSION);
    json_int(j, "schema", JSON_VERSION);
    json_int(j, "model", MODEL_VERSION);
    json_string(j, "program", info->what);
    json_string(j, "parameters", info->params ? info->params : "");
    if (d) json_string(j, "gpu", r->gpu->name);
    if (info->checked) json_bool(j, "verified", info->verified);
    if (info->cap) json_uint(j, "cap", info->cap);
    if (info->error) json_string(j, "error", info->error);
    if (info->hint) json_string(j, "hint", info->hint);
    if (info->clock) json_string(j, "clock", info->clock);
    if (d) json_double(j, "wall_seconds", device_wall_seconds(d));
    if (d) json_uint(j, "device_bytes", device_bytes(d));
    double held = 0;
    uint64_t n = d ? device_held(d, &held) : 0;
    if (n) json_uint(j, "held_launches", n), json_double(j, "held_seconds", held);
    json_open(j, "kernels", '[');
}

static void end(const ReportRun *r) { json_close(r->json, ']'); }

void report_json(const oc_device *d, const ReportInfo *info, Json *j)
{
    static const ReportFormat json = {.each = true, .begin = begin, .rows = rows, .row_count = COUNT(rows), .end = end};
    report_walk(&json, &(ReportRun){.device = d, .info = info, .json = j});
}
