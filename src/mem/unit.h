// unit.h: what the files of mem ask of each other. What other parts call stands in mem.h.
#ifndef MEM_UNIT_H
#define MEM_UNIT_H

#include "mem/mem.h"

// --- dram.c: one channel ---------------------------------------------------------------------------------------------
void dram_open(Dram *d, const DramCfg *cfg, uint64_t *count);
void dram_begin(Dram *d);  // time begins at 0 again; nothing is under way, all rows are closed
void dram_close(Dram *d);
static inline uint32_t dram_room(const Dram *d) { return d->cfg.queue - d->n; }
// The reads that so many bytes take.
static inline uint32_t dram_parts(const DramCfg *cfg, uint32_t bytes)
{
    return !cfg->request || bytes <= cfg->request ? bytes != 0 : (bytes + cfg->request - 1) / cfg->request;
}
// There is room. A read is told of (dram_pop) once the last of its dram_parts is complete.
void dram_put(Dram *d, uint64_t now, uint64_t address, uint32_t bytes, bool write, uint32_t tag);
static inline uint64_t dram_done(const Dram *d) { return d->done_n ? d->done[d->done_head].time : NEVER; }  // the next
// The next cycle at which something happens, or NEVER.
static inline uint64_t dram_next(const Dram *d)
{
    return MIN(d->starts == NEVER ? NEVER : (d->starts + 255) >> 8, dram_done(d));
}
static inline bool dram_pop(Dram *d, uint64_t now, uint32_t *tag)  // a read that is complete at now
{
    if (dram_done(d) > now || !d->done_n) return false;
    *tag = d->done[d->done_head].tag;
    d->done_head = (d->done_head + 1) & (d->done_cap - 1);
    d->done_n--;
    return true;
}
// Starts what can start by cycle `to`, as long as no read completes before, and until there is room for so many
// requests. Returns the cycle of the last start, NEVER: there was none.
uint64_t dram_run(Dram *d, uint64_t to, uint32_t room);

// --- partition.c: a slice of L2 with its DRAM channel ----------------------------------------------------------------
static inline uint32_t far_back(const PartitionCfg *cfg, uint32_t part, uint32_t sm)
{
    return partition_is_far(cfg, part, sm) ? cfg->far - cfg->far / 2 : 0;
}

#endif
