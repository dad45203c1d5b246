// single.c: a program's part of the page where the program has a single run. First stand its kernels, the slowest
// first, each with its time, its share of the program and what limits it, in words. Then come each kernel's memory
// chart, arrays and source; then what sets kernels side by side. No figure adds kernels up. Curves over time come last,
// behind the tables (curves_over_time).
#include "figure/page.h"

#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double seconds(const RunKernel *k)
{
    return k->functional || !isfinite(k->rate[R_SECONDS]) ? 0 : k->rate[R_SECONDS];
}

static int by_time(const void *a, const void *b)
{
    const RunKernel *x = a, *y = b;
    if (x->functional != y->functional) return x->functional ? 1 : -1;
    return seconds(x) > seconds(y) ? -1 : seconds(x) < seconds(y) ? 1 : strcmp(x->name, y->name);
}

void single_order(StoredRun *run)
{
    if (run->kernels.n) qsort(run->kernels.v, run->kernels.n, sizeof *run->kernels.v, by_time);
}

// "4,1,1" as 4×1×1.
static void put_sizes(Text *out, const char *what, const char *sizes)
{
    text_printf(out, "%s ", what);
    for (; *sizes; sizes++) {
        if (*sizes == ',')
            text_put(out, "×");
        else
            text_add(out, sizes, 1);
    }
}

static void put_id(char id[64], const char *mark, size_t number, size_t kernel)
{
    snprintf(id, 64, "%skernel-%zu-%zu", mark, number, kernel + 1);
}

// Whether a kernel has a section of its own: one that was executed without time has no figures.
static bool shown(const RunKernel *k) { return !k->functional || k->lines.n; }

// What is told of a kernel above the fold.
static void tell_kernel(const Report *r, const StoredRun *run, size_t at, size_t number)
{
    const RunKernel *k = &run->kernels.v[at];
    const double share = run->seconds > 0 ? seconds(k) / run->seconds : NAN;
    const Unit unit = time_unit(seconds(k));
    char id[64];
    Text t = {0};
    put_id(id, "#", number, at);
    if (shown(k))
        html_put(r->out, "<li>\n<p class=\"name\"><a href=\"%s\">%s</a>", id, k->name);
    else
        html_put(r->out, "<li>\n<p class=\"name\"><b>%s</b>", k->name);
    if (k->functional)
        text_put(r->out, "<span>without time</span></p>\n");
    else
        text_printf(r->out, "<span>%.4g %s</span>", seconds(k) * unit.per, unit.name);
    if (!k->functional && isfinite(share))
        text_printf(r->out,
                    "<span>%.3g %% of the program</span></p>\n<p class=\"share\"><i style=\"width:%.1f%%\"></i></p>\n",
                    100 * share, 100 * share);
    else if (!k->functional)
        text_put(r->out, "</p>\n");
    if (k->limits) html_put(r->out, "<p><b>Limited by</b> %s.</p>\n", k->limits);
    text_printf(&t, "%llu launch%s, ", (unsigned long long)k->launches, k->launches == 1 ? "" : "es");
    put_sizes(&t, "grid", k->grid), put_sizes(&t, ", block", k->block);
    if (!k->functional) {
        text_printf(&t, "; %llu cycles, IPC %.3f; how sure: ", (unsigned long long)k->count[C_CYCLES], k->rate[R_IPC]);
        r->options->sure(k->count, k->peak, run->gpu, &t);
    }
    if (k->partial) text_put(&t, "; cut short");
    html_put(r->out, "<p class=\"note\">%s.</p>\n</li>\n", t.v);
    text_free(&t);
}

StoredRun run_of_kernel(const StoredRun *run, size_t at)
{
    RunKernel *k = &run->kernels.v[at];
    StoredRun one = *run;
    one.kernels.v = k, one.kernels.n = 1;
    one.count = k->count, one.peak = k->peak, one.cycles = k->count[C_CYCLES], one.seconds = seconds(k);
    if (k->why.n || run->kernels.n > 1) one.why.v = k->why.v, one.why.n = k->why.n;  // the run's is of all kernels
    return one;
}

// A kernel's figures and its source. The figures are made of a run that has this kernel alone.
static bool show_kernel(Report *r, const StoredRun *run, size_t at, size_t number)
{
    const RunKernel *k = &run->kernels.v[at];
    const StoredRun one = run_of_kernel(run, at);
    char id[64];
    Text title = {0};
    put_id(id, "", number, at);
    html_put(r->out, "<section id=\"%s\">\n<h3>%s</h3>\n<div class=\"figures\">\n", id, k->name);
    char *shorter = name_shorten(k->name, LONGEST_IN_TITLE);
    text_printf(&title, "%s%s%s", r->alone ? "" : run->program, r->alone ? "" : ", ", shorter);
    mem_free(shorter);
    bool ok = (!k->count[C_CYCLES] || chart_memory(r, &one, title.v, "")) && chart_arrays(r, &one, title.v, "");
    text_put(r->out, "</div>\n");
    snprintf(id, sizeof id, "table-source-%zu-%zu", number, at + 1);
    if (k->lines.n) source_table(r, k, "", id, true);
    text_put(r->out, "</section>\n");
    text_free(&title);
    return ok;
}

bool single_kernels(Report *r, const RunGroup *g, size_t number)
{
    const StoredRun *run = g->runs.v[0];
    const size_t told = MIN(run->kernels.n, MOST_TOLD);
    bool ok = true, lines = false;
    Bars bars = {0};
    text_put(r->out, "<ol class=\"kernels\">\n");
    for (size_t k = 0; k < told; k++) tell_kernel(r, run, k, number);
    text_put(r->out, "</ol>\n");
    if (told < run->kernels.n)
        text_printf(r->out, "<p class=\"note\">%zu further kernels stand in the table of kernels.</p>\n",
                    run->kernels.n - told);
    for (size_t k = 0; k < told && ok; k++) {
        ok = !shown(&run->kernels.v[k]) || show_kernel(r, run, k, number);
        lines |= run->kernels.v[k].lines.n > 0;
    }
    if (!lines)
        text_put(r->out, "<p class=\"note\">A run that is made with --lines has its source here, with what each line "
                         "did.</p>\n");
    for (size_t k = 0; k < run->kernels.n && bars.n < MOST_BARS; k++) {
        Bar bar = {run->kernels.v[k].name, run->kernels.v[k].count};
        if (!run->kernels.v[k].functional) vec_push(&bars, bar);
    }
    if (bars.n) {
        text_put(r->out, bars.n > 1 ? "<h3>Kernels side by side</h3>\n<div class=\"figures\">\n"
                                    : "<h3>Issue slots, bytes and roofline</h3>\n<div class=\"figures\">\n");
        ok = ok && chart_issue_slots(r, run->program, "kernel", &bars) &&
             chart_bytes(r, run->program, "kernel", &bars) && chart_roof(r, run, run->program, "") &&
             chart_tensor_roof(r, run, run->program, "");
        text_put(r->out, "</div>\n");
    }
    vec_free(&bars);
    return ok;
}
