// probe.h: what the memory hierarchy of a GPU is, real or simulated, from the latencies of loads alone.
//
// Measurements run on a device: chase.c makes it load a sequence of addresses, each when the one before is there, and
// gives back how long each took. Inference files see traces only: they may not include a description's header.
#ifndef PROBE_H
#define PROBE_H

#include "base/base.h"

#include <onchip.h>

// --- chase.c: dependent loads, timed one by one ---------------------------------------------------------------------------
typedef enum ChaseKind { CHASE_GLOBAL, CHASE_L2, CHASE_READONLY, CHASE_KINDS } ChaseKind;   // .ca, .cg, .nc
// `count` loads from `start` (bytes into the memory) on, `stride` bytes apart, backwards too. Only timed ones are recorded.
typedef struct Walk {
    uint64_t start;
    int32_t stride;
    uint32_t count;
    bool timed;
} Walk;
typedef struct Chase {
    oc_device *device;
    oc_module *module[CHASE_KINDS];    // null: the device refused it
    oc_ptr memory, list, out;
    uint64_t span;                     // bytes of memory
    uint32_t overhead;                 // cycles of the timer, already subtracted
    uint64_t loads;                    // made so far
} Chase;
enum { CHASE_WALKS = 1000, CHASE_TIMED = 8000 };   // most of a sequence: both lie in shared memory while it runs
// Allocates span bytes and measures the timer. False, with the reason, when the device can't.
bool chase_open(Chase *c, oc_device *device, uint64_t span, Diag *diag);
void chase_close(Chase *c);
// A launch of its own, so that caches that aren't kept between kernels are cold: executes the walks in order and puts the
// cycles of the timed loads into latency, which has room for all of them.
bool chase_run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t *latency, Diag *diag);

#endif
