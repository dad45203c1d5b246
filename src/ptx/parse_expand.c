// parse_expand.c: some forms of PTX stand for several instructions. The parser replaces them by these, so that later
// passes needn't know the forms: elements of arrays (PTX ISA §6.4.2), sums of an address and a constant, moves of whole
// vectors (§6.4.3), and parameters and results of functions in registers (§7.1).
#include "ptx/parse.h"

#include <string.h>

// Makes an instruction of the parser's own, with the source position of `like`, and with its guard if guarded is set.
// The suffixes are `first`, if there is one, and `type`.
static void emit(Parser *p, const Inst *like, bool guarded, Op op, int first, Type type, const Operand *o, int n)
{
    Inst i = {.op = (uint16_t)op, .at = like->at, .loc = like->loc, .guard = NO_REG, .operands = (uint8_t)n};
    if (guarded) i.guarded = like->guarded, i.guard_negated = like->guard_negated, i.guard = like->guard;
    if (first) i.suffix[i.suffixes++] = (uint8_t)first;
    i.suffix[i.suffixes++] = (uint8_t)(M_COUNT + type);
    i.opnd = arena_alloc(&p->m->arena, sizeof *o * (size_t)n);
    memcpy(i.opnd, o, sizeof *o * (size_t)n);
    i.origin = (uint32_t)p->f->insts.n;
    vec_push(&p->f->insts, i);
}

static Operand reg_operand(uint32_t reg, uint32_t at) { return (Operand){.kind = O_REG, .reg = reg, .at = at}; }
static Operand new_operand(Parser *p, const char *name, Type type, uint32_t at)
{
    return reg_operand(new_reg(p, name, type), at);
}
static Operand constant(uint64_t v, uint32_t at) { return (Operand){.kind = O_IMM, .reg = NO_REG, .imm = v, .at = at}; }

// --- elements of arrays (§6.4.2) -------------------------------------------------------------------------------------
// '[' (constant | register [('+' | '-') constant]) ']' behind a variable's name. Until expand_arrays has seen it, an
// operand with an index in a register has both sym and reg.
bool parse_index(Parser *p, Operand *o)
{
    const Symbol *s = o->sym;
    size_t at = tok(p)->at;
    if (s->function || (!s->array && s->elements < 2))
        return parse_fail(p, at, NULL, "'%s' is no array, so it has no elements", s->name);
    lex_next(&p->lex);
    int64_t index = 0;
    o->kind = O_ADDR;
    o->indexed = true;
    if (begins_constant(p)) {
        if (!parse_int(p, &index)) return false;
        o->imm = (uint64_t)index * (uint64_t)type_bytes(s->type);
        return expect_punct(p, ']');
    }
    Operand r = {.reg = NO_REG};
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "an index is a constant or a register");
    at = tok(p)->at;
    if (!parse_register(p, &r)) return false;
    const TypeInfo *t = &type_info[p->f->regs.v[r.reg].type];
    if (t->kind == K_FLOAT || t->bits < 16 || t->bits > 64)
        return parse_fail(p, at, NULL, "register %s is .%s, and an index is an integer", reg_name(p->f, r.reg),
                          t->name);
    if (is_punct(p, '+') || is_punct(p, '-')) {
        take_punct(p, '+');
        if (!parse_int(p, &index)) return false;
    }
    o->reg = r.reg;
    o->imm = (uint64_t)index;
    return expect_punct(p, ']');
}

// a[r + c] is the address a + (r + c) · size. The ISA leaves open what size is; ptxas takes that of the type the array
// was declared with. The index is unsigned and has 32 bits, or 64 where the register has them.
static Operand element(Parser *p, const Inst *i, const Operand *o, bool narrow)
{
    int bits = type_info[p->f->regs.v[o->reg].type].bits;
    Operand index = reg_operand(o->reg, o->at), size = constant((uint64_t)type_bytes(o->sym->type), o->at);
    if (bits == 16 || (bits == 64 && narrow)) {
        Operand cut[] = {new_operand(p, "%index", TY_U32, o->at), index};
        emit(p, i, false, OP_CVT, M_COUNT + TY_U32, bits == 16 ? TY_U16 : TY_U64, cut, 2);
        index = cut[0];
        bits = 32;
    }
    if (o->imm) {
        Type t = bits == 64 ? TY_U64 : TY_U32;
        Operand sum[] = {new_operand(p, "%index", t, o->at), index, constant(o->imm, o->at)};
        emit(p, i, false, OP_ADD, M_NONE, t, sum, 3);
        index = sum[0];
    }
    Type t = narrow ? TY_U32 : TY_U64;
    Operand base[] = {new_operand(p, "%array", t, o->at), {.kind = O_SYM, .sym = o->sym, .reg = NO_REG, .at = o->at}};
    emit(p, i, false, OP_MOV, M_NONE, t, base, 2);
    Operand at[] = {new_operand(p, "%element", t, o->at), index, size, base[0]};
    emit(p, i, false, OP_MAD, bits == 32 && !narrow ? M_WIDE : M_LO, bits == 32 ? TY_U32 : TY_U64, at, 4);
    return at[0];
}

// mov and cvta take the element's address, all other instructions its value.
void expand_arrays(Parser *p, Inst *i)
{
    bool value = i->op == OP_MOV || i->op == OP_CVTA;
    for (int n = 0; n < i->operands; n++) {
        Operand *o = &i->opnd[n];
        if (!o->indexed) continue;
        o->indexed = false;
        if (o->reg == NO_REG) {
            if (value) o->kind = O_SYM;
            continue;
        }
        Type t = i->suffixes && i->suffix[i->suffixes - 1] >= M_COUNT ? (Type)(i->suffix[i->suffixes - 1] - M_COUNT)
                                                                      : TY_U64;
        Operand e = element(p, i, o, i->op == OP_MOV && type_info[t].bits == 32);
        *o = e;
        if (!value) o->kind = O_ADDR;
    }
}

// --- sums of an address and a constant as values ---------------------------------------------------------------------
// Constant expressions have no addresses (§4.5), but ptxas takes a variable's name + constant wherever an integer may
// stand, and cuts the sum to the operand's width. The name alone stands in a mov only.
static Operand address_sum(Parser *p, const Inst *i, const Operand *o, int bits)
{
    bool narrow = bits == 32 && o->sym->space == SP_SHARED;
    Type t = narrow ? TY_U32 : TY_U64;
    Operand sum[] = {new_operand(p, "%address", t, o->at), *o};
    emit(p, i, false, OP_MOV, M_NONE, t, sum, 2);
    if (narrow || bits == 64) return sum[0];
    Type cut_to = bits == 32 ? TY_U32 : TY_U16;
    Operand cut[] = {new_operand(p, "%address", cut_to, o->at), sum[0]};
    emit(p, i, false, OP_CVT, M_COUNT + cut_to, TY_U64, cut, 2);
    return cut[0];
}

void expand_addresses(Parser *p, Inst *i)
{
    for (int n = 0; n < i->operands; n++) {
        Operand *o = &i->opnd[n];
        bool sum = o->sum && o->kind == O_SYM && !o->sym->function;
        o->sum = false;
        if (!sum || (i->op == OP_MOV && i->opnd[0].kind != O_VEC)) continue;
        const TypeInfo *t = &type_info[inst_source_type(p->m, i, n)];
        bool integer = t->kind == K_BITS || t->kind == K_UINT || t->kind == K_SINT;
        if (integer && t->bits >= 16 && t->bits <= 64) *o = address_sum(p, i, o, t->bits);
    }
}

// --- moves of vectors (§6.4.3) ---------------------------------------------------------------------------------------
// Expands mov.v2 and mov.v4. All elements move at once, so that {v.y, v.x} may be assigned from v. Returns false if i
// is no such mov, or on an error.
bool expand_vector_mov(Parser *p, const Inst *i)
{
    int want = 0;
    Type type = TY_NONE;
    for (int k = 0; k < i->suffixes; k++) {
        if (i->suffix[k] >= M_COUNT) type = (Type)(i->suffix[k] - M_COUNT);
        if (i->suffix[k] == M_V2 || i->suffix[k] == M_V4) want = i->suffix[k] == M_V2 ? 2 : 4;
    }
    if (i->op != OP_MOV || !want) return false;
    if (i->suffixes != 2 || type == TY_NONE || type == TY_PRED || i->operands != 2)
        return parse_fail(p, i->at, NULL, "mov.v%d takes a type other than .pred and two vectors", want);
    const Operand *to = &i->opnd[0], *from = &i->opnd[1];
    for (int k = 0; k < 2; k++)
        if (i->opnd[k].kind != O_VEC || i->opnd[k].count != want)
            return parse_fail(p, i->opnd[k].at, NULL, "operand %d of 'mov' must be a vector of %d", k + 1, want);
    bool crosses = false;
    for (int a = 0; a < want; a++)
        for (int b = a + 1; b < want; b++)
            crosses |=
                to->items[a].kind == O_REG && from->items[b].kind == O_REG && to->items[a].reg == from->items[b].reg;
    Operand value[4];
    for (int k = 0; k < want; k++) {
        value[k] = from->items[k];
        if (!crosses) continue;
        Operand copy[] = {new_operand(p, "%part", type, i->at), value[k]};
        emit(p, i, false, OP_MOV, M_NONE, type, copy, 2);
        value[k] = copy[0];
    }
    for (int k = 0; k < want; k++) {
        Operand move[] = {to->items[k], value[k]};
        if (move[0].kind != O_SINK) emit(p, i, true, OP_MOV, M_NONE, type, move, 2);
    }
    return true;
}

// --- parameters in registers (§7.1) ----------------------------------------------------------------------------------
// A .reg parameter of a function becomes a .param, which is loaded into a register of that name at the body's
// beginning. A .reg result becomes a .param, which is stored at the body's end. Several results become one .param, a
// structure.
bool join_results(Parser *p, Symbols *rets)
{
    if (rets->n < 2) return true;
    Symbol *all = arena_alloc(&p->m->arena, sizeof *all);
    *all = *rets->v[0];
    all->parts = arena_alloc(&p->m->arena, sizeof *all->parts * rets->n);
    all->bytes = 0;
    for (size_t k = 0; k < rets->n; k++) {
        Symbol *s = all->parts[all->part_count++] = rets->v[k];
        if (!s->in_reg)
            return parse_fail(p, s->at, "return a structure, such as .param .align 8 .b8 r[16]",
                              "one of several results must be in a register (.reg)");
        uint64_t size = (uint64_t)type_bytes(s->type);
        all->align = MAX(all->align, s->align);
        s->address = (all->bytes + size - 1) / size * size;
        all->bytes = s->address + size;
    }
    all->type = TY_B8;
    all->array = true;
    all->elements = all->bytes;
    rets->n = 0;
    vec_push(rets, all);
    return true;
}

static Type bits_of(Type t)
{
    int bits = type_info[t].bits;
    return bits == 8 ? TY_B8 : bits == 16 ? TY_B16 : bits == 32 ? TY_B32 : bits == 64 ? TY_B64 : TY_B128;
}

static Operand place(Symbol *s, uint64_t offset)
{
    return (Operand){.kind = O_ADDR, .reg = NO_REG, .sym = s, .imm = offset, .at = s->at};
}

static void load(Parser *p, const Inst *like, Operand to, Symbol *s, uint64_t offset, Type type)
{
    Operand o[] = {to, place(s, offset)};
    emit(p, like, false, OP_LD, M_PARAM, bits_of(type), o, 2);
}

// The registers of f's parameters and results, where its body begins.
void open_registers(Parser *p)
{
    Function *f = p->f;
    p->results.n = 0;
    for (size_t k = 0; k < f->rets.n; k++) {
        Symbol *s = f->rets.v[k];
        for (uint32_t n = 0; n < s->part_count; n++) {
            Result r = {declare_reg(p, s->parts[n]->name, s->parts[n]->type), s->parts[n]->type, s,
                        s->parts[n]->address};
            vec_push(&p->results, r);
        }
        if (!s->in_reg || s->part_count) continue;
        Result r = {declare_reg(p, s->name, s->type), s->type, s, 0};
        vec_push(&p->results, r);
    }
    for (size_t k = 0; k < f->params.n; k++) {
        Symbol *s = f->params.v[k];
        if (!s->in_reg) continue;
        Inst like = {.at = s->at};
        load(p, &like, reg_operand(declare_reg(p, s->name, s->type), s->at), s, 0, s->type);
    }
}

// Stores the results before each ret and at the body's end. If a guarded ret isn't taken, they are stored again later.
void store_results(Parser *p, const Inst *like)
{
    for (size_t k = 0; k < p->results.n; k++) {
        const Result *r = &p->results.v[k];
        Operand o[] = {place(r->symbol, r->offset), reg_operand(r->reg, like->at)};
        emit(p, like, false, OP_ST, M_PARAM, bits_of(r->type), o, 2);
    }
}

// What a call gives back, as the function or the prototype says; null where there is none.
static const Symbols *results_of(const Parser *p, const Inst *i)
{
    const Operand *callee = &i->opnd[i->operands > 1 && i->opnd[0].kind == O_LIST], *last = &i->opnd[i->operands - 1];
    if (callee->kind == O_SYM) return callee->sym->function ? &callee->sym->function->rets : NULL;
    if (last->kind != O_PROTO) return NULL;
    const Proto *proto = p->f->protos.v[last->reg];
    return proto->targets.n ? &proto->targets.v[0]->function->rets : &proto->rets;
}

// Several results are loaded from a .param variable behind the call. Such loads can't have a guard (§7.1), so they are
// always made. Moves with the call's guard then set the registers.
bool expand_call(Parser *p, Inst *i)
{
    const Symbols *rets = i->operands ? results_of(p, i) : NULL;
    const Symbol *all = rets && rets->n == 1 ? rets->v[0] : NULL;
    vec_push(&p->f->insts, *i);
    if (!all || !all->part_count) return true;
    Operand *list = &i->opnd[0];
    int have = list->kind == O_LIST ? list->count : 0;
    if (have != (int)all->part_count)
        return parse_fail(p, list->at, NULL, "%u results are expected, not %d", all->part_count, have);
    Symbol *s = arena_alloc(&p->m->arena, sizeof *s);
    *s = (Symbol){.name = unique_name(p, "results"),
                  .space = SP_PARAM,
                  .type = TY_B8,
                  .array = true,
                  .elements = all->elements,
                  .bytes = all->bytes,
                  .align = all->align,
                  .at = i->at};
    vec_push(&p->f->locals, s);
    const Operand *taken = list->items;
    list->items = arena_alloc(&p->m->arena, sizeof *list->items);
    *list->items = (Operand){.kind = O_SYM, .sym = s, .reg = NO_REG, .at = list->at};
    list->count = 1;
    p->f->insts.v[p->f->insts.n - 1] = *i;
    for (int k = 0; k < have; k++) {
        const Operand *o = &taken[k];
        Type type = all->parts[k]->type;
        if (o->kind == O_SINK) continue;
        if (o->kind != O_REG || o->negated)
            return parse_unsupported(
                p, o->at, "name a register or _",
                "one of several results that goes elsewhere than into a register is not implemented");
        const TypeInfo *r = &type_info[p->f->regs.v[o->reg].type], *t = &type_info[type];
        if (r->bits != t->bits || (r->kind != t->kind && (r->kind == K_FLOAT || t->kind == K_FLOAT) &&
                                   r->kind != K_BITS && t->kind != K_BITS))
            return parse_fail(p, o->at, NULL, "register %s is .%s, which doesn't agree with .%s",
                              reg_name(p->f, o->reg), r->name, t->name);
        Operand value = i->guarded ? new_operand(p, "%result", bits_of(type), o->at) : *o;
        load(p, i, value, s, all->parts[k]->address, type);
        Operand move[] = {*o, value};
        if (i->guarded) emit(p, i, true, OP_MOV, M_NONE, bits_of(type), move, 2);
    }
    return true;
}
