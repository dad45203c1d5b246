// dram.c: one DRAM channel. Requests wait in a queue; the next to start is the oldest that finds its row open, or else
// the oldest (FR-FCFS). A bank is prepared while the bus still carries earlier data: a request is started as soon as
// the bus is free within the time that preparation takes. Reads and writes share the bus without a turnaround penalty,
// refresh and tFAW aren't modelled (doc/model-errors.md). Invariant: completion times don't decrease.
#include "mem/mem.h"

#include <string.h>

static uint64_t fixed(double cycles) { return (uint64_t)(cycles * 256 + 0.5); }

void dram_open(Dram *d, const DramCfg *cfg, uint64_t *count)
{
    *d = (Dram){.cfg = *cfg, .count = count};
    d->cost = link_cost(cfg->bytes_per_cycle);
    d->t_cl = fixed(cfg->cl / cfg->clock_ratio), d->t_rcd = fixed(cfg->rcd / cfg->clock_ratio);
    d->t_rp = fixed(cfg->rp / cfg->clock_ratio), d->t_ras = fixed(cfg->ras / cfg->clock_ratio);
    d->queue = mem_alloc(sizeof *d->queue * 2 * cfg->queue);
    d->bank = mem_alloc(sizeof *d->bank * MAX(cfg->banks, 1u));
    for (uint32_t b = 0; b < cfg->banks; b++) d->bank[b].row = ~0ull;
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
    if (d->done_n == d->done_cap) {
        uint32_t cap = d->done_cap ? d->done_cap * 2 : 64;
        DramDone *v = mem_alloc(sizeof *v * cap);
        for (uint32_t k = 0; k < d->done_n; k++) v[k] = d->done[(d->done_head + k) % d->done_cap];
        mem_free(d->done);
        d->done = v, d->done_cap = cap, d->done_head = 0;
    }
    d->done[(d->done_head + d->done_n++) % d->done_cap] = (DramDone){time, tag};
}

static void start(Dram *d, uint64_t now)
{
    DramRequest *queue = d->queue + d->head;
    uint32_t pick = 0;
    if (!d->cfg.simple)
        for (uint32_t k = 0; k < d->n && queue[k].arrival <= now; k++)
            if (d->bank[queue[k].bank].row == queue[k].row) {
                pick = k;
                break;
            }
    DramRequest r = queue[pick];
    for (uint32_t k = pick; k; k--) queue[k] = queue[k - 1];
    d->head++, d->n--;
    uint64_t data = now;
    if (!d->cfg.simple) {
        DramBank *b = &d->bank[r.bank];
        uint64_t column = MAX(now, b->ready);
        if (b->row == r.row) {
            d->count[C_DRAM_ROW_HITS]++;
        } else {
            uint64_t open = column;
            if (b->row != ~0ull) open = MAX(column, b->active + d->t_ras) + d->t_rp;
            b->active = open;
            b->row = r.row;
            column = open + d->t_rcd;
            d->count[C_DRAM_ROW_MISSES]++;
        }
        data = column + d->t_cl;
        data = MAX(data, d->bus);
        b->ready = data - d->t_cl;
    }
    data = MAX(data, d->bus);
    d->bus = data + link_time(d->cost, r.bytes);
    d->count[C_DRAM_BUSY] += link_time(d->cost, r.bytes);  // in 1/256 cycle; scaled when a launch is reported
    if (!r.write) finish(d, ((d->bus + 255) >> 8) + d->cfg.latency, r.tag);
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
