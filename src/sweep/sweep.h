// sweep.h: many runs. A cell is one run of a program on a described GPU. A matrix is many cells. A sweep runs those
// cells of a matrix that the store lacks, each in a process of its own, here and on the ranks of mpirun. A search is
// cells of a matrix that differ in one number, the best of which is looked for.
#ifndef SWEEP_H
#define SWEEP_H

#include "device/setup.h"
#include "store/store.h"

// --- regex.c: which kernels are timed --------------------------------------------------------------------------------
// A regular expression, as PCRE2 reads it. Null, and why: it is malformed or too large. The text must outlive it.
typedef struct Regex Regex;
struct KernelFilter;
Regex *regex_open(const char *text, Diag *diag);
const struct KernelFilter *regex_filter(const Regex *p);  // for device_select; of null, null
void regex_close(Regex *p);                               // null: nothing

// --- cell.c: one run, and the key it is stored under -----------------------------------------------------------------
// All that determines a run's result. Lists end with a null pointer and may be null. Texts belong to the caller.
typedef struct Cell {
    const char *verb;  // "run" or "probe"
    // For run a workload, a file with kernels, whose name ends in .ptx or .cu, or a CUDA program's path; for probe a
    // measurement.
    const char *program;
    const char *gpu;            // a description's name or file
    const char *const *params;  // "nx=64"
    const char *const *sets;    // "l1.size=16KiB"
    Setup how;                  // run.def; sl1 is "yes", or settings joined by +, "line=8+decide=thread"
    // No part of the key, but for the settings that stand for it in sets:
    const char *const *labels;  // "l1.size=16KiB": the cell's place on the axes of its matrix
    const struct Knob *knob;    // the search whose candidate the cell is; null: none
    const char *asked;          // the value of an axis that asks for it, "threads=128,256"
    uint32_t number;            // the candidate
} Cell;
// A plan is a cell that was read: it has the key, and all that the run needs. No file is read again for the run, so
// that what runs is what the key was made of.
struct Gpu;
struct Sl1Options;
typedef struct Plan {
    const Cell *cell;  // the caller's
    Identity id;
    const struct Gpu *gpu;          // the planner's
    const Text *ptx;                // the file's PTX, the planner's; null: there is no file
    const WorkloadEntry *workload;  // one of workload, file, words and measurement isn't null: that is the program
    FileRun *file;                  // the planner's, but for its list of arguments
    const char *const *words;       // of a CUDA program, whose file is the first; the planner's, ended by null
    const Measurement *measurement;
    int64_t *params;         // of the workload
    double *numbers;         // parameters of the measurement
    struct Sl1Options *sl1;  // null: off
    Regex *kernels;          // that are timed; null: all
    const char *wrong;       // why the cell can't run: this one of its texts is refused; null: not known which
    bool wrong_name;         // the name in that text is refused, not its value
} Plan;
// A planner keeps what the plans of many cells share: each description and file is read once, each code hashed once.
typedef struct Planner Planner;
// A CUDA program's run is looked for in the store; null: it has none, and the key is that of an unknown run.
Planner *planner_open(Store *store);
void planner_close(Planner *p);  // its plans can't be used any more
// The first setting of its cells that has no effect on their GPU, and why. Null: all have one.
const char *planner_unused(const Planner *p);
// Reads a cell. False, with the reason, when it can't run: a verb, program or description is unknown, or a parameter is
// out of range. Whatever it returns, plan_free releases plan.
bool plan_cell(Planner *p, const Cell *cell, Plan *plan, Diag *diag);
void plan_free(Plan *plan);

// --- sites.c: names of a CUDA program's memory -----------------------------------------------------------------------
// ServeOptions.site: "d_x saxpy.cu:31", the variable and the line, where the program has debug information.
void site_name(void *user, const char *calls, bool (*taken)(const void *of, const char *name), const void *of,
               Text *name);

// --- matrix.c: products of cells -------------------------------------------------------------------------------------
// An axis has a name and values. The name says what the values change:
// - verb, program, measure (a program of the verb probe), gpu, or an axis of run.def that sets a field (a flag is yes
//   or no): that part of a cell;
// - with: several settings at once, behind a label, "large: l1.size=48KiB shared.size=16KiB";
// - sched with the value best-swl, and autotune (no, threads, threads=128,256): a search, whose candidates are cells;
// - a name with a dot: a key of the description;
// - any other name: a parameter of the program.
// A value of program or measure may have parameters of its own behind it: "atax nx=64". Behind a CUDA program stand its
// arguments: "./app -n 64". Values are separated by commas;
// a value that has commas in it stands in braces.
typedef struct Axis {
    const char *name;
    VEC(const char *) values;
} Axis;
typedef struct Origin {    // where a text was written, for diagnostics
    const Source *source;  // the file; null: the text is from a command line
    size_t at, name_at;    // bytes from the file's start to the value, and to the name that it was given
} Origin;
typedef struct Search {  // the cells first, first + 1, … that are its n candidates, in ascending order
    const struct Knob *knob;
    size_t first, n;
} Search;
typedef struct Matrix {
    Arena arena;  // of all texts and lists
    VEC(Origin) origins;
    Map by_text;     // the address of a cell's text → its place in origins
    VEC(Axis) axes;  // of the product that is being built
    VEC(Cell) cells;
    VEC(Search) searches;
    uint64_t most;  // cells that the matrix may have; 0: MOST_CELLS
} Matrix;
enum { MOST_CELLS = 1000000 };                                                  // a cell takes about 1 KiB
bool matrix_axis(Matrix *m, const char *name, const char *values, Diag *diag);  // replaces an axis of the same name
bool matrix_pair(Matrix *m, const char *text, Diag *diag);  // the same from one text: "l1.size=16KiB,48KiB"
// Adds a cell for each combination of the axes' values, the last axis fastest, and forgets the axes. A combination that
// asks for a search has a cell for each candidate.
bool matrix_product(Matrix *m, Diag *diag);
// Adds the products of the sections [KIND] and [KIND NAME]. A sweep's KIND is "matrix".
bool matrix_take(Matrix *m, const Ini *ini, const char *kind, Diag *diag);
// The same, but in each product the axes of over's sections [OVER_KIND …] replace those of the same name. over: null,
// nothing does.
bool matrix_over(Matrix *m, const Ini *ini, const char *kind, const Ini *over, const char *over_kind, Diag *diag);
bool matrix_read(Matrix *m, const char *path, Diag *diag);  // the same for the file at path, with the KIND of a sweep
// Calls plan_cell for a cell of m. An error shows the place at which the mistake was written.
bool matrix_plan(const Matrix *m, Planner *p, const Cell *cell, Plan *plan, Diag *diag);
void matrix_free(Matrix *m);

// --- search.c: the best number for a key, found by trying numbers ----------------------------------------------------
struct Gpu;
typedef struct Number {
    uint32_t value;
    size_t at;  // its place in the text that it was read from
} Number;
typedef VEC(Number) Numbers;  // ascending, each once
typedef struct Knob {
    const char *axis, *value;  // what asks for it: the axis sched with the value best-swl
    bool listed;               // "=N,…" may stand behind that value
    const char *key, *what;    // the key of the description; what its number is, in tables and JSON
    const char *set;           // a setting that every candidate has; null: none
    const char *unfit;         // the limit of the occupancy by which a candidate is too small; null: none is
    bool each;                 // each kernel has its own best; else one number holds for the whole run
    void (*find)(const struct Gpu *g, Numbers *out);  // adds the candidates where none are written
} Knob;
const Knob *knob_named(const char *axis, const char *value);  // null: this value asks for no search
// Is the run with this key of the store a candidate with which no block fits an SM? Such a run failed, but the search
// leaves it out, so that it is no failure.
bool search_left_out(const Cell *c, Store *store, const char *key);
typedef struct Candidate {
    uint32_t number;
    bool ran;                            // false: it was left out
    double warps, l1_hits, l1_accesses;  // warps: that an SM has room for, of the kernel with the least
} Candidate;
typedef struct Curve {  // of a kernel: cycles by candidate, NAN where there are none
    const char *kernel;
    double *cycles;
    size_t best;
} Curve;
typedef struct SearchResult {
    const Knob *knob;
    Arena arena;
    VEC(Candidate) candidates;
    VEC(Curve) curves;
    size_t best;        // the candidate that is best where all kernels have the same
    size_t left_out;    // how many were
    const char *unfit;  // why the last of them was; null: none was
} SearchResult;
// Reads a search's runs, which the matrix was swept for, and finds the best candidates. False, with the reason, when
// runs are missing or failed. Whatever it returns, search_free releases f.
bool search_read(const Matrix *m, const Search *s, Planner *planner, Store *store, SearchResult *f, Diag *diag);
// What all kernels take together with a candidate; SEARCH_EACH: each kernel with its best. A kernel that wasn't
// launched takes nothing.
#define SEARCH_EACH SIZE_MAX
double search_total(const SearchResult *f, size_t at);
void search_free(SearchResult *f);

// --- ranks.c: the processes that mpirun or srun started together -----------------------------------------------------
typedef struct Ranks Ranks;
// Finds the other processes. *ranks becomes null when this process was started alone.
bool ranks_open(Ranks **ranks, Diag *diag);
int ranks_rank(const Ranks *ranks);  // this process's rank; 0 when it was started alone
void ranks_close(Ranks *ranks);      // rank 0 ends the others, too

// --- sweep.c: runs the cells of a matrix that the store lacks --------------------------------------------------------
enum { UNUSED_ROOM = 160 };
typedef struct Sweep {
    uint64_t cells;                  // of the matrix, or of this shard of it
    uint64_t distinct;               // different keys among them
    uint64_t stored;                 // keys whose runs the store had before
    uint64_t broken;                 // of those, runs that failed, and aren't to be run again
    uint64_t to_run;                 // keys that are to be run
    uint64_t done, failed, running;  // of to_run; a candidate that its search leaves out is done
    double seconds;                  // since the start
    double left;                     // estimated to the end; negative: unknown
    bool refused;                    // a cell can't run at all, so that nothing was run
    char unused[UNUSED_ROOM];        // planner_unused; or empty
} Sweep;
typedef struct SweepOptions {
    uint32_t jobs;           // runs at a time of this process; 0: one for each processor of the host, under mpirun one
    uint64_t memory;         // bytes that runs may take together on a host; 0: seven eighths of what is available
    uint32_t shard, shards;  // only cells whose place is shard modulo shards; shards 0: all cells
    bool retry;              // runs that failed earlier are run again
    const volatile bool *stop;  // once it is set, no run is started and the running ones are given up; may be null
    // Called whenever a run ends, and some times a second; may be null.
    void (*progress)(void *user, const Sweep *sweep);
    void *user;
    Ranks *ranks;            // processes that take runs, too; null: there is only this one
    uint64_t number;         // tells this sweep from others of the same ranks
    char told[UNUSED_ROOM];  // for the caller: what was told of Sweep.unused, so that several sweeps tell it once
} SweepOptions;
// Runs the cells of m that store lacks and keeps each result as it comes. Cells whose time is known start longest
// first. A run that fails is kept as failed, and the others go on. False: sweep->refused, or the store failed.
bool sweep_run(const Matrix *m, Store *store, const SweepOptions *options, Sweep *sweep, Diag *diag);

// --- sweep_ranks.c: what the other ranks do --------------------------------------------------------------------------
// Ranks other than 0 first call sweep_called. It waits for the next sweep and returns its number; negative: there is no
// further sweep. Only then does a rank read the command line. If that succeeds, it calls sweep_serve, which runs what
// rank 0 hands out until the sweep is over (false: there is no further one). If not, it tells rank 0 with sweep_refuse.
int64_t sweep_called(Ranks *r);
bool sweep_serve(const Matrix *m, const SweepOptions *options);
void sweep_refuse(const SweepOptions *options, const char *why);

#endif
