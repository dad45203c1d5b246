// fuse.c: operations that machine code does together with another one, as ptxas of CUDA 13 does it: sums of three
// numbers, logic of three words, products and shifts with a sum behind them, a comparison with the logic of its result.
// They stay as PTX says and compute the same; but what another one does along takes no slot (sass.c). Invariant: a
// result that a mark takes away is read by nothing but what does it along.
#include "ptx/ops.h"
#include "ptx/pass.h"

enum { MOST_SOURCES = 3, MOST_FACTORS = 64 };  // of an instruction; kept in registers

typedef struct Fuse {
    Function *f;
    const Flow *flow;
    RegIndex readers, writers;
    uint8_t *sources;       // per instruction: of the machine instruction that it has become; 0: it takes nothing along
    VEC(uint64_t) factors;  // constants that a register holds
} Fuse;

static Inst *inst_of(const Fuse *x, uint32_t n) { return &x->f->insts.v[n]; }

static bool is_plain(const Inst *i)
{
    return !i->guarded && i->opnd[0].kind == O_REG && !inst_has(i, G_CC) && !inst_has(i, G_SAT);
}

// The instruction that alone writes a source, without a guard. Null: there's none such.
static Inst *maker(const Fuse *x, const Operand *o, uint32_t *at)
{
    if (o->kind != O_REG || o->negated || !reg_single(&x->writers, o->reg)) return NULL;
    *at = x->writers.inst[x->writers.first[o->reg]];
    Inst *i = inst_of(x, *at);
    return is_plain(i) ? i : NULL;
}

static bool read_once(const Fuse *x, uint32_t reg) { return reg_single(&x->readers, reg); }

// --- numbers, logic --------------------------------------------------------------------------------------------------
static bool is_word(const Inst *i) { return type_info[i->type].bits == 32 && type_info[i->type].kind != K_FLOAT; }

static bool is_sum(const Inst *i) { return (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_NEG) && is_word(i); }

static bool is_logic(const Inst *i)
{
    return (i->op == OP_AND || i->op == OP_OR || i->op == OP_XOR || i->op == OP_NOT) && i->type != TY_PRED;
}

// What a sum can do along, if it does nothing else: a shift by a constant (LEA) or a product (IMAD). Of what is taken
// away, no shift to the right, and no product of two registers.
static bool is_factor(const Inst *i, bool taken)
{
    if (!is_word(i)) return false;
    if (i->op == OP_MUL) return i->mod[G_MUL] == M_LO && !(taken && i->opnd[2].kind != O_IMM);
    return (i->op == OP_SHL || (i->op == OP_SHR && !taken)) && i->opnd[2].kind == O_IMM;
}

// Takes along what makes source k, if the whole has no more sources than a machine instruction.
static void take_source(Fuse *x, uint32_t n, int k, bool (*same)(const Inst *))
{
    Inst *i = inst_of(x, n);
    uint32_t at;
    Inst *m = maker(x, &i->opnd[k], &at);
    if (!m || m->fused || !same(m) || m->type != i->type || x->flow->block_of[at] != x->flow->block_of[n]) return;
    uint32_t sources = x->sources[n] + x->sources[at] - 1u;
    if (!read_once(x, i->opnd[k].reg) || sources > MOST_SOURCES) return;
    m->fused = FUSED_AWAY;
    x->sources[n] = (uint8_t)sources;
}

static void fuse_same(Fuse *x, uint32_t n, bool (*same)(const Inst *))
{
    Inst *i = inst_of(x, n);
    x->sources[n] = (uint8_t)(i->operands - 1);
    for (int k = 1; k < i->operands; k++) take_source(x, n, k, same);
}

// A product, or a shift by a constant, and a sum; then it is no sum of three.
static bool fuse_factor(Fuse *x, uint32_t n)
{
    Inst *i = inst_of(x, n);
    uint32_t at;
    for (int k = 1; k < i->operands && i->op != OP_NEG; k++) {
        Inst *m = maker(x, &i->opnd[k], &at);
        if (!m || m->fused || !is_factor(m, i->op == OP_SUB && k == 2) || x->flow->block_of[at] != x->flow->block_of[n])
            continue;
        if (!read_once(x, i->opnd[k].reg)) continue;
        if (m->op == OP_MUL) i->fused = FUSED_PRODUCT;
        m->fused = FUSED_AWAY, x->sources[n] = MOST_SOURCES;
        return true;
    }
    return false;
}

// --- addresses -------------------------------------------------------------------------------------------------------
static bool is_wide_sum(const Inst *i)
{
    return i->op == OP_ADD && type_info[i->type].bits == 64 && type_info[i->type].kind != K_FLOAT && is_plain(i);
}

static bool is_param(const Fuse *x, const Operand *o)
{
    uint32_t at;
    const Inst *m = maker(x, o, &at);
    return m && m->op == OP_LD && m->space == SP_PARAM;
}

// Machine code has one constant an operation: where a parameter is added, the factor comes from a register, into which
// it is moved once.
static bool needs_factor(Fuse *x, const Inst *i, const Inst *user)
{
    if (i->opnd[2].kind != O_IMM || !(is_param(x, &user->opnd[1]) || is_param(x, &user->opnd[2]))) return false;
    if (x->factors.n == MOST_FACTORS) return true;
    for (size_t k = 0; k < x->factors.n; k++)
        if (x->factors.v[k] == i->opnd[2].imm) return false;
    vec_push(&x->factors, i->opnd[2].imm);
    return true;
}

// A product of 64 bits is made with each of the sums that read it, in loops too, if all its readers are sums.
static void fuse_wide(Fuse *x, uint32_t n)
{
    Inst *i = inst_of(x, n);
    const uint32_t reg = i->opnd[0].reg, first = x->readers.first[reg], last = x->readers.first[reg + 1];
    if (!reg_single(&x->writers, reg) || first == last) return;
    for (uint32_t k = first; k < last; k++) {
        const uint32_t at = x->readers.inst[k];
        if (!is_wide_sum(inst_of(x, at)) || inst_of(x, at)->fused) return;
    }
    for (uint32_t k = first; k < last; k++) inst_of(x, x->readers.inst[k])->fused = FUSED_PRODUCT;
    i->fused = needs_factor(x, i, inst_of(x, x->readers.inst[first])) ? FUSED_MOVE : FUSED_AWAY;
}

// A shift of 64 bits by a constant with the sum that reads it: the sum's two instructions do it.
static void fuse_shift(Fuse *x, uint32_t n)
{
    Inst *i = inst_of(x, n);
    const uint32_t reg = i->opnd[0].reg;
    if (!reg_single(&x->writers, reg) || !read_once(x, reg) || i->opnd[2].kind != O_IMM) return;
    const Inst *user = inst_of(x, x->readers.inst[x->readers.first[reg]]);
    if (is_wide_sum(user) && !user->fused) i->fused = FUSED_AWAY;
}

// --- operands --------------------------------------------------------------------------------------------------------
static bool all_readers(const Fuse *x, uint32_t reg, bool (*are)(const Inst *))
{
    bool all = reg_single(&x->writers, reg);
    for (uint32_t k = x->readers.first[reg]; all && k < x->readers.first[reg + 1]; k++)
        all &= are(inst_of(x, x->readers.inst[k]));
    return all;
}

static bool takes_constant(const Inst *i) { return inst_on_alu(i) && i->op != OP_MOV; }

static bool takes_address(const Inst *i) { return takes_constant(i) || op_info[i->op].class == CLASS_LOAD; }

static bool is_float_arithmetic(const Inst *i)
{
    return i->type == TY_F32 &&
           (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA || i->op == OP_SETP);
}

// The sizes of grid and block stand in the constant bank, and the address of a shared variable is a constant.
static void fuse_move(Fuse *x, Inst *i)
{
    const Operand *s = &i->opnd[1];
    bool free = false;
    if (s->kind == O_SREG &&
        ((s->reg >= SR_NTID_X && s->reg <= SR_NTID_Z) || (s->reg >= SR_NCTAID_X && s->reg <= SR_NCTAID_Z)))
        free = all_readers(x, i->opnd[0].reg, takes_constant);
    if (s->kind == O_SYM) free = s->sym->space == SP_SHARED && all_readers(x, i->opnd[0].reg, takes_address);
    if (i->type == TY_PRED && s->kind == O_IMM) free = true;
    if (free) i->fused = FUSED_AWAY;
}

// --- predicates ------------------------------------------------------------------------------------------------------
// One of the comparisons that are combined does it along. It is read by nothing else, and combines nothing yet.
static void fuse_predicates(Fuse *x, uint32_t n)
{
    Inst *i = inst_of(x, n);
    uint32_t at;
    for (int k = 1; k < i->operands; k++) {
        const Operand *o = &i->opnd[k];
        Operand plain = *o;
        plain.negated = false;
        const Inst *m = maker(x, &plain, &at);
        if (!m || m->op != OP_SETP || inst_has(m, G_BOOL) || x->sources[at] || !read_once(x, o->reg)) continue;
        if (x->flow->block_of[at] != x->flow->block_of[n]) continue;
        x->sources[at] = MOST_SOURCES, i->fused = FUSED_AWAY;
        return;
    }
}

// A number of 64 bits lies in two registers, of which the upper one of an unsigned word's is zero.
static bool is_same_word(const Inst *i)
{
    const TypeInfo *to = &type_info[i->type], *from = &type_info[i->type2];
    if (i->type2 == TY_NONE || to->kind == K_FLOAT || from->kind == K_FLOAT || to->bits < 32 || from->bits < 32)
        return false;
    return to->bits <= from->bits || from->kind == K_UINT;
}

static void fuse_inst(Fuse *x, uint32_t n)
{
    Inst *i = inst_of(x, n);
    if (!i->operands || !is_plain(i)) return;
    const TypeInfo *t = &type_info[i->type];
    if (i->op == OP_MOV)
        fuse_move(x, i);
    else if ((i->type == TY_PRED && i->op == OP_NOT) || (i->op == OP_CVT && is_same_word(i)))
        i->fused = FUSED_AWAY;
    else if (i->type == TY_PRED && (i->op == OP_AND || i->op == OP_OR || i->op == OP_XOR))
        fuse_predicates(x, n);
    else if (is_sum(i)) {
        if (!fuse_factor(x, n)) fuse_same(x, n, is_sum);
    } else if (is_logic(i))
        fuse_same(x, n, is_logic);
    else if (i->op == OP_MUL && i->mod[G_MUL] == M_WIDE && t->bits == 32)
        fuse_wide(x, n);
    else if (i->op == OP_SHL && t->bits == 64)
        fuse_shift(x, n);
    else if ((i->op == OP_NEG || i->op == OP_ABS) && i->type == TY_F32 &&
             all_readers(x, i->opnd[0].reg, is_float_arithmetic))
        i->fused = FUSED_AWAY;
}

void fuse_insts(Function *f)
{
    Flow *w = flow_build(f);
    Fuse x = {f, w, reg_index(f, false), reg_index(f, true), mem_alloc(f->insts.n + 1), {0}};
    for (size_t n = 0; n < f->insts.n; n++) f->insts.v[n].fused = FUSED_NOT;
    for (uint32_t n = 0; n < f->insts.n; n++) fuse_inst(&x, n);
    reg_index_free(&x.readers), reg_index_free(&x.writers);
    vec_free(&x.factors), mem_free(x.sources);
    flow_free(w);
}

// --- the beginning ---------------------------------------------------------------------------------------------------
// Each kernel moves the stack's address to a register, and one that accesses global memory a descriptor of it, from
// capability 8.0 on (ptxas of CUDA 13). Nothing here reads them.
void put_beginning(Function *f)
{
    const uint16_t type = type_suffix(TY_B32);
    Inst moves[2];
    uint32_t n = 1;
    bool global = false;
    if (!f->entry || !f->insts.n) return;
    for (size_t k = 0; k < f->insts.n; k++) global |= f->insts.v[k].space == SP_GLOBAL && f->insts.v[k].op != OP_CVTA;
    if (global && f->module->sass >= 80) n = 2;
    for (uint32_t k = 0; k < n; k++) {
        Operand o[] = {operand_reg(reg_new(f, TY_B32)), operand_imm(0)};
        moves[k] = inst_make(f, &f->insts.v[0], OP_MOV, &type, 1, o, 2);
    }
    insts_replace(f, 0, 0, moves, n);
}
