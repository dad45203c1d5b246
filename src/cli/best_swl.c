// best_swl.c: onchip run --sched best-swl: the static warp limit that is best (ciao §V-A, Best-SWL), found by trying
// them. Each limit is a run of its own, kept in the results store, and several are made at a time. A kernel's best is
// what it takes with its own best limit, since a program may choose one for each launch.
#include "chip/chip.h"
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static const Option options[] = {
    {NULL, "", "onchip run --sched best-swl makes a run for each limit"},
    {"--gpu", "NAME|FILE", "the GPU's description (gtx480)"},
    AXIS_OPTIONS,
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--jobs", "N", "how many runs to make at a time (as many as there are processors)"},
    {"--json", NULL, "print the curves as JSON"},
    {"--help", NULL, "this text"},
};
enum { B_GPU = 1, B_SCHED, B_SET, B_DB = B_GPU + 1 + AXIS_COUNT, B_JOBS, B_JSON, B_HELP };

typedef struct Curve {  // of a kernel: cycles by limit, NAN where there was no run
    const char *kernel;
    double cycles[OC_MOST_WARPS + 1];
    uint32_t best;
} Curve;
typedef struct Best {
    Matrix matrix;
    Arena arena;
    SweepOptions sweep;
    Diag diag;
    VEC(const char *) sets;
    const char *gpu, *db;
    bool json;
    VEC(uint32_t) limits;
    VEC(Curve) curves;
} Best;

bool wants_best_swl(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "--sched=best-swl") || (!strcmp(argv[k], "best-swl") && !strcmp(argv[k - 1], "--sched")))
            return true;
    return false;
}

// The limits that can be shared out evenly among an SM's schedulers, up to the warps that it has room for.
static bool find_limits(Best *b, Text *list)
{
    Gpu g;
    vec_push(&b->sets, NULL);
    if (!gpu_load(&g, b->gpu, b->sets.v, &b->diag)) return false;
    for (uint32_t n = g.sm.schedulers; n <= g.sm.max_warps && n <= OC_MOST_WARPS; n += g.sm.schedulers) {
        text_printf(list, "%s%u", list->n ? "," : "", n);
        vec_push(&b->limits, n);
    }
    gpu_free(&g);
    return true;
}

// Returns an exit code, or −1 to go on.
static int read_options(Best *b, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    Axes axes = {.matrix = &b->matrix};
    Text limits = {0};
    bool ok = true;
    for (int o; ok && (o = args_next(&a)) != -2;) {
        const char *v = a.value;
        switch (o) {
        case -3: text_free(&axes.args); return EXIT_USAGE;
        case -1: ok = axes_word(&axes, v, &b->diag); break;
        case B_SCHED: break;
        case B_DB: b->db = v; break;
        case B_JOBS: ok = parse_jobs(v, &b->sweep.jobs) || diag_error(&b->diag, JOBS_RANGE, v); break;
        case B_JSON: b->json = true; break;
        case B_HELP: print_options(options, COUNT(options)); return EXIT_OK;
        default:
            if (o == B_GPU) b->gpu = v;
            if (o == B_SET) vec_push(&b->sets, v);
            ok = axes_option(&axes, options[o].name, v, &b->diag);
        }
    }
    ok = ok && find_limits(b, &limits) && matrix_axis(&b->matrix, "sched", "swl", &b->diag) &&
         matrix_axis(&b->matrix, "sched.limit", limits.v, &b->diag) && axes_end(&axes, &b->diag);
    if (ok && b->matrix.cells.n != b->limits.n)
        ok = diag_error(&b->diag, "--sched best-swl takes one program and one value of each option");
    text_free(&limits), text_free(&axes.args);
    return ok ? -1 : EXIT_USAGE;
}

static Curve *curve_of(Best *b, const char *kernel)
{
    for (size_t k = 0; k < b->curves.n; k++)
        if (!strcmp(b->curves.v[k].kernel, kernel)) return &b->curves.v[k];
    Curve c = {.kernel = arena_copy(&b->arena, kernel)};
    for (uint32_t n = 0; n <= OC_MOST_WARPS; n++) c.cycles[n] = NAN;
    vec_push(&b->curves, c);
    return &b->curves.v[b->curves.n - 1];
}

// Reads the run of one limit.
static bool read_run(Best *b, Store *store, const char *key, uint32_t limit)
{
    static const char *const columns[] = {"kernel", "cycles"};
    RunIds ids = {0};
    Filter filter = {.keys = (const char *const[]){key, NULL}};
    Rows *rows = NULL;
    bool ok = store_select(store, &filter, &ids, &b->diag);
    ok = ok && (rows = rows_open(store, &ids, columns, COUNT(columns), true, &b->diag));
    while (ok && rows_next(rows, &b->diag)) {
        const Datum *v = rows_values(rows);
        double cycles;
        if (v[0].kind == DATUM_TEXT && datum_number(&v[1], &cycles)) curve_of(b, v[0].text)->cycles[limit] = cycles;
    }
    rows_close(rows);
    vec_free(&ids);
    return ok && !b->diag.failed;
}

static bool read_runs(Best *b, Store *store)
{
    Planner *planner = planner_open();
    bool ok = true;
    for (size_t k = 0; k < b->matrix.cells.n && ok; k++) {
        Plan plan;
        ok = matrix_plan(&b->matrix, planner, &b->matrix.cells.v[k], &plan, &b->diag) &&
             read_run(b, store, plan.id.key, b->limits.v[k]);
        plan_free(&plan);
    }
    planner_close(planner);
    for (size_t k = 0; k < b->curves.n; k++) {
        Curve *c = &b->curves.v[k];
        for (size_t n = 0; n < b->limits.n; n++)  // the largest of those that are equally good
            if (isnan(c->cycles[c->best]) || c->cycles[b->limits.v[n]] <= c->cycles[c->best]) c->best = b->limits.v[n];
    }
    return ok;
}

// What all kernels take together, each with the same limit; limit 0: each with its best.
static double total(const Best *b, uint32_t limit)
{
    double sum = 0;
    for (size_t k = 0; k < b->curves.n; k++) sum += b->curves.v[k].cycles[limit ? limit : b->curves.v[k].best];
    return sum;
}

static uint32_t best_for_all(const Best *b)
{
    uint32_t best = b->limits.v[0];
    for (size_t n = 1; n < b->limits.n; n++)
        if (!(total(b, b->limits.v[n]) > total(b, best))) best = b->limits.v[n];
    return best;
}

// The last of the limits from the n-th on with which every kernel takes as long.
static size_t last_alike(const Best *b, size_t n)
{
    for (; n + 1 < b->limits.n; n++)
        for (size_t k = 0; k < b->curves.n; k++)
            if (b->curves.v[k].cycles[b->limits.v[n]] != b->curves.v[k].cycles[b->limits.v[n + 1]]) return n;
    return n;
}

static void print_text(const Best *b)
{
    uint32_t most = b->limits.v[b->limits.n - 1], all = best_for_all(b);
    Table t = {.columns = b->curves.n + 2};
    table_add(&t, "limit");
    for (size_t k = 0; k < b->curves.n; k++) table_add(&t, b->curves.v[k].kernel);
    table_add(&t, "all");
    char text[64];
    for (size_t n = 0; n < b->limits.n; n++) {
        uint32_t limit = b->limits.v[n];
        n = last_alike(b, n);
        if (b->limits.v[n] == limit)
            snprintf(text, sizeof text, "%u", limit);
        else
            snprintf(text, sizeof text, "%u to %u", limit, b->limits.v[n]);
        table_add(&t, text);
        for (size_t k = 0; k < b->curves.n; k++) {
            snprintf(text, sizeof text, "%.0f", b->curves.v[k].cycles[limit]);
            table_add(&t, text);
        }
        snprintf(text, sizeof text, "%.0f", total(b, limit)), table_add(&t, text);
    }
    table_print(&t, stdout);
    table_free(&t);
    for (size_t k = 0; k < b->curves.n; k++)
        printf("%s: best with %u warps\n", b->curves.v[k].kernel, b->curves.v[k].best);
    printf(
        "best-swl: %.0f cycles, %.3f times as fast as all %u warps; with one limit for all kernels, %u, %.3f times\n",
        total(b, 0), total(b, most) / total(b, 0), most, all, total(b, most) / total(b, all));
}

static void print_json(const Best *b)
{
    Json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    json_string(&j, "policy", "best-swl");
    json_uint(&j, "cycles", (uint64_t)total(b, 0));
    json_uint(&j, "limit", best_for_all(b));
    json_open(&j, "kernels", '[');
    for (size_t k = 0; k < b->curves.n; k++) {
        const Curve *c = &b->curves.v[k];
        json_open(&j, NULL, '{');
        json_string(&j, "name", c->kernel);
        json_uint(&j, "limit", c->best);
        json_open(&j, "curve", '[');
        for (size_t n = 0; n < b->limits.n; n++) {
            json_open(&j, NULL, '{');
            json_uint(&j, "limit", b->limits.v[n]);
            json_uint(&j, "cycles", (uint64_t)c->cycles[b->limits.v[n]]);
            json_close(&j, '}');
        }
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    printf("%s\n", j.text.v);
    json_free(&j);
}

static int run(Best *b)
{
    Sweep s;
    Store *store = store_open(b->db, &b->diag);
    if (!store) return EXIT_FAILED;
    bool ok = sweep_shown(&b->matrix, store, &b->sweep, &s, &b->diag);
    if (ok && (s.failed || interrupted()))
        ok = diag_error(&b->diag, "%s: %llu of %llu runs were made; the same command goes on",
                        interrupted() ? "interrupted" : "a run failed", (unsigned long long)(s.stored + s.done),
                        (unsigned long long)s.distinct);
    ok = ok && read_runs(b, store);
    store_close(store);
    if (ok && !b->curves.n) ok = diag_error(&b->diag, "no kernel was timed");
    if (ok) (b->json ? print_json : print_text)(b);
    return ok ? EXIT_OK : interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
}

int best_swl(int argc, char **argv)
{
    Best b = {.gpu = "gtx480"};
    int code = read_options(&b, argc, argv);
    if (code < 0) code = run(&b);
    if (b.diag.failed) tell(code, "%s", b.diag.text.v);
    matrix_free(&b.matrix);
    arena_free(&b.arena);
    diag_free(&b.diag);
    vec_free(&b.sets), vec_free(&b.limits), vec_free(&b.curves);
    return code;
}
