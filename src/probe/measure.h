// measure.h: what the files that measure share; no one else includes it.
#ifndef PROBE_MEASURE_H
#define PROBE_MEASURE_H

#include "probe/unit.h"

// --- chase.c: dependent loads, timed one by one ----------------------------------------------------------------------
typedef struct Chase {
    oc_device *device;
    oc_module *module[CHASE_KINDS];  // null: the device refused it
    oc_ptr memory, list, out;
    uint64_t texture;  // the memory as 32-bit texels; 0: none
    // Bytes of shared memory of every launch; always the same, so that an L1 that gets the rest is, too.
    uint32_t shared;
    uint64_t span[CHASE_KINDS];      // how many bytes can be loaded from; 0: there is no such kind
    uint32_t local;                  // bytes of local memory of a thread, where there are such loads
    uint32_t overhead[CHASE_KINDS];  // cycles that the timer takes; latencies are without them
    uint64_t loads;                  // made so far
    bool noisy;                      // the same sequence may take another time when it is repeated
} Chase;
// Allocates span bytes, warms up a real GPU's clocks, and measures the timer. False, with the reason, if the device
// can't, or if its clock isn't read when a load is done. chase_close must be called in any case.
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
// The most walks of a sequence: shared memory has room for them, and for two recorded loads beside each.
uint32_t chase_walks(const Chase *c);

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
enum { CHASE_BLOCK = 256, CONST_SPAN = 64 << 10 };
void chase_ptx(ChaseKind kind, uint32_t local, Text *out);  // local: bytes of local memory of a thread

// --- settle.c: one trace from several noisy ones ---------------------------------------------------------------------
// A position's value is the median of its repeats without outliers. An outlier is farther from the median of all
// repeats than 5 median absolute deviations (which count as at least 1 cycle). A position is still if its values after
// the last three repeats lie less than `within` cycles apart. A sequence is repeated at least SETTLE_LEAST times, until
// every position is still, and at most `most` times: where a random replacement decides between hit and miss, a
// position may never be still.
enum { SETTLE_LEAST = 3, SETTLE_MOST = 25, SETTLE_WITHIN = 1, SETTLE_LIMIT = 100 };
typedef struct Settled {
    size_t moving;      // how many positions aren't still
    uint64_t rejected;  // outliers
} Settled;
uint32_t settle_value(const uint32_t *v, size_t step, uint32_t repeats,
                      uint32_t *rejected);  // the value of v[0], v[step], …; rejected may be null
// Settles `repeats` traces of n positions each, one behind the other.
Settled settle(const uint32_t *traces, uint32_t repeats, size_t n, uint32_t within, uint32_t *value);

// --- texels.c --------------------------------------------------------------------------------------------------------
// Fetches pairs of texels from a 2D texture, which takes some 100 MB of the device's memory. False if the device can't.
// The values are absent if nothing caches textures.
bool footprint_measure(Chase *c, Footprint *f, Diag *diag);

// --- bench.c: kernels of our own, launched one at a time -------------------------------------------------------------
typedef struct Bench {
    oc_device *device;
    oc_module *module;
    oc_ptr memory, out;  // memory that is measured, and memory for results; both are zero when opened
    uint64_t bytes, out_bytes;
    double seconds;  // how long the last launch took on the device
    Bound *bound;    // of launched threads, a warp a block at least; null: there is none
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

// --- throughput.c ----------------------------------------------------------------------------------------------------
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

// --- halves.c --------------------------------------------------------------------------------------------------------
bool l2_halves(oc_device *device, Bound *bound, FoundL2 *out, Diag *diag);  // near, far, sm

#endif
