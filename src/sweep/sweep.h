// sweep.h: many runs. A cell is one run of a program on a described GPU. A matrix is many cells. A sweep runs those
// cells of a matrix that the store lacks, each in a process of its own, here and on the ranks of mpirun.
#ifndef SWEEP_H
#define SWEEP_H

#include "store/store.h"

// --- cell.c: one run, and the key it is stored under -----------------------------------------------------------------
// What determines a run's result. Lists end with a null pointer and may be null; texts belong to the caller.
typedef struct Cell {
    const char *verb;           // "run", "probe"
    const char *program;        // a workload, or a PTX file: a name that ends in .ptx; of the verb probe a measurement
    const char *gpu;            // a description's name or file
    const char *const *params;  // "nx=64"
    const char *const *sets;    // "l1.size=16KiB"
    const char *ptx;            // a file with the workload's device code; null: what is built in
    const char *sl1;            // the software L1: "yes", or settings between +, "line=8+decide=thread"; null: none
    const char *kernels;        // only these are timed (POSIX extended regular expression); null: all
    uint64_t skip, max_cycles, interval;
    bool small, functional, no_lowering;
    const char *const *labels;  // "l1.size=16KiB": its values on the axes of its matrix; no part of the key
} Cell;
// A cell that was read: what it is stored under, and what its run needs. Nothing of it is read again for the run, so
// that what ran is what the key was made of.
struct Gpu;
struct Sl1Options;
typedef struct Plan {
    const Cell *cell;  // the caller's
    Identity id;
    const struct Gpu *gpu;          // the planner's
    const Text *ptx;                // what the PTX file has, the planner's; null: none
    const WorkloadEntry *workload;  // of these three there is one
    FileRun *file;                  // the planner's but for its arguments
    const Measurement *measurement;
    int64_t *params;         // of the workload
    double *numbers;         // parameters of the measurement
    struct Sl1Options *sl1;  // null: none
    const char *wrong;       // of a cell that can't run: which of its texts; null: not known
    bool wrong_name;         // and there its name
} Plan;
// Plans of many cells share what they have in common: descriptions and files are read and device code is hashed once.
typedef struct Planner Planner;
Planner *planner_open(void);
void planner_close(Planner *p);  // when its plans aren't needed any more
// False, with the reason, when a cell can't run: no such verb, program or description, a parameter out of range.
bool plan_cell(Planner *p, const Cell *cell, Plan *plan, Diag *diag);
void plan_free(Plan *plan);

// --- matrix.c: products of cells -------------------------------------------------------------------------------------
// An axis has a name and values. Names: verb, program, measure (a program of the verb probe), gpu, sched, size (small,
// standard), ptx, sl1 (no, yes or settings), kernels, skip, max-cycles, interval, functional, lowering (yes, no); one
// with a dot is a key of the description; any other a parameter of the program. A value of program or measure may have
// parameters of its own behind it: "atax nx=64". A value of `with` is several at once, with a label in front: "large:
// l1.size=48KiB shared.size=16KiB". Values stand between commas; one with commas in it is put in braces.
typedef struct Axis {
    const char *name;
    VEC(const char *) values;
} Axis;
typedef struct Origin {    // of a text in a file, for diagnostics
    const Source *source;  // null: it is from a command line
    size_t at, name_at;    // of the value, and of the name it was given
} Origin;
typedef struct Matrix {
    Arena arena;  // of all texts and lists
    VEC(Origin) origins;
    Map by_text;     // the address of a cell's text → place in origins
    VEC(Axis) axes;  // of the product that is being built
    VEC(Cell) cells;
    uint64_t most;  // cells; 0: MOST_CELLS
} Matrix;
enum { MOST_CELLS = 1000000 };                                                  // a cell takes about 1 KiB
bool matrix_axis(Matrix *m, const char *name, const char *values, Diag *diag);  // replaces an axis of the same name
bool matrix_pair(Matrix *m, const char *text, Diag *diag);  // an axis as it is written: "l1.size=16KiB,48KiB"
bool matrix_product(Matrix *m, Diag *diag);  // adds the cells of the axes, last axis fastest, and forgets the axes
// Sections [KIND] or [KIND NAME] are products: the matrix is their union. A sweep's KIND is "matrix".
bool matrix_take(Matrix *m, const Ini *ini, const char *kind, Diag *diag);
bool matrix_read(Matrix *m, const char *path, Diag *diag);
// plan_cell() for a cell of m; what is wrong is shown where it was written.
bool matrix_plan(const Matrix *m, Planner *p, const Cell *cell, Plan *plan, Diag *diag);
void matrix_free(Matrix *m);

// --- job.c: a run ----------------------------------------------------------------------------------------------------
// Runs a cell here and puts its result into store. False when the store failed; a run that fails is put there as
// failed.
bool plan_run(const Plan *plan, Store *store, Diag *diag);

// --- ranks.c: the processes that mpirun or srun started together -----------------------------------------------------
typedef struct Ranks Ranks;
// *ranks: null when this process was started alone.
bool ranks_open(Ranks **ranks, Diag *diag);
int ranks_rank(const Ranks *ranks);  // this process's; 0 where it was started alone
void ranks_close(Ranks *ranks);      // rank 0 sends the others home

// --- sweep.c: those of a matrix that aren't stored yet ---------------------------------------------------------------
typedef struct Sweep {
    uint64_t cells, distinct;  // of the matrix (this shard's); with different keys
    uint64_t stored, to_run, done, failed, running;
    double seconds, left;  // since the start; estimated to the end, negative: unknown
} Sweep;
typedef struct SweepOptions {
    uint32_t jobs;              // runs at a time; 0: as many as the host has processors. Of a rank; 0: one
    uint64_t memory;            // bytes they may take together on a host; 0: seven eighths of what is available now
    uint32_t shard, shards;     // only cells whose place is shard modulo shards; shards 0: all
    bool retry;                 // failed ones again
    const volatile bool *stop;  // set: no new runs, and the running ones are given up; may be null
    // Called when a run ended and some times a second; may be null.
    void (*progress)(void *user, const Sweep *sweep);
    void *user;
    Ranks *ranks;     // runs go to these too; null: none
    uint64_t number;  // of this sweep, when these ranks have several
} SweepOptions;
// Runs what store lacks of m, longest first as far as its time is known, and keeps each result as it comes. A run that
// fails is kept as failed while the rest goes on. False: a cell can't run at all (nothing was run), or the store
// failed.
bool sweep_run(const Matrix *m, Store *store, const SweepOptions *options, Sweep *sweep, Diag *diag);
// --- sweep_ranks.c: what the other ranks do --------------------------------------------------------------------------
// On the other ranks: sweep_called waits for the next sweep and gives its number, negative when there is none any more.
// Only then is the command line to be read. Either sweep_serve runs what rank 0 gives, until the sweep is over (false:
// there is no other); or sweep_refuse says why not.
int64_t sweep_called(Ranks *r);
bool sweep_serve(const Matrix *m, const SweepOptions *options);
void sweep_refuse(const SweepOptions *options, const char *why);

#endif
