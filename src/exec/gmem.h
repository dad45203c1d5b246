// gmem.h: global memory: one piece of the host's, in which the device's allocations lie, and the windows of generic
// addresses beside it. An address is in one allocation at most. A module's constants are an allocation, too.
#ifndef EXEC_GMEM_H
#define EXEC_GMEM_H

#include "base/base.h"

// --- gmem.c: global memory -------------------------------------------------------------------------------------------
// Generic addresses: global memory where the device puts it, and windows for the other spaces (PTX ISA §6.4.1.1).
#define GLOBAL_BASE 0x0000000200000000ull
#define SHARED_WINDOW 0x0000700000000000ull
#define LOCAL_WINDOW 0x0000710000000000ull
#define PARAM_WINDOW 0x0000730000000000ull
#define WINDOW_BYTES 0x0000010000000000ull

typedef struct Allocation {
    uint64_t start, end;  // [start, end)
    const char *label;    // may be null
    bool freed, internal;
    uint32_t id;
} Allocation;
typedef struct Mapping {   // addresses behind the device's memory; a reservation has no more than these two
    uint64_t start, end;   // [start, end)
    uint64_t reservation;  // where the one begins that it lies in
    bool allowed;          // kernels and copies may use it
    const char *label;     // may be null
    uint32_t id;
} Mapping;
typedef struct Gmem {
    uint8_t *host;           // host address of GLOBAL_BASE, until the next gmem_alloc
    uint64_t capacity, top;  // bytes of the device; the first never allocated one
    uint64_t reserved;       // bytes behind host
    int file;                // which other processes map, too; −1: there is none
    bool host_full;          // the last gmem_alloc failed for want of the host's memory, not of the device's
    VEC(Allocation) allocs;  // by start
    VEC(Mapping) maps, reservations;
    uint32_t next_id;
    struct Heap *heap;  // device malloc
} Gmem;
void gmem_open(Gmem *g, uint64_t capacity);
void gmem_close(Gmem *g);
int gmem_share(Gmem *g);  // before anything is allocated; returns its file, closed with it. −1, with errno: it can't
uint64_t gmem_alloc(Gmem *g, uint64_t bytes, const char *label, bool internal);  // 0: no room
bool gmem_free(Gmem *g, uint64_t start);
const Allocation *gmem_find(const Gmem *g, uint64_t address);  // the one that holds it, or null
const char *gmem_unlabelled(const Allocation *a);              // what one without a label is
const Allocation *gmem_near(const Gmem *g, uint64_t address);  // the nearest one, or null
// --- gmem_map.c: addresses that get memory later, of a device whose memory is shared ---------------------------------
#define GMEM_VIRTUAL ((uint64_t)64 << 30)  // bytes of them
// Addresses and sizes are multiples of 4096. Where it can't be done, nothing is: 0, or false.
uint64_t gmem_reserve(Gmem *g, uint64_t bytes, uint64_t align);
bool gmem_unreserve(Gmem *g, uint64_t start, uint64_t bytes);
bool gmem_map(Gmem *g, uint64_t start, uint64_t bytes, uint64_t from);  // from: where an allocation has them
bool gmem_unmap(Gmem *g, uint64_t start, uint64_t bytes);               // of whole mappings
bool gmem_allow(Gmem *g, uint64_t start, uint64_t bytes, bool on);      // whether what is mapped there may be used
void gmem_drop(Gmem *g, uint64_t start);                                // a reservation, with what is mapped there
static inline void *gmem_host(const Gmem *g, uint64_t address) { return g->host + (address - GLOBAL_BASE); }

#endif
