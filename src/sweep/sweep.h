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
// Identities of many cells share what they have in common: descriptions are read and device code is hashed once.
typedef struct Identities Identities;
Identities *identities_open(void);
void identities_close(Identities *ids);
bool cell_is_file(const Cell *cell);   // its program is a PTX file
bool cell_is_probe(const Cell *cell);  // its program is a measurement
// False, with the reason, when a cell can't run: no such verb, program or description, a parameter out of range.
bool identify(Identities *ids, const Cell *cell, Identity *id, Diag *diag);

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
// identify() for a cell of m; what is wrong is shown where it was written.
bool matrix_identify(const Matrix *m, Identities *ids, const Cell *cell, Identity *id, Diag *diag);
void matrix_free(Matrix *m);

// --- job.c: a run in a process of its own ----------------------------------------------------------------------------
bool verb_known(const char *verb);
// Runs a cell here and puts it into store. False when the store failed; a run that fails is put there as failed.
bool cell_run(const Cell *cell, const Identity *id, Store *store, Diag *diag);
enum { MAX_JOBS = 1024 };  // of a process
typedef struct Job {
    const Cell *cell;  // the caller's, until it is over
    const Identity *id;
    int pid, fd;  // of the child, and its end of the pipe; pid 0: none
    bool over;    // the child has ended, and result is whole
    Text result;  // as much of it as came
} Job;
bool job_start(Job *j, const Cell *cell, const Identity *id, Diag *diag);
// Waits until some of jobs (at most MAX_JOBS) have written or ended, but not longer than that, and takes what came. A
// child that died without a result leaves in it a store with the run as failed.
bool jobs_wait(Job *const *jobs, size_t n, int milliseconds, Diag *diag);
void job_kill(Job *j);

// --- ranks.c: the processes that mpirun or srun started together -----------------------------------------------------
// They send each other messages of bytes, which arrive in order from one rank to another. MPI's functions are in a
// module that is loaded only under mpirun (ranks_mpi.c); a test puts pipes in their place.
typedef enum Heard { HEARD_NOTHING, HEARD_MESSAGE, HEARD_LOSS } Heard;
typedef struct Ranks Ranks;
struct Ranks {
    int rank, size;
    int neighbours;  // ranks on this host, itself among them
    double silence;  // seconds without a message after which a rank counts as lost
    bool (*send)(Ranks *r, int to, const void *bytes,
                 size_t n);                         // copies and doesn't wait; false: there is no way to that rank
    Heard (*poll)(Ranks *r, int *from, size_t *n);  // doesn't wait: a message of n bytes, or a rank that is lost
    void (*take)(Ranks *r, void *bytes);            // the message that poll told of
    void (*close)(Ranks *r);                        // what was sent arrives first
};
// *ranks: null when this process was started alone.
bool ranks_open(Ranks **ranks, Diag *diag);
void ranks_close(Ranks *ranks);  // rank 0 sends the others home

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
typedef struct Room {  // for runs, of this process
    uint32_t jobs;
    double memory;
} Room;
Room sweep_room(const SweepOptions *options);

// --- sweep_ranks.c: what passes between the ranks of a sweep, and what the others do ---------------------------------
typedef enum NoteKind {
    NOTE_BEGIN,  // from rank 0: there is something to run
    NOTE_HELLO,  // to rank 0: the room here; with the version of onchip
    NOTE_RUN,    // from rank 0: the cell at place, if its key is the same there
    NOTE_PART,
    NOTE_RESULT,  // to rank 0: bytes of the result of the cell at place; the last of them
    NOTE_REFUSE,  // to rank 0: with the reason why nothing can run here
    NOTE_LEAVE,   // to rank 0: this rank was told to stop; its runs are free again
    NOTE_ALIVE,   // both ways, every second of a sweep
    NOTE_END,     // from rank 0: the sweep is over; what is still running is given up
    NOTE_HOME,    // from rank 0: and there is no other
    NOTE_LOST,    // isn't sent: the rank is gone
} NoteKind;
typedef struct Note {
    uint32_t kind, jobs;
    uint64_t sweep;  // its number
    uint64_t place;  // in its matrix, which every rank reads for itself
    double memory;
    char key[KEY_DIGITS + 8];
} Note;
bool note_send(Ranks *r, int to, const Note *note, const void *bytes, size_t n);
bool note_next(Ranks *r, int *from, Note *note, Text *bytes);  // replaces bytes; false: there is none
// Seconds that this process was there to listen: what it slept through, suspended with its host, counts little, so that
// the others aren't taken for silent.
typedef struct Awake {
    double at, seconds;
} Awake;
double awake(Awake *a);
// On the other ranks: sweep_called waits for the next sweep and gives its number, negative when there is none any more.
// Only then is the command line to be read. Either sweep_serve runs what rank 0 gives, until the sweep is over (false:
// there is no other); or sweep_refuse says why not.
int64_t sweep_called(Ranks *r);
bool sweep_serve(const Matrix *m, const SweepOptions *options);
void sweep_refuse(const SweepOptions *options, const char *why);

#endif
