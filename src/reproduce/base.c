// base.c: the baseline. `baseline = NAME=VALUE` names points: those at which NAME, which is the x or the series, is
// VALUE. A point's baseline is the one of them that has the same value on the other axis. All values are divided by
// those of their baselines. `baseline = NAME=VALUE, OTHER=VALUE` names one point for all. A formula may also use the
// baseline's run: base.NAME is NAME of that run. The run may come later in the matrix than the runs that need it, so
// all runs are looked through twice: base_keep keeps the baseline's, and only then are the points made.
//
// Invariant: the run that is kept for a point is the one whose value the point has. Here and in reproduce.c, that is
// the first of the runs with the lowest score; without `best`, the point has one run alone.
#include "reproduce/unit.h"

#include <math.h>
#include <string.h>

static const char prefix[] = "base.";

// --- which formulas use it -------------------------------------------------------------------------------------------
typedef struct Uses {  // the user of a FormulaName that looks for base.NAME
    Values *values;    // a run in which NAME may be a curve; may be null
    bool any, curve;   // curve: some NAME is one
} Uses;

static bool note_use(void *user, const char *name, double *value)
{
    Uses *u = user;
    Places places = {0};
    *value = 1;
    if (strncmp(name, prefix, strlen(prefix))) return true;
    u->any = true;
    if (u->values) values_places(u->values, name + strlen(prefix), &places);
    u->curve |= places.n > 0;
    vec_free(&places);
    return true;
}

static void find_uses(const char *text, Uses *u)
{
    double ignored;
    Diag diag = {0};
    formula(text, note_use, u, &ignored, &diag);
    diag_free(&diag);
}

// The formula behind "min " or "max ".
static const char *formula_of_best(const char *best) { return best + MIN(strlen(best), 4); }

static bool in_figure(const IniEntry *e, const char *key)
{
    return !strcmp(e->section, "figure") && !strcmp(e->key, key);
}

bool base_check(Reproduction *r, Diag *diag)
{
    bool mean = false;
    for (size_t k = 0; k < r->ini.entries.n; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        bool best = in_figure(e, "best"), row = !strcmp(e->section, "values");
        Uses u = {0};
        mean |= in_figure(e, "mean");
        if (best || row || in_figure(e, "y") || !strcmp(e->section, "series"))
            find_uses(best ? formula_of_best(e->value) : e->value, &u);
        if (u.any && row)
            return diag_at(diag, &r->ini.source, e->value_at, NULL, "%s: a row of [values] can't use base.NAME",
                           e->key);
        if (u.any && (best || !r->based)) r->based = e;
    }
    if (!r->based) return true;
    const char *key = r->based->key;
    if (!r->baseline)
        return diag_at(diag, &r->ini.source, r->based->value_at, "baseline = NAME=VALUE; NAME is the x or the series",
                       "%s: base.NAME is a value of the baseline's run, but [figure] has no baseline", key);
    if (mean && !r->best)
        return diag_at(diag, &r->ini.source, r->based->value_at, "best = min FORMULA keeps one run",
                       "%s: base.NAME is a value of one run, but a mean joins several", key);
    return true;
}

bool base_on_curve(const Reproduction *r, const Taken *t, const char *text, const Places *places)
{
    Uses u = {.values = t->values};
    if (!r->based) return false;
    find_uses(text, &u);
    if (r->best) find_uses(formula_of_best(r->best), &u);
    return u.curve || (u.any && places->n);
}

// --- the baseline's runs ---------------------------------------------------------------------------------------------
typedef struct Baseline {
    bool on_x;        // NAME is the x; else it is the series
    bool one;         // the baseline gives the other axis, too: it is one point, for all
    char value[128];  // VALUE
    char other[128];
} Baseline;

// Is text "NAME=…", NAME being the figure's x or series? Then its value is copied, up to n characters of text.
static bool read_place(const char *text, size_t n, const char *axis, char value[128])
{
    size_t name = axis ? strlen(axis) : 0;
    if (!name || n <= name || strncmp(text, axis, name) || text[name] != '=') return false;
    snprintf(value, 128, "%.*s", (int)(n - name - 1), text + name + 1);
    return true;
}

static bool read_baseline(const Reproduction *r, Baseline *b, Diag *diag)
{
    const char *text = r->baseline, *comma = strstr(text, ", ");
    *b = (Baseline){0};
    for (; comma; comma = strstr(comma + 1, ", ")) {  // a value may have one, too
        const char *rest = comma + 2;
        bool x = read_place(rest, strlen(rest), r->x, b->other);
        if (!x && !read_place(rest, strlen(rest), r->series, b->other)) continue;
        b->one = true, b->on_x = !x;
        if (read_place(text, (size_t)(comma - text), x ? r->series : r->x, b->value)) return true;
    }
    b->one = false;
    b->on_x = read_place(text, strlen(text), r->x, b->value);
    if (b->on_x || read_place(text, strlen(text), r->series, b->value)) return true;
    return diag_error(diag, "%s: baseline is a value of x or series, such as %s=…, or of both, with ', ' between",
                      r->ini.source.name, r->x);
}

typedef struct Kept {
    char *other;  // the value on the other axis
    size_t runs;  // that fall on this point
    double score;
    Values *values;  // of the run that is kept; null: the store lacks it
} Kept;
struct Bases {
    Baseline baseline;
    VEC(Kept) kept;
};

bool base_open(Reproduction *r, Bases **bases, Diag *diag)
{
    Baseline b;
    *bases = NULL;
    if (!r->based) return true;
    if (!read_baseline(r, &b, diag)) return false;
    if (b.one)
        return diag_at(diag, &r->ini.source, r->based->value_at, NULL,
                       "%s: base.NAME is a value of each point's own baseline, and here all points have one",
                       r->based->key);
    *bases = mem_alloc(sizeof **bases);
    **bases = (Bases){.baseline = b};
    return true;
}

void base_close(Bases *bases)
{
    if (!bases) return;
    for (size_t k = 0; k < bases->kept.n; k++) mem_free(bases->kept.v[k].other), values_free(bases->kept.v[k].values);
    vec_free(&bases->kept);
    mem_free(bases);
}

// Returns the run's value on the other axis; null: it has none. *on: the run falls on a point of the baseline. Each row
// of [series] is a series that has all the runs.
static char *other_place(const Reproduction *r, const Taken *t, bool *on)
{
    const Baseline *b = &t->bases->baseline;
    char *x = place_of(t, r->x, "");
    char *series = r->series && !r->several ? place_of(t, r->series, "") : mem_text("");
    char *own = b->on_x ? x : series;
    *on = (r->several && !b->on_x) || (own && !strcmp(own, b->value));
    mem_free(own);
    return b->on_x ? series : x;
}

static Kept *find_kept(const Bases *b, const char *other)
{
    for (size_t k = 0; k < b->kept.n; k++)
        if (!strcmp(b->kept.v[k].other, other)) return &b->kept.v[k];
    return NULL;
}

// Says that no run can be kept for a point, since several fall on it. r->based is `best` if that uses base.NAME.
static bool refuse_choice(const Reproduction *r, const Bases *b, const char *other, Diag *diag)
{
    Text point = {0};
    text_printf(&point, "%s", r->baseline);
    if (*other) text_printf(&point, " and %s=%s", b->baseline.on_x ? r->series : r->x, other);
    if (r->best)
        diag_at(diag, &r->ini.source, r->based->value_at, NULL,
                "best: base.NAME is a value of one run, and best has to choose it: several have %s", point.v);
    else
        diag_at(diag, &r->ini.source, r->based->value_at, "best = min FORMULA keeps one run",
                "%s: base.NAME is a value of one run, but several have %s", r->based->key, point.v);
    text_free(&point);
    return false;
}

static bool keep_run(Reproduction *r, Taken *t, const char *other, Diag *diag)
{
    Kept *k = find_kept(t->bases, other);
    if (!k) {
        vec_push(&t->bases->kept, ((Kept){.other = mem_text(other), .score = INFINITY}));
        k = &t->bases->kept.v[t->bases->kept.n - 1];
    }
    bool chosen = r->best && !in_figure(r->based, "best");
    if (k->runs++ && !chosen) return refuse_choice(r, t->bases, other, diag);
    double score = 0;
    if (!t->values) return true;
    if (chosen && !score_run(r, t->values, NULL, &score, diag)) return false;
    if (!(score < k->score)) return true;
    values_free(k->values);
    k->values = t->values, k->score = score;
    t->values = NULL;
    return true;
}

bool base_keep(Reproduction *r, Taken *t, Diag *diag)
{
    bool on;
    char *other = other_place(r, t, &on);
    bool ok = !on || !other || keep_run(r, t, other, diag);
    mem_free(other);
    return ok;
}

Values *base_of(const Reproduction *r, const Taken *t)
{
    bool on;
    char *other = t->bases ? other_place(r, t, &on) : NULL;
    const Kept *k = other ? find_kept(t->bases, other) : NULL;
    mem_free(other);
    return k ? k->values : NULL;
}

bool base_get(void *user, const char *name, double *value)
{
    const BaseNames *n = user;
    size_t skip = strlen(prefix);
    if (strncmp(name, prefix, skip)) return values_get(n->values, name, value);
    *value = NAN;
    return !n->base || values_get(n->base, name + skip, value);
}

// --- dividing --------------------------------------------------------------------------------------------------------
// For "sched=lrr", a point's baseline is the point that differs only in having sched=lrr. A point of [values] has none.
bool base_divide(Reproduction *r, Diag *diag)
{
    Baseline b;
    if (!r->baseline) return true;
    if (!read_baseline(r, &b, diag)) return false;
    double *by = mem_alloc(sizeof *by * (r->points.n + 1));
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        const char *x = b.on_x  ? b.value
                        : b.one ? b.other
                                : p->x,
                   *series = !b.on_x ? b.value
                             : b.one ? b.other
                                     : p->series;
        const Point *base = point_at(r, x, series);
        by[k] = base ? base->ours : NAN;
    }
    for (size_t k = 0; k < r->points.n; k++) r->points.v[k].ours /= r->points.v[k].single ? 1 : by[k];
    mem_free(by);
    return true;
}
