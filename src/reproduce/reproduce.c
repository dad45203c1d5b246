// reproduce.c: figures as data. The file's matrix says what is run. [figure] says which settings of the runs are the
// axes and which formula gives the value. [theirs] has the paper's values. Our points are made in three steps:
//
// 1. Every run, or row of [data], gives values. The formula's value goes to the point at the run's x and series. Where
//    a section [series] has several formulas, each gives a point of its own series. A formula about a curve that the
//    run measured gives a point at each place of the curve that `where` lets through. Each row of [values] gives a
//    point that has the row's name.
// 2. Where several values fall on a point, `best` keeps one of them (the autotuned one), or `mean` joins them.
// 3. All values are divided by those of the baseline (base.c).
#include "reproduce/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *find(const Ini *ini, const char *section, const char *key, const IniEntry **entry)
{
    for (size_t k = 0; k < ini->entries.n; k++) {
        const IniEntry *e = &ini->entries.v[k];
        if (strcmp(e->section, section) || strcmp(e->key, key)) continue;
        if (entry) *entry = e;
        return e->value;
    }
    return NULL;
}

const char *figure_key(const Ini *ini, const char *key, const IniEntry **entry)
{
    return find(ini, "figure", key, entry);
}

// --- reading ---------------------------------------------------------------------------------------------------------
static bool known_key(Reproduction *r, const IniEntry *e, Diag *diag)
{
    static const char *const keys[] = {"title", "from",     "kind", "x",    "series",    "y",       "unit", "where",
                                       "axis",  "baseline", "best", "mean", "tolerance", "summary", "note", "runs"};
    for (size_t k = 0; k < COUNT(keys); k++)
        if (!strcmp(keys[k], e->key)) return true;
    const char *near = nearest_name(e->key, keys, COUNT(keys));
    return diag_at(diag, &r->ini.source, e->key_at, near, "[figure] has no key '%s'", e->key);
}

static bool refuse(const Reproduction *r, const char *key, const char *why, Diag *diag)
{
    const IniEntry *e = NULL;
    find(&r->ini, "figure", key, &e);
    return diag_at(diag, &r->ini.source, e->value_at, NULL, "%s", why);
}

// In [figure] a kind may be left out. Null where it is none.
static const char *const kinds[] = {[FIGURE_BARS] = "bars", [FIGURE_CURVE] = "curve", [FIGURE_HEAT] = "heat"};
static bool read_kind(Reproduction *r, Diag *diag)
{
    const char *text = find(&r->ini, "figure", "kind", NULL);
    for (size_t k = 0; k < COUNT(kinds) && text; k++)
        if (!strcmp(text, kinds[k])) return r->kind = (FigureKind)k, true;
    return !text || refuse(r, "kind", "kind is bars, curve or heat", diag);
}

const char *const reproduce_sizes[3] = {"small", "medium", "paper"};

bool reproduce_open(Reproduction *r, const char *name, const char *text, size_t length, const char *size, Diag *diag)
{
    *r = (Reproduction){.title = NULL};
    Text table = {0};
    bool ok = !measured_is(text) || measured_read(r, name, text, length, &table, diag);
    if (table.n) text = table.v, length = table.n;
    ok = ok && ini_parse(&r->ini, name, text, length, diag);
    text_free(&table);
    bool singles = false;
    for (size_t k = 0; ok && k < r->ini.entries.n; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        if (!strcmp(e->section, "figure")) ok = known_key(r, e, diag);
        singles |= !strcmp(e->section, "values");
        r->several |= !strcmp(e->section, "series");
    }
    if (!ok) return false;
    const char **to[] = {&r->title, &r->from, &r->x,        &r->series, &r->y,   &r->unit,
                         &r->where, &r->axis, &r->baseline, &r->best,   &r->note};
    static const char *const keys[] = {"title", "from", "x",        "series", "y",   "unit",
                                       "where", "axis", "baseline", "best",   "note"};
    for (size_t k = 0; k < COUNT(to); k++) *to[k] = find(&r->ini, "figure", keys[k], NULL);
    if (r->several && (r->y || r->series)) return diag_error(diag, "%s: [series] replaces y and series", name);
    bool y = r->y || r->several;
    if (!r->title || (!r->x != !y) || (!y && !singles))
        return diag_error(diag, "%s: [figure] needs title, x and y, or title and [values]", name);
    if (!r->x) r->x = "";
    if (r->several) r->series = "series";
    if (r->axis && strcmp(r->axis, "linear")) return refuse(r, "axis", "axis is linear, or isn't given", diag);
    if (!read_kind(r, diag)) return false;
    if (!base_check(r, diag) || !unit_check(r, diag) || !runs_take(r, size, diag)) return false;
    return !r->gpu || r->matrix.cells.n == r->rows.n ||
           diag_error(diag, "%s: every program must be a single run", name);
}

void reproduce_free(Reproduction *r)
{
    for (size_t k = 0; k < r->points.n; k++) mem_free(r->points.v[k].x), mem_free(r->points.v[k].series);
    vec_free(&r->points), vec_free(&r->rows);
    arena_free(&r->arena);
    matrix_free(&r->matrix);
    ini_free(&r->ini);
    *r = (Reproduction){.title = NULL};
}

// --- a run's place ---------------------------------------------------------------------------------------------------
// Returns the value of a setting in a list of settings; null: it isn't there.
static char *value_in(const char *list, const char *name)
{
    Text one = {0}, value = {0};
    char *found = NULL;
    while (!found && setting_next(&list, &one, &value))
        if (!strcmp(one.v, name)) found = mem_text(value.v);
    text_free(&one), text_free(&value);
    return found;
}

// The value is looked for in the place of a curve's point, then the program or the GPU, the labels that the cell has on
// the matrix's axes, the parameters, and the overrides.
char *place_of(const Taken *t, const char *axis, const char *point)
{
    const Identity *id = t->id;
    size_t n = strlen(axis);
    char *there = value_in(point, axis);
    if (there) return there;
    if (!strcmp(axis, "program")) return mem_text(id->program);
    if (!strcmp(axis, "gpu")) return mem_text(id->gpu);
    for (const char *const *l = t->cell->labels; l && *l; l++)
        if (!strncmp(*l, axis, n) && (*l)[n] == '=') return mem_text(*l + n + 1);
    char *v = value_in(id->params, axis);
    return v ? v : value_in(id->overrides, axis);
}

Point *point_at(Reproduction *r, const char *x, const char *series)
{
    for (size_t k = 0; k < r->points.n; k++)
        if (!strcmp(r->points.v[k].x, x) && !strcmp(r->points.v[k].series, series)) return &r->points.v[k];
    return NULL;
}

static Point *new_point(Reproduction *r, const char *x, const char *series)
{
    Point p = {.x = mem_text(x), .series = mem_text(series), .ours = NAN, .theirs = NAN};
    vec_push(&r->points, p);
    return &r->points.v[r->points.n - 1];
}

// --- ours ------------------------------------------------------------------------------------------------------------
// Computes a formula of the file. An error shows its place in the file.
static bool compute(Reproduction *r, const char *section, const char *key, const char *text, BaseNames names,
                    double *out, Diag *diag)
{
    const IniEntry *e = NULL;
    Diag inner = {0};
    bool ok = formula(text, base_get, &names, out, &inner);
    find(&r->ini, section, key, &e);
    if (!ok) diag_at(diag, &r->ini.source, e ? e->value_at : 0, "onchip list counters", "%s: %s", key, inner.text.v);
    diag_free(&inner);
    return ok;
}

bool score_run(Reproduction *r, Values *values, Values *base, double *score, Diag *diag)
{
    bool most = !strncmp(r->best, "max ", 4);
    if (!most && strncmp(r->best, "min ", 4))
        return diag_error(diag, "%s: best is 'min FORMULA' or 'max FORMULA'", r->ini.source.name);
    bool ok = compute(r, "figure", "best", r->best + 4, (BaseNames){values, base}, score, diag);
    if (most) *score = -*score;
    return ok;
}

// The formula of a point's value: y of [figure], or a row of [series], whose name is the series.
typedef struct Wanted {
    const char *section, *key, *formula;
} Wanted;

static bool no_such_axis(const Reproduction *r, const char *axis, Diag *diag)
{
    return diag_error(diag,
                      "%s: no run has '%s'\nhint: an axis is a parameter, a key, an axis of the matrix, or what the "
                      "points of a curve differ in; a run that found nothing has no curve",
                      r->ini.source.name, axis);
}

// Takes a run's value into its point. place: of a curve's point; empty: the value isn't a curve's.
static bool take_point(Reproduction *r, const Taken *t, const Wanted *w, const char *place, Diag *diag)
{
    char *x = t->row ? mem_text(t->row->program) : place_of(t, r->x, place);
    char *series = t->row       ? mem_text(t->row->class)
                   : r->several ? mem_text(w->key)
                   : r->series  ? place_of(t, r->series, place)
                                : mem_text("");
    const char *mean = find(&r->ini, "figure", "mean", NULL);
    bool ok = (x && series) || no_such_axis(r, x ? r->series : r->x, diag);
    double y = NAN, score = 0;
    ok = ok && compute(r, w->section, w->key, w->formula, (BaseNames){t->values, t->base}, &y, diag);
    if (ok && r->best) ok = score_run(r, t->values, t->base, &score, diag);
    if (ok) {
        Point *p = point_at(r, x, series);
        if (!p) {
            p = new_point(r, x, series);
            vec_push(t->joins, ((Join){.score = INFINITY}));
        }
        Join *j = &t->joins->v[p - r->points.v];
        if (j->n && !r->best && !mean)
            ok = diag_error(diag, "%s: several runs fall on %s %s; [figure] needs best or mean", r->ini.source.name, x,
                            series);
        j->n++, j->sum += y, j->log_sum += log(y);
        if (!r->best)
            p->ours = !mean || strcmp(mean, "geometric") ? j->sum / (double)j->n : exp(j->log_sum / (double)j->n);
        else if (score < j->score)
            j->score = score, p->ours = y;
    }
    mem_free(x), mem_free(series);
    return ok;
}

// Whether the setting `name` of a place has one of the values "0,2,4". other: the answer for a place without that
// setting.
static bool is_at(const char *place, const char *name, const char *values, bool other)
{
    char *at = value_in(place, name);
    size_t n = at ? strlen(at) : 0;
    while (at && *values && (strcspn(values, ",") != n || strncmp(values, at, n)))
        values += strcspn(values, ","), values += *values == ',';
    bool is = at ? *values : other;
    mem_free(at);
    return is;
}

// Whether `where` of [figure], "ways=4 stride=0,2,4", lets a place through.
static bool let_through(const char *where, const char *place)
{
    Text name = {0}, values = {0};
    bool ok = true;
    while (ok && where && setting_next(&where, &name, &values)) ok = is_at(place, name.v, values.v, true);
    text_free(&name), text_free(&values);
    return ok;
}

// Checks that each part of `where` is true of some place; one that never is must be a mistake.
static bool check_where(const Reproduction *r, const Places *places, Diag *diag)
{
    Text name = {0}, values = {0};
    const char *where = r->where;
    const IniEntry *e = NULL;
    bool found = true;
    find(&r->ini, "figure", "where", &e);
    while (found && where && setting_next(&where, &name, &values)) {
        found = false;
        for (size_t k = 0; k < places->n; k++) found |= is_at(places->v[k], name.v, values.v, false);
        if (!found)
            diag_at(diag, &r->ini.source, e->value_at, NULL, "y has no point at %s=%s; one is at %s", name.v, values.v,
                    places->n ? places->v[0] : "no place");
    }
    text_free(&name), text_free(&values);
    return found;
}

static bool take_points(Reproduction *r, const Taken *t, const Wanted *w, Diag *diag)
{
    Places places = {0};
    bool ok = true;
    if (!strcmp(r->x, "time"))
        ok = values_times(t->values, r->store, t->id, t->cell->how.interval, &places, diag);
    else
        values_places(t->values, w->formula, &places);
    ok = ok && check_where(r, &places, diag);
    if (ok && base_on_curve(r, t, w->formula, &places)) {
        const IniEntry *e = NULL;
        find(&r->ini, w->section, w->key, &e);
        ok = diag_at(diag, &r->ini.source, e->value_at, NULL, "%s: the points of a curve have no base.NAME", w->key);
    }
    if (ok && !places.n) ok = take_point(r, t, w, "", diag);
    for (size_t k = 0; k < places.n && ok; k++) {
        if (!let_through(r->where, places.v[k])) continue;
        values_at(t->values, places.v[k]);
        ok = take_point(r, t, w, places.v[k], diag);
    }
    values_at(t->values, NULL);
    vec_free(&places);
    return ok;
}

// Takes the rows of [values], a number of the run each. They belong to the run's series, where the run has one: a
// series that only a curve's places have doesn't count.
static bool take_singles(Reproduction *r, const Taken *t, Diag *diag)
{
    char *series = r->series && !r->several ? place_of(t, r->series, "") : NULL;
    bool ok = true;
    for (size_t k = 0; k < r->ini.entries.n && ok; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        double y;
        if (strcmp(e->section, "values")) continue;
        ok = compute(r, "values", e->key, e->value, (BaseNames){.values = t->values}, &y, diag);
        if (ok && point_at(r, e->key, series ? series : ""))
            ok = diag_error(diag, "%s: several runs have the value %s; [figure] needs a series that tells them apart",
                            r->ini.source.name, e->key);
        if (!ok) break;
        Point *p = new_point(r, e->key, series ? series : "");
        p->ours = y, p->single = true;
        vec_push(t->joins, ((Join){.score = 0}));
    }
    mem_free(series);
    return ok;
}

static bool take_run(Reproduction *r, Taken *t, Diag *diag)
{
    if (!t->values) return r->missing += !search_left_out(t->cell, r->store, t->id->key), true;
    t->base = base_of(r, t);
    bool ok = !r->y || take_points(r, t, &(Wanted){"figure", "y", r->y}, diag);
    for (size_t k = 0; k < r->ini.entries.n && ok; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        if (!strcmp(e->section, "series")) ok = take_points(r, t, &(Wanted){e->section, e->key, e->value}, diag);
    }
    return ok && take_singles(r, t, diag);
}

// What is done with each run; `like` has the rest of the Taken that it gets.
typedef bool TakeRun(Reproduction *r, Taken *t, Diag *diag);

static bool give_run(Reproduction *r, const Taken *like, const Cell *c, const Identity *id, Values *v, TakeRun *take,
                     Diag *diag)
{
    Taken t = *like;
    t.cell = c, t.id = id, t.values = v;
    bool ok = !diag->failed && take(r, &t, diag);
    values_free(t.values);
    return ok;
}

// Goes through the rows of [data], such as "GTX 480 = cores=480 gbs=177.4". Each stands for a run: the settings are its
// parameters, and the row's name is its value on the axis `data`.
static bool each_row(Reproduction *r, const Taken *like, TakeRun *take, Diag *diag)
{
    bool ok = true;
    for (size_t k = 0; k < r->ini.entries.n && ok; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        if (strcmp(e->section, "data")) continue;
        Text label = {0};
        text_printf(&label, "data=%s", e->key);
        const Cell cell = {.labels = (const char *const[]){label.v, NULL}};
        char none[] = "";
        Identity id = {.program = none, .gpu = none, .params = mem_text(e->value), .overrides = none};
        ok = give_run(r, like, &cell, &id, values_given(e->value), take, diag);
        mem_free(id.params);
        text_free(&label);
    }
    return ok;
}

// Goes through the rows of [data] and the runs of the matrix.
static bool each_run(Reproduction *r, const Taken *like, TakeRun *take, Diag *diag)
{
    Planner *planner = planner_open(r->store);
    bool ok = each_row(r, like, take, diag);
    for (size_t k = 0; k < r->matrix.cells.n && ok; k++) {
        const Cell *c = &r->matrix.cells.v[k];
        Plan plan;
        Taken row = *like;
        row.row = k < r->rows.n ? &r->rows.v[k] : NULL;
        ok = plan_cell(planner, c, &plan, diag) &&
             give_run(r, &row, c, &plan.id, values_load(r->store, &plan.id, c->sets, diag), take, diag);
        plan_free(&plan);
    }
    planner_close(planner);
    return ok;
}

// Orders the points series by series. Series, and points within a series, keep the order in which they came.
static void sort_points(Reproduction *r)
{
    size_t n = r->points.n, at = 0;
    Point *out = mem_alloc(sizeof *out * (n + 1));
    bool *taken = mem_alloc(n + 1);
    for (size_t k = 0; k < n; k++)
        for (size_t j = k; j < n && !taken[k]; j++)
            if (!taken[j] && !strcmp(r->points.v[j].series, r->points.v[k].series)) {
                out[at++] = r->points.v[j];
                if (j > k) taken[j] = true;
            }
    if (n) memcpy(r->points.v, out, sizeof *out * n);
    mem_free(taken), mem_free(out);
}

// What a summary makes of the values of a series: n of them, their sum and that of their logarithms, the ends.
typedef struct Sums {
    double sum, logs, least, most, n;
} Sums;
static double geomean_of(Sums s) { return exp(s.logs / s.n); }
static double mean_of(Sums s) { return s.sum / s.n; }
static double least_of(Sums s) { return s.least; }
static double most_of(Sums s) { return s.most; }
static const struct Summary {
    const char *word, *point;
    double (*of)(Sums s);
} summaries[] = {{"geometric", "geomean", geomean_of},
                 {"arithmetic", "mean", mean_of},
                 {"least", "least", least_of},
                 {"most", "most", most_of}};

static const struct Summary *find_summary(const char *word, size_t n)
{
    for (size_t k = 0; k < COUNT(summaries); k++)
        if (strlen(summaries[k].word) == n && !memcmp(summaries[k].word, word, n)) return &summaries[k];
    return NULL;
}

bool summary_named(const Reproduction *r, const char *x)
{
    const char *list = find(&r->ini, "figure", "summary", NULL);
    for (size_t k = 0; k < COUNT(summaries); k++)
        if (list && strstr(list, summaries[k].word) && !strcmp(summaries[k].point, x)) return true;
    return false;
}

// Adds a point to the series of point k, which is its first one, over its values among the first n points.
static void summarise_series(Reproduction *r, size_t k, size_t n, const struct Summary *how)
{
    char *series = mem_text(r->points.v[k].series);
    Sums s = {.least = INFINITY, .most = -INFINITY};
    for (size_t j = k; j < n; j++) {
        const Point *p = &r->points.v[j];
        if (p->single || strcmp(p->series, series) || isnan(p->ours)) continue;
        s.n++, s.sum += p->ours, s.logs += log(p->ours);
        s.least = fmin(s.least, p->ours), s.most = fmax(s.most, p->ours);
    }
    Point *p = new_point(r, how->point, series);
    p->summary = true;
    if (s.n > 0) p->ours = how->of(s);
    mem_free(series);
}

// Adds the points that `summary` names to each series.
static bool summarise(Reproduction *r, Diag *diag)
{
    const char *list = find(&r->ini, "figure", "summary", NULL);
    size_t n = r->points.n, length;
    for (list = list ? list + strspn(list, " ,") : ""; *list; list += length, list += strspn(list, " ,")) {
        length = strcspn(list, " ,");
        const struct Summary *how = find_summary(list, length);
        if (!how)
            return diag_error(diag,
                              "%s: summary is geometric, arithmetic, least or most, or several of them, not '%.*s'",
                              r->ini.source.name, (int)length, list);
        for (size_t k = 0; k < n; k++) {
            bool first = !r->points.v[k].single;
            for (size_t j = 0; j < k; j++)
                first &= r->points.v[j].single || strcmp(r->points.v[j].series, r->points.v[k].series);
            if (first) summarise_series(r, k, n, how);
        }
    }
    return true;
}

// --- theirs: [theirs] or [theirs SERIES], a value for each x ---------------------------------------------------------
// Reads "96", "96 ± 2" or "96 ± 10 %". Without a tolerance the figure's counts, and without that 10 %.
static bool read_theirs(const char *text, const char *standard, double *value, double *tolerance)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) return false;
    const char *how = end + strspn(end, " ");
    if (!strncmp(how, "±", strlen("±")))
        how += strlen("±");
    else if (!strncmp(how, "+-", 2))
        how += 2;
    else if (*how)
        return false;
    else
        how = standard ? standard : "10 %";
    *tolerance = strtod(how, &end);
    if (end == how || !(*tolerance >= 0) || !isfinite(*tolerance)) return false;
    end += strspn(end, " ");
    if (*end == '%') *tolerance = fabs(*value) * *tolerance / 100, end++;
    return !*end;
}

static bool take_theirs(Reproduction *r, Diag *diag)
{
    const char *standard = find(&r->ini, "figure", "tolerance", NULL);
    for (size_t k = 0; k < r->ini.entries.n; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        if (!ini_within(e, "theirs")) continue;
        const char *series = e->section[6] ? e->section + 7 : "";
        double value = 0, tolerance = 0;
        bool ok = read_theirs(e->value, standard, &value, &tolerance) ||
                  diag_at(diag, &r->ini.source, e->value_at, NULL,
                          "a number is expected, and perhaps its tolerance: 96 ± 2 or 96 ± 10 %%");
        Point *p = ok ? point_at(r, e->key, series) : NULL;
        if (p) p->theirs = value, p->tolerance = tolerance;
        if (!ok) return false;
    }
    return true;
}

bool points_finish(Reproduction *r, Diag *diag)
{
    sort_points(r);
    measured_theirs(r);
    return take_theirs(r, diag);
}

bool reproduce_fill(Reproduction *r, Store *store, Diag *diag)
{
    Bases *bases;
    Joins joins = {0};
    r->store = store;
    bool ok = base_open(r, &bases, diag);
    if (ok && bases) ok = each_run(r, &(Taken){.bases = bases}, base_keep, diag);
    ok = ok && each_run(r, &(Taken){.bases = bases, .joins = &joins}, take_run, diag);
    base_close(bases);
    vec_free(&joins);
    if (!ok || !base_divide(r, diag)) return false;
    return summarise(r, diag) && points_finish(r, diag);
}
