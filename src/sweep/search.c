// search.c: finds the best number for a key of the description by trying numbers, the candidates. What can be searched
// for is a row of knobs[]:
// - the warp limit of swl (ciao §V-A, Best-SWL). A program may choose one for each launch, so that each kernel counts
//   with its own best.
// - the threads that an SM holds (unified-memory §4.5). One number holds for the whole run, so that the sum over all
//   kernels counts.
//
// A search is cells of a matrix that differ in this key alone (matrix.c makes them), so that the store keeps each
// candidate's run. Nothing of the search itself is stored: the best is found whenever the runs are read.
//
// Candidates ascend. One with which no block fits an SM is left out. Any other run that fails is an error, as is a
// wrong result: only right results are compared. Of equals the largest wins.
#include "chip/record.h"
#include "store/query.h"
#include "sweep/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- what is tried ---------------------------------------------------------------------------------------------------
// Puts a number at its place, unless it is there.
static void add_number(Numbers *out, uint32_t value, size_t at)
{
    size_t k = out->n;
    while (k && out->v[k - 1].value > value) k--;
    if (k && out->v[k - 1].value == value) return;
    vec_push(out, ((Number){value, at}));
    memmove(&out->v[k + 1], &out->v[k], (out->n - 1 - k) * sizeof *out->v);
    out->v[k] = (Number){value, at};
}

// The limits that can be shared out evenly among an SM's schedulers, up to the warps that it has room for.
static void find_limits(const Gpu *g, Numbers *out)
{
    for (uint32_t n = g->sm.schedulers; n <= g->sm.max_warps && n <= OC_MOST_WARPS; n += g->sm.schedulers)
        add_number(out, n, 0);
}

// Eighths of the threads that the described SM holds, in whole warps; the last is all of them.
static void find_threads(const Gpu *g, Numbers *out)
{
    for (uint32_t k = 1; k <= 8; k++) {
        uint32_t n = (g->sm.max_threads * k + 7) / 8;
        add_number(out, MIN((n + LANES - 1) / LANES * LANES, g->sm.max_threads), 0);
    }
}

const Knob knobs[] = {
    {"sched", "best-swl", false, "sched.limit", "limit", "sched.policy=swl", NULL, true, find_limits},
    {"autotune", "threads", true, "sm.threads", "threads", NULL, "threads", false, find_threads},
};
const size_t knob_count = COUNT(knobs);

const Knob *knob_named(const char *axis, const char *value)
{
    for (size_t k = 0; k < knob_count; k++) {
        size_t n = strlen(knobs[k].value);
        bool named = !strncmp(knobs[k].value, value, n) && (!value[n] || (knobs[k].listed && value[n] == '='));
        if (named && !strcmp(setting_name(axis), setting_name(knobs[k].axis))) return &knobs[k];
    }
    return NULL;
}

const char *knob_list(const Knob *k, const char *value, Numbers *out)
{
    const char *end = value + strlen(k->value);
    while (*end) {
        const char *from = end + 1 + strspn(end + 1, " \t");
        uint64_t number = 0;
        end = from + strcspn(from, ",");
        size_t n = (size_t)(end - from);
        while (n && strchr(" \t", from[n - 1])) n--;
        char word[32] = "";
        if (n < sizeof word) memcpy(word, from, n), word[n] = 0;
        if (!parse_size(word, &number) || number > UINT32_MAX) return from;
        add_number(out, (uint32_t)number, (size_t)(from - value));
    }
    return NULL;
}

// --- what came out ---------------------------------------------------------------------------------------------------
// Is this why no block fits an SM: too small a number of the knob's?
static bool is_unfit(const Knob *k, const char *error)
{
    const char *at = k->unfit && error ? strstr(error, UNFIT) : NULL;
    return at && !strncmp(at + strlen(UNFIT), k->unfit, strlen(k->unfit));
}

static const char *text_of(const Datum *v) { return v->kind == DATUM_TEXT ? v->text : NULL; }

bool search_left_out(const Cell *c, Store *store, const char *key)
{
    RunIds ids = {0};
    Filter filter = {.keys = (const char *const[]){key, NULL}};
    Diag diag = {0};
    bool out = false;
    if (!c->knob || !c->knob->unfit) return false;
    Rows *rows = store_select(store, &filter, &ids, &diag)
                     ? rows_open(store, &ids, (const char *const[]){"error"}, 1, false, &diag)
                     : NULL;
    if (rows && rows_next(rows, &diag)) out = is_unfit(c->knob, text_of(rows_values(rows)));
    rows_close(rows);
    vec_free(&ids);
    diag_free(&diag);
    return out;
}

static Curve *curve_of(SearchResult *f, const char *kernel)
{
    for (size_t k = 0; k < f->curves.n; k++)
        if (!strcmp(f->curves.v[k].kernel, kernel)) return &f->curves.v[k];
    size_t n = f->candidates.n;
    Curve c = {.kernel = arena_copy(&f->arena, kernel), .cycles = arena_alloc(&f->arena, n * sizeof *c.cycles)};
    for (size_t k = 0; k < n; k++) c.cycles[k] = NAN;
    vec_push(&f->curves, c);
    return &f->curves.v[f->curves.n - 1];
}

// A run that failed: false, with the reason, unless its number is too small for a block.
static bool take_failure(SearchResult *f, const Candidate *c, const char *error, Diag *diag)
{
    if (!is_unfit(f->knob, error))
        return diag_error(diag,
                          "a run failed, that with %s=%u: %s\nhint: onchip db delete --failed lets it be made again",
                          f->knob->key, c->number, error ? error : "no reason is stored");
    f->unfit = arena_copy(&f->arena, error);
    f->left_out++;
    return true;
}

static double number(const Datum *v)
{
    double x;
    return datum_number(v, &x) ? x : 0;
}

// Reads a candidate's run. A kernel that was executed without time has a row of its own, which doesn't count.
static bool read_run(SearchResult *f, Store *store, const char *key, size_t at, Diag *diag)
{
    static const char *const columns[] = {"status", "error",           "kernel",  "functional",
                                          "cycles", "occupancy_warps", "l1.hits", "l1.accesses"};
    enum { STATUS, ERROR, KERNEL, FUNCTIONAL, CYCLES, WARPS, HITS, ACCESSES };
    RunIds ids = {0};
    Filter filter = {.keys = (const char *const[]){key, NULL}};
    Candidate *c = &f->candidates.v[at];
    Rows *rows = NULL;
    bool ok = store_select(store, &filter, &ids, diag), failed = false;
    ok = ok && (ids.n || diag_error(diag, "%s lacks the run with %s=%u", store_path(store), f->knob->key, c->number));
    ok = ok && (rows = rows_open(store, &ids, columns, COUNT(columns), true, diag));
    while (ok && !failed && rows_next(rows, diag)) {
        const Datum *v = rows_values(rows);
        const char *status = text_of(&v[STATUS]), *kernel = text_of(&v[KERNEL]);
        failed = !status || strcmp(status, "done") != 0;
        if (failed) ok = take_failure(f, c, text_of(&v[ERROR]), diag);
        c->ran = !failed;
        if (failed || !kernel || v[FUNCTIONAL].whole) continue;
        curve_of(f, kernel)->cycles[at] = number(&v[CYCLES]);
        c->warps = fmin(c->warps, number(&v[WARPS]));  // NAN is none
        c->l1_hits += number(&v[HITS]), c->l1_accesses += number(&v[ACCESSES]);
    }
    rows_close(rows);
    vec_free(&ids);
    return ok && !diag->failed;
}

double search_total(const SearchResult *f, size_t at)
{
    double sum = 0;
    for (size_t k = 0; k < f->curves.n; k++) {
        const Curve *c = &f->curves.v[k];
        double cycles = c->cycles[at == SEARCH_EACH ? c->best : at];
        sum += isnan(cycles) ? 0 : cycles;
    }
    return sum;
}

static void choose_best(SearchResult *f)
{
    size_t n = f->candidates.n;
    for (size_t k = 0; k < f->curves.n; k++) {
        Curve *c = &f->curves.v[k];
        for (size_t at = 0; at < n; at++)
            if (isnan(c->cycles[c->best]) || c->cycles[at] <= c->cycles[c->best]) c->best = at;
    }
    f->best = n;
    for (size_t at = 0; at < n; at++)
        if (f->candidates.v[at].ran && (f->best == n || search_total(f, at) <= search_total(f, f->best))) f->best = at;
}

bool search_read(const Matrix *m, const Search *s, Planner *planner, Store *store, SearchResult *f, Diag *diag)
{
    *f = (SearchResult){.knob = s->knob};
    for (size_t k = 0; k < s->n; k++)
        vec_push(&f->candidates, ((Candidate){.number = m->cells.v[s->first + k].number, .warps = NAN}));
    bool ok = true;
    for (size_t k = 0; k < s->n && ok; k++) {
        Plan plan;
        ok =
            matrix_plan(m, planner, &m->cells.v[s->first + k], &plan, diag) && read_run(f, store, plan.id.key, k, diag);
        plan_free(&plan);
    }
    if (!ok) return false;
    if (f->left_out == s->n)
        return diag_error(diag, "no number runs, up to %s=%u: %s", s->knob->key, f->candidates.v[s->n - 1].number,
                          f->unfit);
    if (!f->curves.n) return diag_error(diag, "no kernel was timed");
    choose_best(f);
    return true;
}

void search_free(SearchResult *f)
{
    arena_free(&f->arena);
    vec_free(&f->candidates), vec_free(&f->curves);
}
