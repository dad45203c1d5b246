// probe.h: finds out how the memory hierarchy of a GPU is built, real or simulated, from the latencies of loads alone.
//
// Measurements run on a device: chase.c makes it load a sequence of addresses, each when the one before has come back,
// and returns how long each load took. Files that infer see such traces only: they may not include a description's
// header. doc/probe.md tells how it works.
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
// start + (k·stride mod wrap). All are multiples of 4. Only the loads of timed walks are recorded. For global loads and
// textures the memory is the chase's own. It is a constant bank for constant loads, and for local loads a warp's local
// memory as the hardware lays it out: consecutive words belong to consecutive lanes.
typedef struct Walk {
    uint64_t start;
    int64_t stride;  // with wrap: 0 ≤ stride < wrap
    uint64_t wrap;
    uint32_t count;
    bool timed;
} Walk;
typedef struct Chase {
    oc_device *device;
    oc_module *module[CHASE_KINDS];  // null: the device refused it
    oc_ptr memory, list, out;
    uint64_t texture;  // the memory as 32-bit texels; 0: none
    // Bytes of shared memory of every launch; always the same, so that an L1 that gets the rest is, too.
    uint32_t shared;
    uint64_t span[CHASE_KINDS];      // how many bytes can be loaded from; 0: there is no such kind
    uint32_t overhead[CHASE_KINDS];  // cycles that the timer takes; latencies are without them
    uint64_t loads;                  // made so far
    bool noisy;                      // the same sequence may take another time when it is repeated
} Chase;
enum { CHASE_WALKS = 1000 };  // the most walks of a sequence
// Allocates span bytes, warms up a real GPU's clocks, and measures the timer. False, with the reason, if the device
// can't. chase_close must be called in any case.
bool chase_open(Chase *c, oc_device *device, uint64_t span, Diag *diag);
void chase_close(Chase *c);
// Executes the walks in order, `rounds` times over. The cycles of the timed loads of rounds first, first + 1, … go into
// latency, which has room for all of them.
//
// This is one launch, so caches that aren't kept between kernels are empty at its start. If more loads are timed than
// shared memory has room for beside the sequence, there are several launches of the same sequence, and each records the
// next chase_window of the loads. The windows make up one trace only if what was cached before the sequence has no
// effect after `first` rounds. If a random replacement decides, each launch is another draw.
bool chase_run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
               uint32_t *latency, Diag *diag);
size_t chase_timed(const Walk *walks, size_t n);  // how many loads of a round are timed
size_t chase_window(const Chase *c, size_t n);    // how many loads one launch of n walks can record

// --- chase_ptx.c: the kernels ----------------------------------------------------------------------------------------
typedef struct DeviceWalk {  // in shared memory while the sequence runs
    uint64_t start, stride, wrap;
    uint32_t count, timed;
} DeviceWalk;
typedef struct DeviceHead {  // before the walks
    uint64_t texture;
    uint32_t walks, rounds;
    uint32_t at, room;       // in bytes: minus the index of the first timed load of this window; the window's size
    uint32_t never, unused;  // never: always 0, but the compiler can't know that
} DeviceHead;
enum { CHASE_BLOCK = 256, CONST_SPAN = 64 << 10, LOCAL_SPAN = 512 << 10 };
void chase_ptx(ChaseKind kind, Text *out);

// --- settle.c: one trace from several noisy ones ---------------------------------------------------------------------
// A position's value is the median of its repeats without outliers. An outlier is farther from the median of all
// repeats than 5 median absolute deviations (which count as at least 1 cycle). A position is still if its values after
// the last three repeats lie less than `within` cycles apart. A sequence is repeated at least SETTLE_LEAST times, until
// every position is still, and at most `most` times: where a random replacement decides between hit and miss, a
// position may never be still.
enum { SETTLE_LEAST = 3, SETTLE_MOST = 25, SETTLE_WITHIN = 1, SETTLE_LIMIT = 100 };
typedef struct Settled {
    uint32_t repeats;
    size_t moving;      // how many positions aren't still
    uint64_t rejected;  // outliers
} Settled;
uint32_t settle_value(const uint32_t *v, size_t step, uint32_t repeats,
                      uint32_t *rejected);  // the value of v[0], v[step], …; rejected may be null
// Settles `repeats` traces of n positions each, one behind the other.
Settled settle(const uint32_t *traces, uint32_t repeats, size_t n, uint32_t within, uint32_t *value);
// chase_run, repeated by that rule if the device is noisy. how may be null.
bool chase_settle(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t most,
                  uint32_t within, uint32_t *latency, Settled *how, Diag *diag);

// --- footprint.c: the neighbours that a texel of a 2D texture brings with it -----------------------------------------
// REACH: how many texels to each side are tried; the largest tile that is found is this wide and high. TEXEL: bytes of
// a texel.
enum { FOOTPRINT_REACH = 32, FOOTPRINT_TEXEL = 4 };
typedef struct Pair {  // fetched one after the other: (x, y), and (x + dx, y + dy)
    int32_t x, y, dx, dy;
    bool together;  // the second came with the first
} Pair;
typedef struct Footprint {
    Value width, height;  // of the tile that comes with a texel, in texels
    Value linear;         // 1: the tile is part of one row, as in a texture that lies in memory row by row; 0: it isn't
    uint32_t hit, miss;   // cycles of a repeated fetch, and of a first fetch whose line is in the L2
    size_t pairs;         // how many were tried
} Footprint;
// Fetches pairs from a 2D texture, which takes some 100 MB of the device's memory. False if the device can't. The
// values are absent if nothing caches textures.
bool footprint_measure(Chase *c, Footprint *f, Diag *diag);
// Infers the tile from the pairs. Tiles must be aligned rectangles of one size; if none explains the pairs, the reason
// says so.
void footprint_infer(const Pair *pairs, size_t n, Footprint *f);

// --- bench.c: kernels of our own, launched one at a time -------------------------------------------------------------
typedef struct Bench {
    oc_device *device;
    oc_module *module;
    oc_ptr memory, out;  // memory that is measured, and memory for results; both are zero when opened
    uint64_t bytes, out_bytes;
    double seconds;  // how long the last launch took on the device
} Bench;
void bench_begin(Text *ptx);  // writes what every module begins with
// Errors call the text `name`. bench_close must be called even if this fails.
bool bench_open(Bench *b, oc_device *device, const char *name, const Text *ptx, uint64_t bytes, uint64_t out_bytes,
                Diag *diag);
void bench_close(Bench *b);
bool bench_write(Bench *b, const void *from, uint64_t bytes, Diag *diag);  // copies to the beginning of memory
bool bench_run(Bench *b, const char *kernel, uint32_t blocks, uint32_t threads, const void *const *args, Diag *diag);
bool bench_clear(Bench *b, Diag *diag);                           // fills `out` with zeros
bool bench_read(Bench *b, void *to, uint64_t bytes, Diag *diag);  // copies from the beginning of `out`

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
typedef struct Flow {
    Bench bench;
    uint64_t l2_bytes, cursor;  // cursor: how far DRAM was read
    uint32_t sms;
    bool real;
} Flow;
bool flow_open(Flow *f, oc_device *device, Diag *diag);
void flow_close(Flow *f);
// Measures a point whose kind, blocks, threads and ways are given.
bool flow_point(Flow *f, FlowPoint *p, Diag *diag);
Knee knee_fit(const double *x, const double *y, size_t n);  // x ascending

typedef struct Throughput {
    VEC(FlowCurve) curves;
} Throughput;
// scale 1 measures all that s-l1 §2.3 shows. Less has fewer points, and below a half only the paper's coalescing of 4
// ways.
bool throughput_measure(oc_device *device, double scale, Throughput *t, Diag *diag);
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
bool hits_measure(oc_device *device, HitKind kind, HitCurve *c, Diag *diag);
// --- subject.c: what questions are asked of --------------------------------------------------------------------------
// Inference knows no device. It asks a subject for the latencies of a sequence, which may be a device or a test's
// model. All sequences and latencies are kept, for the replay and for files.
typedef struct Run {
    ChaseKind kind;
    Walk *walks;
    uint32_t *latency;
    size_t n, timed;
    uint32_t rounds, first;
} Run;
typedef struct Subject {
    void *of;
    bool (*run)(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                uint32_t *latency, Diag *diag);  // as chase_run
    uint64_t span[CHASE_KINDS];                  // how many bytes can be loaded from; 0: there is no such kind
    // Chases of TLBs shift by this many bytes from page to page, so that their lines don't meet in one set of a cache.
    uint32_t stagger;
    bool cold;  // caches are empty at the start of a run, except for what a launch itself loads
    VEC(Run) runs;
    uint64_t loads, keep;  // loads made so far; how many more latencies are kept
    uint64_t patience;     // how many loads the inference of one cache or TLB may take; 0: 250 million
} Subject;
bool subject_run(Subject *s, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                 uint32_t *latency, Diag *diag);
void subject_close(Subject *s);

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
uint64_t shape_line(const Shape *s, uint32_t set, uint64_t k);  // the k-th line of a set
// After how many lines every pattern of neighbours has occurred.
uint64_t shape_reach(const Shape *s);
void shape_deal(Shape *s);  // computes `dealt` from `ways`
void shape_free(Shape *s);
// The tags of a shape, on which accesses are run.
typedef struct Tags {
    const Shape *shape;
    uint64_t *tag, clock;
    uint64_t *stamp;
    uint32_t *first, *tree;
} Tags;
void tags_open(Tags *t, const Shape *shape);
void tags_close(Tags *t);
// True: the access hits. Only for deterministic rules. slot (may be null): the number of the line's tag.
bool tags_touch(Tags *t, Rule rule, uint64_t line, uint32_t *slot);

// --- level.c: one cache or TLB, as loads see it ----------------------------------------------------------------------
typedef struct Range {
    uint64_t from;
    uint32_t step, count;  // lines
} Range;
typedef struct Lines {
    VEC(Range) range;
    uint64_t n;  // how many lines in all
} Lines;
void lines_add(Lines *l, uint64_t from, uint32_t step, uint32_t count);
void lines_free(Lines *l);
typedef struct Level {
    Subject *subject;
    Diag *diag;
    ChaseKind kind;
    uint64_t base, unit;  // in bytes: the address of line 0; the size of a line or page
    uint32_t stagger;
    // Cycles of a load that this level serves, and of one that the next level serves.
    double low, high, low_sd, high_sd;
    double outliers;         // of loads
    float *evidence, *odds;  // by latency: log (P(latency | miss) / P(latency | hit)), and the same without the log
    uint32_t evidence_n;
    uint32_t least;  // how many misses a round has at least if its lines don't fit
    uint32_t warm;   // how many rounds come before the first that is looked at
    // Warm-up rounds if a few misses may be due to what was cached before; 0: that isn't possible.
    uint32_t settle;
    // Of the level in front of this one, whose misses alone reach this one; null: there is none.
    const Shape *above;
    double front;            // cycles of a load that it serves
    uint64_t room;           // lines 0 … room − 1 are known to fit
    double hidden;           // share of the misses that the level in front hides in spite of the filler
    Lines filler;            // lines that go round too, so that the level in front misses
    uint64_t limit;          // how many loads one question may take
    uint32_t asked, unsure;  // questions so far, and how many of them stayed open
    uint64_t until;          // no more questions once the subject has made so many loads
    bool broken;             // the subject failed, and diag says why; or
    bool spent;              // it failed because there were too many loads
} Level;
// Computes evidence and odds from low, high, … misses (may be null): a sample of loads that the level doesn't serve,
// however long they take.
void level_learn(Level *l, const uint32_t *misses, size_t n);
void level_close(Level *l);
double level_distance(const Level *l);  // the distance between hits and misses in standard deviations: d'
uint64_t level_address(const Level *l, uint64_t line);
// Do these lines fit, that is, has no set more of them than ways? The question has an answer whatever the replacement
// policy is: lines that fit all hit from some round on, and of lines that don't fit at least one misses in every round.
bool level_fits(Level *l, const Lines *x);
// Appends walks over the lines to the n walks in out, which has room for CHASE_WALKS; returns how many there are then.
size_t level_walks(const Level *l, const Lines *x, bool timed, Walk *out, size_t n);

// --- stairs.c: latency against the number of lines that are gone round -----------------------------------------------
typedef struct Sample {
    double mean, sd;  // robust: the mean of all but the largest fiftieth, and the deviation of the middle two thirds
    double error;     // standard error of the mean
    double tail;      // share of loads more than six sd away
    uint64_t n;
} Sample;
Sample sample_of(const uint32_t *latency, size_t n);
Sample sample_clean(const uint32_t *latency,
                    size_t n);  // mean, sd and error of one mode: of all that lie within 4.5 sd of the median
typedef struct Stair {
    // In lines: the most whose latency is still that of the step before, and where this step begins.
    uint64_t below, at;
    Sample sample;
} Stair;
// Goes round `from`, … 8, 12, 16, 24, … lines, up to `most`, until the mean latency has risen from base's to another
// step. False: it didn't rise, or the subject failed.
bool climb(Level *l, uint64_t from, const Sample *base, uint64_t most, Stair *stair);
// Finds a lower step between `below` and `at` of this one.
bool first_misses(Level *l, const Sample *base, Stair *stair);
// Goes round lines 0 … n − 1, with so many loads at least.
bool measure_round(Level *l, uint64_t n, uint32_t loads, Sample *out);
bool go_round(Level *l, uint64_t n, uint32_t warm, uint32_t rounds,
              uint32_t *latency);  // goes round lines 0 … n − 1; after `warm` rounds, `rounds` are timed

// --- sets.c: capacity, line, sets and ways ---------------------------------------------------------------------------
typedef VEC(uint64_t) LineVec;
// The largest n for which lines 0 … n − 1 fit, looked for between low and high, or beyond them up to most. 0: more than
// most fit, or the subject failed.
uint64_t find_prefix(Level *l, uint64_t low, uint64_t high, uint64_t most);
// Lines 0 … n − 1 fit; together with the line `extra` they don't. Finds those without which the others fit; `extra` is
// the last of them. They are of one set, and there is one more of them than the set has ways. units: how many units
// (l->unit bytes) share a tag.
bool find_conflict(Level *l, uint64_t n, uint64_t extra, LineVec *out, uint32_t *units);
// Is there only one set? Asks about random groups of n and of n + 1 out of span lines. n neighbours are known to fit, n
// + 1 not to.
bool is_one_set(Level *l, uint64_t n, uint64_t span);
void fill_without(Level *l, const uint64_t *line, size_t n);  // chooses filler, without these lines
void fill_for(Level *l, const Shape *s, uint32_t set);        // chooses filler, without lines of a set
// Are any of these lines in the conflict set? They must fit without its lines.
bool any_in_set(Level *l, const LineVec *conflict, const Lines *which);
bool in_set(Level *l, const LineVec *conflict, uint64_t line);
void list_set(Level *l, const LineVec *conflict, uint64_t from, uint64_t to, uint64_t part,
              LineVec *out);  // lists the lines of its set, part by part
uint32_t find_ways(Level *l, const Shape *s, uint32_t set, uint32_t likely);

// --- index.c: which lines share a set --------------------------------------------------------------------------------
// Infers form, sets and ways over the first span lines, from the prefix (how many lines fit from the start on) and its
// conflict set. Undetermined, with the reason, if none of the forms explains what was seen.
Value find_index(Level *l, uint64_t prefix, const LineVec *conflict, uint64_t span, Shape *out);

// --- policy.c: what is replaced --------------------------------------------------------------------------------------
// Finds the rule of a level whose shape is known, and puts it into the shape. above (may be null): the shape of the
// level in front, with its rule.
struct Found;
Value find_rule(Level *l, Shape *shape, const Shape *above, struct Found *out);

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
    double distance;                // d'
} Found;
void found_free(Found *f);
// --- victims.c: sets whose victims are drawn at random ---------------------------------------------------------------
typedef enum Outcome { OUTCOME_OPEN, OUTCOME_HIT, OUTCOME_MISS } Outcome;
typedef struct Seen {
    uint64_t line;
    Outcome outcome;
} Seen;
// The loads are in order. At the start all sets are empty, except for at most `strangers` other lines in each. Returns
// how many loads no choice of victims explains.
uint64_t explain_victims(const Shape *s, const Seen *seen, size_t n, uint32_t strangers);
// Finds heavy, again and draws_p of a set, from chases in which every draw is seen. The weights must be known. At most
// 32 ways.
void test_draws(Level *l, const Shape *s, uint32_t set, Found *out);
// --- replay.c: counts accesses and mismatches, in the runs that were kept, from number `from` on ---------------------
void replay_cache(const Level *l, size_t from, Found *f);
struct FoundTlbs;
void replay_tlbs(const Subject *s, ChaseKind kind, size_t from, struct FoundTlbs *f);
// Infers the cache that serves loads of a kind first. False, with the reason, only if the subject fails.
bool infer_cache(Subject *s, ChaseKind kind, uint64_t base, Found *out, Diag *diag);
// Infers both TLBs, from loads past the L1.
typedef struct FoundTlbs {
    // page: bytes. late, walk: what a load takes more if its page is only in the L2 TLB; and what it takes beyond that
    // if the page is in neither.
    Value page, late, walk;
    Found level[2];
} FoundTlbs;
bool infer_tlbs(Subject *s, ChaseKind kind, FoundTlbs *out, Diag *diag);

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
// bytes: the size that the device gives, where the search begins. If it takes more than `loads` loads, size, line and
// fill stay undetermined.
bool l2_infer(Subject *s, uint64_t bytes, uint64_t loads, FoundL2 *out, Diag *diag);
bool l2_halves(oc_device *device, FoundL2 *out, Diag *diag);  // near, far, sm
void l2_free(FoundL2 *f);

// --- curve.c: share of misses against the size of the array that is gone round ---------------------------------------
enum { CURVE_POINTS = 40 };
typedef struct MissPoint {
    uint64_t bytes;  // size of the array: lines or pages times their size
    double misses;   // share of loads
} MissPoint;
typedef struct MissCurve {
    size_t n;
    MissPoint point[CURVE_POINTS];
} MissCurve;
bool curve_cache(Subject *s, ChaseKind kind, const Found *f, MissCurve *out, Diag *diag);  // mei Fig. 9
bool curve_tlb(Subject *s, ChaseKind kind, const FoundTlbs *f, uint32_t level, MissCurve *out,
               Diag *diag);  // mei Fig. 11

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
// cache: what infer_cache found; null: this kind of load has no cache.
bool spectrum_measure(Subject *s, ChaseKind kind, const Found *cache, const FoundTlbs *tlbs, const FoundL2 *l2,
                      Value window, Spectrum *out, Diag *diag);
// Infers how much memory has its page-table entries active at a time, and what activating others takes.
bool window_infer(Subject *s, const FoundTlbs *tlbs, const FoundL2 *l2, Value *window, Value *switching, Diag *diag);

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
enum { CACHES = PART_LOCAL + 1, SPECTRA = 3, HIT_KINDS = HITS_TEXTURE + 1 };
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
    char *why;  // absent, left out, failed, cut short
} PartResult;
typedef struct ProbeOptions {
    uint32_t parts;                                               // a bit each; 0: all
    double budget;                                                // seconds; 0: no limit
    uint64_t keep;                                                // how many latencies of raw runs are kept at most
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
// If a FORM_LINEAR folds fields of address bits by XOR, as a description's `xor` does: the lowest bit of the line's
// number in the first field. −1: it doesn't.
int shape_folds(const Shape *s);
// The lowest address bit that chooses the set, if a bit field chooses it.
uint32_t shape_low_bit(const Shape *s, uint64_t line);

// --- emit.c: a GPU description of what was found ---------------------------------------------------------------------
void probe_emit(const Probe *p, Text *out);

#endif
