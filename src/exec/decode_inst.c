// decode_inst.c: one instruction → Dinst. decode_inst is the list of what is special; everything else computes on
// lanes, and its operands are those of its row in ops.def.
#include "exec/decode.h"

#include <string.h>

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
            if (!strcmp(name, "vprintf"))
                d->kind = X_PRINTF;
            else if (!strcmp(name, "malloc"))
                d->kind = X_MALLOC;
            else if (!strcmp(name, "free"))
                d->kind = X_FREE;
            else if (!strcmp(name, "__assertfail") || !strcmp(name, "__assert_fail"))
                d->kind = X_TRAP;
            else
                return decode_fail(x, false, "function '%s' has no body in this module", name);
        } else {
            site->callee = x->k->codes.v[places_find(&x->reached, g->symbol)];
        }
    } else {
        d->a = reg_loc(x, callee->reg);
        const Operand *last = &i->opnd[i->operands - 1];
        const Proto *p = x->f->protos.v[last->reg];
        if (p->targets.n)
            formal_args = &p->targets.v[0]->function->params, formal_rets = &p->targets.v[0]->function->rets;
        else
            formal_args = &p->params, formal_rets = &p->rets;
    }
    for (int l = 0; l < 2; l++) {
        const Operand *list = l ? args : rets;
        const Symbols *formal = l ? formal_args : formal_rets;
        if ((list ? list->count : 0) != formal->n) return decode_fail(x, false, "the call doesn't match its prototype");
        uint32_t there = 0;  // a callee lays its return values out first, then its parameters
        if (l)
            for (size_t n = 0; n < formal_rets->n; n++) there += param_rows(formal_rets->v[n]);
        for (size_t n = 0; n < formal->n; n++) {
            const Operand *o = &list->items[n];
            CallArg a = {.there = there, .words = param_words(formal->v[n]), .dropped = o->kind == O_SINK};
            there += param_rows(formal->v[n]);
            if (o->kind == O_SYM && o->sym->space == SP_PARAM) {
                a.is_param = true;
                a.here = places_find(&x->param, o->sym);
                if (a.here == NO_REG)
                    return decode_fail(x, true, "passing a kernel parameter on directly is not implemented");
                if (o->sym->bytes < formal->v[n]->bytes)
                    return decode_fail(x, false, "'%s' is smaller than the parameter it is passed for", o->sym->name);
            } else {
                a.value = l ? source_row(x, o, formal->v[n]->type) : dest_row(x, o);
            }
            if (l)
                vec_push(&site->args, a);
            else
                vec_push(&site->rets, a);
        }
    }
    return true;
}

static bool decode_barrier(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    if (inst_has(i, G_WARP)) {
        d->kind = X_WARP_SYNC;
        if (x->k->its) d->flags |= D_SYNC;
        d->a = source_row(x, &i->opnd[0], TY_B32);
        return true;
    }
    d->kind = X_BARRIER;
    d->mod = i->mod[G_BAR];
    bool red = d->mod == M_B_RED;
    if (red != (i->operands > 2)) return decode_fail(x, false, "malformed barrier");
    int at = red ? 1 : 0;
    d->a = source_row(x, &i->opnd[at], TY_B32);
    d->vec = (uint8_t)(i->operands - at - (red ? 1 : 0));  // 1: id, 2: id and thread count
    d->b = d->vec > 1 ? source_row(x, &i->opnd[at + 1], TY_B32) : constant_row(x, 0, false);
    d->cache = i->mod[G_ATOM];
    d->pdst = PRED_SINK;
    if (red) {
        set_psrc(x, d, &i->opnd[i->operands - 1]);
        if (i->type == TY_PRED)
            d->pdst = pdest_of(x, &i->opnd[0]);
        else
            d->dst = dest_row(x, &i->opnd[0]);
    }
    return true;
}

static bool decode_across(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *o = i->opnd;
    if (inst_has(i, G_SYNC) && x->k->its) d->flags |= D_SYNC;
    d->pdst = PRED_SINK;
    Loc32 all = constant_row(x, FULL, false);
    switch (i->op) {
    case OP_SHFL:
        d->kind = X_SHFL;
        d->mod = i->mod[G_SHFL];
        d->dst = dest_row(x, o[0].kind == O_PAIR ? &o[0].items[0] : &o[0]);
        if (o[0].kind == O_PAIR) d->pdst = pdest_of(x, &o[0].items[1]);
        d->a = source_row(x, &o[1], TY_B32), d->b = source_row(x, &o[2], TY_B32), d->c = source_row(x, &o[3], TY_B32);
        d->vector[3] = i->operands > 4 ? source_row(x, &o[4], TY_B32) : all;
        return true;
    case OP_VOTE:
        d->kind = X_VOTE;
        d->mod = i->mod[G_VOTE];
        if (d->mod == M_BALLOT ? i->type != TY_B32 : i->type != TY_PRED)
            return decode_fail(x, false, "vote.ballot gives .b32, the others .pred");
        if (i->type == TY_PRED)
            d->pdst = pdest_of(x, &o[0]);
        else
            d->dst = dest_row(x, &o[0]);
        set_psrc(x, d, &o[1]);
        d->vector[3] = i->operands > 2 ? source_row(x, &o[2], TY_B32) : all;
        return true;
    case OP_MATCH:
        d->kind = X_MATCH;
        d->mod = i->mod[G_VOTE];
        if (d->mod != M_ANY && d->mod != M_ALL) return decode_fail(x, false, "match needs .any or .all");
        d->dst = dest_row(x, o[0].kind == O_PAIR ? &o[0].items[0] : &o[0]);
        if (o[0].kind == O_PAIR) d->pdst = pdest_of(x, &o[0].items[1]);
        d->a = source_row(x, &o[1], i->type);
        d->bytes = (uint8_t)type_bytes(i->type);
        d->vector[3] = source_row(x, &o[2], TY_B32);
        return true;
    case OP_REDUX:
        d->kind = X_REDUX;
        d->mod = i->mod[G_ATOM];
        if (i->type == TY_F32) return decode_fail(x, true, "redux of .f32 is not implemented");
        d->dst = dest_row(x, &o[0]);
        d->a = source_row(x, &o[1], TY_B32);
        d->vector[3] = source_row(x, &o[2], TY_B32);
        return true;
    case OP_ELECT:
        d->kind = X_ELECT;
        if (x->k->its) d->flags |= D_SYNC;
        d->dst = dest_row(x, &o[0].items[0]);
        d->pdst = pdest_of(x, &o[0].items[1]);
        d->a = d->vector[3] = source_row(x, &o[1], TY_B32);
        return true;
    default:
        d->kind = X_ACTIVEMASK;
        d->dst = dest_row(x, &o[0]);
        return true;
    }
}

// --- one instruction -------------------------------------------------------------------------------------------------
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
            d->dst = dest_row(x, o);
            if (o->kind == O_REG && reg_wide(x, o->reg)) d->flags |= D_LONG;
            if (i->op == OP_CVT && o->kind == O_REG && type_info[x->f->regs.v[o->reg].type].bits == 32)
                d->flags |= D_DST_32;
            if (i->type == TY_PRED) d->pdst = pdest_of(x, o);
            break;
        case 'H':
            d->dst = dest_row(x, &o->items[0]);
            d->pdst = pdest_of(x, &o->items[1]);
            break;
        case 'p':
        case 'P':
            d->pdst = pdest_of(x, o->kind == O_PAIR ? &o->items[0] : o);
            if (o->kind == O_PAIR) d->pdst2 = pdest_of(x, &o->items[1]);
            break;
        case 'q': set_psrc(x, d, o); break;
        case 'i': d->imm = o->imm; break;
        default: {
            Type t = sig[n] == 'A'                                          ? product
                     : sig[n] == 'b'                                        ? (Type)(i->type2 ? i->type2 : i->type)
                     : sig[n] == 'w'                                        ? TY_B64
                     : sig[n] == 'a' || (sig[n] == 's' && i->op == OP_CVTA) ? (Type)i->type
                                                                            : TY_B32;
            if (t == TY_PRED)
                *src[s++] = pred_source(x, o);
            else
                *src[s++] = source_row(x, o, t);
            if (sig[n] == 'b' && o->kind == O_REG && reg_wide(x, o->reg)) {
                if (i->op == OP_CVT && s == 2)
                    d->imm = CVT_SECOND_LONG;
                else
                    d->flags |= D_SRC_LONG;
            }
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
        if (i->type == TY_B128) half_rows(x, to->kind == O_VEC ? from : to, d->vector + 4);
        for (int e = 0; e < v->count; e++)
            d->vector[e] = to->kind == O_VEC ? dest_row(x, &v->items[e])
                                             : source_row(x, &v->items[e],
                                                          d->bytes == 2   ? TY_B16
                                                          : d->bytes == 1 ? TY_B8
                                                          : d->bytes == 4 ? TY_B32
                                                                          : TY_B64);
        if (to->kind == O_VEC) {
            d->a = i->type == TY_B128 ? d->vector[4] : source_row(x, from, i->type);
            if (type_info[i->type].bits == 64) d->flags |= D_SRC_LONG;
        } else {
            d->dst = dest_row(x, to);
            if (type_info[i->type].bits == 64) d->flags |= D_LONG;
        }
        return true;
    }
    if (i->type == TY_PRED) {
        d->pdst = pdest_of(x, to);
        if (from->kind == O_SREG)
            d->a = 2 * PRED_TRUE + 1;  // %is_explicit_cluster: never
        else
            d->a = pred_source(x, from);
        return true;
    }
    d->dst = dest_row(x, to);
    if (type_info[i->type].bits == 64) d->flags |= D_LONG;
    if (i->type == TY_B128) {
        if (from->kind != O_REG) return decode_fail(x, true, "a .b128 value that isn't a register is not implemented");
        half_rows(x, to, d->vector);
        half_rows(x, from, d->vector + 2);
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
    d->a = source_row(x, from, i->type);
    return true;
}

static void find_128(void *user, uint32_t reg, bool def)
{
    Decode *x = user;
    (void)def;
    if (type_info[x->f->regs.v[reg].type].bits == 128)
        decode_fail(x, true,
                    "'%s' with the 128-bit register %s is not implemented: such registers are moved, loaded and stored "
                    "as .b128",
                    op_info[x->i->op].name, reg_name(x->f, reg));
}

bool decode_inst(Decode *x, Dinst *d, const Flow *flow, uint32_t at)
{
    const Inst *i = x->i;
    const OpInfo *op = &op_info[i->op];
    if (i->type != TY_B128) inst_regs(i, find_128, x);
    if (x->failed) return false;
    *d = (Dinst){.op = (uint8_t)i->op,
                 .type = i->type,
                 .type2 = i->type2,
                 .space = i->space,
                 .vec = 1,
                 .inst = i,
                 .index = at,
                 .class = op->class,
                 .slots = (uint8_t)inst_slots(i),
                 .guard = PRED_TRUE,
                 .prov = PROV_NONE,
                 .kind = X_LANES};
    d->dst = scratch_row(x);
    d->pdst = d->pdst2 = PRED_SINK;
    // Floating-point sums and products are the multiply-add unit's, whatever unit does the integer ones.
    bool sum = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_MAD;
    if (sum && type_info[i->type].kind == K_FLOAT) d->class = CLASS_FMA;
    if (i->type == TY_F64 && (op->class == CLASS_ALU || op->class == CLASS_MUL || op->class == CLASS_FMA))
        d->class = CLASS_F64;
    if (i->guarded) d->guard = pred_of(x, i->guard), d->guard_negated = i->guard_negated;
    set_score(x, d);
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
        d->reconverge = flow_reconvergence(flow, at);
        return true;
    case OP_BRX:
        d->kind = X_BRX;
        d->a = source_row(x, &i->opnd[0], TY_B32);
        d->reconverge = flow_reconvergence(flow, at);
        return true;
    case OP_RET: d->kind = x->f->entry ? X_EXIT : X_RET; return true;
    case OP_EXIT: d->kind = X_EXIT; return true;
    case OP_TRAP:
    case OP_BRKPT: d->kind = X_TRAP; return true;
    case OP_NANOSLEEP:
        d->kind = X_SLEEP;
        d->a = source_row(x, &i->opnd[0], TY_B32);
        return true;
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_FENCE_PROXY:  // all proxies see the same memory here
    case OP_MEMBAR_PROXY: d->kind = X_FENCE; return true;
    case OP_PMEVENT:
    case OP_DISCARD:  // what is discarded may be anything, so also what it was
    case OP_APPLYPRIORITY:
    case OP_GRIDDEPCONTROL:  // grids run one after the other
    case OP_SETMAXNREG: d->kind = X_NOP; return true;
    case OP_PREFETCH:
    case OP_PREFETCHU:
        d->kind = X_PREFETCH;
        if (i->mod[G_LEVEL] != M_L1) d->flags |= D_UNCACHED;
        d->bytes = 1;
        set_address(x, d, &i->opnd[0]);
        return true;
    case OP_CP_ASYNC: return decode_copy(x, d);
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
        d->dst = dest_row(x, &i->opnd[0]);
        d->flags |= D_LONG;
        d->a = constant_row(x, 0, true);
        break;
    case OP_LOP3:
        plain_operands(x, d);
        d->mod = i->mod[G_BOOL];
        break;
    case OP_CVTA:
    case OP_ISSPACEP:
        plain_operands(x, d);
        d->imm = i->space == SP_SHARED  ? SHARED_WINDOW
                 : i->space == SP_LOCAL ? LOCAL_WINDOW
                 : i->space == SP_CONST ? CONST_WINDOW
                 : i->space == SP_PARAM ? PARAM_WINDOW
                                        : 0;
        if (i->op == OP_CVTA && i->space == SP_CONST) d->imm = x->image->const_base;
        if (i->op == OP_CVTA && type_info[i->type].bits != 64)
            return decode_fail(x, true, "32-bit generic addresses are not implemented");
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
        decode_fail(x, true, "this form is not implemented: %s", t.v);
        text_free(&t);
        return false;
    }
    return true;
}
