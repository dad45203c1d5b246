// record.h: what a launch leaves: its counters, those of its data structures and instructions, and what was found. Who
// reads it needs nothing of the chip that ran it.
#ifndef CHIP_RECORD_H
#define CHIP_RECORD_H

#include "exec/fault.h"
#include "exec/launch.h"
#include "gpu/gpu.h"
#include "sm/stat.h"

// Raised whenever the cycles or counters of any run change: stored results of another model aren't reused.
enum { MODEL_VERSION = 25 };
// The same for runs that are sampled.
enum { SAMPLE_VERSION = 3 };

typedef struct WarpPair {
    uint32_t warp, by;  // by their slots
    uint64_t misses;    // loads of `warp`, of all SMs, that miss a line which `by` pushed out
} WarpPair;
// What a launch, or a sum of launches, has where some counters are estimates. Replicas say how sure these are: had
// other parts been timed, the counters might as well have come out by so much higher or lower (sample.c).
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
    uint64_t own[OWN_COUNTERS];  // of plug-ins: gpu_own has their names
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

// --- chip.c ----------------------------------------------------------------------------------------------------------
// How the message of a launch begins whose blocks are too large for an SM; behind it stands the limit.
#define UNFIT "no block of this kernel fits an SM: "
void record_free(Record *r);
// Finds the next name of l1.past or readonly.take, n bytes from *word on, and moves *list behind it. False: the end.
bool structure_next(const char **list, const char **word, size_t *n);
// Does it call that data structure: by its name, or by the name's first word?
bool structure_called(const char *name, const char *word, size_t n);

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
