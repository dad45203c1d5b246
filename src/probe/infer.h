// infer.h: what the files that infer share; no one else includes it. They see traces, and no device.
#ifndef PROBE_INFER_H
#define PROBE_INFER_H

#include "probe/probe.h"

// --- subject.c: who is asked -----------------------------------------------------------------------------------------
// Inference knows no device: it asks a subject for the latencies of a sequence. All that was asked is kept, for replay
// and for files.
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

// --- shape.c ---------------------------------------------------------------------------------------------------------
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
// FORM_LINEAR as fields of address bits folded by XOR, as a description's `xor`: the lowest bit of a line's number in
// the first field; −1: it isn't that.
int shape_folds(const Shape *s);

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
Value find_rule(Level *l, Shape *shape, const Shape *above, Found *out);

// --- victims.c: where victims are drawn ------------------------------------------------------------------------------
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

// --- replay.c: accesses and mismatches, from the runs that were kept, from the from-th on ----------------------------
void replay_cache(const Level *l, size_t from, Found *f);
void replay_tlbs(const Subject *s, ChaseKind kind, size_t from, FoundTlbs *f);

// --- infer.c: a cache; the TLBs --------------------------------------------------------------------------------------
void found_free(Found *f);
// What serves loads of a kind first. False, with the reason, only when the subject fails.
bool infer_cache(Subject *s, ChaseKind kind, uint64_t base, Found *out, Diag *diag);
bool infer_tlbs(Subject *s, ChaseKind kind, FoundTlbs *out, Diag *diag);

// --- l2.c ------------------------------------------------------------------------------------------------------------
// bytes: what the device says it has, to begin at. Where it takes more than so many loads, size, line and fill stay
// open.
bool l2_infer(Subject *s, uint64_t bytes, uint64_t loads, FoundL2 *out, Diag *diag);
void l2_free(FoundL2 *f);

// --- curve.c ---------------------------------------------------------------------------------------------------------
bool curve_cache(Subject *s, ChaseKind kind, const Found *f, MissCurve *out, Diag *diag);  // mei Fig. 9
bool curve_tlb(Subject *s, ChaseKind kind, const FoundTlbs *f, uint32_t level, MissCurve *out,
               Diag *diag);  // mei Fig. 11

// --- spectrum.c ------------------------------------------------------------------------------------------------------
// Of a cache, what infer_cache found (null: the kind has none).
bool spectrum_measure(Subject *s, ChaseKind kind, const Found *cache, const FoundTlbs *tlbs, const FoundL2 *l2,
                      Value window, Spectrum *out, Diag *diag);
// Memory whose page-table entries are active at a time, and what a change costs.
bool window_infer(Subject *s, const FoundTlbs *tlbs, const FoundL2 *l2, Value *window, Value *switching, Diag *diag);

#endif
