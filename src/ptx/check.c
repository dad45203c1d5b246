// check.c: is an instruction legal? Its modifiers are sorted into the slots of their groups, and its types and operands
// are compared with its row in ops.def (PTX ISA §9.1–9.4: type agreement; §9.4.1: the relaxed rule of ld, st and cvt).
// In an Inst that passed, type, type2, space, vec and mod[] are filled. Later passes rely on that.
#include "ptx/ops.h"
#include "ptx/parse.h"

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

size_t suffix_at(const Module *m, const Inst *i, int k)
{
    const Source *s = &m->source;
    size_t at = i->at;
    for (const char *c = op_info[i->op].name; *c; at++)  // blanks may stand before its dots
        if (at >= s->length || s->text[at] == *c) c++;
    for (int n = 0; at < s->length; n++) {
        while (at < s->length && s->text[at] != '.' && s->text[at] != ';') at++;
        if (at >= s->length || s->text[at++] == ';') break;
        if (n == k) return at;
    }
    return MIN(i->at, s->length);
}

// The letters for an instruction's operands, or null. Of its operation's alternatives it is the one with as many
// operands; with .L2::cache_hint a cache policy comes last.
static const char *signature(const Inst *i)
{
    const OpInfo *op = &op_info[i->op];
    for (const char *sig = op->operands;;) {
        size_t n = strcspn(sig, ";");
        bool hinted = op->groups & G(HINT) && n && sig[n - 1] == 'w';
        if (n == i->operands && hinted == inst_has(i, G_HINT)) return sig;
        if (!sig[n]) return NULL;
        sig += n + 1;
    }
}

// Suffix k isn't one that the operation takes: it may make one of the forms that are refused by name.
static bool is_refused(const Check *c, int k, const char *name)
{
    FormId id = form_of((Op)c->i->op, name, strlen(name));
    if (id == FORMS) return false;
    check_refuse(c, suffix_at(c->m, c->i, k), id);
    return true;
}

// Video instructions have three types, the result's first: type and type2 are those of the sources.
static bool sort_type(Check *c, int k, int *types)
{
    Inst *i = c->i;
    const OpInfo *op = &op_info[i->op];
    uint8_t t = (uint8_t)(i->suffix[k] - M_COUNT);
    int most = !op->types ? 0 : !op->types2 ? 1 : 2;
    if (*types == most && op_has(i->op, P_THREE) && c->three++ == 0) i->type = i->type2, *types = 1;
    if (*types == most && i->op == OP_CVT_PACK && t == TY_B32 && c->three++ == 0) return true;  // the fourth operand's
    if (*types == most && op_has(i->op, P_FOUR) && c->three < 2 &&
        (c->three ? op->types : op->types2) >> t & 1) {  // B's, then C's
        c->three++;
        return true;
    }
    bool takes = *types < most && (*types ? op->types2 : op->types) >> t & 1;
    if (!takes && is_refused(c, k, type_info[t].name)) return false;
    if (*types == most)
        return check_fail(c, suffix_at(c->m, c->i, k), NULL, "'%s' takes no further type .%s", op->name,
                          type_info[t].name);
    if (!((*types ? op->types2 : op->types) >> t & 1))
        return check_fail(c, suffix_at(c->m, c->i, k), NULL, "type .%s is not allowed for '%s'", type_info[t].name,
                          op->name);
    *((*types)++ ? &i->type2 : &i->type) = t;
    return true;
}

static bool sort_all(Check *c)
{
    Inst *i = c->i;
    const OpInfo *op = &op_info[i->op];
    int types = 0;
    for (int k = 0; k < i->suffixes; k++) {
        if (i->suffix[k] >= M_COUNT) {
            if (!sort_type(c, k, &types)) return false;
            continue;
        }
        const char *name = mod_info[i->suffix[k]].name;
        int m = i->suffix[k];
        for (; m < M_COUNT; m++) {
            Group g = mod_info[m].group;
            if (!strcmp(mod_info[m].name, name) && op->groups & 1ull << g &&
                (!i->mod[g] || (g == G_SPACE && op_has(i->op, P_COPIES))))
                break;
        }
        if (m == M_COUNT && is_refused(c, k, name)) return false;
        if (m == M_COUNT)
            return check_fail(c, suffix_at(c->m, c->i, k), NULL, "modifier .%s does not apply to '%s' here", name,
                              op->name);
        i->suffix[k] = (uint16_t)m;
        if (!i->mod[mod_info[m].group]) i->mod[mod_info[m].group] = (uint16_t)m;
    }
    bool optional = i->op == OP_BAR || i->op == OP_BARRIER;
    if (op->types && !types && !optional) return fail(c, NULL, "'%s' needs a type", op->name);
    if (op->types2 && types < 2) return fail(c, NULL, "'%s' needs two types", op->name);
    if (op_has(i->op, P_THREE) && !c->three) return fail(c, NULL, "'%s' needs three types", op->name);
    return true;
}

// What the operation doesn't take may be a form that isn't implemented.
static bool sort_suffixes(Check *c)
{
    bool good = sort_all(c);
    if (!good) c->diag->unsupported = true;
    return good;
}

bool check_form(const Module *m, Inst *i, Diag *diag)
{
    Check c = {m, NULL, i, diag, 0};
    bool vectors = i->op == OP_MOV && i->suffixes == 2 && (i->suffix[0] == M_V2 || i->suffix[0] == M_V4);
    if (vectors) i->suffix[0] = i->suffix[--i->suffixes];  // parse_expand.c makes several mov of it
    return sort_suffixes(&c);
}

static Space space_of(uint16_t mod)
{
    switch (mod) {
    case M_CONST: return SP_CONST;
    case M_GLOBAL: return SP_GLOBAL;
    case M_LOCAL: return SP_LOCAL;
    case M_SHARED:
    case M_SHARED_CTA:
    case M_SHARED_CLUSTER: return SP_SHARED;
    case M_PARAM:
    case M_PARAM_ENTRY:
    case M_PARAM_FUNC: return SP_PARAM;
    default: return SP_GENERIC;
    }
}

Space inst_from_space(const Inst *i)
{
    Space s = SP_GENERIC;
    for (int k = 0, n = 0; k < i->suffixes; k++)
        if (i->suffix[k] < M_COUNT && mod_info[i->suffix[k]].group == G_SPACE && n++ == 1) s = space_of(i->suffix[k]);
    return s;
}

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

uint64_t imm_bits(const Operand *o, Type t)
{
    const TypeInfo *info = &type_info[t];
    if (o->imm_kind == IMM_INT && info->kind == K_PRED) return o->imm != 0;
    if (o->imm_kind == IMM_INT) return info->bits < 64 ? o->imm & ((1ull << info->bits) - 1) : o->imm;
    double d;
    float f;
    uint64_t bits = o->imm;
    uint32_t narrow = (uint32_t)bits;
    if (info->kind == K_FLOAT && info->bits == 64 && o->imm_kind == IMM_F32) {
        memcpy(&f, &narrow, 4);
        d = f;
        memcpy(&bits, &d, 8);
    } else if (info->kind == K_FLOAT && info->bits == 32 && o->imm_kind == IMM_F64) {
        memcpy(&d, &bits, 8);
        f = (float)d;
        memcpy(&narrow, &f, 4);
        bits = narrow;
    }
    return bits;
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

static Type wide(Type t)
{
    switch (t) {
    case TY_U16: return TY_U32;
    case TY_S16: return TY_S32;
    case TY_U32: return TY_U64;
    case TY_S32: return TY_S64;
    default: return t;
    }
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

static bool is_callee(const Operand *o) { return o->kind == O_SYM || o->kind == O_REG; }

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

Type inst_operand_type(const Inst *i, int n)
{
    const char *sig = signature(i);
    Type product = i->mod[G_MUL] == M_WIDE ? wide(i->type) : i->type;
    switch (sig ? sig[n] : 0) {
    case 'd':
    case 'a':
    case 'V':
    case 'v':
    case 'e': return i->type;
    case 'D':
    case 'A': return product;
    case 'b': return i->type2 ? i->type2 : i->type;
    case 'h':
    case 'H': return TY_B32;
    case 'k':
    case 'u': return TY_U32;
    case 'f': return TY_F32;
    case 'w': return TY_U64;
    case 'p':
    case 'P':
    case 'q': return TY_PRED;
    case 'x': return i->type == TY_PRED ? TY_PRED : TY_B32;
    case 's': return i->type;
    default: return TY_NONE;
    }
}

Type inst_source_type(const Module *m, const Inst *i, int n)
{
    Diag unused = {0};
    Inst sorted = *i;
    Check c = {m, NULL, &sorted, &unused, 0};
    bool value = sort_suffixes(&c) && n >= inst_dest_count(&sorted);
    const char *sig = value ? signature(&sorted) : NULL;
    diag_free(&unused);
    return sig && (sig[n] != 's' || inst_has(&sorted, G_TO)) ? inst_operand_type(&sorted, n) : TY_NONE;
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
    const char *sig = signature(i);
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

int ptx_dimensions(const Inst *i)
{
    switch (i->mod[G_GEOM]) {
    case M_G1D: return 1;
    case M_G2D: return 2;
    case M_G3D: return 3;
    case M_G4D: return 4;
    case M_G5D: return 5;
    default: return 0;
    }
}

int inst_dest_count(const Inst *i)
{
    if (i->op == OP_CALL) return i->operands > 1 && i->opnd[0].kind == O_LIST && is_callee(&i->opnd[1]) ? 1 : 0;
    const char *sig = signature(i);
    return sig && sig[0] && strchr("dDhpPHxVeFE", sig[0]) ? 1 : 0;
}

bool inst_adds(const Inst *i)
{
    const char *sig = op_has(i->op, P_ADDS) ? signature(i) : NULL, *q = sig ? strchr(sig, 'q') : NULL;
    return q && !(i->opnd[q - sig].kind == O_IMM && !i->opnd[q - sig].imm);
}

void inst_write(Function *f, const Inst *near, Inst *i)
{
    Diag diag = {0};
    i->at = near->at, i->loc = near->loc, i->origin = near->origin;
    check_inst(f->module, f, i, &diag);  // it can't fail
    diag_free(&diag);
}

static void visit_operand(const Operand *o, bool def, RegVisit *visit, void *user)
{
    if (o->kind == O_REG) visit(user, o->reg, def);
    if (o->kind == O_ADDR && o->reg != NO_REG) visit(user, o->reg, false);
    for (int k = 0; k < o->count; k++) visit_operand(&o->items[k], def, visit, user);
}

void inst_regs(const Inst *i, RegVisit *visit, void *user)
{
    if (i->guarded) visit(user, i->guard, false);
    int dests = inst_dest_count(i);
    for (int n = inst_adds(i) ? 0 : dests; n < i->operands; n++) visit_operand(&i->opnd[n], false, visit, user);
    for (int n = 0; n < dests; n++) visit_operand(&i->opnd[n], true, visit, user);
}

const char *reg_name(const Function *f, uint32_t reg) { return f->regs.v[reg].name; }

// Issue slots are those of ops.def, by width; some modifiers change them. In machine code a load of a kernel parameter
// becomes an operand from the constant bank, and a conversion between generic and global addresses becomes nothing.
int inst_slots(const Inst *i)
{
    const OpInfo *op = &op_info[i->op];
    bool is_float = type_info[i->type].kind == K_FLOAT, is_wide = type_info[i->type].bits == 64;
    switch (i->op) {
    case OP_LD: return i->space == SP_PARAM ? 0 : 1;
    case OP_CVTA: return i->space == SP_GLOBAL ? 0 : 1;
    case OP_DIV:
        if (is_float && inst_has(i, G_APPROX)) return 2;
        break;
    case OP_RCP:
        if (!is_wide) return inst_has(i, G_APPROX) ? 1 : 6;
        break;
    case OP_SQRT:
        if (!is_wide) return inst_has(i, G_APPROX) ? 2 : 8;
        break;
    case OP_RSQRT: break;
    case OP_MUL:
    case OP_MAD:
        if (!is_float && i->mod[G_MUL] == M_WIDE && type_info[i->type].bits == 32) return 2;
        if (is_float) return 1;
        break;
    case OP_CVT: return type_info[i->type].bits == 64 || type_info[i->type2].bits == 64 ? op->slots64 : op->slots32;
    default:
        if (is_float) return 1;
    }
    return is_wide ? op->slots64 : op->slots32;
}
