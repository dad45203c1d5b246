// reproduce.h: figures and tables of papers, with onchip's numbers ("ours") beside the paper's ("theirs").
#ifndef REPRODUCE_H
#define REPRODUCE_H

#include "figure/figure.h"
#include "sweep/sweep.h"

// --- reproduce.gen.c: reproduce/*/*.ini and *.tsv --------------------------------------------------------------------
typedef struct ReproduceFile {
    const char *name, *text;  // "sl1/fig1"
    size_t size;
} ReproduceFile;
extern const ReproduceFile reproduce_files[];
extern const size_t reproduce_file_count;

// --- reproduce.c: the numbers of a figure or table -------------------------------------------------------------------
// A reproduction is an INI file, reproduce/<paper>/<figure>.ini. doc/reference/reproduce.md describes its sections.
typedef struct Point {
    char *x, *series;     // where the point is in the figure; series may be empty
    double ours, theirs;  // NaN: none
    double tolerance;     // how far ours may be from theirs, in the unit of y
    bool single;          // a row of [values]; x is its name
    bool summary;         // of a series, such as its mean; x says which
} Point;
typedef struct MeasuredRow {  // of a table of measured times
    const char *class, *program;
    double us;
} MeasuredRow;
typedef struct Reproduction {
    Ini ini;
    Matrix matrix;
    // Keys of [figure]; null: not given.
    const char *title, *from, *x, *series, *y, *unit, *where, *axis, *baseline, *best, *note;
    FigureKind kind;        // bars where the file doesn't say
    bool several;           // a section [series] has a formula for each series
    bool absent;            // the file has other sizes, but not the one asked for, so that there is nothing to run
    VEC(Point) points;      // series by series, each in the order of the matrix
    size_t missing;         // runs that the store lacks or has as failed
    Store *store;           // from which points are taken
    Arena arena;            // of the next two
    const char *gpu;        // a table of measured times: of which card they are; null: it is no such table
    VEC(MeasuredRow) rows;  // its times, in the order of the matrix's cells
    const IniEntry *based;  // a formula that uses base.NAME: `best` if it does, else the first one; null: none does
} Reproduction;
// Reads a reproduction. size is one of reproduce_sizes. It chooses the sections [small …], [medium …] or [paper …] for
// the matrix; a file without such sections has [matrix …]. A file with a section [data] has an empty matrix: the rows
// of [data] stand for runs. The key `runs` names a figure that has the matrix: of the files that are built in, where
// name is one of theirs, or beside the file that name is the path of.
extern const char *const reproduce_sizes[3];
bool reproduce_open(Reproduction *r, const char *name, const char *text, size_t length, const char *size, Diag *diag);
bool reproduce_fill(Reproduction *r, Store *store, Diag *diag);  // computes the points, after the matrix was swept
void reproduce_free(Reproduction *r);

// --- measured.c: times of a real GPU ---------------------------------------------------------------------------------
// From points that onchip reproduce measured --csv printed: how many times of a class a card has, and what 90 % of
// |simulated / measured − 1| are within; 0 without any. False: there are none of the card at all.
bool measured_within(const Source *csv, const char *gpu, const char *class, size_t *times, double *within);
// A line for each class, and one for all, behind a line of heads.
void measured_summary(const Reproduction *r, bool markdown, bool head, Text *out);
// Opens a picture of simulated times over measured ones, and adds a card's times to it: a colour for each class, a mark
// for each card. Points that lack a time aren't drawn.
void measured_figure_open(Figure *f);
void measured_figure(const Reproduction *r, Figure *f);

// --- points.c: points that were computed before ----------------------------------------------------------------------
// Takes the points from what `onchip reproduce --csv` printed, in the place of reproduce_fill. Nothing is run.
bool reproduce_read(Reproduction *r, const Source *csv, Diag *diag);

// --- distance.c: how far ours is from theirs -------------------------------------------------------------------------
typedef struct CellError {  // over the points for which the paper has a value, without summaries
    size_t cells;
    double mean, rms;      // of ours − theirs, in the unit of y
    double unmoved;        // the rms that 1 everywhere would have
    const Point *largest;  // where ours is farthest from theirs; null: there are no cells
} CellError;
CellError reproduce_error(const Reproduction *r);
// Whether ours is within the tolerance of theirs; of measured times, within a factor of 1.5.
bool reproduce_within(const Reproduction *r, const Point *p);

// --- markdown.c: markdown --------------------------------------------------------------------------------------------
// Prints the figure as a table, with its error over all cells. only: the places on the x axis that are shown, separated
// by commas; null: all.
void reproduce_table(const Reproduction *r, const char *only, Text *out);
// Prints the figure's errors as a row of a table, which begins with the first figure.
void reproduce_error_row(const Reproduction *r, const char *name, bool first, Text *out);

// --- draw.c: a reproduction as a figure ------------------------------------------------------------------------------
void reproduce_figure(const Reproduction *r, Figure *f);  // opens f with our points, and theirs where there are any

#endif
