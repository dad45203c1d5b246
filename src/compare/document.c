// document.c: makes a version of the JSON that onchip run writes (doc/reference/json.md). The document may be a
// stranger's: each value is looked at before it is used, and what is wrong is told with its place. Fields that aren't
// known are passed over, and so are counters of other versions of onchip.
#include "compare/unit.h"

#include <math.h>
#include <string.h>

enum { SCHEMA = 2 };

typedef struct Doc {
    const JsonDocument *json;
    Version *v;
    Map counters;  // names to places
    Diag *diag;
} Doc;

static bool wrong(const Doc *d, const JsonNode *at, const char *what)
{
    return diag_at(d->diag, &d->json->source, at->at, "onchip run --json writes such a file (doc/reference/json.md)",
                   "%s", what);
}

static bool want(const Doc *d, const JsonNode *n, JsonKind kind, const char *name)
{
    static const char *const kinds[] = {
        [JSON_NUMBER] = "a number", [JSON_TEXT] = "a text", [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object"};
    if (n->kind == kind) return true;
    Text t = {0};
    text_printf(&t, "%s must be %s", name, kinds[kind]);
    wrong(d, n, t.v);
    text_free(&t);
    return false;
}

// A field, or null where it is missing and the diag has no error, or where it has another kind and the diag has one.
static const JsonNode *field(const Doc *d, const JsonNode *of, const char *name, JsonKind kind)
{
    const JsonNode *n = json_member(of, name);
    return n && want(d, n, kind, name) ? n : NULL;
}

static const JsonNode *needed(const Doc *d, const JsonNode *of, const char *name, JsonKind kind)
{
    const JsonNode *n = field(d, of, name, kind);
    if (n || d->diag->failed) return n;
    Text t = {0};
    text_printf(&t, "this object has no %s", name);
    wrong(d, of, t.v);
    text_free(&t);
    return NULL;
}

static const char *text_of(const Doc *d, const JsonNode *of, const char *name)
{
    const JsonNode *n = field(d, of, name, JSON_TEXT);
    return n ? n->text : "";
}

static bool truth(const JsonNode *of, const char *name)
{
    const JsonNode *n = json_member(of, name);
    return n && n->kind == JSON_TRUE;
}

static double number(const JsonNode *of, const char *name)
{
    const JsonNode *n = json_member(of, name);
    return n && n->kind == JSON_NUMBER ? n->number : NAN;
}

// A count that may be missing: then it is 0.
static bool add_count(const Doc *d, const JsonNode *of, const char *name, uint64_t *sum)
{
    const JsonNode *n = field(d, of, name, JSON_NUMBER);
    if (!n) return !d->diag->failed;
    if (!n->is_whole) return wrong(d, n, "a count is a whole number from 0 to 18446744073709551615");
    *sum = most_plus(*sum, n->whole);
    return true;
}

static bool add_counters(const Doc *d, const JsonNode *of, uint64_t *count, bool *there)
{
    for (const JsonNode *n = of->first; n; n = n->next) {
        int64_t at;
        if (!map_get(&d->counters, n->key, strlen(n->key), &at)) continue;
        if (n->kind != JSON_NUMBER || !n->is_whole)
            return wrong(d, n, "a counter is a whole number from 0 to 18446744073709551615");
        count[at] = most_plus(count[at], n->whole), there[at] = true;
    }
    return true;
}

static bool add_arrays(const Doc *d, const JsonNode *launch, VersionKernel *k)
{
    const JsonNode *all = field(d, launch, "structures", JSON_ARRAY);
    for (const JsonNode *n = all ? all->first : NULL; n; n = n->next) {
        if (!want(d, n, JSON_OBJECT, "a data structure")) return false;
        const JsonNode *name = needed(d, n, "name", JSON_TEXT);
        if (!name) return false;
        VersionArray *a = version_array(d->v, k, name->text);
        if (!a) return wrong(d, n, "more data structures than any kernel has");
        if (!add_count(d, n, "loads", &a->accesses) || !add_count(d, n, "stores", &a->accesses) ||
            !add_count(d, n, "atomics", &a->accesses) || !add_count(d, n, "sectors", &a->sectors) ||
            !add_count(d, n, "l1_accesses", &a->l1_accesses) || !add_count(d, n, "l1_hits", &a->l1_hits) ||
            !add_count(d, n, "dram_bytes", &a->dram_bytes))
            return false;
    }
    return !d->diag->failed;
}

static bool add_lines(const Doc *d, const JsonNode *launch, VersionKernel *k)
{
    const JsonNode *all = field(d, launch, "lines", JSON_ARRAY);
    for (const JsonNode *n = all ? all->first : NULL; n; n = n->next) {
        if (!want(d, n, JSON_OBJECT, "a line")) return false;
        const bool within = json_member(n, "at_file") != NULL;
        const JsonNode *file = needed(d, n, within ? "at_file" : "file", JSON_TEXT);
        uint64_t line = 0;
        if (!file || !add_count(d, n, within ? "at_line" : "line", &line)) return false;
        VersionLine *l = version_line(d->v, k, file->text, line);
        if (!l) return wrong(d, n, "more lines than any kernel has");
        if (!within && *text_of(d, n, "text")) l->text = version_text(d->v, text_of(d, n, "text"));
        if (!add_count(d, n, "issued", &l->issued) || !add_count(d, n, "stall_slots", &l->stalls)) return false;
    }
    return !d->diag->failed;
}

// How long it took: by its cycles and the clock, or else from its start to its end.
static bool find_time(const Doc *d, const JsonNode *launch, double *seconds)
{
    *seconds = number(json_member(launch, "rates"), "seconds");
    if (!(*seconds >= 0)) *seconds = number(launch, "end_seconds") - number(launch, "start_seconds");
    return *seconds >= 0 || wrong(d, launch, "this launch has no time: neither rates.seconds nor end_seconds");
}

static bool add_launch(const Doc *d, const JsonNode *launch)
{
    if (!want(d, launch, JSON_OBJECT, "a launch")) return false;
    const JsonNode *name = needed(d, launch, "name", JSON_TEXT);
    const JsonNode *counters = name ? needed(d, launch, "counters", JSON_OBJECT) : NULL;
    uint64_t count[C_COUNT] = {0};
    bool there[C_COUNT] = {false};
    double seconds = 0;
    const bool timed = !truth(launch, "functional");
    if (!counters || !add_counters(d, counters, count, there) || (timed && !find_time(d, launch, &seconds)))
        return false;
    const JsonNode *rates = json_member(launch, "rates"), *peaks = json_member(launch, "peaks");
    VersionKernel *k = version_kernel(d->v, name->text, timed);
    if (!k) return wrong(d, launch, "more kernels than any program has");
    if (timed) version_gpu(d->v, count, seconds, number(rates, "occupancy"), number(peaks, "dram"));
    k->launches++, k->seconds += seconds, k->partial |= truth(launch, "partial");
    for (int c = 0; c < C_COUNT; c++) k->count[c] = most_plus(k->count[c], count[c]), k->lacks[c] |= !there[c];
    const char *limited = text_of(d, launch, "limited_by");
    if (*limited && (!k->limited || count[C_CYCLES] > k->longest))
        k->limited = version_text(d->v, limited), k->longest = count[C_CYCLES];
    return !d->diag->failed && add_arrays(d, launch, k) && add_lines(d, launch, k);
}

static bool read_top(const Doc *d, const JsonNode *top)
{
    Version *v = d->v;
    if (!want(d, top, JSON_OBJECT, "the document")) return false;
    const JsonNode *kernels = needed(d, top, "kernels", JSON_ARRAY), *schema = field(d, top, "schema", JSON_NUMBER);
    if (!kernels || d->diag->failed) return false;
    if (!schema || schema->number != SCHEMA) return wrong(d, schema ? schema : top, "its schema isn't 2");
    if (json_member(top, "error"))
        return diag_error(d->diag, "%s is of a run that failed: %s", d->json->source.name,
                          version_text(v, text_of(d, top, "error")));
    uint64_t model = 0;
    if (!add_count(d, top, "model", &model)) return false;
    v->model = (int64_t)MIN(model, INT32_MAX);
    const char *parameters = text_of(d, top, "parameters"), *gpu = text_of(d, top, "gpu");
    Text about = {0};
    text_printf(&about, "%s%s%s", text_of(d, top, "program"), *parameters ? " " : "", parameters);
    if (*gpu) text_printf(&about, "  on %s", gpu);
    v->about = version_text(v, about.v);
    text_free(&about);
    for (const JsonNode *n = kernels->first; n && !d->diag->failed; n = n->next) add_launch(d, n);
    return !d->diag->failed;
}

bool version_document(Version *v, const char *name, const char *text, size_t size, Diag *diag)
{
    JsonDocument json;
    Doc d = {.json = &json, .v = v, .diag = diag};
    for (int c = 0; c < C_COUNT; c++) map_put(&d.counters, counter_info[c].name, strlen(counter_info[c].name), c);
    bool ok = json_read(&json, name, text, size, diag) && read_top(&d, json.nodes);
    if (ok) version_sum(v);
    json_close_document(&json);
    map_free(&d.counters);
    return ok;
}
