// reproduce.h: figures and tables of papers, ours beside theirs.
#ifndef REPRODUCE_H
#define REPRODUCE_H

#include "figure/figure.h"
#include "sweep/sweep.h"

// --- reproduce.c: a figure or table of a paper, ours beside theirs ---------------------------------------------------
// A reproduction is an INI file, reproduce/<paper>/<figure>.ini; doc/reproduce.md describes its sections.
typedef struct ReproduceFile {
    const char *name, *text;  // "sl1/fig1"
    size_t size;
} ReproduceFile;
extern const ReproduceFile reproduce_files[];  // generated
extern const size_t reproduce_file_count;
typedef struct Point {
    char *x, *series;     // where it is in the figure; series may be empty
    double ours, theirs;  // NaN: none
    double tolerance;     // how far ours may be from theirs, in units of y
    bool single;          // of [values]: x is its name
} Point;
typedef struct Reproduction {
    Ini ini;
    Matrix matrix;
    const char *title, *from, *kind, *x, *series, *y, *unit, *where, *axis, *baseline, *best,
        *note;          // keys of [figure]; null: not given
    bool several;       // [series] has the formulas: one for each series
    bool absent;        // it has other sizes than this, and no runs
    VEC(Point) points;  // series by series, x in the matrix's order
    size_t missing;     // runs that failed
} Reproduction;
// size: one of reproduce_sizes, which choose among the sections [small …], [medium …], [paper …] and, where there is
// none, [matrix …]. A figure of [data] has an empty matrix: its rows stand for runs.
extern const char *const reproduce_sizes[3];
bool reproduce_open(Reproduction *r, const char *name, const char *text, size_t length, const char *size, Diag *diag);
bool reproduce_fill(Reproduction *r, Store *store, Diag *diag);  // when the matrix has been swept
void reproduce_free(Reproduction *r);

// --- draw.c: it as a figure ------------------------------------------------------------------------------------------
void reproduce_figure(const Reproduction *r, Figure *f);  // to be drawn: ours, and theirs where there are any

#endif
