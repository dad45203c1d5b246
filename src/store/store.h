// store.h: the results store. A store is an SQLite file with a row for each run. Here a store is opened, runs are put
// into it, and stores are merged. Where a function returns null or false, diag has the reason.
#ifndef STORE_H
#define STORE_H

#include "work/programs.h"

// --- identity.c: what a run is known by ------------------------------------------------------------------------------
enum { KEY_DIGITS = 32 };
// What tells a run from others. identity_free releases its texts.
typedef struct Identity {
    char key[KEY_DIGITS + 1];  // the hash (XXH128) of all that determines the result, in hexadecimal
    // A CUDA program's key without the files that it reads, which only a run tells; else empty.
    char base[KEY_DIGITS + 1];
    char *verb, *program, *params, *gpu, *overrides, *options;
    bool checked;  // the program checks its result, as workloads do
} Identity;
void identity_free(Identity *id);
// Reads the next setting of an identity's list, "nx=64 ny=64", and moves *list behind it. False at the end.
bool setting_next(const char **list, Text *name, Text *value);
size_t setting_length(const char *p);  // of the setting at p, or of a program's name: bytes up to the next setting
const char *setting_name(const char *name);  // "sched" is short for "sched.policy"

// --- open.c: results that are kept -----------------------------------------------------------------------------------
typedef struct Store Store;
// Opens a store for reading and writing. Folders and file are made where they are missing, and a store of an older
// version is brought up to date. path null: the default, onchip/results.db under $XDG_DATA_HOME or ~/.local/share. path
// ":memory:": a store in memory, which is lost when it is closed.
Store *store_open(const char *path, Diag *diag);
// Opens a store for reading. It must exist; its file and folder needn't be writable.
Store *store_read(const char *path, Diag *diag);
void store_close(Store *s);
const char *store_path(const Store *s);

// --- store.c: runs that are kept -------------------------------------------------------------------------------------
typedef enum Stored { STORED_NOT, STORED_DONE, STORED_FAILED } Stored;
// Looks a run up, and checks that it is as it was stored.
bool store_find(Store *s, const char *key, Stored *found, Diag *diag);
// Says how many host seconds and bytes a run took that had the same program and parameters, on whatever GPU. *known is
// false when the store has no such run. Of these runs nothing is checked: an estimate only orders runs.
bool store_estimate(Store *s, const Identity *id, bool *known, double *seconds, double *bytes, Diag *diag);
typedef struct RunOutcome {
    const oc_device *device;  // the device on which it ran; null: nothing ran
    const char *error;        // why the run failed; null: it is done
    bool verified;
    const Findings *findings;  // null: none
    bool lines;                // what the kernels' lines did is kept, with their text
    double wall_seconds;
    uint64_t memory_bytes;  // the most that the process had
} RunOutcome;
// Puts a run into the store; an earlier run with the same key is replaced.
bool store_put(Store *s, const Identity *id, const RunOutcome *outcome, Diag *diag);

// --- inputs.c: runs that read files ----------------------------------------------------------------------------------
// What the measures of a CUDA program's run are called: the base of its identity, and the hash of each file that it
// read. Where the program read more than can be told, no run of it is ever found.
#define RESULT_MEASURE "result"  // of a file's kernels: a hash of what they left in their buffers
#define INPUT_BASE "program.base"
#define INPUT_FILE "program.input"
#define INPUT_MORE "program.more"
// Finds the run, among those with the base of id, for which same says of every file that it has the hash that it had.
// *found: id->key is the run's.
typedef bool InputSame(void *user, const char *file, const char *hash);
bool store_settle(Store *s, Identity *id, InputSame *same, void *user, bool *found, Diag *diag);

// --- merge.c: one store's runs into another --------------------------------------------------------------------------
typedef struct MergeCount {
    uint64_t added, known;
} MergeCount;
// Copies runs from the store at path into s: those that s lacks, and those that s has as failed while the other store
// has them done or failed later. Adds to count, which may be null.
bool store_merge(Store *s, const char *path, MergeCount *count, Diag *diag);
// The same from a store that store_bytes made into bytes.
bool store_absorb(Store *s, const void *bytes, size_t size, MergeCount *count, Diag *diag);
void *store_bytes(Store *s, size_t *size);  // the whole store as bytes; released with mem_free; null: no memory

#endif
