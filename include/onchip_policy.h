// onchip_policy.h: warp schedulers for the simulated GPU. A policy decides which warps of an SM (a streaming
// multiprocessor) issue, and where their accesses of global memory go. It is a constant oc_policy_type: functions,
// parameters and counters. Each SM has an oc_policy of that type for each launch. Every scheduler that onchip brings is
// written on this header alone, and so is yours: a shared object that exports `onchip_policy`, an oc_policy_type, is
// loaded by `onchip run … --sched ./mine.so`. doc/extend/writing-a-policy.md builds one.
//
// A policy sees its own SM alone, so that a result doesn't depend on the number of host threads. It keeps its state in
// `own` and nowhere else: SMs run side by side. A change that it makes holds from the next cycle on. A function that it
// leaves out isn't called, and costs nothing. A program can't hang on a policy: if nothing happens for long while warps
// that could issue are held back, they issue all the same, and the counter sched.fed counts that.
#ifndef ONCHIP_POLICY_H
#define ONCHIP_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ONCHIP_POLICY_VERSION 4  // of this header: a policy of another version is refused

enum {
    OC_MOST_SCHEDULERS = 4,  // of an SM
    OC_MOST_WARPS = 64,      // resident in an SM; warps are numbered by the slots they lie in
    OC_MOST_CTAS = 64,       // resident in an SM
    OC_MOST_PARAMS = 16,     // of a policy
    OC_MOST_COUNTERS = 16    // of a policy
};
#define OC_NO_WARP UINT32_MAX
#define OC_NO_LINE UINT64_MAX
#define OC_NEVER UINT64_MAX

// --- what a policy sees ----------------------------------------------------------------------------------------------
// What a warp waits for, if anything. BARRIER: other warps, or other lanes of its own.
typedef enum oc_wait {
    OC_WAIT_NONE,
    OC_WAIT_READY,
    OC_WAIT_MEMORY,
    OC_WAIT_SHARED,
    OC_WAIT_ALU,
    OC_WAIT_BRANCH,
    OC_WAIT_BARRIER,
    OC_WAIT_SLEEP,
    OC_WAIT_COUNT
} oc_wait;

typedef struct oc_scheduler_view {  // of one scheduler; its warps are bits of 64
    uint64_t present;               // warps it has
    uint64_t in[OC_WAIT_COUNT];     // by what they wait for
    uint64_t older[64];             // of each warp, those that started before it
    uint64_t memory;                // ready warps whose next instruction accesses global, local … memory, as of this
                                    // scheduler's last pick, where the type wants OC_WANTS_MEMORY
    int last;                       // the warp that issued last; −1: none did, or it is over
    int turn;                       // the bit that issued last, whoever has it now; −1: none did
} oc_scheduler_view;
typedef struct oc_warp_view {
    uint64_t started;       // cycle
    uint64_t instructions;  // that it executed, where the type wants OC_WANTS_INSTRUCTIONS
    uint32_t loads;         // loads, atomics and copies of it that global, local … memory hasn't answered: 0 to 4,096
    uint32_t cta;           // slot of its CTA
    uint8_t scheduler, bit;
} oc_warp_view;
typedef struct oc_cta_view {  // of a slot for a CTA
    bool running;
    uint64_t number;                  // in the grid
    uint64_t started;                 // cycle
    uint32_t first_warp, warps;       // its slots
    uint32_t shared_at, shared_size;  // bytes: its place in the SM's shared memory
} oc_cta_view;
typedef struct oc_memory_use {  // summed since the launch began, as of the last window's edge
    double cycles;              // of the core clock
    double l2_busy;             // cycles in which an L2 slice served an access: the mean of all slices
    double dram_busy;           // cycles in which a DRAM channel moved data: the mean of all channels
} oc_memory_use;
// A warp has two numbers: its slot in the SM, which the functions below call `warp`, and its bit in the masks of its
// scheduler. Who takes one for the other asks about another warp. With --laws the functions below tell that the warp
// isn't there, or that a pick asks about a warp of another scheduler, and the launch ends with an error.
typedef enum oc_asked {
    OC_ASKED_WARP,
    OC_ASKED_WARP_OF,
    OC_ASKED_SLOT,
    OC_ASKED_SET,
    OC_ASKED_HAS,
    OC_ASKED_PRESENT
} oc_asked;
typedef struct oc_index_check {
    uint32_t times;             // that one of them was given a wrong index; of the first one:
    uint32_t by;                // oc_asked
    uint32_t scheduler, index;  // scheduler: OC_NO_WARP where the index is a slot, else that of the bit
    uint32_t picks;             // the scheduler that picks, while one does; OC_NO_WARP
} oc_index_check;
typedef struct oc_sm_view {
    const uint64_t *now;                  // the cycle
    const uint64_t *instructions;         // that the SM's warps executed in this launch
    const uint64_t *thread_instructions;  // their active lanes, summed: 1 to 32 times as many
    uint32_t schedulers, slots, ctas;     // slots, ctas: warps and CTAs that can be resident in this launch
    uint32_t shared_size, scratch_lines;  // bytes of shared memory; lines of 128 bytes of the scratch cache, now
    const uint32_t *mshrs_free;           // misses that the L1 can take now beside those under way: 0 to l1.mshrs
    const oc_scheduler_view *scheduler[OC_MOST_SCHEDULERS];
    oc_warp_view *by_slot;    // [slots]: oc_warp and oc_warp_of read it
    oc_cta_view *cta;         // [ctas]
    oc_memory_use use;        // where the type wants OC_WANTS_USE
    oc_index_check *indices;  // with `onchip run --laws`: what the functions below were given; else null
} oc_sm_view;

// --- what a policy is told and asked ---------------------------------------------------------------------------------
// MERGE: what the access lacked of the line was under way already.
typedef enum oc_outcome { OC_HIT, OC_MERGE, OC_MISS } oc_outcome;
typedef struct oc_access_event {  // an access of the L1 or of the scratch cache: one transaction
    uint8_t outcome;              // oc_outcome
    bool store;
    bool scratch;     // of the scratch cache
    uint32_t warp;    // the warp that makes the access
    uint32_t pc;      // the instruction that does: its number in the kernel's code, from 0
    uint32_t owner;   // the warp that brought the line that is hit or replaced; OC_NO_WARP: there is no such line
    uint64_t line;    // its address / the line's bytes
    uint64_t victim;  // the line that is replaced, as `line`; OC_NO_LINE: none is
} oc_access_event;
// Where to send an access that the L1 would serve. NO_ALLOCATE: to the L1, but a miss takes no line there, though as
// much is fetched. PAST: past the L1, and only the sectors of 32 bytes that are asked for. SCRATCH: to the scratch
// cache, in shared memory that no CTA uses (OC_WANTS_SCRATCH); to the L1 where there is no such memory, and where the
// access is to local memory. WAIT: nowhere yet; the policy is asked again in the next cycle, and accesses behind this
// one wait, too.
typedef enum oc_route { OC_TO_L1, OC_TO_L1_NO_ALLOCATE, OC_PAST_L1, OC_TO_SCRATCH, OC_ROUTE_WAIT } oc_route;
typedef struct oc_access {
    bool store, local;
    uint64_t address;       // of the first segment of 128 bytes
    uint32_t pc;            // the instruction's number in the kernel's code, from 0
    uint32_t transactions;  // segments of 128 bytes that its lanes touch, 1 to 160
} oc_access;

// --- what a policy is ------------------------------------------------------------------------------------------------
typedef struct oc_policy_param {  // a key of the description's section [sched]
    const char *name, *unit, *doc;
    double standard, least, most;
    bool whole;          // it takes whole numbers alone
    const char *source;  // where the standard value comes from
    const char *words;   // "no yes": the names of its values 0, 1, …, with a blank between them; null: it's a number
} oc_policy_param;
typedef struct oc_policy_counter {  // shown and stored as sched.NAME, the sum over the SMs
    const char *name, *unit, *doc;
} oc_policy_counter;

typedef struct oc_policy {
    const struct oc_policy_type *type;
    const oc_sm_view *sm;
    void *own;            // type->state bytes, 0 when the launch begins
    const double *param;  // values of type->params, in their order
    uint64_t *count;      // of type->counters
    // Masks of warps, one for each scheduler. issue: the warps that may issue; load: the warps that may issue loads of
    // global, local … memory; both are all ones unless the policy changes them. isolated: the warps whose accesses go
    // to the scratch cache, 0 at first; a policy with `route` decides that there, and keeps this mask for reports.
    uint64_t issue[OC_MOST_SCHEDULERS], load[OC_MOST_SCHEDULERS], isolated[OC_MOST_SCHEDULERS];
    uint64_t next_tick;   // the cycle at which tick is called, or the first after it; OC_NEVER: it isn't
    uint64_t next_epoch;  // the instruction of the SM at which epoch is called; OC_NEVER: it isn't
} oc_policy;

enum { OC_WANTS_USE = 1, OC_WANTS_SCRATCH = 2, OC_WANTS_INSTRUCTIONS = 4, OC_WANTS_MEMORY = 8 };

// pick is always there, every other function may be null. pick may be asked more than once in a cycle. What it returns
// must be a bit of `ready`: anything else, -1 too, ends the launch with an error. To hold warps back, clear their bits
// in `issue` or `load`.
typedef struct oc_policy_type {
    uint32_t version;  // ONCHIP_POLICY_VERSION
    uint32_t wants;    // OC_WANTS_…
    const char *name, *doc;
    size_t state;                                                         // bytes of own; at most 16 MiB
    const oc_policy_param *params;                                        // up to one without a name; null: none
    const oc_policy_counter *counters;                                    // up to one without a name; null: none
    void (*open)(oc_policy *p);                                           // a launch begins; the SM has no warp yet
    int (*pick)(const oc_policy *p, uint32_t scheduler, uint64_t ready);  // which of `ready` (not 0) issues: its bit
    void (*cta_start)(oc_policy *p, uint32_t cta);                        // a CTA arrives; its warps start after that
    void (*cta_stop)(oc_policy *p, uint32_t cta);                         // a CTA has ended, and so have its warps
    void (*start)(oc_policy *p, uint32_t warp);                           // a warp arrives, younger than all others
    void (*stop)(oc_policy *p, uint32_t warp);                            // a warp has ended
    void (*stall)(oc_policy *p, uint32_t warp);  // a warp waits for memory or a barrier, for long
    void (*wake)(oc_policy *p, uint32_t warp);   // a warp that waited, for whatever, can issue
    void (*waits)(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to);  // what it waits for changes
    void (*issued)(oc_policy *p, uint32_t warp, bool memory);  // it issued; memory: a global, local … access or none
    void (*loaded)(oc_policy *p, uint32_t warp);  // all of a load is back: the warp's `loads` has fallen by one
    void (*seen)(oc_policy *p, const oc_access_event *e);  // the L1 or the scratch cache is accessed
    void (*tick)(oc_policy *p);                            // cycle next_tick has come; next_tick is OC_NEVER by then
    void (*epoch)(oc_policy *p);  // instruction next_epoch has issued; next_epoch is OC_NEVER by then
    oc_route (*route)(oc_policy *p, uint32_t warp, const oc_access *a);  // asked once an instruction, or until it says
} oc_policy_type;

// --- what policies share ---------------------------------------------------------------------------------------------
// The oldest warp of a mask; −1: it is empty.
static inline int oc_oldest(const oc_scheduler_view *s, uint64_t mask)
{
    int oldest = -1;
    for (; mask; mask &= s->older[oldest]) oldest = __builtin_ctzll(mask);
    return oldest;
}
// The youngest warp of a mask that isn't empty: the one that is older than none.
static inline int oc_youngest(const oc_scheduler_view *s, uint64_t mask)
{
    for (uint64_t left = mask; left; left &= left - 1) {
        const int bit = __builtin_ctzll(left);
        if (!(mask & ~(1ull << bit) & ~s->older[bit])) return bit;
    }
    return __builtin_ctzll(mask);
}
// The next in turn behind the last one, of a mask that isn't empty.
static inline int oc_next(const oc_scheduler_view *s, uint64_t mask)
{
    uint64_t after = s->turn < 0 ? mask : s->turn == 63 ? 0 : mask & ~0ull << (s->turn + 1);
    return __builtin_ctzll(after ? after : mask);
}
// The last one if it is in the mask, else the oldest: greedy then oldest.
static inline int oc_greedy(const oc_scheduler_view *s, uint64_t mask)
{
    return s->last >= 0 && mask >> s->last & 1 ? s->last : oc_oldest(s, mask);
}
// A `pick` that does so: for policies that decide which warps may issue, and leave the order at that.
static inline int oc_pick_greedy(const oc_policy *p, uint32_t scheduler, uint64_t ready)
{
    return oc_greedy(p->sm->scheduler[scheduler], ready);
}
// The n oldest warps that don't wait at a barrier: a policy that limits warps must not hold back those that others wait
// for.
static inline uint64_t oc_oldest_few(const oc_scheduler_view *s, uint32_t n)
{
    uint64_t left = s->present & ~s->in[OC_WAIT_BARRIER], few = 0;
    for (; n && left; n--) {
        uint64_t oldest = 1ull << oc_oldest(s, left);
        few |= oldest, left &= ~oldest;
    }
    return few;
}
// A scheduler's share of a number of the SM's warps: what can't be shared out goes to the first ones; at least 1.
static inline uint32_t oc_share(uint32_t all, uint32_t schedulers, uint32_t scheduler)
{
    uint32_t share = all / schedulers + (scheduler < all % schedulers);
    return share ? share : 1;
}
// False: there is no such warp, and whoever checks the launch hears of it.
static inline bool oc_index_good(const oc_sm_view *sm, oc_asked by, uint32_t scheduler, uint32_t index, bool there)
{
    oc_index_check *c = sm->indices;
    if (there) return true;
    if (c && !c->times++) c->by = (uint32_t)by, c->scheduler = scheduler, c->index = index;
    return false;
}
static inline void oc_check_slot(const oc_sm_view *sm, oc_asked by, uint32_t warp)
{
    const oc_index_check *c = sm->indices;
    if (!c || !oc_index_good(sm, by, OC_NO_WARP, warp, warp < sm->slots)) return;
    oc_index_good(sm, by, OC_NO_WARP, warp, c->picks == OC_NO_WARP || warp % sm->schedulers == c->picks);
}
// A warp by its slot, which is what a policy's functions are told.
static inline const oc_warp_view *oc_warp(const oc_sm_view *sm, uint32_t warp)
{
    oc_check_slot(sm, OC_ASKED_WARP, warp);
    return &sm->by_slot[warp];
}
// A warp's slot, from its scheduler's number and its bit there.
static inline uint32_t oc_slot(const oc_sm_view *sm, uint32_t scheduler, uint32_t bit)
{
    if (sm->indices)
        oc_index_good(sm, OC_ASKED_SLOT, scheduler, bit,
                      scheduler < sm->schedulers && bit < 64 && bit * sm->schedulers + scheduler < sm->slots);
    return bit * sm->schedulers + scheduler;
}
// A warp by its scheduler's number and its bit there, as in the masks.
static inline const oc_warp_view *oc_warp_of(const oc_sm_view *sm, uint32_t scheduler, uint32_t bit)
{
    if (sm->indices)
        oc_index_good(sm, OC_ASKED_WARP_OF, scheduler, bit,
                      scheduler < sm->schedulers && bit < 64 && sm->scheduler[scheduler]->present >> bit & 1);
    return &sm->by_slot[bit * sm->schedulers + scheduler];
}
// Sets or clears a warp in masks by scheduler.
static inline void oc_set(const oc_sm_view *sm, uint64_t *masks, uint32_t warp, bool on)
{
    oc_check_slot(sm, OC_ASKED_SET, warp);
    uint64_t bit = 1ull << sm->by_slot[warp].bit, *mask = &masks[sm->by_slot[warp].scheduler];
    *mask = on ? *mask | bit : *mask & ~bit;
}
static inline bool oc_has(const oc_sm_view *sm, const uint64_t *masks, uint32_t warp)
{
    oc_check_slot(sm, OC_ASKED_HAS, warp);
    return masks[sm->by_slot[warp].scheduler] >> sm->by_slot[warp].bit & 1;
}
static inline bool oc_present(const oc_sm_view *sm, uint32_t warp)
{
    oc_check_slot(sm, OC_ASKED_PRESENT, warp);
    return sm->scheduler[sm->by_slot[warp].scheduler]->present >> sm->by_slot[warp].bit & 1;
}
static inline uint32_t oc_warps(const oc_sm_view *sm)  // that are resident
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < sm->schedulers; k++) n += (uint32_t)__builtin_popcountll(sm->scheduler[k]->present);
    return n;
}

// Victim tags (Rogers et al., MICRO 2012): for each warp, the lines that it brought and lost last, and the warp that
// pushed each out. A warp that misses a line whose tag is here lost locality.
enum { OC_MOST_TAGS = 64 };
typedef struct oc_victims {
    uint64_t tag[OC_MOST_WARPS][OC_MOST_TAGS];  // line + 1; 0: none
    uint8_t by[OC_MOST_WARPS][OC_MOST_TAGS];    // the warp that pushed it out
    uint8_t next[OC_MOST_WARPS];                // where the next tag goes: first in, first out
} oc_victims;
static inline void oc_victims_clear(oc_victims *v, uint32_t warp)
{
    for (int k = 0; k < OC_MOST_TAGS; k++) v->tag[warp][k] = 0;
    v->next[warp] = 0;
}
// A line of `owner` is replaced. tags: how many a warp has.
static inline void oc_victims_add(oc_victims *v, uint32_t tags, uint32_t owner, uint64_t line, uint32_t by)
{
    uint32_t at = v->next[owner];
    v->tag[owner][at] = line + 1, v->by[owner][at] = (uint8_t)by;
    v->next[owner] = (uint8_t)(at + 1 < tags ? at + 1 : 0);
}
// A warp misses a line: the warp that pushed it out, or OC_NO_WARP. Its tag is dropped: the line is in the cache again.
static inline uint32_t oc_victims_take(oc_victims *v, uint32_t tags, uint32_t warp, uint64_t line)
{
    for (uint32_t k = 0; k < tags; k++) {
        if (v->tag[warp][k] != line + 1) continue;
        v->tag[warp][k] = 0;
        return v->by[warp][k];
    }
    return OC_NO_WARP;
}

#endif
