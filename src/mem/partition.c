// partition.c: a slice of the L2 and its DRAM channel. Requests are served in the order of their arrival, one look-up
// an interval; a head that can't be served (no MSHR, no room in the DRAM queue, a full set) blocks those behind it
// until DRAM completes something. The L2's latency lies on the links (mem.h), so a hit answers at once. A request is
// for sectors of a segment; where lines are shorter, it is looked up line by line, and answered when all lines have
// answered. Conservation: accesses = hits + misses + merges; every request that isn't quiet is answered once.
#include "mem/unit.h"

#include <string.h>

enum { NONE = UINT32_MAX, SLICE_BITS = 8 };  // a DRAM request's tag: its miss, and below that its slice
#define PAGE_TABLE (1ull << 44)  // where page-table entries of 8 bytes lie, in the partition's own addresses

void partition_prepare(PartitionCfg *cfg)
{
    cfg->chunk_shift = 31u - (uint32_t)__builtin_clz(cfg->chunk);
    cfg->reciprocal = cfg->partitions == 1 ? 0 : ~0ull / cfg->partitions + 1;
    cfg->slices_by_number = cfg->slice_bit_count && cfg->partitions == 1u << cfg->slice_bit_count;
}

bool partition_check(const PartitionCfg *cfg, const char **why)
{
    uint64_t row = (uint64_t)cfg->chunk * cfg->partitions;
    *why = NULL;
    for (uint32_t k = 0; k < cfg->slice_bit_count; k++)
        if (cfg->slice_bits[k] & (cfg->chunk - 1)) *why = "slice_bits has an address bit within a chunk";
    if (cfg->slices_by_number && !masks_independent(cfg->slice_bits, cfg->slice_bit_count, row - cfg->chunk))
        *why = "slice_bits don't tell the chunks of a row apart: two would lie in one place";
    return !*why;
}

bool partition_open(Partition *p, const PartitionCfg *cfg, uint32_t index, Partition *before, const Partition *like,
                    const char **why)
{
    *p = (Partition){.cfg = *cfg, .index = index, .refused_since = NEVER, .sent = NEVER};
    p->first_slice = before ? before->first_slice : p;
    p->dram = &p->first_slice->channel;
    p->slice = before ? before->slice + 1 : 0;
    if (before) before->next_slice = p;
    partition_prepare(&p->cfg);
    if (!cache_open_like(&p->l2, &cfg->l2, index + 1, like ? &like->l2 : NULL, why)) return false;
    if (!before) dram_open(p->dram, &cfg->dram, p->count);
    p->in.cost = link_cost(cfg->bytes_in);
    p->out.cost = link_cost(cfg->bytes_out);
    p->miss = mem_alloc(sizeof *p->miss * cfg->l2.mshrs);
    p->free_waiter = p->free_pieces = NONE;
    return true;
}

void partition_close(Partition *p)
{
    cache_close(&p->l2);
    dram_close(&p->channel);
    for (uint32_t s = 0; s < p->room + 2 && p->inbox; s++) mem_free(p->inbox[s].v);
    for (uint32_t s = 0; s < p->room; s++) wire_close(&p->reply[s]), wire_close(&p->credit[s]);
    first_close(&p->first);
    mem_free(p->inbox), mem_free(p->reply), mem_free(p->credit);
    mem_free(p->miss), mem_free(p->waiter), mem_free(p->pieces);
    *p = (Partition){0};
}

// Nothing is under way.
static void make_room(Partition *p, uint32_t sms)
{
    const uint32_t more = sms - p->room, queues = p->inbox ? p->room + 2 : 0;
    p->inbox = mem_resize(p->inbox, sizeof *p->inbox * (sms + 2));
    p->reply = mem_resize(p->reply, sizeof *p->reply * sms);
    p->credit = mem_resize(p->credit, sizeof *p->credit * sms);
    memset(p->inbox + queues, 0, sizeof *p->inbox * (sms + 2 - queues));
    memset(p->reply + p->room, 0, sizeof *p->reply * more);
    memset(p->credit + p->room, 0, sizeof *p->credit * more);
    first_close(&p->first);
    first_open(&p->first, sms + 2);
    p->room = sms;
}

void partition_begin(Partition *p, uint32_t sms)
{
    if (sms > p->room || !p->inbox) make_room(p, sms);
    if (!p->cfg.l2.keep) cache_flush(&p->l2);
    p->sms = sms;
    p->launch++;
    for (uint32_t s = 0; s < sms; s++)  // not taken: the SM was done
        wire_clear(&p->credit[s]), wire_clear(&p->reply[s]);
    plug_begin(&p->l2);
    memset(p->count, 0, sizeof p->count);
    memset(p->dram_bytes, 0, sizeof p->dram_bytes);
    p->last_event = p->port_free = p->atomics_free = p->in.free = p->out.free = p->due = 0;
    p->port_at = p->atomics_at = 0;
    memset(p->stood, 0, sizeof p->stood), memset(p->wait, 0, sizeof p->wait);
    p->passed_read = p->passed_written = p->passed_misses = 0;
    p->slow = ALL_THERE;
    p->sent = NEVER;
    p->holds = false;
    if (p == p->first_slice) dram_begin(p->dram);
}

// The lines are clean: DRAM has what was copied, too. What makes room isn't counted, since no launch is under way.
void partition_copied(Partition *p, uint64_t local, uint32_t bytes)
{
    uint32_t sectors = cache_sectors(&p->l2, local, bytes);
    CacheLine *line;
    if (cache_lookup(&p->l2, local, sectors, &line) == MISS) cache_take(&p->l2, line, local);
    line->valid |= sectors;
}

void partition_slow(Partition *p, uint32_t slow, uint32_t channel, const uint32_t wait[STANDS])
{
    memcpy(p->wait, wait, sizeof p->wait);
    p->slow = slow;
    if (p == p->first_slice) p->dram->slow = channel, p->dram->wait = wait[STANDS_DRAM];
}

void fifo_grow(Fifo *f)
{
    f->cap = f->cap ? f->cap * 2 : 4;  // a wire of a large GPU has few at a time, and there are many
    f->v = mem_resize(f->v, f->cap * sizeof *f->v);
}

void fifo_sort(Fifo *f, const Packet *p)
{
    Packet it = *p;
    fifo_put(f, &it);
    size_t k = f->n - 1;
    for (; k > f->head && f->v[k - 1].time > it.time; k--) f->v[k] = f->v[k - 1];
    f->v[k] = it;
}

// A walk is over: the request itself comes next, after those whose walks ended before.
static void walk_done(Partition *p, const Packet *r, uint64_t time)
{
    Packet again = *r;
    again.walking = false;
    again.time = time + p->cfg.walk + r->extra;
    Fifo *f = &p->inbox[p->sms + 1];
    if (f->head == f->n) f->head = f->n = 0;
    fifo_put_sorted(f, &again);
    first_set(&p->first, p->sms + 1, f);
}

// When bytes are through a link, for all that they stand for.
static uint64_t pass_one(Partition *p, Link *way, uint64_t now, uint32_t bytes)
{
    if (p->slow == ALL_THERE) return link_pass(way, now, bytes);
    const uint32_t unit = way == &p->in ? STANDS_IN : STANDS_OUT;
    p->stood[unit] += link_time(way->cost, bytes) * p->slow >> 8;
    return link_pass_for(way, now, bytes, p->slow, p->wait[unit]);
}

// Bytes come in or go out. Where both ways are one, data wait for data of the other way, too.
static uint64_t pass(Partition *p, Link *way, uint64_t now, uint32_t bytes)
{
    if (p->cfg.duplex) return pass_one(p, way, now, bytes);
    if (!bytes) return now;
    way->free = MAX(p->in.free, p->out.free);
    const uint64_t done = pass_one(p, way, now, bytes);
    p->in.free = p->out.free = way->free;
    return done;
}

// later: cycles after which it is ready; the link serves others until then.
static void answer(Partition *p, const Packet *r, uint64_t now, uint64_t later)
{
    if (r->walking) {
        walk_done(p, r, now);
        return;
    }
    if (r->quiet && !(p->cfg.acks && r->kind == PACKET_WRITE)) return;
    if (r->piece) {
        Pieces *all = &p->pieces[r->tag];
        if (--all->left) return;
        all->next_free = p->free_pieces;
        p->free_pieces = r->tag;
        r = &all->p;
    }
    Packet reply = {.tag = r->tag, .sm = r->sm, .kind = PACKET_REPLY, .sectors = r->sectors, .quiet = r->quiet};
    uint32_t bytes = reply_bytes(&p->cfg, &reply);
    uint64_t time =
        pass(p, &p->out, now + p->wait[STANDS_PORT], bytes) + p->cfg.to_sm + far_back(&p->cfg, p->index, r->sm) + later;
    reply.time = time;
    if (p->cfg.ordered)
        fifo_put_by_sm(&p->reply->box[p->window & 1], &reply);
    else
        fifo_put_sorted(&p->reply[r->sm].box[p->window & 1], &reply);
    p->sent = MIN(p->sent, time);
    p->count[C_REPLIES] += !r->quiet;
    p->count[C_LINK_IN] += bytes;
}

// A unit is taken for some cycles from `from` on; returns when it is free. *at is when it has done all that its
// requests stand for: as in link_pass_for.
static uint64_t taken(Partition *p, uint64_t *at, uint64_t from, uint64_t now, uint64_t cycles)
{
    if (p->slow == ALL_THERE) return from + cycles;
    const uint64_t all = cycles * p->slow, credit = SLOW_CREDIT * all;
    *at = MAX(*at, now << 8) + all;
    return MAX(from + cycles, (*at > credit ? *at - credit + 255 : 0) >> 8);
}

// Cycles from now until the unit that executes atomics has done this one.
static uint64_t atomic_time(Partition *p, const Packet *r, uint64_t now)
{
    if (r->kind != PACKET_ATOMIC || r->walking) return 0;
    uint64_t cycles = (p->cfg.atomic_sector ? 1 : (uint64_t)p->cfg.atomic_interval) * r->ops;
    p->atomics_free = taken(p, &p->atomics_at, MAX(p->atomics_free, now), now, cycles);
    p->last_event = MAX(p->last_event, p->atomics_free);
    return p->atomics_free - now;
}

static void wait_for(Partition *p, Miss *m, const Packet *r)
{
    if (p->free_waiter == NONE) {
        uint32_t cap = p->waiter_cap ? p->waiter_cap * 2 : 256;
        p->waiter = mem_resize(p->waiter, cap * sizeof *p->waiter);
        for (uint32_t k = p->waiter_cap; k < cap; k++) p->waiter[k].next = k + 1 < cap ? k + 1 : NONE;
        p->free_waiter = p->waiter_cap;
        p->waiter_cap = cap;
    }
    uint32_t w = p->free_waiter;
    p->free_waiter = p->waiter[w].next;
    p->waiter[w] = (Waiter){*r, NONE};
    if (m->count++)
        p->waiter[m->last].next = w;
    else
        m->first = w;
    m->last = w;
}

// Where the slices of a channel have their lines, by turns: their chunks are consecutive there.
static uint64_t in_channel(const Partition *p, uint64_t local)
{
    if (p->cfg.slices <= 1) return local;
    return ((local >> p->cfg.chunk_shift) * p->cfg.slices + p->slice) << p->cfg.chunk_shift |
           (local & (p->cfg.chunk - 1));
}

static void write_dram(Partition *p, uint64_t now, uint64_t local, uint32_t bytes, uint8_t structure)
{
    p->dram_bytes[structure] += bytes;
    dram_put(p->dram, now, in_channel(p, local), bytes, true, 0);
}

// The reads that so many sectors take.
static uint32_t reads_of(const Partition *p, uint32_t sectors)
{
    return dram_parts(&p->cfg.dram, (uint32_t)__builtin_popcount(sectors) * p->cfg.l2.sector);
}

static void fetch(Partition *p, uint32_t miss, uint64_t local, uint32_t sectors, uint64_t now, uint8_t structure)
{
    uint32_t bytes = (uint32_t)__builtin_popcount(sectors) * p->cfg.l2.sector;
    p->miss[miss].line->pending |= sectors;
    p->miss[miss].fetching++;
    p->dram_bytes[structure] += bytes;
    dram_put(p->dram, now, in_channel(p, local), bytes, false, miss << SLICE_BITS | p->slice);
}

// A segment's sectors of 32 bytes, the first of which is the line's sector number `from`, as sectors of the line.
ALWAYS_INLINE uint32_t line_sectors(const Partition *p, uint32_t sectors, int64_t from)
{
    uint32_t per = p->cfg.l2.sector / SECTOR, mask = 0;
    if (per == 1) return from < 0 ? sectors >> -from : sectors << from;
    for (uint32_t k = 0; k < 4; k++)
        if (sectors >> k & 1) mask |= 1u << (uint32_t)(from + k) / per;
    return mask;
}

ALWAYS_INLINE void look_up(Partition *p, const Packet *r, L2Access *a)
{
    a->r = r, a->asked = r->walking ? 1 : r->sectors;
    partition_of(&p->cfg, r->address, &a->local);
    a->write = r->kind == PACKET_WRITE && !r->walking;
    a->atomic = r->kind == PACKET_ATOMIC && !r->walking;
    a->through = (a->write && !p->cfg.l2.write_back) || (a->atomic && p->cfg.absent);
    if (r->walking) a->local = PAGE_TABLE + ((r->address / p->cfg.page * 8) & ~(uint64_t)(SECTOR - 1));
    // The request's sectors of 32 bytes as sectors of the L2's line: that of the first one, which the others share.
    uint64_t line_at = (a->local + (uint32_t)__builtin_ctz(a->asked) * SECTOR) & ~(uint64_t)(p->cfg.l2.line - 1);
    int64_t from = (int64_t)(a->local - line_at) / SECTOR;
    a->want = line_sectors(p, a->asked, from);
    a->whole = p->cfg.l2.sector == SECTOR ? line_sectors(p, a->asked & r->whole, from) : 0;
    a->need = a->write ? a->want & ~a->whole : a->want;  // whole sectors are simply overwritten
    if (a->write && p->cfg.masks) a->need = 0;
    a->local = MAX(a->local, line_at);
    a->key = p->cfg.absent ? a->local ^ p->requests++ << 40 : a->local;
    if (p->l2.plug) p->l2.plug->now.store = a->write;
    a->found = cache_lookup(&p->l2, a->key, a->need, &a->line);
    a->fresh = a->found == MISS, a->missing = 0;
    if (a->fresh)
        a->missing = a->need;
    else if (a->found == MISS_SECTOR)
        a->missing = a->need & ~(a->line->valid | a->line->pending);
    if (a->missing) a->missing = cache_fetch(&p->l2, a->missing) & ~(a->fresh ? 0 : a->line->valid | a->line->pending);
}

// Writes the request's data to DRAM as they are.
static void write_through(Partition *p, const L2Access *a, uint64_t now)
{
    write_dram(p, now, a->local, SECTOR * (uint32_t)__builtin_popcount(a->r->sectors), a->r->structure);
}

ALWAYS_INLINE void count_access(Partition *p, const L2Access *a)
{
    Lookup there = a->fresh ? MISS : line_has(a->line, a->want);  // what is overwritten counts too
    uint64_t *count = p->count;
    count[C_L2_ACCESSES]++;
    count[a->write ? C_L2_WRITES : a->atomic ? C_L2_ATOMICS : C_L2_READS]++;
    count[C_L2_SECTORS] += (uint32_t)__builtin_popcount(a->asked);
    count[there == HIT ? C_L2_HITS : there == PENDING ? C_L2_MERGES : C_L2_MISSES]++;
}

// The line that was found makes room for the request's.
static void replace(Partition *p, const L2Access *a, uint64_t now)
{
    Victim gone = cache_take(&p->l2, a->line, a->key);
    p->count[C_L2_EVICTIONS] += gone.address != NO_LINE;
    if (gone.dirty) {
        uint32_t n = (uint32_t)__builtin_popcount(gone.dirty);
        p->count[C_L2_WRITEBACKS] += n;
        write_dram(p, now, gone.address, n * p->cfg.l2.sector, gone.owner >> 8 == p->launch ? (uint8_t)gone.owner : 0);
    }
    a->line->owner = (uint64_t)p->launch << 8 | a->r->structure;
    memset(a->line->got, 0, sizeof a->line->got);
}

static void begin_miss(Partition *p, CacheLine *line)
{
    uint32_t m = p->free_miss;
    p->free_miss = m + 1 + p->miss[m].next_free;
    p->miss[m] = (Miss){.line = line, .first = NONE};
    line->slot = m;
    p->misses++;
}

// Has the channel's queue room for n requests? If not, the head waits for it.
static bool has_room(Partition *p, uint32_t n)
{
    if (dram_room(p->dram) >= n) return true;
    p->lacks = n;
    return false;
}

// The head has to wait until its set is filled, or for room. False. A replacement that draws its victims is asked after
// each fill, and without an L2 each look-up has another line. Until the set is filled a line that isn't there still
// isn't, and its victim stays the same.
static bool refuse(Partition *p, const L2Access *a)
{
    p->wants = p->cfg.absent || p->l2.replacement->victim ? ANY_SET : cache_set(&p->l2, a->key);
    p->holds = a->fresh && p->wants != ANY_SET;
    if (p->holds) p->refused = *a;
    return false;
}

// Parts of sectors are written, whose other bytes the line doesn't have (l2.masks). A sector that has got as many bytes
// as it has is taken to be whole: nobody writes the same ones twice, before the line leaves.
static void put_parts(CacheLine *line, const L2Access *a)
{
    const uint32_t parts = a->want & ~a->whole & ~line->valid & ~line->pending & 0xf;
    const uint32_t n = (uint32_t)__builtin_popcount(a->want & ~a->whole);
    const uint32_t whole = SECTOR * (uint32_t)__builtin_popcount(a->whole),
                   bytes = a->r->ops > whole ? a->r->ops - whole : 0;
    for (uint32_t k = 0; k < 4; k++) {
        if (!(parts >> k & 1)) continue;
        line->got[k] = (uint8_t)MIN(line->got[k] + bytes / n, SECTOR);
        if (line->got[k] == SECTOR) line->valid |= 1u << k;
    }
}

// Serves request r at cycle now; false: it must wait for DRAM, for what p->lacks and p->wants say.
static bool serve(Partition *p, const Packet *r, uint64_t now)
{
    L2Access a;
    if (p->holds)
        a = p->refused, a.r = r;
    else
        look_up(p, r, &a);
    p->holds = false;
    p->lacks = NO_ROOM_HELPS;
    p->wants = ANY_SET;
    if (a.found == NO_WAY) return refuse(p, &a);
    if (a.write && a.fresh && !p->cfg.l2.write_allocate) {  // past the L2
        if (!has_room(p, 1)) return refuse(p, &a);
        count_access(p, &a);
        write_through(p, &a, now);
        answer(p, r, now, 0);
        return true;
    }
    CacheLine *line = a.line;
    bool waits = a.fresh ? a.need != 0 : (a.need & ~line->valid) != 0, under_way = !a.fresh && line->pending;
    bool dirty = a.fresh && cache_victim(&p->l2, line).dirty;
    if (!has_room(p, reads_of(p, a.missing) + dirty + a.through)) return refuse(p, &a);
    if (a.missing && !under_way && p->misses == p->cfg.l2.mshrs) return false;
    if (waits && under_way && !a.write && p->miss[line->slot].count >= p->cfg.l2.merges) return refuse(p, &a);
    count_access(p, &a);
    if (a.fresh) replace(p, &a, now);
    if (a.missing && !under_way) begin_miss(p, line);
    if (a.missing) fetch(p, line->slot, a.local, a.missing, now, r->structure);
    if (a.write) line->valid |= a.whole & ~line->pending;
    if (a.write && p->cfg.masks) put_parts(line, &a);
    if (a.through)
        write_through(p, &a, now);
    else if (a.write || a.atomic)
        line->dirty |= a.want;
    if (waits && !a.write)
        wait_for(p, &p->miss[line->slot], r);
    else
        answer(p, r, now, atomic_time(p, r, now));
    return true;
}

static void filled(Partition *p, uint32_t tag, uint64_t now)
{
    Miss *m = &p->miss[tag];
    if (--m->fetching) return;
    if (p->refused_since != NEVER && (p->wants == ANY_SET || p->wants == cache_set_of(&p->l2, m->line)))
        p->filled = true, p->holds = false;
    m->line->valid |= m->line->pending;
    m->line->pending = 0;
    for (uint32_t w = m->first; w != NONE;) {
        uint32_t next = p->waiter[w].next;
        const Packet *r = &p->waiter[w].p;
        if (r->walking)
            answer(p, r, now + p->cfg.walk_far, 0);
        else
            answer(p, r, now, atomic_time(p, r, now));
        p->waiter[w].next = p->free_waiter;
        p->free_waiter = w;
        w = next;
    }
    if (p->cfg.absent) cache_drop(&p->l2, m->line);
    m->next_free = p->free_miss - (tag + 1);
    p->free_miss = tag;
    p->misses--;
}

// The sectors of a request that lie in the line of its first one.
static uint32_t first_line(const Partition *p, uint32_t sectors)
{
    uint32_t per = p->cfg.l2.line / SECTOR, from = (uint32_t)__builtin_ctz(sectors) / per * per;
    return per >= SEGMENT / SECTOR ? sectors : sectors & ((1u << per) - 1) << from;
}

// A request of several lines becomes pieces, whose answers are collected.
static void take_apart(Partition *p, Packet *r)
{
    if (p->free_pieces == NONE) {
        uint32_t cap = p->pieces_cap ? p->pieces_cap * 2 : 64;
        p->pieces = mem_resize(p->pieces, cap * sizeof *p->pieces);
        for (uint32_t k = p->pieces_cap; k < cap; k++) p->pieces[k].next_free = k + 1 < cap ? k + 1 : NONE;
        p->free_pieces = p->pieces_cap;
        p->pieces_cap = cap;
    }
    uint32_t k = p->free_pieces, lines = 0;
    p->free_pieces = p->pieces[k].next_free;
    for (uint32_t rest = r->sectors; rest; rest &= ~first_line(p, rest)) lines++;
    p->pieces[k] = (Pieces){.p = *r, .left = lines};
    r->tag = k;
    r->piece = true;
}

// A refused head sleeps until the set of its line is filled, or its channel has the room that it lacks: nothing else
// lets it in.
static void try_again(Partition *p, uint64_t now)
{
    bool filled = p->filled;
    p->filled = false;
    if (p->refused_since == NEVER || (!filled && dram_room(p->dram) < p->lacks)) return;
    p->count[C_L2_REFUSED] += now - p->refused_since;
    p->refused_since = NEVER;
    p->port_free = MAX(p->port_free, now);
}

// What a channel, of which `first` is the first slice, does until the slices' next requests may be others than before,
// by cycle `to` at the latest.
static void run_dram(Partition *first, uint64_t to)
{
    Dram *dram = first->dram;
    uint32_t tag, lacks = NO_ROOM_HELPS;
    for (Partition *p = first; p; p = p->next_slice)
        if (p->refused_since != NEVER) lacks = MIN(lacks, p->lacks);
    uint64_t now = dram_run(dram, to, lacks);
    if (now == NEVER || dram_room(dram) < lacks) now = MIN(dram_done(dram), to);
    while (dram_pop(dram, now, &tag)) {
        Partition *p = first;
        for (uint32_t k = tag & ((1u << SLICE_BITS) - 1); k; k--) p = p->next_slice;
        filled(p, tag >> SLICE_BITS, now);
    }
    for (Partition *p = first; p; p = p->next_slice) try_again(p, now);
}

// Where a part is timed: how long a request would have waited to get in, behind those that it stands for; and behind
// what waits for DRAM, once its queue is full.
static uint32_t behind(const Partition *p)
{
    const uint32_t queued = (uint32_t)(p->cfg.dram.queue * SECTOR / p->cfg.dram.bytes_per_cycle),
                   dram = p->wait[STANDS_DRAM];
    return p->wait[STANDS_IN] + p->wait[STANDS_PORT] + (dram > queued ? dram - queued : 0);
}

// The request at the head of a queue, at cycle now: a line of it, if it has several.
static void run_head(Partition *p, uint32_t queue, uint64_t now)
{
    Fifo *f = &p->inbox[queue];
    Packet *head = &f->v[f->head];
    bool walks = head->translate == WALK;
    uint32_t rest = walks ? 0 : head->sectors & ~first_line(p, head->sectors);
    if (rest && !head->piece && !head->quiet) take_apart(p, head);
    Packet part;
    const Packet *r = head;  // it stays where it is: what is served puts nothing into its queue
    if (rest || walks) {
        part = *head, r = &part;
        part.sectors &= (uint8_t)~rest;
        if (walks) part.translate = KNOWN, part.walking = true;
    }
    if (!serve(p, r, now)) {
        p->refused_since = now;
        return;
    }
    bool sectors = r->kind == PACKET_WRITE || p->cfg.atomic_sector;
    uint32_t data = r->kind == PACKET_READ ? 0
                    : sectors              ? SECTOR * (uint32_t)__builtin_popcount(r->sectors)
                                           : 8u * r->ops;
    uint32_t bytes = packet_bytes(&p->cfg, data);
    p->last_event = MAX(p->last_event, now + 1 + behind(p));
    uint64_t through = pass(p, &p->in, r->time, bytes);  // from its arrival: fractions of a cycle add up
    uint32_t parts = r->kind == PACKET_WRITE ? (uint32_t)__builtin_popcount(r->sectors & ~r->whole) : 0;
    if (p->slow != ALL_THERE) p->stood[STANDS_PORT] += (uint64_t)(p->cfg.interval + parts * p->cfg.partial) * p->slow;
    const uint64_t port = taken(p, &p->port_at, now, now, p->cfg.interval + parts * p->cfg.partial);
    p->port_free = MAX(port, through);
    if (rest) {  // an atomic's lanes are counted with its first piece
        head->sectors = (uint8_t)rest, head->ops = 0;
        p->count[C_L2_SPLITS]++;
        return;
    }
    if (queue <= p->sms) {
        uint64_t back = now + p->cfg.to_sm + far_back(&p->cfg, p->index, r->sm) + behind(p);
        fifo_put_sorted(&p->credit[r->sm].box[p->window & 1], &(Packet){.time = back});
        p->sent = MIN(p->sent, back);
    }
    p->count[C_PAGE_WALKS] += walks;
    f->head++;
    first_set(&p->first, queue, f);
}

// Takes what the SMs sent in the window before. False: nothing, and nothing is due before cycle `end`.
static bool begin_window(Partition *p, uint64_t window, uint64_t end)
{
    p->window = window;
    p->sent = NEVER;
    bool came = false;
    for (uint32_t s = 0; s < p->sms; s++)
        if (wire_take(p->from[s], window, &p->inbox[s])) first_set(&p->first, s, &p->inbox[s]), came = true;
    return came || p->due < end || p->refused_since != NEVER;
}

// When the port serves its next request.
static uint64_t next_request(const Partition *p)
{
    uint64_t request = first_time(&p->first);
    return request == NEVER || p->refused_since != NEVER ? NEVER : MAX(request, p->port_free);
}

void partition_run(Partition *first, uint64_t window, uint64_t end)
{
    bool works = false;
    for (Partition *p = first; p; p = p->next_slice) works |= begin_window(p, window, end);
    while (works) {
        Partition *next = first;
        uint64_t dram = dram_next(first->dram), request = next_request(first);
        for (Partition *p = first->next_slice; p; p = p->next_slice) {
            uint64_t its = next_request(p);
            if (its < request) request = its, next = p;
        }
        first->due = MIN(request, dram);
        if (first->due >= end) break;
        if (dram <= request)
            run_dram(first, MIN(request, end - 1));
        else
            run_head(next, first_queue(&next->first), request);
    }
    for (Partition *p = first; p; p = p->next_slice) {
        p->due = first->due;
        if (p->refused_since == NEVER) continue;
        p->count[C_L2_REFUSED] += end - p->refused_since;
        p->refused_since = end;
    }
}

// What makes room goes to DRAM without being counted; what is under way for timed requests stays as it is.
void partition_pass(Partition *p, const Packet *r)
{
    if (p->cfg.absent) return;
    p->holds = false;
    Packet part = *r;
    for (uint32_t rest = r->sectors; rest; rest &= ~part.sectors, part.ops = 0) {
        part.sectors = (uint8_t)first_line(p, rest);
        L2Access a;
        look_up(p, &part, &a);
        if (a.found == NO_WAY || (a.fresh && a.line->pending)) continue;
        if (a.write && a.fresh && !p->cfg.l2.write_allocate) continue;
        if (a.fresh) {
            const Victim gone = cache_take(&p->l2, a.line, a.key);
            a.line->owner = (uint64_t)p->launch << 8 | r->structure;
            p->passed_written += (uint64_t)__builtin_popcount(gone.dirty) * p->cfg.l2.sector;
        }
        p->passed_read += (uint64_t)__builtin_popcount(a.missing) * p->cfg.l2.sector;
        p->passed_misses += a.fresh || a.missing;
        a.line->valid |= (a.missing | (a.write ? a.whole : 0)) & ~a.line->pending;
        if (a.write && p->cfg.masks) put_parts(a.line, &a);
        if (!a.through && (a.write || a.atomic)) a.line->dirty |= a.want;
    }
}

bool partition_idle(const Partition *p)
{
    for (uint32_t s = 0; s < p->sms + 2; s++)
        if (p->inbox[s].head < p->inbox[s].n) return false;
    return !p->misses && !p->dram->n;
}
