// cmd_advise.c: onchip advise: what a programmer can change about a run, what each change gains, and why.
#include "cli/advise.h"
#include "compare/compare.h"
#include "device/device.h"
#include "names/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Option options[] = {
    {NULL, "", "the run, as for onchip sweep, but with one value each"},
    {"--gpu", "NAME|FILE", "the GPU's description (" OC_DEFAULT_GPU ")"},
#include "cli/axes.def"
    {NULL, "", "how it is advised on"},
    {"--budget", "SECONDS",
     "begin no further run after so many seconds (60); the same command goes on later; 0: no limit"},
    {"--robust", NULL,
     "move the assumed keys of the description's memory to half and to twice their values, and say which of them would "
     "turn the advice"},
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--jobs", "N", "how many runs to make at a time (as many as there are processors)"},
    {"--json", NULL, "print it as JSON"},
    {"--page", "FILE",
     "also write it as a page, with figures, into FILE; - is standard output, which gets nothing else"},
    {"--help", NULL, "this text"},
};
const CommandLine advise_line = {options, COUNT(options), NULL};
enum { D_GPU = 1, D_HOW = D_GPU + 1 + AXIS_COUNT, D_BUDGET, D_ROBUST, D_DB, D_JOBS, D_JSON, D_PAGE, D_HELP };

typedef struct Request {
    Matrix matrix;
    SweepOptions sweep;
    AdviseOptions advise;
    const char *db, *page;
    Store *store;
    bool json;
    Text words;  // the command line of the run
    bool behind;
    Advice advice;
    Diag diag;
} Request;

static int usage(void)
{
    printf("usage: onchip advise WORKLOAD [parameter=value …] [options]\n"
           "       onchip advise FILE.ptx|FILE.cu [--arg SPEC … | @FILE] [options]\n"
           "       onchip advise [options] ./PROGRAM [its arguments …]\n\n"
           "Runs a program as it is, then with each change that a programmer can make\n"
           "tomorrow, then with the best of them together. Says what each gains, and what\n"
           "to write. The runs are kept.\n\n");
    print_options(options, COUNT(options));
    return EXIT_OK;
}

static void keep_words(Request *r, int option, char **argv, int n)
{
    if (option >= D_HOW) return;
    for (int k = 0; k < n; k++) put_argument(&r->words, argv[k]);
}

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    Axes axes = {.matrix = &r->matrix};
    bool ok = true, help = false;
    int o;
    for (int from = 0; ok && !help && (o = args_next(&a)) != -2; from = a.at) {
        const char *v = a.value;
        switch (o) {
        case -3: text_free(&axes.args); return EXIT_USAGE;
        case -1: ok = axes_word(&axes, &a, &r->diag); break;
        case D_BUDGET:
            ok = (parse_double(v, &r->advise.budget) && r->advise.budget >= 0) ||
                 diag_error(&r->diag, "--budget takes seconds, not '%s'", v);
            break;
        case D_ROBUST: r->advise.robust = true; break;
        case D_DB: r->db = v; break;
        case D_JOBS: ok = parse_jobs(v, &r->sweep.jobs) || diag_error(&r->diag, JOBS_RANGE, v); break;
        case D_JSON: r->json = true; break;
        case D_PAGE: r->page = v; break;
        case D_HELP: help = true; break;
        default: ok = axes_option(&axes, options[o].name, v, &r->diag);
        }
        r->behind |= o == -1 && a.at > from + 1;
        if (ok) keep_words(r, o, argv + from, a.at - from);
    }
    if (ok && !help && !axes.program)
        ok = diag_error(&r->diag, "advise on what? a workload (onchip list workloads), a .ptx file or a CUDA program");
    ok = ok && (help || axes_end(&axes, &r->diag));
    text_free(&axes.args);
    if (help) return usage();
    if (ok && (r->matrix.cells.n != 1 || r->matrix.searches.n))
        ok = diag_error(&r->diag, "advise takes one run: one program, and one value of each option");
    if (ok && r->json && r->page && !strcmp(r->page, "-"))
        ok = diag_error(&r->diag, "--json and --page - both write to the standard output\nhint: --page FILE");
    return ok ? -1 : EXIT_USAGE;
}

static bool sweep(void *user, const Matrix *m, double seconds, Diag *diag)
{
    Request *r = user;
    Sweep s;
    bool ok = sweep_shown(m, r->store, &r->sweep, seconds, &s, diag);
    if (ok && interrupted()) return diag_error(diag, "interrupted: the same command goes on");
    return ok;
}

// --- what is said ----------------------------------------------------------------------------------------------------
static double part_of(const StoredRun *run, Counter part, Counter all)
{
    return run->count[all] ? (double)run->count[part] / (double)run->count[all] : NAN;
}

// What a change did to the memory: the numbers that explain it, those that changed the most in front.
typedef enum Sort { SHARE, NUMBER, BYTES } Sort;
typedef struct Effect {
    const char *name;
    Sort sort;
    double before, after;
} Effect;

static double drift(const Effect *e)
{
    if (isnan(e->before) || isnan(e->after)) return 0;
    if (e->before <= 0 || e->after <= 0) return e->before == e->after ? 0 : 3;
    return fabs(log(e->after / e->before));
}

static int by_drift(const void *x, const void *y)
{
    double a = drift(x), b = drift(y);
    return a < b ? 1 : a > b ? -1 : strcmp(((const Effect *)x)->name, ((const Effect *)y)->name);
}

static void put_number(Text *out, Sort sort, double v)
{
    char text[32];
    if (sort == BYTES)
        format_bytes(text, v);
    else if (sort == NUMBER)
        format_count(text, v);
    else
        snprintf(text, sizeof text, "%.1f %%", 100 * v);
    text_put(out, text);
}

void explain_trial(const StoredRun *a, const StoredRun *b, Text *out)
{
    enum { SHOWN = 2 };
    Effect e[] = {
        {"L1 hits", SHARE, part_of(a, C_L1_HITS, C_L1_ACCESSES), part_of(b, C_L1_HITS, C_L1_ACCESSES)},
        {"L2 requests", NUMBER, (double)a->count[C_L2_ACCESSES], (double)b->count[C_L2_ACCESSES]},
        {"DRAM", BYTES, dram_bytes(a->count), dram_bytes(b->count)},
        {"warps an SM", NUMBER, part_of(a, C_WARP_CYCLES, C_SM_CYCLES), part_of(b, C_WARP_CYCLES, C_SM_CYCLES)},
        {"bank conflicts", NUMBER, (double)a->count[C_SHARED_CONFLICTS], (double)b->count[C_SHARED_CONFLICTS]},
        {"instructions", NUMBER, (double)a->warp_instructions, (double)b->warp_instructions},
    };
    qsort(e, COUNT(e), sizeof *e, by_drift);
    for (size_t k = 0; k < SHOWN && drift(&e[k]) > 0.02; k++) {
        text_printf(out, "%s%s ", k ? ", " : "", e[k].name);
        put_number(out, e[k].sort, e[k].before);
        text_put(out, " → ");
        put_number(out, e[k].sort, e[k].after);
    }
}

static double energy_of(const Trial *t) { return t->run ? (double)t->run->count[C_ENERGY] * 1e-15 : 0; }

// As a command line: what is run, with the trial's settings.
static void command(const Request *r, const Trial *t, Text *out)
{
    const Advice *a = &r->advice;
    Text set = {0};
    bool software = false;
    for (size_t k = 0; k < t->n; k++) {
        const Remedy *c = &a->changes.v[t->change[k]];
        for (size_t p = 0; p < MOST_PARAMS && c->params[p]; p++) {
            const size_t name = strcspn(c->params[p], "=");
            if (c->reshaped)
                text_printf(&set, " --%.*s %s", (int)name, c->params[p], c->params[p] + name + 1);
            else
                text_printf(&set, " %s", c->params[p]);
        }
        software |= c->sl1 != NULL;
    }
    if (software) text_put(&set, " --sl1");
    if (software && strcmp(t->cell.how.sl1, "yes")) text_printf(&set, "=%s", t->cell.how.sl1);
    // The settings of lists are joined in the cell; those of the run as it is stand in front.
    size_t from = 0;
    for (const char *const *s = a->trials.v[0].cell.sets; s && *s; s++) from++;
    for (size_t k = from; t->cell.sets[k]; k++) {
        text_put(&set, " --set");
        put_argument(&set, t->cell.sets[k]);
    }
    text_put(out, "onchip run");
    if (r->behind) text_put(out, set.v ? set.v : "");
    text_printf(out, " %s", r->words.v);
    if (!r->behind) text_put(out, set.v ? set.v : "");
    text_free(&set);
}

// What limits each kernel of the run as it is, from its stored counters.
static void kernels_text(const Advice *a, const struct Gpu *g)
{
    const StoredRun *run = a->trials.v[0].run;
    for (size_t k = 0; k < run->kernels.n; k++) {
        const RunKernel *r = &run->kernels.v[k];
        if (r->functional) continue;
        Text limits = {0};
        char *full = name_shown(r->name), *name = name_shorten(full, 2 * report_width(stdout));
        stored_limits(r, g, &limits);
        printf("\n%s: %.0f %% of the time\n", name, 100.0 * (double)r->count[C_CYCLES] / (double)run->cycles);
        put_row(stdout, "  limited by", 16, BREAK_WORDS, limits.v);
        expect_text(r->count, g, stdout);
        text_free(&limits);
        mem_free(full), mem_free(name);
    }
}

static void add_row(const Request *r, Table *table, const Trial *t, const char *what)
{
    const Advice *a = &r->advice;
    char text[64];
    Text why = {0};
    table_add(table, what);
    snprintf(text, sizeof text, "%.0f", trial_cycles(t));
    table_add(table, text);
    snprintf(text, sizeof text, "%.2f", trial_times(a, t));
    table_add(table, text);
    if (a->energy)
        snprintf(text, sizeof text, "%.2f", energy_of(t) / energy_of(&a->trials.v[0])), table_add(table, text);
    explain_trial(a->trials.v[0].run, t->run, &why);
    table_add(table, why.n ? why.v : "");
    text_free(&why);
}

static void name_trial(const Advice *a, const Trial *t, Text *out)
{
    for (size_t k = 0; k < t->n; k++) text_printf(out, "%s%s", k ? "; " : "", a->changes.v[t->change[k]].what);
}

// Trials that gain, the fastest first.
static void gains_text(const Request *r)
{
    const Advice *a = &r->advice;
    Table table = {.columns = a->energy ? 5 : 4, .width = SIZE_MAX};
    const char *const heads[] = {"change", "cycles", "times as fast"};
    bool *done = mem_alloc(a->trials.n + 1);
    memset(done, 0, a->trials.n + 1);
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&table, heads[k]);
    if (a->energy) table_add(&table, "energy");
    table_add(&table, "since");
    size_t rows = 0;
    for (;; rows++) {
        size_t best = 0;
        for (size_t k = 1; k < a->singles; k++)
            if (!done[k] && trial_times(a, &a->trials.v[k]) >= ADVISE_GAIN &&
                (!best || trial_times(a, &a->trials.v[k]) > trial_times(a, &a->trials.v[best])))
                best = k;
        if (!best) break;
        done[best] = true;
        add_row(r, &table, &a->trials.v[best], a->changes.v[best - 1].what);
    }
    printf("\n");
    if (rows) table_print(&table, stdout);
    table_free(&table);
    mem_free(done);
}

// Those that don't gain, in one row each for the reason.
static void others_text(const Advice *a)
{
    Text nothing = {0}, worse = {0}, wrong = {0}, other = {0};
    for (size_t k = 1; k < a->singles; k++) {
        const Trial *t = &a->trials.v[k];
        double times = trial_times(a, t);
        const char *what = a->changes.v[k - 1].what;
        Text *refused = t->differs && !t->run->error ? &other : &wrong;
        if (t->run && times <= 0) text_printf(refused, "%s%s", refused->n ? "; " : "", what);
        if (times <= 0 || times >= ADVISE_GAIN) continue;
        if (times >= 1 / ADVISE_GAIN)
            text_printf(&nothing, "%s%s", nothing.n ? "; " : "", what);
        else
            text_printf(&worse, "%s%s (%.2f)", worse.n ? "; " : "", what, times);
    }
    if (nothing.n) put_row(stdout, "gain nothing", 14, BREAK_WORDS, nothing.v);
    if (worse.n) put_row(stdout, "cost time", 14, BREAK_WORDS, worse.v);
    if (wrong.n) put_row(stdout, "can't be run", 14, BREAK_WORDS, wrong.v);
    if (other.n) put_row(stdout, "other result", 14, BREAK_WORDS, other.v);
    text_free(&nothing), text_free(&worse), text_free(&wrong), text_free(&other);
}

// What time is lost to at most, the largest first.
static void lost_text(const Advice *a)
{
    bool *done = mem_alloc(a->ideals.n + 1);
    for (bool first = true;; first = false) {
        const Ideal *most = NULL;
        for (size_t k = 0; k < a->ideals.n; k++) {
            const Ideal *i = &a->ideals.v[k];
            if (!done[k] && ideal_times(a, i) >= ADVISE_GAIN && (!most || ideal_times(a, i) > ideal_times(a, most)))
                most = i;
        }
        if (!most) break;
        done[most - a->ideals.v] = true;
        Text line = {0};
        text_printf(&line, "at most %.2f × to %s", ideal_times(a, most), most->what);
        ideal_where(a->trials.v[0].run, most, &line);
        if (first) printf("\n");
        put_row(stdout, first ? "lost" : "", 14, BREAK_WORDS, line.v);
        put_row(stdout, "", 16, BREAK_WORDS, most->write);
        text_free(&line);
    }
    mem_free(done);
}

// What no run can try.
static void notes_text(const Advice *a)
{
    for (size_t k = 0; k < a->notes.n; k++) {
        if (!k) printf("\n");
        put_row(stdout, k ? "" : "not run", 14, BREAK_WORDS, a->notes.v[k].what);
        put_row(stdout, "", 16, BREAK_WORDS, a->notes.v[k].write);
    }
}

static void best_text(const Request *r)
{
    const Advice *a = &r->advice;
    const Trial *t = &a->trials.v[a->best];
    Text line = {0};
    if (!a->best) {
        printf("\nNo change%s gains 1 %% or more.\n", a->left ? " that was run" : "");
        return;
    }
    name_trial(a, t, &line);
    text_printf(&line, ": %.2f times as fast", trial_times(a, t));
    if (a->energy) text_printf(&line, ", %.2f of the energy", energy_of(t) / energy_of(&a->trials.v[0]));
    printf("\n");
    put_row(stdout, "best", 14, BREAK_WORDS, line.v);
    for (size_t k = 0; k < t->n; k++)
        put_row(stdout, k ? "" : "write", 14, BREAK_WORDS, a->changes.v[t->change[k]].write);
    line.n = 0;
    command(r, t, &line);
    printf("%-14s%s\n", "see", line.v);
    text_free(&line);
}

static void robust_text(const Request *r)
{
    const Advice *a = &r->advice;
    Text turned = {0};
    size_t known = 0;
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < a->moved.n; k++) {
        const Moved *m = &a->moved.v[k];
        double plain = trial_cycles(&a->trials.v[m->plain]), changed = trial_cycles(&a->trials.v[m->changed]);
        if (plain <= 0 || changed <= 0) continue;
        double times = plain / changed;
        known++, least = fmin(least, times), most = fmax(most, times);
        if (times < ADVISE_GAIN) text_printf(&turned, "%s%s (%.2f)", turned.n ? ", " : "", m->set, times);
    }
    if (!known) return;
    Text line = {0};
    text_printf(&line, "with %zu other values of assumed keys the best is %.2f to %.2f times as fast", known, least,
                most);
    if (turned.n)
        text_printf(&line, "; it would gain nothing with %s", turned.v);
    else
        text_put(&line, "; none of them turns the advice");
    put_row(stdout, turned.n ? "fragile" : "robust", 14, BREAK_WORDS, line.v);
    text_free(&turned), text_free(&line);
}

static void advice_text(const Request *r, const struct Gpu *g)
{
    const Advice *a = &r->advice;
    const StoredRun *run = a->trials.v[0].run;
    printf("%s  %s%son %s: %.0f cycles", run->program, run->params, *run->params ? "  " : "", run->gpu,
           trial_cycles(&a->trials.v[0]));
    if (a->energy) printf(", %.3g mJ", energy_of(&a->trials.v[0]) * 1e3);
    printf("\n");
    kernels_text(a, g);
    lost_text(a);
    gains_text(r);
    others_text(a);
    notes_text(a);
    if (a->left)
        printf("\n%zu of %zu runs weren't made, as the time was up; the same command goes on\n", a->left, a->trials.n);
    best_text(r);
    robust_text(r);
}

static void json_trial(const Request *r, Json *j, const char *key, const Trial *t)
{
    const Advice *a = &r->advice;
    Text line = {0};
    json_open(j, key, '{');
    json_open(j, "changes", '[');
    for (size_t k = 0; k < t->n; k++) {
        const Remedy *c = &a->changes.v[t->change[k]];
        json_open(j, NULL, '{');
        json_string(j, "kind", c->kind), json_string(j, "what", c->what), json_string(j, "write", c->write);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (t->run && t->run->error) json_string(j, "error", t->run->error);
    if (t->differs) json_bool(j, "differs", true);
    if (trial_cycles(t) > 0) {
        json_uint(j, "cycles", t->run->cycles);
        json_double(j, "times", trial_times(a, t));
        if (a->energy) json_double(j, "energy", energy_of(t));
    }
    command(r, t, &line);
    json_string(j, "command", line.v);
    json_close(j, '}');
    text_free(&line);
}

static void advice_json(const Request *r)
{
    const Advice *a = &r->advice;
    Json j = {0};
    json_open(&j, NULL, '{');
    json_string(&j, "onchip", ONCHIP_VERSION);
    if (r->diag.failed) {
        json_string(&j, "error", r->diag.text.v);
    } else {
        json_trial(r, &j, "base", &a->trials.v[0]);
        json_open(&j, "trials", '[');
        for (size_t k = 1; k < a->trials.n; k++) {
            bool moved = k >= a->singles && k < a->joined;
            for (size_t n = 0; n < a->moved.n; n++) moved |= k == a->moved.v[n].plain || k == a->moved.v[n].changed;
            if (!moved && a->trials.v[k].run) json_trial(r, &j, NULL, &a->trials.v[k]);
        }
        json_close(&j, ']');
        if (a->best) json_trial(r, &j, "best", &a->trials.v[a->best]);
        json_open(&j, "ideals", '[');
        for (size_t k = 0; k < a->ideals.n; k++) {
            const Ideal *i = &a->ideals.v[k];
            Text where = {0};
            if (ideal_times(a, i) <= 0) continue;
            ideal_where(a->trials.v[0].run, i, &where);
            json_open(&j, NULL, '{');
            json_string(&j, "what", i->what);
            if (i->set) json_string(&j, "set", i->set);
            if (where.n) json_string(&j, "where", where.v + strspn(where.v, ", "));
            json_string(&j, "write", i->write);
            json_double(&j, "times", ideal_times(a, i));
            json_close(&j, '}');
            text_free(&where);
        }
        json_close(&j, ']');
        json_open(&j, "notes", '[');
        for (size_t k = 0; k < a->notes.n; k++) {
            json_open(&j, NULL, '{');
            json_string(&j, "kind", a->notes.v[k].kind), json_string(&j, "what", a->notes.v[k].what);
            json_string(&j, "write", a->notes.v[k].write);
            json_close(&j, '}');
        }
        json_close(&j, ']');
        json_open(&j, "moved", '[');
        for (size_t k = 0; k < a->moved.n; k++) {
            const Moved *m = &a->moved.v[k];
            double plain = trial_cycles(&a->trials.v[m->plain]), changed = trial_cycles(&a->trials.v[m->changed]);
            if (plain <= 0 || changed <= 0) continue;
            json_open(&j, NULL, '{');
            json_string(&j, "set", m->set), json_double(&j, "times", plain / changed);
            json_close(&j, '}');
        }
        json_close(&j, ']');
        json_uint(&j, "left", a->left);
    }
    json_close(&j, '}');
    printf("%s\n", j.text.v);
    json_free(&j);
}

static void put_page(Request *r)
{
    Text line = {0};
    command(r, &r->advice.trials.v[r->advice.best], &line);
    advice_page(&r->advice, line.v, r->page, &r->diag);
    text_free(&line);
}

static int run_advise(Request *r)
{
    Gpu g;
    r->store = store_open(r->db, &r->diag);
    if (!r->store) return EXIT_FAILED;
    bool ok = advise(&r->advice, &r->matrix, r->store, &r->advise, &r->diag);
    const Cell *c = r->advice.trials.n ? &r->advice.trials.v[0].cell : NULL;
    if (ok && gpu_load(&g, c->gpu, c->sets, &r->diag)) {
        if (!r->json && (!r->page || strcmp(r->page, "-"))) advice_text(r, &g);
        if (r->page) put_page(r);
        gpu_free(&g);
    }
    store_close(r->store);
    return !r->diag.failed ? EXIT_OK : interrupted() ? interrupt_status() : EXIT_FAILED;
}

int cmd_advise(int argc, char **argv)
{
    Request r = {.advise = {.budget = 60}};
    r.advise.sweep = sweep, r.advise.user = &r;
    int code = read_options(&r, argc, argv);
    if (code < 0) code = run_advise(&r);
    if (r.json && (code == EXIT_OK || r.diag.failed)) advice_json(&r);
    fflush(stdout);
    if (r.diag.failed) tell(code, "%s", r.diag.text.v);
    advice_free(&r.advice);
    matrix_free(&r.matrix);
    diag_free(&r.diag);
    text_free(&r.words);
    return code;
}
