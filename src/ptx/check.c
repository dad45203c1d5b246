// check.c: do an instruction's operands agree with its types, and with the letters of its row in ops.def (PTX ISA
// §9.1–9.4: type agreement; §9.4.1: the relaxed rule of ld, st and cvt)? suffix.c has sorted its modifiers before.
// In an Inst that passed, space and vec are filled, too. Later passes rely on that.
#include "ptx/ops.h"
#include "ptx/parse.h"
#include "ptx/pass.h"

#include <string.h>

bool check_fail(const Check *c, size_t at, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vat(c->diag, &c->m->source, at, hint, format, args);
    va_end(args);
    return false;
}
bool check_refuse(const Check *c, size_t at, FormId id)
{
    c->diag->unsupported = true;
    return check_fail(c, at, LIST_OPS, FORM_REFUSED, op_info[form_info[id].op].name, form_info[id].written,
                      form_info[id].why);
}

#define fail(c, ...) check_fail(c, (c)->i->at, __VA_ARGS__)

// Does a register of type r fit an operand of type t? relaxed: it may be wider, but of a floating-point type only where
// it holds plain bits (§9.4.1, tables 27 and 28).
static bool agrees(Type r, Type t, bool relaxed)
{
    const TypeInfo *a = &type_info[r], *b = &type_info[t];
    if (a->kind == K_PRED || b->kind == K_PRED) return a->kind == b->kind;
    if (a->kind == K_OPAQUE || b->kind == K_OPAQUE) return a->kind == b->kind;
    if (t == TY_F32X2) return r == TY_B64;
    if (b->kind == K_FLOAT && a->kind == K_FLOAT) return a->bits == b->bits;
    if (b->kind == K_FLOAT) return a->kind == K_BITS && (relaxed ? a->bits >= b->bits : a->bits == b->bits);
    if (b->kind == K_BITS && a->kind == K_FLOAT) return relaxed ? a->bits >= b->bits : a->bits == b->bits;
    if (a->kind == K_FLOAT) return false;
    return relaxed ? a->bits >= b->bits : a->bits == b->bits;
}

static const char *const what[] = {[O_SINK] = "'_'",
                                   [O_REG] = "a register",
                                   [O_IMM] = "a constant",
                                   [O_SREG] = "a special register",
                                   [O_SYM] = "a variable",
                                   [O_ADDR] = "an address",
                                   [O_VEC] = "a vector",
                                   [O_PAIR] = "a pair",
                                   [O_TEX] = "a texture address",
                                   [O_LABEL] = "a label",
                                   [O_LABELS] = "a list of labels",
                                   [O_LIST] = "a parameter list",
                                   [O_PROTO] = "a prototype"};

static bool reg_is(const Check *c, int n, const Operand *o, Type t, bool relaxed)
{
    Type r = c->f->regs.v[o->reg].type;
    if (agrees(r, t, relaxed)) return true;
    return check_fail(c, o->at, NULL, "operand %d of '%s': register %s is .%s, which doesn't agree with .%s", n + 1,
                      op_info[c->i->op].name, c->f->regs.v[o->reg].name, type_info[r].name, type_info[t].name);
}

// A constant is an integer for integer and bit types; 0f…, 0d… or a decimal for floating-point ones, and 0f… or 0d… for
// bits of that width.
bool imm_fits(const Operand *o, Type t)
{
    const TypeInfo *info = &type_info[t];
    if (o->imm_kind == IMM_INT) return info->kind != K_FLOAT && info->kind != K_OPAQUE;
    if (info->kind == K_FLOAT) return info->bits >= 32 && t != TY_F16X2 && t != TY_BF16X2 && t != TY_F32X2;
    return info->kind == K_BITS && info->bits == (o->imm_kind == IMM_F32 ? 32 : 64);
}

bool check_source(const Check *c, int n, const Operand *o, Type t, bool relaxed)
{
    const char *name = op_info[c->i->op].name;
    if (o->negated && t != TY_PRED)
        return check_fail(c, o->at, NULL, "operand %d of '%s' can't be negated", n + 1, name);
    switch (o->kind) {
    case O_REG: return reg_is(c, n, o, t, relaxed);
    case O_SREG:
        if (c->i->op != OP_MOV)
            return check_fail(c, o->at, NULL, "special registers are read with mov, not with '%s'", name);
        if (agrees(sreg_info[o->reg].type, t, type_info[t].bits == 16 || o->reg == SR_GRIDID)) return true;
        break;
    case O_IMM:
        if (imm_fits(o, t)) return true;
        if (o->imm_kind == IMM_INT)
            return check_fail(c, o->at,
                              t == TY_F32 || t == TY_F64 ? "write it as 0f… or 0d…" : "move it into a register first",
                              "operand %d of '%s' is an integer, and .%s is expected", n + 1, name, type_info[t].name);
        return check_fail(c, o->at, NULL, "operand %d of '%s' is a floating-point constant, and .%s is expected", n + 1,
                          name, type_info[t].name);
    default: break;
    }
    const char *hint = o->kind == O_SYM && !o->sym->function && type_info[t].kind != K_FLOAT ? "write name+0" : NULL;
    return check_fail(c, o->at, hint, "operand %d of '%s' is %s, and a .%s value is expected", n + 1, name,
                      what[o->kind], type_info[t].name);
}

// A result may be dropped (_) if it is one of several, or the result of an atomic operation or a comparison.
static bool dest(const Check *c, int n, const Operand *o, Type t, bool relaxed)
{
    const Inst *i = c->i;
    bool alone = o == &i->opnd[n], first = i->opnd[n].kind == O_PAIR && o == &i->opnd[n].items[0] && i->op == OP_SHFL;
    const bool drops = i->op == OP_SETP || op_info[i->op].class == CLASS_ATOMIC;
    if (o->kind == O_SINK && ((!alone && !first) || drops)) return true;
    if (o->kind != O_REG || o->negated)
        return check_fail(c, o->at, NULL, "operand %d of '%s' is %s, and a destination register is expected", n + 1,
                          op_info[c->i->op].name, what[o->kind]);
    return reg_is(c, n, o, t, relaxed);
}

// relaxed: the registers may be wider than the type.
static bool vector(const Check *c, int n, const Operand *o, Type t, bool to, bool relaxed)
{
    int want = c->i->vec;
    if (want == 1 && o->kind != O_VEC) return to ? dest(c, n, o, t, relaxed) : check_source(c, n, o, t, relaxed);
    if (o->kind != O_VEC || o->count != want)
        return check_fail(c, o->at, NULL, "operand %d of '%s' must be a vector of %d", n + 1, op_info[c->i->op].name,
                          want);
    const Reg *first = NULL;  // all have one width, which may be wider than the type
    for (int k = 0; k < o->count; k++) {
        const Operand *e = &o->items[k];
        if (!(to ? dest(c, n, e, t, relaxed) : check_source(c, n, e, t, relaxed))) return false;
        if (e->kind != O_REG) continue;
        const Reg *r = &c->f->regs.v[e->reg];
        if (first && type_info[r->type].bits != type_info[first->type].bits)
            return check_fail(c, e->at, NULL, "registers %s and %s of a vector have different widths", first->name,
                              r->name);
        if (!first) first = r;
    }
    return true;
}

// A lane's registers of a matrix; braces may be left out around a single one.
static bool fragment(const Check *c, int n, const Operand *o, bool to)
{
    Fragment want = ptx_fragment(c->i, n);
    const Operand *items = o->kind == O_VEC ? o->items : o;
    if ((o->kind == O_VEC ? o->count : 1) != want.registers)
        return check_fail(c, o->at, NULL, "operand %d of '%s' must be a vector of %d", n + 1, op_info[c->i->op].name,
                          want.registers);
    for (int k = 0; k < want.registers; k++) {
        const Operand *e = &items[k];
        if (to && e->kind == O_SINK) continue;
        if (e->kind != O_REG || e->negated)
            return check_fail(c, e->at, NULL, "operand %d of '%s' is %s, and a register is expected", n + 1,
                              op_info[c->i->op].name, what[e->kind]);
        if (!reg_is(c, n, e, want.type, false)) return false;
    }
    return true;
}

// mov: scalar, address of a variable, pack {a, b} → d, unpack d → {a, b}
static bool check_mov(const Check *c, int n, const Operand *o)
{
    Type t = c->i->type;
    const Operand *d = &c->i->opnd[0];
    if (o->kind == O_VEC) {
        if (n == 1 && d->kind == O_VEC) return check_fail(c, o->at, NULL, "mov can't have two vectors");
        if ((o->count != 2 && o->count != 4) || type_info[t].kind != K_BITS)
            return check_fail(c, o->at, NULL, "mov packs two or four values into a .b type, or unpacks one into them");
        int bits = type_info[t].bits / o->count;
        for (int k = 0; k < o->count; k++) {
            const Operand *e = &o->items[k];
            if (e->kind == O_SINK && n == 0) continue;
            if (e->kind == O_IMM && e->imm_kind == IMM_INT && n == 1) continue;
            if (e->kind != O_REG || e->negated || type_info[c->f->regs.v[e->reg].type].bits != bits || bits < 8)
                return check_fail(c, e->at, NULL, "the elements of mov.%s {…} must be %d-bit registers",
                                  type_info[t].name, bits);
        }
        return true;
    }
    if (n == 0) return dest(c, n, o, t, false);
    if (o->kind == O_SYM) {
        const TypeInfo *info = &type_info[t];
        // .shared, .const, .local and .param have less than 4 GiB, so that 32 bits hold an address of theirs
        bool small = !o->sym->function && o->sym->space != SP_GLOBAL && o->sym->space != SP_TEX;
        if (info->kind != K_FLOAT && (info->bits == 64 || (info->bits == 32 && small))) return true;
        return check_fail(c, o->at, NULL, "the address of '%s' doesn't fit .%s", o->sym->name, info->name);
    }
    return check_source(c, n, o, t, false);
}

static bool check_passed(const Check *c, const Operand *list, const Symbols *formal, bool to)
{
    if (formal && (list ? (size_t)list->count : 0) != formal->n)
        return check_fail(c, list ? list->at : c->i->at, NULL, "%zu %s expected, not %d", formal->n,
                          to               ? formal->n == 1 ? "argument is" : "arguments are"
                          : formal->n == 1 ? "result is"
                                           : "results are",
                          list ? list->count : 0);
    for (int n = 0; list && n < list->count; n++) {
        const Operand *o = &list->items[n];
        const Symbol *f = formal ? formal->v[n] : NULL;
        if (o->kind == O_SYM && o->sym->space == SP_PARAM && !o->imm) {
            if (f && f->bytes && o->sym->bytes != f->bytes)
                return check_fail(c, o->at, NULL, "'%s' has %llu bytes, and the parameter %llu", o->sym->name,
                                  (unsigned long long)o->sym->bytes, (unsigned long long)f->bytes);
            continue;
        }
        if (o->kind == O_SINK && !to) continue;
        if (f && (f->array || f->elements > 1))
            return check_fail(c, o->at, NULL, "%s can't be passed for %s", what[o->kind],
                              f->array ? "an array" : "a vector");
        if (f && type_info[f->type].bits > 64)
            return check_fail(c, o->at, NULL, "%s can't be passed for a .%s", what[o->kind], type_info[f->type].name);
        if (o->kind == O_REG && !o->negated) {
            Type r = c->f->regs.v[o->reg].type;
            if (!f || agrees(r, f->type, type_info[f->type].bits < 16)) continue;
            return check_fail(c, o->at, NULL, "register %s is .%s, which doesn't agree with .%s",
                              c->f->regs.v[o->reg].name, type_info[r].name, type_info[f->type].name);
        }
        if (o->kind == O_IMM && to && (!f || imm_fits(o, f->type))) continue;
        return check_fail(c, o->at, NULL, "%s can't be passed in this call", what[o->kind]);
    }
    return true;
}

// call [(results),] callee [, (arguments)] [, prototype or table of functions]
static bool check_call(const Check *c)
{
    const Inst *i = c->i;
    const Operand *o = i->opnd, *end = o + i->operands, *rets = NULL, *args = NULL, *proto = NULL;
    if (o < end && o->kind == O_LIST) rets = o++;
    if (o == end || !is_callee(o))
        return fail(c, NULL, "a function or a register with its address is expected behind call");
    const Operand *callee = o++;
    if (o < end && o->kind == O_LIST) args = o++;
    if (o < end && o->kind == O_PROTO) proto = o++;
    if (o != end) return check_fail(c, o->at, NULL, "malformed call");
    const Function *g = NULL;
    const Proto *like = proto ? c->f->protos.v[proto->reg] : NULL;
    if (callee->kind == O_SYM) {
        g = callee->sym->function;
        if (callee->imm || !g) return check_fail(c, callee->at, NULL, "'%s' is not a function", callee->sym->name);
        if (g->entry) return check_fail(c, callee->at, NULL, "an entry can't be called");
    } else {
        if (callee->negated || type_info[c->f->regs.v[callee->reg].type].bits != 64)
            return check_fail(c, callee->at, NULL, "register %s can't hold an address", c->f->regs.v[callee->reg].name);
        if (!proto) return fail(c, NULL, "an indirect call needs a .callprototype or .calltargets");
        if (like->targets.n) g = like->targets.v[0]->function;
    }
    return check_passed(c, rets, g ? &g->rets : &like->rets, false) &&
           check_passed(c, args, g ? &g->params : &like->params, true);
}

static bool check_address(const Check *c, int n, const Operand *o)
{
    if (o->kind != O_ADDR)
        return check_fail(c, o->at, NULL, "operand %d of '%s' is %s, and an address in brackets is expected", n + 1,
                          op_info[c->i->op].name, what[o->kind]);
    if (o->reg == NO_REG) return true;
    const TypeInfo *t = &type_info[c->f->regs.v[o->reg].type];
    if ((t->bits == 64 || t->bits == 32) && t->kind != K_FLOAT) return true;
    return check_fail(c, o->at, NULL, "register %s can't hold an address", c->f->regs.v[o->reg].name);
}

// 16 bits, or a vector of such (a mask of blocks, offsets)
static bool halves(const Check *c, int n, const Operand *o)
{
    const Operand *items = o->kind == O_VEC ? o->items : o;
    for (int k = 0; k < (o->kind == O_VEC ? o->count : 1); k++)
        if (!check_source(c, n, &items[k], TY_B16, false)) return false;
    return true;
}

// [tensor map, {coordinates}], as many as the tensor has dimensions
static bool check_tensor(const Check *c, const Operand *o)
{
    const int want = ptx_dimensions(c->i);
    if (o->kind != O_TEX || o->count != 2)
        return check_fail(c, o->at, NULL, "the address of a tensor [tensor map, {coordinates}] is expected");
    const Operand *map = &o->items[0], *at = &o->items[1];
    const bool reg = map->kind == O_REG && !map->negated && type_info[c->f->regs.v[map->reg].type].bits == 64;
    if (!reg && map->kind != O_SYM)
        return check_fail(c, map->at, NULL, "a tensor map is a variable or a 64-bit register with its address");
    if ((at->kind == O_VEC ? at->count : 1) != want)
        return check_fail(c, at->at, NULL, "%d coordinate%s expected", want, want == 1 ? " is" : "s are");
    for (int k = 0; k < want; k++)
        if (!check_source(c, 1, at->kind == O_VEC ? &at->items[k] : at, TY_S32, false)) return false;
    return true;
}

// Conversions to and from these types only take floating-point values in registers of the same width (§9.7.9.21,
// notes).
#define T_NARROW (T(BF16) | T(BF16X2) | T(TF32) | T_F8X2)

static bool check_operand(const Check *c, char letter, int n)
{
    Inst *i = c->i;
    const Operand *o = &i->opnd[n];
    const char *name = op_info[i->op].name;
    Type t = inst_operand_type(i, n);
    bool narrow = T_NARROW >> i->type & 1 || T_NARROW >> i->type2 & 1;
    bool relaxed = i->op == OP_CVT && (!narrow || type_info[t].kind != K_FLOAT);
    if (op_info[i->op].class == CLASS_ATOMIC && i->vec > 1 && (letter == 'd' || letter == 'a'))
        return vector(c, n, o, t, letter == 'd', false);
    switch (letter) {
    case 'd':
    case 'D':
    case 'h':
    case 'p':
    case 'x': return dest(c, n, o, t, relaxed);
    case 'A':
    case 'a':
    case 'b':
    case 'u':
    case 'w': return check_source(c, n, o, t, relaxed);
    case 'f': return check_source(c, n, o, t, false);
    case 'k': {
        bool predicate = o->kind == O_REG && c->f->regs.v[o->reg].type == TY_PRED;
        return check_source(c, n, o, predicate ? TY_PRED : t, false);
    }
    case 'P':
    case 'H':
        if (o->kind != O_PAIR) return dest(c, n, o, t, false);
        return dest(c, n, &o->items[0], t, false) && dest(c, n, &o->items[1], TY_PRED, false);
    case 'q':
        if (o->kind == O_REG || (o->kind == O_IMM && o->imm_kind == IMM_INT)) return check_source(c, n, o, t, false);
        return check_fail(c, o->at, NULL, "operand %d of '%s' is %s, and a predicate is expected", n + 1, name,
                          what[o->kind]);
    case 'm': return check_address(c, n, o);
    case 'V':
        if (op_info[i->op].class == CLASS_TEX && o->kind == O_PAIR)
            return vector(c, n, &o->items[0], t, true, true) && dest(c, n, &o->items[1], TY_PRED, false);
        return vector(c, n, o, t, true, true);
    case 'v': return vector(c, n, o, t, false, true);
    case 'l': return o->kind == O_LABEL || check_fail(c, o->at, NULL, "a label is expected behind '%s'", name);
    case 'L':
        return o->kind == O_LABELS ||
               check_fail(c, o->at, NULL, "a .branchtargets table is expected behind '%s'", name);
    case 's':
        if (o->kind != O_SYM || inst_has(i, G_TO)) return check_source(c, n, o, t, false);
        if (o->sym->space == i->space) return true;
        return check_fail(c, o->at, NULL, "'%s' lies in .%s, not in .%s", o->sym->name, space_names[o->sym->space],
                          space_names[i->space]);
    case 'i':
        return (o->kind == O_IMM && o->imm_kind == IMM_INT) ||
               check_fail(c, o->at, NULL, "operand %d of '%s' must be an integer constant", n + 1, name);
    case 't':
    case 'X':
    case 'o': return check_texture(c, letter, n);
    case 'T': return check_tensor(c, o);
    case 'Y': return halves(c, n, o);
    case 'F':
    case 'E':
    case 'g': return fragment(c, n, o, letter == 'F');
    case 'j': return o->kind == O_VEC ? fragment(c, n, o, false) : check_source(c, n, o, TY_U64, false);
    default: return check_mov(c, n, o);
    }
}

// The space of an address among the operands. What copies names two; a barrier that it arrives at is in shared memory.
static Space operand_space(const Inst *i, int n)
{
    if (!op_has(i->op, P_COPIES)) return n > 1 ? SP_SHARED : i->space;
    const bool tensor_first = i->opnd[0].kind == O_TEX;
    return n > 1 ? SP_SHARED : n && !tensor_first ? inst_from_space(i) : tensor_first ? SP_SHARED : i->space;
}

// A .param variable of a body holds what a call passes or returns (§7.1). Its loads and stores belong to the call, so
// they can't have a guard of their own.
static bool check_guard(const Check *c)
{
    const Inst *i = c->i;
    if (!i->guarded || i->space != SP_PARAM || (i->op != OP_LD && i->op != OP_ST)) return true;
    const Operand *o = &i->opnd[i->op == OP_LD];
    if (!o->sym) return true;
    for (size_t k = 0; k < c->f->params.n; k++)
        if (c->f->params.v[k] == o->sym) return true;
    for (size_t k = 0; k < c->f->rets.n; k++)
        if (c->f->rets.v[k] == o->sym) return true;
    return check_fail(c, o->at, "guard the call, or what is done with the value",
                      "'%s' of '%s', which a call passes or gives back, can't have a guard", op_info[i->op].name,
                      o->sym->name);
}

// An access of a parameter must lie completely in it. A negative offset is a number near 2^64.
static bool check_inside(const Check *c, const Operand *o)
{
    const Symbol *s = o->sym;
    uint64_t bytes = (uint64_t)type_bytes(c->i->type) * c->i->vec;
    if (bytes <= s->bytes && o->imm <= s->bytes - bytes) return true;
    return check_fail(c, o->at, NULL, "the access lies outside '%s', which has %llu byte%s", s->name,
                      (unsigned long long)s->bytes, s->bytes == 1 ? "" : "s");
}

bool check_inst(Module *m, Function *f, Inst *i, Diag *diag)
{
    Check c = {m, f, i, diag, 0};
    const OpInfo *op = &op_info[i->op];
    if (!sort_suffixes(&c)) return false;
    i->space = op->groups & G(SPACE) ? (uint8_t)space_of(i->mod[G_SPACE]) : SP_NONE;
    if (i->op == OP_LDMATRIX || i->op == OP_STMATRIX) i->space = SP_SHARED;  // generic addresses lead there, too
    switch (i->mod[G_VEC]) {
    case M_V2: i->vec = 2; break;
    case M_V4: i->vec = 4; break;
    case M_V8: i->vec = 8; break;
    default: i->vec = 1;
    }
    // In a device function, an address in a register comes from mov of a parameter, which then lies in local memory
    // (§9.7.9.3); clang reads what is passed by value so.
    const Operand *from = i->op == OP_LD && i->operands > 1 ? &i->opnd[1] : NULL;
    if (from && i->space == SP_PARAM && i->mod[G_SPACE] != M_PARAM_ENTRY && !f->entry && from->kind == O_ADDR &&
        !from->sym && from->reg != NO_REG)
        i->space = SP_LOCAL;
    if (!check_legal(m, i, diag)) return false;
    if (m->maps_f64 && (i->type == TY_F64 || i->type2 == TY_F64)) {
        diag->unsupported = true;
        return fail(&c, NULL, "'%s' of .f64 with the target's option map_f64_to_f32 is not implemented", op->name);
    }
    if (op->operands[0] == 'c') return check_call(&c);
    const char *sig = inst_signature(i);
    if (!sig) return fail(&c, NULL, "'%s' can't have %d operand%s", op->name, i->operands, i->operands == 1 ? "" : "s");
    for (int n = 0; n < i->operands; n++)
        if (!check_operand(&c, sig[n], n)) return false;
    // A variable in brackets names its own space; a space that is written must agree.
    for (int n = 0; n < i->operands; n++) {
        const Operand *o = &i->opnd[n];
        if (o->kind != O_ADDR || !o->sym || sig[n] == 'o') continue;
        if (o->sym->function) return check_fail(&c, o->at, NULL, "'%s' is a function", o->sym->name);
        Space space = operand_space(i, n);
        if (space == SP_GENERIC) i->space = space = o->sym->space;
        if (space != o->sym->space && !(space == SP_LOCAL && o->sym->space == SP_PARAM))
            return check_fail(&c, o->at, NULL, "'%s' lies in .%s, not in .%s", o->sym->name, space_names[o->sym->space],
                              space_names[space]);
        if (space == SP_PARAM && !check_inside(&c, o)) return false;
    }
    return check_guard(&c);
}
