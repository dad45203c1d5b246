// provenance.c: which of a kernel's parameters an address comes from. Flow-insensitive: a register's provenance is the
// meet over its definitions, pointers passing through mov, cvta, add, sub, selp, and, or; everything else ends them.
// A parameter counts as a pointer for certain once cvta was applied to it or it is marked .ptr; where two parameters
// are added, the certain one is the base and the other the offset.
#include "ptx/ptx.h"

#include <string.h>

enum { UNSET = -2, SURE = 1 << 14 };

static int meet(int a, int b)
{
    if (a == UNSET) return b;
    if (b == UNSET) return a;
    if (a == b) return a;
    if (a >= 0 && b >= 0 && (a & ~SURE) == (b & ~SURE)) return a & ~SURE;
    return PROV_NONE;
}

static int sum(int a, int b)
{
    if (a >= 0 && b >= 0) {
        if ((a & SURE) && !(b & SURE)) return a;
        if ((b & SURE) && !(a & SURE)) return b;
        return PROV_NONE;
    }
    if (a >= 0) return a;
    if (b >= 0) return b;
    return a == UNSET || b == UNSET ? UNSET : PROV_NONE;
}

static int of(const int *prov, const Operand *o) { return o->kind == O_REG ? prov[o->reg] : PROV_NONE; }

static int result(const Function *f, const int *prov, const Inst *i)
{
    switch (i->op) {
    case OP_LD:
        if (i->space != SP_PARAM || i->opnd[1].kind != O_ADDR || !i->opnd[1].sym || type_bytes(i->type) != 8)
            return PROV_NONE;
        for (size_t k = 0; k < f->params.n && k < SURE; k++)
            if (f->params.v[k] == i->opnd[1].sym && f->params.v[k]->bytes == 8)
                return (int)k | (f->params.v[k]->ptr ? SURE : 0);
        return PROV_NONE;
    case OP_MOV: return i->opnd[1].kind == O_VEC ? PROV_NONE : of(prov, &i->opnd[1]);
    case OP_CVTA: {
        int p = of(prov, &i->opnd[1]);
        return p >= 0 ? p | SURE : p;
    }
    case OP_ADD:
    case OP_OR:
    case OP_AND: return sum(of(prov, &i->opnd[1]), of(prov, &i->opnd[2]));
    case OP_SUB: return of(prov, &i->opnd[1]);
    case OP_MAD: return of(prov, &i->opnd[3]);
    case OP_SELP: return meet(of(prov, &i->opnd[1]), of(prov, &i->opnd[2]));
    default: return PROV_NONE;
    }
}

int16_t *ptx_provenance(const Function *f, int16_t **regs)
{
    int *prov = mem_alloc(sizeof *prov * (f->regs.n + 1));
    int16_t *out = mem_alloc(sizeof *out * (f->insts.n + 1));
    for (size_t r = 0; r < f->regs.n; r++) prov[r] = UNSET;
    // Each register can only go down unset → sure → plain → none, so this ends.
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = 0; n < f->insts.n; n++) {
            const Inst *i = &f->insts.v[n];
            if (inst_dest_count(i) != 1) continue;
            const Operand *d = &i->opnd[0];
            int p = d->kind == O_REG ? result(f, prov, i) : PROV_NONE;
            for (int k = 0; k < (d->kind == O_REG ? 1 : d->count); k++) {
                const Operand *r = d->kind == O_REG ? d : &d->items[k];
                if (r->kind != O_REG) continue;
                int now = meet(prov[r->reg], p);
                if (now != prov[r->reg]) prov[r->reg] = now, changed = true;
            }
        }
    }
    for (size_t n = 0; n < f->insts.n; n++) {
        out[n] = PROV_NONE;
        const Inst *i = &f->insts.v[n];
        for (int k = 0; k < i->operands; k++)
            if (i->opnd[k].kind == O_ADDR && i->opnd[k].reg != NO_REG && prov[i->opnd[k].reg] >= 0)
                out[n] = (int16_t)(prov[i->opnd[k].reg] & ~SURE);
    }
    if (regs) *regs = mem_alloc(sizeof **regs * (f->regs.n + 1));
    for (size_t r = 0; regs && r < f->regs.n; r++) (*regs)[r] = (int16_t)(prov[r] >= 0 ? prov[r] & ~SURE : PROV_NONE);
    mem_free(prov);
    return out;
}
