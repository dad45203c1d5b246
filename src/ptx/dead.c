// dead.c: instructions whose results nobody reads go. Loads stay even if nothing reads their results; so do volatile
// accesses and reads of the clock. Invariant: what memory and the clock show is the same.
#include "ptx/ops.h"
#include "ptx/pass.h"

static bool has_effect(const Inst *i)
{
    if (op_has(i->op, P_EFFECT)) return i->space != SP_PARAM;
    if (op_has(i->op, P_COPY) && i->opnd[1].kind == O_SREG) return sreg_info[i->opnd[1].reg].clock;
    return inst_dest_count(i) == 0 || inst_has(i, G_CC) || (inst_has(i, G_SYNC) && !op_has(i->op, P_ALIGNED));
}

static void count_use(void *user, uint32_t reg, bool def)
{
    uint32_t *uses = user;
    if (!def) uses[reg]++;
}
typedef struct Dropped {
    uint32_t *uses;
    VEC(uint32_t) unused;  // registers that nothing reads any more
} Dropped;
static void drop_use(void *user, uint32_t reg, bool def)
{
    Dropped *d = user;
    if (!def && !--d->uses[reg]) vec_push(&d->unused, reg);
}

static bool is_dead(const Inst *i, const uint32_t *uses)
{
    if (has_effect(i)) return false;
    const Operand *d = &i->opnd[0];
    if (d->kind == O_REG) return !uses[d->reg];
    for (int k = 0; k < d->count; k++)
        if (d->items[k].kind == O_REG && uses[d->items[k].reg]) return false;
    return d->kind == O_VEC || d->kind == O_PAIR || d->kind == O_SINK;
}

void drop_dead(Function *f)
{
    uint32_t *uses = mem_alloc(sizeof *uses * (f->regs.n + 1));
    bool *dead = mem_alloc(f->insts.n + 1);
    for (size_t n = 0; n < f->insts.n; n++) inst_regs(&f->insts.v[n], count_use, uses);
    RegIndex writers = reg_index(f, true);
    Dropped d = {.uses = uses};
    for (size_t n = f->insts.n; n-- > 0;) {
        if (!dead[n] && is_dead(&f->insts.v[n], uses)) dead[n] = true, inst_regs(&f->insts.v[n], drop_use, &d);
        while (d.unused.n) {
            uint32_t reg = d.unused.v[--d.unused.n];
            for (uint32_t k = writers.first[reg]; k < writers.first[reg + 1]; k++) {
                uint32_t at = writers.inst[k];
                if (dead[at] || !is_dead(&f->insts.v[at], uses)) continue;
                dead[at] = true;
                inst_regs(&f->insts.v[at], drop_use, &d);
            }
        }
    }
    vec_free(&d.unused);
    reg_index_free(&writers);
    // An atomic whose old value nobody reads needs no result register and no reply; ptxas does the same.
    for (size_t n = 0; n < f->insts.n; n++) {
        Inst *i = &f->insts.v[n];
        if (op_info[i->op].class == CLASS_ATOMIC && i->opnd[0].kind == O_REG && !uses[i->opnd[0].reg])
            inst_own(f, i), i->opnd[0].kind = O_SINK;
    }
    insts_drop(f, dead);
    mem_free(uses), mem_free(dead);
}
