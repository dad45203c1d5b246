// overview.c: what the runs say over all programs, first in words: which settings are fastest, for each workload, and
// why. A workload is a program with its parameters; all other settings are compared, with those of the base.
#include "figure/page.h"

#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

typedef struct Overview {
    Report *r;
    RunGroup g;
    VEC(const char *) workloads;
    VEC(size_t) of;       // each run's workload
    VEC(size_t) configs;  // for each combination of settings the first run that has it
    Map kernels;          // their names → the workload that has one of that name
    size_t base;          // the combination that most workloads have; of several such the one with most base values
} Overview;

static size_t run_of(const Overview *v, size_t workload, size_t config)
{
    size_t k = 0;
    while (k < v->g.runs.n && !(v->of.v[k] == workload && group_near(&v->g, k, config, SIZE_MAX, SIZE_MAX))) k++;
    return k;
}

// Names the workloads: by their programs, with parameters only where a program has several workloads.
static void name_workloads(Overview *v)
{
    for (size_t k = 0; k < v->g.runs.n; k++) {
        const StoredRun *run = v->g.runs.v[k];
        bool alone = true;
        for (size_t j = 0; j < v->g.runs.n; j++)
            alone = alone &&
                    (strcmp(v->g.runs.v[j]->program, run->program) || !strcmp(v->g.runs.v[j]->params, run->params));
        const char *name = alone ? run->program : arena_printf(&v->g.arena, "%s %s", run->program, run->params);
        size_t w = 0;
        while (w < v->workloads.n && strcmp(v->workloads.v[w], name)) w++;
        if (w == v->workloads.n) vec_push(&v->workloads, name);
        vec_push(&v->of, w);
    }
    size_t most = 0;
    for (size_t k = 0; k < v->g.runs.n; k++) {
        if (k && group_near(&v->g, k, k - 1, SIZE_MAX, SIZE_MAX)) continue;
        size_t have = 0;
        for (size_t w = 0; w < v->workloads.n; w++) have += run_of(v, w, k) < v->g.runs.n;
        vec_push(&v->configs, k);
        if (have > most || (have == most && group_bases(&v->g, k) > group_bases(&v->g, v->base)))
            most = have, v->base = k;
    }
}

// --- times -----------------------------------------------------------------------------------------------------------
// A workload's run with these settings; null: it has none.
static const StoredRun *run_at(const Overview *v, size_t workload, size_t config)
{
    size_t run = run_of(v, workload, config);
    return run < v->g.runs.n ? v->g.runs.v[run] : NULL;
}

static double relative(const Overview *v, size_t workload, size_t config)
{
    const StoredRun *base = run_at(v, workload, v->base), *run = run_at(v, workload, config);
    return base && run ? run_time(&v->g, run) / run_time(&v->g, base) : NAN;
}

// The geometric mean over the workloads; NAN where a workload lacks a run that the base has.
static double mean_time(const Overview *v, size_t config)
{
    double sum = 0;
    size_t n = 0;
    for (size_t w = 0; w < v->workloads.n; w++) {
        if (!run_at(v, w, v->base)) continue;
        sum += log(relative(v, w, config)), n++;
    }
    return n ? exp(sum / (double)n) : NAN;
}

// Kernels of a run whose accesses the L1 served.
static double kernel_hits(const RunKernel *k) { return k->functional ? NAN : l1_percent(k->count); }

// The mean over the kernels of all workloads; NAN where a workload lacks a run that the base has.
static double mean_hits(const Overview *v, size_t config)
{
    double sum = 0;
    size_t n = 0;
    for (size_t w = 0; w < v->workloads.n; w++) {
        const StoredRun *run = run_at(v, w, config);
        if (!run_at(v, w, v->base)) continue;
        if (!run) return NAN;
        for (size_t k = 0; k < run->kernels.n; k++) {
            const double hits = kernel_hits(&run->kernels.v[k]);
            if (isfinite(hits)) sum += hits, n++;
        }
    }
    return n ? sum / (double)n : NAN;
}

// Notes of each kernel's name the workload that has it; MANY: several have it.
enum { MANY = -1 };
static void name_kernels(Overview *v)
{
    for (size_t k = 0; k < v->g.runs.n; k++)
        for (size_t n = 0; n < v->g.runs.v[k]->kernels.n; n++) {
            const char *name = v->g.runs.v[k]->kernels.v[n].name;
            int64_t of = (int64_t)v->of.v[k], known;
            if (map_get(&v->kernels, name, strlen(name), &known) && known != of) of = MANY;
            map_put(&v->kernels, name, strlen(name), of);
        }
}

// What a kernel is called beside those of other workloads: by its own name, with the workload's where another has it.
static const char *kernel_label(Overview *v, size_t workload, const StoredRun *run, size_t kernel)
{
    const char *name = run->kernels.v[kernel].name;
    int64_t of = MANY;
    map_get(&v->kernels, name, strlen(name), &of);
    if (of != MANY) return name;
    return run->kernels.n < 2 ? v->workloads.v[workload]
                              : arena_printf(&v->g.arena, "%s, %s", v->workloads.v[workload], name);
}

static bool cut(const StoredRun *run)
{
    for (size_t k = 0; run && k < run->kernels.n; k++)
        if (run->kernels.v[k].partial) return true;
    return false;
}

// Whether a run was ended early and the base's wasn't: it is no faster for that.
static bool cut_short(const Overview *v, size_t workload, size_t config)
{
    for (size_t w = 0; w < v->workloads.n; w++)
        if ((workload == SIZE_MAX || w == workload) && cut(run_at(v, w, config)) && !cut(run_at(v, w, v->base)))
            return true;
    return false;
}

// The configuration with the least time, of all or of those that differ from the base in one setting. workload:
// SIZE_MAX: on average.
static size_t fastest(const Overview *v, size_t workload, size_t except)
{
    size_t best = v->base;
    double least = 1;
    for (size_t c = 0; c < v->configs.n; c++) {
        size_t config = v->configs.v[c];
        if (except != SIZE_MAX && !group_near(&v->g, config, v->base, except, SIZE_MAX)) continue;
        double time = workload == SIZE_MAX ? mean_time(v, config) : relative(v, workload, config);
        if (time < least && !cut_short(v, workload, config)) least = time, best = config;
    }
    return best;
}

static const char *setting_of(Overview *v, size_t config, size_t swept)
{
    return group_value(&v->g, swept, group_at(&v->g, config, swept));
}

// --- in words --------------------------------------------------------------------------------------------------------
static void put_settings(Overview *v, size_t config, Text *out)
{
    for (size_t s = 0; s < v->g.swept.n; s++) {
        const Swept *one = &v->g.swept.v[s];
        const char *value = setting_of(v, config, s);
        html_put(out, "%r%s = %s", s ? ", " : "", one->name, value);
    }
}

static void put_percent(Text *out, double change) { text_printf(out, "%.3g %%", fabs(100 * change)); }

// Which is best over all, and what each setting brings alone.
static void best_text(Overview *v)
{
    Text *out = v->r->out;
    size_t best = fastest(v, SIZE_MAX, SIZE_MAX);
    const char *less = v->g.clocks ? "less time" : "fewer cycles";
    text_put(out, "<p class=\"answer\">");
    if (best == v->base) {
        text_put(out, "Nothing is faster than <b>"), put_settings(v, best, out), text_put(out, "</b>");
    } else {
        text_put(out, "The fastest is <b>"), put_settings(v, best, out), text_put(out, "</b>: ");
        put_percent(out, 1 - mean_time(v, best));
        html_put(out, " %s than with %s", less, group_label(&v->g, v->base, SIZE_MAX));
    }
    if (v->workloads.n > 1) text_printf(out, ", the geometric mean over %zu workloads", v->workloads.n);
    text_put(out, ".");
    for (size_t s = 0; s < v->g.swept.n && v->g.swept.n > 1; s++) {
        size_t alone = fastest(v, SIZE_MAX, s);
        const Swept *one = &v->g.swept.v[s];
        if (alone == v->base) {
            html_put(out, " No other %s alone is faster.", one->name);
            continue;
        }
        html_put(out, " %s = %s alone brings ", one->name, setting_of(v, alone, s));
        put_percent(out, 1 - mean_time(v, alone));
        text_put(out, ".");
    }
    text_put(out, "</p>\n");
}

// The array with the most look-ups that miss, over all kernels of a run; null: none is known.
static const char *most_missed(const StoredRun *run, uint64_t *misses)
{
    const char *name = NULL;
    *misses = 0;
    for (size_t k = 0; k < run->kernels.n; k++)
        for (size_t s = 0; s < run->kernels.v[k].structures.n; s++) {
            const char *one = run->kernels.v[k].structures.v[s].name;
            uint64_t n = run_misses(run, one);
            if (n > *misses) *misses = n, name = one;
        }
    return name;
}

static double share(const StoredRun *run, Counter c)
{
    return run->count[C_ISSUE_SLOTS] ? (double)run->count[c] / (double)run->count[C_ISSUE_SLOTS] : NAN;
}

// A row for each workload: its fastest settings, and what they changed.
static void reasons(Overview *v)
{
    Text *out = v->r->out;
    const char *const columns[] = {
        "workload",       "fastest",           v->g.clocks ? "#of the base's time" : "#of the base's cycles",
        "#L1 hits, base", "#L1 hits, fastest", "slots lost to",
        "#lost, base",    "#lost, fastest",    "array",
        "#misses, base",  "#misses, fastest"};
    Text caption = {0};
    text_printf(&caption,
                "Each workload with its fastest settings, and with the base's, %s; and its array with most L1 misses.",
                group_label(&v->g, v->base, SIZE_MAX));
    html_table(out, "table-answers", caption.v, columns, COUNT(columns));
    text_free(&caption);
    for (size_t w = 0; w < v->workloads.n; w++) {
        const StoredRun *base = run_at(v, w, v->base);
        if (!base) continue;
        size_t config = fastest(v, w, SIZE_MAX);
        const StoredRun *best = run_at(v, w, config);
        Counter cause = stall_causes[0];
        uint64_t misses;
        for (size_t c = 1; c < stall_cause_count; c++)
            if (base->count[stall_causes[c]] > base->count[cause]) cause = stall_causes[c];
        html_row(out);
        html_cell(out, v->workloads.v[w]), html_cell(out, group_label(&v->g, config, SIZE_MAX));
        html_percent(out, relative(v, w, config));
        html_percent(out, l1_percent(base->count) / 100), html_percent(out, l1_percent(best->count) / 100);
        html_cell(out, strchr(counter_info[cause].name, '.') + 1);
        html_percent(out, share(base, cause)), html_percent(out, share(best, cause));
        const char *array = most_missed(base, &misses);
        html_cell(out, array ? array : "–");
        html_count(out, misses), html_count(out, array ? run_misses(best, array) : 0);
        text_put(out, "</tr>");
    }
    html_table_end(out);
}

// --- figures ---------------------------------------------------------------------------------------------------------
static const char *base_label(Overview *v) { return group_label(&v->g, v->base, SIZE_MAX); }

// Bars of times, relative to those of the base, which is a line. except: only combinations that differ from the base in
// that setting.
static bool compare(Overview *v, size_t except)
{
    Figure f;
    Text note = {0};
    chart_open(&f, FIGURE_BARS, "%s%s%s of each workload, relative to %s", v->g.clocks ? "Simulated time" : "Cycles",
               except == SIZE_MAX ? "" : " by ", except == SIZE_MAX ? "" : v->g.swept.v[except].name, base_label(v));
    figure_axes(&f, "workload", v->g.clocks ? "relative simulated time" : "relative cycles",
                except == SIZE_MAX ? group_names(&v->g, SIZE_MAX) : v->g.swept.v[except].name);
    f.baseline = 1;
    size_t left_out = 0;
    for (size_t w = 0; w < v->workloads.n; w++) left_out += !run_at(v, w, v->base);
    for (size_t c = 0; c < v->configs.n; c++) {
        size_t config = v->configs.v[c];
        if (config == v->base || (except != SIZE_MAX && !group_near(&v->g, config, v->base, except, SIZE_MAX)))
            continue;
        size_t s = figure_series(&f, except == SIZE_MAX ? group_label(&v->g, config, SIZE_MAX)
                                                        : setting_of(v, config, except));
        for (size_t w = 0; w < v->workloads.n; w++)
            if (run_at(v, w, v->base)) figure_text(&f, s, v->workloads.v[w], relative(v, w, config));
    }
    size_t points = f.points.n, whole = points > 1 ? figure_means(&f) : 0;
    text_printf(&note, "Less is faster; the line at 1 is %s. The table of runs has the times themselves.",
                base_label(v));
    if (whole && whole < points) text_printf(&note, " The mean is over the %zu workloads that have every bar.", whole);
    if (left_out) text_printf(&note, " %zu workloads have no run with %s.", left_out, base_label(v));
    figure_note(&f, note.v);
    text_free(&note);
    return chart_put(v->r, &f);
}

// Means over all workloads against a setting whose values are numbers, with a line for each combination of the others.
static bool means(Overview *v, size_t swept, bool time)
{
    Figure f;
    Map lines = {0};
    int64_t s;
    const Swept *x = &v->g.swept.v[swept];
    if (time)
        chart_open(&f, FIGURE_CURVE, "%s over all workloads against %s", v->g.clocks ? "Simulated time" : "Cycles",
                   x->name);
    else
        chart_open(&f, FIGURE_CURVE, "L1 hit rate over all kernels against %s", x->name);
    figure_axes(&f, x->name,
                !time         ? "L1 hits, in %"
                : v->g.clocks ? "relative simulated time"
                              : "relative cycles",
                group_names(&v->g, swept));
    f.top = time ? NAN : 100;
    if (time) f.baseline = 1;
    for (size_t c = 0; c < v->configs.n; c++) {
        size_t config = v->configs.v[c];
        double at = x->numbers.v[group_at(&v->g, config, swept)];
        const char *label = group_label(&v->g, config, swept);
        if (!isfinite(at)) continue;
        if (!map_get(&lines, label, strlen(label), &s)) {
            if (f.series.n == MOST_LINES) continue;
            map_put(&lines, label, strlen(label), s = (int64_t)f.series.n);
            figure_series(&f, *label ? label : time ? time_word(&v->g) : "L1 hits");
        }
        figure_number(&f, (size_t)s, at, setting_of(v, config, swept),
                      time ? mean_time(v, config) : mean_hits(v, config));
    }
    figure_note(&f,
                time ? arena_printf(&v->g.arena, "Geometric means; less is faster. The line at 1 is %s.", base_label(v))
                     : "Means of the kernels' rates.");
    map_free(&lines);
    return chart_put(v->r, &f);
}

// A curve of hit rates over a setting, with a line for each kernel. The other settings have their base values.
static bool hit_rates(Overview *v, size_t swept)
{
    Figure f;
    Map lines = {0};
    int64_t s;
    const Swept *x = &v->g.swept.v[swept];
    chart_open(&f, FIGURE_CURVE, "L1 hit rate of each kernel against %s", x->name);
    figure_axes(&f, x->name, "L1 hits, in %", "");
    f.top = 100;
    for (size_t k = 0; k < v->g.runs.n; k++) {
        const StoredRun *run = v->g.runs.v[k];
        uint32_t at = group_at(&v->g, k, swept);
        if (!isfinite(x->numbers.v[at]) || !group_near(&v->g, k, v->base, swept, SIZE_MAX)) continue;
        for (size_t n = 0; n < run->kernels.n; n++) {
            const char *label = kernel_label(v, v->of.v[k], run, n);
            if (!isfinite(kernel_hits(&run->kernels.v[n]))) continue;
            if (!map_get(&lines, label, strlen(label), &s)) {
                if (f.series.n == MOST_LINES) continue;
                map_put(&lines, label, strlen(label), s = (int64_t)figure_series(&f, label));
            }
            figure_number(&f, (size_t)s, x->numbers.v[at], group_value(&v->g, swept, at),
                          kernel_hits(&run->kernels.v[n]));
        }
    }
    map_free(&lines);
    if (v->g.swept.n > 1) {
        Text note = {0};
        text_printf(&note, "With %s = %s.", group_names(&v->g, swept), group_label(&v->g, v->base, swept));
        figure_note(&f, note.v);
        text_free(&note);
    }
    return chart_put(v->r, &f);
}

static bool slots(Overview *v, size_t config, const char *name)
{
    Bars bars = {0};
    for (size_t w = 0; w < v->workloads.n; w++) {
        const StoredRun *run = run_at(v, w, config);
        for (size_t k = 0; run && k < run->kernels.n && bars.n < MOST_BARS; k++) {
            Bar bar = {kernel_label(v, w, run, k), run->kernels.v[k].count};
            if (!run->kernels.v[k].functional) vec_push(&bars, bar);
        }
    }
    bool ok = bars.n < 2 || chart_issue_slots(v->r, name, "kernel", &bars);
    vec_free(&bars);
    return ok;
}

static bool figures(Overview *v)
{
    const char *base = base_label(v);
    size_t best = fastest(v, SIZE_MAX, SIZE_MAX);
    bool ok = true;
    for (size_t s = 0; s < v->g.swept.n && ok; s++)
        if (v->g.swept.v[s].numeric && v->g.swept.v[s].values.n - !*v->g.swept.v[s].values.v[0] > 1)
            ok = means(v, s, true) && means(v, s, false);
    if (ok && v->configs.n > 1 && v->configs.n <= MOST_SERIES) ok = compare(v, SIZE_MAX);
    for (size_t s = 0; s < v->g.swept.n && v->configs.n > MOST_SERIES && ok; s++) ok = compare(v, s);
    ok = ok && slots(v, v->base, *base ? base : "all workloads");
    if (ok && best != v->base) ok = slots(v, best, group_label(&v->g, best, SIZE_MAX));
    for (size_t s = 0; s < v->g.swept.n && ok; s++)
        if (v->g.swept.v[s].numeric && v->g.swept.v[s].values.n - !*v->g.swept.v[s].values.v[0] > 1)
            ok = hit_rates(v, s);
    return ok;
}

bool overview(Report *r, const StoredRun *const *runs, size_t count, bool several)
{
    Overview v = {.r = r};
    bool ok = true;
    group_open(&v.g, runs, count, false, r->options->baseline);
    name_workloads(&v), name_kernels(&v);
    text_put(r->out, "<section id=\"overview\">\n");
    if (v.configs.n > 1) best_text(&v), reasons(&v);
    if (several) {
        text_put(r->out, "<div class=\"figures\">\n");
        ok = figures(&v);
        text_put(r->out, "</div>\n");
    }
    text_put(r->out, "</section>\n");
    vec_free(&v.workloads), vec_free(&v.of), vec_free(&v.configs), map_free(&v.kernels);
    group_free(&v.g);
    return ok;
}
