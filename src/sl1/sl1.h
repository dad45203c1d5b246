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
// look at a tag together. slice.c writes the slices; monitor.c, access.c, pair.c, registers.c and flush.c write what is
// put into them, calls.c the functions that they call, rewrite.c the module. temps.c names
// our registers, cap.c bounds them, launch.c says how much room there is.
// doc/use/sl1.md tells all of it to a newcomer.
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
// Lines of 24 bytes begin at the structure's pointer, so lines of two structures may overlap. They are used only where
// pointers lead to different allocations, and in kernels without pointers of unknown origin.
static inline bool sl1_needs_apart(const Sl1Options *o) { return o->line == 24; }
static const Sl1Options sl1_defaults = {.line = 16, .threshold = 300};
// options.c
// Settings: they stand in --sl1=line=8,strides of run and sl1, in the axis sl1 of a matrix and in ONCHIP_SL1.
typedef struct Sl1Setting {
    const char *name, *takes, *doc;  // takes: its value; null: none
} Sl1Setting;
extern const Sl1Setting sl1_settings[];
extern const size_t sl1_setting_count;
// Sets what a row of settings.def says. False: there is no such setting or value; why gets the reason.
bool sl1_set(Sl1Options *o, const char *name, const char *value, Text *why);
// Sets several settings, "line=8,decide=thread,noalias"; or with + between them, as a matrix needs it. "yes" sets none.
bool sl1_read(Sl1Options *o, const char *settings, Text *why);
enum { SL1_VERSION = 10 };  // part of a stored run's key: raised when rewritten kernels change

// At most: structures of a choice; main loops of a kernel that are rewritten; functions that they call, with the
// kernel.
enum { SL1_STRUCTURES = 7, SL1_LOOPS = 16, SL1_BODIES = 256 };
#define SL1_ALIAS "$sl1"  // suffixes of the rewritten kernels: pointers may alias; pointers don't
#define SL1_APART "$sl1_apart"

// --- prepare.c: what is planned and written from: copies, in which calls are inlined and local variables forwarded ---
// The caller frees the copy, after its plan and before its module. The original is left as it is.
Function *sl1_prepare(const Function *f);
void sl1_prepared_free(Function *copy);
typedef struct Sl1Names {
    Map taken;
    Module *m;
} Sl1Names;
void sl1_take_names(Sl1Names *n, const Function *f);  // takes the names that f and its module have
const char *sl1_name(Sl1Names *n, const char *stem,
                     int64_t number);  // stem$number, or stem with the next free number
void sl1_names_free(Sl1Names *n);
uint32_t sl1_reg(Function *f, const char *name, Type type);  // a new one
Type sl1_bits(uint64_t bytes);                               // .b8 … .b64
// An instruction for f with the source position of near. The caller sets its guard.
Inst sl1_inst(Function *f, const Inst *near, Op op, const uint16_t *suffix, int suffixes, const Operand *o,
              int operands);
// inline.c
Function *sl1_inline(const Function *f);  // makes the copy
// forward.c
void sl1_forward(Function *copy);  // in place

// --- graph.c: what a function does, together with the functions that it calls ----------------------------------------
enum {
    SL1_HIDES = 1,          // calls by address, or has instructions for which a warp must stay together
    SL1_MEMORY = 2,         // accesses memory that isn't its own
    SL1_ATOMIC = 4,         // has atomics, so that others may see its accesses
    SL1_TOGETHER = 8,       // a warp must stay together
    SL1_NO_COPY = 16,       // has no body, or has variables that exist once
    SL1_CYCLE = 32,         // calls itself, directly or through others
    SL1_STORES = 64,        // stores to memory that may be global
    SL1_TILE_LOADS = 128,   // loads from memory that may be shared
    SL1_TILE_STORES = 256,  // stores to memory that may be shared
};
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
Sl1Graph sl1_graph(const Function *f);
uint32_t sl1_facts(const Sl1Graph *g, const Function *f);
void sl1_graph_free(Sl1Graph *g);

// --- plan.c: what is to be rewritten ---------------------------------------------------------------------------------
typedef enum Sl1Access {
    SL1_OTHER = -2,
    SL1_UNKNOWN = -1
} Sl1Access;  // an access of other memory than global memory; one whose pointer is of unknown origin
typedef struct Sl1Structure {
    uint32_t param;        // index of the kernel's parameter
    bool loaded, written;  // by the main loops
    bool barred;           // atomics or volatile accesses touch it: never cached
    uint32_t sites;        // access instructions in the text of the main loops
} Sl1Structure;
enum { SL1_NOT_KNOWN = -1, SL1_NOT_USED = -2 };
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
    // Of a function: the names of its copies' results at calls, for the monitoring and the computing slice.
    Symbol out[2];
} Sl1Body;
typedef enum Sl1Call {
    SL1_NO_CALL = -1,
    SL1_HARMLESS = -2,
    SL1_OPAQUE = -3
} Sl1Call;  // accesses no memory but its own; it isn't known what it does
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
Sl1Plan *sl1_plan(const Function *f, bool lockstep);  // lockstep: silent loops are left alone
const Function *sl1_callee(const Inst *i);            // the function that a direct call calls, or null
uint32_t sl1_own_facts(const Function *f);            // SL1_… of f alone
bool sl1_is_static(const Symbol *s);                  // does this variable of a body exist once?
bool sl1_is_atomic(const Inst *i);                    // an atomic of memory that may be global
bool sl1_is_strong(const Inst *i);                    // volatile, relaxed, or with another memory order
void sl1_plan_free(Sl1Plan *p);
void sl1_plan_print(const Sl1Plan *p, Text *out);
// stride.c
void sl1_strides(Sl1Plan *p, uint32_t line);  // fills the loops' hits and weights, for lines of `line` bytes

// --- inner.c: copies of inner loops that aren't monitored ------------------------------------------------------------
void sl1_find_quiet(Sl1Plan *p);

// --- slice.c: a kernel's text ----------------------------------------------------------------------------------------
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
// With the functions that it calls. cap: the most registers of a thread; 0: it has no such limit.
void sl1_write_kernel(const Sl1Plan *p, const Sl1Options *o, bool alias, uint32_t cap, Text *out, LineOrigins *origins);
void sl1_write_slice(const Sl1Plan *p, const Sl1Options *o, bool alias, Slice slice,
                     Text *out);  // one slice alone, for the reader
// Sets %sl1_warp (where the warp's choices are), %sl1_lines (the thread's first line), %sl1_count (CLN).
void sl1_find_region(Sl1Writer *w);
void sl1_load_count(Sl1Writer *w);  // sets %sl1_count alone
void sl1_put_inst(Sl1Writer *w, const Inst *i);
void sl1_put(Sl1Writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));  // a line of PTX
// Where warps choose, each has sl1_warp_bytes before the lines in a block's shared memory: sl1_loop_bytes for each main
// loop. These hold the choice, then for each structure its hits and accesses; and, if loads are timed, its slow loads
// minus those that miss.
static inline uint32_t sl1_counts(const Sl1Options *o) { return o->clock ? 3 : 2; }  // of a structure
uint32_t sl1_warp_bytes(const Sl1Plan *p, const Sl1Options *o);
uint32_t sl1_loop_bytes(const Sl1Plan *p, const Sl1Options *o);
// Of our part of dynamic shared memory, and of the lines in it.
static inline uint32_t sl1_align(const Sl1Options *o) { return o->pairs ? 32 : 16; }
bool sl1_has_bitmap(const Sl1Writer *w, uint32_t structure);
bool sl1_has_high(const Sl1Writer *w, uint32_t structure);
bool sl1_has_next(const Sl1Writer *w, uint32_t structure);

// --- temps.c: names of our registers ---------------------------------------------------------------------------------
void sl1_add_reg(Sl1Writer *w, Type type, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sl1_next_site(Sl1Writer *w);                    // what is put from now on has temporaries of its own
uint32_t sl1_own(Sl1Writer *w, const char *name);    // the register that this name means here; NO_REG: there is none
void sl1_put_named(Sl1Writer *w, const char *line);  // puts the line, with the names of such registers

// --- neighbour.c: accesses that need no look at a tag of their own ---------------------------------------------------
void sl1_find_neighbours(Sl1Writer *w);

// --- pair.c: two lines of a structure --------------------------------------------------------------------------------
bool sl1_pairs(const Sl1Writer *w);                       // may structures of this kernel have two lines?
bool sl1_paired(const Sl1Writer *w, uint32_t structure);  // has it two lines, where there is room?
void sl1_move_pair(Sl1Writer *w, uint32_t structure);     // for an access of %sl1_low, with the whole address in w->x
void sl1_take_line(Sl1Writer *w, uint32_t structure, uint32_t half);  // the lower (0) or upper line into %sl1_v0 …
void sl1_put_span(Sl1Writer *w);

// --- registers.c: lines in registers ---------------------------------------------------------------------------------
bool sl1_in_registers(const Sl1Writer *w, uint32_t structure);
void sl1_line_words(const Sl1Writer *w, char letter, uint32_t structure,
                    char out[100]);  // the words of the line (letter w) or of the next line (e), as a vector
void sl1_access_words(Sl1Writer *w, const Inst *i,
                      uint32_t structure);  // accesses the line in registers at offset %sl1_t, which a store keeps

// --- calls.c: functions that a main loop calls -----------------------------------------------------------------------
// Declares the variables in which calls of a slice return their results and the cache's state.
void sl1_declare_results(Sl1Writer *w);
// Calls the slice's copy of the function, and passes the cache's state.
void sl1_call(Sl1Writer *w, const Inst *i, uint32_t body);
// Writes an access of a call's result, which now stands behind the state; false: it is no such access.
bool sl1_move_result(Sl1Writer *w, const Inst *i);
void sl1_state_in(Sl1Writer *w), sl1_state_out(Sl1Writer *w);  // at a function's beginning and where it returns
void sl1_write_head(Sl1Writer *w, uint32_t body, Text *out);   // a function's head, without its body

// --- monitor.c, access.c, flush.c: what is put into the slices -------------------------------------------------------
// Sets q to whether any (or all) of the active lanes have %sl1_p set.
void sl1_vote(Sl1Writer *w, const char *mode, const char *q);
void sl1_begin_monitor(Sl1Writer *w);               // before a main loop
void sl1_check_monitor(Sl1Writer *w);               // at its head: were enough accesses made?
void sl1_check_inner(Sl1Writer *w, uint32_t loop);  // at the head of an inner loop that has copies
// Is a choice made at the head of this inner loop?
static inline bool sl1_chooses_at(const Loop *l) { return l->depth == 2; }
bool sl1_chooses_inside(const Sl1Writer *w);  // has the slice's main loop such inner loops?
void sl1_leave_inner(Sl1Writer *w);           // behind the cached copy of one, whose lines were flushed
// At the head of a slice that isn't monitored: were enough rounds made? And the way back to the monitoring slice.
void sl1_check_rounds(Sl1Writer *w);
void sl1_monitor_again(Sl1Writer *w);
bool sl1_monitors_again(const Sl1Writer *w);          // is this loop monitored more than once?
void sl1_simulate(Sl1Writer *w, uint32_t structure);  // simulateCache (§3.2.1) for the address w->x
void sl1_put_timed(Sl1Writer *w, const Inst *i,
                   uint32_t structure);  // the access itself, timed if the clock setting asks for it
// CalculateWhatToCache (§3.2.2); then on to the computing slice, or to a copy of this inner loop (else NO_BLOCK).
void sl1_choose(Sl1Writer *w, uint32_t inner);
void sl1_choose_by_strides(Sl1Writer *w);     // the same, without a monitor
bool sl1_strides_choose(const Sl1Writer *w);  // this loop has no monitor, its strides choose
// Its strides are known not to be worth a line, and no line may hold its bytes.
bool sl1_is_poor(const Sl1Writer *w, int structure);
// Computes the line of w->x in the form that tags have; returns its register.
const char *sl1_line_of(Sl1Writer *w, uint32_t structure);
void sl1_address(Sl1Writer *w, const Inst *i);  // sets w->x
// AccessThroughCache (§3.2.3), with the computation of the address.
void sl1_access(Sl1Writer *w, const Inst *i, int structure, const Sl1Near *near);
// Does an access of this structure only look at the structure's own line, which is in shared memory?
bool sl1_through_own(const Sl1Writer *w, const Inst *i, int structure);
const Operand *sl1_address_of(const Inst *i);  // the operand of a load, store or reduction
// An access of memory itself; what lines hold of its bytes is written back first.
void sl1_go_past(Sl1Writer *w, const Inst *i, int structure);
void sl1_flush(Sl1Writer *w);                           // all lines are written back and forgotten
void sl1_write_back(Sl1Writer *w, uint32_t structure);  // writes its lines back, if they were written to
// The same for one of a pair's lines: 0 or 1. What was written to is still marked then.
void sl1_write_half(Sl1Writer *w, uint32_t structure, uint32_t half);
void sl1_move_line(Sl1Writer *w, uint32_t structure, bool load,
                   const char *address);  // loads or stores a whole line of global memory
void sl1_forget(Sl1Writer *w, uint32_t structure);
void sl1_put_high(Sl1Writer *w, uint32_t structure);  // sets %sl1_g…, the high half of the line's address
void sl1_put_tag(Sl1Writer *w, uint32_t structure);   // sets %sl1_z, the line's address

// --- cap.c: the most registers of a rewritten kernel -----------------------------------------------------------------
// 32-bit registers of a thread, with those of the functions along the deepest chain of calls, if nothing is spilled.
uint32_t sl1_need(const Function *f);
// The most registers with which a multiprocessor of compute capability sm holds as many warps as it can, where no more
// than `state` are spilled, nor more than rewriting added; 0: it does without a cap. Both needs are those of sl1_need.
uint32_t sl1_cap(uint32_t sm, uint32_t original, uint32_t rewritten, uint32_t state);

// --- rewrite.c: a module ---------------------------------------------------------------------------------------------
typedef struct Sl1Kernel {
    char *name;
    // Of the original. The rewritten kernels have two more, both .u32: where our part of dynamic shared memory begins,
    // and how many lines a thread has.
    uint32_t params;
    uint32_t structures, warp_bytes;
    bool pairs;  // where pointers don't alias, a structure may have two lines
    // Of each structure: the parameter with its pointer, and where that lies in a buffer of all parameters.
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
// Does each structure's pointer (pointer[i]) lead to an allocation, and, unless the user promised that pointers don't
// alias, to one of its own?
bool sl1_apart(const Sl1Kernel *k, const Sl1Options *o, const uint64_t *pointer, Sl1Range *range, void *user);
#define SL1_NO_ROOM "there is no room for a line"
typedef struct Sl1Share {
    uint32_t region;   // where our part begins, in bytes from the start of dynamic shared memory
    uint32_t lines;    // of a thread in it
    uint32_t smem;     // dynamic shared memory of a block
    const char *left;  // why the original is to be launched, or null
} Sl1Share;
// How many blocks of the original or of the rewritten kernel an SM has room for, with so much dynamic shared memory
// each.
typedef uint32_t Sl1Fit(void *user, bool original, uint32_t smem);
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
