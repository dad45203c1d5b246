// exec.h: what one warp instruction does to registers and memory. How long it takes isn't known here: who runs a warp
// sets the clock (Env.clock), which %clock reads, sleeping threads wait for and the log orders stores by.
//
// A kernel is decoded (decode.c) into Code: instructions whose operands are byte offsets and whose operation is a
// function over 32 lanes. exec_step runs the next instruction of a warp and reports in a Step what was dynamic about
// it: the lanes that took part and their addresses. What it touches outside the warp goes through the Env: shared
// memory of the CTA at once, global memory through the Env's Log when there is one (cycle mode) or at once
// (functional mode). What the files of this folder alone share stands in run.h and decode.h.
#ifndef EXEC_H
#define EXEC_H

#include "base/tensor_map.h"
#include "ptx/flow.h"

#define LANES 32
#define FULL 0xffffffffu

// --- lanes: registers as [register][32 lanes] ------------------------------------------------------------------------
// A row is one 32-bit register of all lanes: 128 bytes. A 64-bit register is two rows holding 32 64-bit values, one of
// 128 bits four: its lower halves like a 64-bit register, then its upper ones. Values of 8 and 16 bits lie
// zero-extended in 32. Predicates are one 32-bit mask each; number 0 is always true, and nobody reads number 1.
#define ROW_BYTES 128u
enum { PRED_TRUE, PRED_SINK, PRED_FIRST };

typedef struct Lanes {
    uint8_t *bank[2];  // 0: the frame's rows; 1: the kernel's constants
    uint32_t *pred;
    uint32_t cc;  // the carry flag of add.cc … of each lane (PTX ISA §9.7.2)
} Lanes;

typedef struct Dinst Dinst;
typedef void ExecFn(Lanes *l, const Dinst *d, uint32_t mask);

// Where an operand's row lies: a multiple of ROW_BYTES, plus the bank.
typedef uint32_t Loc32;
static inline void *row(const Lanes *l, Loc32 at) { return l->bank[at & 1] + (at & ~(ROW_BYTES - 1)); }

// What exec_step does with an instruction.
typedef enum Kindx {
#define KIND(id, run, next) X_##id,
#include "exec/kinds.def"
#undef KIND
} Kindx;

#define MAX_SCORE 34
struct Dinst {
    ExecFn *fn;
    Loc32 dst, a, b, c;             // destination and sources; vectors: see vec
    uint64_t imm;                   // address offset, lookup table, label …
    uint8_t kind;                   // Kindx
    uint8_t class, slots;           // timing class and issue slots
    uint8_t op, type, type2;        // of the Inst
    uint8_t space, vec, bytes;      // memory: state space, elements, bytes of an element
    uint8_t soft;                   // SOFT_…: what it does for a software cache
    uint16_t flags;                 // D_…
    uint16_t guard;                 // predicate that lanes must have set; PRED_TRUE: none
    bool guard_negated, wants_old;  // wants_old: an atomic gives the value from before to dst
    uint16_t pdst, pdst2, psrc;     // predicate operands
    bool psrc_negated;
    uint8_t reduction, component;  // Mods: what bar.red makes of the predicates; what tld4 gathers
    uint8_t units;                 // how many of its issue slots take the class's unit
    int16_t prov;                  // the kernel parameter its address comes from, or PROV_NONE
    uint32_t target, reconverge;   // branches
    uint32_t index;                // in Code.insts
    const Inst *inst;              // of the executed (lowered) function
    union {
        const struct CallSite *call;
        const Loc32 *results;  // an atomic's where it has several: the rows that get the elements' old values
        const struct Tensor *tensor;
        const struct BulkForm *bulk;
    };
    Loc32 vector[8];  // rows of a vector's elements; texture coordinates are a, b, c
    // The scoreboard's view of the frame: registers by their first row, then from Code.reg_rows on predicates;
    // destinations first.
    uint8_t score_dst, score_n;
    uint16_t mod;  // the modifier that selects among variants (vote, shfl, atom, geometry), a Mod
    uint16_t score[MAX_SCORE];
};
_Static_assert(sizeof(Dinst) == 192, "three lines of the host's cache");
// A product of matrices: the rows of its fragments. Element e of register r of lane l of a matrix is number lane[l] +
// element[r][e] of it; A goes by rows, B, C and D too. B's rows are those along k. Single bits are counted in words.
#define MAX_FRAGMENT 8
typedef struct Tensor {
    Product x;
    Loc32 row[MATRICES][MAX_FRAGMENT], metadata;
    uint16_t lane[MATRICES][LANES], element[MATRICES][MAX_FRAGMENT][8];
    uint8_t used[MATRICES];  // registers that are looked at, or have a result
    uint8_t per[MATRICES];   // elements of a register
    uint8_t selector;        // which lanes' metadata counts
    uint32_t fmas;           // products that are added
} Tensor;
// D = A · B + C of plain matrices: c has C's elements and gets D's. a and b may be changed. columns: of a sparse A's.
typedef void MultiplyFn(const Tensor *t, const Inst *i, uint32_t *a, uint32_t *b, const uint16_t *columns, uint32_t *c);
// One of wgmma; Dinst.tensor is its first part, which has A's fragment at most. The descriptors are Dinst's a and b.
#define MAX_SUMS 128
typedef struct GroupTensor {
    Tensor tensor;
    Loc32 sum[MAX_SUMS];       // rows of D
    uint16_t score[MAX_SUMS];  // D in the scoreboard
    uint8_t scores;            // of them
    bool a_memory;             // A lies in shared memory, too
    bool a_across, b_across;   // neighbours in memory are those along M or N, not along K
    bool minus;                // products are subtracted
    uint32_t bytes;            // of shared memory that the warp reads, with its part of B
    MultiplyFn *multiply;
} GroupTensor;
enum { SOFT_NONE, SOFT_LINE, SOFT_FILL, SOFT_AHEAD };
enum {
    D_SYNC = 1 << 0,      // waits for all lanes of its mask, or of the warp (.sync, from sm_70 on)
    D_STRONG = 1 << 1,    // volatile, relaxed, acquire or release: not a plain access
    D_UNCACHED = 1 << 2,  // .cg, .cv or strong: passes the L1 by
    D_READONLY = 1 << 3,  // .nc or ldu: may use the read-only cache
    D_ACQUIRE = 1 << 4,   // later accesses of the thread wait for it
    D_FRAME = 1 << 5,     // the address is relative to the frame's local memory
    D_COMPUTED = 1 << 6,  // of a kernel's parameters, at an address that isn't a parameter's name
    D_BACK = 1 << 7,      // a branch backwards
    D_LONG = 1 << 8,      // a 64-bit destination, or value to store
    D_SRC_LONG = 1 << 9,  // cvt, mov, addresses: a 64-bit source register
    D_DST_32 = 1 << 10,   // cvt: a 32-bit destination register, though the type may be narrower
    D_CARRY_IN = 1 << 11,
    D_CARRY_OUT = 1 << 12,
    D_WAITS = 1 << 14,  // a strand starts here, which waits for all loads before
    D_WORD = 1 << 13,   // a plain load or store of a word, from or into a 32-bit register
    D_SAME = 1 << 15,   // an addition of 32-bit integers to one address for all lanes, whose result nobody reads
};

// The addresses of an access's lanes: its base register plus an offset. Returns the lanes of the runs, 32, 16 or 8,
// in which they step by what the first two differ by; 0: there are none.
typedef uint32_t AddressFn(const Lanes *l, const Dinst *d, uint64_t offset, uint64_t addr[LANES]);

typedef struct VarPlace {  // a variable in shared memory, or in a frame's local memory
    const Symbol *sym;
    uint32_t at;
} VarPlace;
typedef struct Code {
    const Function *f;  // the executed form (lowered or as parsed)
    const Function *parsed;
    struct Kernel *kernel;
    uint32_t number;  // in Kernel.codes
    Dinst *insts;     // n + 1: the last one is an exit
    uint32_t n;
    uint32_t rows, preds;  // of a frame: registers, .param variables, two scratch rows
    uint32_t registers;    // 32-bit slots after allocation
    uint32_t local_bytes;  // of this frame
    uint32_t spills_at;    // where spilled registers begin, behind the PTX's own variables; local_bytes: there are none
    uint32_t frame_bytes;  // rows and predicates
    uint32_t reg_rows;     // rows that hold registers
    uint32_t stack;        // the row of the lanes' stacks (stack.c); NO_REG: it takes none
    uint32_t stat_base;    // number of its first instruction among all of the kernel's
    Alloc *alloc;
    struct Files *files;  // where its values lie; null: nobody asks (Image.files)
    VEC(struct CallSite *) calls;
    VEC(Loc32 *) results;  // that instructions refer to
    VEC(Tensor *) tensors;
    VEC(struct BulkForm *) bulks;
    VEC(struct LocalParam) local_params;  // formal parameters whose address is taken
    VEC(VarPlace) locals;                 // its .local variables
} Code;

// --- decode.c, operand.c: kernels and modules as loaded --------------------------------------------------------------
typedef struct Kernel {
    const Function *f;
    Code *code;          // the entry
    AddressFn *address;  // this host's
    VEC(Code *) codes;   // the entry and what it can call
    uint8_t *consts;     // constant rows, 64-byte aligned
    uint32_t const_rows;
    uint32_t static_shared, param_bytes;
    VEC(uint32_t) param_at;  // offset of each parameter
    VEC(VarPlace) shared;    // its .shared variables, without those of the launch's size
    uint32_t registers;      // per thread, callees included
    uint32_t insts;          // of all codes, their sentinels included
    uint32_t score_size;     // the most scoreboard entries of a frame
    uint32_t local_bytes;    // per thread, deepest chain; recursion is bounded by the device
    bool recursive, grows;   // grows: it takes more local memory while it runs (alloca)
    bool its;                // independent thread scheduling: .target sm_70 or later
    struct Image *image;
} Kernel;

// Module-scope variables laid out in a device's memory.
typedef struct Image {
    Module *module;
    uint8_t *constants;  // the .const bank
    uint32_t const_bytes;
    uint64_t const_base;  // its generic address: a bank of CONST_BANK bytes in the window for each module
    bool lower;
    uint32_t reg_limit, reg_least;  // of a thread; the limit wins
    bool files;                     // each register access is counted
    uint32_t banks;                 // of the register file, among which words are spread; 0: they aren't
    bool values;                    // a value of any width takes one register (registers.values)
    uint32_t last, operand;         // entries of the register files that the compiler fills (ptx/strands.h)
    uint64_t decoded;               // instructions of its kernels so far, those of the functions they call with each
} Image;
// Decodes a kernel for execution; its module's symbols must have addresses. Null on failure, e.g. unimplemented forms.
Kernel *exec_decode(Image *image, const Function *f, Diag *diag);
void exec_kernel_free(Kernel *k);
uint64_t exec_function_address(const Module *m, const Symbol *s);  // what a pointer to a function is; 0: not one of m's

// --- gmem.c: global memory -------------------------------------------------------------------------------------------
// Generic addresses: global memory where the device puts it, and windows for the other spaces (PTX ISA §6.4.1.1).
#define GLOBAL_BASE 0x0000000200000000ull
#define SHARED_WINDOW 0x0000700000000000ull
#define LOCAL_WINDOW 0x0000710000000000ull
#define CONST_WINDOW 0x0000720000000000ull
#define PARAM_WINDOW 0x0000730000000000ull
#define WINDOW_BYTES 0x0000010000000000ull
#define CONST_BANK MAX_CONST

typedef struct Allocation {
    uint64_t start, end;  // [start, end)
    const char *label;    // may be null
    bool freed, internal;
    uint32_t id;
} Allocation;
typedef struct Gmem {
    uint8_t *host;           // host address of GLOBAL_BASE, until the next gmem_alloc
    uint64_t capacity, top;  // bytes of the device; the first never allocated one
    uint64_t reserved;       // bytes behind host
    int file;                // which other processes map, too; −1: there is none
    bool host_full;          // the last gmem_alloc failed for want of the host's memory, not of the device's
    VEC(Allocation) allocs;  // by start
    uint32_t next_id;
    struct Heap *heap;  // device malloc
} Gmem;
void gmem_open(Gmem *g, uint64_t capacity);
void gmem_close(Gmem *g);
int gmem_share(Gmem *g);  // before anything is allocated; returns its file, closed with it. −1, with errno: it can't
uint64_t gmem_alloc(Gmem *g, uint64_t bytes, const char *label, bool internal);  // 0: no room
bool gmem_free(Gmem *g, uint64_t start);
const Allocation *gmem_find(const Gmem *g, uint64_t address);  // the one that holds it, or null
const Allocation *gmem_near(const Gmem *g, uint64_t address);  // the nearest one, or null
static inline void *gmem_host(const Gmem *g, uint64_t address) { return g->host + (address - GLOBAL_BASE); }

// --- texel.c, texture.c, surface.c: textures and surfaces ------------------------------------------------------------
#define MAX_LEVELS 28  // of a mipmap whose first has 2^27 texels in a row, the most
typedef struct TexLevel {
    uint64_t base, slice;  // slice: bytes from slice to slice, of a depth, of layers and of a cube's faces
    uint32_t pitch, width, height, depth;  // bytes from row to row; texels: 1 where there is no such direction
} TexLevel;
typedef struct Sampler {
    uint8_t address[3];  // an oc_tex_address for x, y and z
    bool linear, linear_levels, normalized;
    float border[4], bias, least, most;  // of the level
} Sampler;
typedef enum ObjectKind { OBJECT_NONE, OBJECT_TEXTURE, OBJECT_SURFACE, OBJECT_SAMPLER } ObjectKind;
// An object, or a reference of a module, to which one is bound. A sampler has its own part alone.
typedef struct Texture {
    uint8_t kind;              // an ObjectKind; OBJECT_NONE: the place is free
    bool reference, bound;     // bound: there is something to read
    uint8_t channels, format;  // format: as oc_texture
    uint8_t dimensions;        // of a level: 1 to 3
    bool cube, unit_float, srgb;
    uint32_t layers, slices;  // 0: it isn't layered; slices of each level that aren't its depth: six for a cube's layer
    uint32_t levels;
    TexLevel *level;
    Sampler sampler;
} Texture;
uint32_t texel_bytes(const Texture *t);
#define TEXTURE_TAG 0x7e00000000000000ull  // a handle is this plus the object's index

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
    Lanes l;                 // of the current split's frame
    uint32_t pc, mask, rpc;  // the current split's, cached
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
    bool products;        // some are under way, and whoever checks the launch watches their registers (check_before)
    struct Audit *audit;  // audit.c; null: nobody asked
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

typedef struct LaunchInfo {
    Kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];  // blocks; 0 in the first: the launch has no clusters
    uint32_t dynamic_shared;
    uint64_t id;
    uint8_t *params;       // param_bytes
    uint32_t local_limit;  // bytes of local memory a thread may use
    // The address that %envreg1 (its upper half) and %envreg2 hold: global memory by which the blocks of a cooperative
    // launch wait for one another, as CUDA's cooperative groups do. 0: none.
    uint64_t workspace;
} LaunchInfo;

// --- faults ----------------------------------------------------------------------------------------------------------
typedef enum FaultKind {
    FAULT_NONE,
#define FAULT(id, place, cuda, text) FAULT_##id,
#include "exec/faults.def"
#undef FAULT
} FaultKind;
typedef struct Fault {
    FaultKind kind;
    uint64_t cycle, address;
    uint32_t bytes, lane, pc, sequence;
    Code *code;  // null: the fault has no place in the kernel
    uint32_t block[3], thread[3];
    bool write;
    uint64_t from;   // the kernel parameter that the address comes from, where it is known
    char note[240];  // of a failed assertion, of a policy's mistake
} Fault;

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
// Of env->launch; the caller gives its warps their slots. A block of a cluster: rank is its number there; else null, 0.
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
// step.c
void exec_other(Env *env, Warp *w, const Dinst *d, uint32_t mask);  // what exec_step doesn't do itself
void exec_came(Env *env, Warp *w);                                  // the warp has come to an instruction
// Runs the next instruction of a warp; its result is in env->step. Most just compute on lanes.
ALWAYS_INLINE void exec_step(Env *env, Warp *w)
{
    Step *s = &env->step;
    const Dinst *d = &w->code->insts[w->pc];
    const uint32_t guard = w->l.pred[d->guard], mask = w->mask & (d->guard_negated ? ~guard : guard);
    s->d = d;
    s->stat = w->code->stat_base + d->index;
    s->mask = mask;
    s->other_mask = 0;
    s->result = STEP_DONE;
    s->space = SP_NONE;
    s->deferred = s->parted = false;
    s->run = s->part = 0;
    if (mask && d->kind != X_LANES) {
        exec_other(env, w, d, mask);
        return;
    }
    if (mask) d->fn(&w->l, d, mask);
    if (++w->pc == w->rpc) exec_came(env, w);
}
bool exec_sleepers(Env *env, Warp *w);   // wakes splits whose nanosleep is over; true: one runs
uint64_t exec_wake_time(const Warp *w);  // the earliest such time, or UINT64_MAX
// fault.c
void exec_explain(const Fault *fault, const Gmem *g, Text *out);  // the message for the user
void exec_dump_warp(const Warp *w, Text *out);                    // splits and live registers
void exec_place(const Code *code, uint32_t pc, Text *out);        // "kernel at file.ptx:12 (file.cu:5)"

// audit.c: does w's next instruction find each word in the file that files.c chose? False, with a fault: it doesn't.
bool exec_audit(Env *env, Warp *w);  // before each exec_step, or never
void exec_audit_start(Warp *w);      // a warp begins

// --- check*.c: what a kernel does that PTX leaves undefined (onchip run --check) -------------------------------------
typedef enum FlawKind {
#define FLAW(id, name, text, cure) FLAW_##id,
#include "exec/flaws.def"
#undef FLAW
    FLAW_KINDS
} FlawKind;
extern const char *const flaw_names[FLAW_KINDS], *const flaw_texts[FLAW_KINDS];
typedef struct FlawSide {
    char *access, *place, *inst;  // "write"; where, as exec_place has it; the instruction. access null: there is none
    uint32_t block[3], thread[3];
} FlawSide;
typedef struct Flaw {  // all of one kind at the same instructions; what it says is of the first
    FlawKind kind;
    uint64_t count, key;
    const char *space;
    char *name;        // of the data structure; null: it isn't about one
    uint64_t offset;   // in it, bytes
    uint32_t bytes;    // of the access
    FlawSide side[2];  // of a race, the earlier access first
    const char *cure;  // what orders such accesses rightly, or what to write
} Flaw;
typedef VEC(Flaw) Flaws;
void flaws_add(Flaws *to, const Flaw *f);  // to those that are there; a copy
void flaws_free(Flaws *all);

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
