// dram.c: one DRAM channel. Requests wait in a queue; the next to start is the oldest that finds its row open, or else
// the oldest (FR-FCFS). Among those with an open row, one of the bus's direction whose group of banks is free goes
// first. A bank is prepared while the bus still carries earlier data: a request is started as soon as the bus is free
// within the time that preparation takes. What a description leaves at 0 costs nothing: turnaround, bank groups, tRRD,
// write recovery, refresh. tFAW isn't modelled (doc/model-errors.md). Invariant: completion times don't decrease.
#include "mem/mem.h"

#include <string.h>

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
    d->queue = mem_alloc(sizeof *d->queue * 2 * cfg->queue);
    d->bank = mem_alloc(sizeof *d->bank * MAX(cfg->banks, 1u));
    dram_begin(d);
}

void dram_begin(Dram *d)
{
    d->bus = d->active = d->last_read = d->last_written = d->refreshed = d->finished = 0;
    memset(d->group, 0, sizeof d->group);
    for (uint32_t b = 0; b < d->cfg.banks; b++) d->bank[b] = (DramBank){.row = ~0ull};
}

void dram_close(Dram *d)
{
    mem_free(d->queue), mem_free(d->bank), mem_free(d->done);
    *d = (Dram){0};
}

// Row, then bank from the bits above the row's bytes, hashed with the row so that strides spread over the banks.
void dram_put(Dram *d, uint64_t now, uint64_t address, uint32_t bytes, bool write, uint32_t tag)
{
    uint64_t r = d->cfg.simple ? 0 : address / d->cfg.row;
    uint32_t banks = MAX(d->cfg.banks, 1u);
    uint64_t row = r / banks;
    uint32_t bank = (uint32_t)((r + row) % banks);
    if (d->head + d->n == 2 * d->cfg.queue) memmove(d->queue, d->queue + d->head, d->n * sizeof *d->queue), d->head = 0;
    d->queue[d->head + d->n++] = (DramRequest){now << 8, row, tag, bytes, bank, write};
    d->count[write ? C_DRAM_WRITES : C_DRAM_READS]++;
    d->count[write ? C_DRAM_WRITE_BYTES : C_DRAM_READ_BYTES] += bytes;
}

static uint64_t lookahead(const Dram *d) { return d->cfg.simple ? 0 : d->t_rp + d->t_rcd + d->t_cl; }

// When the next request may start, in 1/256 cycle; the bus being free then or before preparation ends.
static uint64_t start_time(const Dram *d)
{
    if (!d->n) return NEVER;
    uint64_t ahead = lookahead(d), bus = d->bus > ahead ? d->bus - ahead : 0;
    return MAX(bus, d->queue[d->head].arrival);
}

static void finish(Dram *d, uint64_t time, uint32_t tag)
{
    d->finished = time = MAX(time, d->finished);
    if (d->done_n == d->done_cap) {
        uint32_t cap = d->done_cap ? d->done_cap * 2 : 64;
        DramDone *v = mem_alloc(sizeof *v * cap);
        for (uint32_t k = 0; k < d->done_n; k++) v[k] = d->done[(d->done_head + k) % d->done_cap];
        mem_free(d->done);
        d->done = v, d->done_cap = cap, d->done_head = 0;
    }
    d->done[(d->done_head + d->done_n++) % d->done_cap] = (DramDone){time, tag};
}

// Rows are closed and the bus rests for each refresh that is due.
static void refresh(Dram *d, uint64_t now)
{
    if (!d->t_refi || d->refreshed + d->t_refi > now) return;
    d->refreshed += (now - d->refreshed) / d->t_refi * d->t_refi;  // those before it passed in idle time, or are late
    d->bus = MAX(d->bus, d->refreshed) + d->t_rfc;
    for (uint32_t b = 0; b < d->cfg.banks; b++) d->bank[b].row = ~0ull, d->bank[b].ready = d->bus;
}

static uint64_t *group_of(Dram *d, uint32_t bank) { return &d->group[bank % MAX(d->cfg.groups, 1u)]; }

// Of the requests that find their row open the one that goes first; the oldest of all where none does.
static uint32_t choose(Dram *d, uint64_t now)
{
    const DramRequest *queue = d->queue + d->head;
    uint32_t best = 0, merit = 0;
    uint64_t column = MAX(now, d->bus > d->t_cl ? d->bus - d->t_cl : 0);  // of what would follow on the bus at once
    for (uint32_t k = 0; k < d->n && queue[k].arrival <= now; k++) {
        const DramRequest *r = &queue[k];
        if (d->bank[r->bank].row != r->row) continue;
        bool along = !(d->t_rtw | d->t_wtr) || r->write == d->writes;
        uint32_t of = 1 + 2 * along + (!d->t_ccdl || *group_of(d, r->bank) <= column);
        if (of > merit) best = k, merit = of;
        if (merit == 4) break;
    }
    return best;
}

// The earliest column command of a request: its bank is open then, and the direction and the group allow it.
static uint64_t column_of(Dram *d, const DramRequest *r, uint64_t now)
{
    DramBank *b = &d->bank[r->bank];
    uint64_t column = MAX(now, b->ready);
    if (b->row == r->row) {
        d->count[C_DRAM_ROW_HITS]++;
    } else {
        uint64_t open = column;
        if (b->row != ~0ull)
            open = MAX(MAX(column, b->active + d->t_ras), d->t_wr ? b->written + d->t_wr : 0) + d->t_rp;
        if (d->t_rrd) open = MAX(open, d->active + d->t_rrd);
        d->active = b->active = open;
        b->row = r->row;
        column = open + d->t_rcd;
        d->count[C_DRAM_ROW_MISSES]++;
    }
    if (r->write && d->t_rtw) column = MAX(column, d->last_read + d->t_rtw);
    if (!r->write && d->t_wtr) column = MAX(column, d->last_written + d->t_wtr);
    return d->t_ccdl ? MAX(column, *group_of(d, r->bank)) : column;
}

static void start(Dram *d, uint64_t now)
{
    DramRequest *queue = d->queue + d->head;
    refresh(d, now);
    uint32_t pick = d->cfg.simple ? 0 : choose(d, now);
    DramRequest r = queue[pick];
    for (uint32_t k = pick; k; k--) queue[k] = queue[k - 1];
    d->head++, d->n--;
    uint32_t burst = d->cfg.simple ? 0 : d->cfg.burst, bursts = burst ? (r.bytes + burst - 1) / burst : 1;
    uint64_t busy = link_time(d->cost, burst ? bursts * burst : r.bytes), data = MAX(now, d->bus), end;
    if (d->cfg.simple) {
        end = data + busy;
    } else {
        uint64_t delay = r.write ? d->t_wl : d->t_cl, column = column_of(d, &r, now);
        data = MAX(column + delay, d->bus);
        column = data - delay;
        end = data + MAX(busy, (bursts - 1) * d->t_ccdl + busy / bursts);  // others may use the gaps between bursts
        d->bank[r.bank].ready = column;
        if (d->t_ccdl) *group_of(d, r.bank) = column + bursts * d->t_ccdl;
        if (r.write)
            d->last_written = d->bank[r.bank].written = end;
        else
            d->last_read = column;
        d->writes = r.write;
    }
    d->bus = data + busy;
    d->count[C_DRAM_BUSY] += busy;  // in 1/256 cycle; scaled when a launch is reported
    if (!r.write) finish(d, ((end + 255) >> 8) + d->cfg.latency, r.tag);
}

void dram_run(Dram *d, uint64_t now)
{
    for (uint64_t t; (t = start_time(d)) <= now << 8;) start(d, t);
}

uint64_t dram_next(const Dram *d)
{
    uint64_t t = start_time(d), next = t == NEVER ? NEVER : (t + 255) >> 8;
    if (d->done_n && d->done[d->done_head].time < next) next = d->done[d->done_head].time;
    return next;
}

bool dram_pop(Dram *d, uint64_t now, uint32_t *tag)
{
    if (!d->done_n || d->done[d->done_head].time > now) return false;
    *tag = d->done[d->done_head].tag;
    d->done_head = (d->done_head + 1) % d->done_cap;
    d->done_n--;
    return true;
}
