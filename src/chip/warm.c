// warm.c: what is executed without time passes through the L2's tags, so that the next timed block finds there what it
// would find. Warps read a line several times, and their L1 serves most of that: accesses of segments that were passed
// on lately are left out. Local memory is left out, too, since where it lies depends on where a warp runs.
#include "chip/unit.h"

enum { LATELY = 4096 };
typedef struct Passed {
    uint64_t address;
    uint8_t sectors, written;  // masks
} Passed;
struct Warmer {
    Chip *c;
    uint64_t sectors;
    Passed lately[LATELY];  // by the segment's number
};

Warmer *warmer_open(Chip *c)
{
    Warmer *w = mem_alloc(sizeof *w);
    w->c = c;
    return w;
}

uint64_t warmer_sectors(const Warmer *w) { return w->sectors; }

void warmer_close(Warmer *w) { mem_free(w); }

static void pass(Warmer *w, const Segment *s, PacketKind kind)
{
    Passed *p = &w->lately[s->address / SEGMENT % LATELY];
    if (p->address != s->address) *p = (Passed){.address = s->address};
    if (kind == PACKET_READ && !(s->sectors & ~p->sectors)) return;
    if (kind != PACKET_READ && !(s->sectors & ~p->written)) return;
    p->sectors |= (uint8_t)s->sectors;
    // A part of a sector counts each time where others may complete it (l2.masks).
    const bool parts = kind == PACKET_WRITE && w->c->gpu.part.masks;
    if (kind != PACKET_READ) p->written |= (uint8_t)(parts ? s->whole : s->sectors);
    Packet r = {.address = s->address,
                .kind = (uint8_t)kind,
                .sectors = (uint8_t)s->sectors,
                .whole = (uint8_t)s->whole,
                .ops = kind == PACKET_WRITE ? (uint8_t)MIN(s->bytes, SEGMENT) : 0};
    const uint32_t part = partition_of(&w->c->gpu.part, s->address, NULL);
    if (w->c->stage[part % w->c->channels]) partition_pass(&w->c->parts[part], &r);
}

void warmer_take(Warmer *w, const Step *s)
{
    uint32_t mask = s->space == SP_GLOBAL || s->space == SP_TEX ? s->mask : 0;
    if (s->other_space == SP_GLOBAL) mask |= s->other_mask;
    if (!mask || !s->bytes || s->space == SP_NONE) return;
    const uint8_t k = s->d->kind;
    const PacketKind kind = k == X_ST ? PACKET_WRITE : k == X_ATOM ? PACKET_ATOMIC : PACKET_READ;
    Segment seg[64];
    const uint32_t n = lsu_segments(s, mask, kind == PACKET_WRITE, kind == PACKET_ATOMIC, seg);
    for (uint32_t m = 0; m < n; m++) {
        if (s->space == SP_GLOBAL && kind != PACKET_ATOMIC) w->sectors += (uint32_t)__builtin_popcount(seg[m].sectors);
        if (!w->c->gpu.part.absent) pass(w, &seg[m], kind);
    }
}
