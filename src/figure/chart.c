// chart.c: the memory chart and the roofline of a run. gnuplot has no boxes and arrows, so that these two are drawn
// here, with the pieces of svg.c. All that they show is in the figure's numbers, which gpu/peaks.c computes for the
// terminal, too.
//
// Both are WIDTH units wide, as the other figures are. A level has the colour that its bytes have in the other figures.
#include "figure/page.h"

#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

enum { WIDTH = SVG_WIDTH, EDGE = 10, ROW = 15, BOX = 68, WIDE_BOX = 40, STEM = 56, MOST_KERNELS = 8 };

// --- pieces of SVG ---------------------------------------------------------------------------------------------------
// A vertical arrow; its head is at `to`.
static void put_arrow(Text *out, double x, double from, double to, const char *stroke)
{
    double back = to > from ? -7 : 7;
    svg_line(out, x, from, x, to + back / 2, stroke, "");
    text_printf(out, "<path d=\"M%.1f %.1fl-4.5 %.1fh9z\" fill=\"%s\"/>\n", x, to, back, stroke);
}

static void put_box(Text *out, double x, double y, double width, double height, const char *stroke)
{
    text_printf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"var(--back, #fafafa)\" "
                "stroke=\"%s\" stroke-width=\"2\"/>\n",
                x, y, width, height, stroke);
}

static double value(const Figure *f, size_t series, size_t point) { return f->series.v[series].values.v[point].y; }

// --- the memory chart ------------------------------------------------------------------------------------------------
// The figure's points are the registers and the parts; its first series are these, and what a part waits for follows.
enum { REQUESTS, BYTES, PEAK_SHARE, HITS, WAITS };

static void put_share(char out[48], double percent, const char *of) { snprintf(out, 48, "%.1f %%%s", percent, of); }

// What passes on an arrow, a line for each number that is known.
static void put_flow(Text *out, const Figure *f, size_t point, double x, double y, SvgAnchor anchor, bool words)
{
    char text[48] = "", number[32];
    if (isfinite(value(f, REQUESTS, point))) {
        format_count(number, value(f, REQUESTS, point));
        snprintf(text, sizeof text, "%s%s", number, words ? " requests" : "");
        svg_text(out, x, y, 11.5, anchor, text), y += ROW - 1;
    }
    if (isfinite(value(f, BYTES, point))) {
        format_bytes(text, value(f, BYTES, point));
        svg_text(out, x, y, 11.5, anchor, text), y += ROW - 1;
    }
    if (isfinite(value(f, PEAK_SHARE, point))) {
        put_share(text, value(f, PEAK_SHARE, point), words ? " of the peak" : "");
        svg_text(out, x, y, 11.5, anchor, text);
    }
}

// Numbers of the waits in the list below the chart: "waits: 1, 2".
static void put_waits(Text *out, const Figure *f, size_t point, int *number, double x, double y)
{
    Text t = {0};
    for (size_t s = WAITS; s < f->series.n; s++)
        if (isfinite(value(f, s, point))) text_printf(&t, "%s%d", t.n ? ", " : "waits: ", ++*number);
    if (t.n) svg_text(out, x, y, 11, SVG_MIDDLE, t.v);
    text_free(&t);
}

// A part that an SM has, and above it the arrow to it.
static void put_column(Text *out, const Figure *f, size_t point, double x, double width, double top, int *number)
{
    char colour[32], hits[48];
    const char *name = f->points.v[point].name, *blank = strchr(name, ' ');
    double box = top + STEM, middle = x + width / 2, y = box + 15;
    bool past = point == 1 + CHART_PAST;
    put_arrow(out, middle, top, past ? box + BOX : box, svg_colour(COLOUR_ASKED, colour));
    // Numbers stand on the paper, beside the arrow.
    put_flow(out, f, point, middle + 6, top + 16, SVG_START, false);
    if (past) {
        svg_text(out, middle + 6, box + 15, 10.5, SVG_START, "past");
        svg_text(out, middle + 6, box + 29, 10.5, SVG_START, "the L1");
        return;
    }
    put_box(out, x, box, width, BOX, svg_colour(COLOUR_ASKED, colour));
    Text first = {0};
    text_add(&first, name, blank ? (size_t)(blank - name) : strlen(name));
    svg_text(out, middle, y, 12, SVG_MIDDLE, first.v), y += ROW - 1;
    if (blank) svg_text(out, middle, y, 12, SVG_MIDDLE, blank + 1), y += ROW - 1;
    text_free(&first);
    if (isfinite(value(f, HITS, point))) {
        put_share(hits, value(f, HITS, point), width < 80 ? "" : " hits");
        svg_text(out, middle, y, 11, SVG_MIDDLE, hits), y += ROW - 1;
    }
    put_waits(out, f, point, number, middle, y);
}

// A part that all SMs share: over the whole width.
static void put_wide(Text *out, const Figure *f, size_t point, double y, uint32_t colour, int *number)
{
    char text[48], stroke[32];
    Text line = {0};
    put_box(out, EDGE, y, WIDTH - 2 * EDGE, WIDE_BOX, svg_colour(colour, stroke));
    text_put(&line, f->points.v[point].name);
    if (isfinite(value(f, REQUESTS, point)) && point == 1 + CHART_L2) {
        format_count(text, value(f, REQUESTS, point));
        text_printf(&line, ": %s requests", text);
        if (isfinite(value(f, BYTES, point)))
            format_bytes(text, value(f, BYTES, point)), text_printf(&line, ", %s", text);
        if (isfinite(value(f, PEAK_SHARE, point)))
            text_printf(&line, ", %.1f %% of the peak", value(f, PEAK_SHARE, point));
    }
    if (isfinite(value(f, HITS, point))) text_printf(&line, ", %.1f %% hits", value(f, HITS, point));
    svg_text(out, WIDTH / 2.0, y + 16, 11, SVG_MIDDLE, line.v);
    text_free(&line);
    put_waits(out, f, point, number, WIDTH / 2.0, y + 32);
}

// The list of what parts wait for, in the order of the numbers in the boxes.
static double list_waits(Text *out, const Figure *f, double y)
{
    int number = 0;
    for (size_t k = 0; k < f->points.n; k++)
        for (size_t s = WAITS; s < f->series.n; s++) {
            if (!isfinite(value(f, s, k))) continue;
            if (!number) svg_text(out, EDGE, y, 10.5, SVG_START, "Where waiting begins:"), y += ROW;
            Text line = {0};
            const char *what = f->series.v[s].name, *of = strstr(what, ", in % of ");
            text_printf(&line, "%d  %s: %.*s, %.0f %%%s", ++number, f->points.v[k].name,
                        (int)(of ? of - what : (ptrdiff_t)strlen(what)), what, value(f, s, k), of ? of + 6 : "");
            svg_text(out, EDGE, y, 10, SVG_START, line.v), y += ROW;
            text_free(&line);
        }
    return y;
}

static bool used(const Figure *f, size_t point) { return point == 1 + CHART_L1 || value(f, REQUESTS, point) > 0; }

double draw_memory(const Figure *f, Text *out)
{
    static const size_t places[] = {CHART_SHARED, CHART_L1, CHART_PAST, CHART_READONLY, CHART_CONST, CHART_SCRATCH};
    char text[48], asked[32], l2[32], dram[32];
    Text line = {0};
    int number = 0;
    size_t n = 0, at = 0;
    double y = svg_title(out, f->title) + 2;
    svg_colour(COLOUR_ASKED, asked), svg_colour(COLOUR_L2, l2), svg_colour(COLOUR_DRAM, dram);
    for (size_t k = 0; k < COUNT(places); k++) n += used(f, 1 + places[k]);
    put_box(out, EDGE, y, WIDTH - 2 * EDGE, 24, "var(--ink)");
    format_count(text, value(f, REQUESTS, 0));
    text_printf(&line, "registers: %s warp instructions", text);
    svg_text(out, WIDTH / 2.0, y + 16, 12, SVG_MIDDLE, line.v);
    text_free(&line);
    y += 24;
    const double step = (WIDTH - 2.0 * EDGE + 6) / (double)MAX(n, 3), bus = y + STEM + BOX + 10;
    double first = WIDTH, last = 0;
    for (size_t k = 0; k < COUNT(places); k++) {
        if (!used(f, 1 + places[k])) continue;
        double x = EDGE + (double)at++ * step, middle = x + (step - 6) / 2;
        put_column(out, f, 1 + places[k], x, step - 6, y, &number);
        if (places[k] == CHART_SHARED) continue;
        if (places[k] != CHART_PAST)
            svg_line(out, middle, y + STEM + BOX, middle, bus, l2, "");
        else
            svg_line(out, middle, y + STEM + BOX, middle, bus, asked, "");
        first = MIN(first, middle), last = MAX(last, middle);
    }
    const double down = 0.14 * WIDTH, up = 0.58 * WIDTH;
    svg_line(out, MIN(first, down), bus, MAX(last, up), bus, l2, "");
    y = bus + 50;
    put_arrow(out, down, bus, y, l2), put_arrow(out, up, y, bus, l2);
    put_flow(out, f, 1 + CHART_OUT, down + 8, bus + 16, SVG_START, true);
    put_flow(out, f, 1 + CHART_IN, up + 8, bus + 16, SVG_START, true);
    put_wide(out, f, 1 + CHART_L2, y, COLOUR_L2, &number);
    y += WIDE_BOX;
    put_arrow(out, WIDTH / 2.0, y, y + 50, dram);
    put_flow(out, f, 1 + CHART_DRAM, WIDTH / 2.0 + 8, y + 16, SVG_START, true);
    put_wide(out, f, 1 + CHART_DRAM, y + 50, COLOUR_DRAM, &number);
    return list_waits(out, f, y + 50 + WIDE_BOX + 18);
}

// --- the roofline ----------------------------------------------------------------------------------------------------
// The figure's points are kernels. Its series are these.
enum { REACHED, AT_L1, AT_L2, AT_DRAM, CEILING_L1, CEILING_L2, CEILING_DRAM, CEILING_ISSUE, CEILING_ALU, ROOF_SERIES };
enum { LEFT = 50, RIGHT = 412, FIELD_HEIGHT = 250, PLACES = 64 };
static const uint32_t level_colours[] = {COLOUR_ASKED, COLOUR_L2, COLOUR_DRAM};
typedef struct RoofWords {
    const char *across, *up, *level[3], *level_unit, *reached;
} RoofWords;
static const RoofWords roof_words = {"warp instructions per transaction",
                                     "G warp instructions/s",
                                     {"L1", "L2", "DRAM"},
                                     "G transactions/s",
                                     "G/s"},
                       tensor_words = {"operations of tensor cores per byte",
                                       "TFLOP/s",
                                       {"shared memory", "L2", "DRAM"},
                                       "TB/s",
                                       "TFLOP/s"};
static const RoofWords *words_of(const Figure *f) { return f->kind == FIGURE_TENSOR ? &tensor_words : &roof_words; }

typedef struct Plot {  // decades and where they lie
    double low_x, high_x, low_y, high_y, top;
    double taken[PLACES][2];  // where a number stands
    size_t n;
} Plot;

static double across(const Plot *p, double v)
{
    return LEFT + (RIGHT - LEFT) * (log10(v) - p->low_x) / (p->high_x - p->low_x);
}
static double upward(const Plot *p, double v)
{
    return p->top + FIELD_HEIGHT * (p->high_y - log10(v)) / (p->high_y - p->low_y);
}

static double ceiling(const Figure *f, size_t series)
{
    if (series >= f->series.n) return NAN;
    for (size_t k = 0; k < f->points.n; k++)
        if (value(f, series, k) > 0) return value(f, series, k);
    return NAN;
}

static void widen(double *low, double *high, double v)
{
    if (!(v > 0) || !isfinite(v)) return;
    *low = MIN(*low, log10(v)), *high = MAX(*high, log10(v));
}

// The decades have all points, and the corners where the ceilings meet.
static void find_range(const Figure *f, Plot *p)
{
    double roof = ceiling(f, CEILING_ISSUE);
    p->low_x = p->low_y = INFINITY, p->high_x = p->high_y = -INFINITY;
    for (size_t k = 0; k < f->points.n; k++) {
        widen(&p->low_y, &p->high_y, value(f, REACHED, k));
        for (size_t s = 0; s < 3; s++)
            if (value(f, REACHED, k) > 0) widen(&p->low_x, &p->high_x, value(f, AT_L1 + s, k));
    }
    widen(&p->low_y, &p->high_y, roof), widen(&p->low_y, &p->high_y, ceiling(f, CEILING_ALU));
    for (size_t s = 0; s < 3; s++) widen(&p->low_x, &p->high_x, roof / ceiling(f, CEILING_L1 + s));
    p->low_x = floor(p->low_x - 0.1), p->high_x = ceil(p->high_x + 0.1);
    p->low_y = floor(p->low_y - 0.1), p->high_y = ceil(p->high_y + 0.1);
}

static void put_decades(const Figure *f, const Plot *p, Text *out)
{
    char text[32];
    double bottom = p->top + FIELD_HEIGHT;
    int step_x = (int)ceil((p->high_x - p->low_x) / 8), step_y = (int)ceil((p->high_y - p->low_y) / 10);
    for (double d = p->low_x; d <= p->high_x; d += step_x) {
        double x = across(p, pow(10, d));
        svg_line(out, x, p->top, x, bottom, "var(--rule)", " stroke-dasharray=\"1 3\"");
        snprintf(text, sizeof text, "%.9g", pow(10, d));
        svg_text(out, MIN(x, RIGHT - 6), bottom + 14, 10, SVG_MIDDLE, text);
    }
    for (double d = p->low_y; d <= p->high_y; d += step_y) {
        double y = upward(p, pow(10, d));
        svg_line(out, LEFT, y, RIGHT, y, "var(--rule)", " stroke-dasharray=\"1 3\"");
        snprintf(text, sizeof text, "%.9g", pow(10, d));
        svg_text(out, LEFT - 5, y + 3.5, 10, SVG_END, text);
    }
    svg_line(out, LEFT, p->top, LEFT, bottom, "var(--ink)", ""),
        svg_line(out, LEFT, bottom, RIGHT, bottom, "var(--ink)", "");
    svg_text(out, (LEFT + RIGHT) / 2.0, bottom + 30, 11, SVG_MIDDLE, words_of(f)->across);
    text_printf(out,
                "<text transform=\"translate(12 %.1f) rotate(-90)\" font-size=\"11\" text-anchor=\"middle\" "
                "fill=\"var(--ink)\">%s</text>\n",
                p->top + FIELD_HEIGHT / 2.0, words_of(f)->up);
}

// A level's ceiling rises with the instructions a transaction, up to what the issue allows.
static void put_ceilings(const Figure *f, const Plot *p, Text *out)
{
    char colour[32];
    double roof = ceiling(f, CEILING_ISSUE), alu = ceiling(f, CEILING_ALU), first = INFINITY;
    for (size_t s = 0; s < 3; s++) {
        double slope = ceiling(f, CEILING_L1 + s);
        if (!(slope > 0)) continue;
        double from = MAX(pow(10, p->low_x), pow(10, p->low_y) / slope);
        double to = MIN(pow(10, p->high_x), (roof > 0 ? roof : pow(10, p->high_y)) / slope);
        first = MIN(first, to);
        if (from < to)
            svg_line(out, across(p, from), upward(p, from * slope), across(p, to), upward(p, to * slope),
                     svg_colour(level_colours[s], colour), "");
    }
    if (!isfinite(first)) first = pow(10, p->low_x);
    if (roof > 0) svg_line(out, across(p, first), upward(p, roof), RIGHT, upward(p, roof), "var(--ink)", "");
    if (alu > 0 && !(fabs(alu - roof) < 0.001 * roof))
        svg_line(out, LEFT, upward(p, alu), RIGHT, upward(p, alu), "var(--ink)", " stroke-dasharray=\"6 4\"");
}

// Writes a kernel's number near its point, where no other number stands.
static void put_number(Plot *p, double x, double y, size_t kernel, Text *out)
{
    char text[32];
    double at_x = x + 9, at_y = y - 6;
    for (int n = 0; n < 48; n++) {
        double angle = 0.7854 * (n % 8), far = 11 + 9 * (n / 8);
        at_x = x + far * cos(angle), at_y = y - far * sin(angle) + 3.5;
        bool free = at_x > LEFT + 6 && at_x < RIGHT - 6 && at_y > p->top + 8 && at_y < p->top + FIELD_HEIGHT - 4;
        for (size_t k = 0; k < p->n && free; k++)
            free = fabs(p->taken[k][0] - at_x) > 9 || fabs(p->taken[k][1] - at_y) > 11;
        if (free) break;
    }
    if (p->n < PLACES) p->taken[p->n][0] = at_x, p->taken[p->n++][1] = at_y;
    snprintf(text, sizeof text, "%zu", kernel + 1);
    svg_text(out, at_x, at_y, 10, SVG_MIDDLE, text);
}

// A kernel's point on a level, or (numbers) its number beside the point.
static void put_point(const Figure *f, Plot *p, size_t level, size_t kernel, bool numbers, Text *out)
{
    char colour[32];
    if (!(value(f, AT_L1 + level, kernel) > 0) || !(value(f, REACHED, kernel) > 0)) return;
    double x = across(p, value(f, AT_L1 + level, kernel)), y = upward(p, value(f, REACHED, kernel));
    if (numbers) {
        put_number(p, x, y, kernel, out);
        return;
    }
    text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"var(--paper)\"/>\n", x, y,
                svg_colour(level_colours[level], colour));
    if (p->n < PLACES) p->taken[p->n][0] = x, p->taken[p->n++][1] = y + 3.5;
}

static double put_key(const Figure *f, double y, Text *out)
{
    char colour[32], text[96];
    double roof = ceiling(f, CEILING_ISSUE), alu = ceiling(f, CEILING_ALU);
    for (size_t s = 0; s < 3; s++) {
        if (!(ceiling(f, CEILING_L1 + s) > 0)) continue;
        svg_line(out, EDGE, y - 4, EDGE + 20, y - 4, svg_colour(level_colours[s], colour), "");
        snprintf(text, sizeof text, "%s: %.4g %s", words_of(f)->level[s], ceiling(f, CEILING_L1 + s),
                 words_of(f)->level_unit);
        svg_text(out, EDGE + 26, y, 10.5, SVG_START, text), y += ROW;
    }
    if (roof > 0) {
        svg_line(out, EDGE, y - 4, EDGE + 20, y - 4, "var(--ink)", "");
        if (f->kind == FIGURE_TENSOR)
            snprintf(text, sizeof text, "tensor cores: %.4g TFLOP/s", roof);
        else
            snprintf(text, sizeof text, "issue: %.4g G slots/s", roof);
        svg_text(out, EDGE + 26, y, 10.5, SVG_START, text), y += ROW;
    }
    if (alu > 0) {
        svg_line(out, EDGE, y - 4, EDGE + 20, y - 4, "var(--ink)", " stroke-dasharray=\"6 4\"");
        snprintf(text, sizeof text, "FMA units: %.4g G warp instructions/s%s", alu,
                 fabs(alu - roof) < 0.001 * roof ? ", where the issue's line is" : "");
        svg_text(out, EDGE + 26, y, 10.5, SVG_START, text), y += ROW;
    }
    const char **names = mem_alloc((f->points.n + 1) * sizeof *names);
    char **shown = mem_alloc((f->points.n + 1) * sizeof *shown);
    for (size_t k = 0; k < f->points.n; k++) names[k] = f->points.v[k].name;
    names_shorten(names, f->points.n, 41, shown);
    for (size_t k = 0; k < f->points.n; k++) {
        Text line = {0};
        text_printf(&line, "%zu  %s: %.3g %s", k + 1, shown[k], value(f, REACHED, k), words_of(f)->reached);
        svg_text(out, EDGE, y, 10.5, SVG_START, line.v), y += ROW;
        text_free(&line), mem_free(shown[k]);
    }
    mem_free(names), mem_free(shown);
    return y;
}

double draw_roof(const Figure *f, Text *out)
{
    Plot p = {.top = svg_title(out, f->title) + 4};
    find_range(f, &p);
    put_decades(f, &p, out);
    put_ceilings(f, &p, out);
    for (int numbers = 0; numbers < 2; numbers++)  // all points first, so that numbers stand beside them
        for (size_t k = 0; k < f->points.n; k++)
            for (size_t s = 0; s < 3; s++) put_point(f, &p, s, k, numbers, out);
    return put_key(f, p.top + FIELD_HEIGHT + 50, out);
}

// --- as numbers ------------------------------------------------------------------------------------------------------
static void put_part(Figure *f, const ChartPart *p)
{
    if (!p->requests && strcmp(p->name, "L1")) {
        figure_text(f, REQUESTS, p->name, 0);
        return;
    }
    figure_text(f, REQUESTS, p->name, p->requests);
    figure_text(f, BYTES, p->name, p->bytes);
    figure_text(f, PEAK_SHARE, p->name, 100 * p->peak);
    figure_text(f, HITS, p->name, 100 * p->hits);
    for (size_t k = 0; k < p->waiting; k++) {
        Text name = {0};
        size_t s = WAITS;
        text_printf(&name, "%s, in %% of %s", p->waits[k].what, p->of);
        while (s < f->series.n && strcmp(f->series.v[s].name, name.v)) s++;
        if (s == f->series.n) figure_series(f, name.v);
        figure_text(f, s, p->name, 100 * p->waits[k].share);
        text_free(&name);
    }
}

bool chart_memory(Report *r, const StoredRun *run, const char *program, const char *label)
{
    static const char *const series[] = {"requests", "bytes", "of its peak, in %", "hits, in %"};
    ChartPart part[CHART_PARTS];
    Figure f;
    chart_open(&f, FIGURE_MEMORY, "%s%s%s: memory chart", program, *label ? ", " : "", label);
    figure_axes(&f, "part", "", "");
    for (size_t s = 0; s < COUNT(series); s++) figure_series(&f, series[s]);
    figure_text(&f, REQUESTS, "registers", (double)run->count[C_WARP_INSTS]);
    memory_chart(run->count, run->peak, part);
    for (size_t k = 0; k < CHART_PARTS; k++) put_part(&f, &part[k]);
    figure_note(&f, isnan(run->peak[PEAK_LSU])
                        ? "An older onchip made the run, so that shares of the peaks aren't known."
                        : "On an arrow: requests, bytes of full sectors, share of the peak; in a box, hits.");
    return chart_put(r, &f);
}

// What a roofline shows of a kernel. False: nothing.
typedef bool RoofValues(const RunKernel *one, double seconds, double *value);

static bool roof_values(const RunKernel *one, double seconds, double *value)
{
    Roofline line;
    if (isnan(one->peak[PEAK_ISSUE])) return false;
    roofline(one->count, one->peak, seconds, &line);
    const Roof *roof = line.roof;
    const double v[ROOF_SERIES] = {line.reached / 1e9,
                                   roof[ROOF_L1].per_transaction,
                                   roof[ROOF_L2].per_transaction,
                                   roof[ROOF_DRAM].per_transaction,
                                   roof[ROOF_L1].transactions / 1e9,
                                   roof[ROOF_L2].transactions / 1e9,
                                   roof[ROOF_DRAM].transactions / 1e9,
                                   roof[ROOF_ISSUE].transactions / 1e9,
                                   roof[ROOF_ALU].roof / 1e9};
    memcpy(value, v, sizeof v);
    return true;
}

static bool tensor_values(const RunKernel *one, double seconds, double *value)
{
    TensorRoofline line;
    if (!one->count[C_TENSOR_FMAS]) return false;
    tensor_roofline(one->count, one->peak, seconds, &line);
    const TensorRoof *roof = line.roof;
    const double v[CEILING_ALU] = {line.reached / 1e12,
                                   roof[TENSOR_SHARED].intensity,
                                   roof[TENSOR_L2].intensity,
                                   roof[TENSOR_DRAM].intensity,
                                   roof[TENSOR_SHARED].bytes / 1e12,
                                   roof[TENSOR_L2].bytes / 1e12,
                                   roof[TENSOR_DRAM].bytes / 1e12,
                                   roof[TENSOR_CORES].roof / 1e12};
    memcpy(value, v, sizeof v);
    return true;
}

static bool put_roofs(Report *r, Figure *f, const StoredRun *run, const char *const *series, size_t n,
                      RoofValues *values, const char *words)
{
    Text note = {0};
    size_t left_out = 0;
    figure_axes(f, "kernel", "", "");
    for (size_t s = 0; s < n; s++) figure_series(f, series[s]);
    for (size_t k = 0; k < run->kernels.n; k++) {
        const RunKernel *one = &run->kernels.v[k];
        const double seconds = one->rate[R_SECONDS];
        double v[ROOF_SERIES];
        if (one->functional || !(seconds > 0) || !values(one, seconds, v)) continue;
        if (f->points.n == MOST_KERNELS)
            left_out++;
        else
            for (size_t s = 0; s < n; s++) figure_text(f, s, one->name, v[s] > 0 ? v[s] : NAN);
    }
    text_put(&note, words);
    if (left_out) text_printf(&note, " %zu further kernels are left out.", left_out);
    figure_note(f, note.v);
    text_free(&note);
    return chart_put(r, f);
}

bool chart_roof(Report *r, const StoredRun *run, const char *program, const char *label)
{
    static const char *const series[ROOF_SERIES] = {
        "G warp instructions/s",          "L1, instructions a transaction",
        "L2, instructions a transaction", "DRAM, instructions a transaction",
        "L1, G transactions/s",           "L2, G transactions/s",
        "DRAM, G transactions/s",         "issue, G slots/s",
        "FMA units, G instructions/s"};
    Figure f;
    chart_open(&f, FIGURE_ROOF, "%s%s%s: roofline", program, *label ? ", " : "", label);
    return put_roofs(
        r, &f, run, series, COUNT(series), roof_values,
        "A transaction is an access of the L1 or the L2, and 32 bytes of DRAM. A point on its level's line "
        "has that level at its peak.");
}

bool chart_tensor_roof(Report *r, const StoredRun *run, const char *program, const char *label)
{
    static const char *const series[CEILING_ALU] = {"TFLOP/s",
                                                    "shared memory, operations a byte",
                                                    "L2, operations a byte",
                                                    "DRAM, operations a byte",
                                                    "shared memory, TB/s",
                                                    "L2, TB/s",
                                                    "DRAM, TB/s",
                                                    "tensor cores, TFLOP/s"};
    Figure f;
    chart_open(&f, FIGURE_TENSOR, "%s%s%s: roofline of products of matrices", program, *label ? ", " : "", label);
    return put_roofs(r, &f, run, series, COUNT(series), tensor_values,
                     "A multiply-add is two operations. The tensor cores' line is of .f16; other types have others. A "
                     "point on its level's line has that level at its peak.");
}
