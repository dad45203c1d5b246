// forward.c: turns variables in local memory into registers, so that a pointer that was spilled, or passed to an
// inlined function, can still be followed to its argument. A slot is a part of a variable that is only accessed as one
// value of one width, at a constant offset: through the variable's name, or through registers that hold exactly its
// address (by mov, cvta.local, or add and or of a constant), as nvcc does with __local_depot. A slot becomes a register
// if it overlaps no other slot, and if its variable's address isn't used for anything else, since any part of the
// variable could be reached through it. Instructions that compute addresses of variables that are gone are removed.
//
// A register can stand for a local variable: both are a thread's own (PTX ISA §5.1.5), keep their value from one round
// of a loop to the next, and are undefined before anything was stored. A load of a slot to which nothing is ever stored
// becomes a mov of 0, so that no register is read that has no definition.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_YET = -1, ELSE = -2 };
enum { MOST_ROUNDS = 32 };  // how deeply addresses of variables may be stored in variables
typedef struct Place {      // the address that a register holds
    // Index in Function.locals; NOT_YET: nothing was found so far; ELSE: not always the address of the same byte.
    int32_t variable;
    bool generic;
    int64_t at;  // offset from the variable's beginning
} Place;

typedef struct Slot {
    int32_t variable;
    uint32_t bytes;
    int64_t at;
    uint32_t reg;
    bool stored, stays;
} Slot;

typedef struct Forward {
    Function *f;
    Map index;      // of local variables, by address
    Place *place;   // per register
    bool *stays;    // per variable: some part of it stays in memory
    bool *escapes;  // all of it stays: its address is used elsewhere
    VEC(Slot) slots;
} Forward;

// --- addresses -------------------------------------------------------------------------------------------------------
// Addresses are numbers modulo 2^64.
static int64_t shifted(int64_t at, uint64_t by) { return (int64_t)((uint64_t)at + by); }

static Place place_of(const Forward *w, const Operand *o)
{
    int64_t v;
    bool named = (o->kind == O_SYM || o->kind == O_ADDR) && o->sym;
    if (named && map_get(&w->index, (const char *)&o->sym, sizeof o->sym, &v))
        return (Place){(int32_t)v, false, (int64_t)o->imm};
    if (named || (o->kind != O_REG && o->kind != O_ADDR) || o->reg == NO_REG) return (Place){.variable = ELSE};
    Place p = w->place[o->reg];
    if (o->kind == O_ADDR) p.at = shifted(p.at, o->imm);
    return p;
}

// The address that an instruction computes.
static Place result(const Forward *w, const Inst *i)
{
    static const Place no = {.variable = ELSE};
    if (i->operands < 2 || i->opnd[0].kind != O_REG || type_info[i->type].bits != 64) return no;
    Place p = place_of(w, &i->opnd[1]);
    const Operand *by = &i->opnd[i->operands - 1];
    switch (i->op) {
    case OP_MOV: return p;
    case OP_CVTA:
        if (i->space != SP_LOCAL || (p.variable >= 0 && p.generic != inst_has(i, G_TO))) return no;
        p.generic = !inst_has(i, G_TO);
        return p;
    case OP_ADD:
        if (type_info[i->type].kind == K_FLOAT || inst_has(i, G_CC) || by->kind != O_IMM) return no;
        p.at = shifted(p.at, by->imm);
        return p;
    case OP_OR:  // compilers add with it where the bits are known to be 0
        if (by->kind != O_IMM || p.variable < 0) return p.variable == NOT_YET ? p : no;
        if (by->imm >= w->f->locals.v[p.variable]->align || (uint64_t)p.at & by->imm) return no;
        p.at = shifted(p.at, by->imm);
        return p;
    default: return no;
    }
}

static bool same(const Place *a, const Place *b)
{
    return a->variable == b->variable && (a->variable < 0 || (a->generic == b->generic && a->at == b->at));
}

// The register whose place decides what address an instruction computes; NO_REG: none does.
static uint32_t base_of(const Inst *i)
{
    if (i->operands < 2 || (i->opnd[1].kind != O_REG && i->opnd[1].kind != O_ADDR) || i->opnd[1].sym) return NO_REG;
    return i->opnd[1].reg;
}

// Enters an instruction's address for the registers that it writes. Those whose place is another one now go to changed.
typedef VEC(uint32_t) Numbers;
static void enter_result(Forward *w, const Inst *i, Numbers *changed)
{
    const Operand *d = &i->opnd[0];
    Place p = result(w, i);
    if (!inst_dest_count(i) || p.variable == NOT_YET) return;
    for (int k = 0; k < (d->kind == O_REG ? 1 : d->count); k++) {
        const Operand *r = d->kind == O_REG ? d : &d->items[k];
        if (r->kind != O_REG || w->place[r->reg].variable == ELSE || same(&w->place[r->reg], &p)) continue;
        w->place[r->reg] = w->place[r->reg].variable == NOT_YET ? p : (Place){.variable = ELSE};
        vec_push(changed, r->reg);
    }
}

// A register can only go from NOT_YET to one place, and from that to ELSE. So each instruction is looked at three times
// at most: at first, and when its base has changed.
static void find_places(Forward *w)
{
    const Function *f = w->f;
    uint32_t *first = mem_alloc(sizeof *first * (f->regs.n + 1));  // of the instructions with this base, + 1; 0: none
    uint32_t *next = mem_alloc(sizeof *next * (f->insts.n + 1));   // likewise, the one behind it
    Numbers changed = {0};
    for (size_t r = 0; r < f->regs.n; r++) w->place[r].variable = NOT_YET;
    for (size_t n = f->insts.n; n-- > 0;) {
        uint32_t base = base_of(&f->insts.v[n]);
        if (base != NO_REG) next[n] = first[base], first[base] = (uint32_t)n + 1;
    }
    for (size_t n = 0; n < f->insts.n; n++) enter_result(w, &f->insts.v[n], &changed);
    while (changed.n) {
        uint32_t reg = changed.v[--changed.n];
        for (uint32_t n = first[reg]; n; n = next[n - 1]) enter_result(w, &f->insts.v[n - 1], &changed);
    }
    vec_free(&changed);
    mem_free(first), mem_free(next);
}

// --- slots -----------------------------------------------------------------------------------------------------------
static bool is_plain(const Inst *i, const Place *p)
{
    return (i->op == OP_LD || i->op == OP_ST) && i->operands == 2 && !sl1_is_strong(i) &&
           i->space == (p->generic ? SP_GENERIC : SP_LOCAL);
}

static const Operand *element(const Inst *i, int k)
{
    const Operand *o = &i->opnd[i->op == OP_LD ? 0 : 1];
    return o->kind == O_VEC ? &o->items[k] : o;
}

// Can the access become a move? If the register is wider than the slot, a conversion extends or cuts the value, which
// isn't possible for floating-point registers. There are no registers of 8 bits that could be moved.
static bool may_move(const Function *f, const Inst *i, const Operand *o)
{
    if (o->kind != O_REG) return o->kind == O_IMM || o->kind == O_SINK;
    const TypeInfo *r = &type_info[f->regs.v[o->reg].type];
    return r->bits >= 16 && r->bits <= 64 && (r->bits == type_info[i->type].bits || r->kind != K_FLOAT);
}

static void note_access(Forward *w, const Inst *i, Place p)
{
    uint32_t bytes = (uint32_t)type_bytes(i->type);
    if (p.at < 0 || (uint64_t)p.at + (uint64_t)bytes * i->vec > w->f->locals.v[p.variable]->bytes) {
        w->escapes[p.variable] = true;
        return;
    }
    for (int k = 0; k < i->vec; k++) {
        Slot s = {.variable = p.variable, .bytes = bytes, .at = p.at + (int64_t)bytes * k, .stored = i->op == OP_ST};
        s.stays = bytes > 8 || p.at % bytes || !may_move(w->f, i, element(i, k));
        vec_push(&w->slots, s);
    }
}

// Notes accesses, and any other use of an address than to compute another one that is known.
static void look_at(Forward *w, const Inst *i)
{
    int dests = inst_dest_count(i);
    bool made = dests && i->opnd[0].kind == O_REG && w->place[i->opnd[0].reg].variable >= 0;
    for (int n = 0; n < i->operands; n++) {
        const Operand *o = &i->opnd[n];
        Place p = place_of(w, o);
        bool source = n >= dests || o->kind == O_ADDR;
        if (source && p.variable >= 0 && o->kind == O_ADDR && is_plain(i, &p))
            note_access(w, i, p);
        else if (source && p.variable >= 0 && !made)
            w->escapes[p.variable] = true;
        for (int k = 0; k < o->count && source; k++) {
            p = place_of(w, &o->items[k]);
            if (p.variable >= 0) w->escapes[p.variable] = true;
        }
    }
}

static int by_place(const void *a, const void *b)
{
    const Slot *x = a, *y = b;
    if (x->variable != y->variable) return x->variable < y->variable ? -1 : 1;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static Slot *find_slot(const Forward *w, const Inst *i, const Place *p, int k)
{
    uint32_t bytes = (uint32_t)type_bytes(i->type);
    Slot key = {.variable = p->variable, .bytes = bytes, .at = p->at + (int64_t)bytes * k};
    return bsearch(&key, w->slots.v, w->slots.n, sizeof key, by_place);
}

// Is this an access of slots? Then *p is its address. (No access of a variable that doesn't escape lies outside of it.)
static bool is_access(const Forward *w, const Inst *i, Place *p)
{
    if (i->op != OP_LD && i->op != OP_ST) return false;
    *p = place_of(w, &i->opnd[i->op == OP_LD ? 1 : 0]);
    return p->variable >= 0 && !w->escapes[p->variable] && is_plain(i, p);
}

// Joins equal slots. Slots that overlap others stay in memory; so do all elements of a vector of which one stays.
static void settle_slots(Forward *w)
{
    size_t out = 0;
    if (w->slots.n) qsort(w->slots.v, w->slots.n, sizeof *w->slots.v, by_place);
    for (size_t k = 0; k < w->slots.n; k++) {
        Slot *last = out ? &w->slots.v[out - 1] : NULL, *s = &w->slots.v[k];
        s->stays |= w->escapes[s->variable];
        if (last && !by_place(last, s))
            last->stored |= s->stored, last->stays |= s->stays;
        else
            w->slots.v[out++] = *s;
    }
    w->slots.n = out;
    int64_t end = 0;  // the end of all slots so far
    for (size_t k = 0; k < out; k++) {
        Slot *s = &w->slots.v[k], *last = k ? s - 1 : NULL;
        if (!last || last->variable != s->variable) end = 0;
        if (s->at < end) s->stays = last->stays = true;
        end = MAX(end, s->at + s->bytes);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = 0; n < w->f->insts.n; n++) {
            const Inst *i = &w->f->insts.v[n];
            Place p;
            if (!is_access(w, i, &p)) continue;
            bool stays = false;
            for (int k = 0; k < i->vec; k++) stays |= find_slot(w, i, &p, k)->stays;
            for (int k = 0; k < i->vec && stays; k++)
                changed |= !find_slot(w, i, &p, k)->stays, find_slot(w, i, &p, k)->stays = true;
        }
    }
    for (size_t k = 0; k < out; k++) w->stays[w->slots.v[k].variable] |= w->slots.v[k].stays;
}

// --- moves -----------------------------------------------------------------------------------------------------------
static void name_slots(Forward *w)
{
    Sl1Names names;
    sl1_take_names(&names, w->f);
    for (size_t k = 0; k < w->slots.n; k++) {
        Slot *s = &w->slots.v[k];
        const char *name = w->f->locals.v[s->variable]->name;
        Text stem = {0};
        text_printf(&stem, "%s%s", name[0] == '%' ? "" : "%", name);
        if (!s->stays) s->reg = sl1_reg(w->f, sl1_name(&names, stem.v, s->at), sl1_bits(MAX(s->bytes, 2)));
        text_free(&stem);
    }
    sl1_names_free(&names);
}

static Type integer(int bits, bool is_signed)
{
    if (bits == 8) return is_signed ? TY_S8 : TY_U8;
    if (bits == 16) return is_signed ? TY_S16 : TY_U16;
    if (bits == 32) return is_signed ? TY_S32 : TY_U32;
    return is_signed ? TY_S64 : TY_U64;
}

// The move that replaces an access. A load extends the value to the register's width, by its sign if the type has one;
// a store cuts it (PTX ISA §9.4.1). A byte is kept in a register of 16 bits, whose upper bits are 0.
static Inst move(Forward *w, const Inst *i, const Slot *s, const Operand *o)
{
    bool load = i->op == OP_LD, is_signed = load && type_info[i->type].kind == K_SINT;
    int own = 8 * (int)s->bytes, slot = MAX(own, 16),
        bits = o->kind == O_REG ? type_info[w->f->regs.v[o->reg].type].bits : slot;
    Operand value = {.kind = o->kind, .reg = o->reg, .at = o->at}, other = {.kind = O_REG, .reg = s->reg};
    if (o->kind == O_IMM) value.imm = imm_bits(o, i->type);
    if (!s->stored) other = (Operand){.kind = O_IMM, .reg = NO_REG};
    Operand operands[] = {load ? value : other, load ? other : value};
    bool narrow = bits == slot && load && !is_signed, convert = s->stored && o->kind == O_REG && bits != own && !narrow;
    Type to = convert ? integer(load ? bits : slot, is_signed) : sl1_bits((uint64_t)bits / 8);
    Type from = integer(load || own == 8 ? own : bits, is_signed);
    uint16_t suffix[] = {(uint16_t)(M_COUNT + to), (uint16_t)(M_COUNT + from)};
    Inst m = sl1_inst(w->f, i, convert ? OP_CVT : OP_MOV, suffix, 1 + convert, operands, 2);
    m.guarded = i->guarded, m.guard = i->guard, m.guard_negated = i->guard_negated;
    return m;
}

static void rewrite(Forward *w)
{
    Function *f = w->f;
    VEC(Inst) out = {0};
    uint32_t *moved = mem_alloc(sizeof *moved * (f->insts.n + 1));
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        Place p;
        moved[n] = (uint32_t)out.n;
        if (is_access(w, i, &p) && !find_slot(w, i, &p, 0)->stays) {
            for (int k = 0; k < i->vec; k++)
                if (element(i, k)->kind != O_SINK) vec_push(&out, move(w, i, find_slot(w, i, &p, k), element(i, k)));
            continue;
        }
        p = result(w, i);
        if (p.variable < 0 || w->stays[p.variable] || w->escapes[p.variable]) vec_push(&out, *i);
    }
    moved[f->insts.n] = (uint32_t)out.n;
    for (size_t l = 0; l < f->labels.n; l++)
        if (f->labels.v[l].defined) f->labels.v[l].inst = moved[f->labels.v[l].inst];
    for (size_t p = 0; p < f->pragmas.n; p++) f->pragmas.v[p].inst = moved[f->pragmas.v[p].inst];
    mem_free(moved), mem_free(f->insts.v);
    f->insts.v = out.v, f->insts.n = out.n, f->insts.cap = out.cap;
    size_t kept = 0;
    for (size_t k = 0; k < f->locals.n; k++)
        if (f->locals.v[k]->space != SP_LOCAL || w->stays[k] || w->escapes[k]) f->locals.v[kept++] = f->locals.v[k];
    f->locals.n = kept;
}

// One round. False: there was nothing to do.
static bool forward(Function *f)
{
    Forward w = {.f = f, .place = mem_alloc(sizeof *w.place * (f->regs.n + 1))};
    w.stays = mem_alloc(f->locals.n + 1), w.escapes = mem_alloc(f->locals.n + 1);
    bool any = false;
    for (size_t k = 0; k < f->locals.n; k++)
        if (f->locals.v[k]->space == SP_LOCAL)
            map_put(&w.index, (const char *)&f->locals.v[k], sizeof f->locals.v[k], (int64_t)k);
    find_places(&w);
    for (size_t n = 0; n < f->insts.n; n++) look_at(&w, &f->insts.v[n]);
    settle_slots(&w);
    for (size_t k = 0; k < w.slots.n; k++) any |= !w.slots.v[k].stays;
    if (any) name_slots(&w), rewrite(&w);
    map_free(&w.index), vec_free(&w.slots);
    mem_free(w.place), mem_free(w.stays), mem_free(w.escapes);
    return any;
}

// Repeated, since an address may itself have been in a variable, for example if a variable was passed to a function by
// its address.
void sl1_forward(Function *f)
{
    for (int round = 0; round < MOST_ROUNDS && forward(f); round++) continue;
}
