// unit.h: what the files of this folder share: a run on its way to the figure's points.
#ifndef REPRODUCE_UNIT_H
#define REPRODUCE_UNIT_H

#include "reproduce/reproduce.h"

typedef struct Bases Bases;
typedef struct Join {  // the values that fell on one point
    double score, log_sum, sum;
    size_t n;
} Join;
typedef VEC(Join) Joins;

typedef struct Taken {  // a run, or a row of [data], whose values are taken
    const Cell *cell;
    const Identity *id;
    Values *values;          // null: the store lacks the run. Who wants to keep them sets this to null
    Values *base;            // of the baseline's run; null: there is none
    Joins *joins;            // those of all runs
    const MeasuredRow *row;  // of a table of measured times; null: the run isn't of one
    Bases *bases;            // the baseline's runs; null: no formula uses them
} Taken;

// --- reproduce.c -----------------------------------------------------------------------------------------------------
// Returns the run's value on an axis of the figure; null: it has none. point: the place of a curve's point, or "".
char *place_of(const Taken *t, const char *axis, const char *point);
Point *point_at(Reproduction *r, const char *x, const char *series);  // null: there is none
// Computes how good a run is for `best`. The lower, the better. base may be null.
bool score_run(Reproduction *r, Values *values, Values *base, double *score, Diag *diag);

bool summary_named(const Reproduction *r, const char *x);  // whether x is the point of a summary of the figure
bool points_finish(Reproduction *r, Diag *diag);           // orders the points, and gives them the paper's values

const char *figure_key(const Ini *ini, const char *key, const IniEntry **entry);  // of [figure]; null: it has none

// --- points.c --------------------------------------------------------------------------------------------------------
typedef struct PointLine {  // the fields of one line; ours is NaN where the field is empty
    Text figure, series, x;
    double ours;
    const char *theirs;  // where that field begins
} PointLine;
bool point_line(const char *s, const char *end, PointLine *out);  // false: it isn't such a line
void point_line_free(PointLine *line);

// --- measured.c ------------------------------------------------------------------------------------------------------
bool measured_is(const char *text);  // a table of measured times
// Reads it, and writes the figure's file that it stands for.
bool measured_read(Reproduction *r, const char *name, const char *text, size_t length, Text *ini, Diag *diag);
void measured_theirs(Reproduction *r);  // gives the points their measured times

// --- runs.c ----------------------------------------------------------------------------------------------------------
bool runs_take(Reproduction *r, const char *size, Diag *diag);  // reads the matrix for reproduce_open

// --- base.c: the baseline --------------------------------------------------------------------------------------------
// Finds the formulas that use base.NAME, and refuses them where there can't be such a value. Sets r->based.
bool base_check(Reproduction *r, Diag *diag);
bool base_open(Reproduction *r, Bases **bases, Diag *diag);  // *bases becomes null if r->based is
bool base_keep(Reproduction *r, Taken *t, Diag *diag);       // to be called for every run before base_of is called
Values *base_of(const Reproduction *r, const Taken *t);      // of the run's baseline; null: the store lacks it
void base_close(Bases *bases);
// Whether base.NAME would be needed at the points of a curve. places: those of the formula; best's are the same.
bool base_on_curve(const Reproduction *r, const Taken *t, const char *formula, const Places *places);
// The user of base_get, which is a FormulaName for the values of a run and for base.NAME.
typedef struct BaseNames {
    Values *values, *base;  // base may be null; base.NAME is NaN then
} BaseNames;
bool base_get(void *names, const char *name, double *value);
bool base_divide(Reproduction *r, Diag *diag);  // divides the points' values by the baseline's

// --- unit.c ----------------------------------------------------------------------------------------------------------
// Refuses a formula whose values can't have the unit of [figure]: × or speed-up, and nothing that divides.
bool unit_check(const Reproduction *r, Diag *diag);

// --- measured.c: times of a real GPU ---------------------------------------------------------------------------------
// How far the simulated times are from those of one class; null: from all. A factor is the quotient of two times, the
// larger one above.
typedef struct MeasuredError {
    size_t n, near;  // times; those within a factor of 1.5
    double mean;     // of |simulated / measured − 1|
    double median;   // of the factors
    double rank;     // Spearman's rank correlation; NaN: there is none
    size_t pairs,
        in_order;  // pairs whose measured times differ by more than 10 %; those that are in the same order here
    const Point *farthest;  // null: there are no times
} MeasuredError;
MeasuredError measured_error(const Reproduction *r, const char *class);

#endif
