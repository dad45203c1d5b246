// packets.h: a line's sectors as packets, one for each segment of 128 bytes that has any: those of a fill, and those
// that are dirty and leave. Nothing of a line is sent before all of its packets have room.
#ifndef SM_PACKETS_H
#define SM_PACKETS_H

#include "sm/unit.h"

#include <string.h>

typedef struct Packets {
    uint64_t base;         // the first segment's address
    uint32_t segments, n;  // that the line covers, or lies in; packets
    uint8_t sectors[32];   // by segment, masks of 4
    uint16_t part[32];     // and partition, set by need_rooms
} Packets;

ALWAYS_INLINE void packets_of(Packets *p, const Cache *c, uint64_t line, uint32_t sectors)
{
    p->base = line & ~(uint64_t)(SEGMENT - 1);
    if (c->line_shift == 7 && (c->sector_shift == 5 || c->sector_shift == 7)) {  // the usual ones
        p->segments = 1;
        p->sectors[0] = (uint8_t)(c->sector_shift == 5 ? sectors : sectors * 15);
        p->n = sectors != 0;
        return;
    }
    p->segments = MAX(c->cfg.line / SEGMENT, 1u);
    memset(p->sectors, 0, sizeof p->sectors);
    for (; sectors; sectors &= sectors - 1) {
        uint32_t from = (uint32_t)(line - p->base) + (uint32_t)__builtin_ctz(sectors) * c->cfg.sector;
        for (uint32_t at = from; at < from + c->cfg.sector; at += SECTOR)
            p->sectors[at / SEGMENT] |= (uint8_t)(1u << at % SEGMENT / SECTOR);
    }
    p->n = 0;
    for (uint32_t k = 0; k < p->segments; k++) p->n += p->sectors[k] != 0;
}

// What must leave before a line is replaced: its dirty sectors. Null: none is replaced.
ALWAYS_INLINE void dirty_packets(Packets *p, const Cache *c, const CacheLine *line)
{
    p->n = p->segments = 0;
    if (line && line->dirty) packets_of(p, c, cache_victim(c, line).address, line->dirty);
}

// Have n packets to a partition credits, or places to wait? If not nothing else helps the transaction.
ALWAYS_INLINE Refusal need_room(Sm *sm, uint32_t part, uint32_t n)
{
    return links_have_room(sm, part, n) ? SERVED : C_L1_REFUSED_LINK | REFUSED_FIRMLY | part << REFUSED_PART;
}

ALWAYS_INLINE Refusal need_rooms(Sm *sm, Packets *p, uint32_t n)
{
    for (uint32_t k = 0; k < p->segments; k++) {
        if (!p->sectors[k]) continue;
        p->part[k] = (uint16_t)partition_of(sm->links.part, p->base + k * SEGMENT, NULL);
        Refusal room = need_room(sm, p->part[k], n);
        if (room) return room;
    }
    return SERVED;
}

// The same for those of a line that is to be replaced: when a reply has landed, it may be another line.
static inline Refusal need_leave(Sm *sm, Packets *dirty, uint32_t n)
{
    Refusal room = dirty->n ? need_rooms(sm, dirty, n) : SERVED;
    return room & ~(Refusal)REFUSED_FIRMLY;
}

ALWAYS_INLINE void send_all(Sm *sm, const Packets *p, Packet *like)
{
    for (uint32_t k = 0; k < p->segments; k++) {
        if (!p->sectors[k]) continue;
        bool write = like->kind == PACKET_WRITE;
        like->address = p->base + k * SEGMENT;
        like->sectors = p->sectors[k];
        like->whole = write ? p->sectors[k] : 0;
        like->translate = KNOWN;
        links_send(sm, p->part[k], like, write ? SECTOR * (uint32_t)__builtin_popcount(p->sectors[k]) : 0);
    }
}

#endif
