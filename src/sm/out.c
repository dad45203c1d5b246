// out.c: the way out of an SM, to the partitions: a queue for each of them, credits, the SM's port, its TLB. A packet
// leaves when its partition has a credit for it; until then it waits in that partition's queue, and those for others
// pass it. Whoever has a packet for a partition whose queue is full is refused, and waits for that partition.
// Invariant: a partition with a credit has an empty queue; packets to one partition keep their order.
#include "sm/sm.h"

void out_open(Sm *sm)
{
    uint32_t n = sm->part->partitions;
    sm->out.cost = link_cost(sm->cfg.bytes_out);
    sm->wire = mem_alloc(sizeof *sm->wire * n);
    sm->credits = mem_alloc(sizeof *sm->credits * n);
    sm->credit = mem_alloc(sizeof *sm->credit * n);
    sm->waiting = mem_alloc(sizeof *sm->waiting * n);
    first_open(&sm->owed, n);
}

void out_close(Sm *sm)
{
    for (uint32_t p = 0; sm->waiting && p < sm->part->partitions; p++) {
        wire_close(&sm->wire[p]);
        mem_free(sm->credits[p].v), mem_free(sm->waiting[p].v);
    }
    wire_close(&sm->late);
    first_close(&sm->owed);
    mem_free(sm->wire), mem_free(sm->credits), mem_free(sm->credit), mem_free(sm->waiting);
}

void out_begin(Sm *sm)
{
    sm->out.free = 0;
    sm->sent = NEVER;
    for (uint32_t p = 0; p < sm->part->partitions; p++) {
        sm->credit[p] = sm->part->credits;  // those still on their way have arrived long ago
        sm->credits[p].head = sm->credits[p].n = sm->waiting[p].head = sm->waiting[p].n = 0;
        first_set(&sm->owed, p, &sm->waiting[p]);
    }
    sm->waiting_all = 0;
}

// A packet that has its credit leaves.
ALWAYS_INLINE void leave(Sm *sm, uint32_t part, Packet *p, uint32_t data)
{
    uint32_t bytes = packet_bytes(sm->part, data);
    p->time = link_pass(&sm->out, sm->now, bytes) + sm->cfg.to_partition + far_there(sm->part, part, sm->index);
    Wire *to = &sm->wire[part];
    if (sm->tlb.lines) {
        bool hit = tlb_lookup(&sm->tlb, p->address);
        sm->count[C_TLB1_ACCESSES]++;
        sm->count[hit ? C_TLB1_HITS : C_TLB1_MISSES]++;
        if (!hit) p->translate = ASK_TLB2, to = &sm->late;
    }
    fifo_put_sorted(&to->box[sm->parity], p);
    sm->sent = MIN(sm->sent, p->time);
    sm->count[C_REQUESTS]++;
    sm->count[C_AWAITED] += !p->quiet;
    sm->count[C_LINK_OUT] += bytes;
}

void out_send(Sm *sm, uint32_t part, Packet *p, uint32_t data)
{
    p->sm = (uint16_t)sm->index;
    if (sm->credit[part]) {
        sm->credit[part]--;
        leave(sm, part, p, data);
        return;
    }
    p->time = data;  // while it waits
    fifo_put(&sm->waiting[part], p);
    first_set(&sm->owed, part, &sm->credits[part]);
    sm->waiting_all++;
}

bool out_drain(Sm *sm)
{
    bool helps = false;
    while (first_due(&sm->owed, sm->now)) {
        uint32_t part = first_queue(&sm->owed);
        Fifo *f = &sm->waiting[part], *credits = &sm->credits[part];
        Packet *p = &f->v[f->head++];
        credits->head++;
        leave(sm, part, p, (uint32_t)p->time);
        sm->waiting_all--;
        if (f->head == f->n) f->head = f->n = 0;
        first_set(&sm->owed, part, f->n ? credits : f);
        helps |= part == sm->refused_part;
    }
    return helps;
}
