// cmd_report.c: onchip report: makes a page about the runs of the store, or about runs that are made for it.
#include "cli/unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RUN "onchip report run"
#define STORE "onchip report over a store"
static const Option options[] = {
    {"-o", "FILE", "write the page into this file (report.html); - is standard output"},
    {"--gpu", "NAME|FILE[,…]",
     "over a store: only runs on these GPUs; of report run: the GPUs to run on (" OC_DEFAULT_GPU ")"},
    {"--baseline", "KEY=VALUE[,…]",
     "the values that all others are compared with (default: the description's own, or the first that is given); a "
     "value with commas stands in braces: block={32,8}"},
    {"--plot", "DIR",
     "also write each figure into DIR: its CSV, the gnuplot script that draws it, if one does, and the SVG"},
    {"--no-figures", NULL, "make a page without figures, for which gnuplot isn't needed"},
    {"--help", NULL, "this text"},
    {NULL, NULL, STORE},
    {"--program", "NAME[,…]", "only runs of these programs"},
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {NULL, NULL, RUN},
#include "cli/axes.def"
};
static const char *report_word(size_t k, const char **doc)
{
    *doc = "makes runs for the page, which are not kept";
    return k ? NULL : "run";
}
const CommandLine report_line = {options, COUNT(options), report_word};
enum { P_OUT, P_GPU, P_BASELINE, P_PLOT, P_NO_FIGURES, P_HELP, P_OF_STORE, P_PROGRAM, P_DB, P_OF_RUN };

typedef struct Request {
    ReportOptions report;
    Matrix matrix;  // of report run
    TextList keys;  // of its cells
    const char *out, *db;
    bool run;
    Diag diag;
} Request;

static int usage(void)
{
    printf("usage: onchip report [options]\n"
           "       onchip report run WORKLOAD[,…] [parameter=a,b …] [options]\n"
           "       onchip report run FILE.ptx|FILE.cu[,…] [--arg SPEC … | @FILE] [options]\n\n"
           "Writes one HTML page with figures and tables. The first form is about the runs\n"
           "of the results store. The others make runs for the page, which are not kept:\n"
           "every combination of the values, which are separated by commas.\n\n");
    print_options(options, COUNT(options));
    return EXIT_OK;
}

// run, then what onchip sweep takes.
static bool word(Request *r, Axes *axes, Args *a, int number)
{
    const char *text = a->value;
    if (number) return axes_word(axes, a, &r->diag);
    r->run = !strcmp(text, "run");
    static const char *const words[] = {"run"};
    char hint[100];
    return r->run || diag_error(&r->diag, "'%s': report takes options, or run WORKLOAD%s", text,
                                did_you_mean(text, words, COUNT(words), hint));
}

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    Axes axes = {.matrix = &r->matrix};
    bool ok = true;
    int o, words = 0;
    while (ok && (o = args_next(&a)) != -2) {
        const char *v = a.value;
        switch (o) {
        case -3: text_free(&axes.args); return EXIT_USAGE;
        case -1: ok = word(r, &axes, &a, words++); break;
        case P_OUT: r->out = v; break;
        case P_PROGRAM: r->report.programs = v; break;
        case P_GPU: r->report.gpus = v; break;
        case P_BASELINE: r->report.baseline = v; break;
        case P_PLOT: r->report.folder = v; break;
        case P_NO_FIGURES: r->report.no_figures = true; break;
        case P_DB: r->db = v; break;
        case P_HELP: text_free(&axes.args); return usage();
        default: ok = axes_option(&axes, options[o].name, v, &r->diag);
        }
    }
    bool fit = ok && args_fit(&a, r->run ? RUN : STORE,
                              r->run ? "report run keeps no runs; onchip sweep does" : "this is a report over a store");
    if (fit && r->run && words < 2)
        ok = diag_error(&r->diag, "report run what? a workload (onchip list workloads) a .ptx file or a CUDA program");
    if (fit && r->run && r->report.gpus) ok = ok && matrix_axis(&r->matrix, "gpu", r->report.gpus, &r->diag);
    if (fit && ok) ok = axes_end(&axes, &r->diag);
    text_free(&axes.args);
    return fit && ok ? -1 : EXIT_USAGE;
}

// The runs of report run go into a store in memory, which ends with the command. They are stored as they finish; the
// page has them in the order of the matrix.
static bool make_runs(Request *r, Store *store, Sweep *s)
{
    SweepOptions sweep = {.jobs = 0};
    bool ok = sweep_shown(&r->matrix, store, &sweep, 0, s, &r->diag);
    if (ok && interrupted() && !s->done && !s->failed) ok = diag_error(&r->diag, "interrupted before any run");
    Planner *planner = planner_open(store);
    for (size_t k = 0; ok && k < r->matrix.cells.n; k++) {
        Plan plan;
        ok = matrix_plan(&r->matrix, planner, &r->matrix.cells.v[k], &plan, &r->diag);
        if (ok) vec_push(&r->keys, arena_text(&r->matrix.arena, plan.id.key, KEY_DIGITS));
        plan_free(&plan);
    }
    planner_close(planner);
    r->report.keys = &r->keys;
    return ok;
}

static int run_report(Request *r)
{
    // A report only reads, so a mistyped name must not create a store.
    if (r->db && access(r->db, F_OK))
        return diag_error(&r->diag, "there is no %s\nhint: onchip sweep --db %s … makes it", r->db, r->db), EXIT_FAILED;
    Store *store = store_open(r->run ? ":memory:" : r->db, &r->diag);
    if (!store) return EXIT_FAILED;
    Text html = {0};
    ReportCount made;
    Sweep s = {.failed = 0};
    bool ran = !r->run || make_runs(r, store, &s);
    bool ok = ran && report_page(store, &r->report, &made, &html, &r->diag) && write_out(&html, r->out, &r->diag);
    if (ok && strcmp(r->out, "-"))
        printf("%s: %llu run%s, %llu figure%s\n", r->out, (unsigned long long)made.runs, made.runs == 1 ? "" : "s",
               (unsigned long long)made.figures, made.figures == 1 ? "" : "s");
    if (s.failed)
        tell(0, "%llu run%s failed; the page says why", (unsigned long long)s.failed, s.failed == 1 ? "" : "s");
    if (ran && r->run && interrupted())
        tell(0, "interrupted: the page is cut short, %llu of %llu runs are not on it",
             (unsigned long long)(s.to_run - s.done - s.failed), (unsigned long long)s.to_run);
    text_free(&html);
    store_close(store);
    if (r->run && interrupted()) return interrupt_status();
    if (s.refused) return EXIT_USAGE;
    return ok && !s.failed ? EXIT_OK : EXIT_FAILED;
}

int cmd_report(int argc, char **argv)
{
    Request r = {.out = "report.html", .report = {.sure = expect_say}};
    int code = read_options(&r, argc, argv);
    if (code < 0) code = run_report(&r);
    tell_diag(&r.diag);
    diag_free(&r.diag);
    matrix_free(&r.matrix);
    vec_free(&r.keys);
    return code;
}
