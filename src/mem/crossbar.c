// crossbar.c: the way from the partitions to the SMs where a partition's replies keep their order. One that waits for
// its SM's link holds up those behind it, whose SMs may be idle: head-of-line blocking. Of a large crossbar's bandwidth
// 2 - sqrt(2) = 0.59 is left that way, where destinations are random (Karol et al., IEEE Trans. Commun. 1987).
// It runs at a window's edge, and settles what begins before a cycle that no later reply can arrive by. Invariant: a
// reply passes at the first cycle at which it has arrived, the one before it is through, and its SM's link is free; of
// several for one SM, that of the partition that has waited longest.
#include "mem/mem.h"

#include <string.h>

bool crossbar_open(Crossbar *x, const PartitionCfg *cfg, double bytes_in)
{
    *x = (Crossbar){.cfg = *cfg, .cost = link_cost(bytes_in), .due = NEVER};
    x->queue = mem_try(cfg->partitions, sizeof *x->queue);
    x->free = mem_try(cfg->partitions, sizeof *x->free);
    x->sm_free = mem_try(cfg->sms, sizeof *x->sm_free);
    x->head = mem_try(cfg->partitions, sizeof *x->head);
    x->came = mem_try(cfg->partitions, sizeof *x->came);
    x->wire = mem_try(cfg->sms, sizeof *x->wire);
    return x->queue && x->free && x->sm_free && x->head && x->came && x->wire;
}

void crossbar_close(Crossbar *x)
{
    for (uint32_t p = 0; p < x->cfg.partitions && x->queue; p++) mem_free(x->queue[p].v);
    for (uint32_t k = 0; k < x->cfg.sms && x->wire; k++) wire_close(&x->wire[k]);
    mem_free(x->queue), mem_free(x->free), mem_free(x->sm_free), mem_free(x->head), mem_free(x->came);
    mem_free(x->wire);
    *x = (Crossbar){0};
}

void crossbar_begin(Crossbar *x)
{
    // What is left are acknowledgements that nobody waited for.
    for (uint32_t p = 0; p < x->cfg.partitions; p++)
        x->queue[p].head = x->queue[p].n = 0, x->head[p] = (CrossbarHead){NEVER, 0};
    for (uint32_t k = 0; k < x->cfg.sms; k++) wire_clear(&x->wire[k]);
    memset(x->free, 0, sizeof *x->free * x->cfg.partitions);
    memset(x->sm_free, 0, sizeof *x->sm_free * x->cfg.sms);
}

// Another reply stands first in a partition's queue.
static void set_head(Crossbar *x, uint32_t p)
{
    const Fifo *f = &x->queue[p];
    CrossbarHead *h = &x->head[p];
    *h = (CrossbarHead){NEVER, 0};
    if (f->head == f->n) return;
    const Packet *r = &f->v[f->head];
    const uint64_t through = (x->free[p] + 255) >> 8;
    *h = (CrossbarHead){MAX(r->time, through), r->sm};
}

// The partition whose first reply can pass next; of several at once the one whose last reply is longest ago.
static uint32_t next_of(Crossbar *x)
{
    const CrossbarHead *head = x->head;
    uint64_t due = NEVER;
    uint32_t best = 0;
    for (uint32_t p = 0; p < x->cfg.partitions; p++) {
        const uint64_t link = x->sm_free[head[p].sm], at = MAX(head[p].at, link);
        if (at < due || (at == due && x->free[p] < x->free[best])) due = at, best = p;
    }
    x->due = due;
    return best;
}

void crossbar_look(Crossbar *x, const Partition *parts)
{
    for (uint32_t p = 0; p < x->cfg.partitions; p++) x->came[p] = parts[p].sent != NEVER;
}

void crossbar_run(Crossbar *x, const Partition *parts, uint64_t window, uint64_t horizon)
{
    for (uint32_t p = 0; p < x->cfg.partitions; p++) {
        if (x->came[p] && wire_take(parts[p].reply, window, &x->queue[p])) set_head(x, p);
    }
    for (uint32_t p; p = next_of(x), x->due < horizon;) {
        Fifo *f = &x->queue[p];
        Packet *r = &f->v[f->head++];
        x->free[p] = (x->due << 8) + link_time(x->cost, reply_bytes(&x->cfg, r));
        x->sm_free[r->sm] = (x->free[p] + 255) >> 8;
        r->time = x->due;
        fifo_put(&x->wire[r->sm].box[(window & 1) ^ 1], r);
        if (f->head == f->n) f->head = f->n = 0;
        set_head(x, p);
    }
}
