// sl1.h: the software L1 (Mokhtari and Stumm, "S-L1: A Software-based GPU L1 Cache that Outperforms the Hardware L1 for
// Data Processing Applications"), as a pass over PTX.
//
// A kernel's main loops, the outermost ones that touch global memory, are written several times. The first copy, the
// monitoring slice, counts for each of the kernel's data structures (its pointer arguments) how many accesses a single
// line per thread would serve. When a thread has made enough accesses, a choice is made. The second copy, the computing
// slice, goes on from the same point with the same registers. It accesses the chosen structures through lines in shared
// memory that are the thread's own.
//
// inline.c and forward.c let an address be followed to its kernel argument. plan.c finds loops and structures. stride.c
// predicts hits where the text tells them, inner.c says which inner loops are copied, and neighbour.c which accesses
// look at a tag together. kernel.c writes the slices; monitor.c, access.c, pair.c, registers.c and flush.c write what
// is put into them, calls.c the functions that they call, rewrite.c the module. temps.c names our registers, cap.c
// bounds them, launch.c says how much room there is. doc/use/sl1.md tells all of it to a newcomer.
#ifndef SL1_H
#define SL1_H

#include "ptx/flow.h"
#include "ptx/origin.h"

typedef struct Sl1Options {
    uint32_t line;       // bytes of a line: 8, 16 or 24
    uint32_t threshold;  // accesses of a thread before the choice; §3.2.1
    uint32_t again;      // rounds of a main loop after which a thread is monitored once more; 0: never; footnote 6
    bool per_warp;       // a warp chooses; else each thread does for itself, as in the paper
    bool cache_nothing;  // no structure is ever chosen, to see what the rest costs (Fig. 12)
    bool apart;          // the user promises that pointers don't alias
    bool alias;          // they are taken to alias, whatever a launch finds
    bool pairs;          // a structure has two neighbouring lines, which a warp's lanes move on together: access.c
    bool prefetch;       // after a line is loaded, the next one is loaded early
    bool scattered;      // a structure of which most lanes of a warp access the same line isn't cached
    bool strides;        // where strides are known, they choose instead of the monitor
    uint32_t registers;  // the lines of this many structures, those with most accesses, are in registers
    // A load of so many cycles or more is slow, and a line should make it faster; 0: loads aren't timed.
    uint32_t clock;
    bool lockstep;    // loops in which lanes could exchange data without a sign of it are left alone
    uint32_t warps;   // percent of the original's resident warps that the rewritten kernel must have to be launched
    bool neighbours;  // accesses a few bytes apart look at their line's tag once: neighbour.c
    bool banks;       // words of a warp's lines are interleaved, so that lane i always finds its own in bank i
} Sl1Options;
static const Sl1Options sl1_defaults = {.line = 16, .threshold = 300};
// options.c
// Settings: they stand in --sl1=line=8,strides of run and sl1, in the axis sl1 of a matrix and in ONCHIP_SL1.
typedef struct Sl1Setting {
    const char *name, *takes, *doc;  // takes: its value; null: none
} Sl1Setting;
extern const Sl1Setting sl1_settings[];
extern const size_t sl1_setting_count;
// Sets what a row of settings.def says. False: there is no such setting or value; why gets the reason.
bool sl1_set(Sl1Options *o, const char *name, const char *value, Diag *diag);
// Sets several settings, "line=8,decide=thread,noalias"; or with + between them, as a matrix needs it. "yes" sets none.
bool sl1_read(Sl1Options *o, const char *settings, Diag *diag);
enum { SL1_VERSION = 10 };  // part of a stored run's key: raised when rewritten kernels change

// At most: structures of a choice; main loops of a kernel that are rewritten; functions that they call, with the
// kernel.
enum { SL1_STRUCTURES = 7, SL1_LOOPS = 16, SL1_BODIES = 256 };
#define SL1_ALIAS "$sl1"  // suffixes of the rewritten kernels: pointers may alias; pointers don't
#define SL1_APART "$sl1_apart"

// --- graph.c: what a function does, together with the functions that it calls ----------------------------------------
typedef struct Sl1Node {
    const Function *f;
    uint32_t facts;  // SL1_…, of the function and of all that it leads to
    uint32_t first, last, next, number, low;
    uint32_t left;  // how many were left before it, by the search that goes from callers to what they call
    bool open;
} Sl1Node;
typedef struct Sl1Graph {
    Map index;
    VEC(Sl1Node) of;
    VEC(uint32_t) calls;
} Sl1Graph;

// --- plan.c: what is to be rewritten ---------------------------------------------------------------------------------
typedef struct Sl1Structure {
    uint32_t param;        // index of the kernel's parameter
    bool loaded, written;  // by the main loops
    bool barred;           // atomics or volatile accesses touch it: never cached
    uint32_t sites;        // access instructions in the text of the main loops
} Sl1Structure;
typedef struct Sl1Loop {
    uint32_t loop, head;  // of Flow.loops; its block
    const char *left;     // why it is left alone, or null
    // Lanes of a warp might exchange data in it with no barrier, fence or mark to show it: is_silent of plan.c.
    bool silent;
    int16_t hits[SL1_STRUCTURES];   // hits of 1000 accesses, as strides predict them; or one of the above
    double weight[SL1_STRUCTURES];  // of its accesses; accesses in deeper loops weigh more
    bool known;                     // the hits of all structures that may be cached are known
} Sl1Loop;
typedef struct Sl1Body {     // the kernel, or a function that its main loops call
    const Function *f, *of;  // the function, prepared; and as the module has it
    Function *own;           // f, if it is a function and not the kernel
    Flow *flow;
    // prov: per instruction, the parameter that its address derives from. value: per register, the parameter that its
    // value derives from. Or PROV_NONE.
    int16_t *prov, *value;
    int16_t *access;  // per instruction: a structure, or a Sl1Access
    int16_t *call;    // per instruction: the body that is called, or a Sl1Call
    int *loop_of;     // per block: the main loop it is in, or −1; of functions always 0
    int16_t *from;    // per parameter: the kernel's parameter that is passed for it
    Map results;      // which body's calls return their result in a variable: by the variable's address
    // The names of a function's copies' results at calls, for the monitoring and the computing slice.
    Symbol out[2];
} Sl1Body;
typedef struct Sl1Plan {
    const Function *f;
    Sl1Graph graph;         // the functions that f leads to
    bool crowded;           // there are more functions than SL1_BODIES
    VEC(Sl1Body *) bodies;  // the kernel first
    Sl1Structure structure[SL1_STRUCTURES];
    uint32_t structures;
    Sl1Loop loop[SL1_LOOPS];
    uint32_t loops;
    bool *quiet;                   // per loop of the kernel: has it a quiet copy? inner.c
    bool unknown, stores_unknown;  // a main loop accesses, or stores, through a pointer of unknown origin
    const char *left;              // why the kernel is left alone, or null
} Sl1Plan;

// --- kernel.c: a kernel's text ---------------------------------------------------------------------------------------
typedef enum Slice {
    SLICE_ORIGINAL,
    SLICE_MONITOR,
    SLICE_COMPUTE,
    SLICE_PLAIN,  // used where the choice was to cache nothing
    SLICE_QUIET,  // of an inner loop: inner.c
} Slice;
// An access that finds a line for others, or whose line another one found, some bytes away and just before it.
typedef struct Sl1Near {
    bool leads, follows;
    uint32_t apart;  // bytes: from the leader; of a leader, to the furthest that follows
} Sl1Near;
typedef enum Keeper { KEEPER_COMPUTE, KEEPER_MONITOR, KEEPER_INNER } Keeper;
typedef struct Sl1Writer {
    const Sl1Plan *plan;
    const Sl1Body *body;  // being written
    const Sl1Options *options;
    Function view;  // the body's function, with our registers, and with labels renamed for the slice being written
    bool alias;     // pointer arguments may point into the same memory
    Slice slice;
    uint32_t loop;      // of the slice
    uint32_t inner;     // of Flow.loops: the inner loop of which a copy is written: inner.c
    bool *inside;       // per block: is it in that loop? Null: no such copy is being written
    uint32_t labels;    // made so far
    Sl1Near *near;      // per instruction of the body
    Map own;            // our registers, by their names: temps.c
    uint32_t site;      // whose temporaries are used
    Keeper keeper;      // the slice whose tags and counters are used
    const char *x;      // the register with the address of the access being written
    const char *place;  // the register with the place of its bytes in shared memory
    Text aside;         // what the slice does at misses; it is written behind the blocks, so that hits don't branch
    Text *out;
    LineOrigins aside_origins, *origins;  // origins: of what is written into the kernel's text; may be null
    uint32_t source, loc;                 // where what is being written comes from, as in LineOrigin
} Sl1Writer;

// --- rewrite.c: a module ---------------------------------------------------------------------------------------------
typedef struct Sl1Kernel {
    char *name;
    // Parameters of the original. The rewritten kernels have two more, both .u32: where our part of dynamic shared
    // memory begins, and how many lines a thread has.
    uint32_t params;
    uint32_t structures, warp_bytes;
    bool pairs;  // where pointers don't alias, a structure may have two lines
    // The parameter with each structure's pointer, and where that lies in a buffer of all parameters.
    uint32_t param[SL1_STRUCTURES], offset[SL1_STRUCTURES];
    uint32_t param_bytes;  // size of such a buffer, without our parameters
    char *left;            // why it was left alone, or null
    bool silent;           // it has a loop for which sl1_silent was assumed
} Sl1Kernel;
typedef struct Sl1Module {
    VEC(Sl1Kernel) kernels;
} Sl1Module;
// Writes the module's text with the rewritten kernels behind it; the originals stay. *m tells what launches need to
// know. origins may be null.
void sl1_rewrite(const Module *module, const Sl1Options *o, Text *out, LineOrigins *origins, Sl1Module *m);
extern const char sl1_silent[];  // what is assumed of silent loops, for the user
// The same for a text. marked: with line marks, so that its instructions have the places of those they stand for.
bool sl1_rewrite_text(const char *ptx, size_t length, const char *name, const Sl1Options *o, bool marked, Text *out,
                      Sl1Module *m, Diag *diag);
// Prints every kernel as it is after a step, for the reader.
#define SL1_STEPS "inline|forward|plan|monitor|compute|plain"
bool sl1_dump(const Module *module, const Sl1Options *o, const char *step, Text *out);  // false: there is no such step
const Sl1Kernel *sl1_find(const Sl1Module *m, const char *name);
void sl1_module_free(Sl1Module *m);

// --- launch.c: which kernel is launched, and room for lines ----------------------------------------------------------
// Where the allocation that p leads to begins, and how many bytes it has. False: it isn't known.
typedef bool Sl1Range(void *user, uint64_t p, uint64_t *base, uint64_t *bytes);
// How many blocks of the original or of the rewritten kernel an SM has room for, with so much dynamic shared memory
// each.
typedef uint32_t Sl1Fit(void *user, bool original, uint32_t smem);
#define SL1_NO_ROOM "there is no room for a line"
typedef struct Sl1Share {
    uint32_t region;   // where our part begins, in bytes from the start of dynamic shared memory
    uint32_t lines;    // of a thread in it
    uint32_t smem;     // dynamic shared memory of a block
    const char *left;  // why the original is to be launched, or null
} Sl1Share;
// What a launch gets whose blocks have `threads` threads and smem bytes of dynamic shared memory of their own, of at
// most `most`. apart: it is of the kernel for pointers that don't alias.
Sl1Share sl1_share(const Sl1Kernel *k, const Sl1Options *o, bool apart, uint32_t threads, uint64_t grid_blocks,
                   uint32_t sms, uint32_t smem, uint32_t most, Sl1Fit *fit, void *user);
// Arguments of a launch: a pointer to each, or a buffer of all.
typedef struct Sl1Args {
    const void *const *each;
    const uint8_t *buffer;  // where each is null
} Sl1Args;
// What is asked of whatever launches: a simulated device, or a GPU's driver.
typedef struct Sl1Host {
    Sl1Range *range;
    bool (*kernel)(void *user, bool apart, const char *name);  // is there this rewritten kernel? share is asked of it
    Sl1Share (*share)(void *user, bool apart);  // by sl1_share, then or at an earlier launch like this one
    void *user;
} Sl1Host;
typedef enum Sl1Verdict { SL1_REWRITTEN, SL1_POINTERS, SL1_NO_KERNEL, SL1_CROWDED } Sl1Verdict;
typedef struct Sl1Choice {
    Sl1Verdict verdict;
    const char *why;  // the original is to be launched; null: the rewritten kernel
    bool apart;       // which one
    Sl1Share share;
} Sl1Choice;
// Whether a kernel that has rewritten ones is launched as one of them, and as which.
Sl1Choice sl1_launch(const Sl1Kernel *k, const Sl1Options *o, Sl1Args args, const Sl1Host *host);
// Pointers to the arguments of the rewritten kernel: the original's, and two into share. all has room for them.
void sl1_args(const Sl1Kernel *k, const void *const *each, const Sl1Share *share, const void **all);

#endif
