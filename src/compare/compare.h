// compare.h: two versions of a program side by side. A version is a run, a stored run, or the JSON of onchip
// run. All fill the same form, and the comparison reads that form alone. Where a
// function returns false, diag has the reason.
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "gpu/gpu.h"
#include "store/query.h"

// --- version.c: the form ---------------------------------------------------------------------------------------------
// Texts belong to the version's arena. They may be a stranger's: none has a control character.
typedef struct VersionArray {  // what a kernel did with a data structure
    const char *name;
    uint64_t accesses, sectors, l1_accesses, l1_hits, dram_bytes;  // accesses: instructions of warps
} VersionArray;
static inline uint64_t version_misses(const VersionArray *a)
{
    return a->l1_hits < a->l1_accesses ? a->l1_accesses - a->l1_hits : 0;
}
typedef struct VersionLine {
    const char *file;
    const char *text;  // null: it isn't known
    uint64_t line, issued, stalls;
} VersionLine;
typedef struct VersionKernel {  // the launches of a kernel, summed
    const char *name;           // as the PTX has it
    const char *shown, *plain;  // in full; without its scope and the values of its parameters
    bool timed, partial;        // partial: some launch was cut short
    uint64_t launches, count[C_COUNT];
    bool lacks[C_COUNT];  // counters that the document of some launch doesn't have: the count is too low
    double seconds;
    const char *limited;  // what limits it, or the launch that took most; null: it isn't known
    uint64_t longest;     // the cycles of that launch
    VEC(VersionArray) arrays;
    VEC(VersionLine) lines;  // none: nobody asked for them
} VersionKernel;
typedef struct Version {
    Arena arena;
    const char *input;  // how the user names it
    const char *about;  // what was run, on which GPU
    int64_t model;      // of the simulator that ran it; 0: it isn't known
    VEC(VersionKernel) kernels;
    VersionKernel whole;  // the counters and the time of all timed kernels; has no names
    Gpu *gpu;             // has only what formulas over counters need; 0 where it isn't known
} Version;
void version_free(Version *v);

// --- document.c, stored.c: what fills it -----------------------------------------------------------------------------
// From the JSON of onchip run. name: of the file, for errors.
bool version_document(Version *v, const char *name, const char *text, size_t size, Diag *diag);
// From the run of the store whose key begins so; "": from the only one that it has.
bool version_stored(Version *v, Store *s, const char *key, Diag *diag);
void stored_limits(const RunKernel *k, const Gpu *g, Text *out);  // what limits a kernel, in words

// --- changes.c: what differs -----------------------------------------------------------------------------------------
typedef enum Match { MATCH_NAME, MATCH_PLAIN, MATCH_PLACE } Match;
typedef struct ArrayPair {
    const VersionArray *of[2];  // null: that version has none of this name
} ArrayPair;
typedef struct LinePair {
    const VersionLine *of[2];
} LinePair;
typedef struct KernelPair {
    const VersionKernel *of[2];  // null: that version hasn't the kernel
    Match match;
    bool limits;            // what limits it differs
    VEC(ArrayPair) arrays;  // those that differ, the largest difference of sectors and DRAM bytes first
    VEC(LinePair) lines;    // whose number of instructions differs, the largest difference first
    bool differs;           // in any counter
} KernelPair;
typedef struct Changes {
    const Version *of[2];
    bool clocks;            // the clocks differ, so that cycles have two lengths
    bool models;            // the models differ: what differs may be the simulator's doing
    VEC(KernelPair) pairs;  // the largest difference of time first, and last those that are equal
} Changes;
void changes_find(const Version *before, const Version *now, Changes *out);
void changes_free(Changes *c);
static inline bool pair_has(const KernelPair *p, int c) { return !p->of[0]->lacks[c] && !p->of[1]->lacks[c]; }
// Whether a counter is known of both versions of a kernel, and differs.
static inline bool pair_differs(const KernelPair *p, int c)
{
    return pair_has(p, c) && p->of[0]->count[c] != p->of[1]->count[c];
}
// How many counters aren't compared, since some kernel of a version lacks them. names: the first of them, if not null.
size_t changes_lacking(const Changes *c, size_t most, Text *names);
// A metric of both versions of a kernel, or of what all timed kernels did (pair null): a counter, a rate, a name of
// Nsight's, or "time", in seconds. NAN: it isn't known.
void change_values(const Changes *c, const KernelPair *pair, const char *metric, double value[2]);
double change_share(const double value[2]);  // new / old - 1; 0 of equal values; INFINITY if the old one is 0

// --- gate.c: how much may change -------------------------------------------------------------------------------------
typedef struct GateLimit {
    const char *metric;  // "time", or a metric's name
    double percent;      // of the old value; below 0: by how much it may fall
} GateLimit;
typedef struct Gate {
    Arena arena;
    VEC(GateLimit) limits;
} Gate;
typedef struct GateFailure {
    const GateLimit *limit;
    const KernelPair *pair;  // null: all kernels together
    double value[2];
} GateFailure;
typedef VEC(GateFailure) GateFailures;
bool gate_read(Gate *g, const char *list, Diag *diag);  // adds "5%", or "dram.bytes=10%,cycles=3%"
// False, and why: a metric isn't known of some kernel.
bool gate_judge(const Gate *g, const Changes *c, GateFailures *out, Diag *diag);
void gate_free(Gate *g);

#endif
