// sm.h: a streaming multiprocessor: schedulers that issue warps' instructions in order, a scoreboard, the load-store
// unit with its caches, and the queues to and from the partitions. exec.h says what instructions do; here is when.
//
// Time advances in windows (sm_run); within one an SM touches nothing outside itself. A warp that can't issue is woken
// by an event (a result's known time, a reply, a credit, a barrier), never polled; cycles in which nothing can happen
// are jumped over and accounted to the reason why the schedulers were empty.
#ifndef SM_H
#define SM_H

#include "exec/exec.h"
#include "mem/mem.h"
#include "policy/policy.h"
#include "sm/config.h"

// --- state -----------------------------------------------------------------------------------------------------------
typedef struct StructStat {  // per data structure
    uint64_t loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits;
    uint64_t bank_reads, bank_writes, l1_energy, dram_energy;  // of the L1's banks; fJ, set when the launch is over
} StructStat;
static inline void add_structure(StructStat *to, const StructStat *s)
{
    to->loads += s->loads, to->stores += s->stores, to->atomics += s->atomics, to->transactions += s->transactions;
    to->sectors += s->sectors, to->l1_accesses += s->l1_accesses, to->l1_hits += s->l1_hits;
    to->bank_reads += s->bank_reads, to->bank_writes += s->bank_writes;
    to->l1_energy += s->l1_energy, to->dram_energy += s->dram_energy;
}
// Has it anything to report? What earlier launches left dirty costs energy without an access of this one.
static inline bool structure_used(const StructStat *s)
{
    return s->loads + s->stores + s->atomics + s->l1_energy + s->dram_energy > 0;
}
typedef struct InstStat {  // per instruction of the kernel's code
    uint64_t issued, lanes, transactions, l1_accesses, l1_hits, stalls;
} InstStat;
static inline void add_inst(InstStat *to, const InstStat *s)
{
    to->issued += s->issued, to->lanes += s->lanes, to->transactions += s->transactions;
    to->l1_accesses += s->l1_accesses, to->l1_hits += s->l1_hits, to->stalls += s->stalls;
}

// A memory instruction under way.
typedef struct Tracker {
    const Dinst *d;
    uint32_t slot;     // warp
    uint32_t left;     // transactions to come, plus one until all are sent, plus one until the edge when deferred
    uint64_t time;     // the latest known completion
    uint64_t started;  // when its warp did: another's may have the slot by the time it is done
    uint32_t next_free;
    bool shared, async, acquire;
    uint8_t group;  // of a cp.async
} Tracker;

// A port: one of the SM's caches as its load-store unit sees it, or the way past them, which has no lines.
typedef enum PortId { PORT_L1, PORT_READONLY, PORT_CONSTANT, PORT_SCRATCH, PORT_PAST, PORT_COUNT } PortId;
enum { UNCOUNTED = C_COUNT };
typedef struct PortCounters {
    uint8_t accesses, hits, misses, merges, reads, read_hits, writes, evictions, write_backs;
} PortCounters;
_Static_assert(UNCOUNTED <= UINT8_MAX, "a counter's number fits a byte");
typedef struct Port {
    Cache cache;
    const PortCounters *counts;
    uint32_t most, under_way;  // misses: as many as may be, as many as are
    struct Port *mshrs;        // the port whose these are: the scratch cache shares the L1's
    uint32_t extra;            // cycles from a reply to its use
    Array *data;               // where its lines lie; null: nobody asks
    uint64_t seed;             // of random replacement
} Port;
// A miss, or a request that went past the caches: it left the SM and is waited for.
typedef struct Pend {
    Port *port;
    CacheLine *line;        // null: past the caches
    uint32_t packets;       // replies to come
    uint32_t first, count;  // trackers that wait
    uint32_t next_free;
} Pend;
typedef struct PendWait {
    uint32_t tracker, next;
} PendWait;

// What the instruction that goes asks of the banks.
typedef struct Fetch {
    uint8_t bank[64];  // of the register file, or of a cluster: reads
    uint32_t most;     // accesses of the bank that has most
    uint32_t rows;     // 16-byte rows of unified storage that the access of shared memory touches
} Fetch;
enum { MAX_SEGMENTS = 160 };  // 32 lanes of four words of local memory, each in a segment of its own, and room
typedef struct LsuOp {
    uint32_t warp;         // slot
    uint32_t tracker;      // NONE: nothing waits
    uint32_t count, next;  // transactions
    uint32_t passes;       // shared memory
    uint32_t late;         // cycles, for its operands
    uint8_t space;
    bool write, atomic;
    bool settled;  // its port is; keep_out: what misses there takes no line
    bool keep_out;
    uint8_t structure, bytes;  // bytes: of a lane
    uint32_t stat;             // instruction, as in InstStat
    Port *port;
    Segment seg[MAX_SEGMENTS];
} LsuOp;

enum { MAX_RECENT = 16 };  // most entries of the LRF and ORF together
typedef struct WarpSlot {
    Warp *warp;       // null: empty
    uint64_t *ready;  // per scoreboard entry: cycle · 4 + kind of the producer
    uint64_t next_issue;
    uint8_t pause;             // Wait: what it waits for until next_issue
    uint64_t last_ready;       // of all results
    uint32_t outstanding;      // memory instructions
    uint64_t served;           // when the last load of shared memory is, if that is known
    uint32_t acquires;         // of those, ones that later accesses wait for
    uint32_t async_group;      // cp.async: the open group's number
    uint16_t async_count[16];  // copies under way per group
    uint64_t started;
    struct SchedState *home;  // its scheduler
    uint16_t slot;            // its number in the SM
    uint8_t sched, bit;       // the scheduler's number, and its own there
    uint8_t state;            // Wait
    uint8_t class;            // of the next instruction, when OC_WAIT_READY
    uint64_t since;
    uint64_t ready_at;  // when it can issue for certain; NEVER: it has to be looked at again
    uint32_t wait_pc;
    uint16_t recent[MAX_RECENT];  // slots of the latest results, the last one first
    uint8_t recent_n;
} WarpSlot;
#define UNKNOWN (UINT64_MAX - 3)                           // a ready time that memory will tell
enum { KIND_ALU, KIND_BRANCH, KIND_SHARED, KIND_MEMORY };  // of several the last is what a warp waits for

typedef struct SchedState {
    oc_scheduler_view view;             // what a policy sees of it
    uint64_t starved;                   // ready warps that go before what the policy picks (sm_feed)
    uint64_t class_ready[CLASS_COUNT];  // ready warps by the class of their next instruction
    uint32_t classes;                   // classes that have any
    uint64_t unit_free[CLASS_COUNT];    // when this scheduler may start the class again
    uint32_t held;                      // classes for which that may be to come
    uint64_t busy;                      // until when it is occupied by an instruction of several slots
} SchedState;

enum { WHEEL = 1024 };
enum { WATCH_ALL, WATCH_STALLED, WATCH_ISOLATED, WATCH_COUNT };
// Who takes whose lines away, for runs whose course over time is asked for.
enum { WATCHED_TAGS = 8 };  // that a warp has (ciao Table I)
typedef struct SmWatch {
    oc_victims lost;                              // what each warp lost last
    uint64_t pair[OC_MOST_WARPS][OC_MOST_WARPS];  // [warp][by]: loads of lines that `by` pushed out
} SmWatch;
typedef struct Sm {
    SmCfg cfg;
    uint32_t index;
    Env env;
    Log log;
    const LaunchInfo *launch;
    uint32_t sms;
    // CTAs and warps
    Cta *ctas;
    uint32_t cta_slots, running;
    WarpSlot *slots;
    Warp *warps;
    uint32_t warp_slots, score_size;
    SchedState sched[OC_MOST_SCHEDULERS];
    oc_sm_view view;                // what the policy sees
    oc_policy policy;               // of this launch
    uint32_t listens;               // ON_…: what it listens to
    size_t own_size;                // bytes of policy.own
    SmWatch *watch;                 // null: nobody watches
    uint64_t watched_at;            // cycle up to which warps are counted
    uint32_t watched[WATCH_COUNT];  // warps then: all, stalled, isolated
    uint64_t policy_count[OC_MOST_COUNTERS];
    // events: warps to re-evaluate at a cycle
    uint64_t (*wheel)[OC_MOST_SCHEDULERS];
    uint64_t wheel_used[WHEEL / 64];
    uint32_t wheel_words;  // those of wheel_used that aren't 0
    // storage: what lies in one Array shares its banks (storage.c)
    Array array[3], *registers, *shared;
    // load-store unit
    LsuOp *queue;
    uint32_t q_head, q_n;
    uint64_t lsu_free;      // when its pipe takes the next transaction
    uint64_t sure_free;     // when it will, once all in the queue are served; NEVER: nobody knows
    bool stirred;           // what a warp waits for has changed
    uint32_t refused;       // the Counter of the reason, 0: not refused
    uint32_t refused_part;  // the partition whose credit is missing
    bool refused_firmly;    // only that credit helps; else a reply may, too
    uint64_t refused_since;
    Port port[PORT_COUNT];
    uint32_t scratch_at, scratch_rows;  // the first of its rows, how many have data
    uint64_t scratch_since;             // cycle up to which these are counted
    Fifo left;                          // what must be written once the SM runs (port_write_left)
    uint32_t left_lines;                // of so many lines
    Port *own;                          // of each slot for a warp, where the L1 is private; null
    uint64_t waiting_since;             // the head waits because the policy says so; NEVER: it doesn't
    Tracker *tracker;
    uint32_t free_tracker, trackers;
    Pend *pend;
    uint32_t free_pend, pend_cap;
    PendWait *wait;
    uint32_t free_wait, wait_cap;
    // links
    const PartitionCfg *part;
    Link out, in;
    Wire *wire;  // per partition: requests
    Wire late;   // requests that must ask the L2 TLB
    Cache tlb;
    Fifo *inbox, *credits;        // per partition: replies, credits on their way
    uint32_t *credit;             // per partition
    Fifo *waiting;                // per partition: packets that wait for a credit; their time is their size
    uint32_t waiting_all;         // of all partitions
    First first;                  // of the replies, set whenever a head changes
    First owed;                   // of the credits of partitions for which packets wait
    Fifo landing;                 // replies that are crossing the SM's port
    uint64_t now, window, until;  // cycle; the window's first and end
    uint64_t due;                 // nothing happens before this cycle unless a packet arrives
    uint64_t sent;                // the earliest arrival of what was sent in this window, or NEVER
    uint32_t parity;              // which box of the wires this window writes
    bool files;                   // accesses of registers are counted
    Fetch fetch;
    uint32_t limited;  // classes of which a cycle starts only so many (ClassCfg.per_cycle)
    uint64_t started_per_cycle[CLASS_COUNT], start_cycle[CLASS_COUNT];
    uint32_t spent;  // classes of which no more start in spent_cycle
    uint64_t spent_cycle;
    // statistics
    uint64_t count[C_COUNT + 1];  // the last one is UNCOUNTED's
    StructStat structure[MAX_STRUCTURES];
    InstStat *inst;
    uint8_t (*structure_of)(const struct Sm *sm, uint64_t address);  // for accesses of unknown provenance
    void *owner;
    uint64_t last_event;  // cycle of the last instruction, transaction or reply
} Sm;

bool sm_open(Sm *sm, const SmCfg *cfg, const PartitionCfg *part, uint32_t index, uint32_t sms, const char **why);
void sm_close(Sm *sm);
bool sm_resize(Sm *sm, const SmCfg *cfg);                          // takes over the sizes sm_organise chose
void sm_flush(Sm *sm);                                             // between kernels, caches that aren't kept
void sm_begin(Sm *sm, const LaunchInfo *launch, uint32_t blocks);  // room for a launch: blocks that fit at once
bool sm_watch_begin(Sm *sm, bool on);  // before a launch; false: the host has no memory for it
void sm_watch(Sm *sm, uint64_t now);   // at an edge: counts the warps until now
// Warps of a scheduler that the policy keeps from issuing, or from loading.
static inline uint64_t sm_stalled(const Sm *sm, uint32_t k)
{
    return sm->sched[k].view.present & ~(sm->policy.issue[k] & sm->policy.load[k]);
}
static inline uint64_t sm_isolated(const Sm *sm, uint32_t k)
{
    return sm->sched[k].view.present & sm->policy.isolated[k];
}
bool sm_has_room(const Sm *sm);
void sm_start_block(Sm *sm, uint64_t number, uint64_t now);  // at an edge
// Runs a window, from cycle `from` on; those since the last one, in which nothing was due, it accounts as waited for.
// reply, credit: per partition, this SM's wires from it. window counts those that are run.
void sm_run(Sm *sm, Wire *const *reply, Wire *const *credit, uint64_t window, uint64_t from, uint64_t to);
void sm_edge_done(Sm *sm, const Deferred *d, uint64_t now);  // a deferred operation has its result
void sm_cut(Sm *sm, uint64_t now);                           // a launch that is cut short: accounts what was under way
bool sm_awaits(const Sm *sm);                                // replies are to come
bool sm_idle(const Sm *sm);                                  // nothing can happen without a packet arriving
void sm_feed(Sm *sm, uint64_t cycles);                       // warps that could issue for so long and didn't go first
uint64_t sm_next(const Sm *sm);                              // the next cycle at which something happens, or NEVER
void sm_explain(const Sm *sm, Text *out);                    // what its warps wait for
// storage.c
typedef struct Division {             // of an SM's storage
    uint32_t registers, shared_size;  // registers 0: none was made yet
    uint64_t l1_size;
} Division;
Division sm_division(const SmCfg *cfg);  // what sm_organise made
// Sets the sizes for a launch. before: what an earlier launch had, which may stay; null: there was none.
void sm_organise(SmCfg *cfg, const LaunchInfo *l, const Division *before);
uint32_t sm_block_shared(const SmCfg *cfg, const LaunchInfo *l);  // bytes of shared memory that a block takes
void sm_lay_out(Sm *sm);  // the arrays in which registers, shared memory and the L1's data lie
// The blocks of a kernel that fit an SM, and what limits them (a word).
uint32_t sm_occupancy(const SmCfg *cfg, const LaunchInfo *l, const char **limit);

// issue.c
// Classes that need a place in the load-store unit's queue.
#define MEMORY_CLASSES                                                                                    \
    (1u << CLASS_LOAD | 1u << CLASS_STORE | 1u << CLASS_ATOMIC | 1u << CLASS_TEX | 1u << CLASS_PREFETCH | \
     1u << CLASS_ASYNC)
// Those of them that wait for what they load.
#define LOAD_CLASSES (MEMORY_CLASSES & ~(1u << CLASS_STORE | 1u << CLASS_ATOMIC))
// Ready warps whose next instruction is one of these classes.
static inline uint64_t sm_ready(const SchedState *s, uint32_t classes)
{
    uint64_t ready = 0;
    for (uint32_t m = s->classes & classes; m; m &= m - 1) ready |= s->class_ready[__builtin_ctz(m)];
    return ready;
}
// Warps of a scheduler that the policy lets issue what comes next.
static inline uint64_t sm_allowed(const Sm *sm, uint32_t k)
{
    uint64_t mask = sm->policy.issue[k], load = sm->policy.load[k];
    return ~load ? mask & (load | ~sm_ready(&sm->sched[k], LOAD_CLASSES)) : mask;
}
void sm_evaluate(Sm *sm, uint32_t slot);
static inline bool sm_wakes(const Sm *sm) { return sm->wheel_used[sm->now % WHEEL / 64] >> (sm->now % 64) & 1; }
void sm_wake_due(Sm *sm);  // those whose cycle has come, if there are any
void sm_issue(Sm *sm);
void sm_wake_at(Sm *sm, uint32_t slot, uint64_t when);
typedef struct Idle {  // of a scheduler
    Counter cause;
    uint64_t *stalls;  // of the instruction that it counts for, or null
} Idle;
void sm_idle_why(Sm *sm, Idle why[OC_MOST_SCHEDULERS]);                         // what they lack now
void sm_idle_for(Sm *sm, const Idle why[OC_MOST_SCHEDULERS], uint64_t cycles);  // and do for so long

// operands.c
bool sm_counts_operands(const SmCfg *cfg);
void sm_fetch(Sm *sm, WarpSlot *ws, const Dinst *d);  // before it goes
void sm_fetched(Sm *sm);                              // it has gone
uint32_t fetch_shared(Sm *sm, const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t passes);
uint32_t fetch_lines(Sm *sm, const Segment *seg, uint32_t n);

// queue.c
void lsu_open(Sm *sm);
static inline bool lsu_accepts(const Sm *sm) { return sm->q_n < sm->cfg.lsu_queue && sm->free_tracker != UINT32_MAX; }
uint32_t lsu_put(Sm *sm, uint32_t slot, const Step *s);  // the tracker of what waits for it, if anything does
static inline bool lsu_works(const Sm *sm) { return sm->q_n && (sm->refused || sm->lsu_free <= sm->now); }
void lsu_tick(Sm *sm);  // a cycle in which it works
void lsu_reply(Sm *sm, const Packet *p);
void lsu_sent(Sm *sm);                                   // packets that waited for credits leave
void lsu_done(Sm *sm, uint32_t tracker, uint64_t time);  // one of a tracker's parts is complete at time
bool lsu_refuse(Sm *sm, Counter why);                    // the head can't go on; false

// port.c
bool ports_open(Sm *sm, const char **why);
bool ports_resize(Sm *sm, const char **why);  // to the configuration's sizes; nothing is under way
void port_write_left(Sm *sm);                 // dirty lines that had no room then: the first work of a launch
void ports_close(Sm *sm);
bool port_access(Sm *sm, const LsuOp *op, const Segment *s);  // a transaction; false: refused
void port_reply(Sm *sm, const Packet *p);
void port_forget(Sm *sm, Port *port, CacheLine *line);  // a line that isn't dirty goes, even if it is under way
void sm_land(Sm *sm, const Packet *p);                  // a reply gets to the load-store unit at its time

// scratch.c
enum { SCRATCH_LINE = 128, SCRATCH_ROW = 256, ROW_TAGS = 64 };  // bytes of a line and a row; tags in a row
uint32_t scratch_rows(const SmCfg *cfg, uint32_t bytes);        // rows for data, of unused shared memory
typedef struct ScratchPlace {                                   // of a block and of its tag: ciao Figure 7
    uint32_t row, group;                                        // the row, and which half of the banks
    uint32_t tag_row, tag_group, bank, half;                    // bank: within the group; half: of the bank's 8 bytes
} ScratchPlace;
// The block's number selects the group by its lowest bit and the row by the others. The tag lies in the other group,
// behind the rows of data, where 32 rows have theirs in one.
static inline ScratchPlace scratch_place(uint32_t first_row, uint32_t rows, uint64_t address)
{
    uint32_t at = (uint32_t)(address / SCRATCH_LINE % (2 * (uint64_t)rows)), row = at >> 1, tag = row % (ROW_TAGS / 2);
    return (ScratchPlace){first_row + row, at & 1, first_row + rows + row / (ROW_TAGS / 2), ~at & 1, tag / 2, tag % 2};
}
void scratch_configure(SmCfg *cfg);        // cfg->scratch: what the policy wants
void scratch_begin(Sm *sm);                // a launch begins: there is none until a CTA starts
void scratch_arrange(Sm *sm);              // a CTA starts, and takes its shared memory
void scratch_count(Sm *sm, uint64_t now);  // the shared memory that it has held until now
// The line that holds an address in the other one of L1 and scratch cache; null: none does.
static inline CacheLine *scratch_copy(const Sm *sm, const Port *port, uint64_t address, Port **other)
{
    if (!sm->view.scratch_lines) return NULL;
    const Port *l1 = &sm->port[PORT_L1], *scratch = &sm->port[PORT_SCRATCH];
    if (port != l1 && port != scratch) return NULL;
    *other = (Port *)(port == l1 ? scratch : l1);
    return (*other)->cache.lines ? cache_peek(&(*other)->cache, address) : NULL;
}

// out.c
void out_open(Sm *sm);
void out_close(Sm *sm);
void out_begin(Sm *sm);  // nothing is under way
static inline bool out_waits(const Sm *sm, uint32_t part) { return sm->waiting[part].n > 0; }
// Has a partition credits, or its queue room, for n packets? If not, the load-store unit waits for it.
static inline bool out_has_room(Sm *sm, uint32_t part, uint32_t n)
{
    Fifo *f = &sm->credits[part], *queue = &sm->waiting[part];
    while (f->head < f->n && f->v[f->head].time <= sm->now && !out_waits(sm, part)) sm->credit[part]++, f->head++;
    bool room = sm->credit[part] + (uint64_t)sm->cfg.out_queue >= n + (queue->n - queue->head);
    if (!room) sm->refused_part = part;
    return room;
}
void out_send(Sm *sm, uint32_t part, Packet *p, uint32_t data);  // with so many bytes of data; there is room
static inline void out_take(Sm *sm, uint32_t part, uint64_t window, Wire *credit)  // at the start of a window
{
    if (wire_take(credit, window, &sm->credits[part]) && out_waits(sm, part))
        first_set(&sm->owed, part, &sm->credits[part]);
}
static inline uint64_t out_due(const Sm *sm) { return sm->waiting_all ? first_time(&sm->owed) : NEVER; }
bool out_drain(Sm *sm);  // what has its credit leaves; true: the queue that the load-store unit waits for has room

#endif
