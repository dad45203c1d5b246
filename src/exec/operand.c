// operand.c: an instruction's operands as rows, and where what they name is: constants in the kernel's pool, variables
// in their spaces, registers in the frame.
#include "exec/decode.h"

#include <assert.h>
#include <string.h>

bool decode_fail(Decode *x, bool unsupported, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!x->failed)
        diag_vat(x->diag, &x->image->module->source, x->i ? x->i->at : x->f->symbol->at,
                 unsupported ? "onchip list ops shows what is implemented" : NULL, format, args);
    va_end(args);
    if (unsupported) x->diag->unsupported = true;
    x->failed = true;
    return false;
}

bool decode_refuse(Decode *x, FormId id)
{
    return decode_fail(x, true, "'%s' with %s is not implemented: %s", op_info[form_info[id].op].name,
                       form_info[id].written, form_info[id].why);
}

Loc32 constant_row(Decode *x, uint64_t value, bool wide)
{
    struct {
        uint64_t value, wide;
    } key = {wide ? value : (uint32_t)value, wide};
    int64_t row;
    if (!map_get(&x->rows, (const char *)&key, sizeof key, &row)) {
        if (x->k->const_rows == MAX_CONST_ROWS) return decode_fail(x, false, "too many different constants"), 0;
        ConstEntry e = {key.value, x->k->const_rows, wide};
        row = e.row;
        x->k->const_rows += 2;
        vec_push(&x->consts, e);
        map_put(&x->rows, (const char *)&key, sizeof key, row);
    }
    return (Loc32)row * ROW_BYTES | 1;
}

Loc32 scratch_row(const Decode *x) { return (x->code->rows - 2) * ROW_BYTES; }
bool reg_wide(const Decode *x, uint32_t reg) { return type_info[x->f->regs.v[reg].type].bits == 64; }
Loc32 reg_loc(const Decode *x, uint32_t reg)
{
    return x->code->alloc->place[reg] == NO_REG ? scratch_row(x) : x->code->alloc->place[reg] * ROW_BYTES;
}
uint16_t pred_of(const Decode *x, uint32_t reg)
{
    return x->code->alloc->place[reg] == NO_REG ? PRED_SINK : (uint16_t)(x->code->alloc->place[reg] + PRED_FIRST);
}

void places_put(Places *p, const Symbol *s, uint32_t at)
{
    Place place = {s, at};
    map_put(&p->index, (const char *)&s, sizeof s, (int64_t)p->list.n);
    vec_push(&p->list, place);
}

uint32_t places_find(const Places *p, const Symbol *s)
{
    int64_t k;
    return map_get(&p->index, (const char *)&s, sizeof s, &k) ? p->list.v[k].at : NO_REG;
}

void places_clear(Places *p)
{
    map_free(&p->index);
    vec_free(&p->list);
}

uint64_t exec_function_address(const Module *m, const Symbol *s)
{
    int64_t index;
    if (s->alias) s = s->alias;
    return map_get(&m->symbol_map, s->name, strlen(s->name), &index) ? CODE_BASE + (uint64_t)index : 0;
}

// Where a variable of the function lies in its local memory: .local ones, and parameters that find_taken found.
static uint64_t local_address(Decode *x, const Symbol *s)
{
    uint32_t at = places_find(&x->local, s);
    if (at == NO_REG) decode_fail(x, false, "'%s' has no address: it is no parameter of this function", s->name);
    return at;
}

// The address of a symbol in its own space.
uint64_t address_of(Decode *x, const Symbol *s)
{
    if (s->function) return exec_function_address(x->image->module, s);
    bool opaque = type_info[s->type].kind == K_OPAQUE || s->space == SP_TEX;
    if (opaque && s->space != SP_GLOBAL && s->space != SP_TEX) {
        decode_refuse(x, FORM_TEX_PARAM);
        return 0;
    }
    if (opaque) return s->address;  // the reference's handle
    switch (s->space) {
    case SP_SHARED: {
        uint32_t at = places_find(&x->shared, s);
        return at == NO_REG ? x->k->static_shared : at;  // .extern: behind everything static
    }
    case SP_PARAM: {
        uint32_t at = places_find(&x->params, s);
        return at == NO_REG ? local_address(x, s) : at;
    }
    case SP_LOCAL: return local_address(x, s);
    case SP_GLOBAL:
    case SP_CONST:
        if (s->linkage == LINK_EXTERN && !s->address)
            decode_fail(x, false, "'%s' is declared .extern and not defined in this module", s->name);
        return s->address;
    default: decode_fail(x, true, "'%s': .%s variables are not implemented", s->name, space_names[s->space]); return 0;
    }
}

// A register, a constant or a symbol: ptx/check.c refuses whatever else stands there.
Loc32 source_row(Decode *x, const Operand *o, Type t)
{
    bool wide = type_info[t].bits == 64;
    if (o->kind == O_REG) return reg_loc(x, o->reg);
    if (o->kind == O_IMM) return constant_row(x, imm_bits(o, t), wide);
    assert(o->kind == O_SYM);
    return constant_row(x, address_of(x, o->sym) + o->imm, wide);
}

// A predicate source as 2 · number + negated.
uint32_t pred_source(Decode *x, const Operand *o)
{
    if (o->kind == O_REG) return 2u * pred_of(x, o->reg) + o->negated;
    return 2u * PRED_TRUE + (o->imm == 0);
}
void set_psrc(Decode *x, Dinst *d, const Operand *o)
{
    uint32_t p = pred_source(x, o);
    d->psrc = (uint16_t)(p >> 1);
    d->psrc_negated = p & 1;
}
Loc32 dest_row(const Decode *x, const Operand *o) { return o->kind == O_REG ? reg_loc(x, o->reg) : scratch_row(x); }
uint16_t pdest_of(const Decode *x, const Operand *o) { return o->kind == O_REG ? pred_of(x, o->reg) : PRED_SINK; }

// [reg + imm], [sym + imm], [imm]: the register's row in a, the rest in imm. D_SRC_LONG: the register has 64 bits.
void set_address(Decode *x, Dinst *d, const Operand *o)
{
    d->imm = o->imm;
    if (o->reg != NO_REG) {
        d->a = reg_loc(x, o->reg);
        if (reg_wide(x, o->reg)) d->flags |= D_SRC_LONG;
        return;
    }
    if (o->sym && o->sym->space == SP_PARAM && x->f->entry && x->i->space == SP_LOCAL)
        decode_fail(x, false, "the kernel's parameter '%s' doesn't lie in local memory", o->sym->name);
    if (o->sym) d->imm += address_of(x, o->sym);
    if (o->sym && (o->sym->space == SP_LOCAL || (o->sym->space == SP_PARAM && !x->f->entry))) d->flags |= D_FRAME;
    d->a = constant_row(x, 0, true);
    d->flags |= D_SRC_LONG;
}

// The two rows of pairs of a 128-bit register, the lower half first
void half_rows(const Decode *x, const Operand *o, Loc32 to[2])
{
    to[0] = dest_row(x, o);
    to[1] = to[0] == scratch_row(x) ? to[0] : to[0] + 2 * ROW_BYTES;
}

typedef struct Score {
    Decode *x;
    Dinst *d;
    bool def;
} Score;
static void score(void *user, uint32_t reg, bool def)
{
    Score *s = user;
    const Alloc *a = s->x->code->alloc;
    if (def != s->def || a->place[reg] == NO_REG || s->d->score_n == MAX_SCORE) return;
    bool pred = s->x->f->regs.v[reg].type == TY_PRED;
    s->d->score[s->d->score_n++] = (uint16_t)(a->place[reg] + (pred ? s->x->code->reg_rows : 0));
}

void set_score(Decode *x, Dinst *d)
{
    Score s = {x, d, true};
    inst_regs(x->i, score, &s);
    d->score_dst = d->score_n;
    s.def = false;
    inst_regs(x->i, score, &s);
}
