// check_registers.c: what isn't in memory: the registers that a product of wgmma still adds up (PTX ISA §9.7.15.7:
// nobody may touch them until wgmma.wait_group) or still reads (those with A), and setmaxnreg, which all warps of a
// warpgroup execute (§9.7.19.6).
//
// Compilers copy such registers between two products. ptxas lets the copy be the same register, so here a mov hands on
// what is said of its source. A's registers may be read, and a mov into one counts as a new register. All are told by
// their names: once A is dead, or a sum that nobody reads, another value may have its place.
#include "exec/check.h"
#include "ptx/ops.h"

#include <string.h>

enum { MOST_SUMS = 16, MOST_REGS = 1024, FILTER = 2048 };
struct Sums {  // of a wgmma under way
    uint32_t group, pc;
    const Code *code;
    const Operand *a;              // A's registers; null: it lies in memory
    uint32_t n, reg[MOST_REGS];    // that hold the sums: at most 128, and copies
    uint64_t filter[FILTER / 64];  // which may be among them: bit (register % FILTER)
};

static bool has(const Sums *s, uint32_t reg)
{
    if (!(s->filter[reg % FILTER / 64] >> (reg % 64) & 1)) return false;
    for (uint32_t k = 0; k < s->n; k++)
        if (s->reg[k] == reg) return true;
    return false;
}
static void put(Sums *s, uint32_t reg)
{
    if (s->n == MOST_REGS || has(s, reg)) return;
    s->reg[s->n++] = reg;
    s->filter[reg % FILTER / 64] |= 1ull << (reg % 64);
}
static void clear(Sums *s)
{
    s->n = 0;
    memset(s->filter, 0, sizeof s->filter);
}

static CheckWarp *check_of(const Warp *w) { return &w->cta->check->warp[w->in_cta]; }

void sums_begin(Warp *w, const Dinst *d)
{
    CheckWarp *x = check_of(w);
    if (!x->sums) x->sums = mem_alloc(sizeof *x->sums * MOST_SUMS);
    if (x->sum_count == MOST_SUMS) return;
    w->products = true;
    Sums *s = &x->sums[x->sum_count++];
    const Operand *sums = &d->inst->opnd[0], *a = &d->inst->opnd[1];
    s->group = x->products, s->pc = d->index, s->code = w->code, s->a = a->kind == O_VEC ? a : NULL;
    clear(s);
    for (int k = 0; k < sums->count; k++)
        if (sums->items[k].kind == O_REG) put(s, sums->items[k].reg);
}

void sums_over(Warp *w, int64_t limit)
{
    CheckWarp *x = check_of(w);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < x->sum_count; k++)
        if ((int64_t)x->sums[k].group > limit) x->sums[kept++] = x->sums[k];
    x->sum_count = kept;
    w->products = kept > 0;
}

// Does it save a register that the lowering has spilled? What is read from there later isn't followed.
static bool is_spill(const Code *c, const Dinst *d)
{
    return d->kind == X_ST && d->space == SP_LOCAL && d->flags & D_FRAME && d->imm >= c->spills_at;
}

static bool is_copy(const Dinst *d)
{
    return d->op == OP_MOV && d->inst && d->inst->opnd[0].kind == O_REG && d->inst->opnd[1].kind == O_REG;
}

typedef struct Touches {
    const Sums *s;
    bool any, copies;  // copies: a mov into A's registers is one into others
} Touches;
static void touches_one(void *user, uint32_t reg, bool def)
{
    Touches *x = user;
    x->any |= has(x->s, reg);
    for (int k = 0; def && !x->copies && x->s->a && k < x->s->a->count; k++)
        x->any |= x->s->a->items[k].kind == O_REG && x->s->a->items[k].reg == reg;
}

// Does it touch a sum, or write A while the product may still read it?
static bool touches(const Sums *s, const Dinst *d)
{
    Touches x = {.s = s, .copies = d->op == OP_MOV};
    if (d->inst) inst_regs(d->inst, touches_one, &x);
    return x.any;
}

void check_before(Env *env, Warp *w)
{
    const Dinst *d = &w->code->insts[w->pc];
    CheckWarp *x = check_of(w);
    if (d->kind == X_WGMMA) return;
    for (uint32_t k = 0; k < x->sum_count; k++) {
        Sums *s = &x->sums[k];
        if (s->code != w->code) continue;
        if (is_copy(d) && has(s, d->inst->opnd[1].reg)) {
            put(s, d->inst->opnd[0].reg);
            continue;
        }
        if (!touches(s, d)) continue;
        if (is_spill(w->code, d)) {
            clear(s);
            continue;
        }
        Found f = found_at(FLAW_SUMS, w, d->index, 0);
        found_after(&f, w->code->kernel, s->code->stat_base + s->pc, w->tid0, w->cta->number);
        check_found(env->check, &f);
    }
}

void check_resized(Warp *w, const Dinst *d)
{
    CheckWarp *x = check_of(w);
    x->resized++;
    x->resized_code = w->code, x->resized_pc = d->index;
}

void check_warpgroup(Env *env, const Warp *w, uint32_t lanes)
{
    enum { WARPS = 4 };
    const CheckCta *c = w->cta->check;
    const uint32_t first = w->in_cta / WARPS * WARPS, end = MIN(first + WARPS, w->cta->warp_count);
    if (w->live & ~lanes) return;
    uint32_t most = first;
    for (uint32_t k = first; k < end; k++) {
        if (k != w->in_cta && w->cta->warps[k].live) return;
        if (c->warp[k].resized > c->warp[most].resized) most = k;
    }
    for (uint32_t k = first; k < end; k++) {
        if (c->warp[k].resized == c->warp[most].resized) continue;
        const CheckWarp *has = &c->warp[most], *lacks = &c->warp[k];
        const Code *code = lacks->left ? lacks->left : w->code;
        check_found(env->check, &(Found){.kind = FLAW_RESIZE,
                                         .exited = true,
                                         .code = {has->resized_code, code},
                                         .pc = {has->resized_pc, lacks->left ? lacks->left_pc : w->pc},
                                         .thread = {most * LANES, k * LANES},
                                         .block = {w->cta->number, w->cta->number}});
        return;
    }
}
