// spill.c: moves registers to local memory when a thread needs more than the GPU gives it. With sm.count = sass hold.c
// decides, as ptxas of CUDA 13 would; what it leaves too much goes as on other cards: the register with the least use
// for the length of its life goes first, since it lives long and is rarely touched. After each definition of a spilled
// register there is a store, with the definition's guard; before each use there is a load into a new register. This is
// repeated until the need fits, or nothing is left to spill. Invariant: the spilled function computes the same, and the
// origin of a new instruction is that of the instruction it serves.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <stdlib.h>
#include <string.h>

typedef struct Spill {
    Function *f;
    Symbol **home;      // per register: where it is spilled to, or null
    size_t first_temp;  // registers from here on are the spills' own
    VEC(Inst) out;
} Spill;

typedef struct Weights {
    double *cost, scale;
} Weights;
static void weigh(void *user, uint32_t reg, bool def)
{
    Weights *w = user;
    (void)def;
    w->cost[reg] += w->scale;
}

// The cost of spilling each register: its accesses, which count ten times as much for each loop around them, divided by
// the number of instructions at which it is live.
static void costs(const Flow *w, double *cost)
{
    const Function *f = w->f;
    uint32_t *length = mem_alloc(sizeof *length * (f->regs.n + 1));
    uint64_t *out = mem_alloc(w->words * 8);
    for (size_t b = 0; b + 1 < w->blocks.n; b++) {
        const Block *k = &w->blocks.v[b];
        Weights v = {cost, flow_weight(w, (uint32_t)b)};
        for (uint32_t i = k->first; i < k->last; i++) inst_regs(&f->insts.v[i], weigh, &v);
        flow_live_out(w, (uint32_t)b, out);
        for (uint32_t x = 0; x < w->words; x++)
            for (uint64_t bits = out[x]; bits; bits &= bits - 1)
                length[x * 64 + (uint32_t)__builtin_ctzll(bits)] += k->last - k->first;
    }
    mem_free(out);
    for (uint32_t r = 0; r < f->regs.n; r++) cost[r] /= 1 + length[r];
    mem_free(length);
}

static uint32_t new_reg(Spill *s, Type t)
{
    Reg r = {arena_printf(&s->f->module->arena, "%%spill%zu", s->f->regs.n), t};
    vec_push(&s->f->regs, r);
    return (uint32_t)s->f->regs.n - 1;
}

static void put_access(Spill *s, const Inst *near, bool load, uint32_t reg, Symbol *home)
{
    Inst i = home_access(s->f, near, load, reg, home);
    if (!load) i.guarded = near->guarded, i.guard = near->guard, i.guard_negated = near->guard_negated;
    vec_push(&s->out, i);
}

// Replaces spilled registers in an operand by fresh ones, loaded before (uses) or to be stored after (definitions).
typedef struct Pair {
    uint32_t from, to;
} Pair;
typedef VEC(Pair) Pairs;
static uint32_t stand_in(Spill *s, Pairs *p, uint32_t reg, const Inst *near, bool load)
{
    for (size_t k = 0; k < p->n; k++)
        if (p->v[k].from == reg) return p->v[k].to;
    uint32_t t = new_reg(s, s->f->regs.v[reg].type);
    Pair pair = {reg, t};
    vec_push(p, pair);
    if (load) put_access(s, near, true, t, s->home[reg]);
    return t;
}

static void replace(Spill *s, Operand *o, Pairs *p, const Inst *near, bool load)
{
    bool address = o->kind == O_ADDR && o->reg != NO_REG;
    if ((o->kind == O_REG || address) && o->reg < s->first_temp && s->home[o->reg])
        o->reg = stand_in(s, p, o->reg, near, load || address);
    if (!o->count || o->kind == O_LABELS) return;
    Operand *items = arena_alloc(&s->f->module->arena, sizeof *items * o->count);
    memcpy(items, o->items, sizeof *items * o->count);
    o->items = items;
    for (int k = 0; k < o->count; k++) replace(s, &items[k], p, near, load);
}

// Returns the index of the instruction itself after that.
static uint32_t rewrite(Spill *s, const Inst *from)
{
    Inst i = *from;
    Pairs uses = {0}, defs = {0};
    int dests = inst_dest_count(&i);
    i.opnd = arena_alloc(&s->f->module->arena, sizeof *i.opnd * MAX(i.operands, 1));
    memcpy(i.opnd, from->opnd, sizeof *i.opnd * i.operands);
    for (int n = dests; n < i.operands; n++) replace(s, &i.opnd[n], &uses, from, true);
    for (int n = 0; n < dests; n++) replace(s, &i.opnd[n], &defs, from, inst_adds(from));
    uint32_t at = (uint32_t)s->out.n;
    vec_push(&s->out, i);
    for (size_t k = 0; k < defs.n; k++) put_access(s, from, false, defs.v[k].to, s->home[defs.v[k].from]);
    vec_free(&uses);
    vec_free(&defs);
    return at;
}

static void apply(Spill *s)
{
    Function *f = s->f;
    uint32_t *moved = mem_alloc(sizeof *moved * (f->insts.n + 1)), *self = mem_alloc(sizeof *self * (f->insts.n + 1));
    for (size_t n = 0; n < f->insts.n; n++) {
        moved[n] = (uint32_t)s->out.n;
        self[n] = rewrite(s, &f->insts.v[n]);
    }
    moved[f->insts.n] = self[f->insts.n] = (uint32_t)s->out.n;
    places_move(f, moved, self);  // a pragma means an instruction, not what reloads its operands
    mem_free(moved), mem_free(self);
    mem_free(f->insts.v);
    f->insts.v = s->out.v, f->insts.n = s->out.n, f->insts.cap = s->out.cap;
}

enum { MUCH = 16 };

// What may be spilled, the cheapest first.
typedef struct Candidate {
    double cost;
    uint32_t reg;
} Candidate;
typedef VEC(Candidate) Candidates;

static int by_cost(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->reg < y->reg ? -1 : 1;
}

static Candidates candidates(const Flow *w, const Alloc *a, const bool *kept, size_t n)
{
    const Function *f = w->f;
    Candidates c = {0};
    double *cost = mem_alloc(sizeof *cost * (f->regs.n + 1));
    costs(w, cost);
    for (uint32_t r = 0; r < n; r++)
        if (!kept[r] && a->slot[r] != NO_REG && f->regs.v[r].type != TY_PRED && type_info[f->regs.v[r].type].bits <= 64)
            vec_push(&c, ((Candidate){cost[r], r}));
    if (c.n) qsort(c.v, c.n, sizeof *c.v, by_cost);
    mem_free(cost);
    return c;
}

static uint32_t need(const Function *f)
{
    Flow *w = flow_build(f);
    flow_live(w);
    Alloc *a = alloc_colour(w);
    const uint32_t slots = a->slots;
    alloc_free(a);
    flow_free(w);
    return slots;
}

// What a function was before hold_registers changed it. Registers that it made stay, without a use.
typedef struct Before {
    Inst *insts;
    size_t n, locals;
    uint32_t *labels, *pragmas;
} Before;

static Before keep(const Function *f)
{
    Before b = {mem_alloc(sizeof *b.insts * (f->insts.n + 1)), f->insts.n, f->locals.n,
                mem_alloc(sizeof *b.labels * (f->labels.n + 1)), mem_alloc(sizeof *b.pragmas * (f->pragmas.n + 1))};
    if (f->insts.n) memcpy(b.insts, f->insts.v, sizeof *b.insts * f->insts.n);
    for (size_t k = 0; k < f->labels.n; k++) b.labels[k] = f->labels.v[k].inst;
    for (size_t k = 0; k < f->pragmas.n; k++) b.pragmas[k] = f->pragmas.v[k].inst;
    return b;
}

static void put_back(Function *f, const Before *b)
{
    memcpy(f->insts.v, b->insts, sizeof *b->insts * b->n);  // it has only become longer
    f->insts.n = b->n, f->locals.n = b->locals;
    for (size_t k = 0; k < f->labels.n; k++) f->labels.v[k].inst = b->labels[k];
    for (size_t k = 0; k < f->pragmas.n; k++) f->pragmas.v[k].inst = b->pragmas[k];
}

// Slots have gaps, so that fewer words may have to be alive than there are registers.
static bool hold(Function *f, uint32_t limit)
{
    enum { TRIES = 8, FEWEST = 4 };
    Before before = keep(f);
    uint32_t slots = need(f), words = limit;
    for (int k = 0; k < TRIES && slots > limit && words > FEWEST; k++) {
        if (k) put_back(f, &before), words -= MIN(slots - limit, words - FEWEST);
        hold_registers(f, words);
        slots = need(f);
    }
    mem_free(before.insts), mem_free(before.labels), mem_free(before.pragmas);
    return slots <= limit;
}

bool spill_registers(Function *f, uint32_t limit)
{
    if (f->module->sass && hold(f, limit)) return true;
    size_t first_temp = f->regs.n;
    bool *kept = mem_alloc(first_temp + 1);
    bool fits = false;
    for (int round = 0; round < 64 && !fits; round++) {
        Flow *w = flow_build(f);
        flow_live(w);
        Alloc *a = alloc_colour(w);
        fits = a->slots <= limit;
        uint32_t excess = fits ? 0 : a->slots - limit, chosen = 0;
        if (excess < MUCH * limit) excess = (excess + 1) / 2;  // a step at a time, unless it is very far
        Spill s = {.f = f, .first_temp = f->regs.n};
        s.home = mem_alloc(sizeof *s.home * (f->regs.n + 1));
        Candidates from = {0};
        if (excess) from = candidates(w, a, kept, first_temp);
        for (; chosen < excess && chosen < from.n; chosen++) {
            uint32_t best = from.v[chosen].reg;
            kept[best] = true;
            s.home[best] = home_new(f, best);
        }
        alloc_free(a);
        flow_free(w);
        vec_free(&from);
        if (chosen) apply(&s);
        mem_free(s.home);
        if (!fits && !chosen) break;
    }
    mem_free(kept);
    return fits;
}
