// chip.h: the whole GPU at work: the dispatch of blocks, the windows in which SMs and partitions advance, and a
// launch's record.
#ifndef CHIP_H
#define CHIP_H

#include "gpu/gpu.h"

// Raised whenever the cycles or counters of any run change: stored results of another model aren't reused.
enum { MODEL_VERSION = 22 };
// The same for runs that are sampled.
enum { SAMPLE_VERSION = 1 };

// --- a simulated chip ------------------------------------------------------------------------------------------------
typedef struct WarpPair {
    uint32_t warp, by;  // by their slots
    uint64_t misses;    // loads of `warp`, of all SMs, that miss a line which `by` pushed out
} WarpPair;
// Of a launch, or a sum of them, whose counters are estimates in part. How sure they are is said by replicas: had other
// parts been timed, the counters might as well have come out by so much higher or lower (sample.c).
enum { REPLICAS = 32 };
typedef struct Sampled {
    uint64_t launches, launches_timed;  // in all; those of which some blocks were timed
    uint64_t blocks, blocks_timed;
    float off[REPLICAS][C_COUNT];
} Sampled;
typedef struct Record {  // of one launch
    char *kernel;
    uint64_t launches;  // 1, or more of a sum
    LaunchInfo info;    // grid, block, dynamic_shared
    uint64_t count[C_COUNT];
    uint64_t own[OC_MOST_COUNTERS];  // of the policy: its type has their names
    StructStat structure[MAX_STRUCTURES];
    uint64_t structure_dram[MAX_STRUCTURES];
    StructEnergy structure_energy[MAX_STRUCTURES];  // 0 unless energy is asked for
    char *structure_name[MAX_STRUCTURES];
    InstStat *inst;  // per instruction of the kernel's code, or null
    uint32_t insts;
    const Kernel *code;          // valid as long as its module is loaded
    uint64_t sm_most, sm_least;  // cycles in which the busiest SM has work, and the least busy one
    uint32_t occupancy_blocks, occupancy_warps;
    const char *occupancy_limit;
    bool functional, partial;  // not timed; cut short by max_cycles, a stop, a fault or a hang
    FaultKind fault;           // that ended it
    double start, end;         // simulated seconds on its stream
    char *undefined;           // where the first shfl read a lane that takes no part, or null
    char *overread;            // what the first read behind an allocation was, in words, or null
    uint64_t overreads;        // lanes that read so
    VEC(uint64_t) samples;     // interval mode: C_COUNT values each
    WhySums *why;              // why loads missed in the L1; null: nobody asked
    bool checked;              // the next two: what --check found, and what it left out; null: nothing
    Flaws flaws;
    const char *unchecked;
    VEC(WarpPair) pairs;  // interval mode and traces: their misses add up to watch.interference
    Sampled *sampled;     // what was estimated, and how surely; null: nothing
} Record;
// Has a data structure anything to report? What earlier launches left dirty costs energy without an access of this one.
static inline bool structure_used(const Record *r, int k)
{
    const StructStat *s = &r->structure[k];
    return s->loads + s->stores + s->atomics + r->structure_energy[k].l1 + r->structure_energy[k].dram > 0;
}

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
    bool warm;           // what is executed without time passes through the L2
    uint64_t max_insts;  // warp instructions; 0: no limit
    void (*progress)(void *user, uint64_t cycles, uint64_t instructions, uint64_t blocks_done, uint64_t blocks);
    void *user;
    Text *printed;  // printf's output is added here
    uint64_t hang_cycles;
    const TraceSink *trace;     // null: nobody asks
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
// How the message of a launch begins whose blocks are too large for an SM; behind it stands the limit.
#define UNFIT "no block of this kernel fits an SM: "
void record_free(Record *r);
// Finds the next name of l1.past or readonly.take, n bytes from *word on, and moves *list behind it. False: the end.
bool structure_next(const char **list, const char **word, size_t *n);
// Does it call that data structure: by its name, or by the name's first word?
bool structure_called(const char *name, const char *word, size_t n);

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
bool foretell_warm(const Foretell *r);  // may a timed launch come next, for which this one warms the L2?
void foretell_learn(Foretell *r, const Record *timed);
void foretell_estimate(Foretell *r, Record *executed);

// --- replicas.c: how sure an estimate is -----------------------------------------------------------------------------
void sampled_add(Sampled **to, const Sampled *from);  // *to may be null
typedef struct Interval {
    double low, high;
} Interval;
// In which a counter lies, or a value that is computed of counters, with a probability of 95 %.
Interval sampled_counter(const Sampled *s, const uint64_t *count, Counter c);
Interval sampled_interval(const Sampled *s, const uint64_t *count, const Gpu *gpu,
                          double (*value)(const uint64_t *count, const Gpu *gpu));

#endif
