// cmd_sweep.c: onchip sweep: makes the runs of a matrix, which a file or the command line describes, and stores them.
// Under mpirun every process reads the command line, but only rank 0 has a store and prints anything. The other ranks
// run what it gives them.
#include "cli/unit.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define DB "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"
static const Option options[] = {
    {NULL, "",
     "runs: an option may have several values, separated by commas; every combination of values is run. A value with "
     "commas stands in braces, as in block={32,8},{16,16}"},
    {"--gpu", "NAME|FILE[,…]", "the GPUs' descriptions (" OC_DEFAULT_GPU "): of onchip list gpus, or files"},
#include "cli/axes.def"
    {"--program", "NAME[,…]",
     "workloads and PTX files, like WORKLOAD and FILE.ptx above; each may have parameters of its own behind it: 'atax "
     "nx=64,bicg'"},
    {"--workload", "NAME[,…]", "the same as --program"},
    {"--measure", "NAME[,…]",
     "measure the GPU instead of running programs; like the key measure of a [matrix] (doc/use/sweep.md)"},
    {NULL, "", "how it is run"},
    {"--db", "FILE", DB},
    {"--jobs", "N", "how many runs to make at a time (as many as there are processors; under mpirun one on each rank)"},
    {"--memory", "BYTES",
     "memory that these runs may take together on a host, such as 8GiB (7/8 of what is available)"},
    {"--shard", "I/N",
     "make only every N-th run, from the I-th on, counted from 0; for job arrays, whose stores onchip db merge joins"},
    {"--cells", "N", "refuse a matrix of more than N runs (1000000)"},
    {"--retry", NULL, "repeat runs that failed"},
    {"--dry-run", NULL, "run nothing, only print what would run"},
    {"--help", NULL, "this text"},
};
const CommandLine sweep_line = {options, COUNT(options), NULL};
enum {
    S_RUN,
    S_GPU,
    S_AXES,
    S_PROGRAM = S_AXES + AXIS_COUNT,
    S_WORKLOAD,
    S_MEASURE,
    S_HOW,
    S_DB,
    S_JOBS,
    S_MEMORY,
    S_SHARD,
    S_CELLS,
    S_RETRY,
    S_DRY,
    S_HELP
};

typedef struct Request {
    Matrix matrix;
    SweepOptions sweep;
    const char *db;
    bool dry;
    Diag diag;
} Request;

static int usage(void)
{
    printf("usage: onchip sweep WORKLOAD[,…] [parameter=a,b …] [options]\n"
           "       onchip sweep FILE.ptx|FILE.cu[,…] [--arg SPEC … | @FILE] [options]\n"
           "       onchip sweep --measure NAME[,…] [parameter=a,b …] [options]\n"
           "       onchip sweep FILE.ini … [options]\n\n"
           "Makes a run of every combination of values that the results store doesn't have\n"
           "yet, and keeps its results there. A FILE.ini says what to combine, in its\n"
           "sections [matrix] (doc/use/sweep.md).\n"
           "Try: onchip sweep atax nx=64,128 --set l1.size=16KiB,48KiB\n\n");
    print_options(options, COUNT(options));
    return EXIT_OK;
}

static bool shard(Request *r, const char *text)
{
    unsigned at, of;
    char rest;
    if (sscanf(text, "%u/%u%c", &at, &of, &rest) != 2 || !of || at >= of)
        return diag_error(&r->diag, "--shard takes I/N with I below N, not '%s'", text);
    r->sweep.shard = at, r->sweep.shards = of;
    return true;
}

// Reads an option that holds for all matrices, wherever it stands between them. Returns an exit code, or −1 to go on.
static int read_limits(Request *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    for (int o; (o = args_next(&a)) != -2;) {
        if (o == -3) return EXIT_USAGE;
        if (o != S_CELLS || (parse_size(a.value, &r->matrix.most) && r->matrix.most)) continue;
        diag_error(&r->diag, "--cells takes a whole number from 1 on, not '%s'", a.value);
        return EXIT_USAGE;
    }
    return -1;
}

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    int code = read_limits(r, argc, argv);
    if (code >= 0) return code;
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    Axes axes = {.matrix = &r->matrix};
    bool ok = true;
    int o;
    while (ok && (o = args_next(&a)) != -2) {
        const char *v = a.value;
        switch (o) {
        case -3: text_free(&axes.args); return EXIT_USAGE;
        case -1: ok = axes_word(&axes, &a, &r->diag); break;
        case S_PROGRAM:
        case S_WORKLOAD: ok = axes_program(&axes, v, &r->diag); break;
        case S_DB: r->db = v; break;
        case S_JOBS: ok = parse_jobs(v, &r->sweep.jobs) || diag_error(&r->diag, JOBS_RANGE, v); break;
        case S_MEMORY:
            ok = parse_size(v, &r->sweep.memory) || diag_error(&r->diag, "--memory takes a size, not '%s'", v);
            break;
        case S_SHARD: ok = shard(r, v); break;
        case S_CELLS: break;
        case S_RETRY: r->sweep.retry = true; break;
        case S_DRY: r->dry = true; break;
        case S_HELP: text_free(&axes.args); return usage();
        default: ok = axes_option(&axes, options[o].name, v, &r->diag);
        }
    }
    ok = ok && axes_end(&axes, &r->diag);
    text_free(&axes.args);
    if (ok && !r->matrix.cells.n)
        ok =
            diag_error(&r->diag, "sweep what? a workload (onchip list workloads), a .ptx file, a file with a [matrix], "
                                 "or --measure NAME");
    return ok ? -1 : EXIT_USAGE;
}

static void bar(void *user, const Sweep *s)
{
    (void)user;
    uint64_t over = s->done + s->failed;
    char line[32];
    int filled = s->to_run ? (int)(24 * over / s->to_run) : 24;
    for (int k = 0; k < 24; k++) line[k] = k < filled ? '#' : '.';
    line[24] = 0;
    fprintf(stderr, "\r\x1b[K[%s] %llu of %llu", line, (unsigned long long)over, (unsigned long long)s->to_run);
    if (s->failed) fprintf(stderr, ", %llu failed", (unsigned long long)s->failed);
    if (s->left >= 0) fprintf(stderr, ", %.0f s to go", ceil(s->left));
    fflush(stderr);
}

typedef struct Shown {
    bool terminal;
    double until;  // by seconds_now; 0: no limit
    const volatile bool *interrupt;
    volatile bool stop;
} Shown;

static void look(void *user, const Sweep *s)
{
    Shown *shown = user;
    if (*shown->interrupt || (shown->until > 0 && seconds_now() > shown->until)) shown->stop = true;
    if (shown->terminal) bar(NULL, s);
}

bool sweep_shown(const Matrix *m, Store *store, SweepOptions *o, double seconds, Sweep *s, Diag *diag)
{
    Shown shown = {isatty(STDERR_FILENO), seconds > 0 ? seconds_now() + seconds : 0, interrupt_catch(), false};
    o->stop = seconds > 0 ? &shown.stop : shown.interrupt;
    if (shown.terminal || seconds > 0) o->progress = look, o->user = &shown;
    fflush(stdout);  // or every run's process would inherit the buffer and print it again
    bool ok = sweep_run(m, store, o, s, diag);
    interrupt_release();
    if (shown.terminal) fprintf(stderr, "\r\x1b[K");
    o->stop = NULL, o->progress = NULL, o->user = NULL;
    if (ok && *s->unused && strcmp(o->told, s->unused) != 0) {
        tell(0, "%s", s->unused);
        memcpy(o->told, s->unused, sizeof o->told);
    }
    return ok;
}

static int dry_run(const Request *r, Store *store, Diag *diag)
{
    Planner *planner = planner_open(store);
    static const char *const words[] = {"to run", "stored", "failed"};
    bool ok = true;
    for (size_t k = 0; k < r->matrix.cells.n && ok; k++) {
        Plan plan;
        if (r->sweep.shards && k % r->sweep.shards != r->sweep.shard) continue;
        ok = matrix_plan(&r->matrix, planner, &r->matrix.cells.v[k], &plan, diag);
        Stored found;
        ok = ok && store_find(store, plan.id.key, &found, diag);
        if (ok) {
            bool out = search_left_out(plan.cell, store, plan.id.key);
            printf("%-7s %s %s  on %s %s %s\n", out ? "left out" : words[found], plan.id.program, plan.id.params,
                   plan.id.gpu, plan.id.overrides, plan.id.options);
        }
        plan_free(&plan);
    }
    if (planner_unused(planner)) tell(0, "%s", planner_unused(planner));
    planner_close(planner);
    return ok ? EXIT_OK : EXIT_USAGE;
}

static int run_sweep(Request *r)
{
    Store *store = store_open(r->db, &r->diag);
    if (!store) return EXIT_FAILED;
    if (r->dry) {
        int code = dry_run(r, store, &r->diag);
        store_close(store);
        return code;
    }
    Sweep s;
    bool found = true, ok = sweep_shown(&r->matrix, store, &r->sweep, 0, &s, &r->diag);
    if (ok) {
        printf("%llu run%s: %llu in the store already, %llu simulated, %llu failed", (unsigned long long)s.distinct,
               s.distinct == 1 ? "" : "s", (unsigned long long)s.stored, (unsigned long long)s.done,
               (unsigned long long)(s.failed + s.broken));
        if (s.broken) printf(" (%llu of them before: --retry makes them again)", (unsigned long long)s.broken);
        if (interrupted())
            printf(", %llu left (the same command goes on)", (unsigned long long)(s.to_run - s.done - s.failed));
        printf(", in %.2f s\n%s\n", s.seconds, store_path(store));
        if (s.failed || s.broken) printf("onchip db list --failed shows why\n");
        if (!interrupted() && !r->sweep.shards) found = searches_print(&r->matrix, store);
    }
    store_close(store);
    if (!ok) return s.refused ? EXIT_USAGE : EXIT_FAILED;
    return interrupted() ? interrupt_status() : s.failed || s.broken || !found ? EXIT_FAILED : EXIT_OK;
}

// With --shard every process works on its own, under mpirun too.
static bool has_shard(int argc, char **argv)
{
    for (int k = 0; k < argc; k++)
        if (!strcmp(argv[k], "--shard") || !strncmp(argv[k], "--shard=", 8)) return true;
    return false;
}

// The work of a rank other than 0. Rank 0 tells mistakes in what all ranks were given; this isn't called then.
static int serve(Request *r, int argc, char **argv)
{
    SweepOptions *o = &r->sweep;
    o->stop = interrupt_catch();
    if (sweep_called(o->ranks) < 0) return EXIT_OK;
    if (read_options(r, argc, argv) >= 0)
        sweep_refuse(o, r->diag.failed ? r->diag.text.v : "the command line can't be read there");
    else if (sweep_serve(&r->matrix, o))
        sweep_called(o->ranks);
    return EXIT_OK;
}

int cmd_sweep(int argc, char **argv)
{
    Request r = {.dry = false};
    int code = -1;
    if (!has_shard(argc, argv) && !ranks_open(&r.sweep.ranks, &r.diag))
        code = EXIT_FAILED;
    else if (ranks_rank(r.sweep.ranks))
        code = serve(&r, argc, argv);
    else if ((code = read_options(&r, argc, argv)) < 0)
        code = run_sweep(&r);
    if (!ranks_rank(r.sweep.ranks)) tell_diag(&r.diag);
    ranks_close(r.sweep.ranks);
    diag_free(&r.diag);
    matrix_free(&r.matrix);
    return code;
}
