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

bool lsu_blocked(const Sm *sm) { return sm->refused || !sm->q_n; }

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

static void send(Sm *sm, PacketKind kind, uint64_t address, uint32_t sectors, uint32_t tag, const LsuOp *op,
                 uint32_t data, uint32_t whole, bool quiet)
{
    uint32_t part = partition_of(sm->part, address, NULL), bytes = sm->part->header + data;
    sm->credit[part]--;
    uint64_t arrival =
        link_pass(&sm->out, sm->now, bytes) + sm->cfg.to_partition + far_there(sm->part, part, sm->index);
    Packet p = {.time = arrival,
                .address = address,
                .tag = tag,
                .sm = (uint16_t)sm->index,
                .kind = (uint8_t)kind,
                .sectors = (uint8_t)sectors,
                .structure = op->structure,
                .ops = op->lanes,
                .quiet = quiet};
    if (kind == PACKET_WRITE) p.whole = (uint8_t)whole;
    Wire *to = &sm->wire[part];
    if (sm->tlb.lines) {
        bool hit = tlb_lookup(&sm->tlb, address);
        sm->count[C_TLB1_ACCESSES]++;
        sm->count[C_TLB1_HITS] += hit;
        if (!hit) p.translate = ASK_TLB2, to = &sm->late;
    }
    fifo_put(&to->box[sm->parity], p);
    sm->sent = MIN(sm->sent, p.time);
    sm->count[C_REQUESTS]++;
    sm->count[C_AWAITED] += !quiet;
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

// The packets that fetch `sectors` of the line at base: one per segment of 128 bytes.
static uint32_t packets_of(const Cache *c, uint32_t sectors, uint8_t out[32])
{
    uint32_t n = 0, bytes = c->cfg.sector, lines = MAX(c->cfg.line / SEGMENT, 1u);
    if (c->line_shift == 7 && c->sector_shift == 5) return out[0] = (uint8_t)sectors, sectors != 0;
    memset(out, 0, lines);
    for (uint32_t k = 0; k < c->sectors; k++) {
        if (!(sectors >> k & 1)) continue;
        for (uint32_t b = k * bytes; b < (k + 1) * bytes; b += SECTOR) {
            if (!out[b / SEGMENT]) n++;
            out[b / SEGMENT] |= (uint8_t)(1u << b % SEGMENT / SECTOR);
        }
        if (bytes < SECTOR) {
            if (!out[0]) n++;
            out[0] |= 1;
        }
    }
    return n;
}

// Brings sectors of a line in on behalf of op; writing: the line becomes dirty (local memory). False: refused.
static bool bring(Sm *sm, LsuOp *op, const Segment *s, CacheLine *line, bool fresh, uint32_t sectors, bool writing)
{
    Cache *c = op->cache;
    const CacheLine victim = *line;
    uint32_t which = c == &sm->l1 ? 0 : c == &sm->ro ? 1 : 2;
    uint32_t missing = cache_fetch(c, sectors) & ~(fresh ? 0 : line->valid | line->pending);
    bool has_pend = !fresh && line->pending, write_back = fresh && victim.dirty && victim.tag != ~0ull;
    uint64_t base = s->address & ~(uint64_t)(c->cfg.line - 1);
    uint32_t offset =
        c->cfg.line < SEGMENT
            ? (uint32_t)((s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR) & (SEGMENT - 1)) / SECTOR
            : 0;
    if (c->cfg.line < SEGMENT) base = s->address;
    uint8_t mask[32];
    uint32_t n = packets_of(c, missing, mask);
    if (!has_pend && (sm->miss_used[which] >= c->cfg.mshrs || sm->free_pend == NONE))
        return refuse(sm, C_L1_REFUSED_MSHR);
    for (uint32_t k = 0; k < MAX(c->cfg.line / SEGMENT, 1u); k++)
        if (mask[k] && !has_credit(sm, base + k * SEGMENT, n + write_back)) return refuse(sm, C_L1_REFUSED_LINK);
    if (write_back) {
        uint64_t at = victim.tag << c->line_shift;
        if (!has_credit(sm, at, n + 1)) return refuse(sm, C_L1_REFUSED_LINK);
        LsuOp out = {.structure = (uint8_t)victim.owner};
        send(sm, PACKET_WRITE, at & ~(uint64_t)(SEGMENT - 1), 15, 0, &out, SEGMENT, 15, true);
        sm->count[C_L1_WRITEBACKS]++;
    }
    if (fresh) {
        if (victim.tag != ~0ull) sm->count[C_L1_EVICTIONS] += c == &sm->l1;
        cache_take(c, line, s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR);
        line->owner = op->structure;
    }
    if (!has_pend) line->slot = new_pend(sm, c, line, 0);
    Pend *p = &sm->pend[line->slot];
    p->packets += n;
    line->pending |= missing;
    if (writing) line->dirty |= sectors;
    for (uint32_t k = 0; k < MAX(c->cfg.line / SEGMENT, 1u); k++)
        if (mask[k])
            send(sm, PACKET_READ, base + k * SEGMENT, (uint32_t)mask[k] << offset & 15, line->slot, op, 0, 0, false);
    add_wait(sm, p, writing ? NONE : op->tracker);
    return true;
}

static bool cached_load(Sm *sm, LsuOp *op, const Segment *s)
{
    Cache *c = op->cache;
    CacheCounters n = counters_of(sm, c);
    CacheLine *line;
    uint32_t sectors = line_sectors(c, s);
    uint64_t at = s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR;
    switch (cache_lookup(c, at, sectors, &line)) {
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
        if (!bring(sm, op, s, line, false, sectors, false)) return false;
        count_access(sm, op, n.misses, false);
        return true;
    case MISS:
        if (!bring(sm, op, s, line, true, sectors, false)) return false;
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
    if (!back) {
        if (!has_credit(sm, s->address, 1)) return refuse(sm, C_L1_REFUSED_LINK);
        line = cache_peek(c, s->address);
        if (!line && c->cfg.write_allocate) {  // the fill and the store both leave
            if (!has_credit(sm, s->address, 2)) return refuse(sm, C_L1_REFUSED_LINK);
            if (cache_lookup(c, s->address, sectors, &line) == NO_WAY) return refuse(sm, C_L1_REFUSED_SET);
            if (!bring(sm, op, s, line, true, sectors, false)) return false;
            line = NULL;
        }
        count_access(sm, op, line ? C_L1_HITS : C_L1_MISSES, true);
        if (line && !line->pending && c->cfg.write_evict)
            *line = (CacheLine){.tag = ~0ull};
        else if (line && !(sectors & ~line->valid))
            cache_lookup(c, s->address, sectors, &line);
        send(sm, PACKET_WRITE, s->address, s->sectors, 0, op, MIN(s->bytes, bytes), s->whole, true);
        return true;
    }
    Lookup found = cache_lookup(c, s->address, sectors, &line);
    bool whole = s->whole == s->sectors;
    if (found == NO_WAY) return refuse(sm, C_L1_REFUSED_SET);
    if (found == MISS && whole) {  // nothing to fetch: the line begins dirty
        if (line->dirty && line->tag != ~0ull) {
            uint64_t at = line->tag << c->line_shift;
            if (!has_credit(sm, at, 1)) return refuse(sm, C_L1_REFUSED_LINK);
            LsuOp out = {.structure = (uint8_t)line->owner};
            send(sm, PACKET_WRITE, at & ~(uint64_t)(SEGMENT - 1), 15, 0, &out, SEGMENT, 15, true);
            sm->count[C_L1_WRITEBACKS]++;
        }
        if (line->tag != ~0ull) sm->count[C_L1_EVICTIONS]++;
        cache_take(c, line, s->address);
        line->owner = op->structure;
        line->valid = sectors;
        line->dirty = sectors;
        count_access(sm, op, C_L1_MISSES, true);
        return true;
    }
    if (found == MISS || (found == MISS_SECTOR && !whole)) {
        if (!bring(sm, op, s, line, found == MISS, sectors, true)) return false;
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
    if (op->atomic || op->write) {  // what the L1 holds of it is stale now
        CacheLine *line = sm->l1.lines ? cache_peek(&sm->l1, s->address) : NULL;
        if (line && !line->pending && !line->dirty) *line = (CacheLine){.tag = ~0ull};
    }
    PacketKind kind = op->atomic ? PACKET_ATOMIC : op->write ? PACKET_WRITE : PACKET_READ;
    send(sm, kind, s->address, s->sectors, tag, op,
         op->atomic  ? MIN(s->bytes, 256u)
         : op->write ? MIN(s->bytes, bytes)
                     : 0,
         s->whole, !waits);
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
    op->lanes = (uint8_t)__builtin_popcount(mask);
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
        bool simple = s->run && space == SP_GLOBAL && (s->stride == 0 || s->stride == s->bytes);
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
        if (space == SP_GLOBAL) sm->count[op->write ? C_SECTORS_STORED : C_SECTORS_LOADED] += sectors;
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
