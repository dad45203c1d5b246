// policy.h: what decides which warps of an SM issue. A policy object serves one SM for one launch. It sees the SM's
// warps, is told what happens to them, and is asked which ready warp goes; masks that it keeps say which may issue.
//
// Everything that a policy sees or decides is its own SM's, so a result doesn't depend on the number of host threads.
// What a policy doesn't define it isn't told: an event that nobody listens to costs a comparison. A warp is a slot of
// the SM; slot = bit · schedulers + scheduler, where `bit` is its place in the masks of its scheduler.
#ifndef POLICY_H
#define POLICY_H

#include "base/base.h"

enum { MOST_SCHEDULERS = 4 };

// --- what a policy sees ----------------------------------------------------------------------------------------------
// What a warp waits for, if anything. W_BARRIER: other warps, or other lanes of its own.
typedef enum Wait { W_NONE, W_READY, W_MEMORY, W_SHARED, W_ALU, W_BRANCH, W_BARRIER, W_SLEEP, W_COUNT } Wait;

typedef struct SchedulerView {  // of one scheduler; warps are bits of 64
    uint64_t present;           // warps it has
    uint64_t in[W_COUNT];       // by what they wait for
    uint64_t older[64];         // of each warp, those that started before it
    int last;                   // the warp that issued last; −1: none did, or it is over
    int turn;                   // the bit that issued last, whoever has it now; −1: none did
} SchedulerView;
typedef struct WarpView {
    uint64_t started;  // cycle
    uint32_t cta;      // slot of its CTA
    uint8_t scheduler, bit;
} WarpView;
typedef struct PolicyKeys {  // a description's section [sched], but for the policy itself
    uint32_t active, limit;  // warps of the SM
} PolicyKeys;
typedef struct SmView {
    const uint64_t *now;         // the cycle
    uint32_t schedulers, slots;  // slots: warps that can be resident in this launch
    PolicyKeys keys;
    const SchedulerView *scheduler[MOST_SCHEDULERS];
    WarpView *warp;  // [slots]
} SmView;
// The oldest warp of a mask; −1: it is empty.
static inline int policy_oldest(const SchedulerView *s, uint64_t mask)
{
    int oldest = -1;
    for (; mask; mask &= s->older[oldest]) oldest = __builtin_ctzll(mask);
    return oldest;
}
// The next in turn behind the last one, of a mask that isn't empty.
static inline int policy_next(const SchedulerView *s, uint64_t mask)
{
    uint64_t after = s->turn < 0 ? mask : s->turn == 63 ? 0 : mask & ~0ull << (s->turn + 1);
    return __builtin_ctzll(after ? after : mask);
}
// The last one if it is in the mask, else the oldest.
static inline int policy_greedy(const SchedulerView *s, uint64_t mask)
{
    return s->last >= 0 && mask >> s->last & 1 ? s->last : policy_oldest(s, mask);
}
// A scheduler's share of a number of the SM's warps: what can't be shared out goes to the first ones; at least 1.
uint32_t policy_share(uint32_t all, uint32_t schedulers, uint32_t scheduler);

// --- what a policy is told and asked ---------------------------------------------------------------------------------
enum { NO_WARP = UINT32_MAX };
typedef enum L1Outcome { L1_HIT, L1_MERGE, L1_MISS } L1Outcome;  // as counted: mem.h, line_has
typedef struct L1Event {                                         // an access of the L1, a transaction
    uint8_t outcome;                                             // L1Outcome
    bool store;
    uint32_t warp;    // that asks
    uint32_t owner;   // that brought the line which is there, or which goes; NO_WARP: there is neither
    uint64_t line;    // its address / the line's bytes
    uint64_t victim;  // likewise, the line that goes; UINT64_MAX: none does
} L1Event;
// Where an access that the L1 serves goes. NO_ALLOCATE: to the L1, but what misses there takes no line. SCRATCH: to the
// scratch cache, or past the L1 where there is none. WAIT: nowhere yet; those behind it wait too.
typedef enum Route { ROUTE_L1, ROUTE_NO_ALLOCATE, ROUTE_PAST, ROUTE_SCRATCH, ROUTE_WAIT } Route;
typedef struct AccessView {
    bool store, local;
    uint64_t address;  // of the first segment of 128 bytes
} AccessView;

// --- what a policy is ------------------------------------------------------------------------------------------------
enum { ON_STALL = 1, ON_WAKE = 2, ON_WAITS = 4, ON_SEEN = 8, ON_ISSUED = 16 };
typedef struct Policy {
    const struct PolicyOps *ops;
    uint32_t events;  // ON_…: those of the frequent ones that ops listens to
    const SmView *sm;
    void *own;  // the policy's state, made by open, freed with mem_free at the launch's end
    // By scheduler, the warps that may issue, and that may issue memory instructions; all ones unless the policy
    // changes it. What it changes holds from the next cycle on.
    uint64_t issue[MOST_SCHEDULERS], memory[MOST_SCHEDULERS];
    uint64_t next;  // the cycle at which tick is called, or the first after it; UINT64_MAX: never
} Policy;

// pick is always there, everything else may be null. pick may be asked more than once in a cycle and changes nothing.
typedef struct PolicyOps {
    void (*open)(Policy *p);                                           // a launch begins; the SM has no warp yet
    int (*pick)(const Policy *p, uint32_t scheduler, uint64_t ready);  // which warp of `ready` (not 0) goes
    void (*cta_start)(Policy *p, uint32_t cta);                        // a CTA arrives; its warps start after that
    void (*cta_stop)(Policy *p, uint32_t cta);                         // a CTA is over, and so are its warps
    void (*start)(Policy *p, uint32_t warp);                           // a warp arrives, younger than all others
    void (*stop)(Policy *p, uint32_t warp);                            // a warp is over
    void (*stall)(Policy *p, uint32_t warp);  // a warp comes to wait for memory or at a barrier, nobody knows how long
    void (*wake)(Policy *p, uint32_t warp);   // a warp that waited, for whatever, can go
    void (*waits)(Policy *p, uint32_t warp, Wait from, Wait to);  // whenever what it waits for changes
    void (*issued)(Policy *p, uint32_t warp, bool memory);  // an instruction goes, of global, local … memory or not
    void (*seen)(Policy *p, const L1Event *e);              // the L1 is accessed
    void (*tick)(Policy *p);                                // cycle p->next has come; p->next is NEVER by then
    Route (*route)(Policy *p, uint32_t warp, const AccessView *a);  // asked once an instruction, or until it says where
} PolicyOps;

uint32_t policy_events(const PolicyOps *ops);  // ON_… of what it defines

typedef enum PolicyId {
#define POLICY(id, name, ops, doc) POLICY_##id,
#include "policy/policy.def"
#undef POLICY
    POLICY_COUNT
} PolicyId;
typedef struct PolicyInfo {
    const char *name, *doc;
    const PolicyOps *ops;
} PolicyInfo;
extern const PolicyInfo policy_info[POLICY_COUNT];

#endif
