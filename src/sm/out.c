// out.c: the way out of an SM, to the partitions: credits, the SM's port, its TLB. A packet leaves when its partition
// has a credit for it; whoever has a packet for a partition without one is refused, and waits for that partition.
#include "sm/sm.h"

// Sends a packet with so many bytes of data to a partition; its credit is there.
void out_send(Sm *sm, uint32_t part, Packet *p, uint32_t data)
{
    uint32_t bytes = packet_bytes(sm->part, data);
    sm->credit[part]--;
    p->sm = (uint16_t)sm->index;
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
