// gpu.h: what a GPU is, and what follows from a launch's counters on it. A Gpu is a description, read from a file, and
// what is derived from it. Rates, shares of peaks, the memory chart and the roofline are computed from counters.
// Nothing here runs a launch: chip does.
#ifndef GPU_H
#define GPU_H

#include "energy/energy.h"

// --- descriptions ----------------------------------------------------------------------------------------------------
// What a name or a shared object chooses: the warp scheduler, what replaces lines, and the L1's prefetcher.
typedef enum PlugPlace { PLUG_SCHED, PLUG_L1, PLUG_L2, PLUG_PREFETCH, PLUGS } PlugPlace;
enum { PLUG_NAME = 64 };      // room for the name of a parameter or a counter, with its prefix
typedef struct PlugSetting {  // a parameter, not of what is chosen alone
    char name[PLUG_NAME];
    double value;
} PlugSetting;
typedef struct Gpu {
    char name[64];
    uint32_t capability, sms, slice, engines;
    bool overread;         // reads behind an allocation go on
    uint32_t cluster_sms;  // among which the blocks of a cluster lie; 0: all
    uint64_t memory;
    double core_mhz, dram_mhz, dram_gbs, host_gbs, host_us, call_us, launch_us, next_us, gather_gbs;
    double graph_us, node_ns;
    uint32_t dram_latency, dram_bus;
    SmCfg sm;
    PartitionCfg part;
    TlbCfg tlb2;
    EnergyCfg energy;
    PlugSetting set[32];
    uint32_t set_n;
    Plugin *plugin[PLUGS];         // what was loaded for each; null: nothing
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
    KEY_PREFETCH,
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

// --- conflict.c: overrides without effect ----------------------------------------------------------------------------
// Does an override ask for a size that each launch chooses itself on this GPU? Then out says so, of the first one.
bool gpu_unused(const Gpu *g, const char *const *sets, Text *out);

// --- plug.c: schedulers, replacement policies and prefetchers --------------------------------------------------------
void gpu_free(Gpu *gpu);
void gpu_hold(const Gpu *gpu);  // a copy of it is given back, too
bool gpu_has_plugin(const Gpu *gpu);
// A counter that depends on what was chosen: its name with the prefix, and where a record's `own` has it.
typedef struct OwnCounter {
    char name[PLUG_NAME];
    PlugPlace place;
    uint32_t at;
    const oc_policy_counter *counter;
} OwnCounter;
bool gpu_own(const Gpu *gpu, size_t n, OwnCounter *out);                     // the n-th; false: there are fewer
const char *gpu_own_broken(const Gpu *gpu, const uint64_t *own, Text *out);  // as counters_broken
// What is chosen for a place: all null where that is nothing, or a replacement that is no plug-in.
typedef struct PlugFace {
    const char *name;
    const oc_policy_param *params;
    const oc_policy_counter *counters;
} PlugFace;
PlugFace plug_chosen(const Gpu *g, PlugPlace place);
// An override "section.key=PATH" as a run is known by it: with the name that the plug-in gives itself, marked where a
// built-in one has it. False: it names no plug-in of the GPU.
bool gpu_known_set(const Gpu *g, const char *set, Text *out);
// The same of a key and a path. False: the path can't be loaded; of other keys the path is what it is known by.
bool plug_known_path(const char *key, const char *path, Text *out, Diag *diag);
bool plug_is_built_in(const char *key, const char *value);  // or no choice of a plug-in at all
bool plug_is_param(const char *key);                        // of a replacement policy or a prefetcher

// --- show.c: showing -------------------------------------------------------------------------------------------------
// The description as text with values, units and provenance, keys in the registry's order. defaults: instead, the keys
// that it leaves at their defaults, with the sentence of each.
bool gpu_show(const char *name, const char *const *sets, bool defaults, Text *out, Diag *diag);
// gpu_load, and every key with its value in a form that doesn't depend on how it was written: what a run's key is made
// of. gpu: null where the text is all that is asked for.
bool gpu_canonical(Gpu *gpu, const char *name, const char *const *sets, Text *out, Diag *diag);
void gpu_manual(Text *out);  // doc/reference/gpu.md

// --- derive.c: what follows from the values --------------------------------------------------------------------------
struct Module;
void gpu_lowering(const Gpu *g, struct Module *m);  // how ptx_lower makes the module's code for it

// --- rates.c: formulas over counters ---------------------------------------------------------------------------------
typedef struct Rate {
    const char *name, *unit, *formula, *doc;
    double (*value)(const uint64_t *c, const Gpu *gpu);
} Rate;
typedef enum RateId {
#define RATE(id, name, unit, formula, value, doc) R_##id,
#include "gpu/rates.def"
#undef RATE
    RATES
} RateId;
extern const Rate rates[RATES];
const Rate *rate_called(const char *name);  // null: none is
static inline double rate_of(RateId id, const uint64_t *c, const Gpu *gpu) { return rates[id].value(c, gpu); }
// Null when every conservation law holds, else the first that doesn't, as text owned by out.
const char *counters_broken(const uint64_t *c, Text *out);
void counter_manual(Text *out);  // doc/reference/counters.md

// --- metrics.c: a launch's numbers by name ---------------------------------------------------------------------------
typedef struct Metric {
    const char *name, *unit;  // name: as it was asked for
    double value;             // NAN: it isn't defined, such as a share of nothing
} Metric;
// A counter, a rate, or what Nsight Compute calls by that name. c null: only whether there is one, and its unit.
bool metric_find(const char *name, const uint64_t *c, const Gpu *g, Metric *m);
enum { METRIC_NAMES = 2 * C_COUNT + 64 };
size_t metric_names(const char *names[METRIC_NAMES]);  // all of them; returns how many these are

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
    PEAK_TENSOR,
    ALL_PEAKS
} Peak;
typedef struct PeakInfo {
    const char *name, *doc;
} PeakInfo;
extern const PeakInfo peak_info[ALL_PEAKS];
// From a launch's counters: the shares of what the whole GPU could have done in its time.
void find_peaks(const uint64_t *count, const Gpu *g, double peak[ALL_PEAKS]);
double dram_bytes(const uint64_t *count);      // read and written
double bank_conflicts(const uint64_t *count);  // passes that another order of the data would save
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
// The same of products of matrices: in operations, of which a multiply-add is two, and bytes.
typedef enum TensorPlace { TENSOR_SHARED, TENSOR_L2, TENSOR_DRAM, TENSOR_CORES, TENSOR_ROOFS } TensorPlace;
typedef struct TensorRoof {
    const char *name;
    double intensity;  // operations per byte; 0: it moves nothing
    double bytes;      // that the whole GPU can move, per second; 0: not known, or the cores
    double roof;       // operations per second that it allows; 0: not known
    double reached;    // the share of it
} TensorRoof;
typedef struct TensorRoofline {
    double reached;  // operations per second; 0: there were no such products
    TensorRoof roof[TENSOR_ROOFS];
} TensorRoofline;
void tensor_roofline(const uint64_t *count, const double peak[ALL_PEAKS], double seconds, TensorRoofline *out);

#endif
