// uses.c: which instructions read or write a register, so that a pass that changed one needn't look at all of them.
#include "ptx/pass.h"

typedef struct Fill {
    uint32_t *at, *inst, n;  // inst null: counting
    bool def;
} Fill;

static void note(void *user, uint32_t reg, bool def)
{
    Fill *x = user;
    if (def != x->def) return;
    if (x->inst) x->inst[x->at[reg]] = x->n;
    x->at[reg]++;
}

RegIndex reg_index(const Function *f, bool def)
{
    RegIndex x = {.first = mem_alloc(sizeof *x.first * (f->regs.n + 2))};
    Fill count = {.at = x.first + 1, .def = def};
    for (uint32_t n = 0; n < f->insts.n; n++) inst_regs(&f->insts.v[n], note, &count);
    for (size_t r = 0; r < f->regs.n; r++) x.first[r + 1] += x.first[r];
    x.inst = mem_alloc(sizeof *x.inst * (x.first[f->regs.n] + 1));
    // Each beginning moves on to the next one's while its instructions are put behind it; then all are moved back.
    Fill fill = {.at = x.first, .inst = x.inst, .def = def};
    for (; fill.n < f->insts.n; fill.n++) inst_regs(&f->insts.v[fill.n], note, &fill);
    for (size_t r = f->regs.n; r > 0; r--) x.first[r] = x.first[r - 1];
    x.first[0] = 0;
    return x;
}

void reg_index_free(RegIndex *x) { mem_free(x->first), mem_free(x->inst); }
