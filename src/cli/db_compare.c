// db_compare.c: onchip db compare: prints ratios of pairs with the interval of their mean, and the counters that
// differ; and judges pairs as onchip compare does. Means over many pairs are the store's (store/compare.c): they read a
// column of each run, where a comparison of two versions reads both in full.
#include "cli/compare.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct Selection {
    Store *store;
    RunIds ids;
} Selection;

static bool select_side(Selection *x, const char *path, const Filter *filter, Diag *diag)
{
    return (x->store = store_read(path, diag)) && store_select(x->store, filter, &x->ids, diag);
}

static void sides_free(Selection x[2])
{
    for (int k = 0; k < 2; k++) store_close(x[k].store), vec_free(&x[k].ids);
}

// --- what may pass ---------------------------------------------------------------------------------------------------
// Pairs of runs are judged one after the other. What failed goes into rows, or with --json into its array.
typedef struct Judge {
    const Gate *gate;
    Json *json;  // null: rows
    size_t failed;
} Judge;

static void judge_begin(Judge *u, const CompareRequest *r, Json *j)
{
    *u = (Judge){.gate = r->gate, .json = j};
    if (!u->gate->limits.n) return;
    j ? json_open(j, "failed", '[') : (void)printf("\n");
}

static void judge_end(Judge *u)
{
    if (!u->gate->limits.n) return;
    if (u->json)
        json_close(u->json, ']');
    else if (!u->failed)
        compare_passed();
}

static bool judge_versions(Judge *u, const Version v[2], const char *program, const char *what, Diag *diag)
{
    Changes c;
    GateFailures failures = {0};
    changes_find(&v[0], &v[1], &c);
    bool ok = gate_judge(u->gate, &c, &failures, diag);
    if (ok && u->json) {
        json_failures(&failures, program, what, u->json);
    } else if (ok) {
        Text run = {0};
        if (program) text_printf(&run, "%s %s", program, what);
        compare_failures(&failures, run.v);
        text_free(&run);
    }
    u->failed += failures.n;
    vec_free(&failures);
    changes_free(&c);
    return ok;
}

// program, what: the pair; null: there is one alone.
static bool judge_pair(Judge *u, Store *const store[2], const char *const key[2], const char *program, const char *what,
                       Diag *diag)
{
    if (!u->gate->limits.n) return true;
    Version v[2] = {{.input = key[0]}, {.input = key[1]}};
    bool ok = version_stored(&v[0], store[0], key[0], diag) && version_stored(&v[1], store[1], key[1], diag) &&
              judge_versions(u, v, program, what, diag);
    version_free(&v[0]), version_free(&v[1]);
    return ok;
}

static int judged(bool ok, const Judge *u) { return !ok ? EXIT_FAILED : u->failed ? EXIT_ABOVE : EXIT_OK; }

// --- ratios ----------------------------------------------------------------------------------------------------------
static void add_real(Table *t, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    table_add(t, text);
}

static const char *verdict(const PairMean *m)
{
    if (m->equal == m->pairs) return "equal in every digit";
    if (m->ratios < 2) return m->ratios ? "one ratio has no interval" : "no ratio";
    return m->significant ? "significant" : "not significant";
}

static void print_comparison(const Comparison *c, const char *const names[2])
{
    bool times = !strcmp(c->column, "seconds");
    double longest = 0;
    for (size_t k = 0; k < c->pairs.n; k++) longest = MAX(longest, MAX(c->pairs.v[k].value[0], c->pairs.v[k].value[1]));
    Unit unit = times ? time_unit(longest) : (Unit){"", 1};
    Table t = {.columns = 5, .width = page_width(stdout), .whole = 1};
    const char *const heads[] = {"program", "run", names[0], names[1], "ratio"};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < c->pairs.n; k++) {
        const RunPair *p = &c->pairs.v[k];
        table_add(&t, p->program), table_add(&t, p->what);
        for (int n = 0; n < 2; n++) add_real(&t, times ? "%.6g" : "%.10g", unit.per * p->value[n]);
        if (p->equal)
            table_add(&t, "equal");
        else if (p->ratio > 0)
            add_real(&t, "%.4f", p->ratio);
        else
            table_add(&t, "-");
    }
    if (times)
        printf("simulated time in %s, cycles / gpu.clock: %s / %s\n\n", unit.name, names[1], names[0]);
    else
        printf("%s: %s / %s\n\n", c->column, names[1], names[0]);
    table_print(&t, stdout);
    table_free(&t);
    t = (Table){.columns = 6, .width = page_width(stdout)};
    const char *const mean_heads[] = {"program", "pairs", "equal", "ratio", "95 % interval", ""};
    for (size_t k = 0; k < COUNT(mean_heads); k++) table_add(&t, mean_heads[k]);
    for (size_t k = 0; k < c->means.n; k++) {
        const PairMean *m = &c->means.v[k];
        char interval[64] = "-";
        if (m->ratios > 1) snprintf(interval, sizeof interval, "%.4f … %.4f", m->low, m->high);
        table_add(&t, m->program ? m->program : "all programs");
        add_real(&t, "%.0f", (double)m->pairs), add_real(&t, "%.0f", (double)m->equal);
        if (m->ratios)
            add_real(&t, "%.4f", m->ratio);
        else
            table_add(&t, "-");
        table_add(&t, interval), table_add(&t, verdict(m));
    }
    printf("\ngeometric means\n\n");
    table_print(&t, stdout);
    table_free(&t);
    for (int k = 0; k < 2; k++) {
        if (c->alone[k])
            printf("\n%llu run%s of %s without partner", (unsigned long long)c->alone[k], c->alone[k] == 1 ? "" : "s",
                   names[k]);
        if (c->without[k])
            printf("\n%llu run%s of %s failed or without %s", (unsigned long long)c->without[k],
                   c->without[k] == 1 ? "" : "s", names[k], c->column);
    }
    if (c->clocks && !strcmp(c->column, "cycles"))
        printf("\nthe clocks differ, and with them the length of a cycle; without --column times are compared\n");
    if (c->alone[0] + c->alone[1] + c->without[0] + c->without[1]) printf("\n");
}

static void print_json(Json *j)
{
    json_close(j, '}');
    fputs(j->text.v, stdout);
    json_free(j);
}

static void json_two(Json *j, const char *name, double a, double b)
{
    json_open(j, name, '[');
    json_double(j, NULL, a), json_double(j, NULL, b);
    json_close(j, ']');
}

static void json_texts(Json *j, const char *name, const char *const text[2])
{
    json_open(j, name, '[');
    json_string(j, NULL, text[0]), json_string(j, NULL, text[1]);
    json_close(j, ']');
}

static void json_ratio(Json *j, const char *name, bool there, double value)
{
    if (there)
        json_double(j, name, value);
    else
        json_string(j, name, NULL);
}

static void comparison_json(const Comparison *c, const char *const names[2], Json *j)
{
    export_begin(j);
    json_string(j, "column", c->column);
    json_texts(j, "sides", names);
    json_open(j, "pairs", '[');
    for (size_t k = 0; k < c->pairs.n; k++) {
        const RunPair *p = &c->pairs.v[k];
        json_open(j, NULL, '{');
        json_string(j, "program", p->program), json_string(j, "run", p->what);
        json_texts(j, "keys", p->key);
        json_two(j, "values", p->value[0], p->value[1]);
        json_bool(j, "equal", p->equal);
        json_ratio(j, "ratio", p->ratio > 0, p->ratio);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "means", '[');
    for (size_t k = 0; k < c->means.n; k++) {
        const PairMean *m = &c->means.v[k];
        json_open(j, NULL, '{');
        json_string(j, "program", m->program);
        json_uint(j, "pairs", m->pairs), json_uint(j, "equal", m->equal), json_uint(j, "ratios", m->ratios);
        json_ratio(j, "ratio", m->ratios > 0, m->ratio), json_ratio(j, "low", m->ratios > 1, m->low),
            json_ratio(j, "high", m->ratios > 1, m->high);
        json_bool(j, "significant", m->significant);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_two(j, "alone", (double)c->alone[0], (double)c->alone[1]);
    json_two(j, "without", (double)c->without[0], (double)c->without[1]);
}

static int compare_sides(const CompareRequest *r, const Selection x[2], const char *setting, const char *const names[2],
                         Diag *diag)
{
    const Side sides[2] = {{x[0].store, &x[0].ids}, {x[1].store, &x[1].ids}};
    Comparison c;
    bool ok = compare_runs(sides, setting, r->column, &c, diag);
    if (ok && !c.pairs.n)
        ok = diag_error(diag,
                        "no run of one side has a partner with a value on the other (%zu and %zu runs)\nhint: program, "
                        "parameters, description and overrides must be the same",
                        x[0].ids.n, x[1].ids.n);
    Json j = {0};
    Judge u = {.gate = r->gate};
    if (ok) {
        r->json ? comparison_json(&c, names, &j) : print_comparison(&c, names);
        judge_begin(&u, r, r->json ? &j : NULL);
        for (size_t k = 0; k < c.pairs.n && ok; k++)
            ok = judge_pair(&u, (Store *const[]){x[0].store, x[1].store}, c.pairs.v[k].key, c.pairs.v[k].program,
                            c.pairs.v[k].what, diag);
        if (ok) judge_end(&u);
        if (ok && r->json) print_json(&j);
    }
    json_free(&j);
    comparison_free(&c);
    return judged(ok, &u);
}

static int compare_stores(const CompareRequest *r, Diag *diag)
{
    Selection x[2] = {0};
    bool ok = select_side(&x[0], r->what[0], r->filter, diag) && select_side(&x[1], r->what[1], r->filter, diag);
    int code = ok ? compare_sides(r, x, NULL, r->what, diag) : EXIT_FAILED;
    sides_free(x);
    return code;
}

const char *db_condition(const char *text, Arena *arena, Diag *diag)
{
    const char *equals = strchr(text, '=');
    if (!equals || !policy_is_path(equals + 1)) return text;
    const char *name = arena_text(arena, text, (size_t)(equals - text));
    Text known = {0};
    const bool ok = plug_known_path(setting_name(name), equals + 1, &known, diag);
    text = ok ? arena_printf(arena, "%s=%s", name, known.v) : NULL;
    text_free(&known);
    return text;
}

// "NAME=A,B": the filter with NAME=A, and with NAME=B.
static int compare_by(const CompareRequest *r, Diag *diag)
{
    const char *equals = strchr(r->by, '='), *rest = equals ? equals + 1 : NULL;
    ListValue v[2];
    bool ok = equals && equals != r->by && list_next(&rest, &v[0]) && list_next(&rest, &v[1]) && !rest && !v[1].wrong;
    if (!ok)
        return diag_error(diag,
                          "--by takes NAME=A,B, not '%s'\nhint: a value with commas stands in braces: block={32,8}",
                          r->by),
               EXIT_FAILED;
    Arena arena = {0};
    Selection x[2] = {0};
    const char *name = arena_text(&arena, r->by, (size_t)(equals - r->by)), *names[2];
    for (int k = 0; k < 2 && ok; k++) {
        VEC(const char *) where = {0};
        for (size_t n = 0; r->filter->where[n]; n++) vec_push(&where, r->filter->where[n]);
        names[k] = arena_printf(&arena, "%s=%.*s", name, (int)v[k].n, v[k].at);
        const char *known = db_condition(names[k], &arena, diag);
        vec_push(&where, known);
        vec_push(&where, NULL);
        Filter f = *r->filter;
        f.where = where.v;
        ok = known && select_side(&x[k], r->db, &f, diag);
        vec_free(&where);
    }
    int code = ok ? compare_sides(r, x, name, names, diag) : EXIT_FAILED;
    sides_free(x);
    arena_free(&arena);
    return code;
}

// --- counters --------------------------------------------------------------------------------------------------------
static void json_difference(Json *j, const Difference *d)
{
    json_string(j, "kernel", d->kernel), json_string(j, "counter", d->name);
    json_texts(j, "values", d->text);
    json_double(j, "relative", d->relative);
}

static void print_differences(const Differences *d, const char *const keys[2])
{
    int digits = 8;  // of keys, as db list shows them
    while (digits < KEY_DIGITS && !strncmp(keys[0], keys[1], (size_t)digits)) digits++;
    char key[2][KEY_DIGITS + 1];
    for (int k = 0; k < 2; k++) snprintf(key[k], sizeof key[k], "%.*s", digits, keys[k]);
    Table t = {.columns = 5, .width = page_width(stdout)};
    const char *const heads[] = {"kernel", "counter", key[0], key[1], "difference"};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < d->n; k++) {
        const Difference *x = &d->v[k];
        table_add(&t, x->kernel), table_add(&t, x->name), table_add(&t, x->text[0]), table_add(&t, x->text[1]);
        add_real(&t, "%.3f%%", 100 * x->relative);
    }
    if (d->n) table_print(&t, stdout), printf("\n");
    if (d->n)
        printf("%zu counters differ\n", d->n);
    else
        printf("%s and %s are equal in every counter\n", keys[0], keys[1]);
    table_free(&t);
}

// Reads a column of two runs; NaN if its value isn't a number.
static bool read_two(Store *s, const RunIds ids[2], const char *column, double v[2], Diag *diag)
{
    for (int k = 0; k < 2; k++) {
        Rows *rows = rows_open(s, &ids[k], &column, 1, false, diag);
        bool ok = rows && rows_next(rows, diag);
        if (ok && !datum_number(rows_values(rows), &v[k])) v[k] = NAN;
        rows_close(rows);
        if (!ok) return false;
    }
    return true;
}

static void print_two(const char *what, int digits, double a, double b)
{
    printf("%s: %.*g and %.*g", what, digits, a, digits, b);
    if (a == b)
        printf(", equal");
    else if (a > 0 && b > 0)
        printf(", ratio %.4f", b / a);
    printf("\n");
}

static bool compare_values(const CompareRequest *r, Store *s, const RunIds ids[2], Diag *diag)
{
    double v[2];
    if (!read_two(s, ids, r->column, v, diag)) return false;
    for (int k = 0; k < 2; k++)
        if (isnan(v[k])) return diag_error(diag, "%s has no %s that is a number", r->what[k], r->column);
    print_two(r->column, 10, v[0], v[1]);
    return true;
}

// Compares two runs by times: if their clocks differ, cycles don't tell which run is faster.
static bool print_times(Store *s, const RunIds ids[2], Diag *diag)
{
    double cycles[2], seconds[2];
    if (!read_two(s, ids, "cycles", cycles, diag) || !read_two(s, ids, "seconds", seconds, diag)) return false;
    if (!clocks_differ(cycles, seconds)) return true;
    Unit unit = time_unit(MAX(seconds[0], seconds[1]));
    char what[64];
    snprintf(what, sizeof what, "simulated time in %s, cycles / gpu.clock", unit.name);
    print_two(what, 6, unit.per * seconds[0], unit.per * seconds[1]);
    return true;
}

// What onchip compare says of them; of a run that failed, and of a measurement, nothing.
static void print_words(Store *s, const char *const what[2])
{
    Version v[2] = {{.input = what[0]}, {.input = what[1]}};
    Diag none = {0};
    if (version_stored(&v[0], s, what[0], &none) && version_stored(&v[1], s, what[1], &none)) {
        Changes c;
        changes_find(&v[0], &v[1], &c);
        printf("\n");
        compare_words(&c);
        changes_free(&c);
    }
    diag_free(&none);
    version_free(&v[0]), version_free(&v[1]);
}

static void differences_json(const Differences *d, const char *const keys[2], Json *j)
{
    export_begin(j);
    json_texts(j, "keys", keys);
    json_open(j, "differences", '[');
    for (size_t k = 0; k < d->n; k++) json_open(j, NULL, '{'), json_difference(j, &d->v[k]), json_close(j, '}');
    json_close(j, ']');
}

// Compares two runs of a store: prints every counter that differs, or with --column the ratio of that column.
static int compare_keys(const CompareRequest *r, Diag *diag)
{
    Store *s = store_read(r->db, diag);
    RunIds ids[2] = {0};
    bool ok = s != NULL;
    for (int k = 0; k < 2 && ok; k++) {
        Filter f = {.keys = (const char *[]){r->what[k], NULL}};
        ok = store_select(s, &f, &ids[k], diag);
        if (ok && !ids[k].n)
            ok = diag_error(diag, "%s has no run %s, and there is no such file", store_path(s), r->what[k]);
        if (ok && ids[k].n > 1)
            ok = diag_error(diag, "%s has %zu runs with keys that begin with %s", store_path(s), ids[k].n, r->what[k]);
    }
    Json j = {0};
    Judge u = {.gate = r->gate};
    if (ok && r->column) {
        ok = compare_values(r, s, ids, diag);
    } else if (ok) {
        Arena arena = {0};
        Differences d = {0};
        ok = compare_two((Store *[2]){s, s}, (int64_t[2]){ids[0].v[0], ids[1].v[0]}, &arena, &d, diag);
        if (ok && r->json) {
            differences_json(&d, r->what, &j);
        } else if (ok) {
            print_differences(&d, r->what);
            ok = print_times(s, ids, diag);
            if (ok) print_words(s, r->what);
        }
        vec_free(&d);
        arena_free(&arena);
    }
    if (ok) {
        const bool json = r->json && !r->column;
        judge_begin(&u, r, json ? &j : NULL);
        ok = judge_pair(&u, (Store *const[]){s, s}, r->what, NULL, NULL, diag);
        if (ok) judge_end(&u);
        if (ok && json) print_json(&j);
    }
    json_free(&j);
    vec_free(&ids[0]), vec_free(&ids[1]);
    store_close(s);
    return judged(ok, &u);
}

static void print_regression(const Regression *g)
{
    Table t = {.columns = 6, .width = page_width(stdout), .whole = 1};
    const char *const heads[] = {"program", "run", "counters", "cycles", "largest", "before → now"};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < g->changes.n; k++) {
        const Change *c = &g->changes.v[k];
        char text[256];
        table_add(&t, c->program), table_add(&t, c->what);
        add_real(&t, "%.0f", (double)c->counters);
        if (c->cycles[0] > 0)
            add_real(&t, "%+.3f%%", 100 * (c->cycles[1] / c->cycles[0] - 1));
        else
            table_add(&t, "-");
        table_add(&t, c->largest.name);
        snprintf(text, sizeof text, "%s → %s", c->largest.text[0], c->largest.text[1]);
        table_add(&t, text);
    }
    if (g->changes.n) table_print(&t, stdout), printf("\n");
    printf("%llu pairs, %zu differ", (unsigned long long)g->pairs, g->changes.n);
    if (g->alone[0] + g->alone[1])
        printf("; %llu runs only before, %llu only now", (unsigned long long)g->alone[0],
               (unsigned long long)g->alone[1]);
    printf("\n");
    table_free(&t);
}

static void regression_json(const Regression *g, Json *j)
{
    export_begin(j);
    json_uint(j, "pairs", g->pairs);
    json_two(j, "alone", (double)g->alone[0], (double)g->alone[1]);
    json_open(j, "changes", '[');
    for (size_t k = 0; k < g->changes.n; k++) {
        const Change *c = &g->changes.v[k];
        json_open(j, NULL, '{');
        json_string(j, "program", c->program), json_string(j, "run", c->what);
        json_texts(j, "keys", c->key);
        json_two(j, "cycles", c->cycles[0], c->cycles[1]);
        json_uint(j, "counters", c->counters);
        json_open(j, "largest", '{');
        json_difference(j, &c->largest);
        json_close(j, '}'), json_close(j, '}');
    }
    json_close(j, ']');
}

static int compare_against(const CompareRequest *r, Diag *diag)
{
    Selection x[2] = {0};
    Regression g = {.pairs = 0};
    bool ok = select_side(&x[0], r->against, r->filter, diag) && select_side(&x[1], r->db, r->filter, diag) &&
              compare_models((const Side[2]){{x[0].store, &x[0].ids}, {x[1].store, &x[1].ids}}, &g, diag);
    if (ok && !g.pairs)
        ok = diag_error(diag, "nothing to compare: no run of one store has a partner in the other (%zu and %zu runs)",
                        x[0].ids.n, x[1].ids.n);
    Json j = {0};
    Judge u = {.gate = r->gate};
    if (ok) {
        r->json ? regression_json(&g, &j) : print_regression(&g);
        judge_begin(&u, r, r->json ? &j : NULL);
        for (size_t k = 0; k < g.changes.n && ok; k++)
            ok = judge_pair(&u, (Store *const[]){x[0].store, x[1].store}, g.changes.v[k].key, g.changes.v[k].program,
                            g.changes.v[k].what, diag);
        if (ok) judge_end(&u);
        if (ok && r->json) print_json(&j);
    }
    const int code = r->gate->limits.n ? judged(ok, &u) : ok && !g.changes.n ? EXIT_OK : EXIT_FAILED;
    json_free(&j);
    regression_free(&g);
    sides_free(x);
    return code;
}

int db_compare(const CompareRequest *r, Diag *diag)
{
    if ((r->count == 2) + !!r->by + !!r->against != 1 || (r->count && r->count != 2))
        return diag_error(diag, "compare what? two stores, two keys, --by NAME=A,B or --against FILE"), EXIT_USAGE;
    if (r->against) return compare_against(r, diag);
    if (r->by) return compare_by(r, diag);
    bool files =
        !access(r->what[0], F_OK) || !access(r->what[1], F_OK) || r->what[0][strspn(r->what[0], "0123456789abcdef")];
    return files ? compare_stores(r, diag) : compare_keys(r, diag);
}
