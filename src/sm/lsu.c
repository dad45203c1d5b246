// lsu.c: the load-store unit. Memory instructions wait in a queue; its head is served one transaction a cycle: a pass
// of shared memory, or a tag look-up. A transaction that a cache or the link refuses stays at the head, and the unit
// sleeps until what it lacks may be there: a reply (an MSHR, a way, room to merge) or a credit. Loads leave a Tracker
// behind that counts the transactions still out; the last one makes the destination registers' time known.
// Conservation: accesses = hits + misses + merges per cache; every packet that wants a reply gets one.
#include "sm/sm.h"

#include <string.h>

enum { NONE = UINT32_MAX };
#define LOCAL_SPACE 0x0000400000000000ull  // where local memory lies for caches and partitions

// --- pools -----------------------------------------------------------------------------------------------------------
void lsu_open(Sm *sm)
{
    sm->queue = mem_alloc(sizeof *sm->queue * (sm->cfg.lsu_queue + 2));
    sm->trackers = sm->cfg.max_warps * 64;
    sm->tracker = mem_alloc(sizeof *sm->tracker * sm->trackers);
    for (uint32_t k = 0; k < sm->trackers; k++) sm->tracker[k].next_free = k + 1 < sm->trackers ? k + 1 : NONE;
    sm->pend_cap = sm->cfg.l1.mshrs + sm->cfg.ro.mshrs + sm->cfg.cst.mshrs + sm->cfg.pending;
    sm->pend = mem_alloc(sizeof *sm->pend * MAX(sm->pend_cap, 1u));
    for (uint32_t k = 0; k < sm->pend_cap; k++) sm->pend[k].next_free = k + 1 < sm->pend_cap ? k + 1 : NONE;
    sm->free_wait = NONE;
}

bool lsu_accepts(const Sm *sm) { return sm->q_n < sm->cfg.lsu_queue && sm->free_tracker != NONE; }

static void add_wait(Sm *sm, Pend *p, uint32_t tracker)
{
    p->count++;
    if (tracker == NONE) return;
    if (sm->free_wait == NONE) {
        uint32_t cap = sm->wait_cap ? sm->wait_cap * 2 : 256;
        sm->wait = mem_resize(sm->wait, cap * sizeof *sm->wait);
        for (uint32_t k = sm->wait_cap; k < cap; k++) sm->wait[k].next = k + 1 < cap ? k + 1 : NONE;
        sm->free_wait = sm->wait_cap;
        sm->wait_cap = cap;
    }
    uint32_t w = sm->free_wait;
    sm->free_wait = sm->wait[w].next;
    sm->wait[w] = (PendWait){tracker, p->first};
    p->first = w;
}

static uint32_t new_pend(Sm *sm, Cache *cache, CacheLine *line, uint32_t packets)
{
    uint32_t k = sm->free_pend;
    sm->free_pend = sm->pend[k].next_free;
    sm->pend[k] = (Pend){.cache = cache, .line = line, .packets = packets, .first = NONE};
    if (cache)
        sm->miss_used[cache == &sm->l1 ? 0 : cache == &sm->ro ? 1 : 2]++;
    else
        sm->uncached_used++;
    return k;
}

void lsu_done(Sm *sm, uint32_t tracker, uint64_t time)
{
    Tracker *t = &sm->tracker[tracker];
    t->time = MAX(t->time, time);
    if (--t->left) return;
    WarpSlot *ws = &sm->slots[t->slot];
    t->next_free = sm->free_tracker;
    sm->free_tracker = tracker;
    if (ws->started != t->started) return;  // the warp ended without what it loaded
    uint64_t mark = t->time << 2 | (t->shared ? KIND_SHARED : KIND_MEMORY);
    for (int k = 0; k < t->d->score_dst; k++) ws->ready[t->d->score[k]] = mark;
    ws->last_ready = MAX(ws->last_ready, t->time);
    ws->outstanding--;
    ws->acquires -= t->acquire;
    if (t->async) ws->async_count[t->group & 15]--;
    if ((ws->state == W_MEMORY || ws->state == W_SHARED) && ws->warp) sm_evaluate(sm, t->slot);
}

// --- packets ---------------------------------------------------------------------------------------------------------
static bool has_credit(Sm *sm, uint64_t address, uint32_t n)
{
    uint32_t part = partition_of(sm->part, address, NULL);
    Fifo *f = &sm->credits[part];
    while (f->head < f->n && f->v[f->head].time <= sm->now) sm->credit[part]++, f->head++;
    if (sm->credit[part] >= n) return true;
    sm->refused_part = part;
    return false;
}

// Sends a packet with so many bytes of data; its credit is there.
static void send(Sm *sm, Packet p, uint32_t data)
{
    uint32_t part = partition_of(sm->part, p.address, NULL), bytes = sm->part->header + data;
    sm->credit[part]--;
    p.sm = (uint16_t)sm->index;
    p.time = link_pass(&sm->out, sm->now, bytes) + sm->cfg.to_partition + far_there(sm->part, part, sm->index);
    Wire *to = &sm->wire[part];
    if (sm->tlb.lines) {
        bool hit = tlb_lookup(&sm->tlb, p.address);
        sm->count[C_TLB1_ACCESSES]++;
        sm->count[hit ? C_TLB1_HITS : C_TLB1_MISSES]++;
        if (!hit) p.translate = ASK_TLB2, to = &sm->late;
    }
    fifo_put(&to->box[sm->parity], p);
    sm->sent = MIN(sm->sent, p.time);
    sm->count[C_REQUESTS]++;
    sm->count[C_AWAITED] += !p.quiet;
    sm->count[C_LINK_OUT] += bytes;
}

static bool refuse(Sm *sm, Counter why)
{
    sm->refused = why;
    sm->refused_since = sm->now;
    return false;
}

static void unblock(Sm *sm)
{
    if (!sm->refused) return;
    sm->count[sm->refused] += sm->now - sm->refused_since;
    sm->refused = 0;
}

// --- caches ----------------------------------------------------------------------------------------------------------
typedef struct CacheCounters {
    Counter accesses, hits, misses, merges;
} CacheCounters;
static CacheCounters counters_of(const Sm *sm, const Cache *c)
{
    if (c == &sm->l1) return (CacheCounters){C_L1_ACCESSES, C_L1_HITS, C_L1_MISSES, C_L1_MERGES};
    if (c == &sm->ro) return (CacheCounters){C_RO_ACCESSES, C_RO_HITS, C_RO_MISSES, C_RO_MERGES};
    return (CacheCounters){C_CONST_ACCESSES, C_CONST_HITS, C_CONST_MISSES, C_CONST_MERGES};
}

static uint32_t line_sectors(const Cache *c, const Segment *s)
{
    uint32_t mask = 0;
    if (c->line_shift == 7 && c->sector_shift == 5) return s->sectors;
    for (uint32_t k = 0; k < 4; k++)
        if (s->sectors >> k & 1) mask |= cache_sectors(c, s->address + k * SECTOR, SECTOR);
    return mask;
}

static void count_access(Sm *sm, const LsuOp *op, Counter outcome, bool write)
{
    CacheCounters c = counters_of(sm, op->cache);
    sm->count[c.accesses]++;
    sm->count[outcome]++;
    StructStat *st = &sm->structure[op->structure];
    InstStat *is = &sm->inst[op->stat];
    st->l1_accesses++;
    is->l1_accesses++;
    if (outcome == c.hits) st->l1_hits++, is->l1_hits++;
    if (op->cache != &sm->l1) return;
    sm->count[write ? C_L1_WRITES : C_L1_READS]++;
    if (outcome == C_L1_HITS && !write) sm->count[C_L1_READ_HITS]++;
}

// The first byte that a segment's access touches, to a sector: what its line is looked up by. A segment is an access of
// one line (split_lines), so its other sectors are of the same.
static uint64_t first_sector(const Segment *s) { return s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR; }

// What carries sectors of a line: a packet for each segment of 128 bytes that has any.
typedef struct Packets {
    uint64_t base;         // the first segment's address
    uint32_t segments, n;  // that the line covers, or lies in; packets
    uint8_t sectors[32];   // by segment, masks of 4
} Packets;
static Packets packets_of(const Cache *c, uint64_t line, uint32_t sectors)
{
    Packets p = {.base = line & ~(uint64_t)(SEGMENT - 1), .segments = MAX(c->cfg.line / SEGMENT, 1u)};
    for (; sectors; sectors &= sectors - 1) {
        uint32_t from = (uint32_t)(line - p.base) + (uint32_t)__builtin_ctz(sectors) * c->cfg.sector;
        for (uint32_t at = from; at < from + c->cfg.sector; at += SECTOR)
            p.sectors[at / SEGMENT] |= (uint8_t)(1u << at % SEGMENT / SECTOR);
    }
    for (uint32_t k = 0; k < p.segments; k++) p.n += p.sectors[k] != 0;
    return p;
}

// Has every packet's partition credits for n? Else the load-store unit waits for the first that has not.
static bool have_credits(Sm *sm, const Packets *p, uint32_t n)
{
    for (uint32_t k = 0; k < p->segments; k++)
        if (p->sectors[k] && !has_credit(sm, p->base + k * SEGMENT, n)) return refuse(sm, C_L1_REFUSED_LINK);
    return true;
}

// What must leave before a line is replaced: its dirty sectors.
static Packets dirty_packets(const Cache *c, const CacheLine *line)
{
    bool dirty = line->dirty && line->tag != ~0ull;
    return dirty ? packets_of(c, line->tag << c->line_shift, line->dirty) : (Packets){0};
}

static void write_back(Sm *sm, const CacheLine *victim, const Packets *p)
{
    for (uint32_t k = 0; k < p->segments; k++)
        if (p->sectors[k])
            send(sm,
                 (Packet){.kind = PACKET_WRITE,
                          .address = p->base + k * SEGMENT,
                          .sectors = p->sectors[k],
                          .whole = p->sectors[k],
                          .structure = (uint8_t)victim->owner,
                          .quiet = true},
                 SECTOR * (uint32_t)__builtin_popcount(p->sectors[k]));
    sm->count[C_L1_WRITEBACKS] += p->n != 0;
}

// Replaces a line by that of op's access.
static void replace(Sm *sm, const LsuOp *op, const Segment *s, CacheLine *line, const Packets *dirty)
{
    write_back(sm, line, dirty);
    if (line->tag != ~0ull) sm->count[C_L1_EVICTIONS] += op->cache == &sm->l1;
    cache_take(op->cache, line, first_sector(s));
    line->owner = op->structure;
}

// Brings sectors of a line in on behalf of op; writing: the line becomes dirty (local memory). also: packets that leave
// besides. False: refused.
static bool bring(Sm *sm, LsuOp *op, const Segment *s, CacheLine *line, bool fresh, uint32_t sectors, bool writing,
                  uint32_t also)
{
    Cache *c = op->cache;
    uint32_t which = c == &sm->l1 ? 0 : c == &sm->ro ? 1 : 2;
    uint32_t missing = cache_fetch(c, sectors) & ~(fresh ? 0 : line->valid | line->pending);
    bool has_pend = !fresh && line->pending;
    Packets fill = packets_of(c, first_sector(s) & ~(uint64_t)(c->cfg.line - 1), missing);
    Packets dirty = fresh ? dirty_packets(c, line) : (Packets){0};
    if (!has_pend && (sm->miss_used[which] >= c->cfg.mshrs || sm->free_pend == NONE))
        return refuse(sm, C_L1_REFUSED_MSHR);
    uint32_t all = fill.n + dirty.n + also;
    if (!have_credits(sm, &fill, all) || !have_credits(sm, &dirty, all)) return false;
    if (fresh) replace(sm, op, s, line, &dirty);
    if (!has_pend) line->slot = new_pend(sm, c, line, 0);
    Pend *p = &sm->pend[line->slot];
    p->packets += fill.n;
    line->pending |= missing;
    if (writing) line->dirty |= sectors;
    for (uint32_t k = 0; k < fill.segments; k++)
        if (fill.sectors[k])
            send(sm,
                 (Packet){.kind = PACKET_READ,
                          .address = fill.base + k * SEGMENT,
                          .sectors = fill.sectors[k],
                          .tag = line->slot,
                          .structure = op->structure},
                 0);
    add_wait(sm, p, writing ? NONE : op->tracker);
    return true;
}

static bool cached_load(Sm *sm, LsuOp *op, const Segment *s)
{
    Cache *c = op->cache;
    CacheCounters n = counters_of(sm, c);
    CacheLine *line;
    uint32_t sectors = line_sectors(c, s);
    switch (cache_lookup(c, first_sector(s), sectors, &line)) {
    case HIT:
        count_access(sm, op, n.hits, false);
        if (op->tracker != NONE) lsu_done(sm, op->tracker, sm->now + c->cfg.latency - 1);
        return true;
    case PENDING:
        if (sm->pend[line->slot].count >= c->cfg.merges) return refuse(sm, C_L1_REFUSED_MERGE);
        count_access(sm, op, n.merges, false);
        add_wait(sm, &sm->pend[line->slot], op->tracker);
        return true;
    case MISS_SECTOR:
        if (line->pending && sm->pend[line->slot].count >= c->cfg.merges) return refuse(sm, C_L1_REFUSED_MERGE);
        if (!bring(sm, op, s, line, false, sectors, false, 0)) return false;
        count_access(sm, op, n.misses, false);
        return true;
    case MISS:
        if (!bring(sm, op, s, line, true, sectors, false, 0)) return false;
        count_access(sm, op, n.misses, false);
        return true;
    default: return refuse(sm, C_L1_REFUSED_SET);
    }
}

// Stores to global memory go through: a line that is there is updated or dropped. Local memory is written back.
static bool cached_store(Sm *sm, LsuOp *op, const Segment *s)
{
    Cache *c = op->cache;
    bool back = c->cfg.write_back || op->space == SP_LOCAL;
    CacheLine *line;
    uint32_t sectors = line_sectors(c, s), bytes = SECTOR * (uint32_t)__builtin_popcount(s->sectors);
    uint64_t at = first_sector(s);
    if (!back) {
        if (!has_credit(sm, s->address, 1)) return refuse(sm, C_L1_REFUSED_LINK);
        line = cache_peek(c, at);
        if (!line && c->cfg.write_allocate) {  // the fill and the store both leave
            if (cache_lookup(c, at, sectors, &line) == NO_WAY) return refuse(sm, C_L1_REFUSED_SET);
            if (!bring(sm, op, s, line, true, sectors, false, 1)) return false;
            line = NULL;
        }
        Lookup there = line_has(line, sectors);
        count_access(sm, op, there == HIT ? C_L1_HITS : there == PENDING ? C_L1_MERGES : C_L1_MISSES, true);
        if (line && !line->pending && c->cfg.write_evict)
            *line = (CacheLine){.tag = ~0ull};
        else if (line && !(sectors & ~line->valid))
            cache_lookup(c, at, sectors, &line);
        send(sm,
             (Packet){.kind = PACKET_WRITE,
                      .address = s->address,
                      .sectors = (uint8_t)s->sectors,
                      .whole = (uint8_t)s->whole,
                      .structure = op->structure,
                      .quiet = true},
             MIN(s->bytes, bytes));
        return true;
    }
    Lookup found = cache_lookup(c, at, sectors, &line);
    bool whole = s->whole == s->sectors;
    if (found == NO_WAY) return refuse(sm, C_L1_REFUSED_SET);
    if (found == MISS && whole) {  // nothing to fetch: the line begins dirty
        Packets dirty = dirty_packets(c, line);
        if (!have_credits(sm, &dirty, dirty.n)) return false;
        replace(sm, op, s, line, &dirty);
        line->valid = sectors;
        line->dirty = sectors;
        count_access(sm, op, C_L1_MISSES, true);
        return true;
    }
    if (found == MISS || (found == MISS_SECTOR && !whole)) {
        if (!bring(sm, op, s, line, found == MISS, sectors, true, 0)) return false;
        count_access(sm, op, C_L1_MISSES, true);
        return true;
    }
    if (found == MISS_SECTOR) line->valid |= sectors & ~line->pending;
    line->dirty |= sectors;
    count_access(sm, op, found == MISS_SECTOR ? C_L1_MISSES : found == PENDING ? C_L1_MERGES : C_L1_HITS, true);
    return true;
}

static bool uncached(Sm *sm, LsuOp *op, const Segment *s)
{
    bool waits = op->tracker != NONE;
    if (waits && (sm->uncached_used >= sm->cfg.pending || sm->free_pend == NONE)) return refuse(sm, C_L1_REFUSED_MSHR);
    if (!has_credit(sm, s->address, 1)) return refuse(sm, C_L1_REFUSED_LINK);
    uint32_t tag = 0, bytes = SECTOR * (uint32_t)__builtin_popcount(s->sectors);
    if (waits) {
        tag = new_pend(sm, NULL, NULL, 1);
        add_wait(sm, &sm->pend[tag], op->tracker);
    }
    for (uint32_t m = op->atomic || op->write ? s->sectors : 0; m && sm->l1.lines; m &= m - 1) {
        CacheLine *line = cache_peek(&sm->l1, s->address + (uint32_t)__builtin_ctz(m) * SECTOR);
        if (line && !line->pending && !line->dirty) *line = (CacheLine){.tag = ~0ull};  // stale now
    }
    Packet p = {.kind = op->atomic  ? PACKET_ATOMIC
                        : op->write ? PACKET_WRITE
                                    : PACKET_READ,
                .address = s->address,
                .sectors = (uint8_t)s->sectors,
                .whole = op->write ? (uint8_t)s->whole : 0,
                .tag = tag,
                .ops = op->atomic ? (uint8_t)(s->bytes / op->bytes) : 0,
                .structure = op->structure,
                .quiet = !waits};
    send(sm, p, op->atomic ? MIN(s->bytes, 256u) : op->write ? MIN(s->bytes, bytes) : 0);
    sm->count[C_L1_BYPASSES]++;
    return true;
}

void lsu_tick(Sm *sm)
{
    if (sm->refused == C_L1_REFUSED_LINK) {
        Fifo *f = &sm->credits[sm->refused_part];
        if (f->head < f->n && f->v[f->head].time <= sm->now) unblock(sm);
    }
    if (!sm->q_n || sm->refused || sm->lsu_free > sm->now) return;
    LsuOp *op = &sm->queue[sm->q_head];
    if (op->space == SP_SHARED) {
        sm->lsu_free = sm->now + op->passes;
        if (op->tracker != NONE)
            lsu_done(sm, op->tracker,
                     sm->now + sm->cfg.shared_latency - 1 +
                         ((uint64_t)(op->passes - 1) * sm->cfg.shared_conflict >> 8));
    } else {
        const Segment *s = &op->seg[op->next];
        bool ok = !op->cache ? uncached(sm, op, s) : op->write ? cached_store(sm, op, s) : cached_load(sm, op, s);
        if (!ok) return;
        sm->lsu_free = sm->now + 1;
        if (++op->next < op->count) return;
    }
    if (++sm->q_head == sm->cfg.lsu_queue + 2) sm->q_head = 0;
    sm->q_n--;
}

void lsu_reply(Sm *sm, const Packet *r, uint64_t now)
{
    Pend *p = &sm->pend[r->tag];
    unblock(sm);
    if (--p->packets) return;
    if (p->cache) {
        p->line->valid |= p->line->pending;
        p->line->pending = 0;
        sm->miss_used[p->cache == &sm->l1 ? 0 : p->cache == &sm->ro ? 1 : 2]--;
    } else {
        sm->uncached_used--;
    }
    for (uint32_t w = p->first; w != NONE;) {
        uint32_t next = sm->wait[w].next;
        uint32_t tracker = sm->wait[w].tracker;
        sm->wait[w].next = sm->free_wait;
        sm->free_wait = w;
        lsu_done(sm, tracker, now + (p->cache == &sm->ro ? sm->cfg.ro_extra : sm->cfg.lsu_extra));
        w = next;
    }
    p->next_free = sm->free_pend;
    sm->free_pend = r->tag;
}

// --- from the instruction to the queue -------------------------------------------------------------------------------
// Lines smaller than a segment are looked up one by one.
static uint32_t split_lines(const Cache *c, Segment *seg, uint32_t n)
{
    Segment out[MAX_SEGMENTS];
    uint32_t m = 0, per = MAX(c->cfg.line / SECTOR, 1u);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t from = 0; from < 4; from += per) {
            uint32_t part = seg[k].sectors & ((1u << per) - 1) << from;
            if (part && m < MAX_SEGMENTS) out[m++] = (Segment){seg[k].address, part, seg[k].bytes, seg[k].whole & part};
        }
    memcpy(seg, out, m * sizeof *seg);
    return m;
}

// Consecutive words of a lane's local memory lie 128 bytes apart (memory.c).
static uint32_t local_segments(uint64_t *addr, uint32_t mask, uint32_t bytes, Segment *out)
{
    uint32_t n = 0, step = MIN(bytes, 4u);
    for (uint32_t at = 0; at < bytes && n + LANES <= MAX_SEGMENTS; at += step) {
        n += coalesce(addr, mask, step, out + n);
        for (int k = 0; k < LANES; k++) addr[k] += SEGMENT;
    }
    return n;
}

static uint8_t structure_of(const Sm *sm, const Step *s)
{
    if (s->space == SP_LOCAL) return MAX_STRUCTURES - 1;
    if (s->d->prov >= 0 && s->d->prov < MAX_STRUCTURES - 2) return (uint8_t)(s->d->prov + 1);
    return sm->structure_of(sm, s->addr[__builtin_ctz(s->mask)]);
}

static void choose_cache(Sm *sm, LsuOp *op, const Dinst *d, Space space)
{
    Cache *l1 = sm->l1.lines ? &sm->l1 : NULL, *ro = sm->ro.lines ? &sm->ro : NULL;
    switch (space) {
    case SP_GLOBAL:
        if (op->atomic || d->flags & D_UNCACHED)
            op->cache = NULL;
        else if (!op->write && d->flags & D_READONLY && sm->cfg.ro_nc && ro)
            op->cache = ro;
        else
            op->cache = sm->cfg.l1_global ? l1 : NULL;
        break;
    case SP_LOCAL: op->cache = sm->cfg.l1_local ? l1 : NULL; break;
    case SP_TEX: op->cache = sm->cfg.ro_texture && ro ? ro : l1; break;
    default: op->cache = sm->cst.lines ? &sm->cst : NULL;
    }
}

static void put_part(Sm *sm, uint32_t slot, const Step *s, Space space, uint32_t mask, uint32_t tracker)
{
    const Dinst *d = s->d;
    LsuOp *op = &sm->queue[(sm->q_head + sm->q_n) % (sm->cfg.lsu_queue + 2)];
    op->tracker = tracker;
    op->next = 0;
    op->passes = 1;
    op->space = (uint8_t)space;
    op->write = d->kind == X_ST;
    op->atomic = d->kind == X_ATOM && space != SP_SHARED;
    op->bytes = (uint8_t)s->bytes;
    op->structure = 0;
    op->stat = s->stat;
    op->cache = NULL;
    InstStat *is = &sm->inst[op->stat];
    if (space == SP_SHARED) {
        bool free = s->run && s->bytes == 4 && s->stride <= 4 && banks_free(&sm->cfg.banks, s->addr, s->run, s->stride);
        uint32_t passes = free ? 1 : bank_passes(&sm->cfg.banks, s->addr, mask, s->bytes);
        if (d->kind == X_ATOM) passes = bank_passes_atomic(&sm->cfg.banks, s->addr, mask);
        op->passes = passes;
        op->count = passes;
        sm->count[C_SHARED_PASSES] += passes;
        sm->count[C_SHARED_CONFLICTS] += passes - 1;
    } else {
        uint64_t addr[LANES];
        const uint64_t *from = s->addr;
        if (space == SP_LOCAL) {
            uint64_t base =
                LOCAL_SPACE + ((uint64_t)sm->index * sm->cfg.max_warps + slot) * sm->cfg.local_limit * LANES;
            for (int n = 0; n < LANES; n++) addr[n] = base + s->addr[n];
            from = addr;
        } else if (space == SP_CONST) {
            for (int n = 0; n < LANES; n++) addr[n] = sm->launch->kernel->image->const_base + s->addr[n];
            from = addr;
        }
        // Atomics are counted lane by lane, which runs aren't.
        bool simple = !op->atomic && s->run && space == SP_GLOBAL && (s->stride == 0 || s->stride == s->bytes);
        if (simple)
            op->count = coalesce_runs(from, s->run, s->stride, s->bytes, op->seg);
        else if (space == SP_LOCAL)
            op->count = local_segments(addr, mask, s->bytes, op->seg);
        else
            op->count = coalesce(from, mask, s->bytes, op->seg);
        choose_cache(sm, op, d, space);
        op->structure = structure_of(sm, s);
        StructStat *st = &sm->structure[op->structure];
        st->loads += d->kind == X_LD || d->kind == X_TEX;
        st->stores += d->kind == X_ST;
        st->atomics += d->kind == X_ATOM;
        st->transactions += op->count;
        uint32_t sectors = 0;
        for (uint32_t k = 0; k < op->count; k++) sectors += (uint32_t)__builtin_popcount(op->seg[k].sectors);
        st->sectors += sectors;
        if (space == SP_GLOBAL && !op->atomic) sm->count[op->write ? C_SECTORS_STORED : C_SECTORS_LOADED] += sectors;
        if (op->cache && op->cache->cfg.line < SEGMENT) op->count = split_lines(op->cache, op->seg, op->count);
    }
    is->transactions += op->count;
    sm->q_n++;
    if (tracker != NONE) sm->tracker[tracker].left += space == SP_SHARED ? 1 : op->count;
}

void lsu_put(Sm *sm, uint32_t slot, const Step *s)
{
    WarpSlot *ws = &sm->slots[slot];
    const Dinst *d = s->d;
    if (s->space == SP_PARAM || (s->space == SP_CONST && !sm->cst.lines)) {  // operands from the constant bank
        uint64_t done = sm->now + sm->cfg.unit[CLASS_ALU].latency;
        for (int k = 0; k < d->score_dst; k++) ws->ready[d->score[k]] = done << 2 | KIND_ALU;
        ws->last_ready = MAX(ws->last_ready, done);
        return;
    }
    bool waits = d->score_dst || d->kind == X_CP_ASYNC;
    uint32_t tracker = NONE;
    if (waits) {
        tracker = sm->free_tracker;
        Tracker *t = &sm->tracker[tracker];
        sm->free_tracker = t->next_free;
        *t = (Tracker){.d = d,
                       .slot = slot,
                       .started = ws->started,
                       .left = s->deferred,
                       .shared = s->space == SP_SHARED && !s->other_mask,
                       .async = d->kind == X_CP_ASYNC,
                       .acquire = d->flags & D_ACQUIRE,
                       .group = (uint8_t)(ws->async_group & 15)};
        for (int k = 0; k < d->score_dst; k++)
            ws->ready[d->score[k]] = UNKNOWN | (t->shared ? KIND_SHARED : KIND_MEMORY);
        ws->outstanding++;
        ws->acquires += t->acquire;
        if (t->async) ws->async_count[t->group]++;
    }
    put_part(sm, slot, s, s->space, s->mask, tracker);
    if (s->other_mask) put_part(sm, slot, s, s->other_space, s->other_mask, tracker);
}
