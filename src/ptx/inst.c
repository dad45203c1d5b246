// inst.c: what a checked instruction says of itself: which operands are results, what type and space each has, which
// registers it reads and writes. The letters of its row in ops.def say so. Nothing is changed, and nothing can fail.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

const char *inst_signature(const Inst *i)
{
    const OpInfo *op = &op_info[i->op];
    for (const char *sig = op->operands;;) {
        size_t n = strcspn(sig, ";");
        bool hinted = op->groups & G(HINT) && n && sig[n - 1] == 'w';
        if (n == i->operands && hinted == inst_has(i, G_HINT)) return sig;
        if (!sig[n]) return NULL;
        sig += n + 1;
    }
}

Space space_of(uint16_t mod)
{
    switch (mod) {
    case M_CONST: return SP_CONST;
    case M_GLOBAL: return SP_GLOBAL;
    case M_LOCAL: return SP_LOCAL;
    case M_SHARED:
    case M_SHARED_CTA:
    case M_SHARED_CLUSTER: return SP_SHARED;
    case M_PARAM:
    case M_PARAM_ENTRY:
    case M_PARAM_FUNC: return SP_PARAM;
    default: return SP_GENERIC;
    }
}

Space inst_from_space(const Inst *i)
{
    Space s = SP_GENERIC;
    for (int k = 0, n = 0; k < i->suffixes; k++)
        if (i->suffix[k] < M_COUNT && mod_info[i->suffix[k]].group == G_SPACE && n++ == 1) s = space_of(i->suffix[k]);
    return s;
}

uint64_t imm_bits(const Operand *o, Type t)
{
    const TypeInfo *info = &type_info[t];
    if (o->imm_kind == IMM_INT && info->kind == K_PRED) return o->imm != 0;
    if (o->imm_kind == IMM_INT) return info->bits < 64 ? o->imm & ((1ull << info->bits) - 1) : o->imm;
    double d;
    float f;
    uint64_t bits = o->imm;
    uint32_t narrow = (uint32_t)bits;
    if (info->kind == K_FLOAT && info->bits == 64 && o->imm_kind == IMM_F32) {
        memcpy(&f, &narrow, 4);
        d = f;
        memcpy(&bits, &d, 8);
    } else if (info->kind == K_FLOAT && info->bits == 32 && o->imm_kind == IMM_F64) {
        memcpy(&d, &bits, 8);
        f = (float)d;
        memcpy(&narrow, &f, 4);
        bits = narrow;
    }
    return bits;
}

static Type wide(Type t)
{
    switch (t) {
    case TY_U16: return TY_U32;
    case TY_S16: return TY_S32;
    case TY_U32: return TY_U64;
    case TY_S32: return TY_S64;
    default: return t;
    }
}

Type inst_operand_type(const Inst *i, int n)
{
    const char *sig = inst_signature(i);
    Type product = i->mod[G_MUL] == M_WIDE ? wide(i->type) : i->type;
    switch (sig ? sig[n] : 0) {
    case 'd':
    case 'a':
    case 'V':
    case 'v':
    case 'e': return i->type;
    case 'D':
    case 'A': return product;
    case 'b': return i->type2 ? i->type2 : i->type;
    case 'h':
    case 'H': return TY_B32;
    case 'k':
    case 'u': return TY_U32;
    case 'f': return TY_F32;
    case 'w': return TY_U64;
    case 'p':
    case 'P':
    case 'q': return TY_PRED;
    case 'x': return i->type == TY_PRED ? TY_PRED : TY_B32;
    case 's': return i->type;
    default: return TY_NONE;
    }
}

int ptx_dimensions(const Inst *i)
{
    switch (i->mod[G_GEOM]) {
    case M_G1D: return 1;
    case M_G2D: return 2;
    case M_G3D: return 3;
    case M_G4D: return 4;
    case M_G5D: return 5;
    default: return 0;
    }
}

int inst_dest_count(const Inst *i)
{
    if (i->op == OP_CALL) return i->operands > 1 && i->opnd[0].kind == O_LIST && is_callee(&i->opnd[1]) ? 1 : 0;
    const char *sig = inst_signature(i);
    return sig && sig[0] && strchr("dDhpPHxVeFE", sig[0]) ? 1 : 0;
}

bool inst_adds(const Inst *i)
{
    const char *sig = op_has(i->op, P_ADDS) ? inst_signature(i) : NULL, *q = sig ? strchr(sig, 'q') : NULL;
    return q && !(i->opnd[q - sig].kind == O_IMM && !i->opnd[q - sig].imm);
}

static void visit_operand(const Operand *o, bool def, RegVisit *visit, void *user)
{
    if (o->kind == O_REG) visit(user, o->reg, def);
    if (o->kind == O_ADDR && o->reg != NO_REG) visit(user, o->reg, false);
    for (int k = 0; k < o->count; k++) visit_operand(&o->items[k], def, visit, user);
}

void inst_regs(const Inst *i, RegVisit *visit, void *user)
{
    if (i->guarded) visit(user, i->guard, false);
    int dests = inst_dest_count(i);
    for (int n = inst_adds(i) ? 0 : dests; n < i->operands; n++) visit_operand(&i->opnd[n], false, visit, user);
    for (int n = 0; n < dests; n++) visit_operand(&i->opnd[n], true, visit, user);
}

typedef struct Written {
    uint32_t reg;
    bool found;
} Written;
static void find_write(void *user, uint32_t reg, bool def)
{
    Written *w = user;
    w->found |= def && reg == w->reg;
}

bool inst_writes(const Inst *i, uint32_t reg)
{
    Written w = {reg, false};
    inst_regs(i, find_write, &w);
    return w.found;
}

const char *file_named(const Module *m, uint32_t index)
{
    for (size_t k = 0; k < m->files.n; k++)
        if (m->files.v[k].index == index) return m->files.v[k].name;
    return NULL;
}

const char *reg_name(const Function *f, uint32_t reg) { return f->regs.v[reg].name; }
