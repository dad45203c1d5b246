// straight.c: what can run at one go of a function (ops_straight.c), found when it is decoded: how each instruction is
// run, and which registers addresses are made of.
#include "exec/decode.h"
#include "ptx/ops.h"

static uint8_t how(const Dinst *d)
{
    const bool space = d->space == SP_SHARED || d->space == SP_GLOBAL || d->space == SP_GENERIC;
    const bool words = d->bytes == 4 && !(d->flags & D_LONG), pairs = d->bytes == 8 && d->flags & D_LONG;
    const bool plain = space && (words || pairs), shared = d->space == SP_SHARED;
    if (d->flags & (D_SYNC | D_STRONG)) return HOW_STOP;
    switch (d->kind) {
    case X_LANES: return HOW_LANES;
    case X_BRA: return HOW_BRANCH;
    case X_LD: return !plain ? HOW_STEP : shared ? HOW_LOAD_SHARED : HOW_LOAD;
    case X_ST: return !plain ? HOW_STOP : shared ? HOW_STORE_SHARED : HOW_STORE;
    case X_SREG:
    case X_NOP:
    case X_LD_PARAM:
    case X_ST_PARAM:
    case X_LD_ROWS:
    case X_LOCAL_ADDRESS:
    case X_PREFETCH:
    case X_CP_ASYNC:
    case X_CP_WAIT:
    case X_BULK_WAIT:
    case X_FENCE:
    case X_LDMATRIX:
    case X_TEX: return HOW_STEP;
    default: return HOW_STOP;
    }
}

// Is it r = r + a constant, of a register of 32 or 64 bits?
static bool adds_constant(const Dinst *d)
{
    const bool whole = d->type == TY_U32 || d->type == TY_S32 || d->type == TY_U64 || d->type == TY_S64;
    return d->kind == X_LANES && d->op == OP_ADD && whole && !inst_has(d->inst, G_SAT) && d->dst == d->a && d->b & 1;
}

// What it writes: none of the registers that have slots, one of them, or nobody looks which. Values of one width have
// rows of their own, so that two registers share all rows or none.
static uint8_t writes(const Dinst *d, const uint8_t *slot_of, uint32_t rows)
{
    uint32_t found = 0, slot = 0;
    for (int e = 0; e < d->score_dst; e++)
        if (d->score[e] < rows && slot_of[d->score[e]]) slot = slot_of[d->score[e]] - 1u, found++;
    if (found > 1 || d->kind == X_CALL || d->kind == X_RET || d->score_n == MAX_SCORE) return WRITES_ANY;
    return (uint8_t)(!found ? WRITES_NONE : slot | (adds_constant(d) ? WRITES_SUM : WRITES_BASE));
}

// Each register that addresses are made of has one slot in the whole function, which it may share.
void straight_mark(Code *code)
{
    uint8_t *slot_of = mem_alloc(code->reg_rows + 1u);  // by row, + 1; 0: none
    uint32_t slots = 0;
    code->straight = mem_alloc(sizeof *code->straight * (code->n + 1));
    for (uint32_t n = 0; n < code->n; n++) {
        const Dinst *d = &code->insts[n];
        const uint32_t at = d->a / ROW_BYTES;
        Straight *s = &code->straight[n];
        s->how = how(d);
        if (s->how < HOW_LOAD) continue;
        if (d->a & 1 || at >= code->reg_rows) continue;  // a constant
        if (!slot_of[at]) slot_of[at] = (uint8_t)(slots++ % BASES + 1);
        s->base = slot_of[at] - 1;
    }
    for (uint32_t n = 0; n < code->n; n++) code->straight[n].writes = writes(&code->insts[n], slot_of, code->reg_rows);
    mem_free(slot_of);
}
