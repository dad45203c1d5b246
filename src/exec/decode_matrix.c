// decode_matrix.c: instructions about matrices (PTX ISA §9.7.14, §9.7.15): the rows of their fragments, and which
// elements these have.
#include "exec/decode.h"
#include "ptx/ops.h"

#include <assert.h>

static Loc32 fragment_row(const Decode *x, const Operand *o, int k, bool to)
{
    const Operand *v = o->kind == O_VEC ? &o->items[k] : o;
    return to ? dest_row(x, v) : reg_loc(x, v->reg);
}

bool decode_matrix(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    bool load = i->op == OP_LDMATRIX;
    const Operand *where = &i->opnd[load], *what = &i->opnd[!load];
    d->vec = ptx_fragment(i, !load).registers;
    d->bytes = 4;
    d->mod = i->mod[G_TRANS];
    for (int e = 0; e < d->vec; e++) d->vector[e] = fragment_row(x, what, e, load);
    set_address(x, d, where);
    return true;
}

// m8n8k4 of .f16 (§9.7.14.5.1): lanes 4 q to 4 q + 3 and those 16 further make the q-th of four products.
static Element quad_element(const Inst *i, int which, Type t, uint32_t lane, uint32_t number)
{
    const uint32_t low = lane % 4, high = lane / 16 * 4;
    const bool a_row = i->mod[G_ALAYOUT] == M_A_ROW, b_row = i->mod[G_BLAYOUT] == M_B_ROW;
    uint32_t row = low + high, column = number;
    if (which == MATRIX_A && !a_row) row = number + high, column = low;
    if (which == MATRIX_B && b_row) row = low, column = number + high;
    if (which == MATRIX_B && !b_row) row = number, column = low + high;
    if ((which == MATRIX_C || which == MATRIX_D) && t == TY_F32) {
        row = (lane & 1) + (number & 2) + high;
        column = (number & 4) + (lane & 2) + (number & 1);
    }
    return (Element){(uint16_t)row, (uint16_t)column};
}

static uint32_t place(const Decode *x, const Tensor *t, int which, uint32_t lane, uint32_t r, uint32_t e)
{
    const Product *m = &t->x;
    const bool bits = m->type[which] == TY_B1;
    const uint32_t deep = (uint32_t)(m->k >> m->sparse) / (bits ? 32 : 1), width = which == MATRIX_A ? deep : m->n;
    if (m->quads) {
        Element at = quad_element(x->i, which, m->type[which], lane, r * t->per[which] + e);
        uint32_t size = which == MATRIX_A || which == MATRIX_B ? 32 : 64;
        return lane / 4 % 4 * size + at.row * width + at.column;
    }
    Element at = matrix_element(m, which, lane, r, e);
    if (bits && which == MATRIX_A) at.column /= 32;
    if (bits && which == MATRIX_B) at.row /= 32;
    return at.row * width + at.column;
}

static void find_places(const Decode *x, Tensor *t, int which)
{
    const uint32_t first = place(x, t, which, 0, 0, 0);
    for (uint32_t l = 0; l < LANES; l++) t->lane[which][l] = (uint16_t)(place(x, t, which, l, 0, 0) - first);
    for (uint32_t r = 0; r < t->used[which]; r++)
        for (uint32_t e = 0; e < t->per[which]; e++) t->element[which][r][e] = (uint16_t)place(x, t, which, 0, r, e);
}

bool decode_tensor(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    Tensor *t = mem_alloc(sizeof *t);
    vec_push(&x->code->tensors, t);
    d->tensor = t;
    ptx_matrix(i, &t->x);
    const Product *m = &t->x;
    const uint32_t products = m->quads ? 4 : 1;
    for (int k = 0; k < MATRICES; k++) {
        const bool bits = m->type[k] == TY_B1;
        const int elements = k == MATRIX_A ? m->m * m->k >> m->sparse : k == MATRIX_B ? m->n * m->k : m->m * m->n;
        t->per[k] = bits ? 1 : (uint8_t)matrix_per_register(m->type[k]);
        t->used[k] = (uint8_t)((uint32_t)elements * products / (LANES * (bits ? 32u : t->per[k])));
        assert(t->used[k] <= m->registers[k] && m->registers[k] <= MAX_FRAGMENT);
        for (int r = 0; r < m->registers[k]; r++) t->row[k][r] = fragment_row(x, &i->opnd[k], r, k == MATRIX_D);
        find_places(x, t, k);
    }
    if (m->sparse) t->metadata = source_row(x, &i->opnd[4], TY_B32), t->selector = (uint8_t)i->opnd[5].imm;
    t->fmas = products * m->m * m->n * m->k;
    return true;
}

// --- wgmma -----------------------------------------------------------------------------------------------------------
// D may have more registers than an instruction's view of the scoreboard: it has one of its own.
static void score_group(Decode *x, Dinst *d, GroupTensor *g)
{
    const Inst *i = x->i;
    const Alloc *a = x->code->alloc;
    d->score_n = d->score_dst = 0;
    if (i->guarded && a->place[i->guard] != NO_REG)
        d->score[d->score_n++] = (uint16_t)(a->place[i->guard] + x->code->reg_rows);
    for (int n = 0; n < i->operands; n++) {
        const Operand *o = &i->opnd[n];
        const int count = o->kind == O_VEC ? o->count : 1;
        for (int k = 0; k < count; k++) {
            const Operand *e = o->kind == O_VEC ? &o->items[k] : o;
            if (e->kind != O_REG || a->place[e->reg] == NO_REG) continue;
            const bool pred = x->f->regs.v[e->reg].type == TY_PRED;
            const uint16_t at = (uint16_t)(a->place[e->reg] + (pred ? x->code->reg_rows : 0));
            if (n)
                d->score[d->score_n++] = at;
            else
                g->score[g->scores++] = at;
        }
    }
}

bool decode_group(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    GroupTensor *g = mem_alloc(sizeof *g);
    Tensor *t = &g->tensor;
    vec_push(&x->code->tensors, t);
    d->tensor = t;
    ptx_matrix(i, &t->x);
    const Product *m = &t->x;
    const uint32_t bits = (uint32_t)type_info[m->type[MATRIX_A]].bits;
    assert(m->registers[MATRIX_D] <= MAX_SUMS);
    t->per[MATRIX_A] = bits == 1 ? 1 : (uint8_t)matrix_per_register(m->type[MATRIX_A]);
    t->per[MATRIX_D] = (uint8_t)matrix_per_register(m->type[MATRIX_D]);
    for (int r = 0; r < m->registers[MATRIX_D]; r++) g->sum[r] = fragment_row(x, &i->opnd[0], r, true);
    g->a_memory = i->opnd[1].kind != O_VEC;
    if (g->a_memory) {
        d->a = source_row(x, &i->opnd[1], TY_B64);
    } else {
        t->used[MATRIX_A] = m->registers[MATRIX_A];
        for (int r = 0; r < m->registers[MATRIX_A]; r++) t->row[MATRIX_A][r] = fragment_row(x, &i->opnd[1], r, false);
        find_places(x, t, MATRIX_A);
    }
    d->b = source_row(x, &i->opnd[2], TY_B64);
    int n = 3;
    if (m->sparse) t->metadata = source_row(x, &i->opnd[3], TY_B32), t->selector = (uint8_t)i->opnd[4].imm, n = 5;
    set_psrc(x, d, &i->opnd[n++]);
    if (n < i->operands) g->minus = i->opnd[n].imm != i->opnd[n + 1].imm, n += 2;
    if (n < i->operands) g->a_across = g->a_memory && i->opnd[n++].imm, g->b_across = i->opnd[i->operands - 1].imm;
    g->bytes = (g->a_memory ? m->m * (uint32_t)(m->k >> m->sparse) * bits / 8 : 0) + (uint32_t)m->k * m->n * bits / 32;
    g->multiply = exec_pick_multiply(i);
    t->fmas = (uint32_t)m->m * m->n * m->k;
    score_group(x, d, g);
    return true;
}
