// query.h: stored runs, read back: as rows, in pairs, as files for other programs, as numbers with names, and whole.
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include "store/store.h"

// --- query.c: stored runs as rows ------------------------------------------------------------------------------------
typedef struct Filter {        // null: any
    const char *const *keys;   // beginnings of keys, null-terminated
    const char *const *where;  // "name=value", null-terminated: a setting or a column of run; an empty value: not set
    const char *program, *gpu, *model;  // model: a number, or "old": any but this program's
    bool failed;
} Filter;
typedef VEC(int64_t) RunIds;
// Ids of the runs that a filter lets through, ordered by program, parameters, description, overrides, options and
// model.
bool store_select(Store *s, const Filter *filter, RunIds *ids, Diag *diag);
// Deletes them; ids may be a selection's.
bool store_delete(Store *s, const RunIds *ids, Diag *diag);

typedef struct Datum {
    enum { DATUM_NONE, DATUM_INT, DATUM_REAL, DATUM_TEXT } kind;
    int64_t whole;
    double real;
    const char *text;
} Datum;
// The runs of a selection one after the other, with what a column's name stands for, in this order: a counter (summed
// over kernels) or rate (of the sums), a column of run, with kernels one of kernel (its name is "kernel"), a setting, a
// measure. "setting.NAME" and "measure.NAME" say which. Rates are of timed kernels alone.
typedef struct Rows Rows;
// kernels: a row for each kernel; a run without kernels has one row. Null, with the reason, when a column is unknown.
Rows *rows_open(Store *s, const RunIds *ids, const char *const *columns, size_t n, bool kernels, Diag *diag);
bool rows_next(Rows *r, Diag *diag);      // false: at the end, or (diag->failed) the store failed
const Datum *rows_values(const Rows *r);  // of the row, valid until the next
int64_t rows_id(const Rows *r);           // of the row's run
void rows_close(Rows *r);
typedef struct RunStructure {  // columns of structure
    const char *kernel, *name;
    uint64_t loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes;
} RunStructure;
typedef VEC(RunStructure) RunStructures;
// The data structures of a run's kernels, in each the one with most DRAM traffic first.
bool store_structures(Store *s, int64_t run, Arena *arena, RunStructures *out, Diag *diag);
bool datum_number(const Datum *v, double *out);  // false: it isn't a number
void datum_text(const Datum *v, Text *out);      // as it is written in CSV and on the terminal; reals to the last digit

// --- compare.c: runs in pairs ----------------------------------------------------------------------------------------
// Two selections, of one store or two. Runs are a pair when verb, program, parameters, description, overrides and
// options are the same, however they were written; the model may differ, and a later one counts.
typedef struct Side {
    Store *store;
    const RunIds *ids;
} Side;
typedef struct RunPair {
    const char *program, *what;  // what: "nx=64 on gtx480 l1.size=16KiB"
    const char *key[2];
    double value[2];
    bool equal;    // exactly
    double ratio;  // second / first; 0: there is none, since one value is 0 or below
} RunPair;
typedef struct PairMean {         // geometric mean of ratios
    const char *program;          // null: all; over the programs' means when there are several, since a program's
                                  // pairs don't tell of others
    size_t pairs, equal, ratios;  // in the mean: ratios
    double ratio, low, high;      // 95 % confidence interval from the logarithms' Student t; none below two ratios
    bool significant;             // the interval excludes 1
} PairMean;
typedef struct Comparison {
    Arena arena;
    const char *column;  // what is compared
    bool clocks;         // those of some pairs differ
    VEC(RunPair) pairs;
    VEC(PairMean) means;            // a program each, and last that of all
    uint64_t alone[2], without[2];  // runs without partner; without a value (failed)
} Comparison;
// setting: null, or what differs between the sides ("gpu", "l1.size") and so doesn't tell pairs apart. column: null is
// cycles, or seconds (simulated) where clocks differ: then cycles are of different lengths.
bool compare_runs(const Side sides[2], const char *setting, const char *column, Comparison *out, Diag *diag);
void comparison_free(Comparison *c);
bool clocks_differ(const double cycles[2], const double seconds[2]);  // of two runs; false where either isn't known

typedef struct Difference {     // of a counter, a measure, or the status
    const char *kernel, *name;  // kernel: empty, of the run
    const char *text[2];        // "-": not there
    double relative;            // |difference| / the larger of both
} Difference;
typedef VEC(Difference) Differences;
typedef struct Change {  // of a run between two models
    const char *program, *what, *key[2];
    double cycles[2];
    size_t counters;  // that differ
    Difference largest;
} Change;
typedef struct Regression {
    Arena arena;
    VEC(Change) changes;  // largest first
    uint64_t pairs, alone[2];
} Regression;
bool compare_models(const Side sides[2], Regression *out, Diag *diag);
void regression_free(Regression *r);
// Largest first. Counters that only one of the versions of onchip had don't count.
bool compare_two(Store *store[2], const int64_t id[2], Arena *arena, Differences *out, Diag *diag);

// --- export.c: stored runs for other programs; doc/results.md --------------------------------------------------------
enum { EXPORT_VERSION = 1 };  // of the JSON: raised when a field goes or changes its meaning
void export_begin(Json *j);   // opens the top object, with onchip's version and this one
// Every column that runs of a selection have, with a row for each kernel; texts belong to arena.
typedef VEC(const char *) ColumnNames;
bool export_columns(Store *s, const RunIds *ids, Arena *arena, ColumnNames *out, Diag *diag);
// Rows as CSV (RFC 4180); with tabs between fields and no quotes, a tab or line's end within one as \t or \n; or as
// JSON: an object for each, in the array "rows".
typedef enum ExportForm { EXPORT_CSV, EXPORT_TABS, EXPORT_JSON } ExportForm;
bool export_rows(Store *s, const RunIds *ids, const ColumnNames *columns, bool kernels, ExportForm form, FILE *out,
                 Diag *diag);
// Everything that is stored of the runs, nested: an object for each, in the array "runs".
bool export_runs(Store *s, const RunIds *ids, FILE *out, Diag *diag);

// --- formula.c: arithmetic over named values -------------------------------------------------------------------------
// The value of a name, such as "l1.hits"; false: there is none.
typedef bool FormulaName(void *user, const char *name, double *value);
// Evaluates text. False, with the place, when it isn't a formula or a name is unknown; NaN for a division by zero.
bool formula(const char *text, FormulaName *name, void *user, double *value, Diag *diag);

// --- values.c: what a stored run gave, by name -----------------------------------------------------------------------
// Counters summed over the run's kernels, rates of those sums, what its verb measured, the program's parameters, the
// description's keys, and cycles, launches, seconds (simulated), wall_seconds and occupancy.warps (that an SM has room
// for).
typedef struct Values Values;
typedef VEC(const char *) Places;
// sets: the overrides of the run's description, null-terminated; may be null. Null: not stored, or it failed.
Values *values_load(Store *s, const Identity *id, const char *const *sets, Diag *diag);
Values *values_given(const char *list);  // the numbers of a list, "gflops=345.6 gbs=86.4", and no others
bool values_get(void *values, const char *name, double *value);  // a FormulaName
// A name that stands for a curve has a value only at a place of it. values_places gives those of the first curve in a
// formula, "stride=2", numbers in order; values_at says at which place names are looked up (null: none).
void values_places(Values *v, const char *formula, Places *places);
void values_at(Values *v, const char *place);
void values_free(Values *v);

// --- runs.c: runs of a store, read back ------------------------------------------------------------------------------
typedef struct RunSetting {
    const char *name, *value;  // "l1.size", "16KiB"
} RunSetting;
typedef struct RunKernel {
    const char *name, *grid, *block, *limit;
    uint64_t launches, warps;  // warps: that an SM has room for
    bool functional, partial;
    uint64_t *count;  // by Counter
    double *rate;     // as rates[]; NAN: none
    RunStructures structures;
    VEC(uint64_t) samples;  // counters at the end of each interval, all counters of the first, of the second, …
} RunKernel;
typedef struct StoredRun {
    const char *key, *program, *params, *gpu, *overrides, *options, *error, *version, *finished,
        *host;  // error null: done
    bool verified;
    int64_t model;
    uint64_t cycles, warp_instructions;
    double seconds;  // simulated, of the kernels that were timed: cycles over the description's clock
    double wall_seconds;
    uint64_t order;            // among the runs read: as runs_read was given them, then as they came into the store
    uint64_t *count;           // of all kernels that were timed, summed
    VEC(RunSetting) settings;  // the GPU, overrides, options, and last the parameters
    size_t params_at;          // where those begin
    VEC(RunKernel) kernels;
} StoredRun;
typedef struct Runs {
    Arena arena;
    VEC(StoredRun) v;
} Runs;
// Runs of the verb run, of these programs on these GPUs (names between commas; null: all), in the order of their
// programs and then of their settings' texts, so that it doesn't depend on which was ready first. keys: of runs in the
// order in which they were asked for; may be null.
typedef struct RunsWanted {
    const char *programs, *gpus;
    const TextList *keys;
} RunsWanted;
bool runs_read(Runs *runs, Store *s, const RunsWanted *wanted, Diag *diag);
void runs_free(Runs *runs);

#endif
