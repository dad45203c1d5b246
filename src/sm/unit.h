// unit.h: what the files of sm ask of each other. What other parts call stands in sm.h.
#ifndef SM_UNIT_H
#define SM_UNIT_H

#include "sm/sm.h"

// --- sm.c ------------------------------------------------------------------------------------------------------------
void sm_end_block(Sm *sm, Cta *cta);  // its last warp is over

// --- warps.c ---------------------------------------------------------------------------------------------------------
bool issue_open(Sm *sm);  // false: the host has no memory for it
void issue_close(Sm *sm);
bool issue_resize(Sm *sm);  // room for the policy's state; false: the host has no memory
// What a policy sees: that a CTA is there, and is over; lines of the scratch cache; how busy memory is.
void issue_cta_start(Sm *sm, uint32_t cta, uint64_t number);
void issue_cta_stop(Sm *sm, uint32_t cta);
static inline void issue_scratch(Sm *sm, uint32_t lines) { sm->issue.view.scratch_lines = lines; }
// Scoreboards of so many warps of a launch: the bytes that they take beyond what is there; and room for them.
uint64_t issue_lacks(const Sm *sm, const LaunchInfo *l, uint32_t count);
void issue_room(Sm *sm, uint32_t count);
void issue_begin(Sm *sm, const LaunchInfo *l);  // a launch: no warp is there, and the policy opens
// A warp arrives, which begins at cycle `from`.
void issue_start(Sm *sm, uint32_t slot, Warp *w, uint32_t cta, uint64_t from);
void issue_stop(Sm *sm, WarpSlot *ws);                   // a warp is over
void issue_pause(Sm *sm, uint32_t slot, uint64_t when);  // it waits at a barrier until then
// the policy's turn, if it has come
static inline void issue_tick(Sm *sm)
{
    oc_policy *p = &sm->issue.policy;
    if (p->next_tick > sm->now || !sm->running) return;
    p->next_tick = NEVER;
    p->type->tick(p);
}
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
void why_close(Sm *sm);
// A load of the L1 was looked up: what it found, and of which sectors. A miss fetches `fetched`.
void why_load(Sm *sm, uint64_t at, uint32_t sectors, uint32_t fetched, uint8_t structure, Lookup found);
void why_store(Sm *sm, uint64_t at, uint32_t sectors);  // a store leaves sectors in the L1
void why_drop(Sm *sm, uint64_t at);                     // a line of the L1 is dropped
void why_flush(Sm *sm);                                 // all of them are about to be
void why_evict(Sm *sm, uint8_t whose, uint8_t by);

// --- fetch.c ---------------------------------------------------------------------------------------------------------
void fetch_open(Sm *sm);
void fetch_close(Sm *sm);
void fetch_begin(Sm *sm, const Kernel *kernel);  // a launch
uint64_t fetch_line(Sm *sm, uint32_t line);      // the cycle from which on a warp that comes to a line may run it

// --- engine.c --------------------------------------------------------------------------------------------------------
// Has it room for whatever one instruction asks for? That is looked at when the instruction issues.
static inline bool engine_accepts(const Sm *sm) { return sm->engine.free >= LANES; }
void engine_start(Sm *sm, WarpSlot *ws);        // takes the copies that an instruction of the warp has left in env
void engine_tick(Sm *sm);                       // when it is due
void engine_reply(Sm *sm, uint32_t job);        // a request of it was answered
void engine_await(Sm *sm, const WarpSlot *ws);  // takes the arrivals that an instruction has left in env
void engine_copied(Sm *sm, const Tracker *t);   // a cp.async is over
void engine_open(Sm *sm);
void engine_close(Sm *sm);
void engine_begin(Sm *sm);  // a launch: nothing is under way
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
static inline bool issue_wakes(const Sm *sm)
{
    return sm->issue.wheel_used[sm->now % WHEEL / 64] >> (sm->now % 64) & 1;
}
void issue_judge(Sm *sm);     // ends the launch if the policy took one warp for another, where that is checked
void issue_wake_due(Sm *sm);  // those whose cycle has come, if there are any
void issue_cycle(Sm *sm);     // each scheduler's issue slots
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
    sm->issue.view.by_slot[slot].loads += !t->shared;
    ws->acquires += t->acquire;
    if (t->async) ws->async_count[t->group]++, ws->async_begun++;
}
void issue_evaluate(Sm *sm, uint32_t slot);
// The door upwards: the last part of a load is there. True: its warp waited for that.
static inline bool issue_ready(Sm *sm, const Tracker *t)
{
    WarpSlot *ws = &sm->issue.slots[t->slot];
    if (ws->started != t->started) return false;  // the warp ended without what it loaded
    uint64_t mark = t->time << 2 | (t->shared ? KIND_SHARED : KIND_MEMORY);
    for (int k = 0; k < t->d->score_dst; k++) ws->ready[t->d->score[k]] = mark;
    ws->last_ready = MAX(ws->last_ready, t->time);
    ws->outstanding--;
    sm->issue.view.by_slot[t->slot].loads -= !t->shared;
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
void operands_begin(Sm *sm);                                // a launch
void operands_fetch(Sm *sm, WarpSlot *ws, const Dinst *d);  // before it issues
void operands_fetched(Sm *sm);                              // it has issued
uint32_t operands_shared(Sm *sm, const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t passes);
uint32_t operands_lines(Sm *sm, const LsuOp *op);

// --- storage.c -------------------------------------------------------------------------------------------------------
// What a block takes of an SM.
typedef struct BlockNeeds {
    uint32_t threads, warps;
    uint32_t registers, shared;  // 32-bit registers; bytes
} BlockNeeds;
BlockNeeds sm_block_needs(const SmCfg *cfg, const LaunchInfo *l);

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
    return d->kind == X_ATOM && d->slots > 1 && sm->cfg.count == COUNT_SASS && d->inst->space == SP_SHARED &&
           d->inst->mod[G_ATOM] != M_A_CAS;
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
void ports_begin(Sm *sm);        // a launch: plug-ins of caches count anew
void ports_judge(Sm *sm);        // ends the launch if one of them did what it may not
bool ports_await(const Sm *sm);  // replies are to come
void port_write_left(Sm *sm);    // dirty lines that had no room then: the first work of a launch

// --- misses.c --------------------------------------------------------------------------------------------------------
// What is under way for a line goes to those that wait for it, and nowhere else.
static inline void port_abandon(Sm *sm, CacheLine *line)
{
    if (line->pending) sm->ports.pend[line->slot].line = NULL;
    line->pending = 0;
}
// Counts the accesses of banks that sectors of the L1's data take, or of the scratch cache's in shared memory.
static inline void port_count_data(Sm *sm, const Port *port, uint32_t sectors, bool write, uint8_t structure)
{
    uint32_t n = (uint32_t)__builtin_popcount(sectors) * (port->cache.cfg.sector / 16);
    StructStat *st = &sm->structure[structure];
    if (!sm->cfg.energy || port->mshrs != &sm->ports.port[PORT_L1]) return;
    if (port == &sm->ports.port[PORT_SCRATCH])
        sm->count[write ? C_SHARED_BANK_WRITES : C_SHARED_BANK_READS] += n;
    else if (write)
        sm->count[C_L1_BANK_WRITES] += n, st->bank_writes += n;
    else
        sm->count[C_L1_BANK_READS] += n, st->bank_reads += n;
}
void port_reply(Sm *sm, const Packet *p);
// Is it the last one of a miss whose line is among so many of a port, from the first on?
bool port_fills(const Sm *sm, const Packet *p, const Port *port, uint32_t first, uint32_t ways);
void port_forget(Sm *sm, Port *port, CacheLine *line);  // a line that isn't dirty goes, even if it is under way

// --- transaction.c ---------------------------------------------------------------------------------------------------
Refusal port_access(Sm *sm, const LsuOp *op, const Segment *s);
Refusal port_load(Sm *sm, const LsuOp *op, const Segment *s, Port *port);
// As many of a load's next transactions as hit one after the other, `most` of them at most. 0 where somebody looks at
// each.
uint32_t port_hits(Sm *sm, const LsuOp *op, uint32_t most);
// A load whose line lies in another port of the SM: the line moves to the port of the load.
Refusal port_move(Sm *sm, const LsuOp *op, const Segment *s, Port *other, CacheLine *copy);
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

// Fetches sectors of the L1's line at an address, before a load of `op`'s warp asks for it.
PrefetchCount port_prefetch(Sm *sm, const LsuOp *op, Port *port, uint64_t line, uint32_t sectors);

// --- prefetch.c ------------------------------------------------------------------------------------------------------
bool prefetch_open(Sm *sm);  // false: the host has no memory for it
void prefetch_close(Sm *sm);
void prefetch_begin(Sm *sm);  // a launch
// A load of the L1 that found this.
void prefetch_load(Sm *sm, const LsuOp *op, Port *port, uint64_t at, uint32_t sectors, CacheLine *line, Lookup found);
void prefetch_lost(Sm *sm, uint64_t owner);  // a line of such an owner is replaced
// Who brought a line: its data structure in the lowest byte, the warp above it, and in the upper half the sectors that
// a prefetcher asked for and no load has touched.
static inline uint32_t owner_warp(uint64_t owner) { return (uint32_t)owner >> 8; }
static inline uint32_t owner_ahead(uint64_t owner) { return (uint32_t)(owner >> 32); }

// --- local.c ---------------------------------------------------------------------------------------------------------
bool local_has(const Sm *sm, uint64_t address);  // is it a place of local memory?

// --- scratch.c -------------------------------------------------------------------------------------------------------
uint32_t scratch_rows(const SmCfg *cfg, uint32_t bytes);  // rows for data, of unused shared memory
void scratch_begin(Sm *sm);                               // a launch begins: there is none until a CTA starts
void scratch_arrange(Sm *sm);                             // a CTA starts, and takes its shared memory
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
void watch_close(Sm *sm);
void watch_reset(Sm *sm);                           // a launch begins
void watch_warp(Sm *sm, uint32_t slot);             // a warp arrives
void watch_lost(Sm *sm, const oc_access_event *e);  // a load of the L1 or the scratch cache
static inline void watch_access(Sm *sm, const oc_access_event *e)
{
    if (sm->watch.seen && !e->store) watch_lost(sm, e);
}

#endif
