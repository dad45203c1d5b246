// alloc.c: virtual registers → 32-bit slots of a thread's register file. Two registers that are live at once get
// different slots; a 64-bit one takes an aligned pair. The number of slots is the register need that occupancy counts,
// a slot's number gives its bank, and it is also where the simulator keeps the value, so that a warp's registers stay
// few and near. Needs liveness. The graph is a bit matrix; the colouring is greedy in order of first appearance, with
// copies sharing a slot where they can.
#include "ptx/ptx.h"

#include <string.h>

typedef struct Graph {
    size_t n, words;
    uint64_t *bits;
} Graph;

static void connect(Graph *g, uint32_t a, uint32_t b)
{
    if (a == b) return;
    g->bits[a * g->words + (b >> 6)] |= 1ull << (b & 63);
    g->bits[b * g->words + (a >> 6)] |= 1ull << (a & 63);
}

typedef struct Regs {
    uint32_t def[40], use[40];
    int defs, uses;
} Regs;

static void collect(void *user, uint32_t reg, bool def)
{
    Regs *r = user;
    if (def && r->defs < 40) r->def[r->defs++] = reg;
    if (!def && r->uses < 40) r->use[r->uses++] = reg;
}

static int width(const Function *f, uint32_t reg)  // in slots; 0: a predicate
{
    int bits = type_info[f->regs.v[reg].type].bits;
    return bits == 1 ? 0 : bits <= 32 ? 1 : bits / 32;
}

static void interferences(const Flow *w, Graph *g)
{
    const Function *f = w->f;
    uint64_t *live = mem_alloc(g->words * 8);
    for (size_t b = 0; b < w->blocks.n; b++) {
        memcpy(live, w->live_out + b * w->words, g->words * 8);
        for (uint32_t i = w->blocks.v[b].last; i-- > w->blocks.v[b].first;) {
            const Inst *inst = &f->insts.v[i];
            Regs r = {.defs = 0};
            inst_regs(inst, collect, &r);
            bool copy = inst->op == OP_MOV && r.uses == 1 && r.defs == 1 && !inst->guarded;
            for (int d = 0; d < r.defs; d++) {
                for (size_t x = 0; x < g->words; x++) {
                    uint64_t bits = live[x];
                    while (bits) {
                        uint32_t other = (uint32_t)(x * 64) + (uint32_t)__builtin_ctzll(bits);
                        bits &= bits - 1;
                        if (!(copy && other == r.use[0])) connect(g, r.def[d], other);
                    }
                }
                for (int e = 0; e < r.defs; e++) connect(g, r.def[d], r.def[e]);
                // A result of another width than a source mustn't overlap it: lanes are computed one after another.
                // An instruction with several results, or a call, writes one before it has read all.
                for (int u = 0; u < r.uses; u++)
                    if (width(f, r.def[d]) != width(f, r.use[u]) || r.defs > 1 || inst->op == OP_CALL || inst->op == OP_SHFL)
                        connect(g, r.def[d], r.use[u]);
            }
            if (!inst->guarded)
                for (int d = 0; d < r.defs; d++) live[r.def[d] >> 6] &= ~(1ull << (r.def[d] & 63));
            for (int u = 0; u < r.uses; u++) live[r.use[u] >> 6] |= 1ull << (r.use[u] & 63);
        }
    }
    mem_free(live);
}

static uint32_t pick(const Flow *w, const Graph *g, const Alloc *a, uint32_t reg, uint8_t *busy, size_t limit)
{
    int need = width(w->f, reg);
    memset(busy, 0, limit + 8);
    for (size_t x = 0; x < g->words; x++) {
        uint64_t bits = g->bits[reg * g->words + x];
        while (bits) {
            uint32_t other = (uint32_t)(x * 64) + (uint32_t)__builtin_ctzll(bits);
            bits &= bits - 1;
            if (a->slot[other] == NO_REG || (need == 0) != (width(w->f, other) == 0)) continue;
            for (int k = 0; k < MAX(width(w->f, other), 1); k++) busy[a->slot[other] + (uint32_t)k] = 1;
        }
    }
    uint32_t step = (uint32_t)MAX(need, 1), s = 0;
    for (;; s += step) {
        bool ok = true;
        for (uint32_t k = 0; k < step; k++) ok &= !busy[s + k];
        if (ok) return s;
    }
}

static bool fits(const Flow *w, const Graph *g, const Alloc *a, uint32_t reg, uint32_t slot)
{
    int need = width(w->f, reg);
    if (need > 1 && slot % (uint32_t)need) return false;
    for (size_t x = 0; x < g->words; x++) {
        uint64_t bits = g->bits[reg * g->words + x];
        while (bits) {
            uint32_t other = (uint32_t)(x * 64) + (uint32_t)__builtin_ctzll(bits);
            bits &= bits - 1;
            int ow = width(w->f, other);
            if (a->slot[other] == NO_REG || (need == 0) != (ow == 0)) continue;
            if (slot < a->slot[other] + (uint32_t)MAX(ow, 1) && a->slot[other] < slot + (uint32_t)MAX(need, 1)) return false;
        }
    }
    return true;
}

Alloc *alloc_colour(const Flow *w)
{
    const Function *f = w->f;
    size_t n = f->regs.n;
    Alloc *a = mem_alloc(sizeof *a);
    a->slot = mem_alloc(sizeof *a->slot * (n + 1));
    for (size_t r = 0; r < n; r++) a->slot[r] = NO_REG;
    Graph g = {n, w->words, mem_alloc(n * w->words * 8 + 8)};
    interferences(w, &g);
    size_t limit = n * 4 + 8;
    uint8_t *busy = mem_alloc(limit + 16);
    for (size_t i = 0; i < f->insts.n; i++) {
        Regs r = {.defs = 0};
        inst_regs(&f->insts.v[i], collect, &r);
        for (int k = 0; k < r.uses + r.defs; k++) {
            uint32_t reg = k < r.uses ? r.use[k] : r.def[k - r.uses];
            if (a->slot[reg] != NO_REG) continue;
            const Inst *inst = &f->insts.v[i];
            uint32_t hint = NO_REG;
            if (inst->op == OP_MOV && r.uses == 1 && r.defs == 1 && k == 1 && width(f, r.use[0]) == width(f, reg)) hint = a->slot[r.use[0]];
            a->slot[reg] = hint != NO_REG && fits(w, &g, a, reg, hint) ? hint : pick(w, &g, a, reg, busy, limit);
            uint32_t end = a->slot[reg] + (uint32_t)MAX(width(f, reg), 1);
            if (width(f, reg)) a->slots = MAX(a->slots, end);
            else a->preds = MAX(a->preds, end);
        }
    }
    mem_free(busy);
    mem_free(g.bits);
    return a;
}

Alloc *alloc_identity(const Function *f)
{
    Alloc *a = mem_alloc(sizeof *a);
    a->slot = mem_alloc(sizeof *a->slot * (f->regs.n + 1));
    for (uint32_t r = 0; r < f->regs.n; r++) {
        uint32_t need = (uint32_t)width(f, r);
        if (!need) {
            a->slot[r] = a->preds++;
            continue;
        }
        a->slots = (a->slots + need - 1) / need * need;
        a->slot[r] = a->slots;
        a->slots += need;
    }
    return a;
}

void alloc_free(Alloc *a)
{
    if (!a) return;
    mem_free(a->slot);
    mem_free(a);
}
