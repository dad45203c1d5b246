// transaction.c: a transaction at its port (Access): it hits, merges with a miss under way, or misses; or the port
// refuses it, and says what it lacks. One that is refused has changed nothing, and comes again.
// Conservation: accesses = hits + misses + merges per port.
#include "sm/misses.h"
#include "sm/packets.h"

// A transaction, and what its look-up found.
typedef struct Access {
    const LsuOp *op;
    const Segment *s;
    Port *port;
    uint64_t at;       // the first byte that it touches, to a sector: what its line is looked up by
    uint32_t sectors;  // of the line
    Lookup found;
    CacheLine *line;
    Victim gone;  // what it replaced
} Access;

// --- look-ups --------------------------------------------------------------------------------------------------------
// A policy hears of an access of the L1 or the scratch cache.
static void tell_seen(Sm *sm, const LsuOp *op, const Port *port, uint64_t at, const CacheLine *line, Victim gone,
                      Lookup found)
{
    uint32_t shift = port->cache.line_shift;
    oc_access_event e = {.outcome = found == HIT       ? OC_HIT
                                    : found == PENDING ? OC_MERGE
                                                       : OC_MISS,
                         .store = op->write,
                         .scratch = port == &sm->ports.port[PORT_SCRATCH],
                         .line = at >> shift,
                         .victim = gone.address == NO_LINE ? NO_LINE : gone.address >> shift,
                         .warp = op->warp,
                         .pc = op->stat,
                         .owner = OC_NO_WARP};
    if (gone.address != NO_LINE)
        e.owner = owner_warp(gone.owner);
    else if (line)
        e.owner = owner_warp(line->owner);
    watch_access(sm, &e);
    if (sm->issue.policy.type->seen) sm->issue.policy.type->seen(&sm->issue.policy, &e);
}

// Whoever listens to accesses hears of one.
__attribute__((noinline, cold)) static void tell_all(Sm *sm, const LsuOp *op, Port *port, uint64_t at, uint32_t sectors,
                                                     CacheLine *line, Victim gone, Lookup found)
{
    if (sm->issue.listens & ON_SEEN && port->mshrs == &sm->ports.port[PORT_L1])
        tell_seen(sm, op, port, at, line, gone, found);
    if (sm->issue.listens & ON_LOAD && !op->write && port->counts->accesses == C_L1_ACCESSES)
        prefetch_load(sm, op, port, at, sectors, line, found);
}

// A load that takes no line isn't one of the L1's. Arguments, and not an Access: that one can stay in registers then.
__attribute__((noinline, cold)) static void tell_why(Sm *sm, const LsuOp *op, const Port *port, uint64_t at,
                                                     uint32_t sectors, const CacheLine *line, Victim gone, Lookup found)
{
    const Cache *c = &port->cache;
    if (port != &sm->ports.port[PORT_L1]) return;
    if (!op->write && line)
        why_load(sm, at, sectors, cache_fetch(c, sectors), op->structure, found);
    else if (op->write && cache_peek(c, at))
        why_store(sm, at, sectors);
    if (gone.address != NO_LINE && line && cache_peek(c, at) == line) why_evict(sm, (uint8_t)gone.owner, op->structure);
}

// An access is over as far as its look-up goes: found is what it counts as.
ALWAYS_INLINE Refusal looked_up(Sm *sm, const Access *a, Lookup found)
{
    const PortCounters *n = a->port->counts;
    StructStat *st = &sm->structure[a->op->structure];
    InstStat *is = &sm->inst[a->op->stat];
    bool hit = found == HIT;
    sm->count[n->accesses]++;
    sm->count[hit ? n->hits : found == PENDING ? n->merges : n->misses]++;
    sm->count[a->op->write ? n->writes : n->reads]++;
    if (hit && !a->op->write) sm->count[n->read_hits]++;
    st->l1_accesses++, is->l1_accesses++;
    st->l1_hits += hit, is->l1_hits += hit;
    if (__builtin_expect(sm->why != NULL, 0)) tell_why(sm, a->op, a->port, a->at, a->sectors, a->line, a->gone, found);
    if (__builtin_expect(sm->issue.listens & (ON_SEEN | ON_LOAD), 0))
        tell_all(sm, a->op, a->port, a->at, a->sectors, a->line, a->gone, found);
    return SERVED;
}

// The line that was found, which may wait for its fill (unlocked), is replaced by the access's.
ALWAYS_INLINE void replace(Sm *sm, Access *a, const Packets *dirty)
{
    port_abandon(sm, a->line);
    a->gone = cache_take(&a->port->cache, a->line, a->at);
    if (dirty->n) {
        send_all(sm, dirty, &(Packet){.kind = PACKET_WRITE, .structure = (uint8_t)a->gone.owner, .quiet = true});
        sm->count[a->port->counts->write_backs]++;
        port_count_data(sm, a->port, a->gone.dirty, false, (uint8_t)a->gone.owner);
    }
    sm->count[a->port->counts->evictions] += a->gone.address != NO_LINE;
    if (__builtin_expect(sm->issue.listens & ON_LOAD, 0)) prefetch_lost(sm, a->gone.owner);
    a->line->owner = (uint64_t)a->op->warp << 8 | a->op->structure;
}

// Brings the sectors of a miss in; they become dirty where a store only writes a part of them (local memory). also:
// packets that leave besides; or AHEAD: nobody waits for it.
enum { AHEAD = UINT32_MAX };
ALWAYS_INLINE Refusal bring(Sm *sm, Access *a, bool dirty_then, uint32_t also)
{
    Cache *c = &a->port->cache;
    CacheLine *line = a->line;
    bool fresh = a->found == MISS, under_way = !fresh && line->pending;
    if (!under_way && !may_miss(sm, a->port)) return C_L1_REFUSED_MSHR;
    uint32_t missing = cache_fetch(c, a->sectors) & ~(fresh ? 0 : line->valid | line->pending);
    Packets fill, dirty;
    packets_of(&fill, c, a->at & ~(uint64_t)(c->cfg.line - 1), missing);
    dirty_packets(&dirty, c, fresh ? line : NULL);
    uint32_t all = fill.n + dirty.n + (also == AHEAD ? 0 : also);
    Refusal room = need_rooms(sm, &fill, all);
    if (!room) room = need_leave(sm, &dirty, all);
    if (room) return room;
    if (fresh) replace(sm, a, &dirty);
    if (!under_way) line->slot = new_pend(sm, a->port, line, 0);
    Pend *p = &sm->ports.pend[line->slot];
    p->packets += fill.n;
    line->pending |= missing;
    if (dirty_then) line->dirty |= a->sectors;
    send_all(sm, &fill, &(Packet){.kind = PACKET_READ, .tag = line->slot, .structure = a->op->structure});
    if (also != AHEAD) add_wait(sm, p, dirty_then ? NONE : a->op->tracker);
    return SERVED;
}

// --- past the caches -------------------------------------------------------------------------------------------------
// Sends a transaction as it is.
static Refusal go_past(Sm *sm, const LsuOp *op, const Segment *s)
{
    Port *past = &sm->ports.port[PORT_PAST];
    bool waits = op->tracker != NONE;
    if (waits && !may_miss(sm, past)) return C_L1_REFUSED_MSHR;
    uint32_t part = partition_of(sm->links.part, s->address, NULL);
    Refusal room = need_room(sm, part, 1);
    if (room) return room;
    uint32_t tag = 0, bytes = SECTOR * (uint32_t)__builtin_popcount(s->sectors);
    if (waits) {
        tag = new_pend(sm, past, NULL, 1);
        add_wait(sm, &sm->ports.pend[tag], op->tracker);
    }
    Packet p = {.kind = op->atomic  ? PACKET_ATOMIC
                        : op->write ? PACKET_WRITE
                                    : PACKET_READ,
                .address = s->address,
                .sectors = (uint8_t)s->sectors,
                .whole = op->write ? (uint8_t)s->whole : 0,
                .tag = tag,
                .ops = !op->atomic                     ? (uint8_t)MIN(s->bytes, SEGMENT)
                       : sm->links.part->atomic_sector ? (uint8_t)s->cycles
                                                       : (uint8_t)(s->bytes / op->bytes),
                .structure = op->structure,
                .quiet = !waits};
    bool sectors = op->atomic && sm->links.part->atomic_sector;
    links_send(sm, part, &p, sectors ? bytes : op->atomic ? MIN(s->bytes, 256u) : op->write ? MIN(s->bytes, bytes) : 0);
    return SERVED;
}

Refusal port_copy(Sm *sm, const Copy *c, const Segment *s, uint32_t job)
{
    Port *port = &sm->ports.port[PORT_COPY];
    const uint32_t part = partition_of(sm->links.part, s->address, NULL);
    const bool adds = c->way == COPY_REDUCE, write = c->way == COPY_OUT;
    if (!may_miss(sm, port)) return C_L1_REFUSED_MSHR;
    const Refusal room = need_room(sm, part, 1);
    if (room) return room;
    const uint32_t tag = new_pend(sm, port, NULL, 1);
    add_wait(sm, &sm->ports.pend[tag], job);
    const uint32_t elements = adds ? s->bytes / 2u : 0;
    Packet p = {.kind = adds    ? PACKET_ATOMIC
                        : write ? PACKET_WRITE
                                : PACKET_READ,
                .address = s->address,
                .sectors = (uint8_t)s->sectors,
                .whole = write ? (uint8_t)s->whole : 0,
                .tag = tag,
                .ops = (uint8_t)MIN(elements, UINT8_MAX),
                .structure = sm->structure_of(sm, s->address)};
    const uint32_t sectors = (uint32_t)__builtin_popcount(s->sectors);
    StructStat *st = &sm->structure[p.structure];
    st->transactions++, st->sectors += sectors;
    sm->inst[c->stat].transactions++, sm->inst[c->stat].sectors += sectors;
    if (!adds) sm->count[write ? C_SECTORS_STORED : C_SECTORS_LOADED] += sectors;
    links_send(sm, part, &p, adds || write ? s->bytes : 0);
    return SERVED;
}

static Refusal bypass(Sm *sm, const LsuOp *op, const Segment *s)
{
    Refusal past = go_past(sm, op, s);
    if (past) return past;
    Port *l1 = &sm->ports.port[PORT_L1], *scratch = &sm->ports.port[PORT_SCRATCH];
    for (uint32_t m = op->atomic || op->write ? s->sectors : 0; m && l1->cache.lines; m &= m - 1) {
        uint64_t at = s->address + (uint32_t)__builtin_ctz(m) * SECTOR;
        CacheLine *line = cache_peek(&l1->cache, at), *copy = scratch_copy(sm, l1, at, &scratch);
        if (line && !line->pending && !line->dirty) {  // stale now
            if (sm->why) why_drop(sm, at);
            cache_drop(&l1->cache, line);
        }
        if (copy && !copy->pending) cache_drop(&scratch->cache, copy);
    }
    sm->count[C_L1_BYPASSES]++;
    return SERVED;
}

// --- loads and stores ------------------------------------------------------------------------------------------------
ALWAYS_INLINE Access access_of(const LsuOp *op, const Segment *s, Port *port)
{
    return (Access){.op = op,
                    .s = s,
                    .port = port,
                    .at = s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR,
                    .sectors = port_sectors(&port->cache, s),
                    .gone = {.address = NO_LINE}};
}

// The sectors of a segment that a miss on some of them fetches.
static uint32_t fetched_with(const Cache *c, uint32_t sectors)
{
    uint32_t each = MIN(c->cfg.fill / SECTOR, 4u), group = (1u << each) - 1, all = 0;
    for (uint32_t at = 0; at < 4; at += each)
        if (sectors & group << at) all |= group << at;
    return all;
}

// A load that misses and takes no line: it fetches as much as if it took one.
static Refusal load_past(Sm *sm, const LsuOp *op, const Segment *s, const Cache *c)
{
    Segment all = *s;
    all.sectors = fetched_with(c, s->sectors);
    return go_past(sm, op, &all);
}

// A load finds no way in its set. A replacement that draws its victims is asked again at each reply, and so is a
// scratch cache that may have the line.
static Refusal refused_by_set(const Sm *sm, const Access *a)
{
    const Cache *c = &a->port->cache;
    const uint32_t set = cache_set(c, a->at);
    if (c->replacement->victim || sm->issue.view.scratch_lines || set >> (32 - REFUSED_PART)) return C_L1_REFUSED_SET;
    return C_L1_REFUSED_SET | REFUSED_OF_SET | set << REFUSED_PART;
}

ALWAYS_INLINE Refusal load(Sm *sm, const LsuOp *op, const Segment *s, Port *port)
{
    Access access = access_of(op, s, port), *a = &access;
    Cache *c = &a->port->cache;
    CacheLine *line;
    if (!port->mshrs->free && !op->keep_out && cache_misses(c, a->at)) {  // as bring would say, but sooner
        sm->ports.hit = false;
        return C_L1_REFUSED_MSHR;
    }
    a->found = cache_lookup(c, a->at, a->sectors, &line), a->line = line;
    if ((a->found == MISS || a->found == NO_WAY) && (a->op->keep_out || (c->plug && plug_bypasses(c, a->at)))) {
        a->line = NULL;
        Refusal past = load_past(sm, op, s, c);
        return past ? past : looked_up(sm, a, MISS);
    }
    if (a->found == NO_WAY) return refused_by_set(sm, a);
    sm->ports.hit = a->found == HIT;
    if (a->found == HIT) {
        port_count_data(sm, a->port, a->sectors, false, op->structure);
        if (a->op->tracker != NONE) lsu_done(sm, a->op->tracker, sm->now + c->cfg.latency - 1 + op->extra);
        return looked_up(sm, a, HIT);
    }
    if (a->found != MISS && a->line->pending && sm->ports.pend[a->line->slot].count >= c->cfg.merges)
        return C_L1_REFUSED_MERGE;
    Refusal brought = SERVED;
    if (a->found == PENDING)
        add_wait(sm, &sm->ports.pend[a->line->slot], a->op->tracker);
    else
        brought = bring(sm, a, false, 0);
    return brought ? brought : looked_up(sm, a, a->found);
}

Refusal port_load(Sm *sm, const LsuOp *op, const Segment *s, Port *port) { return load(sm, op, s, port); }

uint32_t port_hits(Sm *sm, const LsuOp *op, uint32_t most)
{
    Cache *c = &op->port->cache;
    uint32_t n = 0;
    if (op->write || !c->lines || sm->issue.view.scratch_lines || sm->issue.listens & (ON_SEEN | ON_LOAD) || sm->why ||
        sm->cfg.energy)
        return 0;
    for (const Segment *s = &op->seg[op->next]; n < most; n++, s++)
        if (!cache_hit(c, s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR, port_sectors(c, s))) break;
    const PortCounters *counts = op->port->counts;
    sm->count[counts->accesses] += n, sm->count[counts->hits] += n;
    sm->count[counts->reads] += n, sm->count[counts->read_hits] += n;
    sm->structure[op->structure].l1_accesses += n, sm->structure[op->structure].l1_hits += n;
    sm->inst[op->stat].l1_accesses += n, sm->inst[op->stat].l1_hits += n;
    return n;
}

PrefetchCount port_prefetch(Sm *sm, const LsuOp *op, Port *port, uint64_t at, uint32_t sectors)
{
    Cache *c = &port->cache;
    Access access = {.op = op, .port = port, .at = at, .sectors = sectors, .gone = {.address = NO_LINE}}, *a = &access;
    a->line = cache_peek(c, at), a->found = line_has(a->line, sectors);
    Port *other;
    if (a->line && (a->line->pending || a->found == HIT || owner_ahead(a->line->owner))) return PREFETCH_THERE;
    if (scratch_copy(sm, port, at, &other)) return PREFETCH_THERE;
    if (!a->line && cache_victim_of(c, at, cache_set(c, at), &a->line) == NO_WAY) return PREFETCH_DROPPED;
    if (a->line->pending) return PREFETCH_DROPPED;
    const uint32_t had = a->found == MISS ? 0 : a->line->valid;
    if (bring(sm, a, false, AHEAD)) return PREFETCH_DROPPED;
    a->line->owner |= (uint64_t)(a->line->pending & ~had) << 32;
    return PREFETCH_ISSUED;
}

// The line moves through the queue of replies and with an MSHR, as a miss that takes as long as a hit there.
Refusal port_move(Sm *sm, const LsuOp *op, const Segment *s, Port *other, CacheLine *copy)
{
    Access access = access_of(op, s, op->port), *a = &access;
    CacheLine *line;
    if (copy->pending) {
        Pend *p = &sm->ports.pend[copy->slot];
        if (a->sectors & ~(copy->valid | copy->pending) || p->count >= a->port->cache.cfg.merges)
            return C_L1_REFUSED_MERGE;
        add_wait(sm, p, op->tracker);
        return looked_up(sm, a, PENDING);
    }
    a->found = cache_lookup(&a->port->cache, a->at, a->sectors, &line), a->line = line;
    if (a->found == NO_WAY) return C_L1_REFUSED_SET;
    if (!may_miss(sm, a->port)) return C_L1_REFUSED_MSHR;
    Packets dirty;
    dirty_packets(&dirty, &a->port->cache, line);
    Refusal room = need_leave(sm, &dirty, dirty.n);
    if (room) return room;
    replace(sm, a, &dirty);
    line->slot = new_pend(sm, a->port, line, 1);
    line->pending = copy->valid;
    add_wait(sm, &sm->ports.pend[line->slot], op->tracker);
    links_land(sm, &(Packet){.tag = line->slot, .time = sm->now + other->cache.cfg.latency});
    port_count_data(sm, other, copy->valid, false, op->structure);
    cache_drop(&other->cache, copy);
    sm->count[C_SCRATCH_MIGRATIONS]++;
    return looked_up(sm, a, MISS);
}

// A store that goes through: a line that is there is updated or dropped.
static Refusal store_through(Sm *sm, const LsuOp *op, const Segment *s)
{
    Access access = access_of(op, s, op->port), *a = &access;
    Cache *c = &a->port->cache;
    CacheLine *line;
    uint32_t part = partition_of(sm->links.part, s->address, NULL);
    Refusal room = need_room(sm, part, 1);
    if (room) return room;
    a->line = cache_peek(c, a->at);
    Lookup there = line_has(a->line, a->sectors);
    if (!a->line && c->cfg.write_allocate && !a->op->keep_out) {  // the fill and the store both leave
        a->found = cache_lookup(c, a->at, a->sectors, &line), a->line = line;
        if (a->found == NO_WAY) return C_L1_REFUSED_SET;
        if ((room = bring(sm, a, false, 1))) return room;
    } else if (a->line && !a->line->pending && c->cfg.write_evict) {
        a->gone = cache_victim(c, a->line);
        if (sm->why && op->port == &sm->ports.port[PORT_L1]) why_drop(sm, a->at);
        cache_drop(c, a->line);
    } else if (there == HIT) {
        cache_lookup(c, a->at, a->sectors, &line);  // used now
        port_count_data(sm, a->port, a->sectors, true, op->structure);
    }
    if (sm->issue.view.scratch_lines) scratch_store(sm, op, s, a->line && there == MISS);
    uint32_t bytes = SECTOR * (uint32_t)__builtin_popcount(s->sectors);
    Packet p = {.kind = PACKET_WRITE,
                .address = s->address,
                .sectors = (uint8_t)s->sectors,
                .whole = (uint8_t)s->whole,
                .ops = (uint8_t)MIN(s->bytes, SEGMENT),
                .structure = a->op->structure,
                .quiet = true};
    links_send(sm, part, &p, MIN(s->bytes, bytes));
    return looked_up(sm, a, there);
}

// A store that stays: its line becomes dirty, and leaves when it is replaced.
static Refusal store_back(Sm *sm, const LsuOp *op, const Segment *s)
{
    Access access = access_of(op, s, op->port), *a = &access;
    Cache *c = &a->port->cache;
    CacheLine *line;
    a->found = cache_lookup(c, a->at, a->sectors, &line), a->line = line;
    bool whole = a->s->whole == a->s->sectors;
    Refusal room;
    if (a->found == NO_WAY) return C_L1_REFUSED_SET;
    if (a->found == MISS && whole) {  // nothing to fetch: the line begins dirty
        Packets dirty;
        dirty_packets(&dirty, c, a->line);
        if ((room = need_leave(sm, &dirty, dirty.n))) return room;
        replace(sm, a, &dirty);
        a->line->valid = a->line->dirty = a->sectors;
        port_count_data(sm, a->port, a->sectors, true, op->structure);
    } else if (a->found == MISS || (a->found == MISS_SECTOR && !whole)) {
        if ((room = bring(sm, a, true, 0))) return room;
    } else {
        if (a->found == MISS_SECTOR) a->line->valid |= a->sectors & ~a->line->pending;
        a->line->dirty |= a->sectors;
        port_count_data(sm, a->port, a->sectors, true, op->structure);
    }
    if (sm->issue.view.scratch_lines) scratch_store(sm, op, s, true);
    return looked_up(sm, a, a->found);
}

Refusal port_access(Sm *sm, const LsuOp *op, const Segment *s)
{
    if (!op->port->cache.lines) return bypass(sm, op, s);
    if (!op->write) return sm->issue.view.scratch_lines ? scratch_load(sm, op, s) : load(sm, op, s, op->port);
    bool back = op->space == SP_LOCAL ? sm->cfg.l1_local_back : op->port->cache.cfg.write_back;
    return back ? store_back(sm, op, s) : store_through(sm, op, s);
}
