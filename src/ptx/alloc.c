// alloc.c: gives virtual registers 32-bit slots of a thread's register file. Two registers that are live at once get
// different slots; a 64-bit register takes an aligned pair. The number of slots is the register need that counts for
// occupancy, and a slot's number gives its bank. Where the simulator keeps the values (a register's place) is chosen
// apart, for each width: a row of 64-bit lanes and two rows of 32-bit lanes lay lanes out differently. So registers of
// different widths must not share a row, not even if each thread by itself needs only one of them.
//
// Needs liveness. The interference graph is a list of neighbours for each register. The colouring is greedy, in the
// order of first appearance; a copy shares its source's slot if it can. If the graph would be too large (many registers
// that live long), the function is scanned instead, as if each register lived from its first instruction to its last,
// which takes more slots.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <stdlib.h>
#include <string.h>

#define MAX_GRAPH (8u << 20)

typedef VEC(uint32_t) List;

typedef struct Graph {
    List *to;  // per register; a neighbour may be listed more than once
    size_t edges, most;
} Graph;

static void connect(Graph *g, uint32_t a, uint32_t b)
{
    if (a == b) return;
    List *x = &g->to[a], *y = &g->to[b];
    if (x->n && x->v[x->n - 1] == b) return;
    vec_push(x, b);
    vec_push(y, a);
    g->edges++;
}

// The registers of one instruction.
typedef struct Regs {
    List def, use;
} Regs;

static void collect(void *user, uint32_t reg, bool def)
{
    Regs *r = user;
    if (def)
        vec_push(&r->def, reg);
    else
        vec_push(&r->use, reg);
}

static void collect_all(const Inst *i, Regs *r)
{
    r->def.n = r->use.n = 0;
    inst_regs(i, collect, r);
}

static void regs_free(Regs *r) { vec_free(&r->def), vec_free(&r->use); }

int reg_width(const Function *f, uint32_t reg)
{
    int bits = type_info[f->regs.v[reg].type].bits;
    return bits == 1 ? 0 : bits <= 32 ? 1 : bits / 32;
}

static bool is_copy(const Inst *i)
{
    return op_has(i->op, P_COPY) && !i->guarded && i->opnd[0].kind == O_REG && i->opnd[1].kind == O_REG &&
           !i->opnd[1].negated;
}

// --- live registers: a set that can be walked ------------------------------------------------------------------------
typedef struct Live {
    uint32_t *v, *at;  // v: the members; at: per register, its index in v plus 1, or 0
    size_t n;
} Live;

static void live_add(Live *l, uint32_t reg)
{
    if (l->at[reg]) return;
    l->v[l->n++] = reg;
    l->at[reg] = (uint32_t)l->n;
}

static void live_drop(Live *l, uint32_t reg)
{
    if (!l->at[reg]) return;
    uint32_t last = l->v[--l->n];
    l->v[l->at[reg] - 1] = last;
    l->at[last] = l->at[reg];
    l->at[reg] = 0;
}

static void live_set(Live *l, const uint64_t *bits, uint32_t words)
{
    while (l->n) live_drop(l, l->v[l->n - 1]);
    for (uint32_t x = 0; x < words; x++)
        for (uint64_t b = bits[x]; b; b &= b - 1) live_add(l, x * 64 + (uint32_t)__builtin_ctzll(b));
}

// --- the graph -------------------------------------------------------------------------------------------------------
static void interfere(Graph *g, const Inst *i, const Regs *r, const Live *live)
{
    bool copy = is_copy(i);
    for (size_t d = 0; d < r->def.n; d++) {
        uint32_t def = r->def.v[d];
        for (size_t k = 0; k < live->n; k++)
            if (!(copy && live->v[k] == r->use.v[0])) connect(g, def, live->v[k]);
        for (size_t e = 0; e < r->def.n; e++) connect(g, def, r->def.v[e]);
        // One of several results may be written before all sources are read.
        bool apart = r->def.n > 1 || op_has(i->op, P_EARLY);
        for (size_t u = 0; apart && u < r->use.n; u++) connect(g, def, r->use.v[u]);
    }
}

// False: too many edges.
static bool build_graph(const Flow *w, Graph *g)
{
    const Function *f = w->f;
    Live live = {mem_alloc(sizeof(uint32_t) * (f->regs.n + 1)), mem_alloc(sizeof(uint32_t) * (f->regs.n + 1)), 0};
    uint64_t *out = mem_alloc(w->words * 8);
    Regs r = {0};
    for (uint32_t b = 0; b < w->blocks.n && g->edges <= g->most; b++) {
        flow_live_out(w, b, out);
        live_set(&live, out, w->words);
        for (uint32_t i = w->blocks.v[b].last; i-- > w->blocks.v[b].first && g->edges <= g->most;) {
            const Inst *inst = &f->insts.v[i];
            collect_all(inst, &r);
            interfere(g, inst, &r, &live);
            if (!inst_keeps(inst))
                for (size_t d = 0; d < r.def.n; d++) live_drop(&live, r.def.v[d]);
            for (size_t u = 0; u < r.use.n; u++) live_add(&live, r.use.v[u]);
        }
    }
    // A register that is read without having been written must keep its initial value, as it would in a place of its
    // own.
    live_set(&live, w->live_in, w->words);
    for (size_t k = 0; k < live.n && g->edges <= g->most; k++)
        for (size_t e = 0; e < k; e++) connect(g, live.v[k], live.v[e]);
    regs_free(&r);
    mem_free(live.v), mem_free(live.at), mem_free(out);
    return g->edges <= g->most;
}

// --- registers that rest ---------------------------------------------------------------------------------------------
// A thread's register file has room up to the aim, and a compiler uses it: it doesn't write a register right behind its
// last read, since a load or a store may not have read it yet, and what writes it would have to wait for that. So each
// register rests for some instructions of its block before another value gets its slot. For how many was chosen by the
// counts of ptxas of CUDA 13: with 0, 4, 8, 16 and 32 ours are 0.70, 0.87, 0.92, 0.96 and 0.98 of them over our
// workloads, and 0.79, 0.92, 0.96, 1.00 and 1.04 over 23 kernels of nvcc's.
enum { MOST_REST = 8 };

typedef struct Rest {
    uint32_t reg, inst;
} Rest;
typedef VEC(Rest) Rests;

static void find_ends(const Flow *w, const Block *b, uint64_t *out, Rests *ends)
{
    Regs r = {0};
    for (uint32_t i = b->last; i-- > b->first;) {
        const Inst *inst = &w->f->insts.v[i];
        collect_all(inst, &r);
        for (size_t d = 0; d < r.def.n && !inst_keeps(inst); d++) out[r.def.v[d] / 64] &= ~(1ull << r.def.v[d] % 64);
        for (size_t u = 0; u < r.use.n; u++) {
            uint32_t reg = r.use.v[u];
            if (!(out[reg / 64] >> reg % 64 & 1)) vec_push(ends, ((Rest){reg, i}));
            out[reg / 64] |= 1ull << reg % 64;
        }
    }
    regs_free(&r);
}

static void rest(const Flow *w, Graph *g, uint32_t length)
{
    uint64_t *out = mem_alloc(w->words * 8);
    Rests ends = {0};
    Regs r = {0};
    for (uint32_t b = 0; b + 1 < w->blocks.n; b++) {
        const Block *k = &w->blocks.v[b];
        flow_live_out(w, b, out);
        ends.n = 0;
        find_ends(w, k, out, &ends);  // the last one first
        size_t from = ends.n, to = ends.n;
        for (uint32_t i = k->first; i < k->last; i++) {
            while (from && ends.v[from - 1].inst + length < i) from--;
            while (to && ends.v[to - 1].inst < i) to--;
            collect_all(&w->f->insts.v[i], &r);
            for (size_t d = 0; d < r.def.n; d++)
                for (size_t e = to; e < from; e++) connect(g, r.def.v[d], ends.v[e].reg);
        }
    }
    regs_free(&r);
    vec_free(&ends), mem_free(out);
}

// --- colouring -------------------------------------------------------------------------------------------------------
// Where registers are placed: in the register file, with the predicates beside it; or (apart) in a space for each
// width.
typedef struct Room {
    const Function *f;
    bool apart, single;   // single: a place holds a value of any width
    uint32_t *at;         // per register, NO_REG: nowhere
    uint32_t used[5];     // per part
    const bool *outside;  // registers that are placed nowhere; null: none
} Room;

static uint32_t part(const Room *m, uint32_t reg)
{
    return m->apart ? (uint32_t)reg_width(m->f, reg) : reg_width(m->f, reg) > 0;
}
static uint32_t span(const Room *m, uint32_t reg)
{
    return m->apart || m->single ? 1 : (uint32_t)MAX(reg_width(m->f, reg), 1);
}

static void put(Room *m, uint32_t reg, uint32_t at)
{
    uint32_t *used = &m->used[part(m, reg)];
    m->at[reg] = at;
    *used = MAX(*used, at + span(m, reg));
}

typedef struct Busy {
    uint32_t *stamp, now;  // per place: equal to `now` if a neighbour lies there
} Busy;

static void mark_neighbours(const Room *m, const Graph *g, uint32_t reg, Busy *busy)
{
    busy->now++;
    for (size_t k = 0; k < g->to[reg].n; k++) {
        uint32_t other = g->to[reg].v[k];
        if (m->at[other] == NO_REG || part(m, reg) != part(m, other)) continue;
        for (uint32_t s = 0; s < span(m, other); s++) busy->stamp[m->at[other] + s] = busy->now;
    }
}

static bool is_free(const Busy *busy, uint32_t at, uint32_t step)
{
    for (uint32_t k = 0; k < step; k++)
        if (busy->stamp[at + k] == busy->now) return false;
    return at % step == 0;
}

static void colour(Room *m, const Graph *g)
{
    const Function *f = m->f;
    Busy busy = {mem_alloc(sizeof *busy.stamp * (f->regs.n * 4 + 8)), 0};
    Regs r = {0};
    for (size_t i = 0; i < f->insts.n; i++) {
        const Inst *inst = &f->insts.v[i];
        collect_all(inst, &r);
        for (size_t k = 0; k < r.use.n + r.def.n; k++) {
            uint32_t reg = k < r.use.n ? r.use.v[k] : r.def.v[k - r.use.n], step = span(m, reg), at = 0;
            if (m->at[reg] != NO_REG || (m->outside && m->outside[reg])) continue;
            mark_neighbours(m, g, reg, &busy);
            bool copy = k == r.use.n && is_copy(inst) && reg_width(f, r.use.v[0]) == reg_width(f, reg);
            if (copy && m->at[r.use.v[0]] != NO_REG && is_free(&busy, m->at[r.use.v[0]], step))
                at = m->at[r.use.v[0]];
            else
                while (!is_free(&busy, at, step)) at += step;
            put(m, reg, at);
        }
    }
    regs_free(&r);
    mem_free(busy.stamp);
}

// --- scanning --------------------------------------------------------------------------------------------------------
static void extend(Interval *v, uint32_t at)
{
    v->first = MIN(v->first, at);
    v->last = MAX(v->last, at);
}

int interval_by_first(const void *a, const void *b)
{
    const Interval *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->reg < y->reg ? -1 : 1;
}
static int by_last(const void *a, const void *b)
{
    const Interval *x = a, *y = b;
    return x->last != y->last ? (x->last < y->last ? -1 : 1) : x->reg < y->reg ? -1 : 1;
}

Interval *reg_intervals(const Flow *w)
{
    const Function *f = w->f;
    Interval *v = mem_alloc(sizeof *v * (f->regs.n + 1));
    for (uint32_t r = 0; r < f->regs.n; r++) v[r] = (Interval){UINT32_MAX, 0, r};
    Regs r = {0};
    for (uint32_t i = 0; i < f->insts.n; i++) {
        collect_all(&f->insts.v[i], &r);
        for (size_t k = 0; k < r.def.n; k++) extend(&v[r.def.v[k]], i);
        for (size_t k = 0; k < r.use.n; k++) extend(&v[r.use.v[k]], i);
    }
    regs_free(&r);
    uint64_t *out = mem_alloc(w->words * 8);
    for (uint32_t b = 0; b + 1 < w->blocks.n; b++) {
        flow_live_out(w, b, out);
        for (uint32_t x = 0; x < w->words; x++) {
            for (uint64_t bits = w->live_in[(size_t)b * w->words + x]; bits; bits &= bits - 1)
                extend(&v[x * 64 + (uint32_t)__builtin_ctzll(bits)], w->blocks.v[b].first);
            for (uint64_t bits = out[x]; bits; bits &= bits - 1)
                extend(&v[x * 64 + (uint32_t)__builtin_ctzll(bits)], w->blocks.v[b].last - 1);
        }
    }
    mem_free(out);
    return v;
}

// Intervals, in the order of their beginnings, take the first free places. least[part][n]: where the search for n
// places begins.
static void scan(Room *m, const Interval *start, const Interval *end)
{
    size_t n = m->f->regs.n, old = 0;
    uint8_t *taken[5];
    uint32_t least[5][5] = {{0}};
    for (int k = 0; k < 5; k++) taken[k] = mem_alloc(n * 4 + 8);
    for (size_t k = 0; k < n && start[k].first != UINT32_MAX; k++) {
        for (; end[old].last < start[k].first; old++) {
            uint32_t reg = end[old].reg, p = part(m, reg), at = m->at[reg];
            if (at == NO_REG) continue;
            memset(taken[p] + at, 0, span(m, reg));
            for (uint32_t s = 1; s < 5; s++) least[p][s] = MIN(least[p][s], at / s * s);
        }
        if (m->outside && m->outside[start[k].reg]) continue;
        uint32_t reg = start[k].reg, p = part(m, reg), step = span(m, reg), at = least[p][step];
        while (memchr(taken[p] + at, 1, step)) at += step;
        memset(taken[p] + at, 1, step);
        least[p][step] = at + step;
        put(m, reg, at);
    }
    for (int k = 0; k < 5; k++) mem_free(taken[k]);
}

// --- constant operands -----------------------------------------------------------------------------------------------
typedef struct Constants {
    bool *is, *other;  // per register: a constant's load writes it; something else does, or reads it as no operand can
    const Inst *inst;
    bool sass;
} Constants;

bool inst_on_alu(const Inst *i)
{
    Class c = op_info[i->op].class;
    return c == CLASS_ALU || c == CLASS_MUL || c == CLASS_FMA || c == CLASS_F64 || c == CLASS_CVT;
}

// A parameter's, or of constant memory at an address that is known.
static bool is_constant(const Inst *i, bool sass)
{
    if (i->op != OP_LD || i->guarded || i->vec > 1) return i->op == OP_LD && i->space == SP_PARAM && !i->guarded;
    return i->space == SP_PARAM ||
           (sass && i->space == SP_CONST && i->opnd[1].kind == O_ADDR && i->opnd[1].sym && i->opnd[1].reg == NO_REG);
}

static void note_constant(void *user, uint32_t reg, bool def)
{
    Constants *p = user;
    if (def && is_constant(p->inst, p->sass))
        p->is[reg] = true;
    else if (def || !inst_on_alu(p->inst))
        p->other[reg] = true;
}

bool *alloc_outside(const Function *f)
{
    if (!f->entry || !f->module->free_params) return NULL;
    Constants p = {mem_alloc(f->regs.n + 1), mem_alloc(f->regs.n + 1), NULL, f->module->sass != 0};
    for (size_t i = 0; i < f->insts.n; i++) {
        p.inst = &f->insts.v[i];
        inst_regs(p.inst, note_constant, &p);
    }
    for (size_t r = 0; r < f->regs.n; r++) p.is[r] &= !p.other[r];
    mem_free(p.other);
    return p.is;
}

// --- what others see -------------------------------------------------------------------------------------------------
// Rows of values: the 32-bit ones first, then those of two and of four rows.
static void place_rows(const Function *f, Alloc *a, const uint32_t used[5])
{
    uint32_t at[5] = {0};
    at[2] = (used[1] + 1) & ~1u;
    at[4] = at[2] + 2 * used[2];
    a->rows = at[4] + 4 * used[4];
    for (uint32_t r = 0; r < f->regs.n; r++) {
        int w = reg_width(f, r);
        if (w && a->place[r] != NO_REG) a->place[r] = at[w] + a->place[r] * (uint32_t)w;
    }
}

// Slots by a graph in which registers rest, as long as that takes no more than the aim.
static void spread_out(const Flow *w, Room *file, size_t most_edges)
{
    size_t n = w->f->regs.n;
    for (uint32_t length = MOST_REST, done = 0; length && !done; length /= 2) {
        Graph g = {mem_alloc(sizeof *g.to * (n + 1)), 0, most_edges};
        Room loose = {.f = w->f, .outside = file->outside, .at = mem_alloc(sizeof *loose.at * (n + 1))};
        for (size_t r = 0; r < n; r++) loose.at[r] = NO_REG;
        if (build_graph(w, &g)) rest(w, &g, length), colour(&loose, &g);
        done = loose.used[1] >= file->used[1] && loose.used[1] < w->f->aim;
        for (uint32_t r = 0; r < n && done; r++)
            if (reg_width(w->f, r)) file->at[r] = loose.at[r];  // predicates stay where they are
        if (done) file->used[1] = loose.used[1];
        for (size_t r = 0; r < n; r++) vec_free(&g.to[r]);
        mem_free(g.to), mem_free(loose.at);
    }
}

Alloc *alloc_limited(const Flow *w, size_t most_edges)
{
    const Function *f = w->f;
    size_t n = f->regs.n;
    Alloc *a = mem_alloc(sizeof *a);
    a->slot = mem_alloc(sizeof *a->slot * (n + 1));
    a->place = mem_alloc(sizeof *a->place * (n + 1));
    for (size_t r = 0; r < n; r++) a->slot[r] = a->place[r] = NO_REG;
    bool *outside = alloc_outside(f);
    Room file = {.f = f, .at = a->slot, .outside = outside}, rows = {.f = f, .apart = true, .at = a->place};
    Graph g = {mem_alloc(sizeof *g.to * (n + 1)), 0, most_edges};
    bool small = build_graph(w, &g);
    if (small) colour(&file, &g), colour(&rows, &g);
    for (size_t r = 0; r < n; r++) vec_free(&g.to[r]);
    mem_free(g.to);
    if (!small) {
        Interval *start = reg_intervals(w), *end = mem_alloc(sizeof *end * (n + 1));
        memcpy(end, start, sizeof *end * n);
        qsort(start, n, sizeof *start, interval_by_first);
        qsort(end, n, sizeof *end, by_last);
        scan(&file, start, end), scan(&rows, start, end);
        mem_free(start), mem_free(end);
    }
    if (small && f->aim) spread_out(w, &file, most_edges);
    mem_free(outside);
    a->slots = file.used[1] + (f->aim != 0);  // one holds the stack's address, in machine code
    a->preds = rows.used[0];
    place_rows(f, a, rows.used);
    return a;
}

uint32_t alloc_values(const Flow *w)
{
    size_t n = w->f->regs.n;
    Room m = {.f = w->f, .single = true, .at = mem_alloc(sizeof *m.at * (n + 1))};
    for (size_t r = 0; r < n; r++) m.at[r] = NO_REG;
    Graph g = {mem_alloc(sizeof *g.to * (n + 1)), 0, MAX_GRAPH};
    if (build_graph(w, &g)) colour(&m, &g);
    for (size_t r = 0; r < n; r++) vec_free(&g.to[r]);
    mem_free(g.to), mem_free(m.at);
    return m.used[1];
}

Alloc *alloc_colour(const Flow *w) { return alloc_limited(w, MAX_GRAPH); }

Alloc *alloc_identity(const Flow *w)
{
    const Function *f = w->f;
    Alloc *a = alloc_colour(w);
    uint32_t used[5] = {0};
    for (uint32_t r = 0; r < f->regs.n; r++) a->place[r] = used[reg_width(f, r)]++;
    a->preds = used[0];
    place_rows(f, a, used);
    return a;
}

void alloc_free(Alloc *a)
{
    if (!a) return;
    mem_free(a->slot);
    mem_free(a->place);
    mem_free(a);
}
