// unit.h: what the files of chip ask of each other. What other parts call stands in chip.h.
#ifndef CHIP_UNIT_H
#define CHIP_UNIT_H

#include "chip/chip.h"

// --- build.c: its SMs and partitions ---------------------------------------------------------------------------------
typedef enum ChannelStage { CHANNEL_NONE, CHANNEL_BUILT, CHANNEL_AWAKE } ChannelStage;
void chip_spare(Chip *c);  // gives back what blocks have left for later launches
// For a launch; false: the host has no memory for it. What the first one needs, with the reason; the first n SMs, with
// storage shared out so; channels that sleep, or all awake; those awake that SMs sent something to for the first time.
bool chip_built(Chip *c, Text *message);
bool chip_build_sms(Chip *c, uint32_t n, const SmCfg *cfg);
bool chip_put_to_sleep(Chip *c, bool all_awake);
bool chip_wake_asked(Chip *c);
void chip_reset(Chip *c);  // after a fault, a limit, or memory that was lacking: the next launch builds it anew

// --- part.c: which blocks of a launch are timed, where a part of its SMs is simulated --------------------------------
// Blocks come to the SMs in turn: a row is one for each. Of each row the first `run` are timed, on as many SMs, while
// the others are executed in step.
typedef struct Part {
    uint32_t row, run;       // blocks of a row; that are timed of it
    uint64_t blocks, timed;  // of the launch
    bool alone;              // the others aren't executed: what they have brought to the L2 isn't there
    double most_busy;        // of the channels of DRAM: where they are busier, the part is given up; 0: it never is
} Part;
Part part_of(uint64_t blocks, uint32_t sms, uint32_t k);  // a k-th of the SMs, of a launch on so many
uint64_t part_block(const Part *p, uint64_t n);           // the number of the n-th block that is timed, and that isn't
uint64_t part_other(const Part *p, uint64_t n);
// At an edge: what a request of a timed block stands for (partition_slow). As many as there are blocks for each that is
// timed; at DRAM by what others have lately read, as the tags of the L2 tell: who reads a line first is chance.
typedef struct PartTraffic {
    double own, others;            // bytes that were lately read
    uint64_t own_all, others_all;  // in the launch
    uint64_t at;                   // the cycle of the edge before
    double behind[STANDS];         // cycles that each unit is behind, as a mean of all
    double work[STANDS];           // cycles that each has been busy with, likewise, in the launch
} PartTraffic;
void part_slow(const Part *p, const Chip *c, PartTraffic *t, uint64_t now);

// --- chip.c: a launch ------------------------------------------------------------------------------------------------
typedef struct Executed {
    uint64_t blocks, insts, threads;  // blocks that are over; instructions of warps and of threads
    uint64_t sectors;                 // of global memory that loads and stores access
    FaultKind fault;
    bool given_up;  // the part was, and tells nothing
    double busy;    // share of the time that the busiest kind of unit of the L2 and DRAM worked, on average
} Executed;
// Runs a launch to its end. textures may be null. Text of a fault or hang goes to message. part: that is timed; r has
// what was counted of it, and other what was executed beside it; null: all is.
RunResult chip_run(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count, const RunOptions *o,
                   const Part *part, Executed *other, Record *r, Text *message);
// Shares an SM's storage out for a launch and enters the launch's shape and its occupancy in the record; returns the
// blocks that fit an SM at once. 0: none does, and message says why: UNFIT, and the limit. organised: the described SM,
// changed. before: of an earlier launch, or null (sm_organise). A cluster is spread over so many SMs.
uint32_t chip_fit(SmCfg *organised, const LaunchInfo *info, uint32_t sms, const Division *before, Record *r,
                  Text *message);
void chip_collect(const Chip *c, uint64_t *count);  // the counters of the launch under way, without its cycles
// What is said when the host hasn't the memory for so many blocks.
void chip_no_room(const LaunchInfo *info, uint64_t blocks, Text *message);
// Adds up one SM's undefined shuffles; first: the earliest so far, of several SMs.
void record_undefined(Record *r, const Undefined *u, Undefined *first);
void record_overread(Record *r, const Overread *o, const Gmem *g, Overread *first);  // likewise
void record_checked(Record *r, Check *c);  // what was found in the launch; c null: nothing was looked for

// --- needs.c: the host's memory for what a chip is built of ----------------------------------------------------------
typedef struct Needs {
    uint64_t bytes, later;  // to build it; for what waits in queues
    uint64_t most;          // of bytes, for one key
    const char *key;
} Needs;
Needs chip_needs(const Gpu *g);
bool chip_affords(const Gpu *g, Text *message);  // false: the host doesn't have it, and message says what lacks

// --- accounts.c: how storage was shared out, and where energy went ---------------------------------------------------
// From a launch's other counters: into the counters, and of a record also by data structure. organised: the described
// SM as it was for the launch.
void chip_account(const Gpu *g, const SmCfg *organised, uint64_t *count);
void record_account(Record *r, const Gpu *g, const SmCfg *organised);

// --- trace.c: tells a sink about a launch ----------------------------------------------------------------------------
typedef struct Tracer Tracer;
Tracer *tracer_open(const TraceSink *sink, const Chip *chip);  // a launch begins
void tracer_edge(Tracer *t, const Chip *chip, uint64_t now, bool last);
void tracer_close(Tracer *t);

// --- functional.c: as chip_run, without time -------------------------------------------------------------------------
// Blocks of a launch whose others are timed; their accesses change what the L2 holds. fit: of an SM.
typedef struct Execution Execution;
Execution *beside_open(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, uint32_t fit);
// Executes blocks from .. to - 1, while none is left of earlier calls, or what is left, where from is to; as far as
// they go without the timed ones.
RunResult beside_run(Execution *x, uint64_t from, uint64_t to, Text *message);
// Blocks that aren't in the part: beside_step executes them in step, until they have so many instructions in all, as
// far as they go.
Execution *beside_part(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, uint32_t fit, const Part *part);
RunResult beside_step(Execution *x, uint64_t insts, Text *message);
void beside_alone(Execution *x);              // no timed block is under way any more, and blocks that still wait hang
uint64_t beside_changed(const Execution *x);  // another value: something has changed that others can see
uint64_t beside_left(const Execution *x);
Executed beside_done(const Execution *x);
void beside_close(Execution *x, Record *r);

// --- warm.c: what is executed without time passes through the L2, so that it holds what it would hold ----------------
typedef struct Warmer Warmer;
Warmer *warmer_open(Chip *c);
void warmer_take(Warmer *w, const Step *s);
uint64_t warmer_sectors(const Warmer *w);  // that loads and stores have accessed
void warmer_close(Warmer *w);

// --- sample.c: stretches of a launch's blocks are timed, those between them executed ---------------------------------
typedef struct Stretches Stretches;
// fit: blocks of an SM. Null: the launch is timed whole.
Stretches *stretches_open(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                          const RunOptions *o, uint32_t fit);
uint64_t stretches_end(const Stretches *s);  // blocks are handed out up to this one
// At a window's edge, when so many blocks are started: executes those that come next, if they aren't timed, and moves
// *started behind them. alone: no timed block is under way, and none will be.
RunResult stretches_edge(Stretches *s, uint64_t *started, uint64_t now, bool alone, Text *message);
uint64_t stretches_changed(const Stretches *s);  // the latest cycle in which those that wait changed something
bool stretches_wait(const Stretches *s);         // blocks that aren't timed wait for others
// The launch is over, r has what was counted, whole: to its end. r gets what is estimated of the rest.
void stretches_close(Stretches *s, Record *r, bool whole);
bool sample_prints(const Kernel *k);         // such a kernel is timed whole: what blocks print stays in order
void sample_scale(Record *r, double times);  // what isn't estimated counter by counter

// --- slices.c: as chip_run; but of a sampled launch parts are timed, where they tell what the whole would take -------
RunResult slices_run(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count, const RunOptions *o,
                     Record *r, Text *message);

// --- replicas.c: how sure an estimate is -----------------------------------------------------------------------------
// So many times as wide is what holds 95 % by Student's distribution as by the normal one.
double sample_wider(uint32_t freedom);
double sample_sign(uint64_t launch, uint32_t replica, uint32_t i);  // of the i-th difference
uint32_t sample_place(Counter c);                                   // the i of what no difference shows of it
bool sample_exact(int counter);                                     // execution counts it
uint64_t sample_round(double x);                                    // 0 or more

#endif
