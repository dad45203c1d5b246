// exec.h: what one warp instruction does to registers and memory. How long it takes isn't known here: who runs a warp
// sets the clock (Env.clock), which %clock reads, sleeping threads wait for and the log orders stores by.
//
// exec_step runs the next instruction of a warp and reports in a Step what was dynamic about it: the lanes that took
// part and their addresses. What it touches outside the warp goes through the Env: shared memory of the CTA at once,
// global memory through the Env's Log when there is one (cycle mode) or at once (functional mode). What is run stands
// in code.h and launch.h, memory in gmem.h and texel.h, what goes wrong in fault.h; what the files of this folder alone
// share in unit.h and decode.h.
#ifndef EXEC_H
#define EXEC_H

#include "base/tensor_map.h"
#include "exec/code.h"
#include "exec/fault.h"
#include "exec/gmem.h"
#include "exec/texel.h"

// --- log.c: a window's stores and deferred operations ----------------------------------------------------------------
// (doc/extend/design.md, "A window".) Plain stores go into lines of 128 bytes with a mask; the SM's own loads see them.
// At the edge the lines of all SMs are written to memory, a byte that several wrote taking the value of the last in
// (cycle, SM) order; then the deferred operations of all SMs run in the order (cycle, SM, sequence).
typedef struct Deferred {
    struct Warp *warp;
    const Dinst *d;
    Code *code;  // the instruction's
    uint64_t cycle;
    uint32_t mask, base;  // lanes; the frame's first row
    uint32_t tracker;     // the SM's handle for what waits for it, which the SM enters
    bool cluster;         // addresses are of the cluster's shared memory
    uint64_t addr[LANES];
    uint64_t x[LANES], y[LANES];  // operands of an atomic; the value of a store (first element)
    uint8_t *more;                // the other elements of a vector store, or null
} Deferred;
typedef struct Log {
    VEC(struct LogLine) lines;
    uint32_t *table;  // open addressing, index + 1
    uint32_t table_size;
    uint64_t filter[64];   // which lines may be here: bit (line hash & 4095)
    uint64_t pending[64];  // likewise for deferred operations
    VEC(Deferred) deferred;
    VEC(uint32_t) table_used;
} Log;
void log_free(Log *log);
// Applies the logs of n SMs (stride bytes apart behind first) to memory and empties them. done is called for every
// deferred operation, in order, after its result is in the warp's registers.
struct Env;
typedef void LogDone(void *user, uint32_t sm, const Deferred *d);
void log_apply(struct Env **envs, uint32_t n, Gmem *g, LogDone *done, void *user);

// --- warps: trees of splits ------------------------------------------------------------------------------------------
// A leaf is a set of lanes at one pc. Where lanes part, the leaf becomes a node that waits for its kids at the
// reconvergence pc, and each side a leaf below it; lanes that get there are collected in the node, and when no kid is
// left the node is a leaf again. A call is a node with one kid per callee. Invariant: the masks of all leaves and all
// arrived masks are disjoint, and together they are the warp's live lanes.
typedef struct Split {
    uint32_t mask, pc, rpc;  // rpc: where this leaf arrives at its parent; NO_RPC: nowhere
    int32_t parent, kids;    // parent: -1 at the root
    uint8_t state;           // a SplitState
    bool is_call;            // the leaf's parent is a call: arriving copies the return values
    bool synced;             // the time of yielding counts fast: it did something that others can see
    bool tries;              // it comes back to a try_wait that it waits at
    uint32_t arrived;
    uint32_t base, local_base;  // the frame: first row; first byte of local memory
    uint32_t stack;             // bytes of the rows of this frame and those it was called from
    Code *code;
    uint32_t backs;  // back edges taken since it was picked
    uint32_t wait;   // lanes it waits for (SYNC), barrier's number (BARRIER) or place in shared memory (MBAR)
    uint64_t since;  // the clock when it began to wait
    uint64_t until;  // SLEEP, MBAR
} Split;

typedef struct Watch {  // stuck.c
    uint32_t epoch, polls;
    uint32_t edges, next;    // back edges so far; with which a new state is remembered, 0: none is yet
    uint32_t rest;           // back edges before a state may be hashed again
    uint64_t glance, state;  // of the remembered state: hashes of a part, and of all of it
    bool repeats, clocked;   // it came back to a state; it read a clock
} Watch;

typedef struct Cta Cta;
typedef struct Warp {
    // What each instruction touches is one line: an SM has many warps, and each window comes to all of them.
    _Alignas(HOST_LINE) Lanes l;  // of the current split's frame
    uint32_t pc, mask, rpc;       // the current split's, cached
    Code *code;
    int cur;                         // index of the current split; -1: none can run
    uint32_t live;                   // lanes that haven't exited
    uint8_t *rows;                   // registers and predicates of all frames
    uint32_t rows_cap, rows_room;    // bytes: in use, and that there is room for
    uint8_t *local;                  // local memory, words interleaved by lane
    uint32_t local_cap, local_room;  // bytes per lane, likewise
    VEC(Split) splits;
    uint32_t first_free;  // of them: none before it is
    Cta *cta;
    uint32_t in_cta;         // warp number in its CTA
    uint32_t slot;           // warp slot in the SM
    uint32_t tid0;           // linear thread number of lane 0
    uint32_t cluster_phase;  // of the barrier of the cluster that it arrived at last
    Watch watch;
    bool products;         // some are under way, and whoever checks the launch watches their registers (check_before)
    struct Audit *audit;   // audit.c; null: nobody asked
    struct Bases *bases;   // straight.c; null: there are none
    uint32_t bases_known;  // who runs it otherwise between two times sets it to 0, or knows that none was written
} Warp;

typedef struct Barrier {
    uint32_t arrived, expected;  // threads; expected 0: all of the CTA
    uint32_t reduce;             // running and/or/popc of bar.red
    bool used;
} Barrier;

// Blocks that run side by side and see each other's shared memory. A block of a launch without clusters is one alone.
#define MAX_CLUSTER 16
typedef struct Cluster {
    Cta *cta[MAX_CLUSTER];   // by rank
    uint32_t n, members;     // blocks; of them, those that haven't made room for another one
    uint32_t arrived, live;  // threads: at its barrier; that haven't exited
    uint32_t phase;          // of its barrier: changes at a window's edge alone
    uint32_t told;           // to --check: the last fence of those that have arrived (check_order.c)
} Cluster;

struct Cta {
    Warp *warps;
    uint32_t warp_count, warp_room;  // of the block; that are there
    uint32_t threads, live_threads;
    uint32_t x, y, z;
    uint64_t number;  // linear block number
    uint8_t *shared;
    uint32_t shared_bytes, shared_room;
    Barrier barrier[16];
    uint32_t tries;  // splits that wait at an mbarrier
    Cluster alone, *cluster;
    uint32_t rank;  // in its cluster
    struct Env *env;
    bool running;
    struct CheckCta *check;  // null: nobody has checked it
};

// Who asks for what is done later: an instruction of a thread. code null: nobody is known.
typedef struct Doer {
    Code *code;
    uint32_t pc, block[3], thread[3];
} Doer;

// --- mbarrier.c, bulk.c, late.c: what is asynchronous ----------------------------------------------------------------
// A copy in bulk. Its values are where they belong from its issue on, or from the next window's edge. Its barriers are
// told that it is over when the SM says so (exec_copied); in a run without time, at once.
typedef enum CopyWay { COPY_IN, COPY_OUT, COPY_REDUCE, COPY_ACROSS, COPY_PREFETCH } CopyWay;
typedef struct CopyRow {  // of global memory
    uint64_t address;
    uint32_t bytes;
} CopyRow;
typedef struct Copy {
    VEC(CopyRow) rows;
    CopyWay way;
    uint32_t bytes;  // of shared memory
    Cta *cta;        // the block that asked for it,
    uint64_t number;
    uint32_t barrier;  // the place of the barrier that it tells, in each of these blocks of the cluster, a bit each
    uint16_t blocks;   // 0: it tells none
    uint32_t stat;     // its instruction, as in Step
    Doer doer;
} Copy;
void exec_copied(struct Env *env, const Copy *c);
// Arrivals that wait for a warp's copies (cp.async.mbarrier.arrive).
typedef struct Arrival {
    Cta *cta;
    uint64_t number;
    uint32_t barrier, count;
} Arrival;
void exec_arrive(struct Env *env, const Arrival *a);

// What is done at the window's edge, in the order (cycle, SM, sequence): what a block does to another one of its
// cluster, and copies that can't be carried out before.
typedef enum LateKind { LATE_BARRIER, LATE_WRITE, LATE_REDUCE, LATE_ADD, LATE_ARRIVE, LATE_EXIT } LateKind;
typedef struct Late {
    LateKind kind;
    uint64_t cycle;
    Cta *cta;         // whose shared memory, or cluster
    uint64_t number;  // the block's
    const Dinst *d;
    Doer doer;
    uint32_t at, count;  // in shared memory; bytes, arrivals or threads
    uint32_t barrier;    // of what is written or combined: the place of the mbarrier that is told, + 1; 0: none
    uint8_t type;        // of what is combined
    uint8_t change;      // of a barrier: MbarChanges; what is written: a swizzle
    uint64_t address;    // of global memory
    uint8_t *data;       // count bytes, or null
} Late;

// --- the environment of an SM (or of the functional mode) ------------------------------------------------------------
typedef struct Step {
    const Dinst *d;
    uint32_t mask;        // lanes that took part
    uint32_t stat;        // the instruction's number among all of the kernel's
    uint32_t other_mask;  // lanes of a generic access that went to other_space
    uint8_t result;       // STEP_…
    uint8_t space;        // of a memory access, generic resolved; SP_NONE: nothing to time
    bool deferred;        // its values come at the window's edge
    bool away;            // some of them from the shared memory of other blocks
    bool parted;          // a branch that some of the warp's lanes took and others didn't, or to another place
    // All 32 lanes, in runs of 32, 16 or 8 (blocks narrower than a warp) whose addresses step by stride (below 2^31);
    // or, of an access of words, `part` neighbouring lanes, fewer than 32, whose addresses do. 0 and 0: anything else.
    uint8_t run, part;
    uint8_t other_space;
    uint32_t stride;
    uint32_t bytes;  // per lane
    uint64_t addr[LANES];
} Step;
enum { STEP_DONE, STEP_WAIT, STEP_EXIT, STEP_FAULT };  // WAIT: the split waits (barrier, sync, sleep); EXIT: warp over

// Shuffles from lanes that take no part: how many lanes read one, and where the first did.
typedef struct Undefined {
    uint64_t lanes, cycle;
    const Code *code;
    uint32_t pc;
} Undefined;

// Reads behind the end of an allocation (overread.c).
typedef struct Overread {
    uint64_t lanes;
    Fault first;   // as it would be one
    uint32_t now;  // lanes of the instruction that is executed; who checks accesses takes them
} Overread;

typedef struct Env {
    Gmem *gmem;
    Log *log;  // null: memory is written at once
    const Texture *textures;
    uint32_t texture_count;
    const LaunchInfo *launch;
    uint64_t clock;        // what %clock64 reads: the cycle
    uint64_t nanoseconds;  // what %globaltimer reads at clock 0
    double ns_per_clock;
    bool dated;             // something read the time of day or the launch's number
    uint32_t window_cycle;  // clock within the window
    uint32_t sm, sm_count, max_warps;
    uint64_t changed;  // clock of the last change that others can see: memory, a thread that is over
    uint32_t watch;    // the epoch's number while warps are watched (stuck.c); 0: they aren't
    Step step;
    Fault fault;
    void (*wake)(struct Env *env, Warp *w);  // a split of w can run again
    void *owner;
    Text printed;  // printf output, functional mode or at edges
    Undefined undefined;
    bool overread;  // such reads go on
    Overread over;
    VEC(Copy) copies;       // of the last instruction, for the SM to take
    VEC(Arrival) arrivals;  // likewise
    VEC(Late) late;         // until the window's edge
    struct {
        uint64_t start, end;
    } near[64];  // allocations lately used, by instruction
    uint32_t stamp;
    struct Check *check;  // null: nobody asked
} Env;

// cta.c: the bytes that a CTA, which begins empty, takes from the host for a block of a launch, beyond what it has
uint64_t exec_cta_lacks(const Cta *cta, const LaunchInfo *l);
// Starts a block of env->launch; the caller gives its warps their slots. rank: its number in the cluster; else null, 0.
void exec_cta_start(Env *env, Cta *cta, uint64_t number, Cluster *cluster, uint32_t rank);
void exec_cta_free(Cta *cta);
void exec_env_free(Env *env);  // what it has of the host's memory
// cluster.c
Cluster *exec_cluster(uint32_t blocks);  // freed by the last of its blocks
// The number of a block by its cluster's and its rank there.
uint64_t exec_cluster_member(const LaunchInfo *l, uint64_t cluster, uint32_t rank);
static inline uint32_t exec_cluster_blocks(const LaunchInfo *l)
{
    return l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
}
// memory.c: a plain load or store of words (D_WORD), the most frequent of what exec_other does
void exec_word(Env *env, Warp *w, const Dinst *d, uint32_t mask);
// step.c
void exec_other(Env *env, Warp *w, const Dinst *d, uint32_t mask);  // what exec_step doesn't do itself
void exec_came(Env *env, Warp *w);                                  // the warp has come to an instruction
// The lanes that take part in a warp's next instruction.
ALWAYS_INLINE uint32_t exec_mask(const Warp *w, const Dinst *d)
{
    if (d->guard == PRED_TRUE) return w->mask;
    return w->mask & (d->guard_negated ? ~w->l.pred[d->guard] : w->l.pred[d->guard]);
}
// Runs the next instruction of a warp; its result is in env->step. Most just compute on lanes.
ALWAYS_INLINE void exec_step(Env *env, Warp *w)
{
    Step *s = &env->step;
    const Dinst *d = &w->code->insts[w->pc];
    const uint32_t mask = exec_mask(w, d);
    s->d = d;
    s->stat = w->code->stat_base + d->index;
    s->mask = mask;
    s->other_mask = 0;
    s->result = STEP_DONE;
    s->space = SP_NONE;
    s->deferred = s->parted = s->away = false;
    s->run = s->part = 0;
    if (mask && d->kind != X_LANES) {
        if (d->flags & D_WORD)
            exec_word(env, w, d, mask);
        else
            exec_other(env, w, d, mask);
        return;
    }
    if (mask) d->fn(&w->l, d, mask);
    if (++w->pc == w->rpc) exec_came(env, w);
}
// The same for one that just computes on lanes (X_LANES), without a step. Returns the lanes that took part.
ALWAYS_INLINE uint32_t exec_lanes(Env *env, Warp *w, const Dinst *d)
{
    const uint32_t mask = exec_mask(w, d);
    if (mask) d->fn(&w->l, d, mask);
    if (++w->pc == w->rpc) exec_came(env, w);
    return mask;
}
bool exec_sleepers(Env *env, Warp *w);   // wakes splits whose nanosleep is over; true: one runs
uint64_t exec_wake_time(const Warp *w);  // the earliest such time, or UINT64_MAX
// split.c
bool exec_goes_apart(const Warp *w);  // lanes that aren't at its pc can run, too: they go another way
// fault.c
void exec_explain(const Fault *fault, const Gmem *g, Text *out);  // the message for the user
void exec_dump_warp(const Warp *w, Text *out);                    // splits and live registers
void exec_place(const Code *code, uint32_t pc, Text *out);        // "kernel at file.ptx:12 (file.cu:5)"

// audit.c: does w's next instruction find each word in the file that files.c chose? False, with a fault: it doesn't.
bool exec_audit(Env *env, Warp *w);  // before each exec_step, or never
void exec_audit_start(Warp *w);      // a warp begins

// --- check*.c: what a kernel does that PTX leaves undefined (onchip run --check) -------------------------------------
typedef struct Check Check;
Check *check_open(void);
void check_close(Check *c);
// A launch begins; it ends, and its findings are added. limit: what wasn't checked for want of room, in words, or null.
void check_begin(Check *c, const LaunchInfo *l, const Gmem *g);
void check_end(Check *c, Flaws *flaws, const char **limit);
// Device memory was written by others than a kernel, or allocated. It need not be there.
void check_written(Check *c, uint64_t address, uint64_t bytes, bool written);
void check_copied(Check *c, uint64_t to, uint64_t from, uint64_t bytes);
void check_before(Env *env, Warp *w);  // its next instruction is about to be executed, and Warp.products is set
void check_stuck(const Warp *w);       // it waits in a launch that hangs

// stuck.c: is a warp in a loop that nothing will end? Called while env->watch is set.
typedef enum WatchVerdict { WATCH_WORKS, WATCH_POLLS, WATCH_STUCK } WatchVerdict;
WatchVerdict watch_judge(const Env *env, Warp *w, uint64_t begin);

#endif
