// chip.h: the whole GPU: its description, the dispatch of blocks, the windows in which SMs and partitions advance, and
// a launch's record.
#ifndef CHIP_H
#define CHIP_H

#include "energy/energy.h"
#include "sm/sm.h"

// Raised whenever the cycles or counters of any run change: stored results of another model aren't reused.
enum { MODEL_VERSION = 21 };
// The same for runs that are sampled.
enum { SAMPLE_VERSION = 1 };

// --- descriptions ----------------------------------------------------------------------------------------------------
typedef struct SchedSetting {  // a parameter of a policy, not of the chosen one alone
    char name[32];
    double value;
} SchedSetting;
typedef struct Gpu {
    char name[64];
    uint32_t capability, sms, slice, engines;
    bool overread;         // reads behind an allocation go on
    uint32_t cluster_sms;  // among which the blocks of a cluster lie; 0: all
    uint64_t memory;
    double core_mhz, dram_mhz, dram_gbs, host_gbs, host_us, call_us, launch_us, next_us, gather_gbs;
    uint32_t dram_latency;
    SmCfg sm;
    PartitionCfg part;
    TlbCfg tlb2;
    EnergyCfg energy;
    SchedSetting sched[32];
    uint32_t sched_n;
    Plugin *plugin;                // the policy, where it is one; null
    uint32_t to_partition, to_sm;  // derived: one-way latencies, cycles
    uint32_t window;               // derived: the smaller of them
} Gpu;

// --- keys.c: the keys of a description, and their values -------------------------------------------------------------
typedef enum KeyKind {
    KEY_UINT,
    KEY_SIZE,
    KEY_REAL,
    KEY_BOOL,
    KEY_FIXED,
    KEY_COUNTING,
    KEY_POLICY,
    KEY_INDEX,
    KEY_REPLACEMENT,
    KEY_STORAGE,
    KEY_REPARTITION,
    KEY_PER,
    KEY_REORDER,
    KEY_GATHER,
    KEY_FENCE,
    KEY_INTERLEAVE,
    KEY_HIERARCHY,
    KEY_WEIGHTS,  // lists from here on
    KEY_REALS,
    KEY_SETS,
    KEY_MASKS,
    KEY_NAMES  // a text, with the null that ends it
} KeyKind;
typedef struct Key {
    const char *section, *key;
    KeyKind kind;
    size_t offset, width;  // of the field, in bytes; a list's without its count, which lies behind it
    double min, max, standard;
    const char *unit, *doc;
} Key;
extern const Key gpu_keys[];
extern const size_t gpu_key_count;
const char *key_name(KeyKind kind, uint32_t n);  // of an enumeration's n-th value; null: it has no more, or is none
bool gpu_number(const Gpu *gpu, const char *name, double *value);  // of a key, "l1.size"; false: none, or a list

// --- gpus.gen.c: gpus/*.ini ------------------------------------------------------------------------------------------
typedef struct GpuFile {
    const char *name, *text;
    size_t size;
} GpuFile;
extern const GpuFile gpu_files[];
extern const size_t gpu_file_count;

// --- desc.c: reading -------------------------------------------------------------------------------------------------
// Loads a shipped description by name, or a file. sets: "section.key=value", null-terminated, may be null.
// A description may begin with [gpu] base = NAME, whose keys it then overrides.
// What was loaded is given back with gpu_free.
bool gpu_load(Gpu *gpu, const char *name, const char *const *sets, Diag *diag);
void gpu_free(Gpu *gpu);

// --- show.c: showing -------------------------------------------------------------------------------------------------
// The description as text with values, units and provenance, keys in the registry's order. defaults: instead, the keys
// that it leaves at their defaults, with the sentence of each.
bool gpu_show(const char *name, const char *const *sets, bool defaults, Text *out, Diag *diag);
// gpu_load, and every key with its value in a form that doesn't depend on how it was written: what a run's key is made
// of. gpu: null where the text is all that is asked for.
bool gpu_canonical(Gpu *gpu, const char *name, const char *const *sets, Text *out, Diag *diag);
void gpu_manual(Text *out);  // doc/reference/gpu.md

// --- sched.c: the policy, and the parameters that policies declare ---------------------------------------------------
bool sched_choose(Gpu *g, const char *name, bool plugins, Text *why);  // by its name, or by the path of a plug-in
const oc_policy_param *sched_param(const Gpu *g, const char *key);     // of any policy that is known; null: of none
const char *sched_set(Gpu *g, const char *key, double value);          // null: done; else why not
double sched_value(const Gpu *g, const oc_policy_param *p);            // what it was set to, or its standard value
bool sched_fits(const oc_policy_type *t, const oc_policy_param *p, double value, Text *why);
bool sched_settle(Gpu *g, Diag *diag);  // the chosen policy's parameters get their values
void sched_manual(Text *out);

// --- slice.c: a part of the GPU --------------------------------------------------------------------------------------
bool gpu_cut(Gpu *g, Diag *diag);  // to 1/slice; before anything is derived

// --- derive.c: what follows from the values --------------------------------------------------------------------------
bool gpu_derive(Gpu *g, Diag *diag);                                // after the last of them is set
bool gpu_refuse(Diag *diag, const char *section, const char *why);  // a section of a description that can't be; false
void gpu_lowering(const Gpu *g, Module *m);                         // how ptx_lower makes the module's code for it

// --- rates.c: formulas over counters ---------------------------------------------------------------------------------
typedef struct Rate {
    const char *name, *unit, *formula, *doc;
    double (*value)(const uint64_t *c, const Gpu *gpu);
} Rate;
extern const Rate rates[];
extern const size_t rate_count;
// Null when every conservation law holds, else the first that doesn't, as text owned by out.
const char *counters_broken(const uint64_t *c, Text *out);
void counter_manual(Text *out);  // doc/reference/counters.md

// --- peaks.c: shares of the peaks, the memory chart, the roofline ----------------------------------------------------
// The first PEAKS are of units; the others are parts of them, or ceilings of the roofline.
typedef enum Peak {
    PEAK_ISSUE,
    PEAK_LSU,
    PEAK_SHARED,
    PEAK_LINK,
    PEAK_L2,
    PEAK_DRAM,
    PEAKS,
    PEAK_LINK_OUT = PEAKS,
    PEAK_LINK_IN,
    PEAK_ALU,
    PEAK_L2_WAITS,
    ALL_PEAKS
} Peak;
typedef struct PeakInfo {
    const char *name, *doc;
} PeakInfo;
extern const PeakInfo peak_info[ALL_PEAKS];
// From a launch's counters: the shares of what the whole GPU could have done in its time.
void find_peaks(const uint64_t *count, const Gpu *g, double peak[ALL_PEAKS]);
double dram_bytes(const uint64_t *count);  // read and written
typedef enum ChartPlace {
    CHART_SHARED,
    CHART_L1,
    CHART_PAST,
    CHART_READONLY,
    CHART_CONST,
    CHART_SCRATCH,
    CHART_OUT,
    CHART_IN,
    CHART_L2,
    CHART_DRAM,
    CHART_PARTS
} ChartPlace;
typedef struct ChartWait {
    const char *what;
    double share;  // of the part's `of`
} ChartWait;
typedef struct ChartPart {
    const char *name;
    double requests, bytes, peak, hits;  // NAN: it has none, or it isn't counted; peak and hits are shares
    const char *of;                      // what the waits are shares of
    ChartWait waits[5];
    size_t waiting;
} ChartPart;
void memory_chart(const uint64_t *count, const double peak[ALL_PEAKS], ChartPart part[CHART_PARTS]);
typedef enum RoofPlace { ROOF_L1, ROOF_L2, ROOF_DRAM, ROOF_ISSUE, ROOF_ALU, ROOFS } RoofPlace;
typedef struct Roof {
    const char *name;
    double intensity, per_transaction;  // warp instructions per byte, per transaction; 0: it moves nothing
    double transactions;                // that the whole GPU can make, per second; of the issue: slots; 0: not known
    double roof;                        // warp instructions per second that it allows; 0: not known
    double reached;                     // the share of it
} Roof;
typedef struct Roofline {
    double reached;  // warp instructions per second
    Roof roof[ROOFS];
} Roofline;
void roofline(const uint64_t *count, const double peak[ALL_PEAKS], double seconds, Roofline *out);

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
typedef enum ChannelStage { CHANNEL_NONE, CHANNEL_BUILT, CHANNEL_AWAKE } ChannelStage;
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
void chip_spare(Chip *c);                                     // gives back what blocks have left for later launches
// For a launch; false: the host has no memory for it. What the first one needs, with the reason; the first n SMs, with
// storage shared out so; channels that sleep, or all awake; those awake that SMs sent something to for the first time.
bool chip_built(Chip *c, Text *message);
bool chip_build_sms(Chip *c, uint32_t n, const SmCfg *cfg);
bool chip_put_to_sleep(Chip *c, bool all_awake);
bool chip_wake_asked(Chip *c);
void chip_reset(Chip *c);  // after a fault, a limit, or memory that was lacking: the next launch builds it anew

// --- chip.c: a launch ------------------------------------------------------------------------------------------------
void chip_name(const Chip *c, const LaunchInfo *l, Record *r);  // the launch's data structures
// Runs a launch to its end. textures may be null. Text of a fault or hang goes to message.
RunResult chip_run(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count, const RunOptions *o,
                   Record *r, Text *message);
// Shares an SM's storage out for a launch and enters the launch's shape and its occupancy in the record; returns the
// blocks that fit an SM at once. 0: none does, and message says why: UNFIT, and the limit. organised: the described SM,
// changed. before: of an earlier launch, or null (sm_organise).
#define UNFIT "no block of this kernel fits an SM: "
// A cluster is spread over so many SMs.
uint32_t chip_fit(SmCfg *organised, const LaunchInfo *info, uint32_t sms, const Division *before, Record *r,
                  Text *message);
void chip_collect(const Chip *c, uint64_t *count);  // the counters of the launch under way, without its cycles
// What is said when the host hasn't the memory for so many blocks.
void chip_no_room(const LaunchInfo *info, uint64_t blocks, Text *message);
// Adds up one SM's undefined shuffles; first: the earliest so far, of several SMs.
void record_undefined(Record *r, const Undefined *u, Undefined *first);
void record_overread(Record *r, const Overread *o, const Gmem *g, Overread *first);  // likewise
void record_checked(Record *r, Check *c);  // what was found in the launch; c null: nothing was looked for
void record_free(Record *r);
// Finds the next name of l1.past or readonly.take, n bytes from *word on, and moves *list behind it. False: the end.
bool structure_next(const char **list, const char **word, size_t *n);
// Does it call that data structure: by its name, or by the name's first word?
bool structure_called(const char *name, const char *word, size_t n);
// needs.c: the host's memory for what a chip is built of
typedef struct Needs {
    uint64_t bytes, later;  // to build it; for what waits in queues
    uint64_t most;          // of bytes, for one key
    const char *key;
} Needs;
Needs chip_needs(const Gpu *g);
bool chip_affords(const Gpu *g, Text *message);  // false: the host doesn't have it, and message says what lacks
// accounts.c: how storage was shared out and where energy went, from a launch's other counters: into the counters, and
// of a record also by data structure. organised: the described SM as it was for the launch.
void chip_account(const Gpu *g, const SmCfg *organised, uint64_t *count);
void record_account(Record *r, const Gpu *g, const SmCfg *organised);
// trace.c: tells a sink about a launch.
typedef struct Tracer Tracer;
Tracer *tracer_open(const TraceSink *sink, const Chip *chip);  // a launch begins
void tracer_edge(Tracer *t, const Chip *chip, uint64_t now, bool last);
void tracer_close(Tracer *t);
// repeat.c: as chip_run; but a launch that repeats an earlier one isn't simulated. So many were repeated.
RunResult chip_launch(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                      const RunOptions *o, Record *r, Text *message);
uint64_t chip_repeated(const Chip *c);
void repeats_close(struct Repeats *all);  // null: nothing
// functional.c: as chip_run, without time.
RunResult chip_execute(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, Record *r, Text *message);
// Blocks of a launch whose others are timed; their accesses change what the L2 holds. fit: of an SM.
typedef struct Execution Execution;
typedef struct Executed {
    uint64_t blocks, insts, threads;  // blocks that are over; instructions of warps and of threads
    uint64_t sectors;                 // of global memory that loads and stores access
    FaultKind fault;
} Executed;
Execution *beside_open(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, uint32_t fit);
// Executes blocks from .. to - 1, while none is left of earlier calls, or what is left, where from is to; as far as
// they go without the timed ones.
RunResult beside_run(Execution *x, uint64_t from, uint64_t to, Text *message);
void beside_alone(Execution *x);              // no timed block is under way any more, and blocks that still wait hang
uint64_t beside_changed(const Execution *x);  // another value: something has changed that others can see
uint64_t beside_left(const Execution *x);
Executed beside_done(const Execution *x);
void beside_close(Execution *x, Record *r);
// warm.c: what is executed without time passes through the L2, so that it holds what it would hold.
typedef struct Warmer Warmer;
Warmer *warmer_open(Chip *c);
void warmer_take(Warmer *w, const Step *s);
uint64_t warmer_sectors(const Warmer *w);  // that loads and stores have accessed
void warmer_close(Warmer *w);
// sample.c: stretches of a launch's blocks are timed, those between them executed.
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
// foretell.c: launches that are like earlier ones
typedef struct Foretell Foretell;
Foretell *foretell_open(void);
void foretell_close(Foretell *r);
// Is the next launch timed? Then foretell_learn is called with what it counts, else foretell_estimate with what its
// execution does, unless it fails.
bool foretell_times(Foretell *r, const LaunchInfo *l, const Gmem *g);
bool foretell_warm(const Foretell *r);  // may a timed launch come next, for which this one warms the L2?
void foretell_learn(Foretell *r, const Record *timed);
void foretell_estimate(Foretell *r, Record *executed);
// replicas.c: how sure an estimate is
double sample_student(uint32_t freedom);                            // so many deviations hold 95 %, by Student's
double sample_sign(uint64_t launch, uint32_t replica, uint32_t i);  // of the i-th difference
bool sample_exact(int counter);                                     // execution counts it
uint64_t sample_round(double x);                                    // 0 or more
void sampled_add(Sampled **to, const Sampled *from);                // *to may be null
typedef struct Interval {
    double low, high;
} Interval;
// In which a counter lies, or a value that is computed of counters, with a probability of 95 %.
Interval sampled_counter(const Sampled *s, const uint64_t *count, Counter c);
Interval sampled_interval(const Sampled *s, const uint64_t *count, const Gpu *gpu,
                          double (*value)(const uint64_t *count, const Gpu *gpu));

#endif
