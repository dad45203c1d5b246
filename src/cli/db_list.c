// db_list.c: onchip db list. On a terminal, a row has what tells its run from the others: each setting that differs is
// a column. The table's head says what all runs have in common; the line below a row says why its run failed. Elsewhere
// everything is printed, with tabs between the columns.
#include "cli/unit.h"

#include <string.h>
#include <unistd.h>

// --- what differs ----------------------------------------------------------------------------------------------------
enum { L_KEY, L_VERB, L_PROGRAM, L_GPU, L_MODEL, L_OPTIONS, L_PARAMS, L_OVERRIDES, L_STATUS, L_COUNT };
static const char *const of_run[L_COUNT] = {"key",     "verb",   "program",   "gpu",   "model",
                                            "options", "params", "overrides", "status"};

typedef struct Listed {  // a run
    int64_t id;
    size_t like;  // the first run of its program
    const char *text[L_COUNT];
    VEC(RunSetting) settings;
} Listed;
typedef struct Setting {
    const char *name;
    bool differs, common;  // common: all runs have it, with one value
} Setting;
typedef struct List {
    Arena arena;
    VEC(Listed) runs;
    VEC(Setting) settings;  // parameters before keys of the description
    TextList differ;        // names of the settings that differ
} List;

static const char *value_of(const Listed *run, const char *name)
{
    const char *value = NULL;
    for (size_t k = 0; k < run->settings.n; k++)
        if (!strcmp(run->settings.v[k].name, name)) value = run->settings.v[k].value;  // the last one counts
    return value;
}

static bool same(const char *a, const char *b)
{
    uint64_t x, y;
    if (!a || !b) return a == b;
    return !strcmp(a, b) || (parse_size(a, &x) && parse_size(b, &y) && x == y);
}

// A parameter is only compared among runs of one program, since others don't have it.
static void find_differences(List *l)
{
    for (size_t n = 0; n < l->settings.n; n++) {
        Setting *s = &l->settings.v[n];
        bool key = strchr(s->name, '.') != NULL;
        s->common = true;
        for (size_t k = 0; k < l->runs.n; k++) {
            const Listed *run = &l->runs.v[k];
            const char *value = value_of(run, s->name);
            s->common = s->common && value && same(value, value_of(&l->runs.v[0], s->name));
            s->differs |= !same(value, value_of(&l->runs.v[key ? 0 : run->like], s->name));
        }
        if (s->differs) vec_push(&l->differ, s->name);
    }
}

static const Setting *setting_of(const List *l, const char *name)
{
    for (size_t k = 0; k < l->settings.n; k++)
        if (!strcmp(l->settings.v[k].name, name)) return &l->settings.v[k];
    return NULL;
}

static void read_settings(List *l, Listed *run, const char *list)
{
    Text name = {0}, value = {0};
    while (setting_next(&list, &name, &value)) {
        RunSetting s = {arena_text(&l->arena, name.v, name.n), arena_text(&l->arena, value.v, value.n)};
        vec_push(&run->settings, s);
        if (!setting_of(l, s.name)) vec_push(&l->settings, ((Setting){.name = s.name}));
    }
    text_free(&name), text_free(&value);
}

static bool text_differs(const List *l, int which)
{
    for (size_t k = 1; k < l->runs.n; k++)
        if (strcmp(l->runs.v[k].text[which], l->runs.v[0].text[which])) return true;
    return false;
}

static void read_list(List *l, Store *s, const RunIds *ids, Diag *diag)
{
    Rows *rows = rows_open(s, ids, of_run, L_COUNT, false, diag);
    Map programs = {0};
    while (rows && rows_next(rows, diag)) {
        Listed run = {.id = rows_id(rows)};
        for (int k = 0; k < L_COUNT; k++) {
            Text t = {0};
            datum_text(&rows_values(rows)[k], &t);
            run.text[k] = arena_text(&l->arena, t.v, t.n);
            text_free(&t);
        }
        const char *program = run.text[L_PROGRAM];
        int64_t like = (int64_t)l->runs.n;
        if (!map_get(&programs, program, strlen(program), &like)) map_put(&programs, program, strlen(program), like);
        run.like = (size_t)like;
        vec_push(&l->runs, run);
    }
    rows_close(rows);
    map_free(&programs);
    for (int which = L_PARAMS; which <= L_OVERRIDES; which++)
        for (size_t k = 0; k < l->runs.n; k++) read_settings(l, &l->runs.v[k], l->runs.v[k].text[which]);
    find_differences(l);
}

static void free_list(List *l)
{
    for (size_t k = 0; k < l->runs.n; k++) vec_free(&l->runs.v[k].settings);
    vec_free(&l->runs), vec_free(&l->settings), vec_free(&l->differ);
    arena_free(&l->arena);
}

// --- the table -------------------------------------------------------------------------------------------------------
// How many digits of keys tell the runs apart, 8 at least.
static size_t key_length(const List *l)
{
    size_t length = 8;
    Map seen = {0};
    for (size_t k = 0; k < l->runs.n; k++) {
        const char *text = l->runs.v[k].text[L_KEY];
        while (length < KEY_DIGITS && map_get(&seen, text, length, NULL)) length++;
        map_put(&seen, text, length, 1);
    }
    map_free(&seen);
    return length;
}

// "atax on gtx480, nx=64, ny=64"
static void print_common(const List *l)
{
    Text t = {0};
    if (!text_differs(l, L_PROGRAM)) text_put(&t, l->runs.v[0].text[L_PROGRAM]);
    if (!text_differs(l, L_GPU)) text_printf(&t, "%son %s", t.n ? " " : "", l->runs.v[0].text[L_GPU]);
    for (size_t k = 0; k < l->settings.n; k++)
        if (l->settings.v[k].common)
            text_printf(&t, "%s%s=%s", t.n ? ", " : "", l->settings.v[k].name,
                        value_of(&l->runs.v[0], l->settings.v[k].name));
    if (t.n) put_wrapped(stdout, 0, 0, BREAK_ITEMS, t.v), printf("\n");
    text_free(&t);
}

typedef struct Shown {
    bool text[L_COUNT], others, tight;  // tight: the names of programs and GPUs are shortened too
    size_t own, key;                    // how many settings have columns; digits of keys
} Shown;

// The settings that have no column of their own and don't stand above the table.
static const char *others_of(List *l, const Listed *run, const Shown *x)
{
    const char *others = x->tight ? run->text[L_OPTIONS] : "";
    size_t own = x->own;
    for (size_t k = 0; k < run->settings.n; k++) {
        const RunSetting *s = &run->settings.v[k];
        size_t at = 0;
        while (at < own && strcmp(l->differ.v[at], s->name)) at++;
        if (at < own || setting_of(l, s->name)->common) continue;
        others = *others ? arena_printf(&l->arena, "%s %s=%s", others, s->name, s->value)
                         : arena_printf(&l->arena, "%s=%s", s->name, s->value);
    }
    return others;
}

static void add_run(Table *t, List *l, const Listed *run, const Shown *x)
{
    char key[KEY_DIGITS + 1];
    snprintf(key, sizeof key, "%.*s", (int)x->key, run->text[L_KEY]);
    table_add(t, key);
    for (int k = 1; k < L_PARAMS; k++)
        if (x->text[k]) table_add(t, run->text[k]);
    for (size_t k = 0; k < x->own; k++) {
        const char *value = value_of(run, l->differ.v[k]);
        table_add(t, value ? value : "-");
    }
    if (x->others) table_add(t, others_of(l, run, x));
}

static void add_heads(Table *t, const List *l, const Shown *x, const ColumnNames *columns)
{
    table_add(t, "run");
    for (int k = 1; k < L_PARAMS; k++)
        if (x->text[k]) table_add(t, of_run[k]);
    for (size_t k = 0; k < x->own; k++) table_add(t, l->differ.v[k]);
    if (x->others) table_add(t, "settings");
    for (size_t k = 0; k < columns->n; k++) table_add(t, columns->v[k]);
}

// Builds the table with so many settings as columns. Returns how many runs failed.
static size_t build(Table *t, List *l, Store *s, const ListRequest *r, Shown *x, Diag *diag)
{
    ColumnNames columns = {0}, all = {0};
    enum { NAME = 24 };  // bytes of a program's name that aren't shortened
    size_t failed = 0, at = 0, texts = 1, longest = 0;
    if (r->kernels) vec_push(&columns, "kernel");
    for (size_t k = 0; k < r->columns->n; k++) vec_push(&columns, r->columns->v[k]);
    for (size_t k = 0; k < columns.n; k++) vec_push(&all, columns.v[k]);
    vec_push(&all, "error");
    x->others = false;
    for (size_t k = 0; k < l->runs.n; k++) x->others |= *others_of(l, &l->runs.v[k], x) != 0;
    for (int k = 1; k < L_PARAMS; k++) texts += x->text[k];
    t->columns = texts + x->own + x->others + columns.n;
    for (size_t k = 0; k < l->runs.n; k++) longest = MAX(longest, strlen(l->runs.v[k].text[L_PROGRAM]));
    t->whole = x->tight || longest > NAME ? 1 : 1u + x->text[L_VERB] + x->text[L_PROGRAM] + x->text[L_GPU];
    add_heads(t, l, x, &columns);
    Rows *rows = rows_open(s, r->ids, all.v, all.n, r->kernels, diag);
    while (rows && rows_next(rows, diag)) {
        const Datum *v = rows_values(rows);
        while (at < l->runs.n && l->runs.v[at].id != rows_id(rows)) at++;
        if (at == l->runs.n) break;
        add_run(t, l, &l->runs.v[at], x);
        for (size_t k = 0; k < columns.n; k++) table_add_value(t, &v[k]);
        const char *error = v[columns.n].kind == DATUM_TEXT ? v[columns.n].text : NULL;
        Text line = {0};
        if (error) failed++, text_add(&line, error, strcspn(error, "\n"));
        if (error) table_note(t, r->errors ? error : line.v);
        text_free(&line);
    }
    rows_close(rows);
    vec_free(&columns), vec_free(&all);
    return failed;
}

static void print_count(const List *l, const Store *s, size_t failed, FILE *out)
{
    fprintf(out, "%zu run%s", l->runs.n, l->runs.n == 1 ? "" : "s");
    if (failed) fprintf(out, ", %zu failed", failed);
    fprintf(out, " in %s\n", store_path(s));
}

static void print_table(List *l, Store *s, const ListRequest *r, Diag *diag)
{
    Shown x = {.own = l->differ.n, .key = key_length(l)};
    size_t failed, width = page_width(stdout);
    for (int k = 1; k < L_PARAMS; k++) x.text[k] = text_differs(l, k);
    x.text[L_VERB] |= l->runs.n && strcmp(l->runs.v[0].text[L_VERB], "run");
    x.text[L_OPTIONS] |= l->runs.n && *l->runs.v[0].text[L_OPTIONS];
    for (;;) {  // settings for which there is no room share one column
        Table t = {.width = width};
        failed = build(&t, l, s, r, &x, diag);
        bool fits = diag->failed || x.tight || table_least(&t) <= width;
        if (fits && !diag->failed && l->runs.n) print_common(l), table_print(&t, stdout), printf("\n");
        table_free(&t);
        if (fits) break;
        if (x.own)
            x.own--;
        else
            x.tight = true, x.text[L_OPTIONS] = false;
    }
    if (!diag->failed) print_count(l, s, r->errors ? 0 : failed, stdout);
}

void db_list(Store *s, const ListRequest *r, Diag *diag)
{
    static const char *const front[] = {"key", "verb", "program", "params", "gpu", "overrides", "options", "model"};
    List l = {.arena = {0}};
    ColumnNames all = {0};
    bool table = r->form == LIST_READ && isatty(STDOUT_FILENO);
    if (r->form == LIST_READ) read_list(&l, s, r->ids, diag);
    if (table) {
        if (!diag->failed) print_table(&l, s, r, diag);
    } else {
        for (size_t k = 0; k < COUNT(front); k++) vec_push(&all, front[k]);
        for (size_t k = 0; k < l.differ.n; k++) vec_push(&all, setting_column(l.differ.v[k], r->kernels, &l.arena));
        if (r->kernels) vec_push(&all, "kernel");
        for (size_t k = 0; k < r->columns->n; k++) vec_push(&all, r->columns->v[k]);
        vec_push(&all, "status");
        vec_push(&all, "error");
        ExportForm form = r->form == LIST_CSV ? EXPORT_CSV : r->form == LIST_JSON ? EXPORT_JSON : EXPORT_TABS;
        if (!diag->failed) export_rows(s, r->ids, &all, r->kernels, form, stdout, diag);
        size_t failed = 0;
        for (size_t k = 0; k < l.runs.n; k++) failed += !strcmp(l.runs.v[k].text[L_STATUS], "failed");
        if (!diag->failed && r->form == LIST_READ) fflush(stdout), print_count(&l, s, r->errors ? 0 : failed, stderr);
    }
    vec_free(&all);
    free_list(&l);
}
