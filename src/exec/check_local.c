// check_local.c: which .local variable an instruction's address comes from, found before a launch. A register belongs
// to a variable where all its values are computed from that one's address and from numbers. What comes from memory, a
// call or two variables belongs to none, and isn't checked. Nothing depends on where an instruction stands, so a
// register that is used again for something else belongs to none, too.
#include "exec/check.h"

enum { NUMBER = 0, MANY = -1 };  // else: the variable's place in Code.locals + 1

static int of_symbol(const Code *code, const Symbol *s)
{
    for (size_t k = 0; k < code->locals.n; k++)
        if (code->locals.v[k].sym == s) return (int)k + 1;
    return NUMBER;
}

static int join(int a, int b) { return a == NUMBER ? b : b == NUMBER || a == b ? a : MANY; }

static int of_operand(const Code *code, const int *of, const Operand *o)
{
    int v = NUMBER;
    if ((o->kind == O_REG || o->kind == O_ADDR) && o->reg != NO_REG) v = of[o->reg];
    if (o->sym) v = join(v, of_symbol(code, o->sym));
    for (int k = 0; k < o->count && (o->kind == O_VEC || o->kind == O_PAIR); k++)
        v = join(v, of_operand(code, of, &o->items[k]));
    return v;
}

static bool define(int *of, const Operand *o, int v)
{
    bool changed = false;
    if (o->kind == O_REG) {
        int now = join(of[o->reg], v);
        changed = now != of[o->reg];
        of[o->reg] = now;
    }
    for (int k = 0; k < o->count; k++) changed |= define(of, &o->items[k], v);
    return changed;
}

// Does it compute with its operands, and give nothing that comes from elsewhere?
static bool computes(const Dinst *d) { return d->kind == X_LANES || d->kind == X_SREG || d->kind == X_LOCAL_ADDRESS; }
static bool stores(const Dinst *d)
{
    return d->kind == X_ST || d->kind == X_STMATRIX || d->kind == X_ST_PARAM || d->kind == X_LD_PARAM;
}

static bool pass(const Code *code, int *of)
{
    bool changed = false;
    for (uint32_t n = 0; n < code->n; n++) {
        const Dinst *d = &code->insts[n];
        const Inst *i = d->inst;
        int v = computes(d) ? NUMBER : MANY;
        if (!i || !i->operands || stores(d) || d->kind == X_BRA) continue;
        for (int k = 1; k < i->operands && computes(d); k++) v = join(v, of_operand(code, of, &i->opnd[k]));
        if (d->kind == X_CALL)
            for (int k = 0; k < i->operands; k++) changed |= define(of, &i->opnd[k], MANY);
        else
            changed |= define(of, &i->opnd[0], v);
    }
    return changed;
}

void check_locals(Check *c, const Kernel *k)
{
    c->locals.n = 0;
    bool any = false;
    for (size_t n = 0; n < k->codes.n; n++) any |= k->codes.v[n]->locals.n > 0;
    if (!any) return;
    for (uint32_t n = 0; n < k->insts; n++) vec_push(&c->locals, (LocalVar){0});
    for (size_t n = 0; n < k->codes.n; n++) {
        const Code *code = k->codes.v[n];
        int *of = mem_alloc(sizeof *of * (code->f->regs.n + 1));
        while (pass(code, of)) continue;
        for (uint32_t pc = 0; pc < code->n; pc++) {
            const Dinst *d = &code->insts[pc];
            if (d->kind != X_LD && d->kind != X_ST) continue;
            int v = of_operand(code, of, &d->inst->opnd[d->kind == X_LD]);
            if (v <= NUMBER) continue;
            const VarPlace *p = &code->locals.v[v - 1];
            c->locals.v[code->stat_base + pc] = (LocalVar){p->at, (uint32_t)p->sym->bytes, p->sym};
        }
        mem_free(of);
    }
}
