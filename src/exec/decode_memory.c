// decode_memory.c: loads, stores, atomics and asynchronous copies. What is static of an access is settled
// here: its width, its order, which caches it may use; addresses are left as a row and an offset.
#include "exec/decode.h"
#include "ptx/ops.h"

#include <assert.h>

static bool strong(const Inst *i) { return i->mod[G_SEM] != M_NONE && i->mod[G_SEM] != M_WEAK; }

// .acquire, .acq_rel and .sc: what comes later in the thread must not be performed before (PTX ISA §8).
static bool acquires(const Inst *i)
{
    return i->mod[G_SEM] == M_ACQUIRE || i->mod[G_SEM] == M_ACQ_REL || i->mod[G_SEM] == M_SC;
}

void decode_elements(Decode *x, Dinst *d, const Operand *o, bool to)
{
    d->vec = o->kind == O_VEC ? o->count : 1;
    if (x->i->type == TY_B128) {  // a vector of its halves
        if (o->kind != O_REG && o->kind != O_SINK) decode_refuse(x, FORM_ST_WIDE);
        d->vec = 2;
        d->bytes = 8;
        d->flags |= D_LONG;
        half_rows(x, o, d->vector);
        return;
    }
    for (int e = 0; e < d->vec; e++) {
        const Operand *v = o->kind == O_VEC ? &o->items[e] : o;
        // Loads extend to the register's width (PTX ISA §9.4.1); all elements have registers of one width.
        if (v->kind == O_REG && reg_wide(x, v->reg)) d->flags |= D_LONG;
        if (!to && v->kind == O_IMM && type_info[x->i->type].bits == 64) d->flags |= D_LONG;
    }
    for (int e = 0; e < d->vec; e++) {
        const Operand *v = o->kind == O_VEC ? &o->items[e] : o;
        bool wide = v->kind == O_IMM && d->flags & D_LONG;  // beside wide registers constants are wide, too
        d->vector[e] = to     ? dest_row(x, v)
                       : wide ? constant_row(x, imm_bits(v, x->i->type), true)
                              : source_row(x, v, x->i->type);
    }
}

bool decode_memory(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    bool load = i->op == OP_LD || i->op == OP_LDU;
    const Operand *where = &i->opnd[load ? 1 : 0], *what = &i->opnd[load ? 0 : 1];
    d->bytes = (uint8_t)type_bytes(i->type);
    if (strong(i)) d->flags |= D_STRONG;
    if (acquires(i)) d->flags |= D_ACQUIRE;
    if (strong(i) || i->mod[G_CACHE] == M_CG || i->mod[G_CACHE] == M_CV) d->flags |= D_UNCACHED;
    if (inst_has(i, G_NC) || i->op == OP_LDU) d->flags |= D_READONLY;
    decode_elements(x, d, what, load);
    if (i->space == SP_PARAM) {
        const Symbol *s = where->sym;
        uint32_t at = s ? places_find(&x->param, s) : NO_REG;
        if (at != NO_REG) {  // a device function's parameter, or a .param variable of the body: rows of the frame
            d->kind = load ? X_LD_ROWS : X_ST_PARAM;
            d->imm = (uint64_t)at * 4 + where->imm;
            return true;  // and inside of it, as ptx/check.c has seen
        }
        if (!x->f->entry || !load) return decode_fail(x, false, "this .param access names no parameter");
        d->kind = X_LD_PARAM;
        d->slots = 0;
        set_address(x, d, where);
        if (!s) d->flags |= D_COMPUTED;
        return true;
    }
    set_address(x, d, where);
    if (d->bytes == 4 && d->vec == 1 && !(d->flags & (D_LONG | D_STRONG))) d->flags |= D_WORD;
    return true;
}

// A vector, or the halves of .b128: the elements' operands are rows of vector, at its start those of the value (of a
// comparison and exchange: what is compared), from the vec-th on those of the new value; the old values go to results.
static bool decode_atomics(Decode *x, Dinst *d, int at)
{
    const Inst *i = x->i;
    decode_elements(x, d, &i->opnd[at + 1], false);
    if (d->mod == M_A_CAS) half_rows(x, &i->opnd[at + 2], d->vector + d->vec);
    if (!at) return true;
    Loc32 *to = mem_alloc(sizeof *to * d->vec);
    const Operand *o = &i->opnd[0];
    vec_push(&x->code->results, to);
    d->results = to;
    d->wants_old = o->kind != O_SINK;
    if (i->type == TY_B128)
        half_rows(x, o, to);
    else
        for (int e = 0; e < d->vec; e++) to[e] = dest_row(x, o->kind == O_VEC ? &o->items[e] : o);
    return true;
}

bool decode_atomic(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    int at = i->op == OP_ATOM ? 1 : 0;
    d->mod = i->mod[G_ATOM];
    d->bytes = (uint8_t)type_bytes(i->type);
    d->flags |= D_UNCACHED | D_STRONG;
    if (acquires(i)) d->flags |= D_ACQUIRE;
    if (i->vec > 1 || i->type == TY_B128) {
        set_address(x, d, &i->opnd[at]);
        return decode_atomics(x, d, at);
    }
    d->dst = at ? dest_row(x, &i->opnd[0]) : scratch_row(x);
    d->wants_old = at && i->opnd[0].kind == O_REG;
    if (d->wants_old && reg_wide(x, i->opnd[0].reg)) d->flags |= D_LONG;
    set_address(x, d, &i->opnd[at]);
    d->b = source_row(x, &i->opnd[at + 1], i->type);
    bool cas = d->mod == M_A_CAS;
    assert(i->operands >= at + 2 + cas);
    d->c = cas ? source_row(x, &i->opnd[at + 2], i->type) : d->b;
    return true;
}

bool decode_copy(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    if (i->mod[G_CACHE] == M_CG) d->flags |= D_UNCACHED;
    d->bytes = (uint8_t)i->opnd[2].imm;
    assert(d->bytes == 4 || d->bytes == 8 || d->bytes == 16);
    set_address(x, d, &i->opnd[1]);   // from, in global memory
    const Operand *to = &i->opnd[0];  // to, in shared memory
    d->b = to->reg != NO_REG ? reg_loc(x, to->reg) : constant_row(x, 0, true);
    d->vector[0] = constant_row(x, to->imm + (to->sym ? address_of(x, to->sym) : 0), true);
    if (to->reg == NO_REG || reg_wide(x, to->reg)) d->flags |= D_LONG;
    // The size may be followed by how many bytes are read, or by a predicate: whether none are (ignore-src).
    const Operand *size = i->operands - inst_has(i, G_HINT) > 3 ? &i->opnd[3] : NULL;
    bool ignore = size && size->kind == O_REG && x->f->regs.v[size->reg].type == TY_PRED;
    d->c = size && !ignore ? source_row(x, size, TY_B32) : constant_row(x, d->bytes, false);
    d->psrc = PRED_TRUE, d->psrc_negated = true;
    if (ignore) set_psrc(x, d, size);
    return true;
}
