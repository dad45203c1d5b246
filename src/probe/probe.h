// probe.h: what the memory hierarchy of a GPU is, real or simulated, from the latencies of loads alone.
//
// Measurements run on a device: chase.c makes it load a sequence of addresses, each when the one before is there, and
// gives back how long each took. Inference files see traces only: they may not include a description's header.
#ifndef PROBE_H
#define PROBE_H

#include "base/base.h"

#include <onchip.h>

// What is said of a quantity: measured, with the interval in which it lies (95 %; low = high for a count that the
// observations leave no choice); undetermined, why says the reason; or absent: nothing that was done could show it.
typedef enum Verdict { ABSENT, MEASURED, UNDETERMINED } Verdict;
typedef struct Value {
    Verdict verdict;
    double value, low, high;
    const char *why;                   // a literal
} Value;
static inline Value measured(double value, double low, double high) { return (Value){MEASURED, value, low, high, NULL}; }
static inline Value counted(double value) { return (Value){MEASURED, value, value, value, NULL}; }
static inline Value undetermined(const char *why) { return (Value){UNDETERMINED, 0, 0, 0, why}; }

// --- chase.c: dependent loads, timed one by one ---------------------------------------------------------------------------
typedef enum ChaseKind {
    CHASE_GLOBAL, CHASE_L2, CHASE_READONLY,  // ld.global .ca, .cg, .nc
    CHASE_TEXTURE,                           // tex.1d of a linear texture object
    CHASE_CONST, CHASE_LOCAL,                // ld.const, ld.local
    CHASE_KINDS
} ChaseKind;
// `count` loads; the k-th is at start + k·stride (bytes into the memory), or, when wrap isn't 0, at start + (k·stride mod
// wrap). Multiples of 4. Only timed ones are recorded. The memory is the caller's own for global loads and textures, a
// constant bank, or a warp's local memory as the hardware lays it out: consecutive words are those of consecutive lanes.
typedef struct Walk {
    uint64_t start;
    int64_t stride;                    // with wrap: 0 ≤ stride < wrap
    uint64_t wrap;
    uint32_t count;
    bool timed;
} Walk;
typedef struct Chase {
    oc_device *device;
    oc_module *module[CHASE_KINDS];    // null: the device refused it
    oc_ptr memory, list, out;
    uint64_t texture;                  // the memory as 32-bit texels; 0: none
    uint32_t shared;                   // bytes of it that a launch has, always the same: where the L1 gets the rest, so is that
    uint64_t span[CHASE_KINDS];        // bytes that can be loaded from; 0: not this kind
    uint32_t overhead[CHASE_KINDS];    // cycles of the timer, already subtracted
    uint64_t loads;                    // made so far
    bool noisy;                        // the same sequence doesn't always take the same time
} Chase;
enum { CHASE_WALKS = 1000 };           // most of a sequence
// Allocates span bytes, warms a real GPU's clocks up and measures the timer. False, with the reason, when the device can't;
// chase_close is due then too.
bool chase_open(Chase *c, oc_device *device, uint64_t span, Diag *diag);
void chase_close(Chase *c);
// Executes the walks in order, `rounds` times over, and puts the cycles of the timed loads of rounds first, first + 1, … into
// latency, which has room for all of them. One launch, so that caches that aren't kept between kernels are cold at its start;
// more launches of the same sequence where more loads are timed than fit beside it in shared memory, each of which records
// the next chase_window of them. Those are one trace only if the sequence soon forgets what was cached before it (rounds
// before `first`), and where a random replacement decides, each is another draw.
bool chase_run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t *latency, Diag *diag);
size_t chase_timed(const Walk *walks, size_t n);       // timed loads of a round
size_t chase_window(const Chase *c, size_t n);         // loads that one launch of n walks can record

// --- chase_ptx.c: the kernels ------------------------------------------------------------------------------------------------
typedef struct DeviceWalk {            // in shared memory while the sequence runs
    uint64_t start, stride, wrap;
    uint32_t count, timed;
} DeviceWalk;
typedef struct DeviceHead {            // before the walks
    uint64_t texture;
    uint32_t walks, rounds;
    uint32_t at, room;                 // bytes: the index of the first timed load in this window, negative; the window's size
    uint32_t never, unused;            // never: 0, which the compiler can't know
} DeviceHead;
enum { CHASE_BLOCK = 256, CONST_SPAN = 64 << 10, LOCAL_SPAN = 512 << 10 };
void chase_ptx(ChaseKind kind, Text *out);

// --- settle.c: what repeats of a noisy trace agree on -----------------------------------------------------------------------
// A position's value is the median of its repeats without outliers: those farther from the median of all than 5 median
// absolute deviations (taken as at least 1 cycle). It is still when the values after the last three repeats lie less than
// `within` cycles apart. A sequence is repeated at least SETTLE_LEAST times, until every position is still, or `most` times:
// where a random replacement decides between hit and miss, none of that ever ends.
enum { SETTLE_LEAST = 3, SETTLE_MOST = 25, SETTLE_WITHIN = 1, SETTLE_LIMIT = 100 };
typedef struct Settled {
    uint32_t repeats;
    size_t moving;                     // positions that aren't still
    uint64_t rejected;                 // outliers
} Settled;
uint32_t settle_value(const uint32_t *v, size_t step, uint32_t repeats, uint32_t *rejected);  // of v[0], v[step], …; rejected may be null
// Of `repeats` traces of n positions, one behind the other.
Settled settle(const uint32_t *traces, uint32_t repeats, size_t n, uint32_t within, uint32_t *value);
// chase_run, repeated by that rule where the device is noisy. how may be null.
bool chase_settle(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t most, uint32_t within, uint32_t *latency, Settled *how, Diag *diag);

// --- footprint.c: the neighbours that a texel of a 2D texture brings with it ------------------------------------------------
enum { FOOTPRINT_REACH = 32 };         // texels to each side; a tile is found that is at most this wide and high
typedef struct Pair {                  // fetched one after the other: (x, y), and (x + dx, y + dy)
    int32_t x, y, dx, dy;
    bool together;                     // the second came with the first
} Pair;
typedef struct Footprint {
    Value width, height;               // of the tile that comes with a texel, in texels of 4 bytes
    Value linear;                      // 1: it is part of one row, as of a texture that lies in memory row by row; 0: it isn't
    uint32_t hit, miss;                // cycles of a fetch again, and of a first one whose line is in the L2
    size_t pairs;                      // tried
} Footprint;
// Fetches pairs from a 2D texture with rows `pitch` bytes apart. False when the device can't.
bool footprint_measure(Chase *c, Footprint *f, Diag *diag);
// What pairs say: tiles are aligned rectangles of one size, or that is what the reason says.
void footprint_infer(const Pair *pairs, size_t n, Footprint *f);

#endif
