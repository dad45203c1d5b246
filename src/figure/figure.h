// figure.h: figures. A figure is a table of numbers, which gnuplot draws. A report is a page of figures and tables
// about the runs of a store; another page has two versions of a program side by side.
#ifndef FIGURE_H
#define FIGURE_H

#include "compare/compare.h"
#include "device/device.h"

// --- figure.c: a figure as numbers -----------------------------------------------------------------------------------
typedef enum FigureKind {
    FIGURE_BARS,    // a group of bars for each point, with a bar for each series
    FIGURE_CURVE,   // a line for each series; its points are at numbers
    FIGURE_HEAT,    // a coloured field for each point (down) and series (across)
    FIGURE_SERIES,  // a line for each series over time, with many points
    FIGURE_STACK,   // a bar for each point, made of a part for each series
    FIGURE_DOTS,    // a row for each point and series: a dot, and a ring for the series beside it, with a line between
    FIGURE_BAND,    // the same, but the last series is a thin band below each bar, on an axis of its own
    FIGURE_MEMORY,  // the memory chart, drawn by chart.c; the points and series are what it lists
    FIGURE_ROOF,    // the roofline, drawn by chart.c, too
    FIGURE_TENSOR,  // and that of products of matrices
    FIGURE_MATCH,   // a mark for each point, drawn by match.c: the other series over the first
} FigureKind;
typedef struct FigureValue {
    double y, low, high;  // the value, and the range it lies in; NAN: none
} FigureValue;
typedef struct FigurePoint {
    const char *name;  // may be null where x is a number
    double x;          // NAN: the point has only a name
} FigurePoint;
typedef struct FigureSeries {
    const char *name;
    uint32_t colour;          // its place in the palette
    bool apart;               // no line joins the points (of a curve)
    uint32_t mark;            // of FIGURE_MATCH: which shape its marks have
    uint32_t beside;          // of FIGURE_DOTS: 1 + the series whose rows its rings stand on; 0: it has dots
    VEC(FigureValue) values;  // one for each point
} FigureSeries;
typedef struct Figure {
    Arena arena;  // has all texts
    FigureKind kind;
    const char *name;  // of the figure's files: lower-case letters, digits, hyphens
    const char *title, *note;
    const char *x, *y, *of;  // what points, values and series are, with units
    const char *band;        // what the last series of a FIGURE_BAND is, with its unit
    bool linear;             // the axis of points is never logarithmic (of a curve)
    double baseline;         // a line is drawn at this value; NAN: none
    double top;              // the axis of values ends there; NAN: where gnuplot ends it
    VEC(FigurePoint) points;
    VEC(FigureSeries) series;
} Figure;
void figure_open(Figure *f, FigureKind kind, const char *name, const char *title);
void figure_free(Figure *f);
void figure_axes(Figure *f, const char *x, const char *y, const char *of);
void figure_note(Figure *f, const char *note);
size_t figure_series(Figure *f, const char *name);  // adds a series and returns its place
// Both set a series' value at a point, and make the point if there is none. The caller may set low and high in what is
// returned, until the next call. A figure's points are either all names or all numbers.
FigureValue *figure_text(Figure *f, size_t series, const char *name, double y);
// name: of the tick on the axis; may be null.
FigureValue *figure_number(Figure *f, size_t series, double x, const char *name, double y);

// --- plot.c: figures drawn by gnuplot --------------------------------------------------------------------------------
// Writes NAME.csv and NAME.gp into folder, which is made if it is missing. If svg isn't null, runs gnuplot there, which
// makes NAME.svg; svg gets its text. folder null: a folder that is removed before the call returns.
bool figure_draw(const Figure *f, const char *folder, Text *svg, Diag *diag);

// Draws one that gnuplot doesn't draw; alone: as a file, which has the colours itself.
void figure_svg(const Figure *f, bool alone, Text *out);

// --- lanes.c: where a warp's lanes access memory ---------------------------------------------------------------------
// A picture of these accesses, one below the other; left: so many more are only counted.
void figure_lanes(const LaneAccess *all, size_t n, uint64_t left, Text *out);

// --- made.c: a page that another part fills, from its top to its end -------------------------------------------------
typedef struct Page Page;
Page *page_open(const char *title, const char *note, bool figures, Diag *diag);  // figures: they are drawn
void page_heading(Page *p, const char *text);
void page_answer(Page *p, const char *text);  // what the reader came for
void page_text(Page *p, const char *text);
void page_note(Page *p, const char *text);
void page_lines(Page *p, const char *text);  // as they are: a command, or a part of a source
// Columns whose names begin with # have numbers. A row has page_row, a cell for each column, and page_row_end.
void page_table(Page *p, const char *caption, const char *const *columns, size_t count);
void page_row(Page *p);
void page_cell(Page *p, const char *text);
void page_number(Page *p, const char *format, double value);  // format: of a double; NAN: there is none
void page_row_end(Page *p);
void page_table_end(Page *p);
bool page_figure(Page *p, Figure *f);  // puts the figure there, unless it has no values, and frees it
void page_close(Page *p, Text *out);   // out gets the page; null: it is dropped

// --- report.c: a page over a store -----------------------------------------------------------------------------------
typedef struct ReportOptions {
    const char *programs, *gpus;  // names between commas; null: all
    const char *baseline;         // as in group_open
    const TextList *keys;         // as in RunsWanted
    const char *folder;           // gets the figures' files; null: these aren't kept
    bool no_figures;
    // Adds how sure a kernel's time is, in words: by its counters, its shares of the peaks and its GPU's name.
    void (*sure)(const uint64_t *count, const double *peak, const char *gpu, Text *out);
} ReportOptions;
typedef struct ReportCount {  // how much a page has
    uint64_t runs, figures;
} ReportCount;
// Writes the report as one HTML page. False, with the reason, when there is nothing to report, gnuplot is missing, or
// the store or a file fails.
bool report_page(Store *s, const ReportOptions *options, ReportCount *made, Text *html, Diag *diag);

// --- compared.c: a page over two versions ----------------------------------------------------------------------------
void compare_page(const Changes *c, const Gate *g, const GateFailures *failures, Text *html);

#endif
