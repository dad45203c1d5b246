// dram.c: one DRAM channel. Requests wait by bank. A bank's next request is the oldest that finds its row open, or else
// the oldest (FR-FCFS). A bank opens its row while the bus carries the data of other banks. The channel starts the
// bank's request whose column command can go out first. The bus's direction and the bank groups decide when that is.
// Among equals a row hit starts first, then the oldest. A value that a description leaves at 0 costs nothing:
// turnaround, bank groups, tRRD, write recovery, refresh. tFAW isn't modelled (doc/extend/model-errors.md).
// A read of several parts is one entry, since the parts come together and go in turn, to one row: what is told of a
// request is told of its next part.
// Invariants: completion times don't decrease. Each bank knows its oldest read and its oldest write of the open row.
#include "mem/unit.h"

#include <string.h>

enum { NONE = UINT32_MAX };

static uint64_t fixed(double cycles) { return (uint64_t)(cycles * 256 + 0.5); }

void dram_open(Dram *d, const DramCfg *cfg, uint64_t *count)
{
    *d = (Dram){.cfg = *cfg, .count = count};
    d->cost = link_cost(cfg->bytes_per_cycle);
    d->t_cl = fixed(cfg->cl / cfg->clock_ratio), d->t_rcd = fixed(cfg->rcd / cfg->clock_ratio);
    d->t_rp = fixed(cfg->rp / cfg->clock_ratio), d->t_ras = fixed(cfg->ras / cfg->clock_ratio);
    d->t_wl = cfg->wl ? fixed(cfg->wl / cfg->clock_ratio) : d->t_cl;
    d->t_rrd = fixed(cfg->rrd / cfg->clock_ratio), d->t_wr = fixed(cfg->wr / cfg->clock_ratio);
    d->t_rtw = fixed(cfg->rtw / cfg->clock_ratio), d->t_wtr = fixed(cfg->wtr / cfg->clock_ratio);
    d->t_ccdl = fixed(cfg->ccdl / cfg->clock_ratio);
    d->t_refi = fixed(cfg->refi / cfg->clock_ratio), d->t_rfc = fixed(cfg->rfc / cfg->clock_ratio);
    d->request = mem_alloc(sizeof *d->request * cfg->queue);
    d->all = (DramEnds){NONE, NONE};
    d->free = NONE;
    for (uint32_t k = cfg->queue; k--; d->free = k) d->request[k].in[DRAM_ALL].newer = d->free;
    d->bank = mem_alloc(sizeof *d->bank * MAX(cfg->banks, 1u));
    d->ahead = cfg->simple ? 0 : d->t_cl;
    d->words = (MAX(cfg->banks, 1u) + 63) / 64;
    dram_begin(d);
}

void dram_begin(Dram *d)
{
    d->bus = d->active = d->refreshed = d->finished = d->stood = 0;
    d->starts = NEVER;
    d->wait = 0;
    d->slow = ALL_THERE;
    memset(d->turned, 0, sizeof d->turned);
    memset(d->group, 0, sizeof d->group);
    for (uint32_t b = 0; b < MAX(d->cfg.banks, 1u); b++)
        d->bank[b] =
            (DramBank){.row = ~0ull, .waiting = {NONE, NONE}, .hit = {NONE, NONE}, .group = b % MAX(d->cfg.groups, 1u)};
}

void dram_close(Dram *d)
{
    mem_free(d->request), mem_free(d->bank), mem_free(d->done);
    *d = (Dram){0};
}

// Rows go to the banks in turn, hashed with the row's number, so that strides spread over the banks. Or address bits
// choose the bank; the row is then the stretch of as many bytes as one row of all banks has.
static uint64_t row_of(const DramCfg *cfg, uint64_t address, uint32_t *bank)
{
    uint32_t banks = MAX(cfg->banks, 1u);
    uint64_t r = cfg->simple ? 0 : address / cfg->row, row = r / banks;
    *bank = (uint32_t)((r + row) % banks);
    if (cfg->bank_bit_count) *bank = 0;
    for (uint32_t k = 0; k < cfg->bank_bit_count; k++)
        *bank |= (uint32_t)(__builtin_popcountll(address & cfg->bank_bits[k]) & 1) << k;
    return row;
}

// When the next request is chosen, in 1/256 cycle: a column command goes out tCL before the bus is free for its data.
static inline uint64_t start_time(const Dram *d)
{
    if (!d->n) return NEVER;
    uint64_t bus = d->bus > d->ahead ? d->bus - d->ahead : 0;
    return MAX(bus, d->request[d->all.oldest].arrival);
}

static void append(Dram *d, DramEnds *ends, int list, uint32_t k)
{
    d->request[k].in[list] = (DramLinks){ends->newest, NONE};
    if (ends->newest == NONE)
        ends->oldest = k;
    else
        d->request[ends->newest].in[list].newer = k;
    ends->newest = k;
}

static void take_out(Dram *d, DramEnds *ends, int list, uint32_t k)
{
    DramLinks in = d->request[k].in[list];
    *(in.older == NONE ? &ends->oldest : &d->request[in.older].in[list].newer) = in.newer;
    *(in.newer == NONE ? &ends->newest : &d->request[in.newer].in[list].older) = in.older;
}

static inline void mark(uint64_t *banks, uint32_t bank, bool on)
{
    uint64_t bit = 1ull << bank % 64, *word = &banks[bank / 64];
    *word = on ? *word | bit : *word & ~bit;
}

// The oldest request of a bank's open row that writes, or reads: the one at k or a newer one.
static uint32_t hit_from(const Dram *d, const DramBank *b, uint32_t k, bool write)
{
    while (k != NONE && (d->request[k].row != b->row || d->request[k].write != write))
        k = d->request[k].in[DRAM_BANK].newer;
    return k;
}

// A bank opens a row, or closes it (~0).
static void set_row(Dram *d, uint32_t bank, uint64_t row)
{
    DramBank *b = &d->bank[bank];
    b->row = row;
    for (int write = 0; write < 2; write++) {
        b->hit[write] = row == ~0ull ? NONE : hit_from(d, b, b->waiting.oldest, write);
        mark(d->hits[write], bank, b->hit[write] != NONE);
    }
}

void dram_put(Dram *d, uint64_t now, uint64_t address, uint32_t bytes, bool write, uint32_t tag)
{
    uint32_t bank, k = d->free;
    uint64_t row = row_of(&d->cfg, address, &bank);
    DramBank *b = &d->bank[bank];
    DramRequest *r = &d->request[k];
    d->free = r->in[DRAM_ALL].newer;
    const uint32_t parts = write ? 1 : dram_parts(&d->cfg, bytes);
    *r = (DramRequest){now << 8, row, d->number, tag, bytes, bank, parts, write, {{NONE, NONE}}};
    d->number += parts;
    append(d, &d->all, DRAM_ALL, k);
    append(d, &b->waiting, DRAM_BANK, k);
    d->n += parts;
    if (k == d->all.oldest) d->starts = start_time(d);
    mark(d->waits, bank, true);
    if (row == b->row && b->hit[write] == NONE) b->hit[write] = k, mark(d->hits[write], bank, true);
    d->count[write ? C_DRAM_WRITES : C_DRAM_READS] += parts;
    d->count[write ? C_DRAM_WRITE_BYTES : C_DRAM_READ_BYTES] += bytes;
}

// Takes a request out of the queue.
static void take(Dram *d, uint32_t k)
{
    const DramRequest *r = &d->request[k];
    DramBank *b = &d->bank[r->bank];
    if (b->hit[r->write] == k) {
        b->hit[r->write] = hit_from(d, b, r->in[DRAM_BANK].newer, r->write);
        mark(d->hits[r->write], r->bank, b->hit[r->write] != NONE);
    }
    take_out(d, &d->all, DRAM_ALL, k);
    take_out(d, &b->waiting, DRAM_BANK, k);
    mark(d->waits, r->bank, b->waiting.oldest != NONE);
    d->request[k].in[DRAM_ALL].newer = d->free;
    d->free = k;
}

// A read whose last part is complete then.
static void finish(Dram *d, uint64_t time, uint32_t tag)
{
    if (d->done_n == d->done_cap) {
        uint32_t cap = d->done_cap ? d->done_cap * 2 : 64;
        DramDone *v = mem_alloc(sizeof *v * cap);
        for (uint32_t k = 0; k < d->done_n; k++) v[k] = d->done[(d->done_head + k) & (d->done_cap - 1)];
        mem_free(d->done);
        d->done = v, d->done_cap = cap, d->done_head = 0;
    }
    d->done[(d->done_head + d->done_n++) & (d->done_cap - 1)] = (DramDone){time, tag};
}

// Rows are closed and the bus rests for each refresh that is due.
static void refresh(Dram *d, uint64_t now)
{
    d->refreshed += (now - d->refreshed) / d->t_refi * d->t_refi;  // those before it passed in idle time, or are late
    d->bus = MAX(d->bus, d->refreshed) + d->t_rfc;
    for (uint32_t b = 0; b < d->cfg.banks; b++) set_row(d, b, ~0ull), d->bank[b].ready = d->bus;
}

// When a request's row opens, if it isn't open, when its column command goes out, and when its data begin.
typedef struct Slot {
    bool hit;
    uint64_t open, column, data;
} Slot;

ALWAYS_INLINE Slot slot_of(const Dram *d, const DramRequest *r)
{
    const DramBank *b = &d->bank[r->bank];
    Slot s = {.hit = b->row == r->row};
    uint64_t column = MAX(r->arrival, b->ready), delay = r->write ? d->t_wl : d->t_cl;
    if (!s.hit) {
        s.open = column;
        if (b->row != ~0ull)
            s.open = MAX(MAX(column, b->active + d->t_ras), d->t_wr ? b->written + d->t_wr : 0) + d->t_rp;
        if (d->t_rrd) s.open = MAX(s.open, d->active + d->t_rrd);
        column = s.open + d->t_rcd;
    }
    column = MAX(MAX(column, d->turned[r->write]), d->group[b->group]);
    s.data = MAX(column + delay, d->bus);
    s.column = s.data - delay;
    return s;
}

// The request that is best so far. Of two whose column commands can go out by now, the older one is better.
typedef struct Best {
    uint32_t request;
    uint64_t column, number;
} Best;

ALWAYS_INLINE void consider(const DramRequest *request, uint32_t k, uint64_t column, Best *best)
{
    uint64_t number = request[k].number;
    if (column > best->column || (column == best->column && number > best->number)) return;
    *best = (Best){k, column, number};
}

// What the columns of all reads, or writes, wait for: the bus, and its turnaround.
static inline uint64_t soonest(const Dram *d, uint64_t now, bool write)
{
    uint64_t bus = now + (write ? d->t_wl : d->t_cl);
    return MAX(d->bus > bus ? now + (d->bus - bus) : now, d->turned[write]);
}

// Considers each bank of a word whose open row is read, or written: the oldest request that does, if it has come by
// `now`. Returns the banks that have none.
ALWAYS_INLINE uint64_t consider_hits(const Dram *d, uint64_t now, uint32_t word, bool write, uint64_t least, Best *best)
{
    const uint64_t hits = d->hits[write][word];
    uint64_t come = 0;
    for (uint64_t m = hits; m; m &= m - 1) {
        const DramBank *b = &d->bank[word * 64 + (uint32_t)__builtin_ctzll(m)];
        const uint32_t k = b->hit[write];
        if (d->request[k].arrival > now) continue;
        come |= m & -m;
        consider(d->request, k, MAX(MAX(b->ready, d->group[b->group]), least), best);
    }
    return ~come;
}

// The request that starts at cycle `now`, and when its column command goes out, or now. A bank with row hits has no
// other candidates, and a miss must be faster than every hit. Among the hits of a bank that all read, or all write, the
// oldest is the fastest.
ALWAYS_INLINE Best choose_request(const Dram *d, uint64_t now)
{
    const DramRequest *request = d->request;
    const uint64_t least[2] = {soonest(d, now, false), soonest(d, now, true)};
    Best hit = {NONE, NEVER, NEVER}, miss = hit;
    uint64_t closed[MOST_BANKS / 64];  // banks without a row hit that has come
    const uint32_t words = d->words;
    for (uint32_t w = 0; w < words; w++) {
        const uint64_t reads = consider_hits(d, now, w, false, least[0], &hit);
        closed[w] = d->waits[w] & reads & consider_hits(d, now, w, true, least[1], &hit);
    }
    if (hit.column <= MIN(least[0], least[1])) return hit;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t m = closed[w]; m; m &= m - 1) {
            const uint32_t k = d->bank[w * 64 + (uint32_t)__builtin_ctzll(m)].waiting.oldest;
            if (request[k].arrival > now) continue;
            const uint64_t column = slot_of(d, &request[k]).column;
            consider(request, k, MAX(column, now), &miss);
        }
    return miss.column < hit.column ? miss : hit;
}

// What it takes to move so many bytes. Most requests have as many as the one before.
static const DramMove *move_of(Dram *d, uint32_t bytes)
{
    DramMove *m = &d->move;
    if (m->bytes == bytes) return m;
    uint32_t burst = d->cfg.simple ? 0 : d->cfg.burst, bursts = burst ? (bytes + burst - 1) / burst : 1;
    uint64_t busy = link_time(d->cost, burst ? bursts * burst : bytes);
    // Others may use the gaps between its bursts.
    uint64_t span = d->cfg.simple ? busy : MAX(busy, (bursts - 1) * d->t_ccdl + busy / bursts);
    *m = (DramMove){bytes, busy, span, bursts * d->t_ccdl};
    return m;
}

// Data of a request go over the bus of a channel with banks from cycle `data` on.
static void transfer(Dram *d, const DramRequest *r, Slot s, const DramMove *m)
{
    DramBank *b = &d->bank[r->bank];
    d->count[s.hit ? C_DRAM_ROW_HITS : C_DRAM_ROW_MISSES]++;
    if (!s.hit) set_row(d, r->bank, r->row), d->active = b->active = s.open;
    b->ready = s.column;
    if (d->t_ccdl) d->group[b->group] = s.column + m->columns;
    if (r->write) {
        b->written = s.data + m->span;
        if (d->t_wtr) d->turned[0] = b->written + d->t_wtr;
    } else if (d->t_rtw) {
        d->turned[1] = s.column + d->t_rtw;
    }
}

static void start(Dram *d, uint64_t now)
{
    if (d->t_refi && d->refreshed + d->t_refi <= now) refresh(d, now);
    const Best best = d->cfg.simple ? (Best){.request = d->all.oldest} : choose_request(d, now);
    DramRequest *r = &d->request[best.request];
    Slot s;
    if (d->cfg.simple)
        s = (Slot){.data = MAX(now, d->bus)};
    else if (!r->write && d->bank[r->bank].row == r->row)  // as slot_of: now is its arrival, or tCL before a free bus
        s = (Slot){.hit = true, .column = best.column, .data = best.column + d->t_cl};
    else
        s = slot_of(d, r);
    const DramMove *m = move_of(d, --r->parts ? d->cfg.request : r->bytes);
    r->bytes -= m->bytes, r->number++, d->n--;
    if (!r->parts) take(d, best.request);
    if (!d->cfg.simple) transfer(d, r, s, m);
    d->bus = s.data + m->busy;
    if (d->slow != ALL_THERE) d->stood += m->busy * d->slow >> 8;
    d->count[C_DRAM_BUSY] += m->busy;  // in 1/256 cycle; scaled when a launch is reported
    if (r->write) return;
    d->finished = MAX(((s.data + m->span + 255) >> 8) + d->cfg.latency + d->wait, d->finished);
    if (!r->parts) finish(d, d->finished, r->tag);
}

uint64_t dram_run(Dram *d, uint64_t to, uint32_t room)
{
    uint64_t now = NEVER;
    while (d->starts <= to << 8) {
        uint64_t cycle = (d->starts + 255) >> 8;
        if (dram_done(d) < cycle) break;
        now = cycle;
        start(d, d->starts);
        d->starts = start_time(d);
        if (dram_room(d) >= room) to = now;
    }
    return now;
}
