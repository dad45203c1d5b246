// probe.h: what the memory hierarchy of a GPU is, real or simulated, from the latencies of loads alone.
//
// Measurements run on a device: chase.c makes it load a sequence of addresses, each when the one before is there, and
// gives back how long each took. Inference files see traces only: they may not include a description's header.
#ifndef PROBE_H
#define PROBE_H

#include "base/base.h"

#include <onchip.h>

// What is said of a quantity: measured, with the interval in which it lies (95 %; low = high for a count that the
// observations leave no choice); undetermined, why says the reason; or absent: nothing that was done could show it.
typedef enum Verdict { ABSENT, MEASURED, UNDETERMINED } Verdict;
typedef struct Value {
    Verdict verdict;
    double value, low, high;
    const char *why;  // a literal
} Value;
enum { PROBE_KEPT = 1000 };  // launches whose records are kept; a measurement makes many more

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
// `count` loads; the k-th is at start + k·stride (bytes into the memory), or, when wrap isn't 0, at start + (k·stride
// mod wrap). Multiples of 4. Only timed ones are recorded. The memory is the caller's own for global loads and
// textures, a constant bank, or a warp's local memory as the hardware lays it out: consecutive words are those of
// consecutive lanes.
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
    uint32_t shared;   // bytes of it that a launch has, always the same: where the L1 gets the rest, so is that
    uint64_t span[CHASE_KINDS];      // bytes that can be loaded from; 0: not this kind
    uint32_t overhead[CHASE_KINDS];  // cycles of the timer, already subtracted
    uint64_t loads;                  // made so far
    bool noisy;                      // the same sequence doesn't always take the same time
} Chase;
enum { CHASE_WALKS = 1000 };  // most of a sequence
// Allocates span bytes, warms a real GPU's clocks up and measures the timer. False, with the reason, when the device
// can't; chase_close is due then too.
bool chase_open(Chase *c, oc_device *device, uint64_t span, Diag *diag);
void chase_close(Chase *c);
// Executes the walks in order, `rounds` times over, and puts the cycles of the timed loads of rounds first, first + 1,
// … into latency, which has room for all of them. One launch, so that caches that aren't kept between kernels are cold
// at its start; more launches of the same sequence where more loads are timed than fit beside it in shared memory, each
// of which records the next chase_window of them. Those are one trace only if the sequence soon forgets what was cached
// before it (rounds before `first`), and where a random replacement decides, each is another draw.
bool chase_run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
               uint32_t *latency, Diag *diag);
size_t chase_timed(const Walk *walks, size_t n);  // timed loads of a round
size_t chase_window(const Chase *c, size_t n);    // loads that one launch of n walks can record

// --- chase_ptx.c: the kernels ----------------------------------------------------------------------------------------
typedef struct DeviceWalk {  // in shared memory while the sequence runs
    uint64_t start, stride, wrap;
    uint32_t count, timed;
} DeviceWalk;
typedef struct DeviceHead {  // before the walks
    uint64_t texture;
    uint32_t walks, rounds;
    uint32_t at, room;       // bytes: the index of the first timed load in this window, negative; the window's size
    uint32_t never, unused;  // never: 0, which the compiler can't know
} DeviceHead;
enum { CHASE_BLOCK = 256, CONST_SPAN = 64 << 10, LOCAL_SPAN = 512 << 10 };
void chase_ptx(ChaseKind kind, Text *out);

// --- settle.c: what repeats of a noisy trace agree on ----------------------------------------------------------------
// A position's value is the median of its repeats without outliers: those farther from the median of all than 5 median
// absolute deviations (taken as at least 1 cycle). It is still when the values after the last three repeats lie less
// than `within` cycles apart. A sequence is repeated at least SETTLE_LEAST times, until every position is still, or
// `most` times: where a random replacement decides between hit and miss, none of that ever ends.
enum { SETTLE_LEAST = 3, SETTLE_MOST = 25, SETTLE_WITHIN = 1, SETTLE_LIMIT = 100 };
typedef struct Settled {
    uint32_t repeats;
    size_t moving;      // positions that aren't still
    uint64_t rejected;  // outliers
} Settled;
uint32_t settle_value(const uint32_t *v, size_t step, uint32_t repeats,
                      uint32_t *rejected);  // of v[0], v[step], …; rejected may be null
// Of `repeats` traces of n positions, one behind the other.
Settled settle(const uint32_t *traces, uint32_t repeats, size_t n, uint32_t within, uint32_t *value);
// chase_run, repeated by that rule where the device is noisy. how may be null.
bool chase_settle(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t most,
                  uint32_t within, uint32_t *latency, Settled *how, Diag *diag);

// --- footprint.c: the neighbours that a texel of a 2D texture brings with it -----------------------------------------
// REACH: texels to each side; a tile is found that is at most this wide and high. TEXEL: bytes of one.
enum { FOOTPRINT_REACH = 32, FOOTPRINT_TEXEL = 4 };
typedef struct Pair {  // fetched one after the other: (x, y), and (x + dx, y + dy)
    int32_t x, y, dx, dy;
    bool together;  // the second came with the first
} Pair;
typedef struct Footprint {
    Value width, height;  // of the tile that comes with a texel, in texels
    Value linear;         // 1: it is part of one row, as of a texture that lies in memory row by row; 0: it isn't
    uint32_t hit, miss;   // cycles of a fetch again, and of a first one whose line is in the L2
    size_t pairs;         // tried
} Footprint;
// Fetches pairs from a 2D texture with rows `pitch` bytes apart, some 100 MB of the device's memory. False when the
// device can't; absent where nothing caches textures.
bool footprint_measure(Chase *c, Footprint *f, Diag *diag);
// What pairs say: tiles are aligned rectangles of one size, or that is what the reason says.
void footprint_infer(const Pair *pairs, size_t n, Footprint *f);

// --- bench.c: kernels of our own, launched one at a time -------------------------------------------------------------
typedef struct Bench {
    oc_device *device;
    oc_module *module;
    oc_ptr memory, out;  // zero when opened; what is measured, and where results go
    uint64_t bytes, out_bytes;
    double seconds;  // that the last launch took on the device
} Bench;
void bench_begin(Text *ptx);  // what every module begins with
// name is what diagnostics call the text. Close it even when opening failed.
bool bench_open(Bench *b, oc_device *device, const char *name, const Text *ptx, uint64_t bytes, uint64_t out_bytes,
                Diag *diag);
void bench_close(Bench *b);
bool bench_write(Bench *b, const void *from, uint64_t bytes, Diag *diag);  // to the beginning of memory
bool bench_run(Bench *b, const char *kernel, uint32_t blocks, uint32_t threads, const void *const *args, Diag *diag);
bool bench_clear(Bench *b, Diag *diag);                           // out becomes zero
bool bench_read(Bench *b, void *to, uint64_t bytes, Diag *diag);  // from the beginning of out

// --- shared.c: shared memory's banks ---------------------------------------------------------------------------------
enum { SHARED_STRIDES = 65, SHARED_PAIRS = 258, SHARED_WAYS = 32 };
typedef struct SharedResult {
    // Cycles of a load of a warp, in which
    double stride[SHARED_STRIDES];  // lane i reads word i × stride: mei Fig. 5 and 7
    double pair[SHARED_PAIRS];      // lane 1 reads word k, the others word 0
    double ways[SHARED_WAYS];       // [n - 1]: the first n lanes read words of one bank, each on another row
    Value latency, conflict;        // without conflict; what each further way adds
    Value banks, width, mode;       // bytes that a bank gives at a time, and of consecutive ones that it holds: 4 or 8
    double residual;                // cycles that ways[] is off the line at most
    uint32_t wrong;                 // patterns that the best model doesn't explain
} SharedResult;
bool shared_measure(oc_device *device, SharedResult *r, Diag *diag);  // the three arrays
void shared_infer(SharedResult *r);                                   // the rest, from them

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
    Value latency;     // cycles until the next operation that needs the result
    Value rate;        // operations of threads that an SM does a cycle
} OpTiming;
bool ops_measure(oc_device *device, OpTiming timing[OPS_KINDS], Diag *diag);

// --- throughput.c: bytes a second against threads, blocks and coalescing ---------------------------------------------
enum { FLOW_THREADS = 1024, FLOW_POINTS = 32 };  // threads of a block; points of a curve; at most
typedef enum FlowKind { FLOW_L2, FLOW_DRAM, FLOW_SHARED } FlowKind;
typedef struct FlowPoint {
    FlowKind kind;
    uint32_t blocks, threads;  // of a block: a multiple of 32
    uint32_t ways;             // threads of a warp that read words of one 128-byte segment: 1, 2, 4, 8, 16, 32
    double useful, moved;      // GB/s: of the words asked for, and of the 32-byte sectors they lie in
    const char *why;           // null, or why nothing could be measured
} FlowPoint;
// y = slope × x up to the saturation at `at`, and peak from there on.
typedef struct Knee {
    Value at, peak;
    double slope, residual;  // residual: root of what the squares of y are off, over its squares
} Knee;
typedef enum Limit { LIMIT_UNKNOWN, LIMIT_THREADS, LIMIT_SM, LIMIT_MEMORY } Limit;
typedef struct FlowCurve {
    FlowKind kind;
    uint32_t ways;
    bool along_blocks;  // of FLOW_THREADS each (s-l1 Fig. 6); else along threads (Fig. 5)
    size_t n;
    FlowPoint points[FLOW_POINTS];
    Knee knee;        // of moved
    Limit limit;      // at the curve's end: too few threads, an SM, the memory
    const char *why;  // a reason for limit
} FlowCurve;
typedef struct Flow {
    Bench bench;
    uint64_t l2_bytes, cursor;  // cursor: where DRAM was read last
    uint32_t sms;
    bool real;
} Flow;
bool flow_open(Flow *f, oc_device *device, Diag *diag);
void flow_close(Flow *f);
bool flow_point(Flow *f, FlowPoint *p, Diag *diag);         // kind, blocks, threads and ways are given
Knee knee_fit(const double *x, const double *y, size_t n);  // x ascending

typedef struct Throughput {
    VEC(FlowCurve) curves;
} Throughput;
// scale 1: all that s-l1 §2.3 shows; less: fewer points, below a half only its coalescing of 4 ways.
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
    Value hit, miss;  // cycles, with a single warp and with the timer's
    size_t n;         // up to as many threads as fit an SM
    HitPoint points[HIT_POINTS];
    const char *why;  // null, or why there are no points
} HitCurve;
bool hits_measure(oc_device *device, HitKind kind, HitCurve *c, Diag *diag);
// --- subject.c: who is asked -----------------------------------------------------------------------------------------
// Inference knows no device: it asks a subject for the latencies of a sequence. All that was asked is kept, for replay
// and for files.
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
    uint64_t span[CHASE_KINDS];                  // bytes that can be loaded from; 0: the kind isn't there
    uint32_t
        stagger;  // bytes from page to page by which chases of TLBs shift, so that their lines meet in no cache's set
    bool cold;    // caches are empty at the start of a run, but for what a launch itself loads
    VEC(Run) runs;
    uint64_t loads, keep;  // made so far; of how many latencies are kept at most, 0: none
    uint64_t patience;     // loads that a cache or a TLB may take; 0: 250 million
} Subject;
bool subject_run(Subject *s, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                 uint32_t *latency, Diag *diag);
void subject_close(Subject *s);

// --- shape.c: sets, and what replaces what in them -------------------------------------------------------------------
// Lines (of a cache, or pages of a TLB) are numbered from the region's start. FORM_MODULO: blocks of 2^block lines go
// to the sets in turn. FORM_DEALT: the same, with full sets passed over, until every entry has a line; then anew.
// FORM_LINEAR: lines whose difference (XOR) is a sum of kernel[b] share a set; kernel[b] is 0 or has b as its highest
// bit.
typedef enum Form { FORM_NONE, FORM_ONE, FORM_MODULO, FORM_DEALT, FORM_LINEAR } Form;
typedef enum Rule {
    RULE_NONE,
    RULE_ANY,
    RULE_LRU,
    RULE_FIFO,
    RULE_PLRU,
    RULE_RANDOM,
    RULE_WEIGHTED
} Rule;  // ANY: one way, no choice
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
uint64_t shape_reach(const Shape *s);  // lines after which every kind of neighbourhood has been seen once
void shape_deal(Shape *s);             // fills dealt from ways
void shape_free(Shape *s);
// The tags of a shape, to run accesses on; one set's state is as policies say.
typedef struct Tags {
    const Shape *shape;
    uint64_t *tag, clock;
    uint64_t *stamp;
    uint32_t *first, *tree;
} Tags;
void tags_open(Tags *t, const Shape *shape);
void tags_close(Tags *t);
// True: a hit; deterministic rules only. slot (may be null): which tag it is now.
bool tags_touch(Tags *t, Rule rule, uint64_t line, uint32_t *slot);

// --- level.c: one cache or TLB, as loads see it ----------------------------------------------------------------------
typedef struct Range {
    uint64_t from;
    uint32_t step, count;  // lines
} Range;
typedef struct Lines {
    VEC(Range) range;
    uint64_t n;  // lines in all
} Lines;
void lines_add(Lines *l, uint64_t from, uint32_t step, uint32_t count);
void lines_free(Lines *l);
typedef struct Level {
    Subject *subject;
    Diag *diag;
    ChaseKind kind;
    uint64_t base, unit;  // bytes: address of line 0; of a line or page
    uint32_t stagger;
    double low, high, low_sd, high_sd;  // cycles of a load that it serves, and the least of one that it doesn't
    double outliers;                    // of loads
    float *evidence, *odds;  // by latency: log P(latency | miss) / P(latency | hit), and that without the log
    uint32_t evidence_n;
    uint32_t least;          // fewest misses of a round whose lines don't fit
    uint32_t warm;           // rounds before the first that is looked at
    uint32_t settle;         // as many as that where a few misses may be due to what was there before; 0: nothing is
    const Shape *above;      // of the level in front, which must miss for this one to be seen; null: there is none
    double front;            // cycles of a load that it serves
    uint64_t room;           // lines 0 … room − 1 fit
    double hidden;           // of misses: those that what is in front hides all the same
    Lines filler;            // those of them that go round now
    uint64_t limit;          // loads of one question
    uint32_t asked, unsure;  // questions, and those whose answer stayed open
    uint64_t until;          // no questions when the subject has made so many loads
    bool broken;             // the subject failed: diag says why; or
    bool spent;              // there were too many loads
} Level;
// After low, high, … were set. misses (may be null): a sample of loads that it doesn't serve, however long they take.
void level_learn(Level *l, const uint32_t *misses, size_t n);
void level_close(Level *l);
double level_distance(const Level *l);  // between hits and misses in standard deviations: d'
uint64_t level_address(const Level *l, uint64_t line);
// Do these lines fit, each set's into its ways? True whatever the replacement policy is: lines that fit are hit from
// some round on for good, and of those that don't at least one is missed in every round.
bool level_fits(Level *l, const Lines *x);
// Walks over the lines, and how many there are; out has room for CHASE_WALKS.
size_t level_walks(const Level *l, const Lines *x, bool timed, Walk *out, size_t n);

// --- stairs.c: latency against the size of what is gone round --------------------------------------------------------
typedef struct Sample {
    double mean, sd;  // robust: of all but the largest fiftieth, and of the middle two thirds
    double error;     // of the mean: standard error
    double tail;      // share beyond six sd
    uint64_t n;
} Sample;
Sample sample_of(const uint32_t *latency, size_t n);
Sample sample_clean(const uint32_t *latency,
                    size_t n);  // mean, sd and error of all within 4.5 sd of the median: of one mode
typedef struct Stair {
    uint64_t below, at;  // lines: the most whose latency is still that of the stair before, and where this one begins
    Sample sample;
} Stair;
// Goes round from, … 8, 12, 16, 24, … lines, up to most, until the mean latency has risen from base's to another level.
// False: it didn't, or the subject failed.
bool climb(Level *l, uint64_t from, const Sample *base, uint64_t most, Stair *stair);
bool first_misses(Level *l, const Sample *base, Stair *stair);          // a lower stair between this one's below and at
bool measure_round(Level *l, uint64_t n, uint32_t loads, Sample *out);  // of lines 0 … n − 1, so many loads at least
bool go_round(Level *l, uint64_t n, uint32_t warm, uint32_t rounds,
              uint32_t *latency);  // lines 0 … n − 1; rounds are timed

// --- sets.c: capacity, line, sets and ways ---------------------------------------------------------------------------
typedef VEC(uint64_t) LineVec;
// The most lines 0 … n − 1 that fit, looked for between low and high, or beyond up to most; 0: more than most, or the
// subject failed.
uint64_t find_prefix(Level *l, uint64_t low, uint64_t high, uint64_t most);
// Of lines 0 … n − 1, which fit, and another, with which they don't: those that can't be left out, `extra` as the last.
// They are of one set, one more than it has ways. units: how many lines, as l->unit counts them, share a tag.
bool find_conflict(Level *l, uint64_t n, uint64_t extra, LineVec *out, uint32_t *units);
// Are all lines of one set? Asked of random n and n + 1 of span lines; n fit, and if they are neighbours no more than n
// do.
bool is_one_set(Level *l, uint64_t n, uint64_t span);
void fill_without(Level *l, const uint64_t *line, size_t n);             // filler without these lines
void fill_for(Level *l, const Shape *s, uint32_t set);                   // filler without those of a set
bool any_in_set(Level *l, const LineVec *conflict, const Lines *which);  // of lines that fit without the conflict set's
bool in_set(Level *l, const LineVec *conflict, uint64_t line);
void list_set(Level *l, const LineVec *conflict, uint64_t from, uint64_t to, uint64_t part,
              LineVec *out);  // lines of its set, part by part
uint32_t find_ways(Level *l, const Shape *s, uint32_t set, uint32_t likely);

// --- index.c: which lines share a set --------------------------------------------------------------------------------
// From the prefix and its conflict set: form, sets and ways over the first span lines. Not determined, with the reason:
// none of the forms explains what was seen.
Value find_index(Level *l, uint64_t prefix, const LineVec *conflict, uint64_t span, Shape *out);

// --- policy.c: what is replaced --------------------------------------------------------------------------------------
// The rule of a level whose shape is known, put into it too. above (may be null): the level that is asked first, with
// its rule.
struct Found;
Value find_rule(Level *l, Shape *shape, const Shape *above, struct Found *out);

// --- infer.c: a cache; the TLBs --------------------------------------------------------------------------------------
typedef struct Found {
    Value size, line, fill, entries, sets, low, high;  // bytes, bytes, bytes, lines, -, cycles, cycles
    Shape shape;
    Value index, rule;  // value: Form, Rule
    double rule_p;      // RULE_RANDOM, RULE_WEIGHTED: p-value of equal probabilities
    Value weight[32];
    uint32_t heavy;                 // the way that goes most often
    Value again;                    // the share of its draws that the same follows: its weight if draws are independent
    double draws_p;                 // p-value of independence
    uint64_t span;                  // lines over which the index was looked at
    uint64_t accesses, mismatches;  // replayed; of them with another outcome
    double distance;                // d'
} Found;
void found_free(Found *f);
// --- victims.c: where victims are drawn
typedef enum Outcome { OUTCOME_OPEN, OUTCOME_HIT, OUTCOME_MISS } Outcome;
typedef struct Seen {
    uint64_t line;
    Outcome outcome;
} Seen;
// Loads in order, from empty sets but for at most `strangers` other lines in each: how many no choice of victims
// explains.
uint64_t explain_victims(const Shape *s, const Seen *seen, size_t n, uint32_t strangers);
// heavy, again and draws_p of a set, from chases whose every draw is seen. Weights are known; at most 32 ways.
void test_draws(Level *l, const Shape *s, uint32_t set, Found *out);
// --- replay.c: accesses and mismatches, from the runs that were kept, from the from-th on
void replay_cache(const Level *l, size_t from, Found *f);
struct FoundTlbs;
void replay_tlbs(const Subject *s, ChaseKind kind, size_t from, struct FoundTlbs *f);
// What serves loads of a kind first. False, with the reason, only when the subject fails.
bool infer_cache(Subject *s, ChaseKind kind, uint64_t base, Found *out, Diag *diag);
// Both TLBs, from loads past the L1. page: bytes.
typedef struct FoundTlbs {
    Value page, late, walk;  // bytes; cycles more of a page that is in the L2 TLB alone, and of one that is in neither
    Found level[2];
} FoundTlbs;
bool infer_tlbs(Subject *s, ChaseKind kind, FoundTlbs *out, Diag *diag);

// --- l2.c: the L2 ----------------------------------------------------------------------------------------------------
typedef struct SmHits {  // of one SM, in cycles of hits in the L2
    uint32_t sm;
    double low, high, first;  // of the nearer lines, of the farther ones, of the first line
} SmHits;
typedef struct FoundL2 {
    Value size, line, fill;  // bytes
    Value hit, miss;         // cycles
    Value near, far;         // cycles of a hit in either half; absent: all take as long
    VEC(SmHits) sm;
} FoundL2;
// bytes: what the device says it has, to begin at. Where it takes more than so many loads, size, line and fill stay
// open.
bool l2_infer(Subject *s, uint64_t bytes, uint64_t loads, FoundL2 *out, Diag *diag);
bool l2_halves(oc_device *device, FoundL2 *out, Diag *diag);  // near, far, sm
void l2_free(FoundL2 *f);

// --- curve.c: misses against the size of what is gone round ----------------------------------------------------------
enum { CURVE_POINTS = 40 };
typedef struct MissPoint {
    uint64_t bytes;  // of the array: lines or pages times their size
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
// mei Tables 3 and 5. LATE: the page is in the L2 TLB alone; WALK: in neither; SWITCH: nor are page-table entries of
// its part of memory active.
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
    Pattern pattern;  // of most of its loads
    double share;     // of its loads: those
} Mode;
enum { MODES = 32 };
typedef struct Spectrum {
    ChaseKind kind;
    Value pattern[PATTERN_KINDS];  // cycles: the median, with the middle 95 % of loads
    Mode mode[MODES];
    size_t modes;
} Spectrum;
// Of a cache, what infer_cache found (null: the kind has none).
bool spectrum_measure(Subject *s, ChaseKind kind, const Found *cache, const FoundTlbs *tlbs, const FoundL2 *l2,
                      Value window, Spectrum *out, Diag *diag);
// Memory whose page-table entries are active at a time, and what a change costs.
bool window_infer(Subject *s, const FoundTlbs *tlbs, const FoundL2 *l2, Value *window, Value *switching, Diag *diag);

// --- probe.c: everything about a device ------------------------------------------------------------------------------
typedef enum Part {
    PART_L1,
    PART_READONLY,
    PART_TEXTURE,
    PART_CONST,
    PART_LOCAL,  // caches, in the order of what they are known by
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
    double simulated, real;  // seconds that it takes, roughly
} PartInfo;
extern const PartInfo part_info[PARTS];
typedef struct PartResult {
    PartState state;
    double seconds;
    char *why;  // absent, left out, failed, cut short
} PartResult;
typedef struct ProbeOptions {
    uint32_t parts;                                               // a bit each; 0: all
    double budget;                                                // seconds, 0: as many as it takes
    uint64_t keep;                                                // latencies of raw runs at most
    void (*progress)(void *user, const char *part, double done);  // done: 0 to 1, of the whole; may be null
    void *user;
    const volatile bool *stop;  // that of the device's oc_config: the part under way is cut short, and no other begins
} ProbeOptions;
typedef struct Probe {
    char *name;
    oc_device_info device;  // its name is the above
    double seconds;
    uint64_t loads, asked;  // made; runs of the chase that made them
    uint64_t base;          // address of line and page 0 of what is in global memory
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
// False, with the reason, when nothing can be measured; a part that can't says so itself.
bool probe_device(oc_device *device, const ProbeOptions *o, Probe *p, Diag *diag);
void probe_free(Probe *p);
const char *form_name(const Shape *s);  // as a description's `index` calls it, or in words
const char *pattern_name(Pattern q);    // "L2 hit, L1 TLB miss"
const char *rule_name(Rule r);          // as a description's `policy` calls it
// FORM_LINEAR as fields of address bits folded by XOR, as a description's `xor`: the lowest bit of a line's number in
// the first field; −1: it isn't that.
int shape_folds(const Shape *s);
// Lowest address bit that chooses the set, where a bit field does.
uint32_t shape_low_bit(const Shape *s, uint64_t line);

// --- emit.c: a GPU description of what was found ---------------------------------------------------------------------
void probe_emit(const Probe *p, Text *out);

#endif
