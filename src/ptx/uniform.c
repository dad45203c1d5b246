// uniform.c: finds the registers that hold one value for all threads of a warp, wherever they are read. That is only
// said where it is sure: a register with a single definition, without a guard, by arithmetic or a load of a parameter,
// whose sources are such registers, constants, or special registers that a warp's threads share. Control flow doesn't
// matter then, since every time that the definition is executed it gives the same value. Definitions are looked at
// once, in the order of the text.
#include "ptx/ops.h"
#include "ptx/pass.h"

static bool is_uniform(const bool *uniform, const Operand *o)
{
    switch (o->kind) {
    case O_REG: return uniform[o->reg];
    case O_IMM:
    case O_SYM: return true;
    case O_SREG: return !sreg_info[o->reg].per_lane && !sreg_info[o->reg].clock;
    default: return false;
    }
}

// Does its result depend on nothing but its sources? params: those of a kernel.
static bool is_plain(const Inst *i, const Map *params)
{
    int64_t k;
    switch (i->op) {
    case OP_LD:
        return i->space == SP_PARAM && i->vec <= 1 && i->opnd[1].kind == O_ADDR && i->opnd[1].sym &&
               map_get(params, (const char *)&i->opnd[1].sym, sizeof(Symbol *), &k);
    case OP_MOV:
    case OP_CVTA:
    case OP_CVT:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_SHL:
    case OP_SHR:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_MIN:
    case OP_MAX: return !inst_has(i, G_CC);
    default: return false;
    }
}

bool uniform_operand(const bool *uniform, const Operand *o)
{
    return o->kind == O_ADDR ? o->reg == NO_REG || uniform[o->reg] : is_uniform(uniform, o);
}

bool *ptx_uniform(const Function *f)
{
    bool *uniform = mem_alloc(sizeof *uniform * (f->regs.n + 1));
    RegIndex writers = reg_index(f, true);
    Map params = {0};
    for (size_t k = 0; k < f->params.n && f->entry; k++)
        map_put(&params, (const char *)&f->params.v[k], sizeof f->params.v[k], (int64_t)k);
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        if (i->guarded || inst_dest_count(i) != 1 || i->opnd[0].kind != O_REG ||
            !reg_single(&writers, i->opnd[0].reg) || !is_plain(i, &params))
            continue;
        bool all = true;
        for (int k = 1; k < i->operands; k++) all &= uniform_operand(uniform, &i->opnd[k]);
        uniform[i->opnd[0].reg] = all;
    }
    reg_index_free(&writers);
    map_free(&params);
    return uniform;
}
