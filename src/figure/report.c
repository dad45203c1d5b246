// report.c: writes the page. It says what was run, has a table of all runs, figures over all programs, and the figures
// and tables of each program. A number in a table is rounded for the eye; its cell also keeps the stored value
// (html.c).
#include "figure/page.h"

#include "gpu/gpu.h"
#include "names/names.h"

#include <math.h>
#include <string.h>

typedef VEC(const StoredRun *) List;

// --- cells -----------------------------------------------------------------------------------------------------------
static void real(Text *out, const char *format, double value)
{
    Text t = {0};
    text_printf(&t, format, value);
    html_number(out, t.v, value);
    text_free(&t);
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : NAN; }

static const char *label_of(RunGroup *g, size_t run) { return g->swept.n ? group_label(g, run, SIZE_MAX) : "the run"; }

// A long table is folded: the page has all of it, but shows it only when asked to.
static void fold(Text *out, const char *title, size_t rows)
{
    html_put(out, "<details%r><summary>%s</summary>\n", rows <= 12 ? " open=\"open\"" : "", title);
}

// A path without its folders. Other texts stay, the names of suites' programs, "rodinia/nn", among them.
static const char *short_path(const char *text)
{
    const char *dot = strrchr(text, '.');
    bool file = dot && (!strcmp(dot, ".ptx") || !strcmp(dot, ".cu") || !strcmp(dot, ".ini"));
    return strchr(text, '/') && (*text == '/' || *text == '.' || file) && *base_name(text) ? base_name(text) : text;
}

// --- the head --------------------------------------------------------------------------------------------------------
static void add_once(List *list, const StoredRun *run, int (*compare)(const StoredRun *, const StoredRun *))
{
    for (size_t k = 0; k < list->n; k++)
        if (!compare(list->v[k], run)) return;
    vec_push(list, run);
}
static int by_gpu(const StoredRun *a, const StoredRun *b) { return strcmp(a->gpu, b->gpu); }
static int by_program(const StoredRun *a, const StoredRun *b) { return strcmp(a->program, b->program); }
static int by_version(const StoredRun *a, const StoredRun *b)
{
    return a->model == b->model ? strcmp(a->version, b->version) : 1;
}
static int by_host(const StoredRun *a, const StoredRun *b) { return strcmp(a->host, b->host); }

static void put_names(Text *out, const char *name, const Runs *runs,
                      int (*compare)(const StoredRun *, const StoredRun *))
{
    List list = {0};
    for (size_t k = 0; k < runs->v.n; k++) add_once(&list, &runs->v.v[k], compare);
    html_put(out, "<dt>%s</dt><dd>", name);
    for (size_t k = 0; k < list.n; k++) {
        const StoredRun *r = list.v[k];
        char model[32];
        snprintf(model, sizeof model, "%lld", (long long)r->model);
        text_put(out, k ? ", " : "");
        if (compare == by_version)
            html_put(out, "onchip %s, model %s", r->version, model);
        else
            html_put(out, "%s", compare == by_gpu ? r->gpu : compare == by_program ? r->program : r->host);
    }
    text_put(out, "</dd>\n");
    vec_free(&list);
}

// The head of a page of one run: what was run, and whether its result is right.
static void head_of_one(Report *r, const StoredRun *run)
{
    const Unit unit = time_unit(run->seconds);
    html_put(r->out, "<header>\n<h1>%s</h1>\n<p class=\"note\">", run->program);
    text_printf(r->out, "%zu kernel%s, ", run->kernels.n, run->kernels.n == 1 ? "" : "s");
    if (run->seconds > 0)
        text_printf(r->out, "%.4g %s of simulated time", run->seconds * unit.per, unit.name);
    else
        text_put(r->out, "without time");
    text_put(r->out, run->verified ? "; the result is right" : "; the result wasn't checked");
    text_put(r->out, ". Cycles follow from the GPU's description. Compare runs with each other.</p>\n</header>\n");
}

static void head(Report *r, const Runs *runs)
{
    List programs = {0}, gpus = {0};
    size_t failed = 0;
    if (r->alone) {
        head_of_one(r, &runs->v.v[0]);
        return;
    }
    for (size_t k = 0; k < runs->v.n; k++) {
        add_once(&programs, &runs->v.v[k], by_program), add_once(&gpus, &runs->v.v[k], by_gpu);
        failed += runs->v.v[k].error != NULL;
    }
    html_put(r->out, "<header>\n<h1>onchip report</h1>\n<p class=\"note\">");
    text_printf(r->out, "%zu run%s of %zu program%s on ", runs->v.n, runs->v.n == 1 ? "" : "s", programs.n,
                programs.n == 1 ? "" : "s");
    for (size_t k = 0; k < gpus.n; k++)
        html_put(r->out, "%r%s", !k ? "" : k + 1 < gpus.n ? ", " : " and ", gpus.v[k]->gpu);
    if (failed) text_printf(r->out, "; <span class=\"bad\">%zu failed</span>", failed);
    text_put(r->out, ". Cycles follow from the GPU's description; the tables of kernels say how sure they are. Compare "
                     "runs with each other.</p>\n</header>\n");
    vec_free(&programs), vec_free(&gpus);
}

// Lists every key of the descriptions with the origin of its value. A description's file may be gone since.
static void descriptions(Report *r, const Runs *runs)
{
    List list = {0};
    for (size_t k = 0; k < runs->v.n; k++) add_once(&list, &runs->v.v[k], by_gpu);
    for (size_t k = 0; k < list.n; k++) {
        Text text = {0};
        Diag why = {0};
        bool ok = gpu_show(list.v[k]->gpu, NULL, false, &text, &why);
        html_put(r->out,
                 "<details><summary>%s: the description, with the origin of each value</summary>\n<p "
                 "class=\"note\">Before the settings of the runs.</p><pre>%s</pre></details>\n",
                 list.v[k]->gpu, ok ? text.v : why.text.v);
        text_free(&text), diag_free(&why);
    }
    vec_free(&list);
}

// When, where and by what the runs were made: at the page's end, since figures come first.
static void origin(Report *r, const Runs *runs)
{
    double seconds = 0;
    const char *first = NULL, *last = NULL;
    for (size_t k = 0; k < runs->v.n; k++) {
        const StoredRun *run = &runs->v.v[k];
        if (!first || strcmp(run->finished, first) < 0) first = run->finished;
        if (!last || strcmp(run->finished, last) > 0) last = run->finished;
        seconds += run->wall_seconds;
    }
    text_put(r->out, "<section id=\"origin\">\n<h2>Origin</h2>\n<dl>\n");
    put_names(r->out, "programs", runs, by_program);
    put_names(r->out, "GPUs", runs, by_gpu);
    text_printf(r->out, "<dt>simulated in</dt><dd>%.2f s</dd>\n", seconds);
    html_put(r->out, "<dt>when</dt><dd>%s", first);
    if (strcmp(first, last)) html_put(r->out, " to %s", last);
    text_put(r->out, "</dd>\n");
    put_names(r->out, "simulated by", runs, by_version);
    put_names(r->out, "on", runs, by_host);
    html_put(r->out, "<dt>page by</dt><dd>onchip %s</dd>\n</dl>\n", ONCHIP_VERSION);
    descriptions(r, runs);
    text_put(r->out, "</section>\n");
}

// --- tables ----------------------------------------------------------------------------------------------------------
static void runs_table(Report *r, const Runs *runs)
{
    static const char *const columns[] = {"program",
                                          "parameters",
                                          "GPU",
                                          "settings",
                                          "result",
                                          "#cycles",
                                          "#simulated µs",
                                          "#warp instructions",
                                          "#IPC",
                                          "#L1 accesses",
                                          "#L1 hits",
                                          "#L2 requests",
                                          "#L2 hits",
                                          "#DRAM bytes read",
                                          "#DRAM bytes written",
                                          "#host s",
                                          "finished",
                                          "key",
                                          "#energy, mJ"};
    uint64_t energy = 0;  // of any run
    for (size_t k = 0; k < runs->v.n; k++) energy |= runs->v.v[k].count[C_ENERGY];
    html_put(r->out, "<section id=\"runs\">\n<h2>%s</h2>\n", r->alone ? "The run" : "All runs");
    html_table(r->out, "table-runs", r->alone ? "The run, as the store has it." : "All runs.", columns,
               COUNT(columns) - !energy);
    for (size_t k = 0; k < runs->v.n; k++) {
        const StoredRun *run = &runs->v.v[k];
        const uint64_t *c = run->count;
        html_row(r->out);
        html_cell(r->out, run->program), html_cell(r->out, run->params), html_cell(r->out, run->gpu);
        Text settings = {0};
        text_printf(&settings, "%s%s%s", run->overrides, *run->overrides && *run->options ? " " : "", run->options);
        html_cell(r->out, settings.v);
        text_free(&settings);
        if (run->error)
            html_put(r->out, "<td class=\"bad\">failed</td>");
        else
            html_cell(r->out, run->verified ? "right" : "not checked");
        html_count(r->out, run->cycles), real(r->out, "%.6g", run->seconds > 0 ? 1e6 * run->seconds : NAN);
        html_count(r->out, run->warp_instructions);
        real(r->out, "%.3f", ratio(c[C_WARP_INSTS], c[C_CYCLES]));
        html_count(r->out, c[C_L1_ACCESSES]), html_percent(r->out, ratio(c[C_L1_HITS], c[C_L1_ACCESSES]));
        html_count(r->out, c[C_L2_ACCESSES]), html_percent(r->out, ratio(c[C_L2_HITS], c[C_L2_ACCESSES]));
        html_count(r->out, c[C_DRAM_READ_BYTES]), html_count(r->out, c[C_DRAM_WRITE_BYTES]);
        real(r->out, "%.2f", run->wall_seconds);
        html_cell(r->out, run->finished), html_cell(r->out, run->key);
        if (energy) real(r->out, "%.6g", c[C_ENERGY] ? 1e-12 * (double)c[C_ENERGY] : NAN);
        text_put(r->out, "</tr>");
    }
    html_table_end(r->out);
    for (size_t k = 0; k < runs->v.n; k++)
        if (runs->v.v[k].error)
            html_put(r->out, "<p><span class=\"bad\">%s %s on %s %s failed:</span></p><pre>%s</pre>\n",
                     runs->v.v[k].program, runs->v.v[k].params, runs->v.v[k].gpu, runs->v.v[k].overrides,
                     runs->v.v[k].error);
    text_put(r->out, "</section>\n");
}

// A table of the times from which the figures of relative times are made.
static void times_table(Report *r, RunGroup *g, const char *id)
{
    const StoredRun *base = g->runs.v[g->base];
    const char *relative = arena_printf(&g->arena, "#relative to %s", label_of(g, g->base));
    const char *const columns[] = {"run", "GPU", "#cycles", "#clock, MHz", "#simulated µs", relative};
    if (g->runs.n < 2) return;
    fold(r->out, "Times", g->runs.n);
    html_table(r->out, id,
               "Simulated time is cycles over the clock of the GPU's description; times are compared, not cycles.",
               columns, COUNT(columns));
    for (size_t k = 0; k < g->runs.n; k++) {
        const StoredRun *run = g->runs.v[k];
        bool timed = run->seconds > 0;
        html_row(r->out);
        html_cell(r->out, label_of(g, k)), html_cell(r->out, run->gpu), html_count(r->out, run->count[C_CYCLES]);
        real(r->out, "%.6g", timed ? 1e-6 * (double)run->count[C_CYCLES] / run->seconds : NAN);
        real(r->out, "%.6g", timed ? 1e6 * run->seconds : NAN);
        real(r->out, "%.4f", timed && base->seconds > 0 ? run->seconds / base->seconds : NAN);
        text_put(r->out, "</tr>");
    }
    html_table_end(r->out);
    text_put(r->out, "</details>\n");
}

static void kernels_table(Report *r, RunGroup *g, const char *id)
{
    static const char *const columns[] = {
        "run",        "kernel",       "#launches", "grid",         "block",    "#cycles",    "#simulated µs",
        "#IPC",       "#L1 accesses", "#L1 hits",  "#L2 requests", "#L2 hits", "#occupancy", "#warps an SM fits",
        "limited by", "#DRAM GB/s",   "how sure",  "#energy, mJ"};
    size_t rows = 0;
    uint64_t energy = 0;
    for (size_t k = 0; k < g->runs.n; k++) energy |= g->runs.v[k]->count[C_ENERGY];
    const size_t width = COUNT(columns) - !energy;
    for (size_t k = 0; k < g->runs.n; k++) rows += g->runs.v[k]->kernels.n;
    fold(r->out, "Kernels", rows);
    html_table(r->out, id, "Launches of one kernel are summed; grid and block are those of the first launch.", columns,
               width);
    for (size_t k = 0; k < g->runs.n; k++)
        for (size_t n = 0; n < g->runs.v[k]->kernels.n; n++) {
            const RunKernel *one = &g->runs.v[k]->kernels.v[n];
            html_row(r->out);
            html_cell(r->out, label_of(g, k)), html_cell(r->out, one->name), html_count(r->out, one->launches),
                html_cell(r->out, one->grid), html_cell(r->out, one->block);
            if (one->functional) {
                html_cell(r->out, "without time");
                for (size_t c = 6; c < width; c++) html_cell(r->out, "–");
                text_put(r->out, "</tr>");
                continue;
            }
            const uint64_t *count = one->count;
            html_count(r->out, count[C_CYCLES]), real(r->out, "%.6g", 1e6 * one->rate[R_SECONDS]);
            real(r->out, "%.3f", one->rate[R_IPC]);
            html_count(r->out, count[C_L1_ACCESSES]),
                html_percent(r->out, count[C_L1_ACCESSES] ? one->rate[R_L1_HIT_RATE] : NAN);
            html_count(r->out, count[C_L2_ACCESSES]),
                html_percent(r->out, count[C_L2_ACCESSES] ? one->rate[R_L2_HIT_RATE] : NAN);
            html_percent(r->out, one->rate[R_OCCUPANCY]);
            html_count(r->out, one->warps), html_cell(r->out, one->limit);
            real(r->out, "%.1f", one->rate[R_DRAM_BANDWIDTH]);
            Text sure = {0};
            r->options->sure(count, one->peak, g->runs.v[k]->gpu, &sure);
            html_cell(r->out, sure.v);
            text_free(&sure);
            if (energy) real(r->out, "%.6g", 1e-12 * (double)count[C_ENERGY]);
            text_put(r->out, "</tr>");
        }
    html_table_end(r->out);
    text_put(r->out, "</details>\n");
}

static void structures_table(Report *r, RunGroup *g, const char *id)
{
    static const char *const columns[] = {"run",          "kernel",   "data structure", "#loads",
                                          "#stores",      "#atomics", "#sectors",       "#a request",
                                          "#L1 accesses", "#L1 hits", "#DRAM bytes",    "#of DRAM"};
    size_t rows = 0;
    for (size_t k = 0; k < g->runs.n; k++)
        for (size_t n = 0; n < g->runs.v[k]->kernels.n; n++) rows += g->runs.v[k]->kernels.v[n].structures.n;
    if (!rows) return;
    fold(r->out, "Data structures", rows);
    html_table(r->out, id,
               "Loads, stores and atomics are instructions of warps. 4 sectors a request: consecutive words of a full "
               "line; 32: each lane another line.",
               columns, COUNT(columns));
    for (size_t k = 0; k < g->runs.n; k++)
        for (size_t n = 0; n < g->runs.v[k]->kernels.n; n++) {
            const RunKernel *one = &g->runs.v[k]->kernels.v[n];
            uint64_t dram = one->count[C_DRAM_READ_BYTES] + one->count[C_DRAM_WRITE_BYTES];
            for (size_t m = 0; m < one->structures.n; m++) {
                const RunStructure *s = &one->structures.v[m];
                html_row(r->out);
                html_cell(r->out, label_of(g, k)), html_cell(r->out, one->name), html_cell(r->out, s->name);
                html_count(r->out, s->loads), html_count(r->out, s->stores), html_count(r->out, s->atomics),
                    html_count(r->out, s->sectors);
                real(r->out, "%.2f", ratio(s->sectors, s->loads + s->stores + s->atomics));
                html_count(r->out, s->l1_accesses);
                html_percent(r->out, ratio(s->l1_hits, s->l1_accesses));
                html_count(r->out, s->dram_bytes);
                html_percent(r->out, ratio(s->dram_bytes, dram));
                text_put(r->out, "</tr>");
            }
        }
    html_table_end(r->out);
    text_put(r->out, "</details>\n");
}

// --- the source ------------------------------------------------------------------------------------------------------
static size_t run_sources(Report *r, RunGroup *g, size_t run, size_t number, size_t tables)
{
    const StoredRun *one = g->runs.v[run];
    for (size_t k = 0; k < one->kernels.n; k++) {
        char id[64];
        if (!one->kernels.v[k].lines.n) continue;
        snprintf(id, sizeof id, "table-source-%zu-%zu", number, ++tables);
        source_table(r, &one->kernels.v[k], group_label(g, run, SIZE_MAX), id, false);
    }
    return tables;
}

// The source as the baseline's and the fastest run's kernels spent their time in it. Only runs with --lines have it:
// where neither of these does, that of the first run that has.
static void source_tables(Report *r, RunGroup *g, size_t number)
{
    const size_t best = group_fastest(g);
    size_t tables = run_sources(r, g, g->base, number, 0);
    if (best != g->base) tables = run_sources(r, g, best, number, tables);
    for (size_t k = 0; k < g->runs.n && !tables; k++) tables = run_sources(r, g, k, number, tables);
}

static void counters_table(Report *r, RunGroup *g, const char *id)
{
    VEC(const char *) columns = {0};
    vec_push(&columns, "counter");
    vec_push(&columns, "unit");
    for (size_t k = 0; k < g->runs.n; k++) vec_push(&columns, arena_printf(&g->arena, "#%s", label_of(g, k)));
    text_put(r->out, "<details><summary>All counters</summary>\n");
    html_table(r->out, id, "Sums over all kernels that were timed; counters that are 0 everywhere are left out.",
               columns.v, columns.n);
    for (int c = 0; c < C_COUNT; c++) {
        uint64_t any = 0;
        for (size_t k = 0; k < g->runs.n; k++) any |= g->runs.v[k]->count[c];
        if (!any) continue;
        html_row(r->out);
        html_put(r->out, "<td title=\"%s\">%s</td><td>%s</td>", counter_info[c].doc, counter_info[c].name,
                 counter_info[c].unit);
        for (size_t k = 0; k < g->runs.n; k++) html_count(r->out, g->runs.v[k]->count[c]);
        text_put(r->out, "</tr>");
    }
    html_table_end(r->out);
    text_put(r->out, "</details>\n");
    vec_free(&columns);
}

// --- the page --------------------------------------------------------------------------------------------------------
// Says what all runs of a program have in common, and names their GPUs.
static void common(Report *r, const RunGroup *g)
{
    const StoredRun *run = g->runs.v[g->base];
    List gpus = {0};
    add_once(&gpus, run, by_gpu);
    for (size_t k = 0; k < g->runs.n; k++) add_once(&gpus, g->runs.v[k], by_gpu);
    for (size_t k = 0; k < gpus.n; k++)
        html_put(r->out, "%r%s", !k ? "<p>On " : k + 1 < gpus.n ? ", " : " and ", gpus.v[k]->gpu);
    vec_free(&gpus);
    for (size_t s = 0; s < run->settings.n; s++) {
        const RunSetting *one = &run->settings.v[s];
        if (!*one->value || !strcmp(one->name, "gpu") || !strcmp(one->name, "model") || group_varies(g, one->name))
            continue;
        if (strcmp(one->name, "options"))
            html_put(r->out, ", %s = %s", one->name, short_path(one->value));
        else
            html_put(r->out, ", %s", one->value);
    }
    text_put(r->out, ".</p>\n");
}

static bool program(Report *r, const Runs *runs, const char *name, size_t number)
{
    List list = {0};
    RunGroup g;
    char id[64];
    for (size_t k = 0; k < runs->v.n; k++) {
        const StoredRun *run = &runs->v.v[k];
        if (!strcmp(run->program, name)) vec_push(&list, run);
    }
    group_open(&g, list.v, list.n, true, r->options->baseline);
    snprintf(id, sizeof id, "program-%zu", number);
    html_put(r->out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, r->alone ? "Kernels" : name);
    bool ok = true;
    if (g.runs.n) {
        common(r, &g);
        ok = g.runs.n > 1 ? charts_program(r, &g) : single_kernels(r, &g, number);
        snprintf(id, sizeof id, "table-times-%zu", number), times_table(r, &g, id);
        snprintf(id, sizeof id, "table-kernels-%zu", number), kernels_table(r, &g, id);
        snprintf(id, sizeof id, "table-structures-%zu", number), structures_table(r, &g, id);
        if (g.runs.n > 1) source_tables(r, &g, number);
        snprintf(id, sizeof id, "table-counters-%zu", number), counters_table(r, &g, id);
        if (g.runs.n == 1) ok = ok && curves_over_time(r, &g, r->alone ? "" : name);
    } else {
        text_put(r->out, "<p>Every run failed.</p>\n");
    }
    text_put(r->out, "</section>\n");
    group_free(&g);
    vec_free(&list);
    return ok;
}

static bool sections(Report *r, const Runs *runs)
{
    List programs = {0}, all = {0};
    bool any = false;
    for (size_t k = 0; k < runs->v.n; k++) {
        const StoredRun *run = &runs->v.v[k];
        vec_push(&all, run);
        add_once(&programs, run, by_program);
        any |= !run->error;
    }
    text_put(r->out, "<nav>");
    for (size_t k = 0; k < programs.n; k++) {
        char id[64];  // not the program's name: that may be anything, even an id that is taken, such as "runs"
        snprintf(id, sizeof id, "#program-%zu", k + 1);
        html_put(r->out, "<a href=\"%s\">%s</a>", id, r->alone ? "kernels" : programs.v[k]->program);
    }
    html_put(r->out, "<a href=\"#runs\">%s</a><a href=\"#origin\">origin</a></nav>\n",
             r->alone ? "the run" : "all runs");
    bool ok = !any || overview(r, all.v, all.n, programs.n > 1);
    for (size_t k = 0; k < programs.n && ok; k++) ok = program(r, runs, programs.v[k]->program, k + 1);
    vec_free(&programs), vec_free(&all);
    return ok;
}

// A program's file stands on a page without its folders, unless another program's would look the same.
static void shorten_programs(Runs *runs)
{
    for (size_t k = 0; k < runs->v.n; k++) {
        const char *whole = runs->v.v[k].program, *bare = short_path(whole);
        bool apart = true;
        for (size_t n = 0; n < runs->v.n && bare != whole && apart; n++)
            apart = !strcmp(runs->v.v[n].program, whole) ||
                    (strcmp(runs->v.v[n].program, bare) && strcmp(short_path(runs->v.v[n].program), bare));
        if (!apart || bare == whole) continue;
        for (size_t n = k; n < runs->v.n; n++)
            if (!strcmp(runs->v.v[n].program, whole)) runs->v.v[n].program = bare;
    }
}

// On a page kernels have the names of the source. These may have thousands of letters, and lose their middle. The
// store's stay whole.
static void shorten_kernels(Runs *runs)
{
    enum { LONGEST = 80 };
    VEC(const char **) names = {0};
    for (size_t k = 0; k < runs->v.n; k++)
        for (size_t n = 0; n < runs->v.v[k].kernels.n; n++) vec_push(&names, &runs->v.v[k].kernels.v[n].name);
    const char **whole = mem_alloc((names.n + 1) * sizeof *whole);
    char **shorter = mem_alloc((names.n + 1) * sizeof *shorter);
    for (size_t k = 0; k < names.n; k++) {
        char *shown = name_shown(*names.v[k]);
        whole[k] = arena_copy(&runs->arena, shown);
        mem_free(shown);
    }
    names_shorten(whole, names.n, LONGEST, shorter);
    for (size_t k = 0; k < names.n; k++) {
        *names.v[k] = arena_copy(&runs->arena, shorter[k]);
        mem_free(shorter[k]);
    }
    mem_free(whole), mem_free(shorter);
    vec_free(&names);
}

// Where a program has one run, its kernels are what is compared: the slowest stands first.
static void order_kernels(Runs *runs)
{
    for (size_t k = 0; k < runs->v.n; k++) {
        size_t runs_of = 0;
        for (size_t n = 0; n < runs->v.n; n++)
            runs_of += !runs->v.v[n].error && !strcmp(runs->v.v[n].program, runs->v.v[k].program);
        if (runs_of == 1 && !runs->v.v[k].error) single_order(&runs->v.v[k]);
    }
}

bool report_page(Store *s, const ReportOptions *options, ReportCount *made, Text *html, Diag *diag)
{
    Runs runs = {0};
    Report r = {.options = options, .out = html, .diag = diag};
    bool ok = runs_read(&runs, s, &(RunsWanted){options->programs, options->gpus, options->keys, NULL}, diag);
    if (ok && !runs.v.n)
        ok = diag_error(diag,
                        "%s has no runs%s\nhint: onchip sweep puts runs there; onchip report run WORKLOAD makes one",
                        store_path(s), options->programs || options->gpus ? " of these programs and GPUs" : "");
    if (ok) {
        r.alone = runs.v.n == 1 && !runs.v.v[0].error;
        shorten_kernels(&runs), shorten_programs(&runs), order_kernels(&runs);
        html_open(html, r.alone ? runs.v.v[0].program : "onchip report");
        head(&r, &runs);
        ok = sections(&r, &runs);
        runs_table(&r, &runs);
        origin(&r, &runs);
        html_close(html);
    }
    *made = (ReportCount){runs.v.n, r.figures};
    map_free(&r.names), map_free(&r.titles), map_free(&r.colours);
    runs_free(&runs);
    return ok;
}
