// advise.h: what a programmer can change about a run, and what each change gives. A change is settings of a cell that
// stand for a line in the source, or for an option of the compiler. Each is run, the best are joined, and those are
// run, too: nothing is said that wasn't simulated. All runs are cells that the store keeps.
#ifndef ADVISE_H
#define ADVISE_H

#include "store/query.h"
#include "sweep/sweep.h"

// --- remedies.c: what can be changed ---------------------------------------------------------------------------------
enum { MOST_SETS = 4, MOST_PARAMS = 2, MOST_JOINED = 4 };
typedef struct Remedy {           // a change
    const char *kind;             // "carve-out": of one kind a run has one change, unless its settings can be joined
    const char *what;             // "loads of A past the L1"
    const char *write;            // what to write: in the source, or as an option of nvcc
    const char *sets[MOST_SETS];  // "l1.past=A"; ended by null
    const char *params[MOST_PARAMS];  // "threads=128" of the workload, or "block=128" of a file; ended by null
    bool reshaped;                    // the result must be compared with that of the run as it is
    const char *sl1;                  // null: off
    bool carved;                      // it is a carve-out for all kernels
    uint32_t kib, percent;            // of it: shared memory
} Remedy;
typedef VEC(Remedy) Remedies;

// --- notes.c: what no run can try ------------------------------------------------------------------------------------
typedef struct Note {
    const char *kind;   // "block", "restrict", "cp.async"
    const char *what;   // what was found, where, and what speaks for a change
    const char *write;  // what to write
} Note;
typedef VEC(Note) Notes;

// --- ideals.c: what is lost at most ----------------------------------------------------------------------------------
typedef struct Ideal {  // something that costs time, and what the run would take without it
    const char *what;   // "bank conflicts": what time is lost to
    const char *write;  // what is against it, in words
    const char *set;    // "ideal.conflicts=yes"; null: counters tell it
    int habit;          // ideals.c's own
    size_t trial;       // with set
    double times;       // without: how many times as fast the run would be at most
} Ideal;
typedef VEC(Ideal) Ideals;
void ideal_where(const StoredRun *run, const Ideal *i, Text *out);  // ", most of them of A at add.cu:15", or nothing

// --- advise.c: the runs ----------------------------------------------------------------------------------------------
typedef struct Trial {
    size_t change[MOST_JOINED], n;  // places in Advice.changes; n 0: the run as it is
    Cell cell;
    char key[KEY_DIGITS + 1];
    const StoredRun *run;  // null: it wasn't made, as the time was up
    bool differs;          // its result isn't that of the run as it is, or nobody knows whether it is
} Trial;
typedef struct Moved {  // a key of the description whose value is assumed, and another value of it
    const char *key, *value, *set;
    size_t plain, changed;  // the trials without and with the best changes
} Moved;
typedef struct Advice {
    Arena arena;
    Remedies changes;
    Ideals ideals;
    Notes notes;
    VEC(Trial) trials;  // the first is the run as it is, then one for each change, for each ideal, then joined ones
    VEC(Moved) moved;
    Runs runs;
    size_t best;     // of the trials: the fastest that is more than GAIN faster; 0: none is
    size_t singles;  // the trials from here on are of ideals
    size_t joined;   // and from here on of joined changes
    size_t left;     // trials that weren't made
    bool energy;     // the description has it
} Advice;
#define ADVISE_GAIN 1.01  // a change that gains less is said to gain nothing
typedef struct AdviseOptions {
    double budget;  // seconds for all runs but the first; 0: no limit
    bool robust;    // the assumed keys of the description are moved, too
    // Runs the cells of a matrix that the store lacks, for so many seconds at most (0: no limit). False: it can't, or
    // the user wants to stop.
    bool (*sweep)(void *user, const Matrix *m, double seconds, Diag *diag);
    void *user;
} AdviseOptions;
// Advises on the one cell of a matrix. False, with the reason, where it can't run. Whatever it returns, advice_free
// releases a.
bool advise(Advice *a, Matrix *m, Store *store, const AdviseOptions *o, Diag *diag);
double trial_cycles(const Trial *t);                  // 0: it has no right result, or isn't to be believed
double trial_times(const Advice *a, const Trial *t);  // how many times as fast as the run as it is; 0: unknown
double ideal_times(const Advice *a, const Ideal *i);  // likewise
void advice_free(Advice *a);

#endif
