// compare_json.c: what has changed between two versions, as JSON (doc/reference/json.md). Pairs of values are arrays of
// two, the old one first; null: that version has none.
#include "cli/compare.h"

#include <math.h>
#include <string.h>

static void put_two(Json *j, const char *key, double a, double b)
{
    json_open(j, key, '[');
    json_double(j, NULL, a), json_double(j, NULL, b);
    json_close(j, ']');
}

static void put_counts(Json *j, const char *key, const uint64_t *a, const uint64_t *b)
{
    json_open(j, key, '[');
    a ? json_uint(j, NULL, *a) : json_double(j, NULL, NAN);
    b ? json_uint(j, NULL, *b) : json_double(j, NULL, NAN);
    json_close(j, ']');
}

static void put_texts(Json *j, const char *key, const char *a, const char *b)
{
    json_open(j, key, '[');
    json_string(j, NULL, a), json_string(j, NULL, b);
    json_close(j, ']');
}

static void put_time(Json *j, const Changes *c, const KernelPair *p)
{
    double time[2];
    change_values(c, p, "time", time);
    put_two(j, "seconds", time[0], time[1]);
    json_double(j, "change", change_share(time));
}

static void put_arrays(Json *j, const KernelPair *p)
{
    json_open(j, "structures", '[');
    for (size_t k = 0; k < p->arrays.n; k++) {
        const VersionArray *a = p->arrays.v[k].of[0], *b = p->arrays.v[k].of[1];
        uint64_t misses[2] = {a ? version_misses(a) : 0, b ? version_misses(b) : 0};
        json_open(j, NULL, '{');
        json_string(j, "name", (a ? a : b)->name);
        put_counts(j, "sectors", a ? &a->sectors : NULL, b ? &b->sectors : NULL);
        put_counts(j, "l1_misses", a ? &misses[0] : NULL, b ? &misses[1] : NULL);
        put_counts(j, "dram_bytes", a ? &a->dram_bytes : NULL, b ? &b->dram_bytes : NULL);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_lines(Json *j, const KernelPair *p)
{
    json_open(j, "lines", '[');
    for (size_t k = 0; k < p->lines.n; k++) {
        const VersionLine *a = p->lines.v[k].of[0], *b = p->lines.v[k].of[1];
        json_open(j, NULL, '{');
        json_string(j, "file", (b ? b : a)->file);
        put_counts(j, "line", a ? &a->line : NULL, b ? &b->line : NULL);
        put_counts(j, "issued", a ? &a->issued : NULL, b ? &b->issued : NULL);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_counters(Json *j, const KernelPair *p)
{
    json_open(j, "counters", '{');
    for (int c = 0; c < C_COUNT; c++)
        if (pair_differs(p, c)) put_counts(j, counter_info[c].name, &p->of[0]->count[c], &p->of[1]->count[c]);
    json_close(j, '}');
}

static void put_kernel(Json *j, const Changes *c, const KernelPair *p)
{
    static const char *const ways[] = {[MATCH_NAME] = "name", [MATCH_PLAIN] = "base name", [MATCH_PLACE] = "place"};
    const VersionKernel *a = p->of[0], *b = p->of[1];
    json_open(j, NULL, '{');
    put_texts(j, "names", a ? a->name : NULL, b ? b->name : NULL);
    if (a && b) json_string(j, "matched_by", ways[p->match]);
    json_bool(j, "timed", (a ? a : b)->timed);
    json_bool(j, "differs", p->differs);
    put_time(j, c, p);
    put_counts(j, "cycles", a && !a->lacks[C_CYCLES] ? &a->count[C_CYCLES] : NULL,
               b && !b->lacks[C_CYCLES] ? &b->count[C_CYCLES] : NULL);
    put_counts(j, "launches", a ? &a->launches : NULL, b ? &b->launches : NULL);
    put_texts(j, "limited_by", a ? a->limited : NULL, b ? b->limited : NULL);
    json_bool(j, "limits_differ", p->limits);
    if (a && b) put_arrays(j, p), put_lines(j, p), put_counters(j, p);
    json_close(j, '}');
}

void json_failures(const GateFailures *failures, const char *program, const char *run, Json *j)
{
    for (size_t k = 0; k < failures->n; k++) {
        const GateFailure *f = &failures->v[k];
        json_open(j, NULL, '{');
        if (program) json_string(j, "program", program), json_string(j, "run", run);
        json_string(j, "kernel", f->pair ? f->pair->of[1]->name : NULL);
        json_string(j, "metric", f->limit->metric), json_double(j, "percent", f->limit->percent);
        put_two(j, "values", f->value[0], f->value[1]);
        json_double(j, "change", change_share(f->value));
        json_close(j, '}');
    }
}

void compare_json(const Changes *c, const Gate *g, const GateFailures *failures)
{
    Json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    put_texts(&j, "versions", c->of[0]->input, c->of[1]->input);
    put_texts(&j, "runs", c->of[0]->about, c->of[1]->about);
    put_two(&j, "models", c->of[0]->model ? (double)c->of[0]->model : NAN,
            c->of[1]->model ? (double)c->of[1]->model : NAN);
    put_time(&j, c, NULL);
    json_uint(&j, "counters_lacking", changes_lacking(c, 0, NULL));
    json_open(&j, "kernels", '[');
    for (size_t k = 0; k < c->pairs.n; k++) put_kernel(&j, c, &c->pairs.v[k]);
    json_close(&j, ']');
    if (g->limits.n) json_open(&j, "failed", '['), json_failures(failures, NULL, NULL, &j);
    if (g->limits.n) json_close(&j, ']');
    json_close(&j, '}');
    fputs(j.text.v, stdout);
    json_free(&j);
}
