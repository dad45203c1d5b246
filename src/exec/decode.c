// decode.c: a checked kernel → Code. Every function the kernel can reach is lowered, its registers are coloured, and
// each instruction becomes a Dinst: operands are row offsets, constants rows of the kernel's pool, branch targets
// instruction numbers with their reconvergence points. Shared memory is laid out per kernel, local memory per frame.
#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

typedef struct SharedVar {
    const Symbol *sym;
    uint32_t at;
} SharedVar;

typedef struct ConstEntry {
    uint64_t value;
    uint32_t row;
    bool wide;
} ConstEntry;

typedef struct Decode {
    Image *image;
    Kernel *k;
    Code *code;
    const Function *f;
    Diag *diag;
    const Inst *i;
    VEC(SharedVar) shared;
    VEC(SharedVar) local, param;        // of the current function: local offset; first row
    VEC(ConstEntry) consts;
    bool failed;
} Decode;

static bool fail(Decode *x, bool unsupported, const char *format, ...)
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

// --- operands ---------------------------------------------------------------------------------------------------------
static Loc32 constant(Decode *x, uint64_t value, bool wide)
{
    if (!wide) value = (uint32_t)value;
    for (size_t c = 0; c < x->consts.n; c++)
        if (x->consts.v[c].value == value && x->consts.v[c].wide == wide) return x->consts.v[c].row * ROW_BYTES | 1;
    ConstEntry e = {value, x->k->const_rows, wide};
    x->k->const_rows += 2;
    vec_push(&x->consts, e);
    return e.row * ROW_BYTES | 1;
}

static Loc32 scratch(const Decode *x) { return (x->code->rows - 2) * ROW_BYTES; }
static bool reg_wide(const Decode *x, uint32_t reg) { return type_info[x->f->regs.v[reg].type].bits == 64; }
static Loc32 reg_loc(const Decode *x, uint32_t reg)
{
    return x->code->alloc->place[reg] == NO_REG ? scratch(x) : x->code->alloc->place[reg] * ROW_BYTES;
}
static uint16_t pred_of(const Decode *x, uint32_t reg)
{
    return x->code->alloc->place[reg] == NO_REG ? PRED_SINK : (uint16_t)(x->code->alloc->place[reg] + PRED_FIRST);
}

static uint32_t find_var(const SharedVar *v, size_t n, const Symbol *s)
{
    for (size_t k = 0; k < n; k++)
        if (v[k].sym == s) return v[k].at;
    return NO_REG;
}

static uint64_t function_address(const Decode *x, const Symbol *s)
{
    const Module *m = x->image->module;
    for (size_t k = 0; k < m->symbols.n; k++)
        if (m->symbols.v[k] == s) return CODE_BASE + k;
    return 0;
}

// The address of a symbol in its own space.
static uint64_t address_of(Decode *x, const Symbol *s)
{
    if (s->function) return function_address(x, s);
    switch (s->space) {
    case SP_SHARED: {
        uint32_t at = find_var(x->shared.v, x->shared.n, s);
        return at == NO_REG ? x->k->static_shared : at;  // .extern: behind everything static
    }
    case SP_LOCAL: return find_var(x->local.v, x->local.n, s);
    case SP_PARAM:
        for (size_t p = 0; p < x->f->params.n && x->f->entry; p++)
            if (x->f->params.v[p] == s) return x->k->param_at.v[p];
        return find_var(x->local.v, x->local.n, s);
    case SP_GLOBAL:
    case SP_CONST:
        if (s->linkage == LINK_EXTERN && !s->address) fail(x, false, "'%s' is declared .extern and not defined in this module", s->name);
        return s->address;
    default: fail(x, true, "'%s': .%s variables are not implemented; use texture objects", s->name, space_names[s->space]); return 0;
    }
}

static Loc32 source(Decode *x, const Operand *o, Type t)
{
    bool wide = type_info[t].bits == 64;
    switch (o->kind) {
    case O_REG: return reg_loc(x, o->reg);
    case O_IMM: return constant(x, imm_bits(o, t), wide);
    case O_SYM: return constant(x, address_of(x, o->sym) + o->imm, wide);
    case O_SREG: fail(x, false, "special registers are read with mov"); return 0;
    default: fail(x, false, "unexpected operand"); return 0;
    }
}

// A predicate source as 2 · number + negated.
static uint32_t pred_source(Decode *x, const Operand *o)
{
    if (o->kind == O_REG) return 2u * pred_of(x, o->reg) + o->negated;
    return 2u * PRED_TRUE + (o->imm == 0);
}
static void set_psrc(Decode *x, Dinst *d, const Operand *o)
{
    uint32_t p = pred_source(x, o);
    d->psrc = (uint16_t)(p >> 1);
    d->psrc_negated = p & 1;
}
static Loc32 dest(const Decode *x, const Operand *o) { return o->kind == O_REG ? reg_loc(x, o->reg) : scratch(x); }
static uint16_t pdest(const Decode *x, const Operand *o) { return o->kind == O_REG ? pred_of(x, o->reg) : PRED_SINK; }

// [reg + imm], [sym + imm], [imm]: the register's row in a, the rest in imm. D_SRC_LONG: the register has 64 bits.
static void address(Decode *x, Dinst *d, const Operand *o)
{
    d->imm = o->imm;
    if (o->reg != NO_REG) {
        d->a = reg_loc(x, o->reg);
        if (reg_wide(x, o->reg)) d->flags |= D_SRC_LONG;
        return;
    }
    if (o->sym) d->imm += address_of(x, o->sym);
    if (o->sym && (o->sym->space == SP_LOCAL || (o->sym->space == SP_PARAM && !x->f->entry))) d->flags |= D_FRAME;
    d->a = constant(x, 0, true);
    d->flags |= D_SRC_LONG;
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
    bool read = false;  // a register is fetched once
    for (int k = 0; k < s->d->sources; k++) read |= s->d->source[k] == a->slot[reg];
    if (!def && !pred && !read && s->d->sources < COUNT(s->d->source)) s->d->source[s->d->sources++] = (uint16_t)a->slot[reg];
    if (def && !pred && !s->d->has_result) s->d->result = (uint16_t)a->slot[reg], s->d->has_result = true;
    s->d->score[s->d->score_n++] = (uint16_t)(a->place[reg] + (pred ? s->x->code->reg_rows : 0));
}

// --- memory, calls, control -------------------------------------------------------------------------------------------
static bool strong(const Inst *i)
{
    return i->mod[G_SEM] != M_NONE && i->mod[G_SEM] != M_WEAK;
}

// .acquire, .acq_rel and .sc: what comes later in the thread must not be performed before (PTX ISA §8).
static bool acquires(const Inst *i) { return i->mod[G_SEM] == M_ACQUIRE || i->mod[G_SEM] == M_ACQ_REL || i->mod[G_SEM] == M_SC; }

// The two rows of pairs of a 128-bit register, the lower half first
static void halves(const Decode *x, const Operand *o, Loc32 to[2])
{
    to[0] = dest(x, o);
    to[1] = to[0] == scratch(x) ? to[0] : to[0] + 2 * ROW_BYTES;
}

static void elements(Decode *x, Dinst *d, const Operand *o, bool to)
{
    d->vec = o->kind == O_VEC ? o->count : 1;
    if (x->i->type == TY_B128) {  // a vector of its halves
        if (o->kind != O_REG && o->kind != O_SINK) fail(x, true, "a .b128 value that isn't a register is not implemented");
        d->vec = 2;
        d->bytes = 8;
        d->flags |= D_LONG;
        halves(x, o, d->vector);
        return;
    }
    for (int e = 0; e < d->vec; e++) {
        const Operand *v = o->kind == O_VEC ? &o->items[e] : o;
        d->vector[e] = to ? dest(x, v) : source(x, v, x->i->type);
        // Loads extend to the register's width (PTX ISA §9.4.1); all elements have registers of one width.
        if (v->kind == O_REG && reg_wide(x, v->reg)) d->flags |= D_LONG;
        if (!to && v->kind == O_IMM && type_info[x->i->type].bits == 64) d->flags |= D_LONG;
    }
}

static bool decode_memory(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    bool load = i->op == OP_LD || i->op == OP_LDU;
    const Operand *where = &i->opnd[load ? 1 : 0], *what = &i->opnd[load ? 0 : 1];
    d->bytes = (uint8_t)type_bytes(i->type);
    d->cache = i->mod[G_CACHE];
    if (strong(i)) d->flags |= D_STRONG;
    if (acquires(i)) d->flags |= D_ACQUIRE;
    if (strong(i) || i->mod[G_CACHE] == M_CG || i->mod[G_CACHE] == M_CV) d->flags |= D_UNCACHED;
    if (inst_has(i, G_NC) || i->op == OP_LDU) d->flags |= D_READONLY;
    elements(x, d, what, load);
    if (i->space == SP_PARAM) {
        const Symbol *s = where->sym;
        uint32_t at = s ? find_var(x->param.v, x->param.n, s) : NO_REG;
        if (at != NO_REG) {  // a device function's parameter, or a .param variable of the body: rows of the frame
            d->kind = load ? X_LD_ROWS : X_ST_PARAM;
            d->imm = (uint64_t)at * 4 + where->imm;
            if (where->imm + (uint64_t)d->bytes * d->vec > s->bytes) return fail(x, false, "the access lies outside '%s'", s->name);
            return true;
        }
        if (!x->f->entry || !load) return fail(x, false, "this .param access names no parameter");
        d->kind = X_LD_PARAM;
        d->slots = 0;
        address(x, d, where);
        if (s && where->imm + (uint64_t)d->bytes * d->vec > s->bytes) return fail(x, false, "the access lies outside '%s'", s->name);
        d->flags |= s ? 0 : D_READONLY;
        return true;
    }
    d->kind = load ? X_LD : X_ST;
    address(x, d, where);
    return true;
}

static uint32_t param_rows(const Symbol *s) { return ((uint32_t)s->bytes + 7) / 8 * 2; }

static bool decode_call(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    int at = inst_dest_count(i) ? 1 : 0;
    const Operand *rets = at ? &i->opnd[0] : NULL, *callee = &i->opnd[at];
    const Operand *args = at + 1 < i->operands && i->opnd[at + 1].kind == O_LIST ? &i->opnd[at + 1] : NULL;
    CallSite *site = mem_alloc(sizeof *site);
    vec_push(&x->code->calls, site);
    d->call = site;
    d->kind = X_CALL;
    const Symbols *formal_args = NULL, *formal_rets = NULL;
    if (callee->kind == O_SYM) {
        const char *name = callee->sym->name;
        const Function *g = callee->sym->function;
        formal_args = &g->params, formal_rets = &g->rets;
        if (!g->has_body) {
            if (!strcmp(name, "vprintf")) d->kind = X_PRINTF;
            else if (!strcmp(name, "malloc")) d->kind = X_MALLOC;
            else if (!strcmp(name, "free")) d->kind = X_FREE;
            else if (!strcmp(name, "__assertfail") || !strcmp(name, "__assert_fail")) d->kind = X_TRAP;
            else return fail(x, false, "function '%s' has no body in this module", name);
        } else {
            for (size_t c = 0; c < x->k->codes.n; c++)
                if (x->k->codes.v[c]->parsed == g) site->callee = x->k->codes.v[c];
        }
    } else {
        d->a = reg_loc(x, callee->reg);
        const Operand *last = &i->opnd[i->operands - 1];
        const Proto *p = x->f->protos.v[last->reg];
        if (p->targets.n) formal_args = &p->targets.v[0]->function->params, formal_rets = &p->targets.v[0]->function->rets;
        else formal_args = &p->params, formal_rets = &p->rets;
    }
    for (int l = 0; l < 2; l++) {
        const Operand *list = l ? args : rets;
        const Symbols *formal = l ? formal_args : formal_rets;
        if ((list ? list->count : 0) != formal->n) return fail(x, false, "the call doesn't match its prototype");
        uint32_t there = 0;  // a callee lays its return values out first, then its parameters
        if (l)
            for (size_t n = 0; n < formal_rets->n; n++) there += param_rows(formal_rets->v[n]);
        for (size_t n = 0; n < formal->n; n++) {
            const Operand *o = &list->items[n];
            CallArg a = {.there = there, .words = ((uint32_t)formal->v[n]->bytes + 3) / 4, .bytes = (uint8_t)MIN(formal->v[n]->bytes, 8)};
            there += param_rows(formal->v[n]);
            if (o->kind == O_SYM && o->sym->space == SP_PARAM) {
                a.is_param = true;
                a.here = find_var(x->param.v, x->param.n, o->sym);
                if (a.here == NO_REG) return fail(x, true, "passing a kernel parameter on directly is not implemented");
                if (o->sym->bytes < formal->v[n]->bytes) return fail(x, false, "'%s' is smaller than the parameter it is passed for", o->sym->name);
            } else {
                a.value = l ? source(x, o, formal->v[n]->type) : dest(x, o);
            }
            if (l) vec_push(&site->args, a);
            else vec_push(&site->rets, a);
        }
    }
    return true;
}

static void guard_target(Decode *x, Dinst *d, const Flow *flow, uint32_t at)
{
    d->reconverge = flow_reconvergence(flow, at);
    (void)x;
}

static bool decode_barrier(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    if (inst_has(i, G_WARP)) {
        d->kind = X_WARP_SYNC;
        if (x->k->its) d->flags |= D_SYNC;
        d->a = source(x, &i->opnd[0], TY_B32);
        return true;
    }
    d->kind = X_BARRIER;
    d->mod = i->mod[G_BAR];
    bool red = d->mod == M_B_RED;
    if (red != (i->operands > 2)) return fail(x, false, "malformed barrier");
    int at = red ? 1 : 0;
    d->a = source(x, &i->opnd[at], TY_B32);
    d->vec = (uint8_t)(i->operands - at - (red ? 1 : 0));  // 1: id, 2: id and thread count
    d->b = d->vec > 1 ? source(x, &i->opnd[at + 1], TY_B32) : constant(x, 0, false);
    d->cache = i->mod[G_ATOM];
    d->pdst = PRED_SINK;
    if (red) {
        set_psrc(x, d, &i->opnd[i->operands - 1]);
        if (i->type == TY_PRED) d->pdst = pdest(x, &i->opnd[0]);
        else d->dst = dest(x, &i->opnd[0]);
    }
    return true;
}

static bool decode_atomic(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    int at = i->op == OP_ATOM ? 1 : 0;
    if (i->type == TY_B128) return fail(x, true, "'atom.%s' of .b128 is not implemented", mod_info[i->mod[G_ATOM]].name);
    d->kind = X_ATOM;
    d->mod = i->mod[G_ATOM];
    d->bytes = (uint8_t)type_bytes(i->type);
    d->flags |= D_UNCACHED | D_STRONG;
    if (acquires(i)) d->flags |= D_ACQUIRE;
    d->dst = at ? dest(x, &i->opnd[0]) : scratch(x);
    d->vec = at && i->opnd[0].kind == O_REG;  // wants the old value
    if (at && i->opnd[0].kind == O_REG && reg_wide(x, i->opnd[0].reg)) d->flags |= D_LONG;
    address(x, d, &i->opnd[at]);
    d->b = source(x, &i->opnd[at + 1], i->type);
    bool cas = d->mod == M_A_CAS;
    if (cas && i->operands < at + 3) return fail(x, false, "atom.cas takes a comparison and a value");
    d->c = cas ? source(x, &i->opnd[at + 2], i->type) : d->b;
    const TypeInfo *t = &type_info[i->type];
    bool ok;
    switch (d->mod) {
    case M_A_AND:
    case M_A_OR:
    case M_A_XOR: ok = t->kind == K_BITS && t->bits >= 32; break;
    case M_A_EXCH: ok = t->kind == K_BITS && t->bits >= 32; break;
    case M_A_CAS: ok = t->kind == K_BITS && t->bits >= 16; break;
    case M_A_INC:
    case M_A_DEC: ok = i->type == TY_U32; break;
    case M_A_ADD: ok = t->kind != K_BITS && i->type != TY_U16 && i->type != TY_S16; break;
    case M_A_MIN:
    case M_A_MAX: ok = (t->kind == K_UINT || t->kind == K_SINT) && t->bits >= 32; break;
    default: ok = false;
    }
    if (!ok) return fail(x, true, "'%s.%s' of type .%s is not implemented", op_info[i->op].name, mod_info[d->mod].name, t->name);
    return true;
}

static bool decode_across(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *o = i->opnd;
    if (inst_has(i, G_SYNC) && x->k->its) d->flags |= D_SYNC;
    d->pdst = PRED_SINK;
    Loc32 all = constant(x, FULL, false);
    switch (i->op) {
    case OP_SHFL:
        d->kind = X_SHFL;
        d->mod = i->mod[G_SHFL];
        d->dst = dest(x, o[0].kind == O_PAIR ? &o[0].items[0] : &o[0]);
        if (o[0].kind == O_PAIR) d->pdst = pdest(x, &o[0].items[1]);
        d->a = source(x, &o[1], TY_B32), d->b = source(x, &o[2], TY_B32), d->c = source(x, &o[3], TY_B32);
        d->vector[3] = i->operands > 4 ? source(x, &o[4], TY_B32) : all;
        return true;
    case OP_VOTE:
        d->kind = X_VOTE;
        d->mod = i->mod[G_VOTE];
        if (d->mod == M_BALLOT ? i->type != TY_B32 : i->type != TY_PRED) return fail(x, false, "vote.ballot gives .b32, the others .pred");
        if (i->type == TY_PRED) d->pdst = pdest(x, &o[0]);
        else d->dst = dest(x, &o[0]);
        set_psrc(x, d, &o[1]);
        d->vector[3] = i->operands > 2 ? source(x, &o[2], TY_B32) : all;
        return true;
    case OP_MATCH:
        d->kind = X_MATCH;
        d->mod = i->mod[G_VOTE];
        if (d->mod != M_ANY && d->mod != M_ALL) return fail(x, false, "match needs .any or .all");
        d->dst = dest(x, o[0].kind == O_PAIR ? &o[0].items[0] : &o[0]);
        if (o[0].kind == O_PAIR) d->pdst = pdest(x, &o[0].items[1]);
        d->a = source(x, &o[1], i->type);
        d->bytes = (uint8_t)type_bytes(i->type);
        d->vector[3] = source(x, &o[2], TY_B32);
        return true;
    case OP_REDUX:
        d->kind = X_REDUX;
        d->mod = i->mod[G_ATOM];
        if (i->type == TY_F32) return fail(x, true, "redux of .f32 is not implemented");
        d->dst = dest(x, &o[0]);
        d->a = source(x, &o[1], TY_B32);
        d->vector[3] = source(x, &o[2], TY_B32);
        return true;
    case OP_ELECT:
        d->kind = X_ELECT;
        if (x->k->its) d->flags |= D_SYNC;
        d->dst = dest(x, &o[0].items[0]);
        d->pdst = pdest(x, &o[0].items[1]);
        d->a = d->vector[3] = source(x, &o[1], TY_B32);
        return true;
    default:
        d->kind = X_ACTIVEMASK;
        d->dst = dest(x, &o[0]);
        return true;
    }
}

static bool decode_texture(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *t = &i->opnd[1], *coords = &t->items[t->count - 1];
    d->kind = X_TEX;
    d->mod = i->mod[G_GEOM];
    d->cache = i->mod[G_COMP];
    if (t->count != 2) return fail(x, true, "separate samplers are not implemented; use texture objects");
    if (t->items[0].kind != O_REG) return fail(x, true, "texture references are not implemented; use texture objects");
    if (i->opnd[0].kind != O_VEC || i->opnd[0].count != 4) return fail(x, true, "textures give vectors of four");
    elements(x, d, &i->opnd[0], true);
    d->vector[4] = reg_loc(x, t->items[0].reg);
    int need = d->mod == M_G1D ? 1 : 2, have = coords->kind == O_VEC ? coords->count : 1;
    if (have < need) return fail(x, false, "too few coordinates");
    if (i->op == OP_TLD4 && (d->mod != M_G2D || !d->cache)) return fail(x, false, "tld4 needs .r, .g, .b or .a, and .2d");
    d->a = source(x, coords->kind == O_VEC ? &coords->items[0] : coords, i->type2);
    d->b = need > 1 ? source(x, &coords->items[1], i->type2) : constant(x, 0, false);
    return true;
}

// --- one instruction --------------------------------------------------------------------------------------------------
static void plain_operands(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const char *sig = op_info[i->op].operands;
    for (size_t n; (n = strcspn(sig, ";")) != i->operands;) sig += n + 1;
    Loc32 *src[4] = {&d->a, &d->b, &d->c, &d->vector[3]};
    int s = 0;
    Type product = i->mod[G_MUL] == M_WIDE ? (type_info[i->type].bits == 16 ? TY_B32 : TY_B64) : (Type)i->type;
    d->pdst = d->pdst2 = PRED_SINK;
    for (int n = 0; n < i->operands; n++) {
        const Operand *o = &i->opnd[n];
        switch (sig[n]) {
        case 'd':
        case 'D':
        case 'h':
            d->dst = dest(x, o);
            if (o->kind == O_REG && reg_wide(x, o->reg)) d->flags |= D_LONG;
            if (i->op == OP_CVT && o->kind == O_REG && type_info[x->f->regs.v[o->reg].type].bits == 32) d->flags |= D_DST_32;
            if (i->type == TY_PRED) d->pdst = pdest(x, o);
            break;
        case 'H':
            d->dst = dest(x, &o->items[0]);
            d->pdst = pdest(x, &o->items[1]);
            break;
        case 'p':
        case 'P':
            d->pdst = pdest(x, o->kind == O_PAIR ? &o->items[0] : o);
            if (o->kind == O_PAIR) d->pdst2 = pdest(x, &o->items[1]);
            break;
        case 'q': set_psrc(x, d, o); break;
        case 'i': d->imm = o->imm; break;
        default: {
            Type t = sig[n] == 'A' ? product : sig[n] == 'b' ? (Type)(i->type2 ? i->type2 : i->type) : sig[n] == 'w' ? TY_B64 :
                     sig[n] == 'a' || (sig[n] == 's' && i->op == OP_CVTA) ? (Type)i->type : TY_B32;
            if (t == TY_PRED) *src[s++] = pred_source(x, o);
            else *src[s++] = source(x, o, t);
            if (sig[n] == 'b' && o->kind == O_REG && reg_wide(x, o->reg)) d->flags |= D_SRC_LONG;
            if (sig[n] == 'b' && o->kind == O_IMM && type_info[t].bits == 64) d->flags |= D_SRC_LONG;
        }
        }
    }
}

static bool decode_mov(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *to = &i->opnd[0], *from = &i->opnd[1];
    d->pdst = PRED_SINK;
    if (to->kind == O_VEC || from->kind == O_VEC) {
        const Operand *v = to->kind == O_VEC ? to : from;
        d->vec = v->count;
        d->bytes = (uint8_t)(type_info[i->type].bits / 8 / v->count);
        if (i->type == TY_B128) halves(x, to->kind == O_VEC ? from : to, d->vector + 4);
        for (int e = 0; e < v->count; e++)
            d->vector[e] = to->kind == O_VEC ? dest(x, &v->items[e]) : source(x, &v->items[e], d->bytes == 2 ? TY_B16 : d->bytes == 1 ? TY_B8 : d->bytes == 4 ? TY_B32 : TY_B64);
        if (to->kind == O_VEC) {
            d->a = i->type == TY_B128 ? d->vector[4] : source(x, from, i->type);
            if (type_info[i->type].bits == 64) d->flags |= D_SRC_LONG;
        } else {
            d->dst = dest(x, to);
            if (type_info[i->type].bits == 64) d->flags |= D_LONG;
        }
        return true;
    }
    if (i->type == TY_PRED) {
        d->pdst = pdest(x, to);
        if (from->kind == O_SREG) d->a = 2 * PRED_TRUE + 1;  // %is_explicit_cluster: never
        else d->a = pred_source(x, from);
        return true;
    }
    d->dst = dest(x, to);
    if (type_info[i->type].bits == 64) d->flags |= D_LONG;
    if (i->type == TY_B128) {
        if (from->kind != O_REG) return fail(x, true, "a .b128 value that isn't a register is not implemented");
        halves(x, to, d->vector);
        halves(x, from, d->vector + 2);
        return true;
    }
    if (from->kind == O_SREG) {
        d->kind = X_SREG;
        d->imm = from->reg;
        return true;
    }
    if (from->kind == O_SYM && (from->sym->space == SP_LOCAL || (from->sym->space == SP_PARAM && !x->f->entry))) {
        d->kind = X_LOCAL_ADDRESS;
        d->imm = address_of(x, from->sym) + from->imm;
        return true;
    }
    d->a = source(x, from, i->type);
    return true;
}

static void find_128(void *user, uint32_t reg, bool def)
{
    Decode *x = user;
    (void)def;
    if (type_info[x->f->regs.v[reg].type].bits == 128)
        fail(x, true, "'%s' with the 128-bit register %s is not implemented: such registers are moved, loaded and stored as .b128", op_info[x->i->op].name, reg_name(x->f, reg));
}

static bool decode_inst(Decode *x, Dinst *d, const Flow *flow, uint32_t at)
{
    const Inst *i = x->i;
    const OpInfo *op = &op_info[i->op];
    if (i->type != TY_B128) inst_regs(i, find_128, x);
    if (x->failed) return false;
    *d = (Dinst){.op = (uint8_t)i->op, .type = i->type, .type2 = i->type2, .space = i->space, .vec = 1, .inst = i, .index = at,
                 .class = op->class, .slots = (uint8_t)inst_slots(i), .guard = PRED_TRUE, .prov = PROV_NONE, .kind = X_LANES};
    d->dst = scratch(x);
    d->pdst = d->pdst2 = PRED_SINK;
    // Floating-point sums and products are the multiply-add unit's, whatever unit does the integer ones.
    bool sum = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_MAD;
    if (sum && type_info[i->type].kind == K_FLOAT) d->class = CLASS_FMA;
    if (i->type == TY_F64 && (op->class == CLASS_ALU || op->class == CLASS_MUL || op->class == CLASS_FMA)) d->class = CLASS_F64;
    if (i->guarded) d->guard = pred_of(x, i->guard), d->guard_negated = i->guard_negated;
    Score s = {x, d, true};
    inst_regs(i, score, &s);
    d->score_dst = d->score_n;
    s.def = false;
    inst_regs(i, score, &s);
    switch (i->op) {
    case OP_LD:
    case OP_LDU:
    case OP_ST: return decode_memory(x, d);
    case OP_ATOM:
    case OP_RED: return decode_atomic(x, d);
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_ELECT:
    case OP_ACTIVEMASK: return decode_across(x, d);
    case OP_BAR:
    case OP_BARRIER: return decode_barrier(x, d);
    case OP_TEX:
    case OP_TLD4: return decode_texture(x, d);
    case OP_CALL: return decode_call(x, d);
    case OP_BRA:
        d->kind = X_BRA;
        d->target = x->f->labels.v[i->opnd[0].reg].inst;
        if (d->target <= at) d->flags |= D_BACK;
        guard_target(x, d, flow, at);
        return true;
    case OP_BRX:
        d->kind = X_BRX;
        d->a = source(x, &i->opnd[0], TY_B32);
        guard_target(x, d, flow, at);
        return true;
    case OP_RET: d->kind = x->f->entry ? X_EXIT : X_RET; return true;
    case OP_EXIT: d->kind = X_EXIT; return true;
    case OP_TRAP:
    case OP_BRKPT: d->kind = X_TRAP; return true;
    case OP_NANOSLEEP:
        d->kind = X_SLEEP;
        d->a = source(x, &i->opnd[0], TY_B32);
        return true;
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_FENCE_PROXY:  // all proxies see the same memory here
    case OP_MEMBAR_PROXY: d->kind = X_FENCE; return true;
    case OP_PMEVENT:
    case OP_DISCARD:      // what is discarded may be anything, so also what it was
    case OP_APPLYPRIORITY:
    case OP_GRIDDEPCONTROL:  // grids run one after the other
    case OP_SETMAXNREG: d->kind = X_NOP; return true;
    case OP_PREFETCH:
    case OP_PREFETCHU:
        d->kind = X_PREFETCH;
        if (i->mod[G_LEVEL] != M_L1) d->flags |= D_UNCACHED;
        d->bytes = 1;
        address(x, d, &i->opnd[0]);
        return true;
    case OP_CP_ASYNC: {
        d->kind = X_CP_ASYNC;
        if (i->mod[G_CACHE] == M_CG) d->flags |= D_UNCACHED;
        d->bytes = (uint8_t)i->opnd[2].imm;
        if (i->opnd[2].imm != 4 && i->opnd[2].imm != 8 && i->opnd[2].imm != 16) return fail(x, false, "cp.async copies 4, 8 or 16 bytes");
        address(x, d, &i->opnd[1]);                     // from, in global memory
        const Operand *to = &i->opnd[0];                // to, in shared memory
        d->b = to->reg != NO_REG ? reg_loc(x, to->reg) : constant(x, 0, true);
        d->target = (uint32_t)to->imm + (to->sym ? (uint32_t)address_of(x, to->sym) : 0);
        if (to->reg == NO_REG || reg_wide(x, to->reg)) d->flags |= D_LONG;
        // Behind the size may stand how many bytes are read, or a predicate that says whether none are (ignore-src).
        const Operand *size = i->operands - inst_has(i, G_HINT) > 3 ? &i->opnd[3] : NULL;
        bool ignore = size && size->kind == O_REG && x->f->regs.v[size->reg].type == TY_PRED;
        d->c = size && !ignore ? source(x, size, TY_B32) : constant(x, d->bytes, false);
        d->psrc = PRED_TRUE, d->psrc_negated = true;
        if (ignore) set_psrc(x, d, size);
        return true;
    }
    case OP_CP_ASYNC_COMMIT: d->kind = X_CP_WAIT, d->imm = UINT64_MAX; return true;
    case OP_CP_ASYNC_WAIT: d->kind = X_CP_WAIT, d->imm = i->opnd[0].imm; return true;
    case OP_CP_ASYNC_WAIT_ALL: d->kind = X_CP_WAIT, d->imm = 0; return true;
    case OP_MOV:
        if (!decode_mov(x, d)) return false;
        if (d->kind != X_LANES) return true;
        break;
    case OP_SETP:
    case OP_SET:
        plain_operands(x, d);
        d->mod = i->operands == 4 ? i->mod[G_BOOL] : M_NONE;
        d->imm = i->op == OP_SET && type_info[i->type].kind == K_FLOAT ? 0x3f800000u : FULL;
        break;
    case OP_POLICY_FRACTION:  // opaque, and no cache asks for it
    case OP_POLICY_RANGE:
        d->dst = dest(x, &i->opnd[0]);
        d->flags |= D_LONG;
        d->a = constant(x, 0, true);
        break;
    case OP_LOP3:
        plain_operands(x, d);
        d->mod = i->mod[G_BOOL];
        break;
    case OP_CVTA:
    case OP_ISSPACEP:
        plain_operands(x, d);
        d->imm = i->space == SP_SHARED ? SHARED_WINDOW : i->space == SP_LOCAL ? LOCAL_WINDOW : i->space == SP_CONST ? CONST_WINDOW :
                 i->space == SP_PARAM ? PARAM_WINDOW : 0;
        if (i->op == OP_CVTA && i->space == SP_CONST) d->imm = x->image->const_base;
        if (i->op == OP_CVTA && type_info[i->type].bits != 64) return fail(x, true, "32-bit generic addresses are not implemented");
        d->mod = i->mod[G_TO];
        if (i->op == OP_CVTA && i->opnd[1].kind == O_SYM && (i->opnd[1].sym->space == SP_LOCAL)) {
            d->kind = X_LOCAL_ADDRESS;
            d->imm += address_of(x, i->opnd[1].sym) + i->opnd[1].imm;
            return !x->failed;
        }
        break;
    default:
        plain_operands(x, d);
        if (inst_has(i, G_CC)) d->flags |= D_CARRY_OUT;
        if (i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC) d->flags |= D_CARRY_IN;
    }
    if (x->failed) return false;
    d->fn = exec_pick(i);
    if (!d->fn) {
        Text t = {0};
        ptx_print_inst(x->f, i, &t);
        fail(x, true, "this form is not implemented: %s", t.v);
        text_free(&t);
        return false;
    }
    return true;
}

// --- functions --------------------------------------------------------------------------------------------------------
static void lay_out(uint32_t *size, const Symbol *s, uint32_t *at)
{
    uint32_t align = MAX(s->align, 1u);
    *at = (*size + align - 1) / align * align;
    *size = *at + (uint32_t)s->bytes;
}

static void use_shared(Decode *x, const Operand *o)
{
    if (o->sym && o->sym->space == SP_SHARED && o->sym->linkage != LINK_EXTERN && o->sym->bytes &&
        find_var(x->shared.v, x->shared.n, o->sym) == NO_REG) {
        SharedVar v = {o->sym, 0};
        lay_out(&x->k->static_shared, o->sym, &v.at);
        vec_push(&x->shared, v);
    }
    for (int k = 0; k < o->count; k++) use_shared(x, &o->items[k]);
}

static bool takes_address(const Function *f, const Symbol *s)
{
    for (size_t n = 0; n < f->insts.n; n++)
        if (f->insts.v[n].op == OP_MOV || f->insts.v[n].op == OP_CVTA)
            for (int k = 0; k < f->insts.v[n].operands; k++)
                if (f->insts.v[n].opnd[k].kind == O_SYM && f->insts.v[n].opnd[k].sym == s) return true;
    return false;
}

static void frame_params(Decode *x, const Symbols *list, uint32_t *rows)
{
    for (size_t p = 0; p < list->n; p++) {
        SharedVar v = {list->v[p], *rows};
        *rows += param_rows(list->v[p]);
        vec_push(&x->param, v);
    }
}

static bool decode_function(Decode *x, Code *code)
{
    const Function *f = x->f = code->f;
    x->code = code;
    x->i = NULL;
    x->local.n = x->param.n = 0;
    Flow *flow = flow_build(f);
    flow_live(flow);
    code->alloc = x->image->lower ? alloc_colour(flow) : alloc_identity(flow);
    code->registers = code->alloc->slots;
    code->reg_rows = code->alloc->rows;
    code->preds = code->alloc->preds + PRED_FIRST;
    uint32_t rows = (code->reg_rows + 1) & ~1u;
    uint32_t first_param = rows;
    if (!f->entry) frame_params(x, &f->rets, &rows), frame_params(x, &f->params, &rows);
    for (size_t s = 0; s < f->locals.n; s++) {
        const Symbol *v = f->locals.v[s];
        if (v->space == SP_PARAM) {
            SharedVar p = {v, rows};
            rows += param_rows(v);
            vec_push(&x->param, p);
        } else if (v->space == SP_LOCAL) {
            SharedVar p = {v, 0};
            lay_out(&code->local_bytes, v, &p.at);
            vec_push(&x->local, p);
        }
    }
    for (size_t p = 0; p < f->params.n && !f->entry; p++) {
        if (!takes_address(f, f->params.v[p])) continue;
        SharedVar v = {f->params.v[p], 0};
        lay_out(&code->local_bytes, f->params.v[p], &v.at);
        vec_push(&x->local, v);
        LocalParam lp = {find_var(x->param.v, x->param.n, f->params.v[p]), ((uint32_t)f->params.v[p]->bytes + 3) / 4, v.at};
        vec_push(&code->local_params, lp);
    }
    code->local_bytes = (code->local_bytes + 15) & ~15u;
    (void)first_param;
    code->rows = rows + 2;
    code->frame_bytes = code->rows * ROW_BYTES + (code->preds * 4 + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    code->n = (uint32_t)f->insts.n;
    code->insts = mem_alloc(sizeof *code->insts * (code->n + 1));
    int16_t *prov = f->entry ? ptx_provenance(f) : NULL;
    bool ok = true;
    for (uint32_t n = 0; n < code->n && ok; n++) {
        x->i = &f->insts.v[n];
        ok = decode_inst(x, &code->insts[n], flow, n) && !x->failed;
        if (prov) code->insts[n].prov = prov[n];
    }
    code->insts[code->n] = (Dinst){.kind = f->entry ? X_EXIT : X_RET, .class = CLASS_BRANCH, .guard = PRED_TRUE, .prov = PROV_NONE, .index = code->n, .op = OP_EXIT};
    mem_free(prov);
    flow_free(flow);
    return ok;
}

static void reach(Decode *x, const Function *f)
{
    for (size_t c = 0; c < x->k->codes.n; c++)
        if (x->k->codes.v[c]->parsed == f) return;
    Code *code = mem_alloc(sizeof *code);
    code->parsed = f;
    code->kernel = x->k;
    vec_push(&x->k->codes, code);
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        for (int k = 0; k < i->operands; k++) {
            use_shared(x, &i->opnd[k]);
            if (i->opnd[k].kind == O_SYM && i->opnd[k].sym->function && i->opnd[k].sym->function->has_body)
                reach(x, i->opnd[k].sym->function);
        }
        if (i->op == OP_CALL && i->opnd[inst_dest_count(i)].kind == O_REG)  // anything whose address may be in a table
            for (size_t s = 0; s < f->module->symbols.n; s++) {
                const Function *g = f->module->symbols.v[s]->function;
                if (g && !g->entry && g->has_body) reach(x, g);
            }
    }
}

// Registers and local memory along the deepest chain of calls; a cycle is recursion, bounded when it runs.
static void depth(Kernel *k, Code *c, uint32_t regs, uint32_t local, uint8_t *on)
{
    size_t me = 0;
    while (k->codes.v[me] != c) me++;
    if (on[me]) {
        k->recursive = true;
        return;
    }
    on[me] = 1;
    k->registers = MAX(k->registers, regs + c->registers);
    k->local_bytes = MAX(k->local_bytes, local + c->local_bytes);
    for (uint32_t n = 0; n < c->n; n++) {
        if (c->insts[n].kind != X_CALL) continue;
        if (c->insts[n].call->callee) depth(k, c->insts[n].call->callee, regs + c->registers, local + c->local_bytes, on);
        else
            for (size_t g = 1; g < k->codes.n; g++) depth(k, k->codes.v[g], regs + c->registers, local + c->local_bytes, on);
    }
    on[me] = 0;
}

static void fill_constants(Decode *x)
{
    Kernel *k = x->k;
    k->const_rows = MAX(k->const_rows, 2u);
    k->consts = aligned_alloc(64, (size_t)k->const_rows * ROW_BYTES);
    if (!k->consts) abort();
    memset(k->consts, 0, (size_t)k->const_rows * ROW_BYTES);
    for (size_t c = 0; c < x->consts.n; c++) {
        uint8_t *r = k->consts + (size_t)x->consts.v[c].row * ROW_BYTES;
        for (int n = 0; n < LANES; n++) {
            uint32_t narrow = (uint32_t)x->consts.v[c].value;
            if (x->consts.v[c].wide) memcpy(r + 8 * n, &x->consts.v[c].value, 8);
            else memcpy(r + 4 * n, &narrow, 4);
        }
    }
}

Kernel *exec_decode(Image *image, const Function *f, Diag *diag)
{
    Kernel *k = mem_alloc(sizeof *k);
    Decode x = {.image = image, .k = k, .f = f, .diag = diag};
    k->f = f;
    k->image = image;
    k->its = image->module->sm >= 70;
    for (size_t p = 0; p < f->params.n; p++) {
        uint32_t at;
        lay_out(&k->param_bytes, f->params.v[p], &at);
        vec_push(&k->param_at, at);
    }
    reach(&x, f);
    k->code = k->codes.v[0];
    for (size_t c = 0; c < k->codes.n; c++)
        k->codes.v[c]->f = image->lower ? ptx_lower(k->codes.v[c]->parsed, image->reg_limit) : k->codes.v[c]->parsed;
    bool ok = true;
    for (size_t c = 0; c < k->codes.n && ok; c++) ok = decode_function(&x, k->codes.v[c]);
    for (size_t c = 0; c < k->codes.n && ok; c++) {
        Code *code = k->codes.v[c];
        code->stat_base = k->insts;
        k->insts += code->n + 1;
        k->score_size = MAX(k->score_size, code->reg_rows + code->preds);
    }
    if (ok) {
        uint8_t *on = mem_alloc(k->codes.n);
        depth(k, k->code, 0, 0, on);
        mem_free(on);
    }
    fill_constants(&x);
    vec_free(&x.shared), vec_free(&x.local), vec_free(&x.param), vec_free(&x.consts);
    if (ok) return k;
    exec_kernel_free(k);
    return NULL;
}

void exec_kernel_free(Kernel *k)
{
    if (!k) return;
    for (size_t c = 0; c < k->codes.n; c++) {
        Code *code = k->codes.v[c];
        for (size_t s = 0; s < code->calls.n; s++) {
            vec_free(&code->calls.v[s]->args);
            vec_free(&code->calls.v[s]->rets);
            mem_free(code->calls.v[s]);
        }
        vec_free(&code->calls);
        vec_free(&code->local_params);
        alloc_free(code->alloc);
        mem_free(code->insts);
        if (code->f != code->parsed) ptx_lowered_free((Function *)code->f);
        mem_free(code);
    }
    vec_free(&k->codes);
    vec_free(&k->param_at);
    free(k->consts);
    mem_free(k);
}
