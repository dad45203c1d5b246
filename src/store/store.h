// store.h: results that are kept, in SQLite: opening a store, what is put into it, and stores that come together.
#ifndef STORE_H
#define STORE_H

#include "work/programs.h"

// --- identity.c: what a run is known by ------------------------------------------------------------------------------
enum { KEY_DIGITS = 32 };
// A run as the store knows it; owned texts, released with identity_free.
typedef struct Identity {
    char key[KEY_DIGITS + 1];  // hexadecimal: XXH128 of all that determines the result
    char *verb, *program, *params, *gpu, *overrides, *options;
    bool checked;  // its program checks its result: a workload does
} Identity;
void identity_free(Identity *id);
// The next setting of a list as an identity has them, "nx=64 ny=64"; *list moves behind it. False at the end.
bool setting_next(const char **list, Text *name, Text *value);
const char *setting_name(const char *name);  // "sched" is short for "sched.policy"

// --- store.c: results that are kept ----------------------------------------------------------------------------------
typedef struct Store Store;
// path: null is the default, onchip/results.db under $XDG_DATA_HOME or ~/.local/share; ":memory:" is a store that is
// lost when closed. Folders and file are made where they lack; an older store is brought up to date.
Store *store_open(const char *path, Diag *diag);
// One that is there, for reading; also where nothing can be written.
Store *store_read(const char *path, Diag *diag);
void store_close(Store *s);
const char *store_path(const Store *s);
typedef enum Stored { STORED_NOT, STORED_DONE, STORED_FAILED } Stored;
Stored store_find(Store *s, const char *key);
// What a run of the same program with the same parameters took, on whatever GPU: host seconds and bytes; false:
// unknown.
bool store_estimate(Store *s, const Identity *id, double *seconds, double *bytes);
typedef struct RunOutcome {
    const oc_device *device;  // what ran; null when nothing did
    const char *error;        // null when the run is done
    bool verified;
    const Findings *findings;  // null: none
    double wall_seconds;
    uint64_t memory_bytes;
} RunOutcome;
bool store_put(Store *s, const Identity *id, const RunOutcome *outcome, Diag *diag);

// --- merge.c: one store's runs into another --------------------------------------------------------------------------
typedef struct MergeCount {
    uint64_t added, known;
} MergeCount;
// Takes over the runs that s lacks, or has as failed while the other has them done or failed later.
bool store_merge(Store *s, const char *path, MergeCount *count, Diag *diag);
bool store_absorb(Store *s, const void *bytes, size_t size, MergeCount *count,
                  Diag *diag);              // a store as store_bytes gave it
void *store_bytes(Store *s, size_t *size);  // the whole store; released with mem_free

#endif
