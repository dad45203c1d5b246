// tune.c: what the command line says and prints of searches (sweep/search.c). onchip run --sched best-swl and
// --autotune are one search each; onchip sweep may have many. Each candidate is a run of its own, which the results
// store keeps; several are made at a time.
#include "cli/unit.h"

#include <math.h>
#include <string.h>

static const Option options[] = {
    {NULL, "",
     "onchip run --sched best-swl, and onchip run --autotune, make a run for each number that is tried, and keep it"},
    {"--gpu", "NAME|FILE", "the GPU's description (" OC_DEFAULT_GPU ")"},
#include "cli/axes.def"
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--jobs", "N", "how many runs to make at a time (as many as there are processors)"},
    {"--json", NULL, "print the curves as JSON"},
    {"--help", NULL, "this text"},
};
enum { T_GPU = 1, T_DB = T_GPU + 1 + AXIS_COUNT, T_JOBS, T_JSON, T_HELP };

typedef struct Tune {
    const Knob *knob;  // null: none yet
    const char *db;
    bool json, sweep_only;
    bool behind;   // a CUDA program's arguments end the command line
    Text command;  // what is simulated, as a command line; it lacks the number until finish
    Diag wrong;    // an option
    Matrix matrix;
    SweepOptions sweep;
    SearchResult found;
    Diag diag;
} Tune;

// --- what is asked for -----------------------------------------------------------------------------------------------
bool tune_wanted(int argc, char **argv)
{
    for (int k = 0; k < argc; k++) {
        if (!strcmp(argv[k], "--autotune") || !strncmp(argv[k], "--autotune=", 11)) return true;
        if (!strcmp(argv[k], "--sched") && k + 1 < argc && knob_named("sched", argv[k + 1])) return true;
        if (!strncmp(argv[k], "--sched=", 8) && knob_named("sched", argv[k] + 8)) return true;
    }
    return false;
}

// Makes the cells of the search, and reads each, so that a mistake is told before anything runs.
static bool find_cells(Tune *t, Axes *axes)
{
    const Matrix *m = &t->matrix;
    if (!axes->program)
        return diag_error(&t->diag, "run what? a workload (onchip list workloads), a .ptx file or a CUDA program");
    if (!axes_end(axes, &t->diag)) return false;
    if (!m->searches.n) return diag_error(&t->diag, "nothing is tuned");
    t->knob = m->searches.v[0].knob;
    if (m->searches.v[0].n != m->cells.n)
        return diag_error(&t->diag, "--%s %s takes one program and one value of each option", t->knob->axis,
                          t->knob->value);
    Planner *planner = planner_open(NULL);
    bool ok = true;
    for (size_t k = 0; k < m->cells.n && ok; k++) {
        Plan plan;
        ok = matrix_plan(m, planner, &m->cells.v[k], &plan, &t->diag);
        plan_free(&plan);
    }
    planner_close(planner);
    return ok;
}

// Keeps those arguments that say what is simulated. A run takes no --with, but a sweep does.
static void keep_arguments(Tune *t, int option, char **argv, int n)
{
    const char *name = option >= 0 ? options[option].name : "";
    if (option >= T_DB || !strcmp(name, "--autotune") || !strcmp(name, "--interval")) return;
    if (!strcmp(name, "--with")) t->sweep_only = true;
    for (int k = 0; k < n; k++) put_argument(&t->command, argv[k]);
}

// Returns an exit code, or −1 to go on.
static int read_options(Tune *t, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options), .diag = &t->wrong};
    Axes axes = {.matrix = &t->matrix};
    bool ok = true, help = false;
    for (int o, from = 0; ok && !help && (o = args_next(&a)) != -2; from = a.at) {
        const char *v = a.value;
        switch (o) {
        case -3: ok = diag_error(&t->diag, "%s", t->wrong.text.v); break;
        case -1: ok = axes_word(&axes, &a, &t->diag); break;
        case T_DB: t->db = v; break;
        case T_JOBS: ok = parse_jobs(v, &t->sweep.jobs) || diag_error(&t->diag, JOBS_RANGE, v); break;
        case T_JSON: t->json = true; break;
        case T_HELP: help = true; break;
        default:
            if (!t->knob && v) t->knob = knob_named(options[o].name + 2, v);
            ok = axes_option(&axes, options[o].name, v, &t->diag);
        }
        t->behind |= o == -1 && a.at > from + 1;
        if (ok) keep_arguments(t, o, argv + from, a.at - from);
    }
    if (help) print_options(options, COUNT(options));
    if (ok && !help) ok = find_cells(t, &axes);
    text_free(&axes.args);
    return help ? EXIT_OK : ok ? -1 : EXIT_USAGE;
}

// Ends the command line with what is best where all kernels have the same.
static void finish(Tune *t)
{
    Text all = {0};
    text_printf(&all, "onchip %s ", t->sweep_only ? "sweep" : "run");
    Text set = {0};
    text_printf(&set, "--set %s=%u", t->knob->key, t->found.candidates.v[t->found.best].number);
    text_printf(&all, "%s %s", t->behind ? set.v : t->command.v, t->behind ? t->command.v : set.v);
    text_free(&set);
    text_free(&t->command);
    t->command = all;
}

// --- what is printed -------------------------------------------------------------------------------------------------
static void add_cell(Table *table, const char *format, double value)
{
    char text[64] = "-";
    if (!isnan(value)) snprintf(text, sizeof text, format, value);
    table_add(table, text);
}

// How many times as fast as with the largest candidate.
static double times(const SearchResult *f, size_t at)
{
    return search_total(f, f->candidates.n - 1) / search_total(f, at);
}

// The last of the candidates from the n-th on with which every kernel takes as long.
static size_t last_alike(const SearchResult *f, size_t n)
{
    for (; n + 1 < f->candidates.n; n++)
        for (size_t k = 0; k < f->curves.n; k++)
            if (f->curves.v[k].cycles[n] != f->curves.v[k].cycles[n + 1]) return n;
    return n;
}

// A column for each kernel.
static void print_each(const SearchResult *f)
{
    const Candidate *c = f->candidates.v;
    enum { LONGEST = 30 };
    Table table = {.columns = f->curves.n + 2};
    const char **kernels = mem_alloc((f->curves.n + 1) * sizeof *kernels);
    char **shown = mem_alloc((f->curves.n + 1) * sizeof *shown);
    for (size_t k = 0; k < f->curves.n; k++) kernels[k] = f->curves.v[k].kernel;
    names_shorten(kernels, f->curves.n, LONGEST, shown);
    table_add(&table, f->knob->what);
    for (size_t k = 0; k < f->curves.n; k++) table_add(&table, shown[k]);
    table_add(&table, "all");
    for (size_t n = 0, last; n < f->candidates.n; n = last + 1) {
        char text[64];
        last = last_alike(f, n);
        snprintf(text, sizeof text, last == n ? "%u" : "%u to %u", c[n].number, c[last].number);
        table_add(&table, text);
        for (size_t k = 0; k < f->curves.n; k++) add_cell(&table, "%.0f", f->curves.v[k].cycles[n]);
        add_cell(&table, "%.0f", search_total(f, n));
    }
    table_print(&table, stdout);
    table_free(&table);
    for (size_t k = 0; k < f->curves.n; k++)
        printf("%s: best with %u warps\n", shown[k], c[f->curves.v[k].best].number), mem_free(shown[k]);
    mem_free(kernels), mem_free(shown);
    printf("%s: %.0f cycles, %.3f times as fast as all %u warps; with one limit for all kernels, %u, %.3f times\n",
           f->knob->value, search_total(f, SEARCH_EACH), times(f, SEARCH_EACH), c[f->candidates.n - 1].number,
           c[f->best].number, times(f, f->best));
}

static double hit_rate(const Candidate *c) { return c->l1_accesses > 0 ? c->l1_hits / c->l1_accesses : NAN; }

static void print_left_out(const SearchResult *f)
{
    for (size_t n = 0, out = 0; n < f->candidates.n; n++)
        if (!f->candidates.v[n].ran)
            printf("%s%u", out++ ? ", " : "left out, since a block is larger: ", f->candidates.v[n].number);
}

// All kernels together.
static void print_whole(const SearchResult *f)
{
    static const char *const heads[] = {"cycles", "over best", "warps", "L1 hits"};
    Table table = {.columns = 1 + COUNT(heads)};
    table_add(&table, f->knob->what);
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&table, heads[k]);
    for (size_t n = 0; n < f->candidates.n; n++) {
        const Candidate *c = &f->candidates.v[n];
        if (!c->ran) continue;
        add_cell(&table, "%.0f", c->number);
        add_cell(&table, "%.0f", search_total(f, n));
        add_cell(&table, "%.3f", search_total(f, n) / search_total(f, f->best));
        add_cell(&table, "%.0f", c->warps);
        add_cell(&table, "%.1f %%", 100 * hit_rate(c));
    }
    table_print(&table, stdout);
    table_free(&table);
    print_left_out(f);
    printf("%sbest with %u %s: %.0f cycles, %.3f times as fast as with %u\n", f->left_out ? "\n" : "",
           f->candidates.v[f->best].number, f->knob->what, search_total(f, f->best), times(f, f->best),
           f->candidates.v[f->candidates.n - 1].number);
}

static void json_curve(const SearchResult *f, Json *j, const Curve *curve)
{
    json_open(j, "curve", '[');
    for (size_t n = 0; n < f->candidates.n; n++) {
        const Candidate *c = &f->candidates.v[n];
        if (!c->ran || (curve && isnan(curve->cycles[n]))) continue;
        json_open(j, NULL, '{');
        json_uint(j, f->knob->what, c->number);
        json_uint(j, "cycles", (uint64_t)(curve ? curve->cycles[n] : search_total(f, n)));
        if (!curve) json_uint(j, "warps", (uint64_t)c->warps), json_double(j, "l1_hit_rate", hit_rate(c));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_whole(const Tune *t, Json *j)
{
    const SearchResult *f = &t->found;
    json_curve(f, j, NULL);
    json_open(j, "left_out", '[');
    for (size_t n = 0; n < f->candidates.n; n++)
        if (!f->candidates.v[n].ran) json_uint(j, NULL, f->candidates.v[n].number);
    json_close(j, ']');
    json_string(j, "command", t->command.v);
}

static void print_json(const Tune *t)
{
    const Knob *knob = t->knob;
    const SearchResult *f = &t->found;
    Json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    if (knob) json_string(&j, strcmp(knob->axis, "sched") ? knob->axis : "policy", knob->value);
    if (t->diag.failed) {
        json_string(&j, "error", t->diag.text.v);
    } else {
        json_uint(&j, "cycles", (uint64_t)search_total(f, knob->each ? SEARCH_EACH : f->best));
        json_uint(&j, knob->what, f->candidates.v[f->best].number);
        if (!knob->each) json_whole(t, &j);
        json_open(&j, "kernels", '[');
        for (size_t k = 0; k < f->curves.n; k++) {
            const Curve *c = &f->curves.v[k];
            json_open(&j, NULL, '{');
            json_string(&j, "name", c->kernel);
            json_uint(&j, knob->what, f->candidates.v[c->best].number);
            json_curve(f, &j, c);
            json_close(&j, '}');
        }
        json_close(&j, ']');
    }
    json_close(&j, '}');
    printf("%s\n", j.text.v);
    json_free(&j);
}

// --- the searches of a sweep -----------------------------------------------------------------------------------------
// Puts a search's place on the axes of its matrix: "atax nx=64 sched=best-swl".
static void put_place(const Cell *c, Text *out)
{
    static const char program[] = "program=";
    size_t n = strlen(program);
    for (const char *const *l = c->labels; *l; l++)
        if (!strncmp(*l, program, n)) text_put(out, *l + n);
    for (const char *const *l = c->labels; *l; l++)
        if (strncmp(*l, program, n)) text_printf(out, " %s", *l);
}

static void print_line(const SearchResult *f)
{
    const Candidate *c = f->candidates.v;
    bool each = f->knob->each && f->curves.n > 1;
    printf("best with %s=", f->knob->key);
    for (size_t k = 0; k < f->curves.n && each; k++)
        printf("%s%u (%s)", k ? ", " : "", c[f->curves.v[k].best].number, f->curves.v[k].kernel);
    if (!each) printf("%u", c[f->best].number);
    printf(": %.0f cycles, %.3f times as fast as with %u", search_total(f, each ? SEARCH_EACH : f->best),
           times(f, each ? SEARCH_EACH : f->best), c[f->candidates.n - 1].number);
    if (each) printf("; with one for all kernels, %u, %.3f times", c[f->best].number, times(f, f->best));
    if (f->left_out) printf("; "), print_left_out(f);
    printf("\n");
}

bool searches_print(const Matrix *m, Store *store)
{
    Planner *planner = planner_open(store);
    bool all = true;
    for (size_t k = 0; k < m->searches.n; k++) {
        SearchResult f;
        Diag why = {0};
        Text place = {0};
        put_place(&m->cells.v[m->searches.v[k].first], &place);
        bool ok = search_read(m, &m->searches.v[k], planner, store, &f, &why);
        if (ok)
            printf("%s: ", place.v), print_line(&f);
        else
            fflush(stdout), tell(0, "%s: %s", place.v, why.text.v);
        all &= ok;
        search_free(&f);
        diag_free(&why);
        text_free(&place);
    }
    planner_close(planner);
    return all;
}

// --- onchip run ------------------------------------------------------------------------------------------------------
static void print_text(const Tune *t)
{
    if (t->knob->each)
        print_each(&t->found);
    else
        print_whole(&t->found), printf("%s\n", t->command.v);
}

static bool read_runs(Tune *t, Store *store)
{
    Planner *planner = planner_open(store);
    bool ok = search_read(&t->matrix, &t->matrix.searches.v[0], planner, store, &t->found, &t->diag);
    planner_close(planner);
    return ok;
}

static int run_tune(Tune *t)
{
    Sweep s;
    Store *store = store_open(t->db, &t->diag);
    if (!store) return EXIT_FAILED;
    bool ok = sweep_shown(&t->matrix, store, &t->sweep, 0, &s, &t->diag);
    if (ok && interrupted())
        ok = diag_error(&t->diag, "interrupted: %llu of %llu runs were made; the same command goes on",
                        (unsigned long long)(s.stored + s.done), (unsigned long long)s.distinct);
    ok = ok && read_runs(t, store);
    store_close(store);
    if (ok) finish(t), (t->json ? print_json : print_text)(t);
    return ok ? EXIT_OK : interrupted() ? interrupt_status() : EXIT_FAILED;
}

int tune(int argc, char **argv)
{
    Tune t = {.json = false};
    int code = read_options(&t, argc, argv);
    if (code < 0) code = run_tune(&t);
    if (t.diag.failed && args_have(argc, argv, "--json")) print_json(&t);
    fflush(stdout);
    if (t.diag.failed) tell(code, "%s", t.diag.text.v);
    search_free(&t.found);
    matrix_free(&t.matrix);
    diag_free(&t.diag);
    text_free(&t.command), diag_free(&t.wrong);
    return code;
}
