// misses.h: the misses under way (Pend), each with those that wait for its replies: how one begins, and how another
// request joins it. Inline, since every transaction of a port may do so.
#ifndef SM_MISSES_H
#define SM_MISSES_H

#include "sm/unit.h"

#include <assert.h>

enum { NONE = UINT32_MAX };  // no tracker; no further wait

// misses.c
void make_pends(Sm *sm);  // as many as all ports may have, none of them under way
void more_waits(Sm *sm);

ALWAYS_INLINE void add_wait(Sm *sm, Pend *p, uint32_t tracker)
{
    p->count++;
    if (tracker == NONE) return;
    if (sm->ports.free_wait == NONE) more_waits(sm);
    uint32_t w = sm->ports.free_wait;
    sm->ports.free_wait = sm->ports.wait[w].next;
    sm->ports.wait[w] = (PendWait){tracker, p->first};
    p->first = w;
}

static inline bool may_miss(const Sm *sm, const Port *port)
{
    return port->mshrs->free && sm->ports.free_pend < sm->ports.pend_cap;
}

static inline uint32_t new_pend(Sm *sm, Port *port, CacheLine *line, uint32_t packets)
{
    uint32_t k = sm->ports.free_pend;
    assert(may_miss(sm, port));
    sm->ports.free_pend = k + 1 + sm->ports.pend[k].next_free;
    sm->ports.pend[k] = (Pend){.port = port, .line = line, .packets = packets, .first = NONE};
    port->mshrs->free--;
    return k;
}

#endif
