// parse_expand.c: some forms of PTX stand for several instructions. The parser replaces them by these, so that later
// passes needn't know the forms: elements of arrays (PTX ISA §6.4.2), sums of an address and a constant, moves of whole
// vectors (§6.4.3), and parameters and results of functions in registers (§7.1).
#include "ptx/ops.h"
#include "ptx/parse.h"

#include <string.h>

// Makes an instruction of the parser's own, with the source position of `like`, and with its guard if guarded is set.
// The suffixes are `first`, if there is one, and `type`.
static void emit(Parser *p, const Inst *like, bool guarded, Op op, int first, Type type, const Operand *o, int n)
{
    Inst i = {.op = (uint16_t)op, .at = like->at, .loc = like->loc, .guard = NO_REG, .operands = (uint8_t)n};
    if (guarded) i.guarded = like->guarded, i.guard_negated = like->guard_negated, i.guard = like->guard;
    if (first) i.suffix[i.suffixes++] = (uint16_t)first;
    i.suffix[i.suffixes++] = (uint16_t)(M_COUNT + type);
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
    p->depth++;  // the sum is the index's
    bool good = parse_register(p, &r);
    p->depth--;
    if (!good) return false;
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

// ptxas takes register + constant, too: a sum of the register's width.
static bool register_sum(Parser *p, const Inst *i, Operand *o)
{
    const TypeInfo *t = &type_info[p->f->regs.v[o->reg].type];
    if (t->kind == K_FLOAT || t->kind == K_PRED || t->bits < 16 || t->bits > 64)
        return parse_fail(p, o->at, NULL, "a constant can't be added to register %s, which is .%s",
                          reg_name(p->f, o->reg), t->name);
    Type type = t->bits == 64 ? TY_U64 : t->bits == 32 ? TY_U32 : TY_U16;
    Operand sum[] = {new_operand(p, "%sum", type, o->at), reg_operand(o->reg, o->at), constant(o->imm, o->at)};
    emit(p, i, false, OP_ADD, M_NONE, type, sum, 3);
    *o = sum[0];
    return true;
}

bool expand_sums(Parser *p, Inst *i)
{
    for (int n = 0; n < i->operands; n++) {
        Operand *o = &i->opnd[n];
        if (o->kind == O_REG && o->sum && inst_source_type(p->m, i, n) == TY_NONE)
            return parse_fail(p, o->at, NULL, "a constant can't be added to operand %d of '%s'", n + 1,
                              op_info[i->op].name);
        if (o->kind == O_REG && o->sum && !register_sum(p, i, o)) return false;
        bool sum = o->sum && o->kind == O_SYM && !o->sym->function;
        o->sum = false;
        if (!sum || (i->op == OP_MOV && i->opnd[0].kind != O_VEC)) continue;
        const TypeInfo *t = &type_info[inst_source_type(p->m, i, n)];
        bool integer = t->kind == K_BITS || t->kind == K_UINT || t->kind == K_SINT;
        if (integer && t->bits >= 16 && t->bits <= 64) *o = address_sum(p, i, o, t->bits);
    }
    return true;
}

// --- moves of vectors (§6.4.3) ---------------------------------------------------------------------------------------
// A special register that is a vector, as a whole (§10)
static void all_four(Parser *p, Operand *o)
{
    size_t n = strlen(sreg_info[o->reg].name) - 1;
    Operand *items = arena_alloc(&p->m->arena, 4 * sizeof *items);
    for (int k = 0; k < 4; k++) {
        char *name = arena_printf(&p->m->arena, "%.*s%c", (int)n, sreg_info[o->reg].name, "xyzw"[k]);
        int64_t v = o->reg;
        words_get(&p->sregs, name, n + 1, &v);
        items[k] = (Operand){.kind = O_SREG, .reg = (uint32_t)v, .at = o->at};
    }
    *o = (Operand){.kind = O_VEC, .count = 4, .reg = NO_REG, .at = o->at, .items = items};
}

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
    if (want == 4 && i->opnd[1].kind == O_SREG && i->opnd[1].whole) all_four(p, &i->opnd[1]);
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

// --- stores that leave out elements (§9.7.9.12) ----------------------------------------------------------------------
// Elements k to k + count of the vector that i stores. What is said about the L2 goes with whole vectors only.
static void store_part(Parser *p, const Inst *i, int k, int count, int bytes)
{
    Inst part = *i;
    part.suffixes = 0;
    for (int n = 0; n < i->suffixes; n++) {
        Group g = i->suffix[n] < M_COUNT ? mod_info[i->suffix[n]].group : G_COUNT;
        if (g == G_VEC && count > 1) part.suffix[part.suffixes++] = count == 2 ? M_V2 : M_V4;
        if (g != G_VEC && g != G_EVICT2) part.suffix[part.suffixes++] = i->suffix[n];
    }
    part.opnd = arena_alloc(&p->m->arena, sizeof *part.opnd * i->operands);
    memcpy(part.opnd, i->opnd, sizeof *part.opnd * i->operands);
    part.opnd[0].imm += (uint64_t)(k * bytes);
    part.opnd[1].items += k;
    part.opnd[1].count = (uint16_t)count;
    if (count == 1) part.opnd[1] = i->opnd[1].items[k];
    part.origin = (uint32_t)p->f->insts.n;
    vec_push(&p->f->insts, part);
}

// st of a vector of 32 bytes with _ in it becomes a store for each stretch without. Returns false if i is no such
// store, or on an error.
bool expand_store(Parser *p, const Inst *i)
{
    const Operand *v = i->op == OP_ST && i->operands > 1 ? &i->opnd[1] : NULL;
    int sinks = 0, bytes = 0, want = 1;
    for (int k = 0; v && v->kind == O_VEC && k < v->count; k++) sinks += v->items[k].kind == O_SINK;
    if (!sinks || p->lex.failed) return false;
    for (int k = 0; k < i->suffixes; k++) {
        uint16_t s = i->suffix[k];
        if (s >= M_COUNT) bytes = type_bytes((Type)(s - M_COUNT));
        if (s == M_V2 || s == M_V4 || s == M_V8) want = s == M_V2 ? 2 : s == M_V4 ? 4 : 8;
    }
    if (want != v->count) return false;  // check.c tells
    if (v->count * bytes != 32 || sinks == v->count)
        return parse_fail(p, v->at, NULL, "'_' can stand for some elements of a vector of 32 bytes");
    if (p->m->sm < 100) return parse_fail(p, v->at, NULL, "vectors of 32 bytes need .target sm_100");
    for (int k = 0, count; k < v->count; k += count) {
        count = 1;
        if (v->items[k].kind == O_SINK) continue;
        for (int more = 2; more * bytes <= 16 && k % more == 0; more *= 2) {
            bool full = true;
            for (int n = k; n < k + more; n++) full &= v->items[n].kind != O_SINK;
            if (!full) break;
            count = more;
        }
        store_part(p, i, k, count, bytes);
    }
    return true;
}

// --- parameters in registers (§7.1) ----------------------------------------------------------------------------------
// A .reg parameter of a function becomes a .param, which is loaded into a register of that name at the body's
// beginning. A .reg result becomes a .param, which is stored at the body's end. Several results become one .param, a
// structure. A predicate travels as 0 or 1.
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
        all->align = MAX(all->align, s->align);
        s->address = (all->bytes + s->bytes - 1) / s->bytes * s->bytes;
        all->bytes = s->address + s->bytes;
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
    return bits == 8 ? TY_B8 : bits == 16 ? TY_B16 : bits == 64 ? TY_B64 : bits == 128 ? TY_B128 : TY_B32;
}

static Operand place(Symbol *s, uint64_t offset)
{
    return (Operand){.kind = O_ADDR, .reg = NO_REG, .sym = s, .imm = offset, .at = s->at};
}

// Loads and stores of what a call passes can't have a guard (§7.1), so they are always made. With guarded set, what
// comes behind the load has the guard of `like`.
static void load(Parser *p, const Inst *like, bool guarded, Operand to, Symbol *s, uint64_t offset, Type type)
{
    bool direct = type != TY_PRED && !guarded;
    Operand value = direct ? to : new_operand(p, "%result", bits_of(type), to.at), o[] = {value, place(s, offset)};
    emit(p, like, false, OP_LD, M_PARAM, bits_of(type), o, 2);
    if (direct) return;
    Operand set[] = {to, value, constant(0, to.at)};
    if (type == TY_PRED)
        emit(p, like, guarded, OP_SETP, M_NE, TY_B32, set, 3);
    else
        emit(p, like, guarded, OP_MOV, M_NONE, bits_of(type), set, 2);
}

static Operand zero_or_one(Parser *p, const Inst *like, Operand predicate)
{
    uint32_t at = predicate.at;
    Operand o[] = {new_operand(p, "%flag", TY_B32, at), constant(1, at), constant(0, at), predicate};
    emit(p, like, false, OP_SELP, M_NONE, TY_B32, o, 4);
    return o[0];
}

static void store(Parser *p, const Inst *like, Operand from, Symbol *s, uint64_t offset, Type type)
{
    if (type == TY_PRED) from = zero_or_one(p, like, from);
    Operand o[] = {place(s, offset), from};
    emit(p, like, false, OP_ST, M_PARAM, bits_of(type), o, 2);
}

static uint32_t declare_all(Parser *p, const Symbol *s)
{
    if (s->reg_count > 1) return declare_vector(p, s->name, s->reg_type, s->reg_count);
    return declare_reg(p, s->name, s->reg_type);
}

static void add_results(Parser *p, const Symbol *part, Symbol *in, uint64_t offset)
{
    uint32_t first = declare_all(p, part);
    for (uint32_t k = 0; k < part->reg_count; k++) {
        Result r = {first + k, part->reg_type, in, offset + k * (uint64_t)type_bytes(part->reg_type)};
        vec_push(&p->results, r);
    }
}

// The registers of f's parameters and results, where its body begins.
void open_registers(Parser *p)
{
    Function *f = p->f;
    p->results.n = 0;
    for (size_t k = 0; k < f->rets.n; k++) {
        Symbol *s = f->rets.v[k];
        for (uint32_t n = 0; n < s->part_count; n++) add_results(p, s->parts[n], s, s->parts[n]->address);
        if (s->in_reg && !s->part_count) add_results(p, s, s, 0);
    }
    for (size_t k = 0; k < f->params.n; k++) {
        Symbol *s = f->params.v[k];
        if (!s->in_reg) continue;
        Inst like = {.at = s->at};
        uint32_t first = declare_all(p, s);
        for (uint32_t n = 0; n < s->reg_count; n++)
            load(p, &like, false, reg_operand(first + n, s->at), s, n * (uint64_t)type_bytes(s->reg_type), s->reg_type);
    }
}

// Stores the results before each ret and at the body's end. If a guarded ret isn't taken, they are stored again later.
void store_results(Parser *p, const Inst *like)
{
    for (size_t k = 0; k < p->results.n; k++) {
        const Result *r = &p->results.v[k];
        store(p, like, reg_operand(r->reg, like->at), r->symbol, r->offset, r->type);
    }
}

// --- calls (§7.1) ----------------------------------------------------------------------------------------------------
// What a call passes and gives back, as the function or the prototype says. False: nobody says.
static bool callee_lists(const Parser *p, const Inst *i, const Symbols **rets, const Symbols **params)
{
    const Operand *callee = &i->opnd[i->operands > 1 && i->opnd[0].kind == O_LIST], *last = &i->opnd[i->operands - 1];
    const Function *f = callee->kind == O_SYM ? callee->sym->function : NULL;
    const Proto *proto = !f && last->kind == O_PROTO ? p->f->protos.v[last->reg] : NULL;
    if (proto && proto->targets.n) f = proto->targets.v[0]->function;
    *rets = f ? &f->rets : proto ? &proto->rets : NULL;
    *params = f ? &f->params : proto ? &proto->params : NULL;
    return f || proto;
}

// A .param variable of the body that is passed for s.
static Symbol *new_param(Parser *p, const Symbol *s, const char *name, uint32_t at)
{
    Symbol *v = arena_alloc(&p->m->arena, sizeof *v);
    *v = (Symbol){.name = unique_name(p, name),
                  .space = SP_PARAM,
                  .type = s->type,
                  .array = s->array,
                  .elements = s->elements,
                  .bytes = s->bytes,
                  .align = s->align,
                  .at = at};
    vec_push(&p->f->locals, v);
    return v;
}

static bool is_register_of(Parser *p, const Operand *o, Type type)
{
    if (o->kind != O_REG || o->negated)
        return parse_fail(p, o->at, NULL, "a register of type .%s is expected here", type_info[type].name);
    const TypeInfo *r = &type_info[p->f->regs.v[o->reg].type], *t = &type_info[type];
    bool floats = r->kind == K_FLOAT || t->kind == K_FLOAT, bits = r->kind == K_BITS || t->kind == K_BITS;
    if (r->bits == t->bits && (r->kind == t->kind || !floats || bits)) return true;
    return parse_fail(p, o->at, NULL, "register %s is .%s, which doesn't agree with .%s", reg_name(p->f, o->reg),
                      r->name, t->name);
}

// The operands that stand for the registers of s; null, with the error: o is no vector of so many.
static const Operand *registers_of(Parser *p, const Operand *o, const Symbol *s)
{
    if (s->reg_count == 1) return o;
    if (o->kind == O_VEC && o->count == s->reg_count) return o->items;
    parse_fail(p, o->at, NULL, "a vector of %u registers is expected here", s->reg_count);
    return NULL;
}

// Before the call: predicates and vectors go into what they travel as.
static bool pass_registers(Parser *p, Inst *i, const Symbols *params)
{
    int at = (i->opnd[0].kind == O_LIST) + 1;
    if (at >= i->operands || i->opnd[at].kind != O_LIST || i->opnd[at].count != params->n) return true;
    for (size_t n = 0; n < params->n; n++) {
        const Symbol *s = params->v[n];
        Operand *o = &i->opnd[at].items[n];
        if (s->reg_count < 2 && s->reg_type != TY_PRED) continue;
        const Operand *from = registers_of(p, o, s);
        for (uint32_t k = 0; from && k < s->reg_count; k++)
            if (!is_register_of(p, &from[k], s->reg_type)) return false;
        if (!from) return false;
        if (s->reg_type == TY_PRED) {
            *o = zero_or_one(p, i, *o);
            continue;
        }
        Symbol *v = new_param(p, s, "passed", o->at);
        for (uint32_t k = 0; k < s->reg_count; k++)
            store(p, i, from[k], v, k * (uint64_t)type_bytes(s->reg_type), s->reg_type);
        *o = (Operand){.kind = O_SYM, .sym = v, .reg = NO_REG, .at = o->at};
    }
    return true;
}

// Copies a result, after the call, into registers, which are set where the call was made.
static bool take_result(Parser *p, const Inst *i, const Operand *o, Symbol *from, const Symbol *part)
{
    if (o->kind == O_SINK) return true;
    const Operand *to = registers_of(p, o, part);
    for (uint32_t k = 0; to && k < part->reg_count; k++) {
        if (to[k].kind == O_SINK) continue;
        if (to[k].kind == O_SYM)
            return parse_unsupported(p, o->at, "name a register or _",
                                     "a result in registers that goes elsewhere is not implemented");
        if (!is_register_of(p, &to[k], part->reg_type)) return false;
        load(p, i, i->guarded, to[k], from, part->address + k * (uint64_t)type_bytes(part->reg_type), part->reg_type);
    }
    return to != NULL;
}

// Several results, a vector and a predicate are loaded from a .param variable behind the call.
bool expand_call(Parser *p, Inst *i)
{
    const Symbols *rets, *params;
    bool known = i->operands && callee_lists(p, i, &rets, &params);
    if (known && !pass_registers(p, i, params)) return false;
    i->origin = (uint32_t)p->f->insts.n;
    vec_push(&p->f->insts, *i);
    const Symbol *all = known && rets->n == 1 ? rets->v[0] : NULL;
    if (!all || (!all->part_count && all->reg_count < 2 && all->reg_type != TY_PRED)) return true;
    Operand *list = &i->opnd[0];
    int have = list->kind == O_LIST ? list->count : 0, want = MAX((int)all->part_count, 1);
    if (have != want)
        return parse_fail(p, list->at, NULL,
                          want == 1 ? "%d result is expected, not %d" : "%d results are expected, not %d", want, have);
    Symbol *s = new_param(p, all, "results", i->at);
    const Operand *taken = list->items;
    list->items = arena_alloc(&p->m->arena, sizeof *list->items);
    *list->items = (Operand){.kind = O_SYM, .sym = s, .reg = NO_REG, .at = list->at};
    list->count = 1;
    p->f->insts.v[p->f->insts.n - 1] = *i;
    for (int k = 0; k < have; k++)
        if (!take_result(p, i, &taken[k], s, all->part_count ? all->parts[k] : all)) return false;
    return true;
}
