// charts.c: decides which figures a report has, and fills them. A figure is drawn only when it has something to say.
// Bars and heat maps compare settings. Curves need settings that are numbers. A page's part of a single run is made in
// single.c, of these figures. A rate of a run is computed from sums over its kernels, so that each kernel counts by its
// work. Cycles are compared where all clocks are the same; else simulated times are.
#include "figure/page.h"

#include "gpu/gpu.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 400 };

// --- measures --------------------------------------------------------------------------------------------------------
static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }
static double l1_hits(const uint64_t *c) { return ratio((double)c[C_L1_HITS], (double)c[C_L1_ACCESSES]); }
double l1_percent(const uint64_t *c) { return 100 * l1_hits(c); }
static double cycles(const uint64_t *c) { return c[C_CYCLES] ? (double)c[C_CYCLES] : NAN; }
static double ipc(const uint64_t *c) { return ratio((double)c[C_WARP_INSTS], (double)c[C_CYCLES]); }
static double dram_rate(const uint64_t *c)
{
    return ratio((double)(c[C_DRAM_READ_BYTES] + c[C_DRAM_WRITE_BYTES]), (double)c[C_CYCLES]);
}

typedef double Measure(const uint64_t *count);

static double run_l1(const RunGroup *g, const StoredRun *r) { return (void)g, l1_percent(r->count); }
uint64_t run_misses(const StoredRun *run, const char *array)
{
    uint64_t n = 0;
    for (size_t k = 0; k < run->kernels.n; k++)
        for (size_t s = 0; s < run->kernels.v[k].structures.n; s++) {
            const RunStructure *one = &run->kernels.v[k].structures.v[s];
            if (!strcmp(one->name, array)) n += one->l1_accesses - MIN(one->l1_hits, one->l1_accesses);
        }
    return n;
}
double run_time(const RunGroup *g, const StoredRun *r)
{
    return !g->clocks ? cycles(r->count) : r->seconds > 0 ? r->seconds : NAN;
}
static double relative_time(const RunGroup *g, const StoredRun *r)
{
    return run_time(g, r) / run_time(g, g->runs.v[g->base]);
}
const char *time_word(const RunGroup *g) { return g->clocks ? "simulated time" : "cycles"; }

typedef double RunMeasure(const RunGroup *g, const StoredRun *r);

// The unit of the longest run's time.
static Unit run_unit(const RunGroup *g)
{
    double most = 0;
    for (size_t k = 0; k < g->runs.n; k++) most = fmax(most, g->runs.v[k]->seconds);
    return time_unit(most);
}
static double run_in_unit(const RunGroup *g, const StoredRun *r)
{
    return g->clocks ? run_time(g, r) * run_unit(g).per : run_time(g, r);
}

// Adds a note that says what a relative time of 1 is.
static void note_base(Figure *f, RunGroup *g, const char *more)
{
    const StoredRun *r = g->runs.v[g->base];
    Unit unit = run_unit(g);
    Text t = {0};
    text_printf(&t, "Less is faster; 1 is %llu cycles, %.4g %s on %s.%s", (unsigned long long)r->count[C_CYCLES],
                r->seconds * unit.per, unit.name, r->gpu, more);
    figure_note(f, t.v);
    text_free(&t);
}

// --- putting one into the page ---------------------------------------------------------------------------------------
// Whether the figure has no value at all, or only bars or a course of nothing; then it isn't drawn. Some values may be
// missing. On a curve over a setting, 0 is a result.
static bool empty(const Figure *f)
{
    const bool zero = f->kind == FIGURE_CURVE || f->kind == FIGURE_HEAT;
    for (size_t s = 0; s < f->series.n; s++)
        for (size_t k = 0; k < f->points.n; k++) {
            const double y = f->series.v[s].values.v[k].y;
            if (isfinite(y) && (zero || y != 0)) return false;
        }
    return true;
}

static void unique(Report *r, Figure *f)
{
    const char *first = f->name;
    int64_t known;
    for (int n = 2; map_get(&r->names, f->name, strlen(f->name), &known); n++)
        f->name = arena_printf(&f->arena, "%s-%d", first, n);
    map_put(&r->names, f->name, strlen(f->name), 1);
    first = f->title;
    for (int n = 2; map_get(&r->titles, f->title, strlen(f->title), &known); n++)
        f->title = arena_printf(&f->arena, "%s (%d)", first, n);
    map_put(&r->titles, f->title, strlen(f->title), 1);
}

// What is compared has the same colour in all figures of a page; parts of a whole have colours of their own.
static void colour_by_name(Report *r, Figure *f)
{
    for (size_t s = 0; s < f->series.n && f->kind != FIGURE_HEAT && figure_plotted(f); s++) {
        FigureSeries *one = &f->series.v[s];
        int64_t at = 0;
        if (one->colour >= PART_COLOURS) continue;
        if (!map_get(&r->colours, one->name, strlen(one->name), &at))
            map_put(&r->colours, one->name, strlen(one->name), at = r->coloured++);
        one->colour = (uint32_t)(at % PART_COLOURS);
    }
}

// Puts the figure into the page, and frees it.
bool chart_put(Report *r, Figure *f)
{
    bool ok = true;
    Text svg = {0}, csv = {0};
    if (!empty(f)) {
        unique(r, f);
        colour_by_name(r, f);
        bool drawn = !r->options->no_figures;
        if (drawn || r->options->folder) ok = figure_draw(f, r->options->folder, drawn ? &svg : NULL, r->diag);
        figure_csv(f, &csv);
        html_put(r->out, "<figure id=\"%s\">\n", f->name);
        if (drawn && ok) figure_inline(f, svg.v, r->out);
        html_put(r->out,
                 "<figcaption>%r%s%r%s <details><summary>Numbers: "
                 "%s.csv</summary><pre>%s</pre></details></figcaption>\n</figure>\n",
                 drawn ? "" : "<b>", drawn ? "" : f->title, drawn ? "" : "</b> ", f->note, f->name, csv.v);
        r->figures++;
    }
    text_free(&svg), text_free(&csv);
    figure_free(f);
    return ok;
}

void chart_open(Figure *f, FigureKind kind, const char *format, ...)
{
    Text title = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&title, format, args);
    va_end(args);
    figure_open(f, kind, title.v, title.v);
    text_free(&title);
}

// --- issue slots and traffic -----------------------------------------------------------------------------------------
bool chart_issue_slots(Report *r, const char *program, const char *what, const Bars *bars)
{
    Figure f;
    chart_open(&f, FIGURE_STACK, "%s: issue slots", program);
    figure_axes(&f, what, "share of issue slots, in %", "");
    f.top = 100;
    uint32_t colour = PART_COLOURS;                                // light green, for slots that issued
    for (size_t cause = 0; cause <= stall_cause_count; cause++) {  // these come first, then the causes of stalls
        Counter c = cause ? stall_causes[cause - 1] : C_ISSUED;
        const char *dot = strchr(counter_info[c].name, '.');
        uint64_t sum = 0;
        colour = (uint32_t)(PART_COLOURS + cause);
        for (size_t k = 0; k < bars->n; k++) sum += bars->v[k].count[c];
        if (!sum) continue;
        size_t s = figure_series(&f, dot + 1);
        f.series.v[s].colour = colour;
        for (size_t k = 0; k < bars->n; k++)
            if (bars->v[k].count[C_ISSUE_SLOTS])
                figure_text(&f, s, bars->v[k].name,
                            100 * ratio((double)bars->v[k].count[c], (double)bars->v[k].count[C_ISSUE_SLOTS]));
    }
    figure_note(&f, "Where the slots went in which the schedulers could have issued an instruction.");
    return chart_put(r, &f);
}

bool chart_bytes(Report *r, const char *program, const char *what, const Bars *bars)
{
    double most = 0;
    for (size_t k = 0; k < bars->n; k++) {
        const uint64_t *c = bars->v[k].count;
        most = fmax(most, fmax(32 * (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]), 32 * (double)c[C_L2_SECTORS]));
        most = fmax(most, (double)(c[C_DRAM_READ_BYTES] + c[C_DRAM_WRITE_BYTES]));
    }
    Unit unit = byte_unit(most);
    Figure f;
    chart_open(&f, FIGURE_BARS, "%s: bytes moved", program);
    figure_axes(&f, what, arena_printf(&f.arena, "moved, in %s", unit.name), "");
    size_t asked = figure_series(&f, "asked for by loads and stores"), l2 = figure_series(&f, "L2"),
           dram = figure_series(&f, "DRAM");
    f.series.v[asked].colour = COLOUR_ASKED, f.series.v[l2].colour = COLOUR_L2, f.series.v[dram].colour = COLOUR_DRAM;
    for (size_t k = 0; k < bars->n; k++) {
        const uint64_t *c = bars->v[k].count;
        figure_text(&f, asked, bars->v[k].name, 32 * unit.per * (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]));
        figure_text(&f, l2, bars->v[k].name, 32 * unit.per * (double)c[C_L2_SECTORS]);
        figure_text(&f, dram, bars->v[k].name, unit.per * (double)(c[C_DRAM_READ_BYTES] + c[C_DRAM_WRITE_BYTES]));
    }
    figure_note(
        &f,
        "Sectors of 32 bytes that global loads and stores touched, that the L2 served, and what DRAM read and wrote.");
    return chart_put(r, &f);
}

// --- data structures -------------------------------------------------------------------------------------------------
typedef struct Array {  // a data structure of a run, of all its kernels
    const char *name;
    double hits, misses, dram;
} Array;
typedef VEC(Array) Arrays;

static int by_accesses(const void *a, const void *b)
{
    const Array *x = a, *y = b;
    double m = x->hits + x->misses, n = y->hits + y->misses;
    return m > n ? -1 : m < n ? 1 : strcmp(x->name, y->name);
}

static void arrays_of(const StoredRun *run, Arrays *out)
{
    for (size_t k = 0; k < run->kernels.n; k++)
        for (size_t n = 0; n < run->kernels.v[k].structures.n && !run->kernels.v[k].functional; n++) {
            const RunStructure *s = &run->kernels.v[k].structures.v[n];
            size_t at = 0;
            while (at < out->n && strcmp(out->v[at].name, s->name)) at++;
            if (at == out->n) vec_push(out, ((Array){.name = s->name}));
            out->v[at].hits += (double)s->l1_hits, out->v[at].misses += (double)(s->l1_accesses - s->l1_hits);
            out->v[at].dram += (double)s->dram_bytes;
        }
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_accesses);
}

// The same of loads alone, where somebody asked why they miss: each miss has its class.
static bool loads_of_structures(Report *r, const StoredRun *run, const char *program, const char *label)
{
    static const struct {
        const char *name;
        size_t at;
        uint32_t colour;
    } parts[] = {{"served", offsetof(RunWhy, served), COLOUR_HITS},
                 {"first touch", offsetof(RunWhy, first), COLOUR_FIRST},
                 {"capacity", offsetof(RunWhy, capacity), COLOUR_CAPACITY},
                 {"conflict", offsetof(RunWhy, conflict), COLOUR_CONFLICT},
                 {"dropped", offsetof(RunWhy, dropped), COLOUR_DROPPED}};
    Arrays all = {0};
    Figure f;
    arrays_of(run, &all);
    chart_open(&f, FIGURE_STACK, "%s: why loads miss%s%s", program, *label ? ", " : "", label);
    figure_axes(&f, "data structure", "loads of lines", "");
    for (size_t p = 0; p < COUNT(parts); p++) {
        size_t s = figure_series(&f, parts[p].name);
        f.series.v[s].colour = parts[p].colour;
        for (size_t k = 0; k < all.n && k < MOST_BARS; k++)
            for (size_t n = 0; n < run->why.n; n++)
                if (!strcmp(run->why.v[n].name, all.v[k].name))
                    figure_text(&f, s, all.v[k].name,
                                *(const double *)(const void *)((const char *)&run->why.v[n] + parts[p].at));
    }
    figure_note(&f,
                "Misses: of lines that were never loaded before; that a larger L1 would hold; that an L1 with other "
                "sets would; and that stores or others dropped.");
    vec_free(&all);
    return chart_put(r, &f);
}

// Which of the arrays thrash the L1? Accesses of each, split in what became of them, and its DRAM traffic below.
static bool structures(Report *r, const StoredRun *run, const char *program, const char *label)
{
    Arrays all = {0};
    Figure f;
    double most = 0;
    arrays_of(run, &all);
    for (size_t k = 0; k < all.n; k++) most = fmax(most, all.v[k].dram);
    Unit unit = byte_unit(most);
    chart_open(&f, FIGURE_BAND, "%s: data structures%s%s", program, *label ? ", " : "", label);
    figure_axes(&f, "data structure", "accesses of the L1", "");
    f.band = arena_printf(&f.arena, "DRAM traffic, in %s", unit.name);
    size_t hits = figure_series(&f, "hits"), misses = figure_series(&f, "misses"), dram = figure_series(&f, "DRAM");
    f.series.v[hits].colour = COLOUR_HITS, f.series.v[misses].colour = COLOUR_MISSES;
    f.series.v[dram].colour = COLOUR_DRAM;
    for (size_t k = 0; k < all.n && k < MOST_BARS; k++) {
        figure_text(&f, hits, all.v[k].name, all.v[k].hits), figure_text(&f, misses, all.v[k].name, all.v[k].misses);
        figure_text(&f, dram, all.v[k].name, unit.per * all.v[k].dram);
    }
    figure_note(&f,
                "Bars: tag look-ups in the L1, or in the cache that serves the structure. The band below: what DRAM "
                "read and wrote for it.");
    vec_free(&all);
    return chart_put(r, &f);
}

bool chart_arrays(Report *r, const StoredRun *run, const char *program, const char *label)
{
    return structures(r, run, program, label) && loads_of_structures(r, run, program, label);
}

size_t group_fastest(const RunGroup *g)
{
    size_t best = g->base;
    for (size_t k = 0; k < g->runs.n; k++)
        if (run_time(g, g->runs.v[k]) < run_time(g, g->runs.v[best])) best = k;
    return best;
}

// The base's run and the fastest one. Returns how many these are.
static size_t compared(const RunGroup *g, size_t shown[2])
{
    shown[0] = g->base, shown[1] = group_fastest(g);
    return shown[1] == shown[0] ? 1 : 2;
}

static bool memory(Report *r, RunGroup *g, const char *title)
{
    size_t shown[2], n = compared(g, shown);
    bool ok = true;
    for (size_t k = 0; k < n && ok; k++) {
        const char *label = group_label(g, shown[k], SIZE_MAX);
        const StoredRun *run = g->runs.v[shown[k]];
        if (run->count[C_CYCLES]) ok = chart_memory(r, run, title, label);
        ok = ok && chart_arrays(r, run, title, label);
    }
    return ok;
}

static bool rooflines(Report *r, RunGroup *g, const char *program)
{
    size_t shown[2], n = compared(g, shown);
    bool ok = true;
    for (size_t k = 0; k < n && ok; k++)
        if (g->runs.v[shown[k]]->count[C_CYCLES])
            ok = chart_roof(r, g->runs.v[shown[k]], program, group_label(g, shown[k], SIZE_MAX)) &&
                 chart_tensor_roof(r, g->runs.v[shown[k]], program, group_label(g, shown[k], SIZE_MAX));
    return ok;
}

// --- over settings ---------------------------------------------------------------------------------------------------
// A curve of a measure over a setting whose values are numbers. It has a line for each combination of the other
// settings or, when these are too many, one for their base values.
static bool curve(Report *r, RunGroup *g, const char *program, size_t swept, const char *title, const char *unit,
                  RunMeasure *measure, double top)
{
    Figure f;
    const Swept *x = &g->swept.v[swept];
    chart_open(&f, FIGURE_CURVE, "%s: %s against %s", program, title, x->name);
    figure_axes(&f, x->name, unit, group_names(g, swept));
    f.top = top;
    Map lines = {0};
    int64_t s;
    for (size_t k = 0; k < g->runs.n; k++) {
        const char *label = group_label(g, k, swept);
        if (!map_get(&lines, label, strlen(label), &s))
            map_put(&lines, label, strlen(label), s = (int64_t)f.series.n), figure_series(&f, *label ? label : title);
    }
    bool many = f.series.n > MOST_LINES;
    for (size_t k = 0; k < g->runs.n; k++) {
        const char *label = group_label(g, k, swept);
        double at = x->numbers.v[group_at(g, k, swept)];
        if (!isfinite(at) || !map_get(&lines, label, strlen(label), &s) ||
            (many && !group_near(g, k, g->base, swept, SIZE_MAX)))
            continue;
        figure_number(&f, (size_t)s, at, group_value(g, swept, group_at(g, k, swept)), measure(g, g->runs.v[k]));
    }
    if (many) {
        const char *label = group_label(g, g->base, swept);
        map_get(&lines, label, strlen(label), &s);
        FigureSeries kept = f.series.v[s];
        for (size_t n = 0; n < f.series.n; n++)
            if (n != (size_t)s) vec_free(&f.series.v[n].values);
        f.series.v[0] = kept, f.series.v[0].colour = 0;
        f.series.n = 1;
        figure_note(&f, "Only with the other settings as in the baseline.");
    }
    map_free(&lines);
    return chart_put(r, &f);
}

// A heat map over the first two settings. The others have their base values.
static bool heat(Report *r, RunGroup *g, const char *program, const char *title, RunMeasure *measure, bool relative)
{
    enum { down, across };
    Figure f;
    const Swept *rows = &g->swept.v[down], *columns = &g->swept.v[across];
    chart_open(&f, FIGURE_HEAT, "%s: %s", program, title);
    figure_axes(&f, rows->name, title, columns->name);
    for (size_t c = 0; c < columns->values.n && c < MOST_FIELDS; c++)
        figure_series(&f, group_value(g, across, (uint32_t)c));
    for (size_t k = 0; k < g->runs.n; k++) {
        uint32_t row = group_at(g, k, down), column = group_at(g, k, across);
        if (column >= MOST_FIELDS || row >= MOST_FIELDS || !group_near(g, k, g->base, down, across)) continue;
        figure_text(&f, column, group_value(g, down, row), measure(g, g->runs.v[k]));
    }
    const char *others = g->swept.n > 2 ? " The other settings are as in the baseline." : "";
    if (relative)
        note_base(&f, g, others);
    else
        figure_note(&f, others + (*others != 0));
    return chart_put(r, &f);
}

static bool relative_times(Report *r, RunGroup *g, const char *program)
{
    Figure f;
    chart_open(&f, FIGURE_BARS, "%s: %s relative to %s", program, time_word(g), group_label(g, g->base, SIZE_MAX));
    figure_axes(&f, group_names(g, SIZE_MAX), arena_printf(&g->arena, "relative %s", time_word(g)), "");
    size_t s = figure_series(&f, time_word(g));
    f.baseline = 1;
    for (size_t k = 0; k < g->runs.n && k < MOST_BARS; k++)
        if (k != g->base) figure_text(&f, s, group_label(g, k, SIZE_MAX), relative_time(g, g->runs.v[k]));
    note_base(&f, g, "");
    return chart_put(r, &f);
}

// --- over time -------------------------------------------------------------------------------------------------------
// Adds a measure of how much the counters grew from sample to sample. The samples of a kernel's launches follow each
// other, and each launch counts from 0. Where there are many samples, a point stands for several intervals. across: how
// much a cycle is on the axis of time. up: how much a unit of the measure is on the other axis.
static void over_time(Figure *f, size_t series, const RunKernel *k, Measure *measure, double across, double up)
{
    size_t n = k->samples.n / C_COUNT, step = (n + MOST_SAMPLES - 1) / MOST_SAMPLES;
    uint64_t before[C_COUNT] = {0}, grown[C_COUNT], began = 0;
    for (size_t at = 0; at < n; at++) {
        const uint64_t *now = &k->samples.v[at * C_COUNT], *next = at + 1 < n ? now + C_COUNT : NULL;
        bool last = !next || next[C_CYCLES] < now[C_CYCLES];  // of this launch
        if (!last && (at + 1) % step) continue;
        for (int c = 0; c < C_COUNT; c++) grown[c] = now[c] - before[c];
        double y = measure(grown);
        if (isfinite(y)) figure_number(f, series, across * (double)(began + now[C_CYCLES]), NULL, up * y);
        memcpy(before, now, sizeof before);
        if (last) began += now[C_CYCLES], memset(before, 0, sizeof before);
    }
}

// The mean of an SM that has blocks.
static double active_warps(const uint64_t *c)
{
    return (double)(c[C_WATCH_WARPS] - c[C_WATCH_STALLED]) / (double)c[C_SM_CYCLES];
}
static double isolated_warps(const uint64_t *c) { return (double)c[C_WATCH_ISOLATED] / (double)c[C_SM_CYCLES]; }
static double interference(const uint64_t *c)
{
    return 1000.0 * (double)c[C_WATCH_INTERFERENCE] / (double)c[C_WARP_INSTS];
}

static bool chart_times(Report *r, RunGroup *g, const char *program)
{
    const struct {
        const char *title, *unit;
        Measure *measure;
        double top;
        bool by_time;    // it is per cycle; where clocks differ, per nanosecond
        Counter needed;  // the figure is left out where no run has this
    } kinds[] = {{"IPC", "warp instructions per cycle", ipc, NAN, false, C_CYCLES},
                 {"L1 hit rate", "L1 hits, in %", l1_percent, 100, false, C_CYCLES},
                 {"DRAM traffic", g->clocks ? "GB/s" : "bytes per cycle", dram_rate, NAN, true, C_CYCLES},
                 {"Warps that may issue", "warps of an SM", active_warps, NAN, false, C_WATCH_WARPS},
                 {"Isolated warps", "warps of an SM", isolated_warps, NAN, false, C_WATCH_ISOLATED},
                 {"Misses of lines that were pushed out", "misses per 1000 instructions", interference, NAN, false,
                  C_WATCH_INTERFERENCE}};
    Map seen = {0};
    bool ok = true;
    int64_t known;
    for (size_t k = 0; k < g->runs.n && ok; k++)
        for (size_t n = 0; n < g->runs.v[k]->kernels.n && ok; n++) {
            const char *kernel = g->runs.v[k]->kernels.v[n].name;
            // A single sample would make no line.
            if (g->runs.v[k]->kernels.v[n].samples.n < 2 * C_COUNT || map_get(&seen, kernel, strlen(kernel), &known))
                continue;
            map_put(&seen, kernel, strlen(kernel), 1);
            for (size_t m = 0; m < COUNT(kinds) && ok; m++) {
                uint64_t any = 0;
                for (size_t j = k; j < g->runs.n; j++) any |= g->runs.v[j]->count[kinds[m].needed];
                if (!any) continue;
                Figure f;
                char *shorter = name_shorten(kernel, LONGEST_IN_TITLE);
                chart_open(&f, FIGURE_SERIES, "%s%s%s: %s over time", program, *program ? ", " : "", shorter,
                           kinds[m].title);
                mem_free(shorter);
                figure_axes(&f, g->clocks ? "simulated time, in µs" : "cycle", kinds[m].unit, group_names(g, SIZE_MAX));
                f.top = kinds[m].top;
                for (size_t j = k; j < g->runs.n && f.series.n < MOST_SERIES; j++)
                    for (size_t i = 0; i < g->runs.v[j]->kernels.n; i++) {
                        const RunKernel *one = &g->runs.v[j]->kernels.v[i];
                        if (!one->samples.n || strcmp(one->name, kernel)) continue;
                        const StoredRun *run = g->runs.v[j];
                        double cycle = g->clocks ? run->seconds / (double)run->count[C_CYCLES] : 1;
                        over_time(&f, figure_series(&f, g->swept.n ? group_label(g, j, SIZE_MAX) : kernel), one,
                                  kinds[m].measure, g->clocks ? 1e6 * cycle : 1,
                                  g->clocks && kinds[m].by_time ? 1e-9 / cycle : 1);
                    }
                if (g->runs.n > MOST_SERIES) figure_note(&f, "The first runs alone.");
                ok = chart_put(r, &f);
            }
        }
    map_free(&seen);
    return ok;
}

static bool has_samples(const RunGroup *g)
{
    for (size_t k = 0; k < g->runs.n; k++)
        for (size_t n = 0; n < g->runs.v[k]->kernels.n; n++)
            if (g->runs.v[k]->kernels.v[n].samples.n >= 2 * (size_t)C_COUNT) return true;
    return false;
}

bool curves_over_time(Report *r, RunGroup *g, const char *program)
{
    if (!has_samples(g)) return true;
    text_put(r->out, "<h3>Over time</h3>\n<div class=\"figures\">\n");
    bool ok = chart_times(r, g, program);
    text_put(r->out, "</div>\n");
    return ok;
}

// --- a program -------------------------------------------------------------------------------------------------------
// Chooses what bars compare: the runs; when these are too many, the runs that differ from the base in one setting.
static void choose_bars(RunGroup *g, Bars *bars, const char **what)
{
    Bar bar;
    *what = group_names(g, SIZE_MAX);
    for (size_t k = 0; k < g->runs.n && bars->n < MOST_BARS; k++) {
        bool near = g->runs.n <= MOST_BARS;
        for (size_t s = 0; s < g->swept.n && !near; s++) near = group_near(g, k, g->base, s, SIZE_MAX);
        bar = (Bar){group_label(g, k, SIZE_MAX), g->runs.v[k]->count};
        if (near) vec_push(bars, bar);
    }
}

// Over the settings: times, and the hit rate of the L1. A program's times are whole, its rates are its kernels'.
static bool over_settings(Report *r, RunGroup *g, const char *title, bool rates)
{
    size_t curves = 0;
    bool ok = true;
    if (g->swept.n >= 2) {
        const char *relative =
            arena_printf(&g->arena, "%s relative to %s", time_word(g), group_label(g, g->base, SIZE_MAX));
        ok = heat(r, g, title, relative, relative_time, true) &&
             (!rates || heat(r, g, title, "L1 hit rate, in %", run_l1, false));
    }
    const char *unit = g->clocks ? arena_printf(&g->arena, "simulated time, in %s", run_unit(g).name) : "cycles";
    for (size_t s = 0; s < g->swept.n && ok; s++) {
        if (!g->swept.v[s].numeric || g->swept.v[s].values.n - !*g->swept.v[s].values.v[0] < 2) continue;
        ok = curve(r, g, title, s, time_word(g), unit, run_in_unit, NAN) &&
             (!rates || curve(r, g, title, s, "L1 hit rate", "L1 hits, in %", run_l1, 100));
        curves++;
    }
    return ok && (g->swept.n != 1 || curves || relative_times(r, g, title));
}

// The figures of a group whose runs have one kernel.
static bool charts_kernel(Report *r, RunGroup *g, const char *title)
{
    const char *what;
    Bars bars = {0};
    bool ok = memory(r, g, title) && over_settings(r, g, title, true);
    choose_bars(g, &bars, &what);
    ok = ok && chart_issue_slots(r, title, what, &bars) && chart_bytes(r, title, what, &bars);
    vec_free(&bars);
    return ok;
}

// --- a program's figures ---------------------------------------------------------------------------------------------
typedef struct Timed {  // a kernel, and what it takes in the base's run or the first one that has it
    const char *name;
    double cycles;
} Timed;
typedef VEC(Timed) TimedKernels;

static int by_cycles(const void *a, const void *b)
{
    const Timed *x = a, *y = b;
    return x->cycles != y->cycles ? (x->cycles > y->cycles ? -1 : 1) : strcmp(x->name, y->name);
}

static void add_kernels(const StoredRun *run, TimedKernels *out)
{
    for (size_t k = 0; k < run->kernels.n; k++) {
        const RunKernel *one = &run->kernels.v[k];
        size_t at = 0;
        while (at < out->n && strcmp(out->v[at].name, one->name)) at++;
        if (at == out->n && !one->functional) vec_push(out, ((Timed){one->name, (double)one->count[C_CYCLES]}));
    }
}

// Kernels of all runs that were timed, the slowest first.
static void kernels_of(const RunGroup *g, TimedKernels *out)
{
    add_kernels(g->runs.v[g->base], out);
    for (size_t k = 0; k < g->runs.n; k++) add_kernels(g->runs.v[k], out);
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_cycles);
}

// A kernel's figures, of copies of the runs that have this kernel alone.
static bool one_kernel(Report *r, const RunGroup *g, const char *name)
{
    StoredRun *alone = mem_alloc((g->runs.n + 1) * sizeof *alone);
    VEC(const StoredRun *) runs = {0};
    RunGroup own;
    for (size_t k = 0; k < g->runs.n; k++)
        for (size_t n = 0; n < g->runs.v[k]->kernels.n; n++) {
            const RunKernel *one = &g->runs.v[k]->kernels.v[n];
            if (one->functional || strcmp(one->name, name)) continue;
            alone[k] = run_of_kernel(g->runs.v[k], n);
            vec_push(&runs, &alone[k]);
            break;
        }
    group_open(&own, runs.v, runs.n, true, r->options->baseline);
    Text title = {0};
    char *shorter = name_shorten(name, LONGEST_IN_TITLE);
    text_printf(&title, "%s, %s", g->runs.v[0]->program, shorter);
    mem_free(shorter);
    html_put(r->out, "<h3>%s</h3>\n<div class=\"figures\">\n", name);
    bool ok = charts_kernel(r, &own, title.v);
    text_put(r->out, "</div>\n");
    text_free(&title);
    group_free(&own);
    vec_free(&runs);
    mem_free(alone);
    return ok;
}

static bool all_kernels(Report *r, RunGroup *g, const TimedKernels *kernels)
{
    bool ok = true;
    for (size_t k = 0; k < kernels->n && k < MOST_TOLD && ok; k++) ok = one_kernel(r, g, kernels->v[k].name);
    if (kernels->n > MOST_TOLD)
        text_printf(r->out, "<p class=\"note\">%zu further kernels stand in the table of kernels.</p>\n",
                    kernels->n - MOST_TOLD);
    return ok;
}

bool charts_program(Report *r, RunGroup *g)
{
    const char *program = g->runs.v[0]->program;
    TimedKernels kernels = {0};
    kernels_of(g, &kernels);
    if (g->runs.n > MOST_BARS)
        text_put(r->out, "<p class=\"note\">Bars: the runs that differ from the baseline in one setting, as far as "
                         "there is room.</p>\n");
    text_put(r->out, "<div class=\"figures\">\n");
    bool ok = kernels.n > 1 ? over_settings(r, g, program, false) : charts_kernel(r, g, program);
    ok = ok && rooflines(r, g, program);
    text_put(r->out, "</div>\n");
    if (kernels.n > 1) ok = ok && all_kernels(r, g, &kernels);
    vec_free(&kernels);
    return ok && curves_over_time(r, g, program);
}
