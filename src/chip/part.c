// part.c: which blocks of a launch are timed, where it is timed on a k-th of its SMs (slices.c). Blocks come to the SMs
// in turn, a row at a time, so the timed ones are the beginning of each row: neighbours, which share lines, stay
// together, and SMs that get a block more than others are among them.
#include "chip/unit.h"

Part part_of(uint64_t blocks, uint32_t sms, uint32_t k)
{
    Part p = {.row = (uint32_t)MIN(blocks, sms), .blocks = blocks};
    p.run = MAX(p.row / k, 1u);
    const uint64_t rest = blocks % p.row;
    p.timed = blocks / p.row * p.run + MIN(rest, p.run);
    return p;
}

uint64_t part_block(const Part *p, uint64_t n) { return n / p->run * p->row + n % p->run; }

uint64_t part_other(const Part *p, uint64_t n)
{
    const uint64_t others = p->row - p->run;
    return n / others * p->row + p->run + n % others;
}

void part_slow(const Part *p, const Chip *c, PartTraffic *t, uint64_t now)
{
    const double each = (double)p->blocks / (double)p->timed, kept = 0.9, little = 64 * SECTOR;
    uint64_t own = 0, others = 0;
    EACH_AWAKE(c, q)
    own += q->count[C_DRAM_READ_BYTES] + q->count[C_DRAM_WRITE_BYTES], others += q->passed_read + q->passed_written;
    t->own = t->own * kept + (double)(own - t->own_all), t->own_all = own;
    t->others = t->others * kept + (double)(others - t->others_all), t->others_all = others;
    const double seen = 1 + (t->others + little * (each - 1)) / (t->own + little), most = 2 * each;
    const double channel = p->alone ? each : MIN(seen, most);
    double stood[STANDS] = {0}, units = 0, channels = 0;
    EACH_AWAKE(c, q)
    {
        for (int k = 0; k < STANDS_DRAM; k++) stood[k] += (double)q->stood[k], q->stood[k] = 0;
        if (q == q->first_slice) stood[STANDS_DRAM] += (double)q->channel.stood, q->channel.stood = 0, channels++;
        units++;
    }
    uint32_t wait[STANDS];
    for (int k = 0; k < STANDS; k++) {
        const double work = stood[k] / 256 / (k == STANDS_DRAM ? channels : units);
        t->work[k] += work;
        t->behind[k] = MAX(t->behind[k] + work - (double)(now - t->at), 0);
        wait[k] = (uint32_t)t->behind[k];
    }
    t->at = now;
    EACH_AWAKE(c, q)
    partition_slow(q, (uint32_t)(each * ALL_THERE + 0.5), (uint32_t)(channel * ALL_THERE + 0.5), wait);
}
