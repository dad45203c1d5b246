// lower.c: PTX as the compiler wrote it → nearer to machine code, where timing is counted: copies and constants
// propagated, conversions from generic to global addresses removed (both spaces share their addresses here), dead code
// removed. What a lowered function computes is what the parsed one does; each instruction keeps the index of the one it
// came from (origin). Loads stay even when nothing reads them, and so do volatile accesses and clock reads.
#include "ptx/ptx.h"

#include <string.h>

typedef struct Lower {
    Function *f;
    Flow *flow;
    uint32_t *def;        // per register: its only definition, NO_REG: none, MANY: several
    Operand *value;       // per register: what stands for it, or a kind of O_SINK
} Lower;
#define MANY (NO_REG - 1)

typedef struct DefVisit {
    uint32_t *def, at;
} DefVisit;

static void note_def(void *user, uint32_t reg, bool def)
{
    DefVisit *v = user;
    if (def) v->def[reg] = v->def[reg] == NO_REG ? v->at : MANY;
}

static bool dominates(const Flow *w, uint32_t a, uint32_t b)  // instruction a, instruction b
{
    uint32_t x = w->block_of[a], y = w->block_of[b];
    if (x == y) return a < b;
    while (y != NO_BLOCK && y != x) y = w->blocks.v[y].idom;
    return y == x;
}

typedef struct UseVisit {
    const Lower *l;
    uint32_t at;
    bool *bad;            // per register: some use isn't dominated by the definition
} UseVisit;

static void check_use(void *user, uint32_t reg, bool def)
{
    UseVisit *v = user;
    if (def || v->l->def[reg] >= MANY) return;
    if (!dominates(v->l->flow, v->l->def[reg], v->at)) v->bad[reg] = true;
}

// mov d, s, or cvta[.to].global d, s: what s is, when it may stand for d everywhere. Both have one definition and each
// definition dominates every use, so between d's definition and a use s can't have changed (the SSA argument).
static bool is_copy(const Lower *l, const Inst *i, const bool *bad)
{
    if (i->guarded || i->operands != 2 || i->opnd[0].kind != O_REG) return false;
    if (i->op == OP_CVTA ? i->space != SP_GLOBAL : i->op != OP_MOV) return false;
    uint32_t d = i->opnd[0].reg;
    if (l->def[d] >= MANY || bad[d]) return false;
    const Operand *s = &i->opnd[1];
    const TypeInfo *t = &type_info[l->f->regs.v[d].type];
    if (s->kind == O_IMM) return i->op == OP_MOV && t->kind != K_PRED;
    if (s->kind != O_REG || s->negated || l->def[s->reg] >= MANY || bad[s->reg]) return false;
    return type_info[l->f->regs.v[s->reg].type].bits == t->bits;
}

static void resolve(const Lower *l, Operand *o)
{
    while (o->kind == O_REG && l->value[o->reg].kind != O_SINK) {
        bool negated = o->negated;
        if (l->value[o->reg].kind == O_IMM && negated) return;
        *o = l->value[o->reg];
        o->negated = negated;
    }
}

// A constant may stand where a plain source does; addresses, vectors and call lists keep their registers.
static void rewrite(const Lower *l, Inst *i)
{
    if (i->guarded) {
        Operand g = {.kind = O_REG, .reg = i->guard};
        resolve(l, &g);
        if (g.kind == O_REG) i->guard = g.reg;
    }
    int dests = inst_dest_count(i);
    Operand *copy = arena_alloc(&l->f->module->arena, sizeof *copy * (size_t)MAX(i->operands, 1));
    memcpy(copy, i->opnd, sizeof *copy * i->operands);
    i->opnd = copy;
    for (int n = dests; n < i->operands; n++) {
        Operand *o = &copy[n];
        if (o->kind == O_REG) {
            resolve(l, o);
        } else if (o->kind == O_ADDR && o->reg != NO_REG) {
            Operand r = {.kind = O_REG, .reg = o->reg};
            resolve(l, &r);
            if (r.kind == O_REG) o->reg = r.reg;
            else if (r.kind == O_IMM) o->reg = NO_REG, o->imm += r.imm;
        } else if (o->count && (o->kind == O_VEC || o->kind == O_LIST || o->kind == O_TEX || o->kind == O_PAIR)) {
            Operand *items = arena_alloc(&l->f->module->arena, sizeof *items * o->count);
            memcpy(items, o->items, sizeof *items * o->count);
            o->items = items;
            for (int k = 0; k < o->count; k++) {
                if (items[k].kind == O_REG) resolve(l, &items[k]);
                if (items[k].kind == O_VEC && items[k].count) {
                    Operand *inner = arena_alloc(&l->f->module->arena, sizeof *inner * items[k].count);
                    memcpy(inner, items[k].items, sizeof *inner * items[k].count);
                    items[k].items = inner;
                    for (int m = 0; m < items[k].count; m++) resolve(l, &inner[m]);
                }
            }
        }
    }
}

static bool has_effect(const Inst *i)
{
    switch (i->op) {
    case OP_LD: return i->space != SP_PARAM;
    case OP_MOV: return i->opnd[1].kind == O_SREG && (i->opnd[1].reg == SR_CLOCK || i->opnd[1].reg == SR_CLOCK64 || i->opnd[1].reg == SR_CLOCK_HI || i->opnd[1].reg == SR_GLOBALTIMER);
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX: return inst_has(i, G_SYNC);
    default: return inst_dest_count(i) == 0 || inst_has(i, G_CC) || op_info[i->op].class == CLASS_LOAD || op_info[i->op].class == CLASS_ATOMIC || op_info[i->op].class == CLASS_BARRIER || op_info[i->op].class == CLASS_TEX || i->op == OP_CALL;
    }
}

static void count_use(void *user, uint32_t reg, bool def)
{
    uint32_t *uses = user;
    if (!def) uses[reg]++;
}
static void drop_use(void *user, uint32_t reg, bool def)
{
    uint32_t *uses = user;
    if (!def) uses[reg]--;
}

static bool is_dead(const Inst *i, const uint32_t *uses)
{
    if (has_effect(i)) return false;
    const Operand *d = &i->opnd[0];
    if (d->kind == O_REG) return !uses[d->reg];
    for (int k = 0; k < d->count; k++)
        if (d->items[k].kind == O_REG && uses[d->items[k].reg]) return false;
    return d->kind == O_VEC || d->kind == O_PAIR || d->kind == O_SINK;
}

static void remove_dead(Function *f)
{
    uint32_t *uses = mem_alloc(sizeof *uses * (f->regs.n + 1));
    bool *dead = mem_alloc(f->insts.n + 1);
    for (size_t n = 0; n < f->insts.n; n++) inst_regs(&f->insts.v[n], count_use, uses);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = f->insts.n; n-- > 0;) {
            if (dead[n] || !is_dead(&f->insts.v[n], uses)) continue;
            dead[n] = changed = true;
            inst_regs(&f->insts.v[n], drop_use, uses);
        }
    }
    uint32_t *moved = mem_alloc(sizeof *moved * (f->insts.n + 1)), out = 0;
    for (uint32_t n = 0; n < f->insts.n; n++) {
        moved[n] = out;
        if (!dead[n]) f->insts.v[out++] = f->insts.v[n];
    }
    moved[f->insts.n] = out;
    for (size_t l = 0; l < f->labels.n; l++)
        if (f->labels.v[l].defined) f->labels.v[l].inst = moved[f->labels.v[l].inst];
    f->insts.n = out;
    mem_free(uses), mem_free(dead), mem_free(moved);
}

static void propagate(Function *f)
{
    Lower l = {.f = f, .flow = flow_build(f)};
    size_t n = f->regs.n;
    l.def = mem_alloc(sizeof *l.def * (n + 1));
    l.value = mem_alloc(sizeof *l.value * (n + 1));
    bool *bad = mem_alloc(n + 1);
    for (size_t r = 0; r < n; r++) l.def[r] = NO_REG, l.value[r].kind = O_SINK;
    for (uint32_t i = 0; i < f->insts.n; i++) {
        DefVisit v = {l.def, i};
        inst_regs(&f->insts.v[i], note_def, &v);
    }
    for (uint32_t i = 0; i < f->insts.n; i++) {
        UseVisit v = {&l, i, bad};
        inst_regs(&f->insts.v[i], check_use, &v);
    }
    for (uint32_t i = 0; i < f->insts.n; i++)
        if (is_copy(&l, &f->insts.v[i], bad)) l.value[f->insts.v[i].opnd[0].reg] = f->insts.v[i].opnd[1];
    for (uint32_t i = 0; i < f->insts.n; i++) rewrite(&l, &f->insts.v[i]);
    flow_free(l.flow);
    mem_free(l.def), mem_free(l.value), mem_free(bad);
}

#define VEC_COPY(to, from)                                                        \
    do {                                                                          \
        (to)->v = mem_alloc(sizeof *(from)->v * ((from)->n + 1));                 \
        if ((from)->n) memcpy((to)->v, (from)->v, sizeof *(from)->v * (from)->n); \
        (to)->n = (from)->n;                                                      \
        (to)->cap = (from)->n + 1;                                                \
    } while (0)

Function *ptx_lower(const Function *f, uint32_t limit)
{
    (void)limit;
    Function *g = mem_alloc(sizeof *g);
    *g = *f;
    VEC_COPY(&g->insts, &f->insts);
    VEC_COPY(&g->regs, &f->regs);
    VEC_COPY(&g->labels, &f->labels);
    propagate(g);
    remove_dead(g);
    return g;
}

void ptx_lowered_free(Function *f)
{
    if (!f) return;
    vec_free(&f->insts);
    vec_free(&f->regs);
    vec_free(&f->labels);
    mem_free(f);
}
