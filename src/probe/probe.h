// probe.h: finds out how the memory hierarchy of a GPU is built, real or simulated, from the latencies of loads alone.
//
// Measurements run on a device: chase.c makes it load a sequence of addresses, each when the one before has come back,
// and returns how long each load took. Files that infer see such traces only: they may not include a description's
// header. doc/use/probe.md tells how it works.
//
// This is what a probe gives. What the folder's files alone share stands in measure.h and infer.h.
#ifndef PROBE_H
#define PROBE_H

#include "base/base.h"

#include <onchip.h>

// What is said of a quantity. Measured: it lies between low and high (95 %); low = high for a count of which the
// observations allow only one value. Undetermined: why says the reason. Absent: nothing that was done could show it.
typedef enum Verdict { ABSENT, MEASURED, UNDETERMINED } Verdict;
typedef struct Value {
    Verdict verdict;
    double value, low, high;
    const char *why;  // a literal
} Value;
enum { PROBE_KEPT = 1000 };  // how many records of launches are kept; a measurement makes many more launches

static inline Value measured(double value, double low, double high)
{
    return (Value){MEASURED, value, low, high, NULL};
}
static inline Value counted(double value) { return (Value){MEASURED, value, value, value, NULL}; }
static inline Value undetermined(const char *why) { return (Value){UNDETERMINED, 0, 0, 0, why}; }
static inline Value absent(const char *why) { return (Value){ABSENT, 0, 0, 0, why}; }

// --- bound.c: how much a part may do ---------------------------------------------------------------------------------
typedef struct Bound {
    uint64_t done, most;  // loads that were executed, or threads that were launched; most 0: there is no bound
    bool spent;           // something wasn't done, since it would have been more than `most`
} Bound;

// --- chase.c: dependent loads, timed one by one ----------------------------------------------------------------------
typedef enum ChaseKind {
    CHASE_GLOBAL,
    CHASE_L2,
    CHASE_READONLY,  // ld.global .ca, .cg, .nc
    CHASE_TEXTURE,   // tex.1d of a linear texture object
    CHASE_CONST,
    CHASE_LOCAL,  // ld.const, ld.local
    CHASE_KINDS
} ChaseKind;
// A walk has `count` loads. The k-th is at start + k·stride, in bytes from the memory's beginning; if wrap isn't 0, at
// start + (k·stride mod wrap). All are multiples of 4. Only the loads of timed walks are recorded. For global loads
// and textures the memory is the chase's own. It is a constant bank for constant loads, and for local loads a warp's
// local memory as the hardware lays it out: consecutive words belong to consecutive lanes.
typedef struct Walk {
    uint64_t start;
    int64_t stride;  // with wrap: 0 ≤ stride < wrap
    uint64_t wrap;
    uint32_t count;
    bool timed;
} Walk;
enum { CHASE_WALKS = 1000 };  // the most walks of a sequence on any device

// --- footprint.c: the neighbours that a texel of a 2D texture brings with it -----------------------------------------
enum { FOOTPRINT_TEXEL = 4 };  // bytes of a texel
typedef struct Footprint {
    Value width, height;  // of the tile that comes with a texel, in texels
    Value linear;         // 1: the tile is part of one row, as in a texture that lies in memory row by row; 0: it isn't
    uint32_t hit, miss;   // cycles of a repeated fetch, and of a first fetch whose line is in the L2
    size_t pairs;         // how many were tried
} Footprint;

// --- shared.c: shared memory's banks ---------------------------------------------------------------------------------
enum { SHARED_STRIDES = 65, SHARED_PAIRS = 258, SHARED_WAYS = 32 };
typedef struct SharedResult {
    // Cycles of a load of a warp, in which
    double stride[SHARED_STRIDES];  // lane i reads word i × stride: mei Fig. 5 and 7
    double pair[SHARED_PAIRS];      // lane 1 reads word k, the others word 0
    double ways[SHARED_WAYS];       // [n - 1]: the first n lanes read words of one bank, each on another row
    Value latency, conflict;        // without conflict; what each further way of a conflict adds
    // Number of banks; how many bytes a bank gives at a time, and how many consecutive bytes lie in one bank: 4 or 8.
    Value banks, width, mode;
    double residual;  // how far ways[] is from a straight line at most, in cycles
    uint32_t wrong;   // patterns that the best model doesn't explain
} SharedResult;
bool shared_measure(oc_device *device, SharedResult *r, Diag *diag);  // fills the three arrays
void shared_infer(SharedResult *r);                                   // infers the rest from them

// --- ops.c: latency and rate of the main operations ------------------------------------------------------------------
// Additions and logic, mul.lo.u32, fma.rn.f32, fma.rn.f64, ex2.approx, conversions, shfl.sync, branches that aren't
// taken, bar.sync of a single warp.
typedef enum OpKind {
    OPS_ALU,
    OPS_MUL,
    OPS_FMA,
    OPS_F64,
    OPS_SFU,
    OPS_CVT,
    OPS_SHUFFLE,
    OPS_BRANCH,
    OPS_BARRIER,
    OPS_KINDS
} OpKind;
typedef struct OpTiming {
    const char *name;  // as a description's [latency] calls it
    Value latency;     // cycles until an operation that needs the result can start
    Value rate;        // operations of threads that an SM starts a cycle
} OpTiming;
bool ops_measure(oc_device *device, OpTiming timing[OPS_KINDS], Diag *diag);

// --- throughput.c: bytes a second against threads, blocks and coalescing ---------------------------------------------
enum { FLOW_THREADS = 1024, FLOW_POINTS = 32 };  // threads of a block; points of a curve; at most
typedef enum FlowKind { FLOW_L2, FLOW_DRAM, FLOW_SHARED } FlowKind;
typedef struct FlowPoint {
    FlowKind kind;
    uint32_t blocks, threads;  // of a block: a multiple of 32
    uint32_t ways;             // threads of a warp that read words of one 128-byte segment: 1, 2, 4, 8, 16, 32
    double useful, moved;      // in GB/s: the words that were asked for, and the 32-byte sectors in which they lie
    const char *why;           // null, or why nothing could be measured
} FlowPoint;
// A fit: y = slope × x up to the saturation at x = `at`, and y = peak from there on.
typedef struct Knee {
    Value at, peak;
    double slope, residual;  // residual: root of the sum of squares that the fit leaves, over the sum of squares of y
} Knee;
typedef enum Limit { LIMIT_UNKNOWN, LIMIT_THREADS, LIMIT_SM, LIMIT_MEMORY } Limit;
typedef struct FlowCurve {
    FlowKind kind;
    uint32_t ways;
    bool along_blocks;  // of FLOW_THREADS each (s-l1 Fig. 6); else along threads (Fig. 5)
    size_t n;
    FlowPoint points[FLOW_POINTS];
    Knee knee;        // of the points' `moved`
    Limit limit;      // what limits at the curve's end: too few threads, an SM, or the memory
    const char *why;  // a reason for limit
} FlowCurve;
typedef struct Throughput {
    VEC(FlowCurve) curves;
} Throughput;
// scale 1 measures all that s-l1 §2.3 shows. Less has fewer points, and below a half only the paper's coalescing of 4
// ways. bound may be null. False, and the bound says so, if it would take more than the bound allows; the curves before
// stay.
bool throughput_measure(oc_device *device, double scale, Bound *bound, Throughput *t, Diag *diag);
void throughput_free(Throughput *t);

// --- hits.c: the hit rate of a first-level cache against threads -----------------------------------------------------
enum { HIT_POINTS = 20 };
typedef enum HitKind { HITS_L1, HITS_READONLY, HITS_TEXTURE } HitKind;  // ld.global.ca, ld.global.nc, tex.1d
typedef struct HitPoint {
    uint32_t threads;  // of an SM
    Value rate;        // of all loads
} HitPoint;
typedef struct HitCurve {
    HitKind kind;
    Value hit, miss;  // cycles with a single warp, including those of the timer
    size_t n;         // number of points; the last has as many threads as an SM has room for
    HitPoint points[HIT_POINTS];
    const char *why;  // null, or why there are no points
} HitCurve;
bool hits_measure(oc_device *device, HitKind kind, Bound *bound, HitCurve *c, Diag *diag);  // bound: as above

// --- shape.c: how lines are divided into sets, and what is replaced in a set -----------------------------------------
// Lines (of a cache; pages of a TLB) are numbered from the region's start.
// - FORM_MODULO: blocks of 2^block lines go to the sets in turn.
// - FORM_DEALT: lines go to the sets in turn, and full sets are passed over, until every entry has a line; then anew.
// - FORM_LINEAR: lines share a set if their difference (XOR) is a sum of some kernel[b]; kernel[b] is 0 or has b as its
//   highest bit.
typedef enum Form { FORM_NONE, FORM_ONE, FORM_MODULO, FORM_DEALT, FORM_LINEAR } Form;
typedef enum Rule {
    RULE_NONE,
    RULE_ANY,
    RULE_LRU,
    RULE_FIFO,
    RULE_PLRU,
    RULE_RANDOM,
    RULE_WEIGHTED
} Rule;  // ANY: there is one way, so there is no choice
enum { SHAPE_BITS = 40, SHAPE_SETS = 8192, SHAPE_WAYS = 1024 };
typedef struct Shape {
    Form form;
    Rule rule;
    uint32_t sets, block;
    uint32_t *ways;  // per set
    uint64_t lines;  // sum of ways
    uint64_t kernel[SHAPE_BITS];
    uint16_t *dealt;    // FORM_DEALT: set by line modulo lines
    double weight[32];  // RULE_WEIGHTED: probability of each way; their sum is 1
} Shape;
uint32_t shape_set(const Shape *s, uint64_t line);

// --- infer.c: a cache; the TLBs --------------------------------------------------------------------------------------
typedef struct Found {
    Value size, line, fill, entries, sets, low, high;  // bytes, bytes, bytes, lines, -, cycles, cycles
    Shape shape;
    Value index, rule;  // value: Form, Rule
    double rule_p;      // RULE_RANDOM, RULE_WEIGHTED: p-value of equal probabilities
    Value weight[32];
    uint32_t heavy;  // the way that is most often the victim
    // The share of its draws that are followed by another: its weight, if draws are independent.
    Value again;
    double draws_p;                 // p-value of independence
    uint64_t span;                  // over how many lines the index was looked at
    uint64_t accesses, mismatches;  // how many were replayed; how many came out otherwise than measured
    // Mismatches of lines that the run had loaded before; and those of these that hit although a miss was foretold.
    // What a cache kept from before the run explains neither, and outliers don't explain the latter.
    uint64_t against, hits_against;
    Shape nearest;    // if the index is undetermined: the shape that was replayed; FORM_NONE: there is none
    double distance;  // d'
} Found;
// Infers both TLBs, from loads past the L1.
typedef struct FoundTlbs {
    // page: bytes. late, walk: what a load takes more if its page is only in the L2 TLB; and what it takes beyond that
    // if the page is in neither.
    Value page, late, walk;
    Found level[2];
} FoundTlbs;

// --- l2.c: the L2 ----------------------------------------------------------------------------------------------------
typedef struct SmHits {  // of one SM; cycles of hits in the L2
    uint32_t sm;
    double low, high, first;  // of the nearer lines, of the farther ones, of the first line
} SmHits;
typedef struct FoundL2 {
    Value size, line, fill;  // bytes
    Value hit, miss;         // cycles
    Value near, far;         // cycles of a hit in the nearer and the farther half; absent: all hits take the same time
    VEC(SmHits) sm;
} FoundL2;

// --- curve.c: share of misses against the size of the array that is walked round ------------------------------------
enum { CURVE_POINTS = 40 };
typedef struct MissPoint {
    uint64_t bytes;  // size of the array: lines or pages times their size
    double misses;   // share of loads
} MissPoint;
typedef struct MissCurve {
    size_t n;
    MissPoint point[CURVE_POINTS];
} MissCurve;

// --- spectrum.c: how long loads take, by what they find --------------------------------------------------------------
// mei Tables 3 and 5. LATE: the page is only in the L2 TLB. WALK: it is in neither TLB. SWITCH: neither, and the
// page-table entries of its part of memory aren't active.
typedef enum Pattern {
    PATTERN_CACHE,
    PATTERN_L2,
    PATTERN_L2_LATE,
    PATTERN_L2_WALK,
    PATTERN_DRAM,
    PATTERN_DRAM_WALK,
    PATTERN_DRAM_SWITCH,
    PATTERN_KINDS
} Pattern;
typedef struct Mode {
    double mean, low, high;  // cycles
    uint32_t n;
    Pattern pattern;  // what most of its loads were prepared for
    double share;     // the share of its loads for which that holds
} Mode;
enum { MODES = 32 };
typedef struct Spectrum {
    ChaseKind kind;
    Value pattern[PATTERN_KINDS];  // cycles: the median; low and high are the ends of the middle 95 % of loads
    Mode mode[MODES];
    size_t modes;
} Spectrum;

// --- subject.c: a sequence of loads, and what it took ----------------------------------------------------------------
typedef struct Run {
    ChaseKind kind;
    Walk *walks;
    uint32_t *latency;
    size_t n, timed;
    uint32_t rounds, first;
} Run;

// --- book.c: the four steps of mei §3.2 as they are written, and the methods of others beside them -------------------
typedef enum BookStep { BOOK_SIZE, BOOK_LINE, BOOK_SETS, BOOK_POLICY, BOOK_STEPS } BookStep;
enum { BOOK_STRIDES = 24 };
typedef struct BookPoint {   // an array of step 3
    uint64_t bytes, missed;  // its size; lines that miss in some round
    double mean;             // cycles of a load
} BookPoint;
typedef struct Book {
    bool done;
    Value step[BOOK_STEPS], ways;   // C and b in bytes; a; 1: LRU, 0: not LRU. C / (a b)
    Value weight[32];               // step 4, where it isn't LRU: how often each way is replaced
    uint64_t first, more;           // step 2: loads that miss at C + 1, and how many more at C + b + 1
    const char *odd[BOOK_STEPS];    // what a step saw that contradicts what it supposes; null: nothing
    const char *cause[BOOK_STEPS];  // what the search found, and the step doesn't know; null: nothing
    VEC(BookPoint) points;
    uint64_t word;         // bytes of an element
    bool smooth;           // all of them miss in the same way in each round
    Value saavedra, wong;  // the line, in bytes, by averages over strides, and over sizes
    Value wong_sets;       // and the number of sets
    uint32_t strides;      // of an array of twice C: a word, two, four, …
    double stride_mean[BOOK_STRIDES];
} Book;

// --- probe.c: everything about a device ------------------------------------------------------------------------------
typedef enum Part {
    PART_L1,
    PART_READONLY,
    PART_TEXTURE,
    PART_CONST,
    PART_LOCAL,  // up to here: caches, in the order of the kinds of load
    PART_L2,
    PART_TLB,
    PART_SPECTRUM,
    PART_FOOTPRINT,
    PART_SHARED,
    PART_OPS,
    PART_THROUGHPUT,
    PART_HITS,
    PARTS
} Part;
enum { CACHES = PART_LOCAL + 1, BOOKS = CACHES + 2, SPECTRA = 3, HIT_KINDS = HITS_TEXTURE + 1 };
typedef enum PartState { PART_UNASKED, PART_DONE, PART_ABSENT, PART_LEFT_OUT, PART_FAILED, PART_CUT } PartState;
typedef struct PartInfo {
    const char *name, *doc;
    ChaseKind kind;          // of a cache
    double simulated, real;  // roughly how many seconds it takes on a simulated GPU, on a real one
} PartInfo;
extern const PartInfo part_info[PARTS];
typedef struct PartResult {
    PartState state;
    double seconds;
    char *why;  // absent, left out, failed, cut short; of a part that is done: what the bound left open
} PartResult;
// What a part lacks, as words between its name and why: "was cut short". Null: it is whole, absent, or not asked for.
const char *part_lack(const PartResult *r);
typedef struct ProbeOptions {
    uint32_t parts;  // a bit each; 0: all
    double budget;   // seconds; 0: no limit
    uint64_t most;  // loads that a part may make, and a fourth of the threads that it may launch; 0: enough for any GPU
    uint64_t keep;  // how many latencies of raw runs are kept at most
    bool book;      // goes the steps of the book, too, for each cache and TLB
    void (*progress)(void *user, const char *part, double done);  // done: from 0 to 1, of the whole probe; may be null
    void *user;
    // The flag of the device's oc_config: once it is set, the part under way is cut short, and no other begins.
    const volatile bool *stop;
} ProbeOptions;
typedef struct Probe {
    char *name;
    oc_device_info device;  // its name is `name`
    double seconds;
    uint64_t loads, asked;  // how many loads were made; how many sequences made them
    uint64_t base;          // address of line 0 and page 0 in global memory
    PartResult part[PARTS];
    Found cache[CACHES];
    Book book[BOOKS];  // of the caches, and of both TLBs
    MissCurve misses[CACHES], tlb_misses[2];
    FoundL2 l2;
    FoundTlbs tlbs;
    Value window, switching;  // bytes; cycles
    Spectrum spectrum[SPECTRA];
    size_t spectra;
    Footprint footprint;
    SharedResult shared;
    OpTiming ops[OPS_KINDS];
    Throughput throughput;
    HitCurve hits[HIT_KINDS];
    VEC(Run) runs;  // raw
} Probe;
// False, with the reason, if nothing can be measured. If only a part can't be, its PartResult says so.
bool probe_device(oc_device *device, const ProbeOptions *o, Probe *p, Diag *diag);
void probe_free(Probe *p);
const char *form_name(const Shape *s);  // the name in a description's key `index`, or in words
const char *pattern_name(Pattern q);    // "L2 hit, L1 TLB miss"
const char *rule_name(Rule r);          // the name in a description's key `policy`
// The lowest address bit that chooses the set, if a bit field chooses it.
uint32_t shape_low_bit(const Shape *s, uint64_t line);

// --- emit.c: a GPU description of what was found ---------------------------------------------------------------------
void probe_emit(const Probe *p, Text *out);

#endif
