// infer.h: what the files that infer share; no one else includes it. They see traces, and no device.
#ifndef PROBE_INFER_H
#define PROBE_INFER_H

#include "probe/unit.h"

// --- bound.c ---------------------------------------------------------------------------------------------------------
extern const char bound_why[];  // the reason of what isn't known because of the bound
// May more questions be asked? A quarter is kept for the latencies. b may be null.
bool bound_asks(Bound *b);
// Writes which values of a part aren't known because of the bound, and gives them the reason. Nothing: all are known.
void bound_names(Probe *p, Part part, Text *out);

// --- subject.c: what questions are asked of --------------------------------------------------------------------------
// Inference knows no device. It asks a subject for the latencies of a sequence, which may be a device or a test's
// model. All sequences and latencies are kept, for the replay and for files.
typedef struct Subject {
    void *of;
    bool (*run)(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                uint32_t *latency, Diag *diag);  // as chase_run
    // How many timed loads of n walks are recorded in one execution of the sequence. The next ones are from another
    // execution, in which other victims are drawn. Null: all are from one.
    size_t (*window)(void *of, size_t n);
    uint64_t span[CHASE_KINDS];  // how many bytes can be loaded from; 0: there is no such kind
    uint32_t walks;              // the most walks of a sequence; 0: CHASE_WALKS
    // Chases of TLBs shift by this many bytes from page to page, so that their lines don't meet in one set of a cache.
    uint32_t stagger;
    bool cold;  // caches are empty at the start of a run, except for what a launch itself loads
    VEC(Run) runs;
    uint64_t loads, keep;  // loads made so far; how many more latencies are kept
    Bound *bound;          // of loads executed: a sequence is, once for each window of its timed loads. May be null
    uint64_t patience;     // how many loads the inference of one cache or TLB may take; 0: 250 million
} Subject;
bool subject_run(Subject *s, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                 uint32_t *latency, Diag *diag);
void subject_close(Subject *s);
uint32_t subject_walks(const Subject *s);  // the most walks of a sequence, CHASE_WALKS at most

// --- shape.c ---------------------------------------------------------------------------------------------------------
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

// probe.c
// If a FORM_LINEAR folds fields of address bits by XOR, as a description's `xor` does: the lowest bit of the line's
// number in the first field. −1: it doesn't.
int shape_folds(const Shape *s);

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
    // The shape of the level in front of this one, whose misses alone reach this one; null: there is none.
    const Shape *above;
    double front;       // cycles of a load that it serves
    uint64_t room;      // lines 0 … room − 1 are known to fit
    double hidden;      // share of the misses that the level in front hides in spite of the filler
    Lines filler;       // lines that go round too, so that the level in front misses
    uint64_t limit;     // how many loads one question may take
    uint64_t until;     // no more questions once the subject has made so many loads
    bool broken;        // the subject failed, and diag says why; or
    const char *spent;  // nothing failed, but no more can be asked, for this reason; else null
} Level;
// subject_run, of this level's kind of load. False if the subject failed, or if the walks reach beyond its memory:
// then the level is spent.
bool level_run(Level *l, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t *latency);
// How many timed loads of n walks one execution records. More of them cost as many executions of the whole sequence.
uint64_t level_window(const Level *l, size_t n);
// Computes evidence and odds from low, high, … misses (may be null): a sample of loads that the level doesn't serve,
// however long they take.
void level_learn(Level *l, const uint32_t *misses, size_t n);
void level_close(Level *l);
double level_distance(const Level *l);  // the distance between hits and misses in standard deviations: d'
uint64_t level_address(const Level *l, uint64_t line);
// Do these lines fit, that is, has no set more of them than ways? The question has an answer whatever the replacement
// policy is: lines that fit all hit from some round on, and of lines that don't fit at least one misses in every
// round.
bool level_fits(Level *l, const Lines *x);
// Appends walks over the lines to the n walks in out, up to subject_walks; returns how many there are then.
size_t level_walks(const Level *l, const Lines *x, bool timed, Walk *out, size_t n);

// --- stairs.c: latency against the number of lines that are walked round ---------------------------------------------
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

// --- presence.c ------------------------------------------------------------------------------------------------------
typedef struct Presence {
    Value there;       // 1 or 0: is there a cache in front of the L2 for such loads?
    double own, past;  // cycles of repeated loads: of this kind, and past the L1
} Presence;
bool find_presence(Subject *s, ChaseKind kind, Presence *out, Diag *diag);

// --- sets.c: capacity, line, sets and ways ---------------------------------------------------------------------------
typedef VEC(uint64_t) LineVec;
// The largest n for which lines 0 … n − 1 fit, looked for between low and high, or beyond them up to most. 0: more
// than most fit, or the subject failed.
uint64_t find_prefix(Level *l, uint64_t low, uint64_t high, uint64_t most);
// Lines 0 … n − 1 fit; together with the line `extra` they don't. Finds those without which the others fit; `extra` is
// the last of them. They are of one set, and there is one more of them than the set has ways. units: how many units
// (l->unit bytes) share a tag.
bool find_conflict(Level *l, uint64_t n, uint64_t extra, LineVec *out, uint32_t *units);
// Is there only one set? Asks about random groups of n and of n + 1 out of span lines. n neighbours are known to fit,
// n + 1 not to.
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
// conflict set. Undetermined, with the reason, if none of the forms explains what was seen; `nearest` is then one that
// explains some of it, if there is one.
Value find_index(Level *l, uint64_t prefix, const LineVec *conflict, uint64_t span, Shape *out, Shape *nearest);

// --- policy.c: what is replaced --------------------------------------------------------------------------------------
// Finds the rule of a level whose shape is known, and puts it into the shape. above (may be null): the shape of the
// level in front, with its rule.
Value find_rule(Level *l, Shape *shape, const Shape *above, Found *out);

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
// If the index is undetermined, this is done for the nearest shape, with the rule that explains most.
void replay_cache(const Level *l, size_t from, Found *f);
void replay_tlbs(const Subject *s, ChaseKind kind, size_t from, FoundTlbs *f);

// --- infer.c: a cache; the TLBs --------------------------------------------------------------------------------------
void found_free(Found *f);
void found_unknown(Found *f, Value why);  // of all that follows from the sets
// Infers the cache that serves loads of a kind first. False, with the reason, only if the subject fails.
bool infer_cache(Subject *s, ChaseKind kind, uint64_t base, Found *out, Diag *diag);
bool infer_tlbs(Subject *s, ChaseKind kind, FoundTlbs *out, Diag *diag);

// --- l2.c ------------------------------------------------------------------------------------------------------------
// bytes: a size near which the search begins, since a device gives its L2's size; 0: none is known. If it takes more
// than about `loads` loads, size, line and fill stay undetermined.
bool l2_infer(Subject *s, uint64_t bytes, uint64_t loads, FoundL2 *out, Diag *diag);
void l2_free(FoundL2 *f);

// --- footprint.c -----------------------------------------------------------------------------------------------------
enum { FOOTPRINT_REACH = 32 };  // texels to each side; a tile is found that is at most this wide and high
typedef struct Pair {           // fetched one after the other: (x, y), and (x + dx, y + dy)
    int32_t x, y, dx, dy;
    bool together;  // the second came with the first
} Pair;
// took: three latencies a pair: of the first texel, of its neighbour, of the first again.
void footprint_judge(Pair *pairs, size_t n, const uint32_t *took, Footprint *f);
// Infers the tile from the pairs. Tiles must be aligned rectangles of one size; if none explains the pairs, the reason
// says so.
void footprint_infer(const Pair *pairs, size_t n, Footprint *f);

// --- curve.c ---------------------------------------------------------------------------------------------------------
bool curve_cache(Subject *s, ChaseKind kind, const Found *f, MissCurve *out, Diag *diag);  // mei Fig. 9
bool curve_tlb(Subject *s, ChaseKind kind, const FoundTlbs *f, uint32_t level, MissCurve *out,
               Diag *diag);            // mei Fig. 11
uint64_t curve_first(const Shape *s);  // the page at which the curve of a TLB's misses begins

// --- book.c ----------------------------------------------------------------------------------------------------------
// Goes the steps for a cache or a TLB that the search has looked at. Not done, if its latencies aren't known. False
// only if the subject fails; what the bound leaves open is undetermined.
bool book_cache(Subject *s, ChaseKind kind, const Found *f, Book *out, Diag *diag);
bool book_tlb(Subject *s, ChaseKind kind, const FoundTlbs *f, uint32_t level, Book *out, Diag *diag);
void book_free(Book *b);

// --- spectrum.c ------------------------------------------------------------------------------------------------------
// cache: what infer_cache found; null: this kind of load has no cache.
bool spectrum_measure(Subject *s, ChaseKind kind, const Found *cache, const FoundTlbs *tlbs, const FoundL2 *l2,
                      Value window, Spectrum *out, Diag *diag);
// Infers how much memory has its page-table entries active at a time, and what activating others takes.
bool window_infer(Subject *s, const FoundTlbs *tlbs, const FoundL2 *l2, Value *window, Value *switching, Diag *diag);

#endif
