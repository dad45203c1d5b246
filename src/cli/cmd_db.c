// cmd_db.c: onchip db: prints what a store has as tables, CSV or JSON, merges stores, and deletes runs.
#include "cli/unit.h"
#include "compare/compare.h"
#include "device/device.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const Option options[] = {
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--program", "NAME", "only runs of this program"},
    {"--gpu", "NAME|FILE", "only runs on this GPU description"},
    {"--where", "NAME=VALUE",
     "only runs in which NAME has this value: a parameter, an overridden key, or a column of the table run; NAME= "
     "chooses the runs in which it isn't set"},
    {"--failed", NULL, "only runs that failed, with their whole error messages"},
    {"--model", "N|old", "only runs of version N of the model; old: of any version but this program's"},
    {"--columns", "NAME,…",
     "which columns to print instead of cycles, ipc and l1_hit_rate (list) or of all (export): counters, rates, "
     "settings, measured values, or columns of the tables"},
    {"--best", "NAME",
     "among runs that differ only in this setting, such as sched.limit, take the run with the fewest cycles"},
    {"--kernels", NULL, "print a row for each kernel instead of each run"},
    {"--json", NULL, "print JSON (doc/reference/store.md)"},
    {"--csv", NULL, "print CSV (RFC 4180)"},
    {"-o", "FILE", "write into this file (default: to standard output)"},
    {"--by", "NAME=A,B",
     "compare the runs in which NAME is A with the runs in which NAME is B; NAME is a parameter, an overridden key, or "
     "a column of the "
     "table run such as gpu; a value with commas stands in braces: block={32,8},{16,16}"},
    {"--column", "NAME", "what to compare (cycles; if the clocks differ, simulated seconds)"},
    {"--against", "FILE",
     "compare every counter with the same counter in this other store; the exit status is 1 if any differs"},
    {"--fail-above", "PERCENT%|METRIC=PERCENT%[,…]",
     "exit with status 3 if the second run of a pair takes more than so many percent above the first, or has so much "
     "more of a metric, as onchip compare judges it; what merely differs passes"},
    {"--yes", NULL, "delete, even if it is more than one run"},
    {"--help", NULL, "this text"},
};
enum {
    D_DB,
    D_PROGRAM,
    D_GPU,
    D_WHERE,
    D_FAILED,
    D_MODEL,
    D_COLUMNS,
    D_BEST,
    D_KERNELS,
    D_JSON,
    D_CSV,
    D_OUT,
    D_BY,
    D_COLUMN,
    D_AGAINST,
    D_FAIL_ABOVE,
    D_YES,
    D_HELP
};
#define BIT(o) (1u << (o))
enum {
    FILTERS = BIT(D_PROGRAM) | BIT(D_GPU) | BIT(D_WHERE) | BIT(D_FAILED) | BIT(D_MODEL),
    ALWAYS = BIT(D_DB) | BIT(D_HELP)
};

typedef struct Request {
    const char *db, *columns, *best, *output, *by, *column, *against;
    Filter filter;
    Gate gate;
    VEC(const char *) where, words;
    bool json, csv, kernels, yes;
    Arena arena;
    Diag diag;
} Request;

static int list(Request *r);
static int show(Request *r);
static int compare(Request *r);
static int export(Request *r);
static int merge(Request *r);
static int delete (Request *r);

static const struct {
    const char *name, *words, *doc;
    unsigned takes;
    int (*run)(Request *r);
} verbs[] = {
    {"list", "", "list the runs, a line for each",
     FILTERS | BIT(D_COLUMNS) | BIT(D_BEST) | BIT(D_KERNELS) | BIT(D_JSON) | BIT(D_CSV), list},
    {"show", "KEY", "print everything about one run, which is named by the beginning of its key", BIT(D_JSON), show},
    {"compare", "[A B]",
     "compare two stores, two runs, or two parts of a store; or every counter of two versions of the model",
     FILTERS | BIT(D_BY) | BIT(D_COLUMN) | BIT(D_AGAINST) | BIT(D_FAIL_ABOVE) | BIT(D_JSON), compare},
    {"export", "", "write a row for each run and kernel, with every setting, counter and rate",
     FILTERS | BIT(D_COLUMNS) | BIT(D_BEST) | BIT(D_CSV) | BIT(D_JSON) | BIT(D_OUT), export},
    {"merge", "FILE…", "copy the runs of other stores into this one", 0, merge},
    {"delete", "[KEY…]", "delete the runs with these keys, or all runs that list would show", FILTERS | BIT(D_YES),
     delete},
};

static const char *db_word(size_t k, const char **doc)
{
    *doc = k < COUNT(verbs) ? verbs[k].doc : NULL;
    return k < COUNT(verbs) ? verbs[k].name : NULL;
}
const CommandLine db_line = {options, COUNT(options), db_word};

static int usage(size_t v)
{
    if (v != COUNT(verbs)) {
        printf("usage: onchip db %s %s%s[options]\n\n%s.\n\n", verbs[v].name, verbs[v].words,
               *verbs[v].words ? " " : "", verbs[v].doc);
    } else {
        printf("usage: onchip db COMMAND … [options]\n\n");
        for (size_t k = 0; k < COUNT(verbs); k++) {
            char left[16];
            snprintf(left, sizeof left, "  %s", verbs[k].name);
            put_row(stdout, left, 11, BREAK_WORDS, verbs[k].doc);
        }
        printf("\n");
    }
    for (size_t k = 0; k < COUNT(options); k++)
        if (v == COUNT(verbs) || ((verbs[v].takes | ALWAYS) & BIT(k))) print_options(&options[k], 1);
    return EXIT_OK;
}

static size_t find_verb(const char *name)
{
    const char *names[COUNT(verbs)];
    for (size_t k = 0; k < COUNT(verbs); k++) {
        if (!strcmp(name, verbs[k].name)) return k;
        names[k] = verbs[k].name;
    }
    char hint[100];
    if (name[0] == '-')
        tell(0, "unknown option %s; a command comes first: onchip help db", name);
    else
        tell(0, "db has no command '%s'%s", name, did_you_mean(name, names, COUNT(names), hint));
    return COUNT(verbs);
}

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, size_t v, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    int o;
    while ((o = args_next(&a)) != -2) {
        if (o == -3) return EXIT_USAGE;
        if (o >= 0 && !((verbs[v].takes | ALWAYS) & BIT(o)))
            return tell(EXIT_USAGE, "db %s takes no %s", verbs[v].name, options[o].name);
        switch (o) {
        case -1: vec_push(&r->words, a.value); break;
        case D_DB: r->db = a.value; break;
        case D_PROGRAM: r->filter.program = a.value; break;
        case D_GPU: r->filter.gpu = a.value; break;
        case D_WHERE:
            vec_push(&r->where, db_condition(a.value, &r->arena, &r->diag));
            if (r->diag.failed) return EXIT_USAGE;
            break;
        case D_FAILED: r->filter.failed = true; break;
        case D_MODEL: r->filter.model = a.value; break;
        case D_COLUMNS: r->columns = a.value; break;
        case D_BEST: r->best = a.value; break;
        case D_KERNELS: r->kernels = true; break;
        case D_JSON: r->json = true; break;
        case D_CSV: r->csv = true; break;
        case D_OUT: r->output = a.value; break;
        case D_BY: r->by = a.value; break;
        case D_COLUMN: r->column = a.value; break;
        case D_AGAINST: r->against = a.value; break;
        case D_FAIL_ABOVE:
            if (!gate_read(&r->gate, a.value, &r->diag)) return EXIT_USAGE;
            break;
        case D_YES: r->yes = true; break;
        case D_HELP: return usage(v);
        }
    }
    if (r->words.n && !*verbs[v].words)
        return tell(EXIT_USAGE, "db %s takes no argument '%s'", verbs[v].name, r->words.v[0]);
    if (r->json && r->csv) return tell(EXIT_USAGE, "--json or --csv, not both");
    vec_push(&r->where, NULL);
    vec_push(&r->words, NULL);
    r->words.n--;  // without the null at their end
    r->filter.where = r->where.v;
    return -1;
}

int cmd_db(int argc, char **argv)
{
    if (!argc) return usage(COUNT(verbs)), EXIT_USAGE;
    if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) return usage(COUNT(verbs));
    size_t v = find_verb(argv[0]);
    if (v == COUNT(verbs)) return EXIT_USAGE;
    Request r = {.db = NULL};
    int code = read_options(&r, v, argc - 1, argv + 1);
    if (code < 0) code = verbs[v].run(&r);
    if (r.diag.failed) fflush(stdout), tell(0, "%s", r.diag.text.v);
    diag_free(&r.diag);
    vec_free(&r.where), vec_free(&r.words);
    gate_free(&r.gate);
    arena_free(&r.arena);
    return code;
}

// Opens the store and finds the runs that pass the filter; null if either fails.
static Store *select_runs(Request *r, RunIds *ids)
{
    Store *s = store_read(r->db, &r->diag);
    if (s && store_select(s, &r->filter, ids, &r->diag) && (!r->best || store_best(s, ids, r->best, &r->diag)))
        return s;
    store_close(s);
    return NULL;
}

static int fail(Request *r) { return r->diag.failed ? EXIT_FAILED : EXIT_OK; }

// --- list ------------------------------------------------------------------------------------------------------------
static bool split(const char *text, Arena *arena, ColumnNames *out, Diag *diag)
{
    ListValue v;
    while (list_next(&text, &v)) {
        if (v.wrong) return diag_error(diag, "--columns: %s", v.wrong);
        if (v.n) vec_push(out, arena_text(arena, v.at, v.n));
    }
    return true;
}

static int list(Request *r)
{
    Arena arena = {0};
    RunIds ids = {0};
    ColumnNames columns = {0};
    Store *s = select_runs(r, &ids);
    ListForm form = r->csv ? LIST_CSV : r->json ? LIST_JSON : LIST_READ;
    bool ok = s && split(r->columns ? r->columns : "cycles,ipc,l1_hit_rate", &arena, &columns, &r->diag);
    if (ok) db_list(s, &(ListRequest){&ids, &columns, r->kernels, r->filter.failed, form}, &r->diag);
    store_close(s);
    vec_free(&columns), vec_free(&ids);
    arena_free(&arena);
    return fail(r);
}

// --- show ------------------------------------------------------------------------------------------------------------
// The one run with this key; several or none are an error.
static bool one_run(Request *r, Store *s, RunIds *ids)
{
    if (ids->n == 1) return true;
    if (!ids->n) return diag_error(&r->diag, "%s has no run %s", store_path(s), r->words.v[0]);
    const char *const key = "key";
    Text keys = {0};
    Rows *rows = rows_open(s, ids, &key, 1, false, &r->diag);
    for (int k = 0; rows && k < 10 && rows_next(rows, &r->diag); k++)
        text_printf(&keys, "\n  %s", rows_values(rows)->text);
    rows_close(rows);
    diag_error(&r->diag, "%zu runs have keys that begin with %s:%s%s", ids->n, r->words.v[0], keys.v,
               ids->n > 10 ? "\n  …" : "");
    text_free(&keys);
    return false;
}

static const char *unit_of(const char *name)
{
    for (int c = 0; c < C_COUNT; c++)
        if (!strcmp(name, counter_info[c].name)) return counter_info[c].unit;
    const Rate *rate = rate_called(name);
    return rate ? rate->unit : "";
}

static void show_structures(Store *s, int64_t run, const char *kernel, Diag *diag)
{
    Arena arena = {0};
    RunStructures all = {0};
    Table t = {.columns = 9, .indent = 2, .width = page_width(stdout)};
    const char *const heads[] = {"data structure", "loads",       "stores",  "atomics",   "transactions",
                                 "sectors",        "l1_accesses", "l1_hits", "dram_bytes"};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    store_structures(s, run, &arena, &all, diag);
    for (size_t k = 0; k < all.n; k++) {
        const RunStructure *x = &all.v[k];
        const uint64_t values[] = {x->loads,   x->stores,      x->atomics, x->transactions,
                                   x->sectors, x->l1_accesses, x->l1_hits, x->dram_bytes};
        if (strcmp(x->kernel, kernel)) continue;
        table_add(&t, x->name);
        for (size_t n = 0; n < COUNT(values); n++)
            table_add_value(&t, &(Datum){.kind = DATUM_INT, .whole = (int64_t)values[n]});
    }
    if (t.notes.n > 1) printf("\n"), table_print(&t, stdout);
    table_free(&t);
    vec_free(&all);
    arena_free(&arena);
}

// The columns of the table run come first, then those of each kernel, without counters of 0.
static void show_run(Request *r, Store *s, const RunIds *ids, const ColumnNames *columns)
{
    Rows *rows = rows_open(s, ids, columns->v, columns->n, true, &r->diag);
    size_t of_run = 0;
    while (of_run < columns->n && strcmp(columns->v[of_run], "kernel")) of_run++;
    for (bool first = true; rows && rows_next(rows, &r->diag); first = false) {
        const Datum *v = rows_values(rows);
        for (size_t k = first ? 0 : of_run; k < columns->n; k++) {
            Text t = {0};
            if (v[k].kind == DATUM_REAL)
                text_printf(&t, "%.6g", v[k].real);
            else
                datum_text(&v[k], &t);
            if (k == of_run && v[k].kind == DATUM_TEXT)
                printf("\n%s\n", t.v);
            else if (*t.v && (k < of_run || strcmp(t.v, "0")))
                printf("%s%-*s %s%s%s\n", k < of_run ? "" : "  ", k < of_run ? 14 : 26, columns->v[k], t.v,
                       *unit_of(columns->v[k]) ? " " : "", unit_of(columns->v[k]));
            text_free(&t);
        }
        if (v[of_run].kind == DATUM_TEXT) show_structures(s, rows_id(rows), v[of_run].text, &r->diag);
    }
    rows_close(rows);
}

static int show(Request *r)
{
    if (r->words.n != 1) return tell(EXIT_USAGE, "db show takes a key, as onchip db list shows them");
    Arena arena = {0};
    RunIds ids = {0};
    ColumnNames columns = {0};
    r->filter.keys = r->words.v;
    Store *s = select_runs(r, &ids);
    if (s && one_run(r, s, &ids)) {
        if (r->json)
            export_runs(s, &ids, stdout, &r->diag);
        else if (export_columns(s, &ids, &arena, &columns, &r->diag))
            show_run(r, s, &ids, &columns);
    }
    store_close(s);
    vec_free(&columns), vec_free(&ids);
    arena_free(&arena);
    return fail(r);
}

// --- the others ------------------------------------------------------------------------------------------------------
static int compare(Request *r)
{
    return db_compare(&(CompareRequest){.db = r->db,
                                        .by = r->by,
                                        .column = r->column,
                                        .against = r->against,
                                        .what = r->words.v,
                                        .count = r->words.n,
                                        .filter = &r->filter,
                                        .gate = &r->gate,
                                        .json = r->json},
                      &r->diag);
}

static int export(Request *r)
{
    Arena arena = {0};
    RunIds ids = {0};
    ColumnNames columns = {0};
    Store *s = select_runs(r, &ids);
    FILE *out = !s ? NULL : r->output ? fopen(r->output, "wb") : stdout;
    if (s && !out) diag_error(&r->diag, "can't write %s: %s", r->output, strerror(errno));
    if (out && r->json && !r->columns) {
        export_runs(s, &ids, out, &r->diag);
    } else if (out) {
        if (r->columns)
            split(r->columns, &arena, &columns, &r->diag);
        else
            export_columns(s, &ids, &arena, &columns, &r->diag);
        if (!r->diag.failed) export_rows(s, &ids, &columns, true, r->json ? EXPORT_JSON : EXPORT_CSV, out, &r->diag);
    }
    if (out && (fflush(out) || (r->output && fclose(out))))
        diag_error(&r->diag, "%s: %s", r->output ? r->output : "standard output", strerror(errno));
    store_close(s);
    vec_free(&columns), vec_free(&ids);
    arena_free(&arena);
    return fail(r);
}

static int merge(Request *r)
{
    if (!r->words.n) return tell(EXIT_USAGE, "db merge takes the stores to take over");
    MergeCount all = {0};
    Store *s = store_open(r->db, &r->diag);
    for (size_t k = 0; s && k < r->words.n; k++) {
        MergeCount one = {0};
        if (!store_merge(s, r->words.v[k], &one, &r->diag)) break;
        printf("%s: %llu added, %llu known\n", r->words.v[k], (unsigned long long)one.added,
               (unsigned long long)one.known);
        all.added += one.added, all.known += one.known;
    }
    if (s && !r->diag.failed && r->words.n > 1)
        printf("%s: %llu added, %llu known\n", store_path(s), (unsigned long long)all.added,
               (unsigned long long)all.known);
    store_close(s);
    return fail(r);
}

static int delete (Request *r)
{
    const Filter *f = &r->filter;
    if (!r->words.n && !f->failed && !f->program && !f->gpu && !f->model && !f->where[0])
        return tell(EXIT_USAGE, "delete which? keys, --failed, --model, --program, --gpu or --where");
    RunIds ids = {0};
    r->filter.keys = r->words.v;
    Store *s = select_runs(r, &ids);
    if (s && !ids.n)
        diag_error(&r->diag, "%s has no such run", store_path(s));
    else if (s && ids.n > 1 && !r->yes)
        diag_error(&r->diag, "%zu runs would be deleted\nhint: --yes deletes them", ids.n);
    else if (s && store_delete(s, &ids, &r->diag))
        printf("%zu run%s deleted from %s\n", ids.n, ids.n == 1 ? "" : "s", store_path(s));
    store_close(s);
    vec_free(&ids);
    return fail(r);
}
