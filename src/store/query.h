// query.h: reads stored runs back: as rows of columns, in pairs that are compared, as files for other programs, as
// named numbers for formulas, and as structures in memory. Where a function returns false or null, diag has the reason.
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include "store/store.h"

// --- query.c: stored runs as rows ------------------------------------------------------------------------------------
typedef struct Filter {        // a pointer that is null lets every run through; lists end with null
    const char *const *keys;   // beginnings of keys; a run needs one of them
    const char *const *where;  // "name=value" of a setting or a column of run; an empty value: not set
    const char *program, *gpu;
    const char *model;  // a number; or "old": any but this onchip's
    bool failed;        // only runs that failed
} Filter;
typedef VEC(int64_t) RunIds;
// Selects the runs that the filter lets through. ids gets their row numbers, ordered by program, parameters,
// description, overrides, options and model.
bool store_select(Store *s, const Filter *filter, RunIds *ids, Diag *diag);
bool store_delete(Store *s, const RunIds *ids, Diag *diag);  // deletes these runs

typedef struct Datum {
    enum { DATUM_NONE, DATUM_INT, DATUM_REAL, DATUM_TEXT } kind;
    int64_t whole;
    double real;
    const char *text;
} Datum;
// Rows are the runs of a selection, one after the other, with a value for each column. A column's name is looked up in
// this order: counters, rates, columns of the table run, in rows of kernels columns of the table kernel (whose name is
// "kernel"), settings, measures. "setting.NAME" and "measure.NAME" leave no doubt. A run's counter is the sum over its
// kernels, and its rates are computed from the sums over its timed kernels.
typedef struct Rows Rows;
// kernels: there is a row for each kernel instead; a run without kernels has one row. Columns of kernel need it. Null
// when a column is unknown.
Rows *rows_open(Store *s, const RunIds *ids, const char *const *columns, size_t n, bool kernels, Diag *diag);
bool rows_next(Rows *r, Diag *diag);      // false: there is no further row, or (diag->failed) the store failed
const Datum *rows_values(const Rows *r);  // a value for each column, valid until the next row
int64_t rows_id(const Rows *r);           // the row number of the row's run
void rows_close(Rows *r);
// The name of a setting's column: "setting.NAME" where NAME alone is another column. It belongs to arena, or is name.
const char *setting_column(const char *name, bool kernels, Arena *arena);
typedef struct RunStructure {  // a row of the table structure
    const char *kernel, *name;
    uint64_t loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes;
} RunStructure;
typedef VEC(RunStructure) RunStructures;
// The data structures of a run's kernels, in each the one with most DRAM traffic first.
bool store_structures(Store *s, int64_t run, Arena *arena, RunStructures *out, Diag *diag);
bool datum_number(const Datum *v, double *out);  // false: it isn't a number
void datum_text(const Datum *v, Text *out);      // as CSV and the terminal have it, reals with all their digits

// --- compare.c: runs in pairs ----------------------------------------------------------------------------------------
// Two selections are compared, of one store or of two. A run of the one and a run of the other are a pair when their
// verb, program, parameters, description, overrides and options are the same, however these are written. The models may
// differ. Where one side has such a run for several models, that of the latest model counts.
typedef struct Side {  // one of the two selections
    Store *store;
    const RunIds *ids;
} Side;
typedef struct RunPair {
    const char *program, *what;  // what: "nx=64 on gtx480 l1.size=16KiB"
    const char *key[2];
    double value[2];
    bool equal;    // all digits of both values are the same
    double ratio;  // second / first; 0: there is none, since one value is 0 or below
} RunPair;
typedef struct PairMean {  // the geometric mean of ratios
    // Null: the mean over all programs. Where there are several, that is the mean of the programs' means, since the
    // pairs of one program say nothing about another.
    const char *program;
    size_t pairs, equal;      // pairs, and those of them whose values are equal
    size_t ratios;            // pairs that have a ratio, and so are in the mean
    double ratio, low, high;  // the mean; its 95 % confidence interval, by Student's t over logarithms of two or more
    bool significant;         // the interval excludes 1
} PairMean;
typedef struct Comparison {
    Arena arena;
    const char *column;  // the column whose values are compared
    bool clocks;         // the clocks of some pair differ
    VEC(RunPair) pairs;
    VEC(PairMean) means;  // one for each program, and last the one over all
    uint64_t alone[2];    // runs of each side without a partner
    uint64_t without[2];  // runs of each side without a value, since they failed
} Comparison;
// setting: the one that differs between the sides ("gpu", "l1.size"), which pairs needn't have in common; may be null.
// column: null is cycles; where clocks differ, so that cycles have different lengths, it is simulated seconds.
bool compare_runs(const Side sides[2], const char *setting, const char *column, Comparison *out, Diag *diag);
void comparison_free(Comparison *c);
// Keeps, of the runs in ids that differ in nothing but a setting, the one with the fewest cycles. Runs without cycles
// are dropped.
bool store_best(Store *s, RunIds *ids, const char *setting, Diag *diag);
// Whether two runs' clocks differ, from what they took; false where a number is missing.
bool clocks_differ(const double cycles[2], const double seconds[2]);

typedef struct Difference {     // between two runs: of a counter, a measure, or the status
    const char *kernel, *name;  // kernel: empty for what belongs to the whole run
    const char *text[2];        // the two values; "-": there is none
    double relative;            // |difference| / the larger magnitude
} Difference;
typedef VEC(Difference) Differences;
typedef struct Change {  // what differs between a run with one model and with another
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
bool compare_models(const Side sides[2], Regression *out, Diag *diag);  // pairs the sides' runs and says what changed
void regression_free(Regression *r);
// Lists the differences of two runs, the largest first. A counter that one of the two versions of onchip didn't have is
// no difference.
bool compare_two(Store *store[2], const int64_t id[2], Arena *arena, Differences *out, Diag *diag);

// --- export.c: stored runs for other programs; doc/reference/store.md ------------------------------------------------
enum { EXPORT_VERSION = 1 };  // of the JSON: raised when a field goes or changes its meaning
void export_begin(Json *j);   // opens the top object, with onchip's version and this one
// Lists every column that the runs of a selection have, for rows of kernels. Texts belong to arena.
typedef VEC(const char *) ColumnNames;
bool export_columns(Store *s, const RunIds *ids, Arena *arena, ColumnNames *out, Diag *diag);
// Writes rows. CSV is that of RFC 4180. TABS has tabs between fields and no quotes; a tab or a line's end within a
// field is written \t or \n. JSON is an array "rows" with an object for each.
typedef enum ExportForm { EXPORT_CSV, EXPORT_TABS, EXPORT_JSON } ExportForm;
bool export_rows(Store *s, const RunIds *ids, const ColumnNames *columns, bool kernels, ExportForm form, FILE *out,
                 Diag *diag);
// Writes everything that is stored of the runs as JSON: an array "runs" with a nested object for each.
bool export_runs(Store *s, const RunIds *ids, FILE *out, Diag *diag);

// --- formula.c: arithmetic over named values -------------------------------------------------------------------------
// Gives the value of a name, such as "l1.hits". False: there is none.
typedef bool FormulaName(void *user, const char *name, double *value);
// Evaluates text. A division by zero gives NaN. False when text isn't a formula or a name is unknown; diag has the
// place.
bool formula(const char *text, FormulaName *name, void *user, double *value, Diag *diag);

// --- values.c: what a stored run gave, by name -----------------------------------------------------------------------
// The values of a run are: its counters, summed over its kernels; the rates of those sums; what it measured; its
// parameters; the keys of its description; and cycles, launches, seconds (simulated), wall_seconds and occupancy.warps
// (warps that an SM has room for).
typedef struct Values Values;
typedef VEC(const char *) Places;
// sets: the overrides of the run's description, ended by null; may be null. Returns null when the store doesn't have
// the run, or has it as failed; diag->failed: the store failed, or the run is damaged.
Values *values_load(Store *s, const Identity *id, const char *const *sets, Diag *diag);
Values *values_given(const char *list);  // has only the numbers of a list, "gflops=345.6 gbs=86.4"
bool values_get(void *values, const char *name, double *value);  // a FormulaName
// A curve's name has a value only at a place of the curve, such as "stride=2". values_places lists the places of the
// first curve in a formula, in the order of their numbers. values_at sets the place at which values_get looks curves up
// (null: none).
void values_places(Values *v, const char *formula, Places *places);
void values_at(Values *v, const char *place);
// Lists the times of a run's samples, "time=5000" in cycles of all its kernels, to the nearest multiple of the
// interval. At such a place the counters are how much they grew since the time before.
bool values_times(Values *v, Store *s, const Identity *id, uint64_t interval, Places *places, Diag *diag);
void values_free(Values *v);

// --- runs.c: runs of a store, read back ------------------------------------------------------------------------------
typedef struct RunSetting {
    const char *name, *value;  // "l1.size", "16KiB"
} RunSetting;
typedef struct RunLine {  // a row of the table line
    const char *file, *at_file, *array, *what;
    const char *text;  // of a line; null: none was read
    uint64_t line, at_line, issued, lanes, transactions, sectors, l1_accesses, l1_hits, stalls, queued;
} RunLine;
typedef struct RunWhy {  // of a data structure: its loads, by what became of them (--why)
    const char *name;
    double served, first, capacity, conflict, dropped;
} RunWhy;
typedef struct RunKernel {
    const char *name, *grid, *block, *limit;
    const char *limits;  // what limits it, in words; null: an older onchip made the run, or it has no time
    uint64_t launches;
    uint64_t warps;   // that an SM has room for
    bool functional;  // executed without time
    bool partial;     // some launch was cut short
    uint64_t *count;  // by Counter
    double *rate;     // in the order of rates[]; NAN: none
    double *peak;     // by Peak; NAN: none
    RunStructures structures;
    VEC(RunWhy) why;        // none: nobody asked, or an older onchip made the run
    VEC(RunLine) lines;     // with --lines: the lines, the hottest first, then the accesses of memory
    VEC(uint64_t) samples;  // C_COUNT counters at the end of the first interval, then at the end of the second, …
} RunKernel;
typedef struct StoredRun {
    const char *key, *program, *params, *gpu, *overrides, *options;
    const char *error;   // null: the run is done
    const char *result;  // the measure RESULT; null: there is none
    const char *version, *finished, *host;
    bool verified;
    int64_t model;
    uint64_t cycles, warp_instructions;
    double seconds;  // simulated time of the timed kernels: cycles over the description's clock
    double wall_seconds;
    uint64_t order;   // the run's place among those read: first as they were asked for, then as they were stored
    uint64_t *count;  // counters, summed over all timed kernels
    double *peak;     // by Peak, of all timed kernels; NAN: an older onchip made the run
    VEC(RunSetting) settings;  // the GPU, the overrides, the options, and last the parameters
    size_t params_at;          // the place of the first parameter in settings
    VEC(RunKernel) kernels;
    VEC(RunWhy) why;  // of all kernels; none: nobody asked
} StoredRun;
typedef struct Runs {
    Arena arena;
    VEC(StoredRun) v;
} Runs;
typedef struct RunsWanted {
    const char *programs, *gpus;  // names between commas; null: all
    const TextList *keys;         // keys of runs in the order in which they were asked for; may be null
    const char *key;              // of the one run that is wanted; null: all
} RunsWanted;
// Reads the wanted runs of the verb run. They come in the order of their programs and then of their settings' texts, so
// that the order doesn't depend on which run was ready first.
bool runs_read(Runs *runs, Store *s, const RunsWanted *wanted, Diag *diag);
void runs_free(Runs *runs);
// The shape of a grid or a block as a stored run has it, "32,8,1". False: it has none, and out is 1, 1, 1.
bool shape_read(const char *text, uint32_t out[3]);
uint32_t blocks_room(const RunKernel *r);  // blocks of a kernel that an SM has room for; 0: unknown

#endif
