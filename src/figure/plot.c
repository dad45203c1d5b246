// plot.c: writes the gnuplot script that draws a figure's CSV, and runs gnuplot. The script has what is a matter of
// drawing (sizes, colours, ticks), the CSV has every number. Both can be changed by hand and drawn again.
//
// Figures are WIDTH units wide, so that a phone shows their text large enough. Bars lie on their side, since names are
// long and a figure may grow downwards but not to the right.
#include "figure/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WIDTH = 420,
    ABOVE = 38,
    BELOW = 62,
    KEY_ROW = 18,
    BAR = 14,
    STACKED_BAR = 20,
    GAP = 10,
    FIELD = 34,
    SMALL_FIELD = 7,  // of a heat map with more than WRITTEN_FIELDS series
    WRITTEN_FIELDS = 20,
    LINES = 200,
    SAMPLE = 50,
    LETTER = 8,
    LONGEST_NAME = 26,
    LONGEST_KEY = 54,
    LONGEST_TITLE = 56,
    TITLE_ROW = 16,
    MOST_TITLE = 3,
    BAND_AXIS = 54,
    TICKS = 7
};

// The colours of Paul Tol's "bright" scheme, which readers with any colour vision tell apart. Colours from his other
// schemes follow, since there are more causes of stalls.
static const char *const palette[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#ee7733",
                                      "#44aa99", "#882255", "#999933", "#bbbbbb", "#777777",
                                      // issue slots: issued, then the causes of stalls
                                      "#77cc44", "#77aadd", "#99ddff", "#eedd88", "#ee8866", "#b58fd0", "#ffaabb",
                                      "#44bb99", "#bbcc33", "#aaaa00", "#c9c9c9", "#8f7f6f",
                                      // bytes: asked for, L2, DRAM
                                      "#8f8f5f", "#5f7fcf", "#b06050",
                                      // accesses: hits, first touch, capacity, conflict, dropped, misses
                                      "#0f7f8f", "#7755dd", "#bb2244", "#ddaa33", "#aa4499", "#cc7788"};
_Static_assert(COUNT(palette) == COLOURS, "each colour has a number");
static const int shape[] = {7, 5, 9, 13, 11, 6, 4, 8};  // gnuplot's filled points, then open ones
#define INK "#222222"
#define RULE "#dddddd"
#define PAPER "#ffffff"

static const char *colour(const FigureSeries *s) { return palette[s->colour % COUNT(palette)]; }

// --- pieces of a script ----------------------------------------------------------------------------------------------
static size_t letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

// Returns how many bytes of text fit into so many bytes when each % is doubled. Letters stay whole.
static size_t fitting(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t used = 0; *text; text++) {
        used += 1 + (*text == '%');
        if (used > bytes) break;
        n += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return n;
}

// Writes 'text', cut after so many letters. Every text of a script goes through here, since names may come from
// strangers: within single quotes gnuplot expands and executes nothing, no backslash, backquote, variable or macro. A
// tick's text is a format all the same. In a format % stands for a number unless it is doubled, and gnuplot keeps only
// 50 bytes of it.
typedef enum Place { TEXT, TICK } Place;
enum { LONGEST_FORMAT = 44 };
static bool is_format(const char *text, Place place) { return place == TICK && strchr(text, '%'); }

// The names of a figure's points or series, each of so many letters at most, in the figure's order; a null is "".
static char **shown_names(const Figure *f, bool points, size_t longest, Place place, Arena *arena)
{
    const size_t n = points ? f->points.n : f->series.n;
    bool fit = true;
    const char **names = arena_alloc(arena, (n + 1) * sizeof *names);
    char **shorter = arena_alloc(arena, (n + 1) * sizeof *shorter);
    for (size_t k = 0; k < n; k++) {
        names[k] = points ? f->points.v[k].name : f->series.v[k].name;
        if (!names[k]) names[k] = "";
    }
    names_shorten(names, n, longest, shorter);
    for (size_t k = 0; k < n; k++) {
        char *name = arena_copy(arena, shorter[k]);
        mem_free(shorter[k]);
        shorter[k] = name;
        fit = fit && (!is_format(name, place) || fitting(name, LONGEST_FORMAT) == letters(name));
    }
    return fit || longest == 1 ? shorter : shown_names(f, points, longest - 1, place, arena);
}

static void put_quoted(Text *out, const char *text, size_t longest, Place place)
{
    bool format = is_format(text, place);
    if (format) longest = MIN(longest, fitting(text, LONGEST_FORMAT));
    bool cut = letters(text) > longest;
    text_put(out, "'");
    for (size_t n = 0; *text; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
        if (cut && n == longest) break;
        if (*text == '\'' || (format && *text == '%')) text_add(out, text, 1);
        text_add(out, text, 1);
    }
    text_put(out, cut ? "…'" : "'");
}

static size_t column(const Figure *f, size_t series)
{
    size_t c = 2;
    for (size_t s = 0; s < series; s++) c += figure_ranged(&f->series.v[s]) ? 3 : 1;
    return c;
}

static double largest(const Figure *f)
{
    double most = 0;
    for (size_t s = 0; s < f->series.n; s++)
        for (size_t k = 0; k < f->points.n; k++) {
            const FigureValue *v = &f->series.v[s].values.v[k];
            if (v->y > most) most = v->y;
            if (v->high > most) most = v->high;
        }
    return most;
}

// An axis of large numbers counts thousands or millions; its title says so.
typedef struct Scale {
    double by;
    const char *word;
} Scale;
static Scale scale_of(double most)
{
    if (most >= 2e9) return (Scale){1e9, ", in thousand millions"};
    if (most >= 2e6) return (Scale){1e6, ", in millions"};
    if (most >= 2e4) return (Scale){1e3, ", in thousands"};
    return (Scale){1, ""};
}

static void put_title(Text *out, const char *axis, const char *title, const char *word)
{
    Text t = {0};
    text_printf(&t, "%s%s", title, word);
    text_printf(out, "set %s ", axis);
    put_quoted(out, t.v, 60, TEXT);
    text_put(out, " textcolor rgb '" INK "'\n");
    text_free(&t);
}

// The key explains the colours. It gets as many columns as there is room for.
static size_t key_columns(const Figure *f)
{
    size_t longest = 1;
    for (size_t s = 0; s < f->series.n; s++) longest = MAX(longest, MIN(letters(f->series.v[s].name), LONGEST_KEY));
    return MAX(1, (WIDTH - 2 * GAP) / (longest * LETTER + SAMPLE));
}

static size_t key_rows(const Figure *f)
{
    if (f->series.n < 2 || f->kind == FIGURE_HEAT) return 0;
    return (f->series.n + key_columns(f) - 1) / key_columns(f) + (*f->of != 0);
}

// The title in as many lines as it needs, each cut only where it has no blank. A label has no lines of its own.
static const char *title_line(const char *title, Text *line)
{
    size_t n = 0, end = 0;
    for (const char *p = title; *p && n <= LONGEST_TITLE; p++) {
        if (*p == ' ') end = (size_t)(p - title);
        n += ((unsigned char)*p & 0xc0) != 0x80;
    }
    if (n <= LONGEST_TITLE || !end) end = strlen(title);
    line->n = 0;
    text_add(line, title, end);
    return title + end + strspn(title + end, " ");
}

static size_t above(const Figure *f)
{
    Text line = {0};
    size_t n = 0;
    for (const char *p = f->title; *p && n < MOST_TITLE; n++) p = title_line(p, &line);
    text_free(&line);
    return ABOVE + (n > 1 ? (n - 1) * TITLE_ROW : 0) + (f->kind == FIGURE_BAND ? BAND_AXIS : 0);
}

static void put_heading(const Figure *f, double height, Text *out)
{
    Text line = {0};
    const char *p = f->title;
    for (size_t n = 0; (*p && n < MOST_TITLE) || !n; n++) {
        p = title_line(p, &line);
        text_put(out, "set label ");
        put_quoted(out, line.n ? line.v : "", LONGEST_TITLE, TEXT);
        text_printf(out, " at screen 0.5, screen %.4f center textcolor rgb '" INK "'\n",
                    1 - (0.5 * ABOVE + (double)(n * TITLE_ROW)) / height);
    }
    text_free(&line);
}

// Writes the script's head. field: the height of the field in which values are drawn. The title is above the field, the
// axis' title and the key are below.
static void put_head(const Figure *f, size_t field, Text *out)
{
    size_t below = BELOW + key_rows(f) * KEY_ROW + (key_rows(f) ? GAP : 0), top = above(f),
           height = top + field + below;
    text_printf(out, "# Draws %s.csv: gnuplot %s.gp\n", f->name, f->name);
    text_printf(out, "set terminal svg size %d,%zu noenhanced font 'sans-serif,12' background '" PAPER "'\n", WIDTH,
                height);
    text_printf(out,
                "set encoding utf8\nset output '%s.svg'\nset datafile separator ','\nset datafile commentschars ''\n",
                f->name);
    // The title is a label at the left edge of the figure. gnuplot's own title begins above the field, and a long one
    // would run off the right edge.
    put_heading(f, (double)height, out);
    text_put(out, "set border 3 lc rgb '" INK "'\nset tics nomirror out scale 0.5 textcolor rgb '" INK "'\n");
    text_put(out, "set style fill solid 1 border rgb '" PAPER "'\n");
    if (key_rows(f)) {
        text_printf(out,
                    "set key at screen 0.5, screen %.4f center bottom horizontal maxcols %zu Left reverse samplen 1.5 "
                    "textcolor rgb '" INK "'",
                    0.6 * GAP / (double)height, key_columns(f));
        if (*f->of) text_put(out, " title "), put_quoted(out, f->of, 60, TEXT);
        text_put(out, "\n");
    } else {
        text_put(out, "unset key\n");
    }
    text_printf(out, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", 1 - (double)top / (double)height,
                (double)below / (double)height);
}

static void put_key(const Figure *f, const FigureSeries *s, Text *out)
{
    Arena arena = {0};
    text_put(out, " title ");
    put_quoted(out, shown_names(f, false, LONGEST_KEY, TEXT, &arena)[s - f->series.v], LONGEST_KEY, TEXT);
    arena_free(&arena);
}

// --- kinds -----------------------------------------------------------------------------------------------------------
// Writes ticks with names at 0, step, 2 step, …. gnuplot could read the names from the CSV, but would end them at a
// comma.
static void put_ticks(const char *axis, const Figure *f, bool points, size_t step, Text *out)
{
    size_t n = points ? f->points.n : f->series.n;
    Arena arena = {0};
    char **names = shown_names(f, points, LONGEST_NAME, TICK, &arena);
    text_printf(out, "set %stics scale 0 (", axis);
    for (size_t k = 0; k < n; k += step) {
        put_quoted(out, names[k], LONGEST_NAME, TICK);
        text_printf(out, " %zu%s", k, k + step < n ? ", " : ")\n");
    }
    arena_free(&arena);
}

// Where long names take the room of an axis from 0 to most, it gets fewer ticks than gnuplot gives it: their numbers
// would lie on each other.
static void thin_ticks(const char *axis, const Figure *f, double most, Text *out)
{
    enum { NARROW = 230, NUMBER = 42 };
    size_t longest = 0;
    for (size_t k = 0; k < f->points.n; k++)
        longest = MAX(longest, MIN(letters(f->points.v[k].name), (size_t)LONGEST_NAME));
    double room = WIDTH - 60.0 - (double)(longest * LETTER), least = most * NUMBER / fmax(room, NUMBER);
    if (room >= NARROW || !(most > 0)) return;
    double step = pow(10, floor(log10(least)));
    if (step < least) step *= 2;
    if (step < least) step *= 2.5;
    if (step < least) step *= 2;
    text_printf(out, "set %stics %.6g\n", axis, step);
}

static void put_down(const Figure *f, Text *out)
{
    text_printf(out, "set yrange [%zu.5:-0.5]\nset grid x lc rgb '" RULE "' lt 1\nset border 2\n", f->points.n - 1);
    put_ticks("y", f, true, 1, out);
}

static void bars(const Figure *f, Text *out)
{
    size_t n = f->series.n, group = n * BAR + GAP;
    Scale scale = scale_of(largest(f));
    put_head(f, f->points.n * group, out);
    put_down(f, out);
    put_title(out, "xlabel", f->y, scale.word);
    // Room for the numbers behind the bars.
    if (isfinite(f->top))
        text_printf(out, "set xrange [0:%.15g]\n", f->top / scale.by);
    else
        text_printf(out, "set xrange [0:%.6g]\n", f->points.n && largest(f) > 0 ? 1.13 * largest(f) / scale.by : 1);
    thin_ticks("x", f, isfinite(f->top) ? f->top / scale.by : largest(f) / scale.by, out);
    if (isfinite(f->baseline))
        text_printf(out, "set arrow from %.15g, graph 0 to %.15g, graph 1 nohead back lw 1.5 dt 2 lc rgb '" INK "'\n",
                    f->baseline / scale.by, f->baseline / scale.by);
    text_put(out, "label(x) = x == 0 || abs(x) >= 0.001 && abs(x) < 1000 ? sprintf(' %.3g', x) : gprintf(' %.2s%c', "
                  "x)\nplot \\\n");
    for (size_t s = 0; s < n; s++) {
        const FigureSeries *one = &f->series.v[s];
        size_t c = column(f, s);
        double thick = (double)BAR / (double)group, from = ((double)s - (double)n / 2) * thick;
        text_printf(out, "  '%s.csv' skip 1 using ($%zu/%g):($0%+.4f):(0):($%zu/%g):($0%+.4f):($0%+.4f)", f->name, c,
                    scale.by, from + thick / 2, c, scale.by, from, from + thick);
        text_printf(out, " with boxxyerror lc rgb '%s'", colour(one));
        put_key(f, one, out);
        text_put(out, ", \\\n");
        if (figure_ranged(one))
            text_printf(out,
                        "  '' skip 1 using ($%zu/%g):($0%+.4f):($%zu/%g):($%zu/%g) with xerrorbars pt -1 lc rgb '" INK
                        "' notitle, \\\n",
                        c, scale.by, from + thick / 2, c + 1, scale.by, c + 2, scale.by);
        text_printf(
            out,
            "  '' skip 1 using ($%zu/%g):($0%+.4f):(label($%zu/%g)) with labels left font ',11' textcolor rgb '" INK
            "' notitle%s\n",
            figure_ranged(one) ? c + 2 : c, scale.by, from + thick / 2, c, scale.by, s + 1 < n ? ", \\" : "");
    }
}

static size_t dotted(const Figure *f)
{
    size_t n = 0;
    for (size_t s = 0; s < f->series.n; s++) n += !f->series.v[s].beside;
    return MAX(n, 1);
}

// The part of a plot that draws something of a series on its row; at: its place from the middle of the point's group.
static void put_marks(const Figure *f, size_t s, double by, double at, Text *out)
{
    const FigureSeries *one = &f->series.v[s];
    size_t c = column(f, s);
    if (one->beside) {
        size_t dot = column(f, one->beside - 1);
        text_printf(out,
                    "  '%s.csv' skip 1 using ($%zu/%g):($0%+.4f):(($%zu-$%zu)/%g):(0) with vectors nohead lw 1.5 lc "
                    "rgb '%s' notitle, \\\n",
                    f->name, dot, by, at, c, dot, by, colour(&f->series.v[one->beside - 1]));
    }
    text_printf(out, "  '%s.csv' skip 1 using ($%zu/%g):($0%+.4f) with points pt %d ps 0.9 lw 1.5 lc rgb '%s'", f->name,
                c, by, at, one->beside ? 6 : 7, colour(one->beside ? &f->series.v[one->beside - 1] : one));
    put_key(f, one, out);
}

// Two values of one thing, such as ours and a paper's, stand on one row: their distance is what there is to see.
static void dots(const Figure *f, Text *out)
{
    size_t n = dotted(f), group = n * BAR + GAP, row = 0;
    double low = 0;
    Scale scale = scale_of(largest(f));
    for (size_t s = 0; s < f->series.n; s++)
        for (size_t k = 0; k < f->points.n; k++) low = fmin(low, f->series.v[s].values.v[k].y);
    put_head(f, f->points.n * group, out);
    put_down(f, out);
    put_title(out, "xlabel", f->y, scale.word);
    text_printf(out, "set xrange [%.6g:%.6g]\nset grid y lc rgb '" RULE "' lt 1\n", 1.05 * low / scale.by,
                largest(f) > 0 ? 1.05 * largest(f) / scale.by : 1);
    if (isfinite(f->baseline))
        text_printf(out, "set arrow from %.15g, graph 0 to %.15g, graph 1 nohead back lw 1.5 dt 2 lc rgb '" INK "'\n",
                    f->baseline / scale.by, f->baseline / scale.by);
    text_put(out, "plot \\\n");
    for (size_t s = 0; s < f->series.n; s++) {
        if (f->series.v[s].beside) continue;
        double at = ((double)row++ - 0.5 * (double)(n - 1)) * (double)BAR / (double)group;
        text_put(out, row > 1 ? ", \\\n" : "");
        put_marks(f, s, scale.by, at, out);
        for (size_t b = 0; b < f->series.n; b++)
            if (f->series.v[b].beside == s + 1) text_put(out, ", \\\n"), put_marks(f, b, scale.by, at, out);
    }
    text_put(out, "\n");
}

// The largest sum of a point's first n series.
static double largest_sum(const Figure *f, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < f->points.n; k++) {
        double sum = 0;
        for (size_t s = 0; s < n; s++) sum += fmax(f->series.v[s].values.v[k].y, 0);
        most = fmax(most, sum);
    }
    return most;
}

static void put_band(const Figure *f, size_t s, double by, double from, double to, Text *out)
{
    text_printf(out, ", \\\n  '' skip 1 using ($%zu/%g):0:(0):($%zu/%g):($0%+.4f):($0%+.4f)", column(f, s), by,
                column(f, s), by, from, to);
    text_printf(out, " axes x2y1 with boxxyerror lc rgb '%s'", colour(&f->series.v[s]));
    put_key(f, &f->series.v[s], out);
}

static void stack(const Figure *f, Text *out)
{
    const bool band = f->kind == FIGURE_BAND;
    const size_t n = f->series.n - band;
    const double most = largest_sum(f, n), half = 0.5 * STACKED_BAR / (STACKED_BAR + GAP),
                 to = band ? half - 0.3 * half : half;
    Scale scale = isfinite(f->top) ? (Scale){1, ""} : scale_of(most), across = {1, ""};
    put_head(f, f->points.n * (STACKED_BAR + GAP), out);
    put_down(f, out);
    put_title(out, "xlabel", f->y, scale.word);
    text_printf(out, isfinite(f->top) ? "set xrange [0:%.15g]\n" : "set xrange [0:*]\n", f->top);
    thin_ticks("x", f, isfinite(f->top) ? f->top : most / scale.by, out);
    if (band) {
        double widest = 0;
        for (size_t k = 0; k < f->points.n; k++) widest = fmax(widest, f->series.v[n].values.v[k].y);
        across = scale_of(widest);
        put_title(out, "x2label", f->band, across.word);
        text_put(out, "set x2tics\n");
        thin_ticks("x2", f, widest / across.by, out);
        text_printf(out, "set x2range [0:%.6g]\n", widest > 0 ? 1.05 * widest / across.by : 1);
        if (most > 0) text_printf(out, "set xrange [0:%.6g]\n", 1.05 * most / scale.by);
    }
    text_put(out, "plot \\\n");
    Text below = {0};
    text_put(&below, "(0");
    for (size_t s = 0; s < n; s++) {
        size_t c = column(f, s);
        text_printf(out, "  '%s.csv' skip 1 using (%s)/%g):0:(%s)/%g):(%s+$%zu)/%g):($0-%.4f):($0+%.4f)", f->name,
                    below.v, scale.by, below.v, scale.by, below.v, c, scale.by, half, to);
        text_printf(out, " with boxxyerror lc rgb '%s'", colour(&f->series.v[s]));
        put_key(f, &f->series.v[s], out);
        text_put(out, s + 1 < n ? ", \\\n" : "");
        text_printf(&below, "+$%zu", c);
    }
    if (band) put_band(f, n, across.by, to, half + 0.3 * half, out);
    text_put(out, "\n");
    text_free(&below);
}

// Writes ticks at the points that have names, as many as there is room for.
static void name_ticks(const Figure *f, Text *out)
{
    size_t step = (f->points.n + TICKS - 1) / TICKS, put = 0;
    for (size_t k = 0; k < f->points.n; k++)
        if (!f->points.v[k].name) return;
    Arena arena = {0};
    char **names = shown_names(f, true, 12, TICK, &arena);
    text_put(out, "set xtics (");
    for (size_t k = 0; k < f->points.n; k += step) {
        if (put++) text_put(out, ", ");
        put_quoted(out, names[k], 12, TICK);
        text_printf(out, " %.15g", f->points.v[k].x);
    }
    text_put(out, ")\n");
    arena_free(&arena);
}

static void lines(const Figure *f, Text *out)
{
    bool time = f->kind == FIGURE_SERIES;
    size_t n = f->points.n;
    double first = n ? f->points.v[0].x : 0, last = n ? f->points.v[n - 1].x : 0;
    Scale across = time ? scale_of(last) : (Scale){1, ""}, up = scale_of(largest(f));
    put_head(f, LINES, out);
    put_title(out, "xlabel", f->x, across.word);
    put_title(out, "ylabel", f->y, up.word);
    text_put(out, "set grid y lc rgb '" RULE "' lt 1\n");
    text_printf(out, isfinite(f->top) ? "set yrange [0:%.15g]\n" : "set yrange [0:*]\n", f->top / up.by);
    if (isfinite(f->baseline))
        text_printf(out,
                    "set arrow from graph 0, first %.15g to graph 1, first %.15g nohead back lw 1.5 dt 2 lc rgb '" INK
                    "'\n",
                    f->baseline / up.by, f->baseline / up.by);
    if (!time && !f->linear && first > 0 && last / first >= 8)
        text_printf(out, "set logscale x 2\nset xrange [%.15g:%.15g]\n", first / 1.15, last * 1.15);
    else if (!time && n > 1)
        text_printf(out, "set xrange [%.15g:%.15g]\n", first - 0.04 * (last - first), last + 0.04 * (last - first));
    if (!time) name_ticks(f, out);
    text_put(out, "plot \\\n");
    for (size_t s = 0; s < f->series.n; s++) {
        const FigureSeries *one = &f->series.v[s];
        size_t c = column(f, s);
        text_printf(out, "  '%s.csv' skip 1 using ($1/%g):($%zu/%g)", f->name, across.by, c, up.by);
        if (figure_ranged(one))
            text_printf(out, ":($%zu/%g):($%zu/%g) with yerrorlines", c + 1, up.by, c + 2, up.by);
        else
            text_put(out, time ? " with lines" : one->apart ? " with points" : " with linespoints");
        text_printf(out, " lc rgb '%s' lw %s", colour(one), time ? "1.5" : "2");
        if (!time) text_printf(out, " pt %d ps 0.6", shape[s % COUNT(shape)]);
        put_key(f, one, out);
        text_put(out, s + 1 < f->series.n ? ", \\\n" : "\n");
    }
}

// Fields have their values written in them, unless they are many: then a scale of colours stands beside them.
static void heat(const Figure *f, Text *out)
{
    double low = INFINITY, high = largest(f);
    for (size_t s = 0; s < f->series.n; s++)
        for (size_t k = 0; k < f->points.n; k++)
            if (f->series.v[s].values.v[k].y < low) low = f->series.v[s].values.v[k].y;
    if (!(high > low)) low = 0, high = MAX(high, 1);
    bool dense = f->series.n > WRITTEN_FIELDS;
    put_head(f, f->points.n * (dense ? SMALL_FIELD : FIELD), out);
    text_printf(out, "unset border\n%s", dense ? "" : "unset colorbox\n");
    put_ticks("x", f, false, dense ? 8 : 1, out);
    put_ticks("y", f, true, dense ? 4 : 1, out);
    put_title(out, "xlabel", f->of, "");
    put_title(out, "ylabel", f->x, "");
    text_printf(out, "set xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\nset cbrange [%.15g:%.15g]\n", f->series.n - 1,
                f->points.n - 1, low, high);
    // viridis: its steps look even, also in grey and to colour-blind readers. Text on it is light or dark.
    text_put(out, "set palette defined (0 '#440154', 0.25 '#3b528b', 0.5 '#21918c', 0.75 '#5ec962', 1 '#fde725')\n");
    text_printf(out, "middle = %.15g\n", (low + high) / 2);
    text_printf(out, "plot '%s.csv' skip 1 matrix every ::1 using ($1-1):2:3 with image pixels", f->name);
    text_put(out, dense ? "\n" : ", \\\n");
    if (dense) return;
    text_put(out, "  '' skip 1 matrix every ::1 using ($1-1):2:($3 < middle ? sprintf('%.3g', $3) : '') with labels "
                  "textcolor rgb '#fefefe', \\\n");
    text_put(out, "  '' skip 1 matrix every ::1 using ($1-1):2:($3 >= middle ? sprintf('%.3g', $3) : '') with labels "
                  "textcolor rgb '#010101'\n");
}

void figure_script(const Figure *f, Text *out)
{
    switch (f->kind) {
    case FIGURE_BARS: bars(f, out); break;
    case FIGURE_STACK:
    case FIGURE_BAND: stack(f, out); break;
    case FIGURE_DOTS: dots(f, out); break;
    case FIGURE_HEAT: heat(f, out); break;
    case FIGURE_CURVE:
    case FIGURE_SERIES: lines(f, out); break;
    case FIGURE_MEMORY:
    case FIGURE_ROOF:
    case FIGURE_TENSOR:
    case FIGURE_MATCH: break;
    }
}

// --- gnuplot ---------------------------------------------------------------------------------------------------------
static bool write_file(const char *folder, const char *name, const char *ending, const Text *text, Diag *diag)
{
    Text path = {0};
    text_printf(&path, "%s/%s%s", folder, name, ending);
    bool ok = text_write_file(text, path.v) ||
              diag_error(diag, "can't write %s: %s\nhint: --plot takes a folder in which files may be made", path.v,
                         strerror(errno));
    text_free(&path);
    return ok;
}

// Runs gnuplot in folder, without the user's own settings. said gets what gnuplot prints.
static bool run_gnuplot(const char *folder, const char *script, Text *said, Diag *diag)
{
    const char *const words[] = {"gnuplot", "-d", script, NULL};
    int status = 0;
    bool ran = program_run(words, folder, said, &status);
    if (!ran && errno == ENOENT)
        return diag_error(diag, "gnuplot isn't installed, and figures are drawn by it\nhint: install it (gnuplot-nox "
                                "on Debian), or ask for the page without figures: --no-figures");
    if (!ran) return diag_error(diag, "can't run gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return true;
    text_put(said, "");
    return diag_error(diag, "gnuplot can't draw %s: %s\nhint: versions from 5.2 on can", script, said->v);
}

bool figure_plotted(const Figure *f) { return f->kind < FIGURE_MEMORY; }

// --- SVG in a page ---------------------------------------------------------------------------------------------------
void figure_palette(Text *out)
{
    text_put(out, "--ink:" INK ";--rule:" RULE ";--paper:" PAPER ";--back:#fafafa;");
    for (size_t k = 0; k < COUNT(palette); k++) text_printf(out, "--s%zu:%s;", k, palette[k]);
}

void figure_palette_dark(Text *out)
{
    text_put(out, "--ink:#e6e6e6;--rule:#444444;--paper:#1e1e1e;--back:#151515;--s0:#6c9bd1;--s2:#4fae58;--s4:#cf6fbb;"
                  "--s8:#c4567f;--s9:#b3b34d;--s10:#8f8f8f;--s11:#b5b5b5;");
}

// Turns a colour, which gnuplot writes "rgb( 68, 119, 170)" with or without the blanks, into the page's variable.
// Returns how many bytes were read; 0: the page has no such colour.
static size_t page_colour(const char *at, Text *out)
{
    unsigned r, g, b;
    int n = 0;
    if (sscanf(at, "rgb(%u,%u,%u)%n", &r, &g, &b, &n) != 3 || !n) return 0;
    char hex[8];
    snprintf(hex, sizeof hex, "#%02x%02x%02x", r & 255, g & 255, b & 255);
    if (!strcmp(hex, INK)) return text_put(out, "var(--ink)"), (size_t)n;
    if (!strcmp(hex, RULE)) return text_put(out, "var(--rule)"), (size_t)n;
    if (!strcmp(hex, PAPER)) return text_put(out, "var(--paper)"), (size_t)n;
    for (size_t k = 0; k < COUNT(palette); k++)
        if (!strcmp(hex, palette[k])) return text_printf(out, "var(--s%zu)", k), (size_t)n;
    return 0;
}

static bool begins(const char *at, const char *with) { return !strncmp(at, with, strlen(with)); }

// Returns what is behind the element that begins at `at` and ends with close.
static const char *past(const char *at, const char *close)
{
    const char *end = strstr(at, close);
    return end ? end + strlen(close) : at + strlen(at);
}

// Skips a group with nothing in it: gnuplot leaves one for each change of its pen.
static const char *past_empty_group(const char *at)
{
    const char *end = strchr(at, '>');
    if (!begins(at, "<g fill=\"none\"") || !end) return at;
    end += 1 + strspn(end + 1, " \t\n");
    if (!begins(end, "</g>")) return at;
    end += 4;
    return end + strspn(end, " \t\n");
}

// Copies the text between two tags as it is.
static const char *past_text(const char *p, Text *out)
{
    size_t n = strcspn(p, "<");
    text_add(out, p, n);
    return p + n;
}

// alone: it defines its colours, and has a size of its own.
static void put_svg(const Figure *f, const char *svg, bool alone, Text *out)
{
    static const char *const refers[] = {"id='", "id=\"", "xlink:href='#", "xlink:href=\"#", "url(#"};
    const char *start = strstr(svg, "<g id=\"gnuplot_canvas\""), *box = strstr(svg, "viewBox=\"");
    if (!start || !box || box > start) return;
    Text size = {0};
    text_add(&size, box + 9, strcspn(box + 9, "\""));
    html_put(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\" "
             "aria-label=\"%s\" viewBox=\"%s\"",
             f->title, size.v);
    unsigned wide = 0, high = 0;
    if (alone && sscanf(size.v, "0 0 %u %u", &wide, &high) == 2)
        text_printf(out, " width=\"%u\" height=\"%u\"", wide, high);
    html_put(out, ">\n<title>%s</title>\n", f->title);
    if (alone) svg_style(out);
    text_free(&size);
    for (const char *p = start; *p;) {
        const char *next = p;
        if (begins(p, "<title>"))
            next = past(p, "</title>");
        else if (begins(p, "<defs>") && f->kind != FIGURE_CURVE && f->kind != FIGURE_DOTS)
            next = past(p, "</defs>");  // the shapes of points
        else if (begins(p, "<filter"))
            next = past(p, "</filter>");
        else if (begins(p, "<rect x=\"0\" y=\"0\""))
            next = past(p, "/>");  // the background
        else if (begins(p, "<g "))
            next = past_empty_group(p);
        else if (*p == 'r')
            next = p + page_colour(p, out);
        else if (begins(p, "black\""))
            text_put(out, "var(--ink)"), next = p + 5;
        else if (*p == '>')
            text_add(out, p, 1), next = past_text(p + 1, out);
        if (next != p) {
            p = next;
            continue;
        }
        size_t k = 0;
        while (k < COUNT(refers) && (alone || !begins(p, refers[k]))) k++;
        if (k < COUNT(refers))
            text_printf(out, "%s%s-", refers[k], f->name), p += strlen(refers[k]);
        else
            text_add(out, p++, 1);
    }
}

void figure_inline(const Figure *f, const char *svg, Text *out)
{
    if (figure_plotted(f))
        put_svg(f, svg, false, out);
    else
        text_put(out, svg);
}

// Draws a figure without gnuplot. folder null: only its text is wanted.
static bool draw_ours(const Figure *f, const char *folder, Text *svg, Diag *diag)
{
    Text csv = {0}, file = {0};
    bool ok = true;
    if (folder) {
        figure_csv(f, &csv), figure_svg(f, true, &file);
        ok = write_file(folder, f->name, ".csv", &csv, diag) && write_file(folder, f->name, ".svg", &file, diag);
    }
    if (svg) figure_svg(f, false, svg);
    text_free(&csv), text_free(&file);
    return ok;
}

// kept: the files stay. Then the picture gets colours for light and for dark.
static bool draw(const Figure *f, const char *folder, bool kept, Text *svg, Diag *diag)
{
    Text csv = {0}, script = {0}, said = {0}, path = {0};
    figure_csv(f, &csv);
    figure_script(f, &script);
    bool ok = write_file(folder, f->name, ".csv", &csv, diag) && write_file(folder, f->name, ".gp", &script, diag);
    if (ok && svg) {
        text_printf(&path, "%s.gp", f->name);
        ok = run_gnuplot(folder, path.v, &said, diag);
        path.n = 0;
        text_printf(&path, "%s/%s.svg", folder, f->name);
        if (ok && !text_read_file(svg, path.v))
            ok = diag_error(diag, "gnuplot left no %s: %s", path.v, strerror(errno));
        if (ok && kept) {
            Text alone = {0};
            put_svg(f, svg->v, true, &alone);
            ok = write_file(folder, f->name, ".svg", &alone, diag);
            text_free(&alone);
        }
    }
    text_free(&csv), text_free(&script), text_free(&said), text_free(&path);
    return ok;
}

void figure_svg(const Figure *f, bool alone, Text *out)
{
    Text body = {0};
    double height = f->kind == FIGURE_MEMORY  ? draw_memory(f, &body)
                    : f->kind == FIGURE_MATCH ? draw_match(f, &body)
                                              : draw_roof(f, &body);
    svg_open(f, height, alone, out);
    text_put(out, body.v);
    text_put(out, "</svg>\n");
    text_free(&body);
}

bool figure_draw(const Figure *f, const char *folder, Text *svg, Diag *diag)
{
    if (folder) {
        if (mkdir(folder, 0777) && errno != EEXIST)
            return diag_error(diag, "can't make the folder %s: %s", folder, strerror(errno));
        return figure_plotted(f) ? draw(f, folder, true, svg, diag) : draw_ours(f, folder, svg, diag);
    }
    if (!figure_plotted(f)) return draw_ours(f, NULL, svg, diag);
    static const char *const endings[] = {"csv", "gp", "svg"};
    Text made = {0}, path = {0};
    bool ok = folder_for_a_while(&made, diag);
    if (ok) {
        ok = draw(f, made.v, false, svg, diag);
        for (size_t k = 0; k < COUNT(endings); k++) {
            path.n = 0;
            text_printf(&path, "%s/%s.%s", made.v, f->name, endings[k]);
            unlink(path.v);
        }
        rmdir(made.v);
    }
    text_free(&made), text_free(&path);
    return ok;
}
