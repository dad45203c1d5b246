// port.c: ports, the SM's caches as its load-store unit sees them, as a whole: they are opened, take another launch's
// sizes, are emptied by a fence, and closed. A port without a cache is the way past all of them. What a transaction
// does there stands in transaction.c, the misses under way in misses.c. No dirty sector is lost: what a smaller cache
// has no room for leaves when the SM runs next, and a fence is over when all have left.
#include "sm/misses.h"
#include "sm/packets.h"

static bool open_port(Port *port, const CacheCfg *cfg, uint32_t most, const PortCounters *counts, uint64_t seed,
                      const Port *like, const char **why)
{
    *port = (Port){.counts = counts, .most = most, .free = most, .mshrs = port, .seed = seed};
    return cache_open_like(&port->cache, cfg, seed, like ? &like->cache : NULL, why);
}

// A private L1 for each warp, of the L1's size each, but with its MSHRs: nobody pushes out what another brought. No
// hardware does that; it says what interference costs (ciao §I).
static bool open_own(Sm *sm, const PortCounters *counts, const char **why)
{
    const SmCfg *c = &sm->cfg;
    if (!c->l1_private || !c->l1.size) return true;
    sm->ports.own = mem_try(c->max_warps, sizeof *sm->ports.own);
    *why = mem_none;
    for (uint32_t w = 0; sm->ports.own && w < c->max_warps; w++) {
        Port *port = &sm->ports.own[w];
        if (!open_port(port, &c->l1, 0, counts, 6000 + sm->index * 64 + w, &sm->ports.port[PORT_L1], why)) return false;
        port->mshrs = &sm->ports.port[PORT_L1];
        port->extra = c->lsu_extra;
    }
    return sm->ports.own;
}

bool ports_open(Sm *sm, const char **why)
{
    static const PortCounters l1 = {C_L1_ACCESSES,  C_L1_HITS,   C_L1_MISSES,    C_L1_MERGES,    C_L1_READS,
                                    C_L1_READ_HITS, C_L1_WRITES, C_L1_EVICTIONS, C_L1_WRITEBACKS},
                              readonly = {C_RO_ACCESSES, C_RO_HITS, C_RO_MISSES, C_RO_MERGES, UNCOUNTED,
                                          UNCOUNTED,     UNCOUNTED, UNCOUNTED,   UNCOUNTED},
                              constant = {C_CONST_ACCESSES, C_CONST_HITS, C_CONST_MISSES, C_CONST_MERGES, UNCOUNTED,
                                          UNCOUNTED,        UNCOUNTED,    UNCOUNTED,      UNCOUNTED},
                              scratch = {C_SCRATCH_ACCESSES, C_SCRATCH_HITS, C_SCRATCH_MISSES,
                                         C_SCRATCH_MERGES,   UNCOUNTED,      UNCOUNTED,
                                         UNCOUNTED,          UNCOUNTED,      UNCOUNTED};
    const SmCfg *c = &sm->cfg;
    Port *port = sm->ports.port;
    const Port *like = sm->like ? sm->like->ports.port : port;
    if (!open_port(&port[PORT_L1], &c->l1, c->l1.mshrs, &l1, 1000 + sm->index, &like[PORT_L1], why)) return false;
    if (!open_port(&port[PORT_READONLY], &c->ro, c->ro.mshrs, &readonly, 2000 + sm->index, &like[PORT_READONLY], why))
        return false;
    if (!open_port(&port[PORT_CONSTANT], &c->cst, c->cst.mshrs, &constant, 3000 + sm->index, &like[PORT_CONSTANT], why))
        return false;
    if (!open_port(&port[PORT_SCRATCH], &c->scratch, c->scratch.mshrs, &scratch, 5000 + sm->index, &like[PORT_SCRATCH],
                   why))
        return false;
    if (!open_port(&port[PORT_PAST], &(CacheCfg){0}, c->pending, NULL, 0, NULL, why)) return false;
    if (!open_port(&port[PORT_COPY], &(CacheCfg){0}, c->copy_requests, NULL, 0, NULL, why)) return false;
    port[PORT_SCRATCH].mshrs = &port[PORT_L1];
    for (int k = 0; k < PORT_COUNT; k++) port[k].extra = k == PORT_READONLY ? c->ro_extra : c->lsu_extra;
    sm->ports.free_wait = NONE;
    make_pends(sm);
    *why = mem_none;
    if (!prefetch_open(sm)) return false;
    return open_own(sm, &l1, why);
}

void ports_begin(Sm *sm)
{
    plug_begin(&sm->ports.port[PORT_L1].cache);
    for (uint32_t w = 0; sm->ports.own && w < sm->cfg.max_warps; w++) plug_begin(&sm->ports.own[w].cache);
    prefetch_begin(sm);
}

void ports_judge(Sm *sm)
{
    Text why = {0};
    char where[40];
    snprintf(where, sizeof where, "the L1 of SM %u", sm->index);
    bool wrong = plug_wrong(&sm->ports.port[PORT_L1].cache, where, &why);
    for (uint32_t w = 0; !wrong && sm->ports.own && w < sm->cfg.max_warps; w++)
        wrong = plug_wrong(&sm->ports.own[w].cache, where, &why);
    if (wrong) {
        sm->env.fault = (Fault){.kind = FAULT_POLICY, .cycle = sm->now};
        snprintf(sm->env.fault.note, sizeof sm->env.fault.note, "%s", why.v);
    }
    text_free(&why);
}

void ports_flush(Sm *sm)
{
    if (sm->why && !sm->ports.port[PORT_L1].cache.cfg.keep) why_flush(sm);
    for (int k = 0; k < PORT_COUNT; k++)
        if (!sm->ports.port[k].cache.cfg.keep) cache_flush(&sm->ports.port[k].cache);
    for (uint32_t w = 0; sm->ports.own && w < sm->cfg.max_warps; w++)
        if (!sm->ports.own[w].cache.cfg.keep) cache_flush(&sm->ports.own[w].cache);
}

bool ports_await(const Sm *sm)
{
    for (int k = 0; k < PORT_COUNT; k++)
        if (sm->ports.port[k].free < sm->ports.port[k].most) return true;
    return false;
}

void ports_close(Sm *sm)
{
    for (int k = 0; k < PORT_COUNT; k++) cache_close(&sm->ports.port[k].cache);
    for (uint32_t w = 0; sm->ports.own && w < sm->cfg.max_warps; w++) cache_close(&sm->ports.own[w].cache);
    mem_free(sm->ports.own);
    prefetch_close(sm);
    mem_free(sm->ports.pend), mem_free(sm->ports.wait), mem_free(sm->ports.left.v);
}

// --- another launch's sizes ------------------------------------------------------------------------------------------
// A line that had no room in a cache that became smaller: what is dirty in it leaves when the SM runs next.
static void leave_later(void *user, const Cache *before, const Victim *gone)
{
    Sm *sm = user;
    Packets dirty;
    if (!gone->dirty) return;
    packets_of(&dirty, before, gone->address, gone->dirty);
    for (uint32_t k = 0; k < dirty.segments; k++)
        if (dirty.sectors[k])
            fifo_put(&sm->ports.left, &(Packet){.kind = PACKET_WRITE,
                                                .address = dirty.base + k * SEGMENT,
                                                .sectors = dirty.sectors[k],
                                                .whole = dirty.sectors[k],
                                                .quiet = true});
    sm->ports.left_lines++;
}

void port_write_left(Sm *sm)
{
    for (size_t k = 0; k < sm->ports.left.n; k++) {
        Packet *p = &sm->ports.left.v[k];
        uint32_t bytes = SECTOR * (uint32_t)__builtin_popcount(p->sectors);
        links_send(sm, partition_of(sm->links.part, p->address, NULL), p, bytes);
    }
    sm->count[C_L1_WRITEBACKS] += sm->ports.left_lines;
    sm->ports.left.n = sm->ports.left_lines = 0;
}

static bool resize(Sm *sm, Port *port, const CacheCfg *to, const Port *like, const char **why)
{
    const Cache *c = &port->cache;
    bool stay = to->keep && sm->cfg.repartition == REPARTITION_KEEP;
    // What may leave: twice, since it may wait in another queue.
    uint64_t most = 2 * sizeof(Packet) * cache_line_count(c) * (uint64_t)MAX(to->line / SEGMENT, 1u);
    if (stay && most && !mem_room(most)) return *why = mem_none, false;
    return cache_resize(&port->cache, to, port->seed, &like->cache, stay ? leave_later : NULL, sm, why);
}

bool ports_resize(Sm *sm, const char **why)
{
    const CacheCfg *wants[PORT_COUNT] = {[PORT_L1] = &sm->cfg.l1, [PORT_SCRATCH] = &sm->cfg.scratch};
    const Port *like = sm->like ? sm->like->ports.port : sm->ports.port;
    for (int k = 0; k < PORT_COUNT; k++) {
        Port *port = &sm->ports.port[k];
        if (!wants[k] || wants[k]->size == port->cache.cfg.size) continue;
        port->most = port->free = wants[k]->mshrs;
        if (!resize(sm, port, wants[k], &like[k], why)) return false;
    }
    make_pends(sm);
    for (uint32_t w = 0; sm->ports.own && w < sm->cfg.max_warps; w++) {
        Port *port = &sm->ports.own[w];
        if (port->cache.cfg.size != sm->cfg.l1.size && !resize(sm, port, &sm->cfg.l1, &sm->ports.port[PORT_L1], why))
            return false;
    }
    return true;
}

// --- fences ----------------------------------------------------------------------------------------------------------
// Dirty lines leave, as far as their ways have room.
static Refusal write_dirty(Sm *sm, Port *port)
{
    Cache *c = &port->cache;
    for (uint32_t k = 0, n = cache_line_count(c); k < n; k++) {
        CacheLine *line = &c->lines[k];
        Packets dirty;
        if (!c->tags[k] || !line->dirty) continue;
        packets_of(&dirty, c, cache_tagged(c, k), line->dirty);
        Refusal room = need_rooms(sm, &dirty, dirty.n);
        if (room) return room;
        send_all(sm, &dirty, &(Packet){.kind = PACKET_WRITE, .structure = (uint8_t)line->owner, .quiet = true});
        port_count_data(sm, port, line->dirty, false, (uint8_t)line->owner);
        sm->count[port->counts->write_backs]++;
        line->dirty = 0;
    }
    return SERVED;
}

static Refusal empty(Sm *sm, Port *port)
{
    Cache *c = &port->cache;
    if (!c->lines || !c->used) return SERVED;
    Refusal room = write_dirty(sm, port);
    if (room) return room;
    if (sm->why && port == &sm->ports.port[PORT_L1]) why_flush(sm);
    for (uint32_t k = 0, n = cache_line_count(c); k < n; k++) {
        if (!c->tags[k]) continue;
        port_abandon(sm, &c->lines[k]);
        sm->count[C_L1_EMPTIED]++;
    }
    cache_flush(c);
    return SERVED;
}

Refusal ports_empty(Sm *sm)
{
    Refusal r = empty(sm, &sm->ports.port[PORT_L1]);
    if (!r) r = empty(sm, &sm->ports.port[PORT_SCRATCH]);
    for (uint32_t w = 0; sm->ports.own && w < sm->cfg.max_warps && !r; w++) r = empty(sm, &sm->ports.own[w]);
    return r;
}
