// coalesce.c: lanes' addresses → segments of 128 bytes with the 32-byte sectors that are touched. A lane's access may
// straddle two segments (vectors of up to 32 bytes don't, being aligned; byte accesses of copies may not either, but
// nothing here relies on it).
#include "mem/mem.h"

static void add(Segment *out, uint32_t *n, uint64_t address, uint32_t bytes)
{
    uint64_t segment = address & ~(uint64_t)(SEGMENT - 1);
    uint32_t from = (uint32_t)(address - segment) / SECTOR, to = (uint32_t)(address + bytes - 1 - segment) / SECTOR;
    uint32_t sectors = ((2u << to) - 1) & ~((1u << from) - 1);
    for (uint32_t k = *n; k-- > 0;) {
        if (out[k].address != segment) continue;
        out[k].sectors |= sectors;
        out[k].bytes += bytes;
        return;
    }
    out[(*n)++] = (Segment){segment, sectors, bytes};
}

uint32_t coalesce(const uint64_t *addr, uint32_t lanes, uint32_t bytes, Segment *out)
{
    uint32_t n = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = addr[__builtin_ctz(lanes)];
        uint32_t room = SEGMENT - (uint32_t)(a & (SEGMENT - 1));
        if (bytes <= room) {
            add(out, &n, a, bytes);
        } else {
            add(out, &n, a, room);
            add(out, &n, a + room, bytes - room);
        }
    }
    return n;
}

uint32_t coalesce_regular(uint64_t first, uint32_t stride, uint32_t bytes, Segment *out)
{
    uint32_t n = 0;
    uint64_t last = first + (uint64_t)stride * 31 + bytes - 1;
    for (uint64_t s = first & ~(uint64_t)(SEGMENT - 1); s <= last; s += SEGMENT) {
        uint64_t from = MAX(first, s), to = MIN(last, s + SEGMENT - 1);
        uint32_t a = (uint32_t)(from - s) / SECTOR, b = (uint32_t)(to - s) / SECTOR;
        out[n++] = (Segment){s, ((2u << b) - 1) & ~((1u << a) - 1), (uint32_t)(to - from + 1)};
    }
    return n;
}
