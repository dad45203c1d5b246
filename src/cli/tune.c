// tune.c: onchip run --sched best-swl and --autotune: finds the best number for a key of the description by trying
// numbers, the candidates. Each candidate is a run of its own, a cell of a matrix, which the results store keeps;
// several are made at a time. What can be tuned is a row of knobs[]:
// - the warp limit of swl (ciao §V-A, Best-SWL). A program may choose one for each launch, so that each kernel counts
//   with its own best.
// - the threads that an SM holds (unified-memory §4.5). One number holds for the whole run, so that the sum over
//   all kernels counts.
//
// Candidates ascend, and cell k of the matrix is candidate k. A candidate with which no block fits is left out. Any
// other run that fails is an error, as is a wrong result: only right results are compared. Of equals the largest wins.
#include "chip/chip.h"
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static const Option options[] = {
    {NULL, "",
     "onchip run --sched best-swl, and onchip run --autotune, make a run for each number that is tried, and keep it"},
    {"--autotune", "threads[=N,…]", TUNE_DOC},
    {"--gpu", "NAME|FILE", "the GPU's description (gtx480)"},
    AXIS_OPTIONS,
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--jobs", "N", "how many runs to make at a time (as many as there are processors)"},
    {"--json", NULL, "print the curves as JSON"},
    {"--help", NULL, "this text"},
};
enum { T_AUTOTUNE = 1, T_GPU, T_SCHED, T_SET, T_DB = T_GPU + 1 + AXIS_COUNT, T_JOBS, T_JSON, T_HELP };

typedef struct Candidate {
    uint32_t value;
    bool ran;
    double warps, l1_hits, l1_accesses;  // warps: that an SM has room for, of the kernel with the least
} Candidate;
typedef struct Curve {  // of a kernel: cycles by candidate, NAN where there are none
    const char *kernel;
    double *cycles;
    size_t best;
} Curve;
typedef struct Tune Tune;
typedef struct Knob {
    const char *option, *name;          // what asks for it: "--autotune threads"
    const char *field;                  // of the JSON that has the name
    const char *what;                   // a candidate, in tables and JSON
    const char *key, *also[2];          // the key of the description, and an axis with its value that every run has
    const char *unfit;                  // the limit of the occupancy by which a candidate is too small; null: none is
    bool each;                          // each kernel has its own best
    void (*find)(Tune *, const Gpu *);  // adds the candidates where the command line has none
    void (*print)(const Tune *);
} Knob;
struct Tune {
    const Knob *knob;
    const char *list;  // the candidates of the command line; null: there are none
    const char *gpu, *db;
    const char *unfit;  // why the last candidate that was left out was; null: none was
    bool json, sweep_only;
    size_t left_out, best;  // how many; and the place of the best, where all kernels have the same
    Text command;           // what is simulated, as a command line that lacks the number
    Text wrong;             // an option
    Arena arena;
    Matrix matrix;
    SweepOptions sweep;
    Diag diag;
    VEC(const char *) sets;
    VEC(Candidate) candidates;
    VEC(Curve) curves;
};

// --- what is tried ---------------------------------------------------------------------------------------------------
// Puts a candidate at its place, unless it is there.
static void add_candidate(Tune *t, uint32_t value)
{
    size_t at = t->candidates.n;
    while (at && t->candidates.v[at - 1].value > value) at--;
    if (at && t->candidates.v[at - 1].value == value) return;
    Candidate c = {.value = value, .warps = NAN};
    vec_push(&t->candidates, c);
    memmove(&t->candidates.v[at + 1], &t->candidates.v[at], (t->candidates.n - 1 - at) * sizeof c);
    t->candidates.v[at] = c;
}

// The limits that can be shared out evenly among an SM's schedulers, up to the warps that it has room for.
static void find_limits(Tune *t, const Gpu *g)
{
    for (uint32_t n = g->sm.schedulers; n <= g->sm.max_warps && n <= OC_MOST_WARPS; n += g->sm.schedulers)
        add_candidate(t, n);
}

// Eighths of the threads that the described SM holds, in whole warps; the last is all of them.
static void find_threads(Tune *t, const Gpu *g)
{
    for (uint32_t k = 1; k <= 8; k++) {
        uint32_t n = (g->sm.max_threads * k + 7) / 8;
        add_candidate(t, MIN((n + LANES - 1) / LANES * LANES, g->sm.max_threads));
    }
}

static void print_each(const Tune *t);
static void print_whole(const Tune *t);
static const Knob knobs[] = {
    {"--sched", "best-swl", "policy", "limit", "sched.limit", {"sched", "swl"}, NULL, true, find_limits, print_each},
    {"--autotune", "threads", "autotune", "threads", "sm.threads", {0}, "threads", false, find_threads, print_whole},
};

// What an option's value asks for; null: nothing that is tuned. Candidates may stand behind a name of --autotune.
static const Knob *knob_of(const char *option, const char *value)
{
    size_t n = strcspn(value, "=");
    if (value[n] && strcmp(option, "--autotune")) return NULL;
    for (size_t k = 0; k < COUNT(knobs); k++)
        if (!strcmp(option, knobs[k].option) && strlen(knobs[k].name) == n && !strncmp(knobs[k].name, value, n))
            return &knobs[k];
    return NULL;
}

bool tune_wanted(int argc, char **argv)
{
    for (int k = 0; k < argc; k++) {
        if (!strcmp(argv[k], "--autotune") || !strncmp(argv[k], "--autotune=", 11)) return true;
        if (!strcmp(argv[k], "--sched") && k + 1 < argc && knob_of("--sched", argv[k + 1])) return true;
        if (!strncmp(argv[k], "--sched=", 8) && knob_of("--sched", argv[k] + 8)) return true;
    }
    return false;
}

static bool take_knob(Tune *t, const char *option, const char *value)
{
    const Knob *knob = knob_of(option, value);
    if (!knob) {
        Text names = {0};
        for (size_t k = 0; k < COUNT(knobs); k++)
            if (!strcmp(knobs[k].option, option)) text_printf(&names, "%s%s", names.n ? ", " : "", knobs[k].name);
        diag_error(&t->diag, "%s takes %s, with =N,… behind it or without, not '%s'", option, names.v, value);
        text_free(&names);
        return false;
    }
    if (t->knob && t->knob != knob)
        return diag_error(&t->diag, "%s %s and %s %s don't go together: one thing is tuned at a time", t->knob->option,
                          t->knob->name, option, knob->name);
    t->knob = knob;
    t->list = value[strlen(knob->name)] ? value + strlen(knob->name) + 1 : NULL;
    return true;
}

static bool take_list(Tune *t)
{
    for (const char *p = t->list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const char *word = arena_text(&t->arena, p, strcspn(p, ","));
        uint64_t value;
        if (!parse_size(word, &value) || value > UINT32_MAX)
            return diag_error(&t->diag, "%s %s=%s: '%s' isn't a whole number", t->knob->option, t->knob->name, t->list,
                              word);
        add_candidate(t, (uint32_t)value);
    }
    return true;
}

// Finds the candidates, and checks that the description takes each that the command line has.
static bool find_candidates(Tune *t)
{
    Gpu g;
    vec_push(&t->sets, NULL);
    if (!gpu_load(&g, t->gpu, t->sets.v, &t->diag)) return false;
    if (!t->list) t->knob->find(t, &g);
    gpu_free(&g);
    if (!take_list(t)) return false;
    vec_push(&t->sets, NULL);
    for (size_t k = 0; t->list && k < t->candidates.n; k++) {
        t->sets.v[t->sets.n - 2] = arena_printf(&t->arena, "%s=%u", t->knob->key, t->candidates.v[k].value);
        if (!gpu_load(&g, t->gpu, t->sets.v, &t->diag)) return false;
        gpu_free(&g);
    }
    return true;
}

static bool find_cells(Tune *t, Axes *axes)
{
    const Knob *knob = t->knob;
    Text list = {0};
    bool ok = axes->program || diag_error(&t->diag, "run what? a workload (onchip list workloads) or a .ptx file");
    ok = ok && find_candidates(t);
    for (size_t k = 0; k < t->candidates.n; k++) text_printf(&list, "%s%u", k ? "," : "", t->candidates.v[k].value);
    ok = ok && (!knob->also[0] || matrix_axis(&t->matrix, knob->also[0], knob->also[1], &t->diag)) &&
         matrix_axis(&t->matrix, knob->key, list.v, &t->diag) && axes_end(axes, &t->diag);
    if (ok && t->matrix.cells.n != t->candidates.n)
        ok = diag_error(&t->diag, "%s %s takes one program and one value of each option", knob->option, knob->name);
    text_free(&list);
    return ok;
}

// Keeps those arguments that say what is simulated. A run takes no --with, but a sweep does.
static void keep_arguments(Tune *t, int option, char **argv, int n)
{
    bool own = option == T_AUTOTUNE || option >= T_DB;
    if (own || (option >= 0 && !strcmp(options[option].name, "--interval"))) return;
    if (option >= 0 && !strcmp(options[option].name, "--with")) t->sweep_only = true;
    for (int k = 0; k < n; k++) put_argument(&t->command, argv[k]);
}

// Returns an exit code, or −1 to go on.
static int read_options(Tune *t, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options), .error = &t->wrong};
    Axes axes = {.matrix = &t->matrix};
    bool ok = true, help = false;
    for (int o, from = 0; ok && !help && (o = args_next(&a)) != -2; from = a.at) {
        const char *v = a.value;
        switch (o) {
        case -3: ok = diag_error(&t->diag, "%s", t->wrong.v); break;
        case -1: ok = axes_word(&axes, v, &t->diag); break;
        case T_DB: t->db = v; break;
        case T_JOBS: ok = parse_jobs(v, &t->sweep.jobs) || diag_error(&t->diag, JOBS_RANGE, v); break;
        case T_JSON: t->json = true; break;
        case T_HELP: help = true; break;
        default:
            if (o == T_GPU) t->gpu = v;
            if (o == T_SET) vec_push(&t->sets, v);
            ok = o == T_AUTOTUNE || (o == T_SCHED && knob_of("--sched", v))
                     ? take_knob(t, options[o].name, v)
                     : axes_option(&axes, options[o].name, v, &t->diag);
        }
        if (ok) keep_arguments(t, o, argv + from, a.at - from);
    }
    if (help) print_options(options, COUNT(options));
    if (ok && !help) ok = (t->knob || diag_error(&t->diag, "nothing is tuned")) && find_cells(t, &axes);
    text_free(&axes.args);
    return help ? EXIT_OK : ok ? -1 : EXIT_USAGE;
}

// --- what came out ---------------------------------------------------------------------------------------------------
static Curve *curve_of(Tune *t, const char *kernel)
{
    for (size_t k = 0; k < t->curves.n; k++)
        if (!strcmp(t->curves.v[k].kernel, kernel)) return &t->curves.v[k];
    Curve c = {.kernel = arena_copy(&t->arena, kernel),
               .cycles = arena_alloc(&t->arena, t->candidates.n * sizeof *c.cycles)};
    for (size_t n = 0; n < t->candidates.n; n++) c.cycles[n] = NAN;
    vec_push(&t->curves, c);
    return &t->curves.v[t->curves.n - 1];
}

// A run that failed: false, with the reason, unless its candidate is too small for a block.
static bool take_failure(Tune *t, const Candidate *c, const char *error)
{
    const char *at = t->knob->unfit && error ? strstr(error, UNFIT) : NULL;
    if (!at || strncmp(at + strlen(UNFIT), t->knob->unfit, strlen(t->knob->unfit)))
        return diag_error(&t->diag,
                          "a run failed, that with %s=%u: %s\nhint: onchip db delete --failed lets it be made again",
                          t->knob->key, c->value, error ? error : "no reason is stored");
    t->unfit = arena_copy(&t->arena, error);
    t->left_out++;
    return true;
}

static double number(const Datum *v)
{
    double x;
    return datum_number(v, &x) ? x : 0;
}

// Reads a candidate's run. A kernel that was executed without time has a row of its own, which doesn't count.
static bool read_run(Tune *t, Store *store, const char *key, size_t at)
{
    static const char *const columns[] = {"status", "error",           "kernel",  "functional",
                                          "cycles", "occupancy_warps", "l1.hits", "l1.accesses"};
    enum { STATUS, ERROR, KERNEL, FUNCTIONAL, CYCLES, WARPS, HITS, ACCESSES };
    RunIds ids = {0};
    Filter filter = {.keys = (const char *const[]){key, NULL}};
    Candidate *c = &t->candidates.v[at];
    Rows *rows = NULL;
    bool ok = store_select(store, &filter, &ids, &t->diag), failed = false;
    ok =
        ok && (ids.n || diag_error(&t->diag, "%s lacks the run with %s=%u", store_path(store), t->knob->key, c->value));
    ok = ok && (rows = rows_open(store, &ids, columns, COUNT(columns), true, &t->diag));
    while (ok && !failed && rows_next(rows, &t->diag)) {
        const Datum *v = rows_values(rows);
        failed = v[STATUS].kind != DATUM_TEXT || strcmp(v[STATUS].text, "done") != 0;
        if (failed) ok = take_failure(t, c, v[ERROR].kind == DATUM_TEXT ? v[ERROR].text : NULL);
        c->ran = !failed;
        if (failed || v[KERNEL].kind != DATUM_TEXT || v[FUNCTIONAL].whole) continue;
        curve_of(t, v[KERNEL].text)->cycles[at] = number(&v[CYCLES]);
        c->warps = fmin(c->warps, number(&v[WARPS]));  // NAN is none
        c->l1_hits += number(&v[HITS]), c->l1_accesses += number(&v[ACCESSES]);
    }
    rows_close(rows);
    vec_free(&ids);
    return ok && !t->diag.failed;
}

static bool read_runs(Tune *t, Store *store)
{
    Planner *planner = planner_open();
    bool ok = true;
    for (size_t k = 0; k < t->matrix.cells.n && ok; k++) {
        Plan plan;
        ok = matrix_plan(&t->matrix, planner, &t->matrix.cells.v[k], &plan, &t->diag) &&
             read_run(t, store, plan.id.key, k);
        plan_free(&plan);
    }
    planner_close(planner);
    if (ok && !t->curves.n)
        ok = t->left_out == t->candidates.n ? diag_error(&t->diag, "no number runs, up to %s=%u: %s", t->knob->key,
                                                         t->candidates.v[t->candidates.n - 1].value, t->unfit)
                                            : diag_error(&t->diag, "no kernel was timed");
    for (size_t k = 0; k < t->curves.n; k++) {
        Curve *c = &t->curves.v[k];
        for (size_t n = 0; n < t->candidates.n; n++)
            if (isnan(c->cycles[c->best]) || c->cycles[n] <= c->cycles[c->best]) c->best = n;
    }
    return ok;
}

// What all kernels take together, each with the same candidate; EACH: each with its best. A kernel that wasn't launched
// takes nothing.
#define EACH SIZE_MAX
static double total(const Tune *t, size_t at)
{
    double sum = 0;
    for (size_t k = 0; k < t->curves.n; k++) {
        const Curve *c = &t->curves.v[k];
        double cycles = c->cycles[at == EACH ? c->best : at];
        sum += isnan(cycles) ? 0 : cycles;
    }
    return sum;
}

// Finds what is best where all kernels have the same, and ends the command line with it.
static void finish(Tune *t)
{
    size_t best = SIZE_MAX;
    for (size_t n = 0; n < t->candidates.n; n++)
        if (t->candidates.v[n].ran && (best == SIZE_MAX || total(t, n) <= total(t, best))) best = n;
    t->best = best;
    Text all = {0};
    text_printf(&all, "onchip %s %s --set %s=%u", t->sweep_only ? "sweep" : "run", t->command.v, t->knob->key,
                t->candidates.v[best].value);
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

// The last of the candidates from the n-th on with which every kernel takes as long.
static size_t last_alike(const Tune *t, size_t n)
{
    for (; n + 1 < t->candidates.n; n++)
        for (size_t k = 0; k < t->curves.n; k++)
            if (t->curves.v[k].cycles[n] != t->curves.v[k].cycles[n + 1]) return n;
    return n;
}

// A column for each kernel.
static void print_each(const Tune *t)
{
    const Candidate *c = t->candidates.v;
    size_t most = t->candidates.n - 1, all = t->best;
    Table table = {.columns = t->curves.n + 2};
    table_add(&table, t->knob->what);
    for (size_t k = 0; k < t->curves.n; k++) table_add(&table, t->curves.v[k].kernel);
    table_add(&table, "all");
    for (size_t n = 0, last; n < t->candidates.n; n = last + 1) {
        char text[64];
        last = last_alike(t, n);
        snprintf(text, sizeof text, last == n ? "%u" : "%u to %u", c[n].value, c[last].value);
        table_add(&table, text);
        for (size_t k = 0; k < t->curves.n; k++) add_cell(&table, "%.0f", t->curves.v[k].cycles[n]);
        add_cell(&table, "%.0f", total(t, n));
    }
    table_print(&table, stdout);
    table_free(&table);
    for (size_t k = 0; k < t->curves.n; k++)
        printf("%s: best with %u warps\n", t->curves.v[k].kernel, c[t->curves.v[k].best].value);
    printf("%s: %.0f cycles, %.3f times as fast as all %u warps; with one limit for all kernels, %u, %.3f times\n",
           t->knob->name, total(t, EACH), total(t, most) / total(t, EACH), c[most].value, c[all].value,
           total(t, most) / total(t, all));
}

static double hit_rate(const Candidate *c) { return c->l1_accesses > 0 ? c->l1_hits / c->l1_accesses : NAN; }

// All kernels together, and the command that runs the best.
static void print_whole(const Tune *t)
{
    static const char *const heads[] = {"cycles", "over best", "warps", "L1 hits"};
    const Knob *knob = t->knob;
    size_t most = t->candidates.n - 1, best = t->best, out = 0;
    Table table = {.columns = 1 + COUNT(heads)};
    table_add(&table, knob->what);
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&table, heads[k]);
    for (size_t n = 0; n <= most; n++) {
        const Candidate *c = &t->candidates.v[n];
        if (!c->ran) continue;
        add_cell(&table, "%.0f", c->value);
        add_cell(&table, "%.0f", total(t, n));
        add_cell(&table, "%.3f", total(t, n) / total(t, best));
        add_cell(&table, "%.0f", c->warps);
        add_cell(&table, "%.1f %%", 100 * hit_rate(c));
    }
    table_print(&table, stdout);
    table_free(&table);
    for (size_t n = 0; n <= most; n++)
        if (!t->candidates.v[n].ran)
            printf("%s%u", out++ ? ", " : "left out, since a block is larger: ", t->candidates.v[n].value);
    printf("%sbest with %u %s: %.0f cycles, %.3f times as fast as with %u\n%s\n", t->left_out ? "\n" : "",
           t->candidates.v[best].value, knob->what, total(t, best), total(t, most) / total(t, best),
           t->candidates.v[most].value, t->command.v);
}

static void json_curve(const Tune *t, Json *j, const Curve *curve)
{
    json_open(j, "curve", '[');
    for (size_t n = 0; n < t->candidates.n; n++) {
        const Candidate *c = &t->candidates.v[n];
        if (!c->ran || (curve && isnan(curve->cycles[n]))) continue;
        json_open(j, NULL, '{');
        json_uint(j, t->knob->what, c->value);
        json_uint(j, "cycles", (uint64_t)(curve ? curve->cycles[n] : total(t, n)));
        if (!curve) json_uint(j, "warps", (uint64_t)c->warps), json_double(j, "l1_hit_rate", hit_rate(c));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_whole(const Tune *t, Json *j)
{
    json_curve(t, j, NULL);
    json_open(j, "left_out", '[');
    for (size_t n = 0; n < t->candidates.n; n++)
        if (!t->candidates.v[n].ran) json_uint(j, NULL, t->candidates.v[n].value);
    json_close(j, ']');
    json_string(j, "command", t->command.v);
}

static void print_json(const Tune *t)
{
    const Knob *knob = t->knob;
    Json j = {0};
    const char *error = t->diag.failed ? t->diag.text.v : NULL;
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    if (knob) json_string(&j, knob->field, knob->name);
    if (error) {
        json_string(&j, "error", strncmp(error, "error: ", 7) ? error : error + 7);
    } else {
        json_uint(&j, "cycles", (uint64_t)total(t, knob->each ? EACH : t->best));
        json_uint(&j, knob->what, t->candidates.v[t->best].value);
        if (!knob->each) json_whole(t, &j);
        json_open(&j, "kernels", '[');
        for (size_t k = 0; k < t->curves.n; k++) {
            const Curve *c = &t->curves.v[k];
            json_open(&j, NULL, '{');
            json_string(&j, "name", c->kernel);
            json_uint(&j, knob->what, t->candidates.v[c->best].value);
            json_curve(t, &j, c);
            json_close(&j, '}');
        }
        json_close(&j, ']');
    }
    json_close(&j, '}');
    printf("%s\n", j.text.v);
    json_free(&j);
}

// --- the whole -------------------------------------------------------------------------------------------------------
static int run(Tune *t)
{
    Sweep s;
    Store *store = store_open(t->db, &t->diag);
    if (!store) return EXIT_FAILED;
    bool ok = sweep_shown(&t->matrix, store, &t->sweep, &s, &t->diag);
    if (ok && interrupted())
        ok = diag_error(&t->diag, "interrupted: %llu of %llu runs were made; the same command goes on",
                        (unsigned long long)(s.stored + s.done), (unsigned long long)s.distinct);
    ok = ok && read_runs(t, store);
    store_close(store);
    if (ok) finish(t), (t->json ? print_json : t->knob->print)(t);
    return ok ? EXIT_OK : interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
}

int tune(int argc, char **argv)
{
    Tune t = {.gpu = "gtx480"};
    int code = read_options(&t, argc, argv);
    if (code < 0) code = run(&t);
    if (t.diag.failed && args_have(argc, argv, "--json")) print_json(&t);
    fflush(stdout);
    if (t.diag.failed) tell(code, "%s", t.diag.text.v);
    matrix_free(&t.matrix);
    arena_free(&t.arena);
    diag_free(&t.diag);
    text_free(&t.command), text_free(&t.wrong);
    vec_free(&t.sets), vec_free(&t.candidates), vec_free(&t.curves);
    return code;
}
