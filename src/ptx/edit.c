// edit.c: how passes change a function: instructions of their own, copies with other registers, parts replaced and
// taken away. Labels and pragmas move with what stands behind them.
#include "ptx/pass.h"

#include <string.h>

uint32_t reg_new(Function *f, Type t)
{
    vec_push(&f->regs, ((Reg){arena_printf(&f->module->arena, "%%made%zu", f->regs.n), t}));
    return (uint32_t)f->regs.n - 1;
}

uint32_t label_new(Function *f, uint32_t inst)
{
    Label l = {.name = arena_printf(&f->module->arena, "$made%zu", f->labels.n), .inst = inst, .defined = true};
    vec_push(&f->labels, l);
    return (uint32_t)f->labels.n - 1;
}

// Fills the rest of an instruction that has its operation, operands, types and modifiers, which must be right.
static void complete(Function *f, const Inst *near, Inst *i)
{
    Diag diag = {0};
    i->at = near->at, i->loc = near->loc, i->origin = near->origin;
    check_inst(f->module, f, i, &diag);  // it can't fail
    diag_free(&diag);
}

Inst inst_make(Function *f, const Inst *near, Op op, const uint16_t *suffix, int suffixes, const Operand *opnd, int n)
{
    Inst i = {.op = op, .suffixes = (uint8_t)suffixes, .guard = NO_REG, .operands = (uint8_t)n};
    if (suffixes) memcpy(i.suffix, suffix, sizeof *suffix * (size_t)suffixes);
    i.opnd = arena_alloc(&f->module->arena, sizeof *i.opnd * (size_t)n);
    memcpy(i.opnd, opnd, sizeof *i.opnd * (size_t)n);
    complete(f, near, &i);
    return i;
}

static Operand *copy_operands(Function *f, const Operand *from, size_t n)
{
    Operand *to = arena_alloc(&f->module->arena, sizeof *to * MAX(n, 1u));
    memcpy(to, from, sizeof *to * n);
    for (size_t k = 0; k < n; k++)
        if (to[k].count && to[k].kind != O_LABELS) to[k].items = copy_operands(f, to[k].items, to[k].count);
    return to;
}

void inst_own(Function *f, Inst *i) { i->opnd = copy_operands(f, i->opnd, i->operands); }

void operand_rename(Operand *o, const uint32_t *to)
{
    if (o->kind == O_REG || (o->kind == O_ADDR && o->reg != NO_REG)) o->reg = to[o->reg];
    for (int k = 0; k < o->count && o->kind != O_LABELS; k++) operand_rename(&o->items[k], to);
}

// What stood behind `last` moves by as much as the part grew; labels at its beginning stay there.
void insts_replace(Function *f, uint32_t first, uint32_t last, const Inst *by, uint32_t n)
{
    size_t behind = f->insts.n - last, all = first + n + behind;
    Inst *v = mem_alloc(sizeof *v * (all + 1));
    memcpy(v, f->insts.v, sizeof *v * first);
    if (n) memcpy(v + first, by, sizeof *v * n);
    if (behind) memcpy(v + first + n, f->insts.v + last, sizeof *v * behind);
    mem_free(f->insts.v);
    f->insts.v = v, f->insts.n = all, f->insts.cap = all + 1;
    for (size_t l = 0; l < f->labels.n; l++)
        if (f->labels.v[l].defined && f->labels.v[l].inst >= last) f->labels.v[l].inst += n - (last - first);
    for (size_t p = 0; p < f->pragmas.n; p++)
        if (f->pragmas.v[p].inst >= last) f->pragmas.v[p].inst += n - (last - first);
}

void places_move(Function *f, const uint32_t *labels, const uint32_t *pragmas)
{
    for (size_t l = 0; l < f->labels.n; l++)
        if (f->labels.v[l].defined) f->labels.v[l].inst = labels[f->labels.v[l].inst];
    for (size_t p = 0; p < f->pragmas.n; p++) f->pragmas.v[p].inst = pragmas[f->pragmas.v[p].inst];
}

void insts_drop(Function *f, const bool *gone)
{
    uint32_t *moved = mem_alloc(sizeof *moved * (f->insts.n + 1)), out = 0;
    for (uint32_t n = 0; n < f->insts.n; n++) {
        moved[n] = out;
        if (!gone[n]) f->insts.v[out++] = f->insts.v[n];
    }
    moved[f->insts.n] = out;
    places_move(f, moved, moved);
    f->insts.n = out;
    mem_free(moved);
}
