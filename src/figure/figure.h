// figure.h: figures as numbers, drawn by gnuplot, and a page of them over a store.
#ifndef FIGURE_H
#define FIGURE_H

#include "store/query.h"

// --- figure.c: a figure as numbers -----------------------------------------------------------------------------------
typedef enum FigureKind {
    FIGURE_BARS,    // for each point a group of bars, one a series
    FIGURE_CURVE,   // lines through points at numbers
    FIGURE_HEAT,    // a field for each point (down) and series (across)
    FIGURE_SERIES,  // lines over time, many points
    FIGURE_STACK,   // for each point one bar, of the series' parts
} FigureKind;
typedef struct FigureValue {
    double y, low, high;  // NAN: none
} FigureValue;
typedef struct FigurePoint {
    const char *name;  // may be null where x is a number
    double x;          // NAN: only named
} FigurePoint;
typedef struct FigureSeries {
    const char *name;
    uint32_t colour;          // of the palette
    bool apart;               // of a curve: points that no line joins
    VEC(FigureValue) values;  // one for each point
} FigureSeries;
typedef struct Figure {
    Arena arena;  // of all texts
    FigureKind kind;
    const char *name;  // of its files: lower-case letters, digits, hyphens
    const char *title, *note;
    const char *x, *y, *of;  // what points, values and series are, with units
    bool linear;             // of a curve: the axis of points isn't logarithmic, however far they reach
    double baseline, top;    // a line at this value; where the axis of values ends; NAN: none
    VEC(FigurePoint) points;
    VEC(FigureSeries) series;
} Figure;
void figure_open(Figure *f, FigureKind kind, const char *name, const char *title);
void figure_free(Figure *f);
void figure_axes(Figure *f, const char *x, const char *y, const char *of);
void figure_note(Figure *f, const char *note);
size_t figure_series(Figure *f, const char *name);  // its place
// Sets the series' value at a point, which is made where it lacks; a range may be set in what is returned, until the
// next call. A figure's points are all names or all numbers.
FigureValue *figure_text(Figure *f, size_t series, const char *name, double y);
FigureValue *figure_number(Figure *f, size_t series, double x, const char *name,
                           double y);  // name: of the axis' tick; may be null
// Adds the geometric mean of the points at which every series has a positive value, as a last point. Returns their
// number.
size_t figure_means(Figure *f);
bool figure_ranged(const FigureSeries *s);    // has a low or high
void figure_csv(const Figure *f, Text *out);  // RFC 4180

// --- plot.c: figures drawn by gnuplot --------------------------------------------------------------------------------
void figure_script(const Figure *f, Text *out);  // makes NAME.svg of NAME.csv in the folder it is run in
// Writes NAME.csv and NAME.gp into folder, which is made if need be, and, if svg isn't null, runs gnuplot there, which
// makes NAME.svg, and gives that too. A null folder is one for the time of the call.
bool figure_draw(const Figure *f, const char *folder, Text *svg, Diag *diag);

// --- report.c: a page over a store -----------------------------------------------------------------------------------
typedef struct ReportOptions {
    const char *programs, *gpus;  // names between commas; null: all
    const char *baseline;         // as group_open
    const TextList *keys;         // as runs_read
    const char *folder;           // for the figures' files; null: none
    bool no_figures;
} ReportOptions;
typedef struct ReportCount {  // of what a page has
    uint64_t runs, figures;
} ReportCount;
// The report as one HTML page. False, with the reason: nothing to report, gnuplot lacks, the store or a file fails.
bool report_page(Store *s, const ReportOptions *options, ReportCount *made, Text *html, Diag *diag);

#endif
