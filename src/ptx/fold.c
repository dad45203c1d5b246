// fold.c: what is known of registers within a block: that one is another plus a constant, a constant, or a variable's
// address. Addresses and sums are made of the root, so that chains of increments, as loops leave them when they are
// unrolled, needn't wait for each other. Invariant: a root is only taken where it still holds what it did.
#include "ptx/ops.h"
#include "ptx/pass.h"

typedef struct Value {
    uint32_t root, version;  // a register, or NO_REG: a constant
    const Symbol *sym;       // the constant is added to its address
    uint64_t offset;
    uint32_t block;  // + 1, in which this is known
} Value;
typedef struct Fold {
    Function *f;
    Value *value;       // per register
    uint32_t *version;  // per register: how often it was written so far
    uint32_t block;
    bool any;
} Fold;

enum { REACH = 1 << 23 };  // offsets of addresses: 24 bits with sign

static Value value_of(const Fold *x, uint32_t reg)
{
    const Value *v = &x->value[reg];
    if (v->block == x->block + 1 && (v->root == NO_REG || x->version[v->root] == v->version)) return *v;
    return (Value){reg, x->version[reg], NULL, 0, x->block + 1};
}

static bool is_number(const Value *v) { return v->root == NO_REG && !v->sym; }

static int bits_of(const Fold *x, uint32_t reg) { return type_info[x->f->regs.v[reg].type].bits; }

static uint64_t cut(uint64_t v, int bits) { return bits == 32 ? (uint64_t)(int64_t)(int32_t)v : v; }

// The value of a source of an instruction of 32 or 64 bits.
static bool source(const Fold *x, const Operand *o, int bits, Value *out)
{
    if (o->kind == O_IMM && o->imm_kind == IMM_INT)
        *out = (Value){NO_REG, 0, NULL, cut(o->imm, bits), 0};
    else if (o->kind == O_SYM)
        *out = (Value){NO_REG, 0, o->sym, o->imm, 0};
    else if (o->kind == O_REG && !o->negated && bits_of(x, o->reg) == bits)
        *out = value_of(x, o->reg);
    else
        return false;
    return true;
}

static bool sum(const Value *a, const Value *b, int bits, Value *out)
{
    if (!is_number(b)) {
        const Value *t = a;
        a = b, b = t;
    }
    if (!is_number(b)) return false;
    Value v = *a;  // out may be one of them
    v.offset = cut(a->offset + b->offset, bits);
    *out = v;
    return true;
}

static bool product(const Inst *i, const Value *a, const Value *b, Value *out)
{
    const TypeInfo *t = &type_info[i->type];
    if (!is_number(a) || !is_number(b)) return false;
    *out = (Value){NO_REG, 0, NULL, 0, 0};
    if (i->mod[G_MUL] == M_WIDE && t->bits == 32)
        out->offset = t->kind == K_SINT ? (uint64_t)((int64_t)(int32_t)a->offset * (int32_t)b->offset)
                                        : (uint64_t)(uint32_t)a->offset * (uint32_t)b->offset;
    else if (i->mod[G_MUL] == M_LO)
        out->offset = cut(a->offset * b->offset, t->bits);
    else
        return false;
    return true;
}

// The value of the result of an instruction of whole numbers with one destination; false: it isn't known.
static bool result(const Fold *x, const Inst *i, Value *out)
{
    const TypeInfo *t = &type_info[i->type];
    Value v[3];
    bool wide = (i->op == OP_MUL || i->op == OP_MAD) && i->mod[G_MUL] == M_WIDE;
    if ((t->bits != 32 && t->bits != 64) || t->kind == K_FLOAT || inst_has(i, G_CC) || inst_has(i, G_SAT)) return false;
    if (bits_of(x, i->opnd[0].reg) != (wide ? 64 : t->bits)) return false;
    for (int k = 1; k < i->operands; k++) {
        int bits = i->op == OP_SHL && k == 2                ? 32
                   : i->op == OP_CVT && i->type2 != TY_NONE ? type_info[i->type2].bits
                   : wide && k == 3                         ? 64
                                                            : t->bits;
        if (k > 3 || (bits != 32 && bits != 64) || !source(x, &i->opnd[k], bits, &v[k - 1])) return false;
    }
    switch (i->op) {
    case OP_MOV: *out = v[0]; return true;
    case OP_ADD: return sum(&v[0], &v[1], t->bits, out);
    case OP_SUB:
        if (!is_number(&v[1])) return false;
        v[1].offset = 0 - v[1].offset;
        return sum(&v[0], &v[1], t->bits, out);
    case OP_MUL: return product(i, &v[0], &v[1], out);
    case OP_MAD: return product(i, &v[0], &v[1], out) && sum(out, &v[2], wide ? 64 : t->bits, out);
    case OP_SHL:
        *out = v[0];
        if (!is_number(&v[0]) || !is_number(&v[1]) || (uint32_t)v[1].offset >= (unsigned)t->bits) return false;
        out->offset = cut(v[0].offset << (uint32_t)v[1].offset, t->bits);
        return true;
    case OP_CVT:
        *out = v[0];
        if (!is_number(&v[0]) || type_info[i->type2].kind == K_FLOAT) return false;
        if (type_info[i->type2].bits == 32)
            out->offset = type_info[i->type2].kind == K_SINT ? cut(v[0].offset, 32) : (uint32_t)v[0].offset;
        out->offset = cut(out->offset, t->bits);
        return true;
    default: return false;
    }
}

// --- what becomes of it ----------------------------------------------------------------------------------------------
static void fold_address(Fold *x, Inst *i, int n)
{
    const Operand *o = &i->opnd[n];
    if (o->kind != O_ADDR || o->reg == NO_REG || o->sym) return;
    Value v = value_of(x, o->reg);
    int64_t offset = (int64_t)(o->imm + v.offset);
    if (v.root == o->reg || offset >= REACH || offset < -REACH) return;
    if (v.root == NO_REG && (!v.sym || v.sym->space != i->space || offset < 0)) return;
    inst_own(x->f, i);
    i->opnd[n].reg = v.root, i->opnd[n].sym = (Symbol *)v.sym, i->opnd[n].imm = (uint64_t)offset;
    x->any = true;
}

// A sum of another sum and a constant, or a constant.
static void fold_result(Fold *x, Inst *i, const Value *v)
{
    int bits = bits_of(x, i->opnd[0].reg);
    uint16_t type = type_suffix(bits == 32 ? TY_B32 : TY_B64);
    Operand o[3] = {i->opnd[0]};
    if (is_number(v) && !(i->op == OP_MOV && i->opnd[1].kind == O_IMM)) {
        o[1] = operand_imm(v->offset);
        *i = inst_make(x->f, i, OP_MOV, &type, 1, o, 2);
        x->any = true;
    } else if ((i->op == OP_ADD || i->op == OP_SUB) && v->root != NO_REG &&
               (i->opnd[1].kind != O_REG || i->opnd[1].reg != v->root)) {
        const uint16_t number = type_suffix(bits == 32 ? TY_S32 : TY_S64);
        o[1] = operand_reg(v->root);
        o[2] = operand_imm(v->offset);
        *i = inst_make(x->f, i, OP_ADD, &number, 1, o, 3);
        x->any = true;
    }
}

static void note_write(void *user, uint32_t reg, bool def)
{
    Fold *x = user;
    if (def) x->version[reg]++, x->value[reg].block = 0;
}

static void fold_inst(Fold *x, Inst *i)
{
    Value v;
    for (int n = 0; n < i->operands; n++) fold_address(x, i, n);
    bool known = !i->guarded && inst_dest_count(i) == 1 && i->opnd[0].kind == O_REG && result(x, i, &v);
    if (known) fold_result(x, i, &v);
    inst_regs(i, note_write, x);
    if (!known || v.root == i->opnd[0].reg) return;
    v.block = x->block + 1;
    x->value[i->opnd[0].reg] = v;
}

bool fold_values(Function *f)
{
    Fold x = {.f = f, .value = mem_alloc(sizeof *x.value * (f->regs.n + 1))};
    x.version = mem_alloc(sizeof *x.version * (f->regs.n + 1));
    Flow *w = flow_build(f);
    for (; x.block + 1 < w->blocks.n; x.block++)
        for (uint32_t n = w->blocks.v[x.block].first; n < w->blocks.v[x.block].last; n++) fold_inst(&x, &f->insts.v[n]);
    flow_free(w);
    mem_free(x.value), mem_free(x.version);
    return x.any;
}
