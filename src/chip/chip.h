// chip.h: the whole GPU at work: the dispatch of blocks, and the windows in which SMs and partitions advance. What a
// launch leaves is its record (record.h).
#ifndef CHIP_H
#define CHIP_H

#include "chip/record.h"
#include "sm/sm.h"

// --- a simulated chip ------------------------------------------------------------------------------------------------
// Channels of DRAM with their partitions of the L2, by number. A channel is built when the first packet comes to one of
// its partitions, and takes part in a launch from its first packet there on: until then it sleeps.
typedef struct Channels {
    uint32_t *v, n;
} Channels;
typedef struct Chip {
    Gpu gpu;
    Gmem *gmem;
    Sm *sms;          // the first `opened` are built: a launch builds those that it uses and that weren't used before
    uint32_t opened;  // SMs
    uint32_t used;    // SMs of this launch: blocks are dealt in turn from SM 0 on, so these are the first ones
    Partition *parts;
    uint32_t channels;      // of DRAM: each is run by itself, with its partitions
    Channels built, awake;  // that were ever sent something; that were in this launch
    uint8_t *stage;         // of each channel: a ChannelStage
    Wire nothing;           // what an SM gets from a partition that sleeps
    // Pointer tables: [partition][sm], [sm][partition]. What the crossbar lets pass to an SM is as if from partition 0.
    Wire **to_part, **from_part, **credit;
    Wire **late;  // [sm]: requests for the L2 TLB
    Mmu mmu;
    Crossbar crossbar;  // where replies keep their order (link.ordered)
    Env **envs;
    struct Crew *crew;  // host threads
    uint64_t clock_ns;  // simulated time of all earlier launches
    uint64_t launches;
    VEC(Cta *) ctas;  // of launches without time: the first `idle` of them run no block; between launches, all
    uint32_t idle;
    Division division;  // of the latest timed launch
    Check *check;       // null: nobody asked
    uint32_t threads;
    uint64_t version;         // launches that were simulated, and copies that changed the L2
    bool simulate_all;        // also launches that repeat an earlier one
    struct Repeats *repeats;  // null: no launch can repeat one yet
} Chip;
// p: each partition that takes part in the launch.
#define EACH_AWAKE(c, p)                           \
    for (uint32_t k_ = 0; k_ < (c)->awake.n; k_++) \
        for (Partition *p = &(c)->parts[(c)->awake.v[k_]]; p; p = p->next_slice)

// What a launch does over time, told as it goes: to trace.c's user. Cycles are the launch's.
typedef struct SmSample {  // of an SM between two samples
    uint64_t from, to;     // cycles
    uint64_t instructions, l1_accesses, l1_hits, interference;
    double warps, stalled, isolated;  // as counted at windows' edges, the mean
    const uint64_t *grown;            // by how much every counter grew
} SmSample;
typedef enum TraceKind { TRACE_STALL, TRACE_RELEASE, TRACE_ISOLATE, TRACE_RETURN } TraceKind;
typedef struct TraceSink {
    uint64_t interval;  // cycles between two samples
    void (*sample)(void *user, uint32_t sm, const SmSample *s);
    void (*gpu)(void *user, uint64_t from, uint64_t to, const uint64_t *grown);  // the same of all L2 and DRAM
    void (*event)(void *user, uint64_t cycle, uint32_t sm, uint32_t warp, TraceKind kind);
    void (*span)(void *user, uint32_t sm, const SmSpan *s);  // a block or a warp is over
    // A launch or a copy, in seconds; a launch is told before its samples, when its end isn't known, and at its end.
    // buffer: of a copy, what is copied; may be null.
    void (*work)(void *user, const char *what, const char *buffer, uint64_t bytes, double start, double end);
    void *user;
} TraceSink;
typedef struct RunOptions {
    uint64_t max_cycles, interval;
    bool why;            // count why loads miss in the L1
    bool sample;         // time a part of the blocks (sample.c)
    uint64_t before;     // cycles that the latest timed launch of its kernel and shape took; 0: not known
    bool warm;           // what is executed without time passes through the L2
    uint64_t max_insts;  // warp instructions; 0: no limit
    void (*progress)(void *user, uint64_t cycles, uint64_t instructions, uint64_t blocks_done, uint64_t blocks);
    void *user;
    Text *printed;  // printf's output is added here
    uint64_t hang_cycles;
    const TraceSink *trace;  // null: nobody asks
    StepTaker *take;         // sees each step of an execution without time; null: nobody does
    void *taker;
    const volatile bool *stop;  // set: the launch ends at a window's edge, and its record is of what ran; may be null
} RunOptions;
typedef enum RunResult {
    RUN_OK,
    RUN_FAULT,
    RUN_HANG,
    RUN_LIMIT,
    RUN_STOPPED,
    RUN_TOO_LARGE,
    RUN_MEMORY,
} RunResult;

// --- build.c: its SMs and partitions ---------------------------------------------------------------------------------
void chip_open(Chip *c, const Gpu *gpu, Gmem *gmem, uint32_t threads);  // it is built when a launch is timed
void chip_close(Chip *c);
void chip_copied(Chip *c, uint64_t address, uint64_t bytes);  // from the host, between launches: may fill the L2

// --- chip.c: a launch ------------------------------------------------------------------------------------------------
void chip_name(const Chip *c, const LaunchInfo *l, Record *r);  // the launch's data structures

// --- repeat.c: as chip_run; but a launch that repeats an earlier one isn't simulated. So many were repeated ----------
RunResult chip_launch(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                      const RunOptions *o, Record *r, Text *message);
uint64_t chip_repeated(const Chip *c);
void repeats_close(struct Repeats *all);  // null: nothing

// --- functional.c: as chip_run, without time -------------------------------------------------------------------------
RunResult chip_execute(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, Record *r, Text *message);

// --- foretell.c: launches that are like earlier ones -----------------------------------------------------------------
typedef struct Foretell Foretell;
Foretell *foretell_open(void);
void foretell_close(Foretell *r);
// Is the next launch timed? Then foretell_learn is called with what it counts, else foretell_estimate with what its
// execution does, unless it fails.
bool foretell_times(Foretell *r, const LaunchInfo *l, const Gmem *g);
uint64_t foretell_before(const Foretell *r);  // RunOptions.before of that launch
bool foretell_warm(const Foretell *r);        // may a timed launch come next, for which this one warms the L2?
void foretell_learn(Foretell *r, const Record *timed);
void foretell_estimate(Foretell *r, Record *executed);

#endif
