// live.c: which registers hold a value that is still read. A guarded definition doesn't kill: the lanes that skip it
// keep the old value. Liveness is per thread, which is what lanes of a warp need too, since every write is masked.
#include "ptx/pass.h"

#include <string.h>

// What blocks do with registers: read a value that they didn't write, or write one for certain.
typedef struct Event {
    uint32_t reg, block;
    bool def;
} Event;

typedef struct Events {
    VEC(Event) list;
    uint32_t block, *read, *written;  // per register: the last block + 1 that did so
    bool guarded;
} Events;

static void visit(void *user, uint32_t reg, bool def)
{
    Events *e = user;
    uint32_t *last = def ? &e->written[reg] : &e->read[reg], now = e->block + 1;
    if (*last == now || (def ? e->guarded : e->written[reg] == now)) return;
    *last = now;
    vec_push(&e->list, ((Event){reg, e->block, def}));
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

// Each register is followed by itself, from the blocks that read it back to those that write it. So a block is visited
// once for each register that is live in it, however loops are nested.
typedef struct Trace {
    Flow *w;
    uint32_t *killed, *stack, depth;  // per block: the last register + 1 that it writes
} Trace;

static void enter(Trace *t, uint32_t block, uint32_t reg)
{
    uint64_t *in = t->w->live_in + (size_t)block * t->w->words + reg / 64, bit = 1ull << reg % 64;
    if (*in & bit) return;
    *in |= bit;
    if (t->w->blocks.v[block].dom_first != NO_BLOCK) t->stack[t->depth++] = block;
}

static void trace(Trace *t, const Event *e, size_t n)
{
    uint32_t reg = e->reg;
    for (size_t k = 0; k < n; k++)
        if (e[k].def) t->killed[e[k].block] = reg + 1;
    for (size_t k = 0; k < n; k++)
        if (!e[k].def) enter(t, e[k].block, reg);
    while (t->depth) {
        const Block *b = &t->w->blocks.v[t->stack[--t->depth]];
        for (size_t p = 0; p < b->pred.n; p++) {
            uint32_t from = b->pred.v[p];
            if (t->killed[from] != reg + 1 && t->w->blocks.v[from].dom_first != NO_BLOCK) enter(t, from, reg);
        }
    }
}

// By register, in the order in which they are.
static Event *sort_events(const Events *e, size_t regs)
{
    size_t *at = mem_alloc(sizeof *at * (regs + 2));
    Event *sorted = mem_alloc(sizeof *sorted * (e->list.n + 1));
    for (size_t k = 0; k < e->list.n; k++) at[e->list.v[k].reg + 1]++;
    for (size_t r = 0; r < regs; r++) at[r + 1] += at[r];
    for (size_t k = 0; k < e->list.n; k++) sorted[at[e->list.v[k].reg]++] = e->list.v[k];
    mem_free(at);
    return sorted;
}

void flow_live(Flow *w)
{
    const Function *f = w->f;
    size_t n = w->blocks.n, regs = f->regs.n;
    w->words = (uint32_t)MAX((regs + 63) / 64, 1);
    w->live_in = mem_alloc(n * w->words * 8);
    Events e = {.read = mem_alloc(sizeof(uint32_t) * (regs + 1)), .written = mem_alloc(sizeof(uint32_t) * (regs + 1))};
    for (; e.block < n; e.block++)
        for (uint32_t i = w->blocks.v[e.block].first; i < w->blocks.v[e.block].last; i++) {
            e.guarded = inst_keeps(&f->insts.v[i]);
            inst_regs(&f->insts.v[i], visit, &e);
        }
    Event *sorted = sort_events(&e, regs);
    Trace t = {w, mem_alloc(sizeof(uint32_t) * (n + 1)), mem_alloc(sizeof(uint32_t) * (n + 1)), 0};
    for (size_t from = 0, to; from < e.list.n; from = to) {
        for (to = from; to < e.list.n && sorted[to].reg == sorted[from].reg;) to++;
        trace(&t, sorted + from, to - from);
    }
    vec_free(&e.list);
    mem_free(e.read), mem_free(e.written), mem_free(sorted), mem_free(t.killed), mem_free(t.stack);
}
