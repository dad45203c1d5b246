// unit.h: what the files of sweep ask of each other. What other parts call stands in sweep.h.
#ifndef SWEEP_UNIT_H
#define SWEEP_UNIT_H

#include "sweep/sweep.h"

// --- cell.c: one run, and the key it is stored under -----------------------------------------------------------------
// Looks a CUDA program's run up once more, after it was stored.
bool plan_settle(Planner *p, Plan *plan, Diag *diag);

// --- search.c: the best number for a key, found by trying numbers ----------------------------------------------------
extern const Knob knobs[];
extern const size_t knob_count;
// Adds the candidates of a value such as "threads=128,256". Returns the first word that isn't a whole number, or null.
const char *knob_list(const Knob *k, const char *value, Numbers *out);

// --- job.c: a run ----------------------------------------------------------------------------------------------------
// Runs a cell in this process and puts the result into store; a run that failed is put there as failed. False when the
// store itself failed.
bool plan_run(const Plan *plan, Store *store, Diag *diag);

// --- inputs.c: files that a CUDA program reads -----------------------------------------------------------------------
// A run has left the names of the files that it read in the file `opened` (ServeOptions.opened). Puts a hash for each
// of them, and makes the run's key of these and of the base.
void inputs_end(const char *opened, Findings *found, Identity *id);
typedef struct Hashes {  // of files that were looked at
    Map at;
    VEC(char *) v;
} Hashes;
void hashes_free(Hashes *hashes);
bool inputs_same(void *hashes, const char *file, const char *hash);  // an InputSame

#endif
