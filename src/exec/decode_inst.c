// decode_inst.c: one instruction → Dinst. A table lists what is special; everything else computes on lanes, and its
// operands are those of its row in ops.def. Instructions are legal, as ptx/check.c and ptx/legal.c have seen: refused
// here is what isn't implemented, and what needs something that the module lacks.
#include "exec/decode.h"
#include "ptx/ops.h"

#include <assert.h>
#include <string.h>

// --- calls -----------------------------------------------------------------------------------------------------------
// Refuses a call of what has no body: of the device's own runtime (CUDA C++ Programming Guide, "CUDA Dynamic
// Parallelism"), whose names say which version of it, or of anything else.
static bool decode_absent(Decode *x, const char *name)
{
    static const char *const runtime[] = {"__cudaCDP2", "cudaGetParameterBuffer", "cudaLaunchDevice", "cudaGraph",
                                          "cudaDeviceSynchronize"};
    for (size_t k = 0; k < COUNT(runtime); k++)
        if (!strncmp(name, runtime[k], strlen(runtime[k]))) {
            x->diag->unsupported = true;
            return decode_fail(x, false, "it calls '%s': in onchip kernels can't launch others", name);
        }
    return decode_fail(x, false, "function '%s' has no body in this module", name);
}

// Functions of the system, which device code declares and doesn't define.
static bool decode_system(Decode *x, Dinst *d, const char *name)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } system[] = {{"vprintf", X_PRINTF},
                  {"malloc", X_MALLOC},
                  {"free", X_FREE},
                  {"__assertfail", X_TRAP},
                  {"__assert_fail", X_TRAP}};
    for (size_t k = 0; k < COUNT(system); k++) {
        if (strcmp(name, system[k].name)) continue;
        d->kind = system[k].kind;
        return true;
    }
    return decode_absent(x, name);
}

// Row by row, what is passed or given back, from row `there` of the callee's frame on.
static bool decode_passed(Decode *x, const Operand *list, const Symbols *formal, uint32_t there, bool args,
                          CallSite *site)
{
    assert((size_t)(list ? list->count : 0) == formal->n);
    for (size_t n = 0; n < formal->n; n++) {
        const Operand *o = &list->items[n];
        CallArg a = {.there = there, .words = param_words(formal->v[n]), .dropped = o->kind == O_SINK};
        there += param_rows(formal->v[n]);
        if (o->kind == O_SYM && o->sym->space == SP_PARAM) {
            a.is_param = true;
            a.here = places_find(&x->param, o->sym);
            if (a.here == NO_REG) return decode_refuse(x, FORM_CALL_PARAM);
            assert(o->sym->bytes >= formal->v[n]->bytes);
        } else {
            a.value = args ? source_row(x, o, formal->v[n]->type) : dest_row(x, o);
        }
        if (args)
            vec_push(&site->args, a);
        else
            vec_push(&site->rets, a);
    }
    return true;
}

static bool decode_call(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    int at = inst_dest_count(i) ? 1 : 0;
    const Operand *rets = at ? &i->opnd[0] : NULL, *callee = &i->opnd[at];
    const Operand *args = at + 1 < i->operands && i->opnd[at + 1].kind == O_LIST ? &i->opnd[at + 1] : NULL;
    CallSite *site = mem_alloc(sizeof *site);
    vec_push(&x->code->calls, site);
    d->call = site;
    const Symbols *formal_args, *formal_rets;
    if (callee->kind == O_SYM) {
        const Function *g = callee->sym->function;
        formal_args = &g->params, formal_rets = &g->rets;
        if (g->has_body)
            site->callee = x->k->codes.v[places_find(&x->reached, g->symbol)];
        else if (!decode_system(x, d, callee->sym->name))
            return false;
    } else {
        d->a = reg_loc(x, callee->reg);
        const Proto *p = x->f->protos.v[i->opnd[i->operands - 1].reg];
        const Function *g = p->targets.n ? p->targets.v[0]->function : NULL;
        formal_args = g ? &g->params : &p->params, formal_rets = g ? &g->rets : &p->rets;
    }
    uint32_t behind = 0;  // a callee lays its return values out first, then its parameters
    for (size_t n = 0; n < formal_rets->n; n++) behind += param_rows(formal_rets->v[n]);
    return decode_passed(x, rets, formal_rets, 0, false, site) &&
           decode_passed(x, args, formal_args, behind, true, site);
}

// --- barriers, other lanes -------------------------------------------------------------------------------------------
static bool decode_barrier(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    if (inst_has(i, G_WARP)) {
        d->kind = X_WARP_SYNC;
        if (x->k->its) d->flags |= D_SYNC;
        d->a = source_row(x, &i->opnd[0], TY_B32);
        return true;
    }
    d->mod = i->mod[G_BAR];
    bool red = d->mod == M_B_RED;
    int at = red ? 1 : 0;
    d->a = source_row(x, &i->opnd[at], TY_B32);
    bool counts = i->operands > (red ? 3 : 1);
    d->b = counts ? source_row(x, &i->opnd[at + 1], TY_B32) : constant_row(x, 0, false);
    d->reduction = i->mod[G_ATOM];
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
        d->mod = i->mod[G_SHFL];
        d->dst = dest_row(x, o[0].kind == O_PAIR ? &o[0].items[0] : &o[0]);
        if (o[0].kind == O_PAIR) d->pdst = pdest_of(x, &o[0].items[1]);
        d->a = source_row(x, &o[1], TY_B32), d->b = source_row(x, &o[2], TY_B32), d->c = source_row(x, &o[3], TY_B32);
        d->vector[3] = i->operands > 4 ? source_row(x, &o[4], TY_B32) : all;
        return true;
    case OP_VOTE:
        d->mod = i->mod[G_VOTE];
        if (i->type == TY_PRED)
            d->pdst = pdest_of(x, &o[0]);
        else
            d->dst = dest_row(x, &o[0]);
        set_psrc(x, d, &o[1]);
        d->vector[3] = i->operands > 2 ? source_row(x, &o[2], TY_B32) : all;
        return true;
    case OP_MATCH:
        d->mod = i->mod[G_VOTE];
        d->dst = dest_row(x, o[0].kind == O_PAIR ? &o[0].items[0] : &o[0]);
        if (o[0].kind == O_PAIR) d->pdst = pdest_of(x, &o[0].items[1]);
        d->a = source_row(x, &o[1], i->type);
        d->bytes = (uint8_t)type_bytes(i->type);
        d->vector[3] = source_row(x, &o[2], TY_B32);
        return true;
    case OP_REDUX:
        d->mod = i->mod[G_ATOM];
        d->dst = dest_row(x, &o[0]);
        d->a = source_row(x, &o[1], i->type);
        d->vector[3] = source_row(x, &o[2], TY_B32);
        return true;
    case OP_ELECT:
        if (x->k->its) d->flags |= D_SYNC;
        d->dst = dest_row(x, &o[0].items[0]);
        d->pdst = pdest_of(x, &o[0].items[1]);
        d->a = d->vector[3] = source_row(x, &o[1], TY_B32);
        return true;
    default: d->dst = dest_row(x, &o[0]); return true;
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
            d->kind = X_SREG, d->imm = from->reg;
        else
            d->a = pred_source(x, from);
        return true;
    }
    d->dst = dest_row(x, to);
    if (type_info[i->type].bits == 64) d->flags |= D_LONG;
    if (i->type == TY_B128) {
        if (from->kind != O_REG) return decode_refuse(x, FORM_MOV_WIDE);
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

// --- one operation, or those that are alike --------------------------------------------------------------------------
static bool decode_branch(Decode *x, Dinst *d)
{
    d->target = x->f->labels.v[x->i->opnd[0].reg].inst;
    if (d->target <= d->index) d->flags |= D_BACK;
    d->reconverge = x->code->body->reconverge[d->index];
    return true;
}

static bool decode_table(Decode *x, Dinst *d)
{
    d->a = source_row(x, &x->i->opnd[0], TY_B32);
    d->reconverge = x->code->body->reconverge[d->index];
    return true;
}

static bool decode_return(Decode *x, Dinst *d)
{
    if (x->f->entry) d->kind = X_EXIT;
    return true;
}

static bool decode_sleep(Decode *x, Dinst *d)
{
    d->a = source_row(x, &x->i->opnd[0], TY_B32);
    return true;
}

static bool decode_prefetch(Decode *x, Dinst *d)
{
    if (x->i->mod[G_LEVEL] == M_TENSORMAP) d->kind = X_NOP;  // maps are never fetched here
    if (x->i->mod[G_LEVEL] != M_L1) d->flags |= D_UNCACHED;
    d->bytes = 1;
    set_address(x, d, &x->i->opnd[0]);
    return true;
}

static bool decode_commit(Decode *x, Dinst *d)
{
    (void)x;
    d->imm = UINT64_MAX;
    return true;
}

// imm: the first group that must be over, counted back from the open one, 0. wait_all is for that one, too;
// wait_group leaves it and the latest N behind it under way (PTX ISA 9.7.9.25.3.3).
static bool decode_wait(Decode *x, Dinst *d)
{
    d->imm = x->i->operands ? 1 + MIN(x->i->opnd[0].imm, UINT32_MAX) : 0;
    return true;
}

// imm: so many of the latest groups may be under way.
static bool decode_groups(Decode *x, Dinst *d)
{
    d->imm = MIN(x->i->opnd[0].imm, UINT32_MAX);
    return true;
}

// Groups of copies in bulk, of which no instruction waits for the open one.
static bool decode_bulk_wait(Decode *x, Dinst *d)
{
    d->mod = x->i->mod[G_MODE];
    return decode_wait(x, d);
}

static bool decode_map(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *a = &i->opnd[1];
    d->dst = dest_row(x, &i->opnd[0]);
    d->a = a->kind == O_SYM ? constant_row(x, address_of(x, a->sym) + a->imm, i->type == TY_U64)
                            : source_row(x, a, i->type);
    d->b = i->operands > 2 ? source_row(x, &i->opnd[2], TY_U32) : constant_row(x, 0, false);
    return true;
}

static bool decode_set(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    plain_operands(x, d);
    d->mod = i->operands == 4 ? i->mod[G_BOOL] : M_NONE;
    d->imm = i->op == OP_SET && type_info[i->type].kind == K_FLOAT ? 0x3f800000u : FULL;
    return true;
}

static bool decode_policy(Decode *x, Dinst *d)  // opaque, and no cache asks for it
{
    d->dst = dest_row(x, &x->i->opnd[0]);
    d->flags |= D_LONG;
    d->a = constant_row(x, 0, true);
    return true;
}

static bool decode_lop3(Decode *x, Dinst *d)
{
    plain_operands(x, d);
    d->mod = x->i->mod[G_BOOL];
    return true;
}

static void decode_space(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    plain_operands(x, d);
    d->mod = i->mod[G_TO];
    d->imm = i->space == SP_SHARED  ? SHARED_WINDOW
             : i->space == SP_LOCAL ? LOCAL_WINDOW
             : i->space == SP_CONST ? x->image->const_base
             : i->space == SP_PARAM ? PARAM_WINDOW
                                    : 0;
}

static bool decode_isspacep(Decode *x, Dinst *d)
{
    decode_space(x, d);
    if (x->i->space == SP_GLOBAL) d->imm = x->image->const_base;
    d->target = x->image->const_bytes;
    return true;
}

static bool decode_cvta(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    decode_space(x, d);
    if (type_info[i->type].bits != 64) return decode_refuse(x, FORM_CVTA_SHORT);
    if (i->opnd[1].kind == O_SYM && i->opnd[1].sym->space == SP_LOCAL) {
        d->kind = X_LOCAL_ADDRESS;
        d->imm += address_of(x, i->opnd[1].sym) + i->opnd[1].imm;
    }
    return true;
}

// An alignment of 8 bytes is what alloca gives at least (§9.7.18.3).
static bool decode_alloca(Decode *x, Dinst *d)
{
    plain_operands(x, d);
    d->imm = MAX(d->imm, 8);
    return true;
}

static bool decode_plain(Decode *x, Dinst *d)
{
    plain_operands(x, d);
    return true;
}

static bool decode_with_carry(Decode *x, Dinst *d)
{
    plain_operands(x, d);
    d->flags |= D_CARRY_IN;
    return true;
}

// What isn't computed on lanes, or whose operands aren't those of its row in ops.def: its kind, which the function may
// change, and the function that fills in the operands; null: there are none to fill in.
static const struct {
    uint8_t kind;
    bool (*operands)(Decode *x, Dinst *d);
} special[OP_COUNT] = {
    [OP_LD] = {X_LD, decode_memory},
    [OP_LDU] = {X_LD, decode_memory},
    [OP_ST] = {X_ST, decode_memory},
    [OP_ATOM] = {X_ATOM, decode_atomic},
    [OP_RED] = {X_ATOM, decode_atomic},
    [OP_SHFL] = {X_SHFL, decode_across},
    [OP_VOTE] = {X_VOTE, decode_across},
    [OP_MATCH] = {X_MATCH, decode_across},
    [OP_REDUX] = {X_REDUX, decode_across},
    [OP_ELECT] = {X_ELECT, decode_across},
    [OP_ACTIVEMASK] = {X_ACTIVEMASK, decode_across},
    [OP_BAR] = {X_BARRIER, decode_barrier},
    [OP_BARRIER] = {X_BARRIER, decode_barrier},
    [OP_TEX] = {X_TEX, decode_texture},
    [OP_TLD4] = {X_TEX, decode_texture},
    [OP_TXQ] = {X_QUERY, decode_query},
    [OP_SUQ] = {X_QUERY, decode_query},
    [OP_ISTYPEP] = {X_QUERY, decode_query},
    [OP_SULD] = {X_LD, decode_surface},
    [OP_SUST] = {X_ST, decode_surface},
    [OP_SUST_P] = {X_ST, decode_surface},
    [OP_SURED] = {X_ATOM, decode_surface},
    [OP_SURED_P] = {X_ATOM, decode_surface},
    [OP_CALL] = {X_CALL, decode_call},
    [OP_BRA] = {X_BRA, decode_branch},
    [OP_BRX] = {X_BRX, decode_table},
    [OP_RET] = {X_RET, decode_return},
    [OP_EXIT] = {X_EXIT, NULL},
    [OP_TRAP] = {X_TRAP, NULL},
    [OP_BRKPT] = {X_TRAP, NULL},
    [OP_NANOSLEEP] = {X_SLEEP, decode_sleep},
    [OP_MEMBAR] = {X_FENCE, NULL},
    [OP_FENCE] = {X_FENCE, NULL},
    [OP_FENCE_PROXY] = {X_FENCE, NULL},  // all proxies see the same memory here
    [OP_MEMBAR_PROXY] = {X_FENCE, NULL},
    [OP_ALLOCA] = {X_ALLOCA, decode_alloca},
    [OP_STACKSAVE] = {X_STACK_SAVE, decode_plain},
    [OP_STACKRESTORE] = {X_STACK_RESTORE, decode_plain},
    [OP_PMEVENT] = {X_NOP, NULL},
    [OP_DISCARD] = {X_NOP, NULL},  // what is discarded may be anything, so also what it was
    [OP_APPLYPRIORITY] = {X_NOP, NULL},
    [OP_GRIDDEPCONTROL] = {X_NOP, NULL},  // grids run one after the other
    [OP_SETMAXNREG] = {X_NOP, NULL},
    [OP_PREFETCH] = {X_PREFETCH, decode_prefetch},
    [OP_PREFETCHU] = {X_PREFETCH, decode_prefetch},
    [OP_CP_ASYNC] = {X_CP_ASYNC, decode_copy},
    [OP_CP_ASYNC_COMMIT] = {X_CP_WAIT, decode_commit},
    [OP_CP_ASYNC_WAIT] = {X_CP_WAIT, decode_wait},
    [OP_CP_ASYNC_WAIT_ALL] = {X_CP_WAIT, decode_wait},
    [OP_MBAR_INIT] = {X_MBAR, decode_mbar},
    [OP_MBAR_INVAL] = {X_MBAR, decode_mbar},
    [OP_MBAR_EXPECT] = {X_MBAR, decode_mbar},
    [OP_MBAR_COMPLETE] = {X_MBAR, decode_mbar},
    [OP_MBAR_ARRIVE] = {X_MBAR, decode_mbar},
    [OP_MBAR_ARRIVE_SOME] = {X_MBAR, decode_mbar},
    [OP_MBAR_ARRIVE_EXPECT] = {X_MBAR, decode_mbar},
    [OP_MBAR_DROP] = {X_MBAR, decode_mbar},
    [OP_MBAR_DROP_SOME] = {X_MBAR, decode_mbar},
    [OP_MBAR_DROP_EXPECT] = {X_MBAR, decode_mbar},
    [OP_MBAR_TEST] = {X_MBAR, decode_mbar},
    [OP_MBAR_TEST_PARITY] = {X_MBAR, decode_mbar},
    [OP_MBAR_TRY] = {X_MBAR_TRY, decode_mbar},
    [OP_MBAR_TRY_PARITY] = {X_MBAR_TRY, decode_mbar},
    [OP_MBAR_PENDING] = {X_MBAR, decode_plain},
    [OP_MBAR_COPIES] = {X_MBAR_COPIES, decode_mbar},
    [OP_BULK] = {X_BULK, decode_bulk},
    [OP_BULK_REDUCE] = {X_BULK, decode_bulk},
    [OP_BULK_PREFETCH] = {X_BULK, decode_bulk},
    [OP_BULK_COMMIT] = {X_BULK_WAIT, decode_commit},
    [OP_BULK_WAIT] = {X_BULK_WAIT, decode_bulk_wait},
    [OP_TENSOR] = {X_BULK, decode_bulk},
    [OP_TENSOR_REDUCE] = {X_BULK, decode_bulk},
    [OP_TENSOR_PREFETCH] = {X_BULK, decode_bulk},
    [OP_ST_ASYNC] = {X_BULK, decode_bulk},
    [OP_RED_ASYNC] = {X_BULK, decode_bulk},
    [OP_CLUSTER_ARRIVE] = {X_CLUSTER_BARRIER, NULL},
    [OP_CLUSTER_WAIT] = {X_CLUSTER_BARRIER, NULL},
    [OP_MAP_REPLACE] = {X_TENSOR_MAP, decode_tensor_map},
    [OP_MAP_COPY] = {X_TENSOR_MAP, decode_tensor_map},
    [OP_FENCE_MBAR] = {X_FENCE, NULL},
    [OP_MAPA] = {X_CLUSTER_MAP, decode_map},
    [OP_GETCTARANK] = {X_CLUSTER_MAP, decode_map},
    [OP_LDMATRIX] = {X_LDMATRIX, decode_matrix},
    [OP_STMATRIX] = {X_STMATRIX, decode_matrix},
    [OP_MOVMATRIX] = {X_MOVMATRIX, decode_plain},
    [OP_MMA] = {X_TENSOR, decode_tensor},
    [OP_MMA_SP] = {X_TENSOR, decode_tensor},
    [OP_MMA_ORDERED] = {X_TENSOR, decode_tensor},
    [OP_WMMA_MMA] = {X_TENSOR, decode_tensor},
    [OP_WGMMA] = {X_WGMMA, decode_group},
    [OP_WGMMA_SP] = {X_WGMMA, decode_group},
    [OP_WGMMA_FENCE] = {X_NOP, NULL},  // wgmma waits for its registers
    [OP_WGMMA_COMMIT] = {X_WGMMA_WAIT, decode_commit},
    [OP_WGMMA_WAIT] = {X_WGMMA_WAIT, decode_groups},
    [OP_MOV] = {X_LANES, decode_mov},
    [OP_SETP] = {X_LANES, decode_set},
    [OP_SET] = {X_LANES, decode_set},
    [OP_POLICY_FRACTION] = {X_LANES, decode_policy},
    [OP_POLICY_RANGE] = {X_LANES, decode_policy},
    [OP_LOP3] = {X_LANES, decode_lop3},
    [OP_CVTA] = {X_LANES, decode_cvta},
    [OP_ISSPACEP] = {X_LANES, decode_isspacep},
    [OP_ADDC] = {X_LANES, decode_with_carry},
    [OP_SUBC] = {X_LANES, decode_with_carry},
    [OP_MADC] = {X_LANES, decode_with_carry},
};

// --- one instruction -------------------------------------------------------------------------------------------------
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

// The function of what is computed on lanes.
static bool pick(Decode *x, Dinst *d)
{
    d->fn = exec_pick(x->i);
    if (d->fn) return true;
    Text t = {0};
    ptx_print_inst(x->f, x->i, &t);
    decode_fail(x, true, "this form is not implemented: %s", t.v);
    text_free(&t);
    return false;
}

bool decode_inst(Decode *x, Dinst *d, uint32_t at)
{
    const Inst *i = x->i;
    if (i->type != TY_B128) inst_regs(i, find_128, x);
    if (x->failed) return false;
    const Sass sass = x->code->body->sass[at];
    *d = (Dinst){.op = (uint8_t)i->op,
                 .type = i->type,
                 .type2 = i->type2,
                 .space = i->space,
                 .vec = 1,
                 .inst = i,
                 .index = at,
                 .class = (uint8_t)sass.class,
                 .slots = sass.slots,
                 .units = sass.units,
                 .guard = PRED_TRUE,
                 .prov = PROV_NONE,
                 .kind = special[i->op].kind};
    d->dst = scratch_row(x);
    d->pdst = d->pdst2 = PRED_SINK;
    if (i->guarded) d->guard = pred_of(x, i->guard), d->guard_negated = i->guard_negated;
    set_score(x, d);
    if (inst_has(i, G_CC)) d->flags |= D_CARRY_OUT;
    if (x->k->its && inst_has(i, G_SYNC) && inst_has(i, G_ALIGNED)) d->flags |= D_SYNC;
    if (special[i->op].operands) {
        if (!special[i->op].operands(x, d)) return false;
    } else if (d->kind == X_LANES) {
        plain_operands(x, d);
    }
    return !x->failed && ((d->kind != X_LANES && d->kind != X_TENSOR) || pick(x, d));
}
