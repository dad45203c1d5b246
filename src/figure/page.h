// page.h: the parts of a report, which only this folder's files use: HTML, settings that differ between runs, charts.
#ifndef FIGURE_PAGE_H
#define FIGURE_PAGE_H

#include "figure/unit.h"

// --- page.gen.c: the files of page/ ----------------------------------------------------------------------------------
typedef struct PageFile {
    const char *name, *text;  // name: "style", "script"
    size_t size;
} PageFile;
extern const PageFile page_files[];
extern const size_t page_file_count;

// --- html.c: a page --------------------------------------------------------------------------------------------------
// Adds format to the page. Each %s in it stands for a text, which is escaped, and each %r for HTML, which isn't.
// Nothing else is special. The page is well-formed XML, too.
void html_put(Text *out, const char *format, ...);
void html_open(Text *out, const char *title);
void html_close(Text *out);
// A table stands in a box that scrolls sideways. Where scripts run, it has buttons, and a column can be sorted. Columns
// whose names begin with # have numbers. html_cell adds a text, html_number a number; sorting and copying use value.
void html_table(Text *out, const char *id, const char *caption, const char *const *columns, size_t count);
void html_row(Text *out);
void html_cell(Text *out, const char *text);
void html_number(Text *out, const char *text, double value);
void html_count(Text *out, uint64_t value);
void html_percent(Text *out, double share);
void html_table_end(Text *out);

// --- plot.c: a figure in a page --------------------------------------------------------------------------------------
// Adds the SVG as part of a page. It loses its own size. Its names become unique by the figure's name. Its colours
// become variables of the page: --ink, --rule, --paper, --back and --s0, --s1, ….
void figure_inline(const Figure *f, const char *svg, Text *out);
// The palette's first colours are of what is compared; behind them, parts of a whole have theirs: issue slots by what
// became of them, bytes by where they were moved, accesses by what became of them.
enum {
    PART_COLOURS = 12,
    COLOUR_ASKED = PART_COLOURS + 12,
    COLOUR_L2,
    COLOUR_DRAM,
    COLOUR_HITS,
    COLOUR_FIRST,
    COLOUR_CAPACITY,
    COLOUR_CONFLICT,
    COLOUR_DROPPED,
    COLOUR_MISSES,
    COLOURS
};
void figure_palette(Text *out);       // defines the colours for the light page: "--s0:#4477aa;…"
void figure_palette_dark(Text *out);  // and those of them that are others in the dark

// --- swept.c: what differs between runs ------------------------------------------------------------------------------
// A setting that has several values in a group of runs. Settings that only change together count as one ("nx, ny"). A
// run that doesn't name the setting leaves it as described.
typedef struct Swept {
    const char *name;
    VEC(const char *) values;  // first "" (as described), then numbers by size, then texts as they were given
    VEC(double) numbers;       // the number of each value; NAN: it is none
    uint32_t base;             // the place of the value that others are compared with
    bool numeric;              // all values but "" are numbers
} Swept;
typedef struct RunGroup {
    Arena arena;
    VEC(const StoredRun *) runs;  // ordered by their values of the first setting, then of the second, …
    VEC(Swept) swept;
    VEC(uint32_t) at;  // run by run, the place of its value of each swept setting
    size_t base;       // the run that others are compared with: the one with the most base values
    bool clocks;       // the runs' clocks differ, so that times can be compared, but not cycles
} RunGroup;
// Groups the runs that are done. params: their parameters count as settings, too. baseline: base values,
// "l1.size=16KiB,…"; may be null. A setting that it doesn't name has as its base the value that the description has, or
// else the one that was given first.
void group_open(RunGroup *g, const StoredRun *const *runs, size_t count, bool params, const char *baseline);
void group_free(RunGroup *g);
uint32_t group_at(const RunGroup *g, size_t run, size_t swept);
size_t group_bases(const RunGroup *g, size_t run);  // how many swept settings have their base value in the run
// The run's values of the swept settings, "8KiB, gto". except: a setting to leave out; SIZE_MAX: none.
const char *group_label(RunGroup *g, size_t run, size_t except);
const char *group_value(RunGroup *g, size_t swept, uint32_t value);  // as the page shows it: a size in KiB
const char *group_names(RunGroup *g, size_t except);  // the names of these settings, "l1.size, sched.policy"
// Whether two runs have the same values of all swept settings but except and also (SIZE_MAX: none).
bool group_near(const RunGroup *g, size_t run, size_t base, size_t except, size_t also);
bool group_varies(const RunGroup *g, const char *name);  // whether the setting is a swept one

// --- charts.c: figures of a report -----------------------------------------------------------------------------------
typedef struct Report {  // a report while it is written
    const ReportOptions *options;
    Text *out;
    Diag *diag;
    Map names, titles;  // of the figures so far
    Map colours;        // of what series stand for: a name has one colour on a page
    int64_t coloured;   // how many names that are
    uint64_t figures;   // how many these are
    bool alone;         // the page is of a single run
} Report;
enum { MOST_BARS = 24, MOST_LINES = 8, MOST_SERIES = 6, MOST_FIELDS = 12 };
enum { MOST_TOLD = 12 };         // kernels of a program; the table has all of them
enum { LONGEST_IN_TITLE = 36 };  // of a kernel's name, behind which stands what the figure shows
void chart_open(Figure *f, FigureKind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Puts the figure into the page, unless it has no values, and frees it. False: it can't be drawn.
bool chart_put(Report *r, Figure *f);
// A bar of a stack, with the counters it is made of: a run, or one of its kernels.
typedef struct Bar {
    const char *name;
    const uint64_t *count;
} Bar;
typedef VEC(Bar) Bars;
bool chart_issue_slots(Report *r, const char *program, const char *what, const Bars *bars);
bool chart_bytes(Report *r, const char *program, const char *what, const Bars *bars);
// What became of the accesses of each array, and with --why of its loads.
bool chart_arrays(Report *r, const StoredRun *run, const char *program, const char *label);
// Curves over time under a heading, if runs have samples; program may be empty.
bool curves_over_time(Report *r, RunGroup *g, const char *program);
double l1_percent(const uint64_t *count);                      // NAN: there were no accesses
uint64_t run_misses(const StoredRun *run, const char *array);  // look-ups in the L1, of all kernels
double run_time(const RunGroup *g, const StoredRun *r);
const char *time_word(const RunGroup *g);
size_t group_fastest(const RunGroup *g);      // the place of the run that takes the least time
bool charts_program(Report *r, RunGroup *g);  // adds those over one program's runs; false: one can't be drawn

// --- svg.c: pieces of a picture that gnuplot doesn't draw ------------------------------------------------------------
enum { SVG_WIDTH = 420 };
typedef enum SvgAnchor { SVG_START, SVG_MIDDLE, SVG_END } SvgAnchor;
void svg_open(const Figure *f, double height, bool alone, Text *out);
void svg_style(Text *out);  // of a picture alone: its colours, light and dark as the reader's system is
double svg_title(Text *out, const char *title);  // in up to three lines; returns the height that they take
void svg_text(Text *out, double x, double y, double size, SvgAnchor anchor, const char *text);
void svg_line(Text *out, double x, double y, double to_x, double to_y, const char *stroke, const char *more);
void svg_short(Text *out, const char *name, size_t most);  // the beginning of a name: so many letters at most
const char *svg_colour(uint32_t colour, char out[32]);

// --- match.c: times beside measured ones -----------------------------------------------------------------------------
double draw_match(const Figure *f, Text *out);  // the body of the picture; returns its height

// --- chart.c: the memory chart and the roofline ----------------------------------------------------------------------
double draw_memory(const Figure *f, Text *out);  // the bodies of the pictures; both return the height
double draw_roof(const Figure *f, Text *out);
// Each adds its figure of a run. False: it can't be drawn.
bool chart_memory(Report *r, const StoredRun *run, const char *program, const char *label);
bool chart_roof(Report *r, const StoredRun *run, const char *program, const char *label);
bool chart_tensor_roof(Report *r, const StoredRun *run, const char *program, const char *label);

// --- source.c: the source of a kernel, with what each line did -------------------------------------------------------
void source_table(Report *r, const RunKernel *k, const char *label, const char *id, bool open);

// --- single.c: a program that has a single run -----------------------------------------------------------------------
void single_order(StoredRun *run);  // puts the slowest of its kernels first
// Adds the kernels, in words and figures. number: the program's. False: one can't be drawn.
bool single_kernels(Report *r, const RunGroup *g, size_t number);
StoredRun run_of_kernel(const StoredRun *run, size_t at);  // a copy that has this kernel alone; it owns nothing

// --- overview.c: what the runs say over all programs -----------------------------------------------------------------
// Says which settings are fastest, and adds the figures over all programs where there are several.
bool overview(Report *r, const StoredRun *const *runs, size_t count, bool several);

#endif
