// prepare.c: makes the copy of a kernel, or of a function that it calls, from which the plan is made and the slices are
// written. It also has what inlining and forwarding share: new names, and new instructions. The copy has its own
// registers, labels, variables, tables and instructions. What isn't changed (parameters, directives, the symbol) it
// shares with the original. Names and operands lie in the module's arena.
#include "sl1/unit.h"

#include <assert.h>
#include <string.h>

static void take(Sl1Names *n, const char *name) { map_put(&n->taken, name, strlen(name), 1); }

// The names of a function never hide those of its module: see unique_name of parse_var.c.
void sl1_take_names(Sl1Names *n, const Function *f)
{
    *n = (Sl1Names){.m = f->module};
    for (size_t k = 0; k < f->rets.n; k++) take(n, f->rets.v[k]->name);
    for (size_t k = 0; k < f->params.n; k++) take(n, f->params.v[k]->name);
    for (size_t k = 0; k < f->locals.n; k++) take(n, f->locals.v[k]->name);
    for (size_t k = 0; k < f->regs.n; k++) take(n, f->regs.v[k].name);
    for (size_t k = 0; k < f->labels.n; k++) take(n, f->labels.v[k].name);
    for (size_t k = 0; k < f->table_names.n; k++) take(n, f->table_names.v[k]);
    for (size_t k = 0; k < f->protos.n; k++) take(n, f->protos.v[k]->name);
}

const char *sl1_name(Sl1Names *n, const char *stem, int64_t number)
{
    for (;; number++) {
        char *name = arena_printf(&n->m->arena, "%s$%lld", stem, (long long)number);
        if (map_get(&n->taken, name, strlen(name), NULL) || map_get(&n->m->symbol_map, name, strlen(name), NULL))
            continue;
        take(n, name);
        return name;
    }
}

void sl1_names_free(Sl1Names *n) { map_free(&n->taken); }

uint32_t sl1_reg(Function *f, const char *name, Type type)
{
    vec_push(&f->regs, ((Reg){name, type}));
    return (uint32_t)f->regs.n - 1;
}

Type sl1_bits(uint64_t bytes) { return bytes == 8 ? TY_B64 : bytes == 4 ? TY_B32 : bytes == 2 ? TY_B16 : TY_B8; }

Inst sl1_inst(Function *f, const Inst *near, Op op, const uint16_t *suffix, int suffixes, const Operand *o,
              int operands)
{
    Operand *own = arena_alloc(&f->module->arena, sizeof *own * (size_t)operands);
    memcpy(own, o, sizeof *own * (size_t)operands);
    Inst i = {
        .op = (uint16_t)op, .suffixes = (uint8_t)suffixes, .guard = NO_REG, .operands = (uint8_t)operands, .opnd = own};
    i.at = near->at, i.loc = near->loc, i.origin = near->origin;
    for (int k = 0; k < suffixes; k++) i.suffix[k] = suffix[k];
    Diag diag = {0};
    bool legal = check_inst(f->module, f, &i, &diag);  // fills the fields that later passes read
    assert(legal);
    (void)legal;
    diag_free(&diag);
    return i;
}

Function *sl1_prepare(const Function *f)
{
    Function *copy = sl1_inline(f);
    sl1_forward(copy);
    return copy;
}

void sl1_prepared_free(Function *f)
{
    if (!f) return;
    vec_free(&f->locals), vec_free(&f->regs), vec_free(&f->labels);
    vec_free(&f->tables), vec_free(&f->table_names), vec_free(&f->protos);
    vec_free(&f->insts), vec_free(&f->pragmas);
    mem_free(f);
}
