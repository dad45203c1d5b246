// local.c: where local memory lies for the caches and the partitions, and the segments that an access of it makes.
// Execution has words of a warp's lanes side by side (exec's memory.c). They may lie so here, too, or each thread's own
// in one piece (sm.interleave).
#include "sm/unit.h"

#include <assert.h>

#define LOCAL_SPACE 0x0000400000000000ull

// Where the local memory of a warp's threads lies. Each thread has room bytes of it. Its first `own` bytes lie in one
// piece, and those of the next thread `piece` bytes behind. The words that follow lie side by side for all lanes, as
// execution has them; they lie 32 × behind bytes farther than there, since pieces begin at multiples of 16.
typedef struct LocalMap {
    uint64_t room, own, piece, behind;
} LocalMap;

// A thread has room for what the kernel needs, and with recursion or alloca for the most there is. So warps lie one
// behind the other, as drivers place them. With a power of two between them they would meet in few sets. Spilled
// registers have a place of their own only where there is one frame.
static LocalMap local_map(const Sm *sm)
{
    const Kernel *k = sm->launch->kernel;
    bool stack = k->recursive || k->grows, most = stack || k->local_bytes > sm->cfg.local_limit;
    LocalMap m = {.room = most ? sm->cfg.local_limit : (k->local_bytes + 15u) & ~15u};
    if (sm->cfg.interleave == INTERLEAVE_ALL) return m;
    bool apart = sm->cfg.interleave == INTERLEAVE_SPILLS && !stack && k->codes.n == 1;
    m.own = apart ? MIN(k->code->spills_at, m.room) : m.room;
    m.piece = (m.own + 15) & ~15ull;
    m.behind = m.piece - (m.own & ~3ull);
    m.room = (m.room + m.behind + 15) & ~15ull;
    return m;
}

bool local_has(const Sm *sm, uint64_t address)
{
    return address - LOCAL_SPACE < (uint64_t)sm->sms * sm->cfg.max_warps * local_map(sm).room * LANES;
}

// The offset in its thread's local memory of a byte that execution has at addr: words of lanes lie side by side there.
static uint64_t local_offset(uint64_t addr) { return addr / (4 * LANES) * 4 + addr % 4; }

// Whether the lanes' words of an access of local memory lie side by side. The first lane says it for all, since only
// spill code accesses spilled registers.
static bool beside(const Step *s, uint32_t mask, const LocalMap *m)
{
    return mask && local_offset(s->addr[__builtin_ctz(mask)]) >= m->own;
}

// Where lanes' accesses lie for the caches and the partitions.
static void place(const Sm *sm, uint32_t slot, const Step *s, const LocalMap *m, uint64_t *addr)
{
    const uint64_t base = LOCAL_SPACE + ((uint64_t)sm->index * sm->cfg.max_warps + slot) * m->room * LANES;
    for (uint64_t n = 0; n < LANES; n++) {
        uint64_t at = local_offset(s->addr[n]);
        addr[n] = base + (at < m->own ? n * m->piece + at : s->addr[n] + m->behind * LANES);
    }
}

uint32_t local_segments(const Sm *sm, uint32_t slot, const Step *s, uint32_t mask, Segment *out)
{
    uint64_t addr[LANES];
    const LocalMap map = local_map(sm);
    bool write = s->d->kind == X_ST;
    place(sm, slot, s, &map, addr);
    if (!beside(s, mask, &map)) return coalesce(addr, mask, s->bytes, write, out);
    // Consecutive words of a lane lie 128 bytes apart.
    uint32_t n = 0, step = MIN(s->bytes, 4u);
    for (uint32_t at = 0; at < s->bytes; at += step) {
        assert(n + LANES <= MAX_SEGMENTS);  // four words at most
        n += coalesce(addr, mask, step, write, out + n);
        for (int k = 0; k < LANES; k++) addr[k] += SEGMENT;
    }
    return n;
}
