// sm.h: a streaming multiprocessor: schedulers that issue warps' instructions in order, a scoreboard, the load-store
// unit with its caches, and the queues to and from the partitions. exec.h says what instructions do; here is when.
//
// Time advances in windows (sm_run); within one an SM touches nothing outside itself. A warp that can't issue is woken
// by an event (a result's known time, a reply, a credit, a barrier), never polled; cycles in which nothing can happen
// are jumped over and accounted to the reason why the schedulers were empty.
//
// Requests go down: issue → queue → port → links; a port returns why it refuses one. Replies come up: links_deliver →
// lsu_reply → port_reply → lsu_done → issue_ready, the door to the warps.
#ifndef SM_H
#define SM_H

#include "sm/state.h"

typedef struct SmSpan {  // a block or a warp of it, from its first cycle until behind its last one
    uint64_t block, from, to;
    uint32_t slot;
    uint32_t warp;  // of the block; WHOLE_BLOCK: the block itself
} SmSpan;
enum { WHOLE_BLOCK = UINT16_MAX };
typedef VEC(SmSpan) SmSpans;
typedef struct Sm {
    SmCfg cfg;
    uint32_t index, sms;
    const struct Sm *like;  // another SM, opened before and closed later, whose tables it may share; or null
    Env env;
    Log log;
    const LaunchInfo *launch;
    Cta *ctas;  // cfg.max_blocks; what memory they have is kept from launch to launch
    uint32_t cta_slots, running;
    uint64_t ended[OC_MOST_CTAS];  // per slot: when its last block was over
    VEC(uint64_t) given;           // blocks that begin in the next window, among those that run
    Issue issue;
    Lsu lsu;
    Engine engine;
    Front front;
    Ports ports;
    Links links;
    Storage storage;
    SmWatch watch;
    struct Why *why;  // null: nobody asks
    SmSpans spans;    // what ended since they were taken; only if `spans_kept`
    bool spans_kept;
    uint64_t now, window, until;  // cycle; the window's first and end
    uint64_t due;                 // nothing happens before this cycle unless a packet arrives
    uint64_t last_event;          // cycle of the last instruction, transaction or reply
    uint64_t count[C_COUNT + 1];  // the last one is UNCOUNTED's
    StructStat structure[MAX_STRUCTURES];
    InstStat *inst;
    uint8_t (*structure_of)(const struct Sm *sm, uint64_t address);  // for accesses of unknown provenance
    uint64_t past, take;  // data structures, a bit each, whose loads go past the L1, to the read-only cache
    void *owner;
} Sm;

// --- sm.c ------------------------------------------------------------------------------------------------------------
bool sm_open(Sm *sm, const SmCfg *cfg, const PartitionCfg *part, uint32_t index, uint32_t sms, const Sm *like,
             const char **why);
void sm_close(Sm *sm);
bool sm_resize(Sm *sm, const SmCfg *cfg);  // takes over the sizes sm_organise chose
void sm_flush(Sm *sm);                     // between kernels, caches that aren't kept
// Returns how many bytes of the host's memory a launch needs that this SM doesn't have yet. blocks: how many blocks fit
// the SM. share: the most blocks of this launch that the SM gets at once.
uint64_t sm_lacks(const Sm *sm, const LaunchInfo *l, uint32_t blocks, uint32_t share);
void sm_spare(Sm *sm);                                             // gives blocks' memory back; none runs
void sm_begin(Sm *sm, const LaunchInfo *launch, uint32_t blocks);  // a launch, of which so many fit at once
bool sm_has_room(const Sm *sm);
static inline uint32_t sm_places(const Sm *sm) { return sm->cta_slots - sm->running; }  // for more blocks
// At an edge: a block begins, in the window that comes next; or at once, one of a cluster as in exec_cta_start.
void sm_give_block(Sm *sm, uint64_t number, uint64_t now);
void sm_start_member(Sm *sm, uint64_t number, Cluster *cluster, uint32_t rank, uint64_t now);
// Runs a window, from cycle `from` on; those since the last one, in which nothing was due, it accounts as waited for.
// reply, credit: per partition, this SM's wires from it. window counts those that are run.
void sm_run(Sm *sm, Wire *const *reply, Wire *const *credit, uint64_t window, uint64_t from, uint64_t to);
void sm_edge_done(Sm *sm, const Deferred *d, uint64_t now);  // a deferred operation has its result
void sm_cut(Sm *sm, uint64_t now);                           // a launch that is cut short: accounts what was under way
void sm_explain(const Sm *sm, Text *out);                    // what its warps wait for
// At an edge: the cycle of the next event, or of the first packet on its way from it.
static inline uint64_t sm_due(const Sm *sm) { return MIN(sm->due, sm->links.sent); }
bool sm_quiet(const Sm *sm);                          // no block runs, nothing waits, and nothing is on its way from it
bool sm_stuck(const Sm *sm);                          // nothing will ever happen unless another SM does it
WatchVerdict sm_judge(const Sm *sm, uint64_t since);  // of its warps, which have been watched since then
void sm_add_counters(const Sm *sm, uint64_t *own);    // those of plug-ins, OWN_…, to the sums of others

// --- warps.c ---------------------------------------------------------------------------------------------------------
static inline void issue_use(Sm *sm, const oc_memory_use *use) { sm->issue.view.use = *use; }
void issue_feed(Sm *sm, uint64_t cycles);  // warps that could issue for so long and didn't issue first

// --- why.c: why loads miss in the L1 ---------------------------------------------------------------------------------
bool why_begin(Sm *sm, bool on);          // before a launch; false: the host has no memory for it
void why_add(const Sm *sm, WhySums *to);  // what was counted in this launch

// --- issue.c ---------------------------------------------------------------------------------------------------------
// Warps of a scheduler that the policy keeps from issuing, or from loading; and whose accesses it isolates.
static inline uint64_t issue_stalled(const Issue *i, uint32_t k)
{
    return i->sched[k].view.present & ~(i->policy.issue[k] & i->policy.load[k]);
}
static inline uint64_t issue_isolated(const Issue *i, uint32_t k)
{
    return i->sched[k].view.present & i->policy.isolated[k];
}
// --- operands.c ------------------------------------------------------------------------------------------------------
bool operands_count(const SmCfg *cfg);  // are accesses of registers counted?

// --- storage.c -------------------------------------------------------------------------------------------------------
typedef struct Division {             // of an SM's storage
    uint32_t registers, shared_size;  // registers 0: none was made yet
    uint64_t l1_size;
} Division;
Division sm_division(const SmCfg *cfg);  // what sm_organise made
// Sets the sizes for a launch. before: what an earlier launch had, which may stay; null: there was none.
void sm_organise(SmCfg *cfg, const LaunchInfo *l, const Division *before);
// Finds the next kernel of a list as storage.kernels has it, and moves *list behind it. name has room for the list.
// False: there is none; *list is at its end, or at what is malformed.
bool sm_preference(const char **list, char *name, uint32_t *kib);
// The blocks of a kernel that fit an SM, and what limits them (a word).
uint32_t sm_occupancy(const SmCfg *cfg, const LaunchInfo *l, const char **limit);

// --- queue.c ---------------------------------------------------------------------------------------------------------
// The segments of an access of global memory, at most 64; mask: its lanes there.
uint32_t lsu_segments(const Step *s, uint32_t mask, bool write, bool atomic, Segment *out);

// --- fetch.c ---------------------------------------------------------------------------------------------------------
// What an SM's caches of instructions hold, copied; null: nothing. fetch_hold makes them hold that again.
typedef struct Front FrontCopy;
FrontCopy *fetch_copy(const Sm *sm);
void fetch_hold(Sm *sm, const FrontCopy *copy);
void fetch_copy_free(FrontCopy *copy);
uint64_t fetch_bytes(const SmCfg *cfg);  // of the host, that an SM's caches of instructions take

// --- scratch.c -------------------------------------------------------------------------------------------------------
enum { SCRATCH_LINE = 128, SCRATCH_ROW = 256, ROW_TAGS = 64 };  // bytes of a line and a row; tags in a row
void scratch_configure(SmCfg *cfg);                             // cfg->scratch: what the policy wants
void scratch_count(Sm *sm, uint64_t now);                       // the shared memory that it has held until now

// --- links.c ---------------------------------------------------------------------------------------------------------
// The ways out: to a partition, and to the L2 TLB.
static inline Wire *links_wire(Sm *sm, uint32_t part) { return &sm->links.wire[part]; }
static inline Wire *links_late(Sm *sm) { return &sm->links.late; }

// --- watch.c ---------------------------------------------------------------------------------------------------------
bool watch_begin(Sm *sm, bool on);       // before a launch; false: the host has no memory for it
void watch_warps(Sm *sm, uint64_t now);  // at an edge: counts the warps until now
static inline bool watch_on(const Sm *sm) { return sm->watch.seen; }
// Loads of a warp whose lines another pushed out, of a watched SM.
static inline uint64_t watch_pair(const Sm *sm, uint32_t warp, uint32_t by) { return sm->watch.seen->pair[warp][by]; }

#endif
