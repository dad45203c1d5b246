// measure.h: what the files that measure share; no one else includes it.
#ifndef PROBE_MEASURE_H
#define PROBE_MEASURE_H

#include "probe/probe.h"

// --- chase.c: dependent loads, timed one by one ----------------------------------------------------------------------
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

// --- footprint.c -----------------------------------------------------------------------------------------------------
enum { FOOTPRINT_REACH = 32 };  // texels to each side; a tile is found that is at most this wide and high
typedef struct Pair {           // fetched one after the other: (x, y), and (x + dx, y + dy)
    int32_t x, y, dx, dy;
    bool together;  // the second came with the first
} Pair;
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

// --- throughput.c ----------------------------------------------------------------------------------------------------
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

// --- l2.c ------------------------------------------------------------------------------------------------------------
bool l2_halves(oc_device *device, FoundL2 *out, Diag *diag);  // near, far, sm

#endif
