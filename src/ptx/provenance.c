// provenance.c: finds from which of a kernel's parameters an address was computed. It doesn't regard control flow: a
// register's provenance is the meet over all its definitions. A pointer passes through mov, cvta, add, sub, selp, and,
// or; any other instruction ends it. A parameter is certainly a pointer if cvta was applied to it, or if it is marked
// .ptr. If two parameters are added, the certain pointer is the base, and the other one the offset.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

enum { UNSET = -2, SURE = 1 << 14 };
typedef VEC(uint32_t) Changed;  // registers

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

static int result(const Function *f, const Map *params, const int *prov, const Inst *i)
{
    int64_t k;
    switch (i->op) {
    case OP_LD:
        if (i->space != SP_PARAM || i->opnd[1].kind != O_ADDR || !i->opnd[1].sym || type_bytes(i->type) != 8)
            return PROV_NONE;
        if (!map_get(params, (const char *)&i->opnd[1].sym, sizeof(Symbol *), &k) || f->params.v[k]->bytes != 8)
            return PROV_NONE;
        return (int)k | (f->params.v[k]->ptr ? SURE : 0);
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

// Updates the provenance of an instruction's destinations, and notes those that change.
static void evaluate(const Function *f, const Map *params, int *prov, const Inst *i, Changed *changed)
{
    if (inst_dest_count(i) != 1) return;
    const Operand *d = &i->opnd[0];
    int p = d->kind == O_REG ? result(f, params, prov, i) : PROV_NONE;
    for (int k = 0; k < (d->kind == O_REG ? 1 : d->count); k++) {
        const Operand *r = d->kind == O_REG ? d : &d->items[k];
        if (r->kind != O_REG) continue;
        int now = meet(prov[r->reg], p);
        if (now == prov[r->reg]) continue;
        prov[r->reg] = now;
        vec_push(changed, r->reg);
    }
}

// --- instructions that are to be looked at, in rounds through the text -----------------------------------------------
// A heap of round << 32 | instruction; per instruction the round + 1 that it is in.
typedef struct Rounds {
    VEC(uint64_t) heap;
    uint32_t *in;
} Rounds;

static void sift(uint64_t *v, size_t n, size_t at)
{
    for (size_t kid; (kid = 2 * at + 1) < n; at = kid) {
        if (kid + 1 < n && v[kid + 1] < v[kid]) kid++;
        if (v[at] <= v[kid]) return;
        uint64_t t = v[at];
        v[at] = v[kid], v[kid] = t;
    }
}

static void put(Rounds *r, uint32_t round, uint32_t inst)
{
    if (r->in[inst] > round) return;
    r->in[inst] = round + 1;
    vec_push(&r->heap, (uint64_t)round << 32 | inst);
    uint64_t *v = r->heap.v;
    for (size_t at = r->heap.n - 1; at && v[(at - 1) / 2] > v[at]; at = (at - 1) / 2) {
        uint64_t t = v[at];
        v[at] = v[(at - 1) / 2], v[(at - 1) / 2] = t;
    }
}

static uint64_t take(Rounds *r)
{
    uint64_t least = r->heap.v[0];
    r->heap.v[0] = r->heap.v[--r->heap.n];
    sift(r->heap.v, r->heap.n, 0);
    return least;
}

// Every instruction once, then again those that read what changed, round after round in the order of the text. Each
// register can only go down unset → sure → plain → none, so this ends.
static void settle(const Function *f, int *prov)
{
    Map params = {0};
    RegIndex readers = reg_index(f, false);
    Rounds rounds = {.in = mem_alloc(sizeof *rounds.in * (f->insts.n + 1))};
    Changed changed = {0};
    for (size_t k = 0; k < f->params.n && k < SURE; k++)
        map_put(&params, (const char *)&f->params.v[k], sizeof f->params.v[k], (int64_t)k);
    for (uint32_t n = 0; n < f->insts.n; n++) put(&rounds, 0, n);
    while (rounds.heap.n) {
        uint64_t next = take(&rounds);
        uint32_t round = (uint32_t)(next >> 32), n = (uint32_t)next;
        changed.n = 0;
        evaluate(f, &params, prov, &f->insts.v[n], &changed);
        for (size_t c = 0; c < changed.n; c++)
            for (uint32_t k = readers.first[changed.v[c]]; k < readers.first[changed.v[c] + 1]; k++)
                put(&rounds, round + (readers.inst[k] <= n), readers.inst[k]);
    }
    map_free(&params);
    reg_index_free(&readers);
    vec_free(&rounds.heap), vec_free(&changed);
    mem_free(rounds.in);
}

int16_t *ptx_provenance(const Function *f, int16_t **regs)
{
    int *prov = mem_alloc(sizeof *prov * (f->regs.n + 1));
    int16_t *out = mem_alloc(sizeof *out * (f->insts.n + 1));
    for (size_t r = 0; r < f->regs.n; r++) prov[r] = UNSET;
    settle(f, prov);
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
