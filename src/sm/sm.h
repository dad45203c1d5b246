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
    VEC(uint64_t) given;  // blocks that begin in the next window, among those that run
    Issue issue;
    Lsu lsu;
    Engine engine;
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
void sm_end_block(Sm *sm, Cta *cta);  // its last warp is over
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
void sm_add_counters(const Sm *sm, uint64_t *of_policy);  // its policy's own, to the sums of others

// --- warps.c ---------------------------------------------------------------------------------------------------------
bool issue_open(Sm *sm);  // false: the host has no memory for it
void issue_close(Sm *sm);
bool issue_resize(Sm *sm);  // room for the policy's state; false: the host has no memory
// What a policy sees: that a CTA is there, and is over; lines of the scratch cache; how busy memory is.
void issue_cta_start(Sm *sm, uint32_t cta, uint64_t number);
void issue_cta_stop(Sm *sm, uint32_t cta);
static inline void issue_scratch(Sm *sm, uint32_t lines) { sm->issue.view.scratch_lines = lines; }
static inline void issue_use(Sm *sm, const oc_memory_use *use) { sm->issue.view.use = *use; }
// Scoreboards of so many warps of a launch: the bytes that they take beyond what is there; and room for them.
uint64_t issue_lacks(const Sm *sm, const LaunchInfo *l, uint32_t count);
void issue_room(Sm *sm, uint32_t count);
void issue_begin(Sm *sm, const LaunchInfo *l);                   // a launch: no warp is there, and the policy opens
void issue_start(Sm *sm, uint32_t slot, Warp *w, uint32_t cta);  // a warp arrives
void issue_stop(Sm *sm, WarpSlot *ws);                           // a warp is over
void issue_pause(Sm *sm, uint32_t slot, uint64_t when);          // it waits at a barrier until then
// the policy's turn, if it has come
static inline void issue_tick(Sm *sm)
{
    oc_policy *p = &sm->issue.policy;
    if (p->next_tick > sm->now || !sm->running) return;
    p->next_tick = NEVER;
    p->type->tick(p);
}
void issue_feed(Sm *sm, uint64_t cycles);  // warps that could issue for so long and didn't issue first
static inline void issue_wake_at(Sm *sm, const WarpSlot *ws, uint64_t when)
{
    Issue *i = &sm->issue;
    uint64_t now = sm->now;
    if (when <= now) when = now + 1;
    if (when - now >= WHEEL) when = now + WHEEL - 1;  // looked at again then
    uint32_t at = when % WHEEL;
    i->wheel[at][ws->sched] |= 1ull << ws->bit;
    i->wheel_used[at / 64] |= 1ull << (at % 64);
    i->wheel_words |= 1u << at / 64;
}
// no warp waits for its turn: each waits for the same until an event
static inline bool issue_asleep(const Sm *sm)
{
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++)
        if (sm->issue.sched[k].view.in[OC_WAIT_READY] || sm->issue.sched[k].busy > sm->now) return false;
    return true;
}
uint64_t issue_turn(const Sm *sm);  // the next cycle in which a warp's known wait is over, or the policy has its turn
uint64_t issue_unit(const Sm *sm);  // in which a unit may start that a ready warp, held back by the policy, needs
void issue_explain(const Sm *sm, Text *out);

// --- why.c: why loads miss in the L1 ---------------------------------------------------------------------------------
bool why_begin(Sm *sm, bool on);  // before a launch; false: the host has no memory for it
void why_close(Sm *sm);
// A load of the L1 was looked up: what it found, and of which sectors. A miss fetches `fetched`.
void why_load(Sm *sm, uint64_t at, uint32_t sectors, uint32_t fetched, uint8_t structure, Lookup found);
void why_store(Sm *sm, uint64_t at, uint32_t sectors);  // a store leaves sectors in the L1
void why_drop(Sm *sm, uint64_t at);                     // a line of the L1 is dropped
void why_flush(Sm *sm);                                 // all of them are about to be
void why_evict(Sm *sm, uint8_t whose, uint8_t by);
void why_add(const Sm *sm, WhySums *to);  // what was counted in this launch

// --- engine.c --------------------------------------------------------------------------------------------------------
void engine_open(Sm *sm);
void engine_close(Sm *sm);
void engine_begin(Sm *sm);  // a launch: nothing is under way
// Has it room for whatever one instruction asks for? That is looked at when the instruction issues.
static inline bool engine_accepts(const Sm *sm) { return sm->engine.free >= LANES; }
void engine_start(Sm *sm, WarpSlot *ws);        // takes the copies that an instruction of the warp has left in env
void engine_tick(Sm *sm);                       // when it is due
void engine_reply(Sm *sm, uint32_t job);        // a request of it was answered
void engine_await(Sm *sm, const WarpSlot *ws);  // takes the arrivals that an instruction has left in env
void engine_copied(Sm *sm, const Tracker *t);   // a cp.async is over
// What it was refused for may be there.
static inline void engine_stir(Sm *sm)
{
    if (sm->engine.n && sm->engine.due == NEVER) sm->engine.due = sm->now;
}
static inline bool engine_idle(const Sm *sm) { return !sm->engine.used; }

// --- issue.c ---------------------------------------------------------------------------------------------------------
// Classes that need a place in the load-store unit's queue.
#define MEMORY_CLASSES                                                                                    \
    (1u << CLASS_LOAD | 1u << CLASS_STORE | 1u << CLASS_ATOMIC | 1u << CLASS_TEX | 1u << CLASS_PREFETCH | \
     1u << CLASS_ASYNC)
// Those of them that wait for what they load.
#define LOAD_CLASSES (MEMORY_CLASSES & ~(1u << CLASS_STORE | 1u << CLASS_ATOMIC))
// Ready warps whose next instruction is one of these classes.
static inline uint64_t issue_of_class(const SchedState *s, uint32_t classes)
{
    uint64_t ready = 0;
    for (uint32_t m = s->classes & classes; m; m &= m - 1) ready |= s->class_ready[__builtin_ctz(m)];
    return ready;
}
// Warps of a scheduler that the policy lets issue what comes next.
static inline uint64_t issue_allowed(const Issue *i, uint32_t k)
{
    uint64_t mask = i->policy.issue[k], load = i->policy.load[k];
    return ~load ? mask & (load | ~issue_of_class(&i->sched[k], LOAD_CLASSES)) : mask;
}
// Warps of a scheduler that the policy keeps from issuing, or from loading; and whose accesses it isolates.
static inline uint64_t issue_stalled(const Issue *i, uint32_t k)
{
    return i->sched[k].view.present & ~(i->policy.issue[k] & i->policy.load[k]);
}
static inline uint64_t issue_isolated(const Issue *i, uint32_t k)
{
    return i->sched[k].view.present & i->policy.isolated[k];
}
static inline bool issue_wakes(const Sm *sm)
{
    return sm->issue.wheel_used[sm->now % WHEEL / 64] >> (sm->now % 64) & 1;
}
void issue_wake_due(Sm *sm);  // those whose cycle has come, if there are any
void issue_evaluate(Sm *sm, uint32_t slot);
void issue_cycle(Sm *sm);  // each scheduler's issue slots
// The scoreboard, as memory instructions need it. What an instruction loads is known from cycle `done` on.
static inline void issue_known(Sm *sm, uint32_t slot, const Dinst *d, uint64_t done, uint32_t kind)
{
    WarpSlot *ws = &sm->issue.slots[slot];
    for (int k = 0; k < d->score_dst; k++) ws->ready[d->score[k]] = done << 2 | kind;
    if (d->score_dst) ws->last_ready = MAX(ws->last_ready, done);
}
// Shared memory serves the load at that time.
static inline void issue_served(Sm *sm, uint32_t slot, const Dinst *d, uint64_t when)
{
    if (d->score_dst) sm->issue.slots[slot].served = when;
}
// A tracker will tell when the load is done.
static inline void issue_await(Sm *sm, uint32_t slot, const Tracker *t)
{
    WarpSlot *ws = &sm->issue.slots[slot];
    const Dinst *d = t->d;
    for (int k = 0; k < d->score_dst; k++) ws->ready[d->score[k]] = UNKNOWN | (t->shared ? KIND_SHARED : KIND_MEMORY);
    ws->outstanding++;
    sm->issue.view.warp[slot].loads += !t->shared;
    ws->acquires += t->acquire;
    if (t->async) ws->async_count[t->group]++, ws->async_begun++;
}
// The door upwards: the last part of a load is there. True: its warp waited for that.
static inline bool issue_ready(Sm *sm, const Tracker *t)
{
    WarpSlot *ws = &sm->issue.slots[t->slot];
    if (ws->started != t->started) return false;  // the warp ended without what it loaded
    uint64_t mark = t->time << 2 | (t->shared ? KIND_SHARED : KIND_MEMORY);
    for (int k = 0; k < t->d->score_dst; k++) ws->ready[t->d->score[k]] = mark;
    ws->last_ready = MAX(ws->last_ready, t->time);
    ws->outstanding--;
    sm->issue.view.warp[t->slot].loads -= !t->shared;
    ws->acquires -= t->acquire;
    if (t->async) ws->async_count[t->group & 15]--;
    if (t->async && sm->engine.waiting.n) engine_copied(sm, t);
    if (sm->issue.listens & ON_LOADED && !t->shared && ws->warp)
        sm->issue.policy.type->loaded(&sm->issue.policy, t->slot);
    if ((ws->state != OC_WAIT_MEMORY && ws->state != OC_WAIT_SHARED) || !ws->warp) return false;
    issue_evaluate(sm, t->slot);
    return true;
}
typedef struct Idle {  // of a scheduler
    Counter cause;
    uint64_t *stalls;  // of the instruction that it counts for, or null
} Idle;
void issue_idle_why(Sm *sm, Idle why[OC_MOST_SCHEDULERS]);                         // what they lack now
void issue_idle_for(Sm *sm, const Idle why[OC_MOST_SCHEDULERS], uint64_t cycles);  // and do for so long

// --- tensor.c --------------------------------------------------------------------------------------------------------
void tensor_start(Sm *sm, WarpSlot *ws, const Dinst *d);  // a product of matrices has been issued
void tensor_group(Sm *sm, WarpSlot *ws, const Dinst *d);  // one of wgmma
void tensor_commit(Sm *sm, const WarpSlot *ws);
uint64_t tensor_done(const Sm *sm, const WarpSlot *ws, uint64_t most);  // all groups but the latest `most`

// --- operands.c ------------------------------------------------------------------------------------------------------
bool operands_count(const SmCfg *cfg);                      // are accesses of registers counted?
void operands_begin(Sm *sm);                                // a launch
void operands_fetch(Sm *sm, WarpSlot *ws, const Dinst *d);  // before it issues
void operands_fetched(Sm *sm);                              // it has issued
uint32_t operands_shared(Sm *sm, const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t passes);
uint32_t operands_lines(Sm *sm, const LsuOp *op);

// --- storage.c -------------------------------------------------------------------------------------------------------
typedef struct Division {             // of an SM's storage
    uint32_t registers, shared_size;  // registers 0: none was made yet
    uint64_t l1_size;
} Division;
Division sm_division(const SmCfg *cfg);  // what sm_organise made
// Sets the sizes for a launch. before: what an earlier launch had, which may stay; null: there was none.
void sm_organise(SmCfg *cfg, const LaunchInfo *l, const Division *before);
// What a block takes of an SM.
typedef struct BlockNeeds {
    uint32_t threads, warps;
    uint32_t registers, shared;  // 32-bit registers; bytes
} BlockNeeds;
BlockNeeds sm_block_needs(const SmCfg *cfg, const LaunchInfo *l);
// The blocks of a kernel that fit an SM, and what limits them (a word).
uint32_t sm_occupancy(const SmCfg *cfg, const LaunchInfo *l, const char **limit);

// --- queue.c ---------------------------------------------------------------------------------------------------------
bool lsu_open(Sm *sm);  // false: the host has no memory for it
void lsu_close(Sm *sm);
void lsu_begin(Sm *sm);
static inline bool lsu_accepts(const Sm *sm)
{
    return sm->lsu.n < sm->cfg.lsu_queue && sm->lsu.free_tracker < sm->lsu.trackers;
}
// Classes whose instructions can't issue now, since what takes them has no room.
static inline uint32_t issue_full(const Sm *sm)
{
    return (lsu_accepts(sm) ? 0 : MEMORY_CLASSES) | (engine_accepts(sm) ? 0 : 1u << CLASS_BULK);
}
// The segments of an access of global memory, at most 64; mask: its lanes there.
uint32_t lsu_segments(const Step *s, uint32_t mask, bool write, bool atomic, Segment *out);
uint32_t lsu_put(Sm *sm, uint32_t slot, const Step *s);  // the tracker of what waits for it, if anything does
static inline bool lsu_works(const Sm *sm) { return sm->lsu.n && (sm->lsu.refused || sm->lsu.free <= sm->now); }
static inline uint64_t lsu_due(const Sm *sm) { return sm->lsu.n && !sm->lsu.refused ? sm->lsu.free : NEVER; }
// when the credit arrives that a refused head lacks, or NEVER
static inline uint64_t lsu_credit(const Sm *sm)
{
    if (sm->lsu.refused != C_L1_REFUSED_LINK) return NEVER;
    const Fifo *f = &sm->links.credits[sm->lsu.refused_part];
    return f->head < f->n ? f->v[f->head].time : NEVER;
}
void lsu_tick(Sm *sm);  // a cycle in which it works
// The next transactions of the instruction at the head, as far as they are served and come before cycle `to`, until
// which nothing else happens. Its first and its last one aren't among them.
void lsu_go_on(Sm *sm, uint64_t to);
void lsu_reply(Sm *sm, const Packet *p);
void lsu_sent(Sm *sm);                                   // packets that waited for credits leave
void lsu_done(Sm *sm, uint32_t tracker, uint64_t time);  // one of a tracker's parts is complete at time
// lsu.stirred begins anew
static inline void lsu_calm(Sm *sm) { sm->lsu.stirred = false; }
void lsu_fence(Sm *sm, const Dinst *d);  // a fence was executed
// An atomic of shared memory that is a loop in machine code; lsu_put leaves its turns in sm->lsu.
static inline bool lsu_loops(const Sm *sm, const Dinst *d)
{
    return d->kind == X_ATOM && d->slots > 1 && sm->cfg.count == COUNT_SASS && d->inst->space == SP_SHARED;
}
void lsu_account(Sm *sm, uint64_t to);  // a refusal, until a window's end
void lsu_explain(const Sm *sm, Text *out);

// --- local.c ---------------------------------------------------------------------------------------------------------
// The segments of lanes' accesses of local memory.
uint32_t local_segments(const Sm *sm, uint32_t slot, const Step *s, uint32_t mask, Segment *out);

// --- port.c ----------------------------------------------------------------------------------------------------------
bool ports_open(Sm *sm, const char **why);
bool ports_resize(Sm *sm, const char **why);  // to the configuration's sizes; nothing is under way
void ports_flush(Sm *sm);                     // caches that aren't kept
Refusal ports_empty(Sm *sm);                  // the L1, what it is divided into, and the scratch cache
void ports_close(Sm *sm);
bool ports_await(const Sm *sm);  // replies are to come
void port_write_left(Sm *sm);    // dirty lines that had no room then: the first work of a launch
Refusal port_access(Sm *sm, const LsuOp *op, const Segment *s);  // a transaction
Refusal port_load(Sm *sm, const LsuOp *op, const Segment *s, Port *port);
// As many of a load's next transactions as hit one after the other, `most` of them at most. 0 where somebody looks at
// each.
uint32_t port_hits(Sm *sm, const LsuOp *op, uint32_t most);
// A load whose line lies in another port of the SM: the line moves to the port of the load.
Refusal port_move(Sm *sm, const LsuOp *op, const Segment *s, Port *other, CacheLine *copy);
// What is under way for a line goes to those that wait for it, and nowhere else.
static inline void port_abandon(Sm *sm, CacheLine *line)
{
    if (line->pending) sm->ports.pend[line->slot].line = NULL;
    line->pending = 0;
}
// The sectors of a cache's line that a segment touches.
static inline uint32_t port_sectors(const Cache *c, const Segment *s)
{
    uint32_t mask = 0;
    if (c->line_shift == 7 && c->sector_shift == 5) return s->sectors;
    for (uint32_t k = 0; k < 4; k++)
        if (s->sectors >> k & 1) mask |= cache_sectors(c, s->address + k * SECTOR, SECTOR);
    return mask;
}
// A request of the copy engine, for a job.
Refusal port_copy(Sm *sm, const Copy *c, const Segment *s, uint32_t job);
void port_reply(Sm *sm, const Packet *p);
// Is it the last one of a miss whose line is among so many of a port, from the first on?
bool port_fills(const Sm *sm, const Packet *p, const Port *port, uint32_t first, uint32_t ways);
void port_forget(Sm *sm, Port *port, CacheLine *line);  // a line that isn't dirty goes, even if it is under way

// --- scratch.c -------------------------------------------------------------------------------------------------------
enum { SCRATCH_LINE = 128, SCRATCH_ROW = 256, ROW_TAGS = 64 };  // bytes of a line and a row; tags in a row
uint32_t scratch_rows(const SmCfg *cfg, uint32_t bytes);        // rows for data, of unused shared memory
void scratch_configure(SmCfg *cfg);                             // cfg->scratch: what the policy wants
void scratch_begin(Sm *sm);                                     // a launch begins: there is none until a CTA starts
void scratch_arrange(Sm *sm);                                   // a CTA starts, and takes its shared memory
void scratch_count(Sm *sm, uint64_t now);                       // the shared memory that it has held until now
// A load while there is one; and what a store does to a copy in the other one of the store's port: takes: the store's
// port has the line from now on.
Refusal scratch_load(Sm *sm, const LsuOp *op, const Segment *s);
void scratch_store(Sm *sm, const LsuOp *op, const Segment *s, bool takes);
// The line that holds an address in the other one of L1 and scratch cache; null: none does.
static inline CacheLine *scratch_copy(const Sm *sm, const Port *port, uint64_t address, Port **other)
{
    if (!sm->issue.view.scratch_lines) return NULL;
    const Port *l1 = &sm->ports.port[PORT_L1], *scratch = &sm->ports.port[PORT_SCRATCH];
    if (port != l1 && port != scratch) return NULL;
    *other = (Port *)(port == l1 ? scratch : l1);
    return (*other)->cache.lines ? cache_peek(&(*other)->cache, address) : NULL;
}

// --- links.c ---------------------------------------------------------------------------------------------------------
bool links_open(Sm *sm, const PartitionCfg *part, const char **why);
void links_close(Sm *sm);
void links_begin(Sm *sm);        // nothing is under way
void links_flush(Sm *sm);        // the TLB
bool links_empty(const Sm *sm);  // no request is on its way
// The ways out: to a partition, and to the L2 TLB.
static inline Wire *links_wire(Sm *sm, uint32_t part) { return &sm->links.wire[part]; }
static inline Wire *links_late(Sm *sm) { return &sm->links.late; }
// A window begins: replies and credits that came in the one before.
void links_take(Sm *sm, Wire *const *reply, Wire *const *credit, uint64_t window);
static inline bool links_wait(const Links *l, uint32_t part) { return l->waiting[part].n > 0; }
// Has a partition credits, or its queue room, for n packets?
static inline bool links_have_room(Sm *sm, uint32_t part, uint32_t n)
{
    Links *l = &sm->links;
    Fifo *f = &l->credits[part], *queue = &l->waiting[part];
    while (f->head < f->n && f->v[f->head].time <= sm->now && !links_wait(l, part)) l->credit[part]++, f->head++;
    return l->credit[part] + (uint64_t)sm->cfg.out_queue >= n + (queue->n - queue->head);
}
void links_send(Sm *sm, uint32_t part, Packet *p, uint32_t data);  // with so many bytes of data; there is room
static inline uint64_t links_due(const Links *l) { return l->waiting_all ? first_time(&l->owed) : NEVER; }
bool links_drain(Sm *sm, uint32_t part);   // what has its credit leaves; true: this partition's queue has room
void links_land(Sm *sm, const Packet *p);  // a reply gets to the load-store unit at its time
// one does now
static inline bool links_lands(const Sm *sm)
{
    const Links *l = &sm->links;
    const Fifo *f = &l->landing;
    return first_due(&l->first, sm->now) || (f->head < f->n && f->v[f->head].time <= sm->now);
}
void links_deliver(Sm *sm);  // those that do
// when the next reply is through the SM's port, or NEVER
static inline uint64_t links_landing(const Sm *sm)
{
    const Fifo *f = &sm->links.landing;
    return f->head < f->n ? f->v[f->head].time : NEVER;
}

// --- watch.c ---------------------------------------------------------------------------------------------------------
bool watch_begin(Sm *sm, bool on);  // before a launch; false: the host has no memory for it
void watch_close(Sm *sm);
void watch_reset(Sm *sm);                           // a launch begins
void watch_warp(Sm *sm, uint32_t slot);             // a warp arrives
void watch_warps(Sm *sm, uint64_t now);             // at an edge: counts the warps until now
void watch_lost(Sm *sm, const oc_access_event *e);  // a load of the L1 or the scratch cache
static inline bool watch_on(const Sm *sm) { return sm->watch.seen; }
// Loads of a warp whose lines another pushed out, of a watched SM.
static inline uint64_t watch_pair(const Sm *sm, uint32_t warp, uint32_t by) { return sm->watch.seen->pair[warp][by]; }
static inline void watch_access(Sm *sm, const oc_access_event *e)
{
    if (sm->watch.seen && !e->store) watch_lost(sm, e);
}

#endif
