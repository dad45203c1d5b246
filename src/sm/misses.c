// misses.c: the misses under way, from the request that leaves the SM to its last reply. A reply's sectors become
// valid, and all that waited for them go on. Conservation: every packet that wants a reply gets one, and the misses
// under way are those whose replies are still to come. A miss that is over is the first to begin again.
#include "sm/misses.h"

void make_pends(Sm *sm)
{
    uint32_t most = 0;
    for (int k = 0; k < PORT_COUNT; k++)
        if (sm->ports.port[k].mshrs == &sm->ports.port[k]) most += sm->ports.port[k].most;
    if (sm->ports.pend && most == sm->ports.pend_cap) return;
    mem_free(sm->ports.pend);
    sm->ports.pend_cap = most;
    sm->ports.pend = mem_alloc(sizeof *sm->ports.pend * MAX(most, 1u));
    sm->ports.free_pend = 0;
}

void more_waits(Sm *sm)
{
    uint32_t cap = sm->ports.wait_cap ? sm->ports.wait_cap * 2 : 256;
    sm->ports.wait = mem_resize(sm->ports.wait, cap * sizeof *sm->ports.wait);
    for (uint32_t k = sm->ports.wait_cap; k < cap; k++) sm->ports.wait[k].next = k + 1 < cap ? k + 1 : NONE;
    sm->ports.free_wait = sm->ports.wait_cap;
    sm->ports.wait_cap = cap;
}

bool port_fills(const Sm *sm, const Packet *r, const Port *port, uint32_t first, uint32_t ways)
{
    const Pend *p = &sm->ports.pend[r->tag];
    return p->packets == 1 && p->line && p->port == port && (uint32_t)(p->line - port->cache.lines) - first < ways;
}

void port_reply(Sm *sm, const Packet *r)
{
    Pend *p = &sm->ports.pend[r->tag];
    if (--p->packets) return;
    if (p->line) {
        port_count_data(sm, p->port, p->line->pending, true, (uint8_t)p->line->owner);
        p->line->valid |= p->line->pending;
        p->line->pending = 0;
    }
    p->port->mshrs->free++;
    for (uint32_t w = p->first; w != NONE;) {
        uint32_t next = sm->ports.wait[w].next;
        uint32_t tracker = sm->ports.wait[w].tracker;
        sm->ports.wait[w].next = sm->ports.free_wait;
        sm->ports.free_wait = w;
        if (p->port == &sm->ports.port[PORT_COPY])
            engine_reply(sm, tracker);
        else
            lsu_done(sm, tracker, sm->now + p->port->extra);
        w = next;
    }
    p->next_free = sm->ports.free_pend - (r->tag + 1);
    sm->ports.free_pend = r->tag;
}

void port_forget(Sm *sm, Port *port, CacheLine *line)
{
    port_abandon(sm, line);
    cache_drop(&port->cache, line);
}
