// coalesce.c: lanes' addresses → segments of 128 bytes with the 32-byte sectors that are touched, and which of those
// are touched whole: a store needn't fetch what it overwrites. A lane's access may straddle two segments.
#include "mem/mem.h"

// One bit per byte of a segment, as four sectors.
typedef struct Bytes {
    uint32_t of[4];
} Bytes;

static uint32_t add(Segment *out, Bytes *touched, uint32_t n, uint64_t address, uint32_t bytes)
{
    uint64_t segment = address & ~(uint64_t)(SEGMENT - 1);
    uint32_t from = (uint32_t)(address - segment), k = n;
    while (k > 0 && out[k - 1].address != segment) k--;
    if (k) {
        k--;
    } else {
        k = n++;
        out[k] = (Segment){.address = segment};
        touched[k] = (Bytes){{0}};
    }
    out[k].bytes += bytes;
    for (uint32_t at = from; at < from + bytes;) {
        uint32_t sector = at / SECTOR, first = at % SECTOR, count = MIN(from + bytes - at, SECTOR - first);
        touched[k].of[sector] |= (count == 32 ? ~0u : (1u << count) - 1) << first;
        out[k].sectors |= 1u << sector;
        at += count;
    }
    return n;
}

// The segments of lanes' accesses, none of which crosses a sector, by a table of them: open addressing, a byte each,
// index + 1. Which bytes are touched is only asked of stores.
static uint32_t aligned(const uint64_t *addr, uint32_t lanes, uint32_t bytes, Bytes *touched, Segment *out)
{
    uint8_t table[64] = {0};
    uint32_t n = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = addr[__builtin_ctz(lanes)], segment = a & ~(uint64_t)(SEGMENT - 1);
        uint32_t at = (uint32_t)(a / SEGMENT) & 63, sector = (uint32_t)a / SECTOR & 3;
        while (table[at] && out[table[at] - 1].address != segment) at = (at + 1) & 63;
        if (!table[at]) {
            out[n] = (Segment){.address = segment};
            if (touched) touched[n] = (Bytes){{0}};
            table[at] = (uint8_t)++n;
        }
        Segment *s = &out[table[at] - 1];
        s->bytes += bytes;
        s->sectors |= 1u << sector;
        if (touched) touched[s - out].of[sector] |= (uint32_t)(((1ull << bytes) - 1) << (a & (SECTOR - 1)));
    }
    return n;
}

uint32_t coalesce(const uint64_t *addr, uint32_t lanes, uint32_t bytes, bool write, Segment *out)
{
    Bytes touched[64];
    uint32_t n = 0, cross = 0;
    for (uint32_t m = lanes; m; m &= m - 1) cross |= ((uint32_t)addr[__builtin_ctz(m)] & (SECTOR - 1)) + bytes > SECTOR;
    if (!cross) {
        n = aligned(addr, lanes, bytes, write ? touched : NULL, out);
        lanes = 0;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = addr[__builtin_ctz(lanes)];
        uint32_t room = SEGMENT - (uint32_t)(a & (SEGMENT - 1)), here = MIN(bytes, room);
        n = add(out, touched, n, a, here);
        if (here < bytes) n = add(out, touched, n, a + here, bytes - here);
    }
    for (uint32_t k = 0; k < n && write; k++)
        for (uint32_t s = 0; s < 4; s++)
            if (touched[k].of[s] == ~0u) out[k].whole |= 1u << s;
    return n;
}

// A run of consecutive bytes: as many segments as it crosses.
static uint32_t range(uint64_t first, uint64_t last, Segment *out)
{
    uint32_t n = 0;
    for (uint64_t s = first & ~(uint64_t)(SEGMENT - 1); s <= last; s += SEGMENT) {
        uint32_t from = (uint32_t)(MAX(first, s) - s), to = (uint32_t)(MIN(last, s + SEGMENT - 1) - s);
        uint32_t a = from / SECTOR, b = to / SECTOR, whole_a = (from + SECTOR - 1) / SECTOR,
                 whole_b = (to + 1) / SECTOR;
        uint32_t whole = whole_b > whole_a ? ((1u << whole_b) - 1) & ~((1u << whole_a) - 1) : 0;
        out[n++] = (Segment){s, ((2u << b) - 1) & ~((1u << a) - 1), to - from + 1, whole, 0, 0};
    }
    return n;
}

uint32_t coalesce_range(uint64_t first, uint32_t bytes, Segment *out) { return range(first, first + bytes - 1, out); }

// Each lane in a segment of its own.
static uint32_t apart(uint64_t first, uint32_t stride, uint32_t bytes, Segment *out)
{
    for (uint32_t n = 0; n < 32; n++, first += stride) {
        uint32_t at = (uint32_t)first & (SEGMENT - 1), sector = 1u << at / SECTOR;
        out[n] = (Segment){first - at, sector, bytes, bytes == SECTOR ? sector : 0, 0, 0};
    }
    return 32;
}

uint32_t coalesce_runs(const uint64_t *addr, uint32_t run, uint32_t stride, uint32_t bytes, Segment *out)
{
    if (stride && stride != bytes) {
        bool within = bytes && bytes <= SECTOR && SECTOR % bytes == 0 && !((addr[0] | stride) % bytes);  // a sector
        return run == 32 && stride >= SEGMENT && within ? apart(addr[0], stride, bytes, out) : 0;
    }
    uint32_t length = stride * (run - 1) + bytes;
    if (run == 32) return range(addr[0], addr[0] + length - 1, out);
    Bytes touched[32];
    uint32_t n = 0;
    for (uint32_t g = 0; g < 32; g += run)
        for (uint64_t a = addr[g], end = a + length; a < end;) {
            uint32_t here = (uint32_t)MIN(end - a, SEGMENT - (a & (SEGMENT - 1)));
            n = add(out, touched, n, a, here);
            a += here;
        }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t s = 0; s < 4; s++)
            if (touched[k].of[s] == ~0u) out[k].whole |= 1u << s;
    return n;
}
