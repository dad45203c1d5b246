// cmd_sweep.c: onchip sweep: a matrix of runs, from a file or from the command line, into the store. Under mpirun every
// process reads the command line, but only rank 0 has a store and says anything; the others run what it gives them.
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const Option options[] = {
    {"--program", "NAME[,…]",
     "workloads, each with parameters of its own behind it if need be: 'atax nx=64,bicg'; or FILE.ptx with grid=, "
     "block=, args=; also --workload"},
    {"--workload", "NAME[,…]", "the same as --program"},
    {"--gpu", "NAME|FILE[,…]", "descriptions (gtx480)"},
    {"--sched", "NAME[,…]", "warp schedulers"},
    {"--set", "KEY=VALUE[,…]", "a key of the description and its values, such as l1.size=16KiB,48KiB"},
    {"--with", "LABEL: K=V …[,…]",
     "several keys or parameters at once, as one axis: 'large: l1.size=48KiB shared.size=16KiB'"},
    {"--size", "small|standard[,…]", "the workloads' sizes (standard)"},
    {"--ptx", "FILE", "the workload's device code from this file"},
    {"--kernels", "REGEX", "time only these kernels; the others are executed without time"},
    {"--max-cycles", "N[,…]", "stop a launch after N cycles"},
    {"--interval", "CYCLES", "keep every counter as a time series"},
    {"--db", "FILE", "the store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--jobs", "N", "runs at a time (as many as processors; under mpirun one on each rank)"},
    {"--memory", "BYTES", "that they may take together on a host (7/8 of what is available)"},
    {"--shard", "I/N", "only every N-th run, from the I-th on, counted from 0: for job arrays, with onchip db merge"},
    {"--retry", NULL, "runs that failed, again"},
    {"--dry-run", NULL, "only say what would run"},
    {"--help", NULL, "this text"},
};
enum {
    S_PROGRAM,
    S_WORKLOAD,
    S_GPU,
    S_SCHED,
    S_SET,
    S_WITH,
    S_SIZE,
    S_PTX,
    S_KERNELS,
    S_MAX,
    S_INTERVAL,
    S_DB,
    S_JOBS,
    S_MEMORY,
    S_SHARD,
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
    printf("usage: onchip sweep FILE.ini … [options]\n"
           "       onchip sweep --program NAME,… [--gpu …] [--set key=a,b …]\n"
           "                    [parameter=a,b …] [options]\n"
           "       onchip sweep measure=NAME,… [--gpu …] [--set key=a,b …]\n"
           "                    [parameter=a,b …] [options]\n\n"
           "Runs every combination that the store doesn't have yet.\n\n");
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

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    bool ok = true;
    uint64_t n = 0;
    int o;
    while (ok && (o = args_next(&a)) != -2) {
        const char *v = a.value;
        switch (o) {
        case -3: return EXIT_USAGE;
        case -1:
            ok = strchr(v, '=') ? matrix_pair(&r->matrix, v, &r->diag) : matrix_read(&r->matrix, v, &r->diag);
            break;
        case S_SET: ok = matrix_pair(&r->matrix, v, &r->diag); break;
        case S_DB: r->db = v; break;
        case S_JOBS:
            ok = (parse_size(v, &n) && n && n <= 1024) ||
                 diag_error(&r->diag, "--jobs takes a number from 1 to 1024, not '%s'", v);
            r->sweep.jobs = (uint32_t)n;
            break;
        case S_MEMORY:
            ok = parse_size(v, &r->sweep.memory) || diag_error(&r->diag, "--memory takes a size, not '%s'", v);
            break;
        case S_SHARD: ok = shard(r, v); break;
        case S_RETRY: r->sweep.retry = true; break;
        case S_DRY: r->dry = true; break;
        case S_HELP: return usage();
        default: ok = matrix_axis(&r->matrix, options[o].name + 2, v, &r->diag);
        }
    }
    if (ok && r->matrix.axes.n) ok = matrix_product(&r->matrix, &r->diag);
    if (ok && !r->matrix.cells.n)
        ok = diag_error(&r->diag, "sweep what? a file with a [matrix], --program NAME,… or measure=NAME,…");
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

// A handler has no argument: this is the one place that needs a variable of the program's own.
static volatile bool pressed;
static void on_interrupt(int number)
{
    (void)number;
    pressed = true;
}

// Ctrl-C, and SIGTERM as mpirun and batch systems send it: the store is closed in order.
void sweep_catch(SweepOptions *o)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    pressed = false;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    o->stop = &pressed;
}
static void release_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

bool sweep_shown(const Matrix *m, Store *store, SweepOptions *o, Sweep *s, bool *interrupted, Diag *diag)
{
    bool terminal = isatty(STDERR_FILENO);
    sweep_catch(o);
    if (terminal) o->progress = bar;
    fflush(stdout);  // or every run's process would have what is written so far
    bool ok = sweep_run(m, store, o, s, diag);
    release_signals();
    if (terminal) fprintf(stderr, "\r\x1b[K");
    *interrupted = pressed;
    return ok;
}

static int dry_run(const Request *r, Store *store, Diag *diag)
{
    Identities *ids = identities_open();
    static const char *const words[] = {"to run", "stored", "failed"};
    bool ok = true;
    for (size_t k = 0; k < r->matrix.cells.n && ok; k++) {
        Identity id;
        if (r->sweep.shards && k % r->sweep.shards != r->sweep.shard) continue;
        ok = matrix_identify(&r->matrix, ids, &r->matrix.cells.v[k], &id, diag);
        if (ok)
            printf("%-7s %s %s  on %s %s %s\n", words[store_find(store, id.key)], id.program, id.params, id.gpu,
                   id.overrides, id.options);
        identity_free(&id);
    }
    identities_close(ids);
    return ok ? EXIT_OK : EXIT_USAGE;
}

static int run(Request *r)
{
    Store *store = store_open(r->db, &r->diag);
    if (!store) return EXIT_FAILED;
    if (r->dry) {
        int code = dry_run(r, store, &r->diag);
        store_close(store);
        return code;
    }
    Sweep s;
    bool interrupted, ok = sweep_shown(&r->matrix, store, &r->sweep, &s, &interrupted, &r->diag);
    if (ok) {
        printf("%llu runs: %llu in the store already, %llu simulated, %llu failed", (unsigned long long)s.distinct,
               (unsigned long long)s.stored, (unsigned long long)s.done, (unsigned long long)s.failed);
        if (interrupted)
            printf(", %llu left (the same command goes on)", (unsigned long long)(s.to_run - s.done - s.failed));
        printf(", in %.2f s\n%s\n", s.seconds, store_path(store));
        if (s.failed) printf("onchip db list --failed shows why\n");
    }
    store_close(store);
    return !ok ? EXIT_FAILED : s.failed || interrupted ? EXIT_FAILED : EXIT_OK;
}

// With --shard every process is on its own, under mpirun too.
static bool has_shard(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "--shard") || !strncmp(argv[k], "--shard=", 8)) return true;
    return false;
}

// A rank other than 0. Mistakes in what all were given are rank 0's to tell; then this one isn't called.
static int serve(Request *r, int argc, char **argv)
{
    SweepOptions *o = &r->sweep;
    sweep_catch(o);
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
    else if (r.sweep.ranks && r.sweep.ranks->rank)
        code = serve(&r, argc, argv);
    else if ((code = read_options(&r, argc, argv)) < 0)
        code = run(&r);
    if (r.diag.failed && !(r.sweep.ranks && r.sweep.ranks->rank)) fprintf(stderr, "onchip: %s\n", r.diag.text.v);
    ranks_close(r.sweep.ranks);
    diag_free(&r.diag);
    matrix_free(&r.matrix);
    return code;
}
