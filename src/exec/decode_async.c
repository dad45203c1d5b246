// decode_async.c: mbarriers, and copies in bulk. A copy has up to three addresses and as many coordinates as a tensor
// has dimensions: more than an instruction has room for, so that they have a BulkForm.
#include "exec/decode.h"
#include "ptx/ops.h"

enum { SUSPENDED_NS = 10000 };  // that a try_wait takes at most, if it doesn't say: the ISA leaves it to the system

bool decode_mbar(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const bool waits = d->op >= OP_MBAR_TEST && d->op <= OP_MBAR_TRY_PARITY,
               state = d->op == OP_MBAR_TEST || d->op == OP_MBAR_TRY;
    const int at = inst_dest_count(i);
    d->space = SP_SHARED;
    d->bytes = 8;
    d->mod = i->mod[G_MODE];
    if (waits) d->pdst = pdest_of(x, &i->opnd[0]);
    if (at && !waits) {
        d->dst = dest_row(x, &i->opnd[0]);
        d->wants_old = i->opnd[0].kind == O_REG;
    }
    set_address(x, d, &i->opnd[at]);
    d->b = at + 1 < i->operands ? source_row(x, &i->opnd[at + 1], state ? TY_B64 : TY_U32) : constant_row(x, 1, false);
    d->c = at + 2 < i->operands ? source_row(x, &i->opnd[at + 2], TY_U32) : constant_row(x, SUSPENDED_NS, false);
    return true;
}

static void set_place(Decode *x, BulkForm *f, int k, const Operand *o)
{
    f->at[k].wide = o->reg == NO_REG || reg_wide(x, o->reg);
    f->at[k].base = o->reg == NO_REG ? constant_row(x, 0, true) : reg_loc(x, o->reg);
    f->at[k].offset = constant_row(x, o->imm + (o->sym ? address_of(x, o->sym) : 0), true);
}

static uint64_t generic_of(Decode *x, const Symbol *s)
{
    switch (s->space) {
    case SP_PARAM: return PARAM_WINDOW + address_of(x, s);
    case SP_CONST: return x->image->const_base + address_of(x, s);
    default: return address_of(x, s);
    }
}

static void set_tensor(Decode *x, BulkForm *f, const Operand *o)
{
    const Operand *map = &o->items[0], *at = &o->items[1];
    f->tensor = true;
    f->rank = (uint8_t)ptx_dimensions(x->i);
    f->map_wide = true;
    f->map = map->kind == O_SYM ? constant_row(x, generic_of(x, map->sym) + map->imm, true) : reg_loc(x, map->reg);
    for (int k = 0; k < f->rank; k++) f->coordinate[k] = source_row(x, at->kind == O_VEC ? &at->items[k] : at, TY_S32);
}

static CopyWay way_of(const Inst *i)
{
    const bool reduces = i->op == OP_BULK_REDUCE || i->op == OP_TENSOR_REDUCE;
    if (i->op == OP_BULK_PREFETCH || i->op == OP_TENSOR_PREFETCH) return COPY_PREFETCH;
    if (i->op == OP_ST_ASYNC || i->op == OP_RED_ASYNC) return COPY_ACROSS;
    if (i->mod[G_SPACE] == M_GLOBAL) return reduces ? COPY_REDUCE : COPY_OUT;
    return inst_from_space(i) == SP_GLOBAL ? COPY_IN : COPY_ACROSS;
}

// What comes behind the addresses: offsets of im2col, then a mask of blocks.
static void set_rest(Decode *x, BulkForm *f, int at)
{
    const Inst *i = x->i;
    if (i->mod[G_MODE] == M_IM2COL) {
        const Operand *o = &i->opnd[at++];
        f->offsets = (uint8_t)(f->rank - 2);
        for (int k = 0; k < f->offsets; k++) f->offset[k] = source_row(x, o->kind == O_VEC ? &o->items[k] : o, TY_B16);
    }
    f->casts = inst_has(i, G_MULTICAST);
    if (f->casts) f->blocks = source_row(x, &i->opnd[at], TY_B16);
}

bool decode_bulk(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *o = i->opnd;
    BulkForm *f = mem_alloc(sizeof *f);
    vec_push(&x->code->bulks, f);
    d->bulk = f;
    d->mod = i->mod[G_ATOM];
    d->bytes = i->type ? (uint8_t)type_bytes(i->type) : 1;
    f->way = way_of(i);
    f->reduces = inst_has(i, G_ATOM);
    f->size = f->blocks = constant_row(x, 0, false);
    if (i->op == OP_ST_ASYNC || i->op == OP_RED_ASYNC) {
        const Operand *v = &o[1];
        d->vec = v->kind == O_VEC ? v->count : 1;
        for (int e = 0; e < d->vec; e++) f->value[e] = source_row(x, v->kind == O_VEC ? &v->items[e] : v, i->type);
        set_place(x, f, BULK_OTHER, &o[0]);
        set_place(x, f, BULK_BARRIER, &o[2]);
        return true;
    }
    int n = 0;
    if (f->way == COPY_IN || f->way == COPY_ACROSS) {
        set_place(x, f, f->way == COPY_IN ? BULK_SHARED : BULK_OTHER, &o[n++]);
        if (o[n].kind == O_TEX)
            set_tensor(x, f, &o[n++]);
        else
            set_place(x, f, f->way == COPY_IN ? BULK_OTHER : BULK_SHARED, &o[n++]);
        if (!f->tensor) f->size = source_row(x, &o[n++], TY_U32);
        set_place(x, f, BULK_BARRIER, &o[n++]);
    } else {
        if (o[n].kind == O_TEX)
            set_tensor(x, f, &o[n++]);
        else
            set_place(x, f, BULK_OTHER, &o[n++]);
        if (f->way != COPY_PREFETCH) set_place(x, f, BULK_SHARED, &o[n++]);
        if (!f->tensor) f->size = source_row(x, &o[n++], TY_U32);
    }
    set_rest(x, f, n);
    return !x->failed;
}

bool decode_tensor_map(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    BulkForm *f = mem_alloc(sizeof *f);
    vec_push(&x->code->bulks, f);
    d->bulk = f;
    d->mod = i->mod[G_MODE];
    set_place(x, f, BULK_OTHER, &i->opnd[0]);
    if (i->op == OP_MAP_COPY) {
        set_place(x, f, BULK_SHARED, &i->opnd[1]);
        return true;
    }
    d->imm = i->operands > 2 ? i->opnd[1].imm : 0;
    d->b = source_row(x, &i->opnd[i->operands - 1], i->type);
    return true;
}
