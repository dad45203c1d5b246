// state.h: the parts of an SM. Each part is written by the files that its comment names, and by nobody else. What one
// part asks of another goes through the functions of sm.h. Counters are for all to count.
#ifndef SM_STATE_H
#define SM_STATE_H

#include "exec/exec.h"
#include "mem/mem.h"
#include "policy/policy.h"
#include "sm/config.h"
#include "sm/stat.h"

// --- Issue: warps, schedulers, scoreboard (warps.c, issue.c) ---------------------------------------------------------
enum { MAX_RECENT = 16 };  // most entries of the LRF and ORF together
typedef struct WarpSlot {
    // The first line of the host's cache has what each look at a warp touches (issue.c).
    _Alignas(HOST_LINE) Warp *warp;  // null: empty
    uint64_t *ready;                 // per scoreboard entry: cycle · 4 + kind of the producer
    struct SchedState *home;         // its scheduler
    uint64_t next_issue;
    uint64_t ready_at;    // when it can issue for certain; NEVER: it has to be looked at again
    uint32_t line;        // that its latest instruction lies in
    uint32_t wait_pc;     // the instruction that it stands before, as in InstStat
    uint32_t acquires;    // memory instructions under way that later accesses wait for
    uint16_t slot;        // its number in the SM
    uint8_t sched, bit;   // the scheduler's number, and its own there
    uint8_t state;        // Wait
    uint8_t class;        // of the next instruction, when OC_WAIT_READY
    uint8_t pause;        // Wait: what it waits for until next_issue
    uint8_t recent_n;     // of `recent`
    uint8_t owed;         // with ideal.divergence: lanes that issued since the last slot that was paid
    uint64_t since;       // cycle from which on it is in this state
    uint64_t last_ready;  // of all results
    uint64_t started;
    uint64_t served;           // when the last load of shared memory is, if that is known
    uint32_t outstanding;      // memory instructions
    uint32_t async_group;      // cp.async: the open group's number
    uint32_t async_begun;      // copies so far
    uint32_t bulk_group;       // copies in bulk, likewise; of those under way, those that haven't read all either
    uint16_t async_count[16];  // copies under way per group
    uint16_t bulk_count[16], bulk_unread[16];
    uint16_t recent[MAX_RECENT];  // slots of the latest results, the last one first
} WarpSlot;
_Static_assert(offsetof(WarpSlot, since) <= HOST_LINE, "an instruction that issues touches one line, and `since`");
// Products of wgmma that a warp has under way.
enum { GROUPS = 8 };
typedef struct Products {
    uint64_t done;           // when the last one will be
    uint64_t group[GROUPS];  // when a group and those before it will be; number n is group[n % GROUPS]
    uint32_t groups;         // that were committed
    uint32_t sum;            // the first of the last one's sums in the scoreboard, + 1; 0: there was none
} Products;
#define UNKNOWN (UINT64_MAX - 3)                           // a ready time that memory will tell
enum { KIND_ALU, KIND_BRANCH, KIND_SHARED, KIND_MEMORY };  // a warp that waits for several waits for the last one

typedef struct SchedState {
    oc_scheduler_view view;             // what a policy sees of it
    uint64_t starved;                   // ready warps that issue before what the policy picks (issue_feed)
    uint64_t class_ready[CLASS_COUNT];  // ready warps by the class of their next instruction
    uint32_t classes;                   // classes that have any
    uint64_t unit_free[CLASS_COUNT];    // when this scheduler may start the class again
    uint32_t held;                      // classes for which that may be to come
    uint64_t busy;                      // until when it is occupied by an instruction of several slots
    uint64_t products;                  // when its tensor unit has done all products that were issued
} SchedState;

enum { WHEEL = 1024 };
typedef struct Issue {
    WarpSlot *slots;
    uint32_t slot_count, score_size;
    uint64_t *ready;  // score_size of them for each slot
    size_t ready_room;
    Products *products;  // of each slot
    uint64_t operands;   // when shared memory has given the tensor units all they asked for, in bytes since cycle 0
    SchedState sched[OC_MOST_SCHEDULERS];
    // the policy, and what it sees
    oc_sm_view view;
    oc_index_check indices;  // what it was asked, where somebody checks that
    oc_policy policy;        // of this launch
    uint32_t listens;        // ON_…: what it listens to
    bool quiet;              // as in issue.c
    // With ideal.divergence, of the instruction at hand: it takes no slot; its result is there at once.
    bool free, at_once;
    size_t own_size;  // bytes of policy.own
    uint64_t policy_count[OC_MOST_COUNTERS];
    // events: warps to re-evaluate at a cycle
    uint64_t (*wheel)[OC_MOST_SCHEDULERS];
    uint64_t wheel_used[WHEEL / 64];
    uint32_t wheel_words;  // those of wheel_used that aren't 0
    // units that the schedulers share
    uint32_t limited;  // classes of which a cycle starts only so many (ClassCfg.per_cycle)
    uint64_t started_per_cycle[CLASS_COUNT], start_cycle[CLASS_COUNT];
    uint32_t spent;  // classes of which no more start in spent_cycle
    uint64_t spent_cycle;
} Issue;

// --- Storage: what an instruction asks of the banks (operands.c) -----------------------------------------------------
typedef struct Fetch {  // of the instruction that issues
    uint8_t bank[64];   // of the register file, or of a cluster: reads
    uint32_t most;      // accesses of the bank that has most
    uint32_t rows;      // 16-byte rows of unified storage that the access of shared memory touches
} Fetch;
typedef struct Storage {
    bool counts;  // accesses of registers are counted
    Fetch fetch;
} Storage;

// --- Lsu: the load-store unit's queue (queue.c) ----------------------------------------------------------------------
// A memory instruction under way.
typedef struct Tracker {
    const Dinst *d;
    uint32_t slot;       // warp
    uint32_t left;       // transactions to come, plus one until all are sent, plus one until the edge when deferred
    uint64_t time;       // the latest known completion
    uint64_t started;    // when its warp did: another's may have the slot by the time it is done
    uint32_t next_free;  // of the list of free ones; 0: the following one, so that memory of zeros is such a list
    bool shared, async, acquire;
    bool empties;    // the L1 is emptied when it is done
    uint8_t group;   // of a cp.async
    uint32_t begun;  // the copies that its warp had begun before
} Tracker;
enum { MAX_SEGMENTS = 160 };  // 32 lanes of four words of local memory, each in a segment of its own, and room
typedef struct LsuOp {
    uint32_t warp;         // slot
    uint32_t tracker;      // NONE: nothing waits
    uint32_t count, next;  // transactions
    uint32_t busy;         // shared memory: cycles that its passes take,
    uint32_t latency;      // and those to its results
    uint32_t late;         // cycles, for its operands and lsu.interval
    uint8_t space;
    bool write, atomic;
    bool emptied;  // the L1 is to be, before it is served
    bool settled;  // its port is; keep_out: what misses there takes no line
    bool keep_out;
    bool dealt;                // its transactions have turns (Segment.turn); otherwise each is one
    uint8_t passes;            // of its words in the banks of shared memory
    uint8_t extra;             // cycles by which its data come later than its last turn
    uint32_t last;             // the first transaction of its last turn
    uint8_t structure, bytes;  // bytes: of a lane
    uint32_t stat;             // instruction, as in InstStat
    struct Port *port;
    Segment seg[MAX_SEGMENTS];
} LsuOp;
typedef struct Lsu {
    LsuOp *queue;  // a ring with `room` places
    uint32_t room, head, n;
    bool other_banks;       // shared memory's passes aren't what the addresses say: another layout, or an ideal
    uint64_t free;          // when its pipe takes the next transaction
    uint64_t sure_free;     // when it will, once all in the queue are served; NEVER: nobody knows
    uint32_t refused;       // as in Refusal, of the head
    uint32_t refused_part;  // of the last one that lacked a credit
    bool refused_firmly;
    uint32_t refused_first, refused_ways;  // the lines of its set, where nothing but a fill of one helps; or 0
    bool stirred;                          // what a warp waits for has changed
    uint32_t turns, turn;                  // of the last atomic of shared memory that is a loop, and the cycles of one
    bool emptying;                         // the next access of a port finds the L1 empty: a fence or an acquire came
    uint64_t refused_since;
    uint64_t waiting_since;  // the head waits because the policy says so; NEVER: it doesn't
    Tracker *tracker;
    uint32_t free_tracker, trackers;  // free_tracker: the first that is free; trackers: none is
} Lsu;

// --- Ports: caches, and misses under way (port.c, misses.c, transaction.c; and scratch.c, prefetch.c) ----------------
// A port: one of the SM's caches as its load-store unit sees it, or the way past them, which has no lines.
typedef enum PortId {
    PORT_L1,
    PORT_READONLY,
    PORT_CONSTANT,
    PORT_SCRATCH,
    PORT_PAST,
    PORT_COPY,  // the copy engine's way past them
    PORT_COUNT
} PortId;
enum { UNCOUNTED = C_COUNT };
typedef struct PortCounters {
    uint8_t accesses, hits, misses, merges, reads, read_hits, writes, evictions, write_backs;
} PortCounters;
_Static_assert(UNCOUNTED <= UINT8_MAX, "a counter's number fits a byte");
typedef struct Port {
    Cache cache;
    const PortCounters *counts;
    uint32_t most, free;  // misses: as many as may be under way, as many as may come beside those that are
    struct Port *mshrs;   // the port whose these are: the scratch cache shares the L1's
    uint32_t extra;       // cycles from a reply to its use
    uint64_t seed;        // of random replacement
} Port;
// Why a transaction can't be served now: a Counter; whether only a credit helps, else a reply may, too; and the
// partition whose credit is missing, or the set, if nothing but a fill of it helps. It is one word, since every
// transaction returns it.
typedef uint32_t Refusal;
enum { SERVED = 0, REFUSED_WHY = 0xff, REFUSED_FIRMLY = 0x100, REFUSED_OF_SET = 0x200, REFUSED_PART = 16 };
// A miss, or a request that went past the caches: it left the SM and is waited for.
typedef struct Pend {
    Port *port;
    CacheLine *line;        // null: past the caches
    uint32_t packets;       // replies to come
    uint32_t first, count;  // trackers that wait
    uint32_t next_free;     // as a tracker's
} Pend;
typedef struct PendWait {
    uint32_t tracker, next;  // tracker: of the copy engine's port, a job
} PendWait;
typedef struct Scratch {
    uint32_t at, rows;  // the first of its rows, how many have data
    uint64_t since;     // cycle up to which these are counted
} Scratch;
typedef struct Prefetch {
    oc_prefetcher view;
    void *own;
    uint64_t own_count[OC_MOST_COUNTERS], count[PREFETCH_COUNTS];
} Prefetch;
typedef struct Ports {
    Port port[PORT_COUNT];
    Prefetch *prefetch;  // null: nobody fetches ahead
    Port *own;           // of each slot for a warp, where the L1 is private; null
    Scratch scratch;
    Pend *pend;
    uint32_t free_pend, pend_cap;  // free_pend: the first that is free; pend_cap: none is
    PendWait *wait;
    uint32_t free_wait, wait_cap;
    bool hit;             // the latest load of a cache did, and what may follow it hasn't been looked up
    Fifo left;            // packets that must be written once the SM runs (port_write_left)
    uint32_t left_lines;  // of so many lines
} Ports;

// --- Links: the ways to and from the partitions (links.c) ------------------------------------------------------------
typedef struct Links {
    const PartitionCfg *part;
    Link out, in;
    Wire *wire;            // per partition: requests
    Wire late;             // requests that must ask the L2 TLB
    Cache tlb;             // the L1 TLB
    Fifo *credits;         // per partition: credits on their way
    uint32_t *credit;      // per partition
    Fifo *waiting;         // per partition: packets that wait for a credit; their time is their size
    uint32_t waiting_all;  // of all partitions
    First owed;            // of the credits of partitions for which packets wait
    uint64_t sent;         // the earliest arrival of what was sent in this window, or NEVER
    bool asks;             // a partition was sent something for the first time in this launch
    bool *asked;           // per partition: it was
    uint32_t parity;       // which box of the wires this window writes
    Fifo *inbox;           // per partition: replies on their way; where they keep their order (crossbar.c), one for all
    uint32_t inboxes;
    First first;   // of the replies, set whenever a head changes
    Fifo landing;  // replies that are crossing the SM's port
} Links;

// --- Engine: copies in bulk (engine.c) -------------------------------------------------------------------------------
enum { MAX_COPIES = 64 };
typedef struct CopyJob {  // a copy under way
    Copy copy;
    uint32_t slot, group;  // its warp, and the group there
    uint64_t started;      // when the warp did
    uint64_t from;         // when its first request may leave
    uint32_t row, at;      // the next request: a row of the copy, and a place there
    uint32_t left;         // replies to come, plus one until all requests have left
} CopyJob;
typedef struct Awaited {  // arrivals that wait for a warp's copies (cp.async)
    Arrival arrival;
    uint32_t slot, begun, left;
    uint64_t started;
} Awaited;
typedef struct Engine {
    CopyJob *job;  // MAX_COPIES
    uint64_t used;
    uint32_t free;              // jobs that aren't
    uint8_t queue[MAX_COPIES];  // a ring of jobs whose requests haven't all left
    uint32_t head, n;
    uint64_t due;  // when it has something to do; NEVER: once a reply or a credit has come
    VEC(Awaited) waiting;
} Engine;

// --- Front: instructions (fetch.c) -----------------------------------------------------------------------------------
enum { FETCH_WAYS = 4 };
typedef struct FetchSet {       // the latest first
    uint32_t line[FETCH_WAYS];  // 0: none
    uint32_t launch;            // in which `from` counts
    uint64_t from[FETCH_WAYS];  // cycle from which on a line is there
} FetchSet;
typedef struct FetchKernel {
    uint64_t which;
    uint32_t at, lines;  // where it lies
} FetchKernel;
typedef struct Front {
    FetchSet *set[2];          // of the first cache and the second
    uint32_t sets[2];          // of the first one none: instructions are there at once
    VEC(FetchKernel) kernels;  // that were launched
    uint32_t launch, at, end;  // this launch, and where its kernel lies
    uint32_t last;             // the line that was brought last
    uint64_t free;             // when the next line may begin to come, in 1/256 cycle
    uint64_t cost[2];          // of a line from the second cache, and from the L2; likewise
} Front;

// --- Watch: who takes whose lines away, for runs whose course over time is asked for (watch.c) -----------------------
enum { WATCH_ALL, WATCH_STALLED, WATCH_ISOLATED, WATCH_COUNT };
enum { WATCHED_TAGS = 8 };  // that a warp has (ciao Table I)
typedef struct Seen {
    oc_victims lost;                              // what each warp lost last
    uint64_t pair[OC_MOST_WARPS][OC_MOST_WARPS];  // [warp][by]: loads of lines that `by` pushed out
} Seen;
typedef struct SmWatch {
    Seen *seen;                   // null: nobody watches
    uint64_t since;               // cycle up to which warps are counted
    uint32_t warps[WATCH_COUNT];  // then
} SmWatch;

#endif
