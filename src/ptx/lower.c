// lower.c: brings PTX closer to machine code, whose timing is simulated. It propagates copies and constants, removes
// conversions from generic to global addresses (both spaces have the same addresses here), and removes dead code. A
// lowered function computes the same as the parsed one. Each instruction keeps the index of the one it came from
// (origin). Loads stay even if nothing reads their results; so do volatile accesses and reads of the clock. Registers
// become untyped, as the machine's are, so that a register can replace another one of the same width.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

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

static bool has_effect(const Inst *i)
{
    if (op_has(i->op, P_EFFECT)) return i->space != SP_PARAM;
    if (op_has(i->op, P_COPY) && i->opnd[1].kind == O_SREG) return sreg_info[i->opnd[1].reg].clock;
    return inst_dest_count(i) == 0 || inst_has(i, G_CC) || (inst_has(i, G_SYNC) && !op_has(i->op, P_ALIGNED));
}

static void count_use(void *user, uint32_t reg, bool def)
{
    uint32_t *uses = user;
    if (!def) uses[reg]++;
}
typedef struct Dropped {
    uint32_t *uses;
    VEC(uint32_t) unused;  // registers that nothing reads any more
} Dropped;
static void drop_use(void *user, uint32_t reg, bool def)
{
    Dropped *d = user;
    if (!def && !--d->uses[reg]) vec_push(&d->unused, reg);
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
    RegIndex writers = reg_index(f, true);
    Dropped d = {.uses = uses};
    for (size_t n = f->insts.n; n-- > 0;) {
        if (!dead[n] && is_dead(&f->insts.v[n], uses)) dead[n] = true, inst_regs(&f->insts.v[n], drop_use, &d);
        while (d.unused.n) {
            uint32_t reg = d.unused.v[--d.unused.n];
            for (uint32_t k = writers.first[reg]; k < writers.first[reg + 1]; k++) {
                uint32_t at = writers.inst[k];
                if (dead[at] || !is_dead(&f->insts.v[at], uses)) continue;
                dead[at] = true;
                inst_regs(&f->insts.v[at], drop_use, &d);
            }
        }
    }
    vec_free(&d.unused);
    reg_index_free(&writers);
    // An atomic whose old value nobody reads needs no result register and no reply; ptxas does the same.
    for (size_t n = 0; n < f->insts.n; n++) {
        Inst *i = &f->insts.v[n];
        if (op_info[i->op].class == CLASS_ATOMIC && i->opnd[0].kind == O_REG && !uses[i->opnd[0].reg])
            inst_own(f, i), i->opnd[0].kind = O_SINK;
    }
    insts_drop(f, dead);
    mem_free(uses), mem_free(dead);
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
        if (is_copy(&l, &f->insts.v[i], bad)) {
            Operand *v = &l.value[f->insts.v[i].opnd[0].reg];
            *v = f->insts.v[i].opnd[1];
            if (v->kind == O_IMM) v->imm = imm_bits(v, f->insts.v[i].type);
        }
    for (uint32_t i = 0; i < f->insts.n; i++) rewrite(&l, &f->insts.v[i]);
    flow_free(l.flow);
    mem_free(l.def), mem_free(l.value), mem_free(bad);
}

// A loop that is unrolled to its end leaves the one around it a single block.
static void unroll(Function *f)
{
    enum { DEEP = 4 };
    bool again = guard_branches(f) | fold_values(f);
    for (int k = 0; again || k == 0; k++) {
        propagate(f);
        remove_dead(f);
        again = k < DEEP && unroll_loops(f);
        if (again) fold_values(f);
    }
}

static void merge(Function *f)
{
    bool *gone = mem_alloc(f->insts.n + 1);
    if (merge_shared(f, gone)) insts_drop(f, gone);
    mem_free(gone);
}

enum { MOST_REGISTERS = 255 };  // of a thread

uint64_t ptx_block_threads(const Function *f)
{
    enum { MOST = 1 << 20 };
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = MIN(n[0], MOST);
    for (int k = 1; k < 3; k++) threads = MIN(threads * MIN(MAX(n[k], 1u), MOST), MOST);
    return threads;
}

// The registers of a thread that ptxas aims at (CUDA 13, sm_75 to sm_90): as many as still leave an SM full of threads,
// in eights; of the threads of the blocks that fit, where .maxntid says how many these have; with .minnctapersm as
// many as so many blocks leave; and a limit takes its place. 0: nothing is aimed at.
static uint32_t aim_of(const Function *f, uint32_t limit)
{
    const Module *m = f->module;
    uint64_t block = ptx_block_threads(f), resident = m->sm_threads;
    if (!m->sm_registers || !f->entry) return 0;
    if (limit && limit < MOST_REGISTERS) return limit;
    if (block && f->minnctapersm)
        resident = block * f->minnctapersm;
    else if (block)
        resident = block * MAX(MIN(m->sm_blocks, m->sm_threads / block), 1u);
    return (uint32_t)MIN(m->sm_registers / MAX(resident, 1u) & ~7u, MOST_REGISTERS);
}

// ptxas of CUDA 13 leaves as many as the parts of the register file have for the warps that must fit, dealt out evenly:
// those of one block, or of .minnctapersm blocks if an SM has so many threads. .maxnreg overrules it. (Where more than
// some 1.4 times as many are alive at once, it was seen to go down to what it aims at instead; that isn't done here.)
uint32_t ptx_bound(const Function *f)
{
    const Module *m = f->module;
    const uint64_t threads = ptx_block_threads(f), warps = (threads + 31) / 32;
    const uint64_t blocks = MAX(f->minnctapersm, 1u), most = MIN(m->sm_threads / MAX(threads, 1u), m->sm_blocks);
    if (!f->entry || !threads || !m->file_registers || f->maxnreg) return 0;
    const uint64_t here = (warps * (blocks > most ? 1 : blocks) + m->file_parts - 1) / m->file_parts;
    const uint64_t each = m->file_registers / m->file_parts / here / m->file_unit * m->file_unit / 32;
    return each && each < MOST_REGISTERS ? (uint32_t)each : 0;
}

// Slots have gaps where pairs must be aligned, and one is the stack's, so that a few more may be needed than words are
// alive at once.
static void order(Function *f, uint32_t aim)
{
    enum { TRIES = 6 };
    uint32_t within = aim, over = 1;
    for (int k = 0; k < TRIES && over; k++) {
        order_blocks(f, within);
        if (!aim) return;
        Flow *w = flow_build(f);
        flow_live(w);
        Alloc *a = alloc_colour(w);
        over = a->slots + 1 > aim ? a->slots + 1 - aim : 0;
        within -= MIN(over, within - 1);
        alloc_free(a);
        flow_free(w);
    }
    f->aim = aim;
}

#define VEC_COPY(to, from)                                                       \
    do {                                                                         \
        (to)->v = mem_alloc(sizeof *(from)->v * ((from)->n + 1));                \
        if ((from)->n) memcpy((to)->v, (from)->v, sizeof *(from)->v *(from)->n); \
        (to)->n = (from)->n;                                                     \
        (to)->cap = (from)->n + 1;                                               \
    } while (0)

bool ptx_changes_registers(const Function *f)
{
    for (size_t i = 0; i < f->insts.n; i++)
        if (f->insts.v[i].op == OP_SETMAXNREG) return true;
    return false;
}

Function *ptx_lower(const Function *f, uint32_t limit)
{
    Function *g = mem_alloc(sizeof *g);
    *g = *f;
    VEC_COPY(&g->insts, &f->insts);
    VEC_COPY(&g->regs, &f->regs);
    VEC_COPY(&g->labels, &f->labels);
    VEC_COPY(&g->locals, &f->locals);
    VEC_COPY(&g->pragmas, &f->pragmas);
    for (size_t r = 0; r < g->regs.n; r++) {
        const Type bits[] = {TY_PRED, TY_B8, TY_B16, TY_B32, TY_B64, TY_B128};
        Type *t = &g->regs.v[r].type;
        int width = type_info[*t].bits;
        for (size_t k = 0; k < COUNT(bits); k++)
            if (type_info[bits[k]].bits == width) *t = bits[k];
    }
    if (ptx_has_wmma(g)) expand_wmma(g);
    propagate(g);
    remove_dead(g);
    const uint8_t level = f->module->lower ? f->module->lower : 3;
    if (f->module->sass && level > 2) unroll(g);
    if (f->module->sass && level > 1) merge(g);
    if (f->module->sass && level > 1) fuse_insts(g), put_beginning(g);
    if (f->maxnreg && (!limit || f->maxnreg < limit)) limit = f->maxnreg;
    if (f->module->reorder) order(g, aim_of(g, limit));
    const uint32_t bound = ptx_changes_registers(f) ? 0 : ptx_bound(f);
    if (bound && (!limit || bound < limit)) limit = bound;
    if (limit) spill_registers(g, limit);
    return g;
}

void ptx_lowered_free(Function *f)
{
    if (!f) return;
    vec_free(&f->insts);
    vec_free(&f->regs);
    vec_free(&f->labels);
    vec_free(&f->locals);
    vec_free(&f->pragmas);
    mem_free(f);
}
