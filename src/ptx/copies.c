// copies.c: what is copied is read where it was copied from: registers, constants, and addresses that are converted
// from generic to global or back (both spaces have the same addresses here). Registers must be untyped, as the
// machine's are, so that one can replace another one of the same width. Invariant: what replaces a register is known
// wherever that is read, and has the same value there.
#include "ptx/ops.h"
#include "ptx/pass.h"

typedef struct Lower {
    Function *f;
    Flow *flow;
    uint32_t *def;   // per register: its only definition, NO_REG: none, MANY: several
    Operand *value;  // per register: what stands for it, or a kind of O_SINK
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
    return x == y ? a < b : flow_dominates(w, x, y);
}

typedef struct UseVisit {
    const Lower *l;
    uint32_t at;
    bool *bad;  // per register: some use isn't dominated by the definition
} UseVisit;

static void check_use(void *user, uint32_t reg, bool def)
{
    UseVisit *v = user;
    if (def || v->l->def[reg] >= MANY) return;
    if (!dominates(v->l->flow, v->l->def[reg], v->at)) v->bad[reg] = true;
}

// For mov d, s and cvta[.to].global d, s: the operand s if it may replace d everywhere. Both registers must have one
// definition, which dominates every use. Then s can't have changed between d's definition and a use of d (the SSA
// argument).
static bool is_copy(const Lower *l, const Inst *i, const bool *bad)
{
    if (i->guarded || i->operands != 2 || i->opnd[0].kind != O_REG) return false;
    bool copy = op_has(i->op, P_COPY);
    if (!copy && !(op_has(i->op, P_COPY_GLOBAL) && i->space == SP_GLOBAL)) return false;
    uint32_t d = i->opnd[0].reg;
    if (l->def[d] >= MANY || bad[d]) return false;
    const Operand *s = &i->opnd[1];
    const TypeInfo *t = &type_info[l->f->regs.v[d].type];
    if (s->kind == O_IMM) return copy && t->kind != K_PRED && t->bits <= 64;
    if (s->kind != O_REG || s->negated || l->def[s->reg] >= MANY || bad[s->reg]) return false;
    return type_info[l->f->regs.v[s->reg].type].bits == t->bits;
}

// Chains of copies are shortened on the way.
static void resolve(const Lower *l, Operand *o)
{
    if (o->kind != O_REG) return;
    uint32_t r = o->reg, last = r;
    while (l->value[last].kind == O_REG) last = l->value[last].reg;
    while (l->value[r].kind == O_REG) {
        uint32_t next = l->value[r].reg;
        l->value[r].reg = last;
        r = next;
    }
    o->reg = last;
}

// The same for a source of type t, which a constant may replace, too. ptxas doesn't accept constants of half-precision
// types and of pairs of 16-bit integers.
static void resolve_value(const Lower *l, Operand *o, Type t)
{
    if (o->kind != O_REG) return;
    resolve(l, o);
    const TypeInfo *info = &type_info[t];
    if (l->value[o->reg].kind != O_IMM || info->kind == K_PRED || info->bits > 64 || t == TY_U16X2 || t == TY_S16X2)
        return;
    uint64_t bits = l->value[o->reg].imm;
    int above = 64 - info->bits;
    Operand imm = {.kind = O_IMM, .reg = NO_REG, .at = o->at, .imm = bits << above >> above};
    if (info->kind == K_FLOAT) imm.imm_kind = info->bits == 64 ? IMM_F64 : IMM_F32;
    if (info->kind == K_SINT) imm.imm = (uint64_t)((int64_t)(bits << above) >> above);
    if (imm_fits(&imm, t)) *o = imm;
}

static void rewrite_items(const Lower *l, Operand *o, Type t)
{
    Operand *items = o->items;
    for (int k = 0; k < o->count; k++) {
        if (items[k].kind == O_VEC && items[k].count)
            rewrite_items(l, &items[k], TY_NONE);
        else if (t == TY_NONE)
            resolve(l, &items[k]);
        else
            resolve_value(l, &items[k], t);
    }
}

typedef struct AnyValue {
    const Lower *l;
    bool found;
} AnyValue;

static void find_value(void *user, uint32_t reg, bool def)
{
    AnyValue *v = user;
    v->found |= !def && v->l->value[reg].kind != O_SINK;
}

// A constant may replace a plain source, or an element of a vector that is stored or packed. Addresses, texture
// coordinates and call lists keep their registers. An instruction shares its operands with the one it was made from,
// and gets a copy before they change.
static void rewrite(const Lower *l, Inst *i)
{
    AnyValue any = {l, false};
    inst_regs(i, find_value, &any);
    if (!any.found) return;
    if (i->guarded) {
        Operand g = {.kind = O_REG, .reg = i->guard};
        resolve(l, &g);
        i->guard = g.reg;
    }
    inst_own(l->f, i);
    bool plain = !op_has(i->op, P_REGS | P_VIDEO);
    for (int n = inst_dest_count(i); n < i->operands; n++) {
        Operand *o = &i->opnd[n];
        Type t = plain ? inst_operand_type(i, n) : TY_NONE;
        if (o->kind == O_REG && t != TY_NONE) {
            resolve_value(l, o, t);
        } else if (o->kind == O_REG) {
            resolve(l, o);
        } else if (o->kind == O_ADDR && o->reg != NO_REG) {
            Operand r = {.kind = O_REG, .reg = o->reg};
            resolve(l, &r);
            o->reg = r.reg;
        } else if (o->kind == O_VEC && op_has(i->op, P_COPY)) {
            rewrite_items(l, o,
                          type_info[t].bits == 2 * 32 && o->count == 2 ? TY_B32
                          : type_info[t].bits == 16 * o->count         ? TY_B16
                                                                       : TY_NONE);
        } else if (o->kind == O_VEC || o->kind == O_LIST || o->kind == O_TEX) {
            rewrite_items(l, o, t);
        }
    }
}

void replace_copies(Function *f)
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
        if (is_copy(&l, &f->insts.v[i], bad)) {
            Operand *v = &l.value[f->insts.v[i].opnd[0].reg];
            *v = f->insts.v[i].opnd[1];
            if (v->kind == O_IMM) v->imm = imm_bits(v, f->insts.v[i].type);
        }
    for (uint32_t i = 0; i < f->insts.n; i++) rewrite(&l, &f->insts.v[i]);
    flow_free(l.flow);
    mem_free(l.def), mem_free(l.value), mem_free(bad);
}
