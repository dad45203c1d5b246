// live.c: which registers hold a value that is still read. A guarded definition doesn't kill: the lanes that skip it
// keep the old value. Liveness is per thread, which is what lanes of a warp need too, since every write is masked.
#include "ptx/ptx.h"

#include <string.h>

typedef struct Sets {
    uint64_t *use, *def;
    bool guarded;
} Sets;

static void visit(void *user, uint32_t reg, bool is_def)
{
    Sets *s = user;
    uint64_t bit = 1ull << (reg & 63);
    if (!is_def) {
        if (!(s->def[reg >> 6] & bit)) s->use[reg >> 6] |= bit;
    } else if (!s->guarded) {
        s->def[reg >> 6] |= bit;
    }
}

void flow_live_out(const Flow *w, uint32_t block, uint64_t *out)
{
    const Block *b = &w->blocks.v[block];
    memset(out, 0, w->words * 8);
    for (size_t s = 0; s < b->succ.n; s++) {
        const uint64_t *next = w->live_in + (size_t)b->succ.v[s] * w->words;
        for (uint32_t x = 0; x < w->words; x++) out[x] |= next[x];
    }
}

void flow_live(Flow *w)
{
    size_t words = MAX((w->f->regs.n + 63) / 64, 1), n = w->blocks.n;
    w->words = (uint32_t)words;
    w->live_in = mem_alloc(n * words * 8);
    uint64_t *def = mem_alloc(n * words * 8), *out = mem_alloc(words * 8);
    for (size_t b = 0; b < n; b++) {
        Sets s = {w->live_in + b * words, def + b * words, false};
        for (uint32_t i = w->blocks.v[b].first; i < w->blocks.v[b].last; i++) {
            s.guarded = w->f->insts.v[i].guarded;
            inst_regs(&w->f->insts.v[i], visit, &s);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t o = w->order.n; o-- > 0;) {
            uint32_t b = w->order.v[o];
            uint64_t *in = w->live_in + b * words;
            flow_live_out(w, b, out);
            for (size_t x = 0; x < words; x++) {
                uint64_t v = in[x] | (out[x] & ~def[b * words + x]);
                if (v != in[x]) in[x] = v, changed = true;
            }
        }
    }
    mem_free(def), mem_free(out);
}
