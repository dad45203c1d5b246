// links.c: an SM's ways to and from the partitions. On the way out there is a queue for each partition, its credits,
// the SM's port, and the L1 TLB. A packet leaves when its partition has a credit for it; until then it waits in that
// partition's queue, and packets for others pass it. Whoever has a packet for a partition whose queue is full is
// refused, and waits for that partition. On the way in, replies cross the SM's port and land in the load-store unit.
// Invariant: a partition with a credit has an empty queue; packets to one partition keep their order.
#include "sm/unit.h"

#include <string.h>

bool links_open(Sm *sm, const PartitionCfg *part, const char **why)
{
    Links *l = &sm->links;
    uint32_t n = part->partitions;
    l->part = part;
    if (!tlb_open(&l->tlb, &sm->cfg.tlb, 4000 + sm->index, why)) return false;
    l->out.cost = link_cost(sm->cfg.bytes_out);
    l->in.cost = link_cost(sm->cfg.bytes_in);
    l->wire = mem_alloc(sizeof *l->wire * n);
    l->credits = mem_alloc(sizeof *l->credits * n);
    l->credit = mem_alloc(sizeof *l->credit * n);
    l->waiting = mem_alloc(sizeof *l->waiting * n);
    l->inboxes = part->ordered ? 1 : n;
    l->inbox = mem_alloc(sizeof *l->inbox * l->inboxes);
    l->asked = mem_alloc(sizeof *l->asked * n);
    first_open(&l->owed, n);
    first_open(&l->first, l->inboxes);
    return true;
}

void links_close(Sm *sm)
{
    Links *l = &sm->links;
    cache_close(&l->tlb);
    for (uint32_t p = 0; l->inbox && p < l->part->partitions; p++) {
        wire_close(&l->wire[p]);
        mem_free(l->credits[p].v), mem_free(l->waiting[p].v);
    }
    for (uint32_t p = 0; l->inbox && p < l->inboxes; p++) mem_free(l->inbox[p].v);
    wire_close(&l->late);
    first_close(&l->owed), first_close(&l->first);
    mem_free(l->wire), mem_free(l->credits), mem_free(l->credit), mem_free(l->waiting), mem_free(l->inbox);
    mem_free(l->landing.v), mem_free(l->asked);
}

void links_begin(Sm *sm)
{
    Links *l = &sm->links;
    l->out.free = l->in.free = 0;
    l->sent = NEVER;
    l->asks = false;
    memset(l->asked, 0, sizeof *l->asked * l->part->partitions);
    for (uint32_t p = 0; p < l->part->partitions; p++) {
        l->credit[p] = l->part->credits;  // those still on their way have arrived long ago
        l->credits[p].head = l->credits[p].n = l->waiting[p].head = l->waiting[p].n = 0;
        first_set(&l->owed, p, &l->waiting[p]);
    }
    for (uint32_t p = 0; p < l->inboxes; p++) {
        l->inbox[p].head = l->inbox[p].n = 0;  // acknowledgements, which nobody waits for
        first_set(&l->first, p, &l->inbox[p]);
    }
    l->waiting_all = 0;
}

void links_flush(Sm *sm) { cache_flush(&sm->links.tlb); }

bool links_empty(const Sm *sm)
{
    const Links *l = &sm->links;
    bool empty = !l->waiting_all && !l->late.box[0].n && !l->late.box[1].n;
    for (uint32_t p = 0; p < l->part->partitions && empty; p++) empty = !l->wire[p].box[0].n && !l->wire[p].box[1].n;
    return empty;
}

void links_take(Sm *sm, Wire *const *reply, Wire *const *credit, uint64_t window)
{
    Links *l = &sm->links;
    for (uint32_t p = 0; p < l->inboxes; p++)
        if (wire_take(reply[p], window, &l->inbox[p])) first_set(&l->first, p, &l->inbox[p]);
    for (uint32_t p = 0; p < l->part->partitions; p++)
        if (wire_take(credit[p], window, &l->credits[p]) && links_wait(l, p)) first_set(&l->owed, p, &l->credits[p]);
    l->parity = window & 1;
    l->sent = NEVER;
}

// --- the way out -----------------------------------------------------------------------------------------------------
// A packet that has its credit leaves.
ALWAYS_INLINE void leave(Sm *sm, uint32_t part, Packet *p, uint32_t data)
{
    Links *l = &sm->links;
    uint32_t bytes = packet_bytes(l->part, data);
    p->time = link_pass(&l->out, sm->now, bytes) + sm->cfg.to_partition + far_there(l->part, part, sm->index);
    Wire *to = &l->wire[part];
    if (l->tlb.lines) {
        bool hit = tlb_lookup(&l->tlb, p->address);
        sm->count[C_TLB1_ACCESSES]++;
        sm->count[hit ? C_TLB1_HITS : C_TLB1_MISSES]++;
        if (!hit) p->translate = ASK_TLB2, to = &l->late;
    }
    fifo_put_sorted(&to->box[l->parity], p);
    l->sent = MIN(l->sent, p->time);
    if (!l->asked[part]) l->asked[part] = l->asks = true;
    sm->count[C_REQUESTS]++;
    sm->count[C_AWAITED] += !p->quiet;
    sm->count[C_LINK_OUT] += bytes;
}

void links_send(Sm *sm, uint32_t part, Packet *p, uint32_t data)
{
    Links *l = &sm->links;
    p->sm = (uint16_t)sm->index;
    if (l->credit[part]) {
        l->credit[part]--;
        leave(sm, part, p, data);
        return;
    }
    p->time = data;  // while it waits
    fifo_put(&l->waiting[part], p);
    first_set(&l->owed, part, &l->credits[part]);
    l->waiting_all++;
}

bool links_drain(Sm *sm, uint32_t wanted)
{
    Links *l = &sm->links;
    bool helps = false;
    while (first_due(&l->owed, sm->now)) {
        uint32_t part = first_queue(&l->owed);
        Fifo *f = &l->waiting[part], *credits = &l->credits[part];
        Packet *p = &f->v[f->head++];
        credits->head++;
        leave(sm, part, p, (uint32_t)p->time);
        l->waiting_all--;
        if (f->head == f->n) f->head = f->n = 0;
        first_set(&l->owed, part, f->n ? credits : f);
        helps |= part == wanted;
    }
    return helps;
}

// --- the way in ------------------------------------------------------------------------------------------------------

void links_land(Sm *sm, const Packet *p)
{
    Fifo *f = &sm->links.landing;
    if (f->head == f->n) f->head = f->n = 0;
    fifo_put_sorted(f, p);  // what comes from within the SM overtakes
}

void links_deliver(Sm *sm)
{
    Links *l = &sm->links;
    while (first_due(&l->first, sm->now)) {
        uint32_t part = first_queue(&l->first);
        Fifo *f = &l->inbox[part];
        Packet *r = &f->v[f->head++];
        r->time = link_pass(&l->in, r->time, reply_bytes(l->part, r));
        if (!r->quiet) links_land(sm, r);
        first_set(&l->first, part, f);
    }
    while (l->landing.head < l->landing.n && l->landing.v[l->landing.head].time <= sm->now) {
        lsu_reply(sm, &l->landing.v[l->landing.head++]);
        sm->last_event = sm->now + 1;
    }
}
